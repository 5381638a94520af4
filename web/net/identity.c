/* SPDX-License-Identifier: Apache-2.0 */
/* identity.c - determines the user of a request from headers and settings */
#include "web/net/identity.h"

#include <string.h>

#define NAME_MAX_BYTES 255

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

int identity_find(void *context, struct exchange *exchange, const char **user, bool *authenticated)
{
    const struct web_settings *settings = context;
    const char *claimed = exchange_parameter(exchange, "user.name", 0);
    const char *proven = NULL;

    if (settings->auth == WEB_AUTH_PROXY && is_proxy(settings, exchange_peer(exchange)))
        proven = exchange_header(exchange, settings->user_header);
    *authenticated = proven != NULL && *proven != '\0';
    if (*authenticated) {
        *user = proven;
        return is_name(proven) ? 0 : 403;
    }
    /* The parameter user.name is only used if there is no authentication. */
    *user = WEB_STATIC_USER;
    if (settings->auth == WEB_AUTH_NONE && claimed != NULL && is_name(claimed))
        *user = claimed;
    return 0;
}

static bool is_of_app(const Creel__Envelope *query)
{
    static const Creel__Envelope__BodyCase changes[] = {
        CREEL__ENVELOPE__BODY_SUBMIT_APP,     CREEL__ENVELOPE__BODY_HAVE_BLOBS,
        CREEL__ENVELOPE__BODY_PUT_BLOB,       CREEL__ENVELOPE__BODY_KILL_APP,
        CREEL__ENVELOPE__BODY_MOVE_APP,       CREEL__ENVELOPE__BODY_SET_PRIORITY,
        CREEL__ENVELOPE__BODY_SET_LIFETIME,   CREEL__ENVELOPE__BODY_HOLD_APP,
        CREEL__ENVELOPE__BODY_RELEASE_APP,    CREEL__ENVELOPE__BODY_KILL_TASKS,
        CREEL__ENVELOPE__BODY_REQUEUE_APP,    CREEL__ENVELOPE__BODY_SET_ARRAY,
        CREEL__ENVELOPE__BODY_GET_LOG_ACCESS,
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
        CREEL__ENVELOPE__BODY_LIST_JOB_HISTORY,
    };

    for (size_t i = 0; i < sizeof(reads) / sizeof(*reads); i++)
        if (reads[i] == query->body_case)
            return true;
    return query->body_case == CREEL__ENVELOPE__BODY_GET_LOG_ACCESS && !query->get_log_access->control;
}
