/* SPDX-License-Identifier: Apache-2.0 */
/* identity.c - determines the user of a request from headers and settings */
#include "web/net/identity.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "common/base/text.h"

#define NAME_MAX_BYTES 255
#define HOST_MAX 256
#define REST "/ws/"
#define YARN_COOKIE "hadoop.auth"

static bool is_proxy(const struct web_settings *settings, const char *address)
{
    for (size_t i = 0; i < settings->proxy_count; i++)
        if (strcmp(settings->proxies[i], address) == 0)
            return true;
    return false;
}

/* Returns whether the resource manager accepts NAME as the name of a user. */
static bool is_name(const char *name)
{
    size_t length = strlen(name);

    if (length == 0 || length > NAME_MAX_BYTES)
        return false;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)name[i] <= ' ' || name[i] == 0x7f || name[i] == ',')
            return false;
    return true;
}

/* Returns whether NAME has only characters that need no escape in a cookie. */
static bool fits_into_cookie(const char *name)
{
    for (; *name != '\0'; name++)
        if (!isalnum((unsigned char)*name) && strchr("._-@", *name) == NULL)
            return false;
    return true;
}

/* Sends YARN's cookie, which some clients send instead of the parameter user.name. It is not signed, because
 * the parameter is not verified either. */
static void send_cookie(struct exchange *exchange, const char *user)
{
    if (fits_into_cookie(user))
        exchange_add_header(exchange, "Set-Cookie",
                            arena_printf(exchange_arena(exchange),
                                         YARN_COOKIE
                                         "=\"u=%s&p=%s&t=simple\"; Path=/ws; HttpOnly; SameSite=Strict",
                                         user, user));
}

/* Returns the user that YARN's cookie names; NULL: none. */
static const char *user_of_cookie(struct exchange *exchange)
{
    const char *cookie = exchange_cookie(exchange, YARN_COOKIE);
    const char *user;

    if (cookie == NULL)
        return NULL;
    cookie += *cookie == '"';
    if (strncmp(cookie, "u=", 2) != 0)
        return NULL;
    user = arena_printf(exchange_arena(exchange), "%.*s", (int)strcspn(cookie + 2, "&\""), cookie + 2);
    return is_name(user) && fits_into_cookie(user) ? user : NULL;
}

/* Returns the user that the request names without proof; NULL: none. */
static const char *claimed_user(struct exchange *exchange)
{
    const char *parameter = exchange_parameter(exchange, "user.name", 0);

    if (parameter == NULL || !is_name(parameter))
        return user_of_cookie(exchange);
    send_cookie(exchange, parameter);
    return parameter;
}

/* --- simple ------------------------------------------------------------------- */

/* Returns the length of HOST, "NAME:PORT" or "[ADDRESS]:PORT", without the port. */
static size_t host_length(const char *host)
{
    return host[0] == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":");
}

/* Returns whether HOST, the value of the header without the port, is an address, or a name of this host or of
 * SETTINGS. A page whose own name leads to this host ("DNS rebinding") sends its own name. */
static bool is_own_host(const struct web_settings *settings, const char *host, size_t length)
{
    char own[HOST_MAX] = "";
    const char *colon = settings->address != NULL ? strrchr(settings->address, ':') : NULL;

    if (strspn(host, "0123456789.") >= length || host[0] == '[')
        return true;
    if (length == strlen("localhost") && strncasecmp(host, "localhost", length) == 0)
        return true;
    if (colon != NULL && (size_t)(colon - settings->address) == length &&
        strncasecmp(host, settings->address, length) == 0)
        return true;
    return gethostname(own, sizeof(own) - 1) == 0 && strncasecmp(host, own, length) == 0 &&
           (own[length] == '\0' || own[length] == '.');
}

/* Finds the user with WEB_AUTH_SIMPLE. The static user is one of them, as in YARN. Pages have no users: their
 * links do not repeat user.name. */
static int find_simple(const struct web_settings *settings, struct exchange *exchange, const char **user,
                       bool *authenticated, const char **reason)
{
    const char *parameter = exchange_parameter(exchange, "user.name", 0);
    const char *claimed = claimed_user(exchange), *host = exchange_header(exchange, "Host");

    if (parameter != NULL && *parameter != '\0' && !is_name(parameter)) {
        *reason = "user.name is not the name of a user.";
        return 403;
    }
    *user = claimed != NULL ? claimed : WEB_STATIC_USER;
    *authenticated = is_proxy(settings, exchange_peer(exchange)) &&
                     text_has_prefix(exchange_path(exchange), REST) &&
                     (host == NULL || is_own_host(settings, host, host_length(host)));
    return 0;
}

bool identity_is_proxy(void *context, const char *address)
{
    return is_proxy(context, address);
}

bool identity_may_act_for(void *context, const char *user, const char *other)
{
    const struct web_settings *settings = context;

    if (!is_name(other))
        return false;
    for (size_t i = 0; i < settings->impersonator_count; i++)
        if (strcmp(settings->impersonators[i], user) == 0)
            return true;
    return false;
}

/* --- all ----------------------------------------------------------------------- */

/* Returns 0 if NAME, the value of the proxy's header, is the name of a user; else the status of the
 * refusal. */
static int check_proven(struct exchange *exchange, const struct web_settings *settings, const char *name,
                        const char **reason)
{
    if (is_name(name))
        return 0;
    *reason = arena_printf(exchange_arena(exchange),
                           "The proxy sent a header %s that is not the name of one user: it may have 1 to %d "
                           "bytes, and no blanks, commas or control characters. Correct the configuration of "
                           "the proxy.",
                           settings->user_header, NAME_MAX_BYTES);
    return 403;
}

/* Returns the user that the header of a trusted proxy names; NULL: none. */
static const char *user_of_proxy(const struct web_settings *settings, struct exchange *exchange)
{
    const char *header;

    if (settings->auth != WEB_AUTH_PROXY || !is_proxy(settings, exchange_peer(exchange)))
        return NULL;
    header = exchange_header(exchange, settings->user_header);
    return header != NULL && *header != '\0' ? header : NULL;
}

/* Sets *USER to that of the client's certificate, if there is one. The certificate of an authenticating proxy
 * names the proxy, and not the user of a request. Returns 0, or the status of a refusal. */
static int find_certificate(const struct web_settings *settings, struct exchange *exchange, const char **user,
                            const char **reason)
{
    const char *problem;

    *user = exchange_certificate(exchange, &problem);
    if (settings->auth == WEB_AUTH_PROXY && is_proxy(settings, exchange_peer(exchange)))
        *user = NULL;
    if (problem == NULL && *user != NULL && !is_name(*user))
        problem = "has a common name that is not the name of a user";
    if (problem == NULL)
        return 0;
    *reason = arena_printf(exchange_arena(exchange), "The certificate of the client %s.", problem);
    return 403;
}

int identity_find(void *context, struct exchange *exchange, const char **user, bool *authenticated,
                  const char **reason)
{
    const struct web_settings *settings = context;
    const char *certified, *proven = user_of_proxy(settings, exchange), *claimed = NULL;
    int status = find_certificate(settings, exchange, &certified, reason);

    *authenticated = status == 0 && (proven != NULL || certified != NULL);
    *user = WEB_STATIC_USER;
    if (status != 0)
        return status;
    if (*authenticated) {
        *user = proven != NULL ? proven : certified;
        return check_proven(exchange, settings, *user, reason);
    }
    if (settings->auth == WEB_AUTH_SIMPLE)
        return find_simple(settings, exchange, user, authenticated, reason);
    /* Claims are only used if there is no authentication. */
    if (settings->auth == WEB_AUTH_NONE)
        claimed = claimed_user(exchange);
    *user = claimed != NULL ? claimed : WEB_STATIC_USER;
    return 0;
}

static bool is_of_app(const Creel__Envelope *query)
{
    static const Creel__Envelope__BodyCase changes[] = {
        CREEL__ENVELOPE__BODY_NEW_APP,          CREEL__ENVELOPE__BODY_SUBMIT_APP,
        CREEL__ENVELOPE__BODY_HAVE_BLOBS,       CREEL__ENVELOPE__BODY_PUT_BLOB,
        CREEL__ENVELOPE__BODY_KILL_APP,         CREEL__ENVELOPE__BODY_MOVE_APP,
        CREEL__ENVELOPE__BODY_SET_PRIORITY,     CREEL__ENVELOPE__BODY_SET_LIFETIME,
        CREEL__ENVELOPE__BODY_HOLD_APP,         CREEL__ENVELOPE__BODY_RELEASE_APP,
        CREEL__ENVELOPE__BODY_KILL_TASKS,       CREEL__ENVELOPE__BODY_REQUEUE_APP,
        CREEL__ENVELOPE__BODY_SET_ARRAY,        CREEL__ENVELOPE__BODY_GET_LOG_ACCESS,
        CREEL__ENVELOPE__BODY_RESIZE_CONTAINER, CREEL__ENVELOPE__BODY_SET_NAME,
        CREEL__ENVELOPE__BODY_CHANGE_APP,
    };

    for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++)
        if (changes[i] == query->body_case)
            return true;
    return false;
}

enum exchange_scope identity_needs(const Creel__Envelope *query)
{
    if (identity_is_read(query))
        return EXCHANGE_READ;
    return is_of_app(query) ? EXCHANGE_SUBMIT : EXCHANGE_ADMIN;
}

bool identity_is_read(const Creel__Envelope *query)
{
    static const Creel__Envelope__BodyCase reads[] = {
        CREEL__ENVELOPE__BODY_LIST_APPS,          CREEL__ENVELOPE__BODY_LIST_CONTAINERS,
        CREEL__ENVELOPE__BODY_LIST_NODES,         CREEL__ENVELOPE__BODY_LIST_QUEUES,
        CREEL__ENVELOPE__BODY_LIST_QUEUE_USERS,   CREEL__ENVELOPE__BODY_GET_QUEUE_ACCESS,
        CREEL__ENVELOPE__BODY_LIST_LABELS,        CREEL__ENVELOPE__BODY_GET_CLUSTER_INFO,
        CREEL__ENVELOPE__BODY_EXPLAIN_APP,        CREEL__ENVELOPE__BODY_TEST_APP,
        CREEL__ENVELOPE__BODY_GET_SCHEDULER_CONF, CREEL__ENVELOPE__BODY_GET_CONFIGURATION,
        CREEL__ENVELOPE__BODY_LIST_JOB_HISTORY,   CREEL__ENVELOPE__BODY_SUM_JOB_HISTORY,
        CREEL__ENVELOPE__BODY_GET_METRICS,        CREEL__ENVELOPE__BODY_LIST_EVENTS,
    };

    for (size_t i = 0; i < sizeof(reads) / sizeof(*reads); i++)
        if (reads[i] == query->body_case)
            return true;
    return query->body_case == CREEL__ENVELOPE__BODY_GET_LOG_ACCESS && !query->get_log_access->control;
}

bool identity_is_change(const Creel__Envelope *query)
{
    return !identity_is_read(query) && query->body_case != CREEL__ENVELOPE__BODY_GET_CHANGES &&
           query->body_case != CREEL__ENVELOPE__BODY_FIND_ACCESS_TOKEN;
}
