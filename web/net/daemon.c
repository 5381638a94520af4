/* SPDX-License-Identifier: Apache-2.0 */
/* daemon.c - creates, runs and frees all parts of creel-web */
#include "web/net/daemon.h"

#include "config.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "common/base/certificate_time.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/io/loop/log.h"
#include "common/io/keys/own_key.h"
#include "web/http/certificate.h"
#include "web/http/server.h"
#include "web/model/view.h"
#include "web/net/agents.h"
#include "web/net/certificates.h"
#include "web/net/feed.h"
#include "web/net/identity.h"
#include "web/net/metrics_feed.h"
#include "web/net/passwords.h"
#include "web/net/properties.h"
#include "web/net/tokens.h"
#include "web/page/pages.h"
#include "web/page/frame.h"
#include "web/rest/handlers.h"
#include "web/rest/parts/reply.h"

struct web_daemon {
    struct arena *arena; /* lives as long as the daemon */
    struct web_settings settings;
    struct loop *loop;
    struct web_model *model;
    struct metrics_copy *metrics;
    struct metrics_feed *metrics_feed;
    struct traffic *traffic;
    struct upstream *upstream;
    struct feed *feed;
    struct agents *agents;
    struct own_key *own_key_files;
    struct certificates *certificates;
    bool ends;                   /* a signal to stop was received */
    struct tokens *tokens;       /* NULL: access tokens are not accepted */
    struct passwords *passwords; /* NULL: no HTTP Basic authentication */
    struct web_view view;
    struct site site;
    struct http_server *server;
};

/* All parts of the site. */
static const struct route_table tables[] = {
    { page_routes, "/", page_refuse },
    { rest_routes, "/ws/v1", rest_refuse },
    { servlet_routes, "/jmx", rest_refuse },
};

/* --- hooks of the site --------------------------------------------------------- */

static void refuse_change(site_reply_fn *reply, void *reply_context)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__Error error = CREEL__ERROR__INIT;

    error.code = CREEL__ERROR_CODE__ERROR_NOT_PERMITTED;
    error.message = (char *)(uintptr_t) "changes need an authenticated user (creel.http.auth)";
    envelope.body_case = CREEL__ENVELOPE__BODY_ERROR;
    envelope.error = &error;
    reply(reply_context, &envelope);
}

static void ask(void *context, const Creel__Envelope *query, bool authenticated, site_reply_fn *reply,
                void *reply_context)
{
    const struct web_daemon *daemon = context;

    if (query->body_case == CREEL__ENVELOPE__BODY_GET_METRICS) { /* for creel-web, not for the user */
        metrics_feed_ask(daemon->metrics_feed, reply, reply_context);
        return;
    }
    if (authenticated && !identity_is_read(query))
        feed_outdate(daemon->feed);
    if (authenticated || identity_is_read(query))
        upstream_ask(daemon->upstream, query, reply, reply_context);
    else
        refuse_change(reply, reply_context);
}

static void ask_agent(void *context, const char *address, const char *key, const Creel__Envelope *query,
                      site_reply_fn *reply, void *reply_context)
{
    const struct web_daemon *daemon = context;

    agents_ask(daemon->agents, address, key, query, reply, reply_context);
}

struct preparing {
    struct web_daemon *daemon;
    site_prepared_fn *done;
    void *context;
};

static void prepared(void *context)
{
    struct preparing *preparing = context;
    struct web_daemon *daemon = preparing->daemon;

    daemon->view.trouble = feed_trouble(daemon->feed);
    daemon->view.age_ms = feed_age_ms(daemon->feed);
    preparing->done(preparing->context);
    free(preparing);
}

static void prepare(void *context, site_prepared_fn *done, void *done_context)
{
    struct web_daemon *daemon = context;
    struct preparing *preparing = mem_new0(struct preparing);

    *preparing = (struct preparing){ daemon, done, done_context };
    feed_prepare(daemon->feed, prepared, preparing);
}

/* Finds the user of a request, and reports a certificate of a client that ends soon. */
static int identify(void *context, struct exchange *exchange, const char **user, bool *authenticated,
                    const char **reason)
{
    struct web_daemon *daemon = context;
    int64_t expires_ms = exchange_certificate_expires_ms(exchange);
    const char *problem, *certified = exchange_certificate(exchange, &problem);

    if (certified != NULL && problem == NULL)
        certificates_note_user(daemon->certificates, certified, expires_ms);
    return identity_find(&daemon->settings, exchange, user, authenticated, reason);
}

/* --- life ---------------------------------------------------------------------- */

#define END_MS 500 /* time for the resource manager to answer that it knows of the end */

static void end(void *context)
{
    const struct web_daemon *daemon = context;

    loop_stop(daemon->loop);
}

static void on_stop(void *context, int signal_number)
{
    struct web_daemon *daemon = context;

    log_line(LOG_LEVEL_INFO, "signal %d: ends", signal_number);
    if (daemon->ends) {
        loop_stop(daemon->loop);
        return;
    }
    daemon->ends = true;
    loop_add_timer(daemon->loop, END_MS, end, daemon);
    certificates_end(daemon->certificates, end, daemon);
}

static const char *log_level_text(void)
{
    return log_level_name(log_level_now());
}

static void set_log_level(const char *user, const char *level)
{
    log_audit(&(struct log_audit){
        .user = user,
        .operation = "setLogLevel",
        .target = level,
        .success = true,
        .description = "",
    });
    log_set_level(log_level_parse(level));
}

static int open_passwords(struct web_daemon *daemon, struct err *err)
{
    const struct web_settings *settings = &daemon->settings;
    int r;

    if (settings->auth != WEB_AUTH_BASIC)
        return 0;
    r = passwords_new(daemon->loop, settings->pam_service, settings->pam_directory, settings->basic_scope,
                      &daemon->passwords, err);
    daemon->site.password = passwords_find;
    daemon->site.password_context = daemon->passwords;
    return r;
}

/* Sets what handlers read. */
static void fill_view(struct web_daemon *daemon)
{
    struct web_view *view = &daemon->view;

    daemon->model = web_model_new();
    daemon->metrics = metrics_copy_new();
    daemon->traffic = traffic_new(tables, sizeof(tables) / sizeof(*tables));
    view->model = daemon->model;
    view->metrics = daemon->metrics;
    view->traffic = daemon->traffic;
    view->version = VERSION;
    view->rm_address = daemon->settings.rm.count > 0 ? daemon->settings.rm.addresses[0] : NULL;
    view->log = (struct web_log){ log_level_text, set_log_level, log_dropped };
    view->stale_after_ms = daemon->settings.stale_after_ms;
    view->started_ms = loop_now_ms();
    view->refuses_submissions = daemon->settings.refuses_submissions;
    if (getrandom(view->form_key, sizeof(view->form_key), 0) != (ssize_t)sizeof(view->form_key))
        abort();
}

/* Logs a line about connections of clients. */
static void note(void *context, const char *line)
{
    (void)context;
    log_line(LOG_LEVEL_WARN, "%s", line);
}

static void fill_site(struct web_daemon *daemon)
{
    struct web_settings *settings = &daemon->settings;

    daemon->site = (struct site){
        .tables = tables,
        .table_count = sizeof(tables) / sizeof(*tables),
        .application = &daemon->view,
        .traffic = daemon->traffic,
        .note = note,
        .upstream = ask,
        .upstream_context = daemon,
        .agent = ask_agent,
        .agent_context = daemon,
        .prepare = prepare,
        .prepare_context = daemon,
        .identify = identify,
        .identify_context = daemon,
        .is_proxy = identity_is_proxy,
        .proxy_context = settings,
        .may_act_for = identity_may_act_for,
        .act_context = settings,
        .static_user = WEB_STATIC_USER,
        .needs = identity_needs,
        .cross_origin = settings->allows_origins ? &settings->cross_origin : NULL,
        .secure = settings->tls.certificate != NULL,
    };
    if (settings->auth == WEB_AUTH_TOKEN) {
        daemon->tokens = tokens_new(daemon->upstream);
        daemon->site.token = tokens_find;
        daemon->site.token_context = daemon->tokens;
    }
}

/* Watches the files that the next start needs. */
static int watch_files(struct web_daemon *daemon, const struct conf *conf, struct err *err)
{
    static const enum conf_key tls[OWN_KEY_FILES] = { CONF_WEB_TLS_CERTIFICATE, CONF_WEB_TLS_KEY,
                                                      CONF_WEB_TLS_CLIENT_CA };
    const struct passwd *entry = getpwuid(geteuid());
    const char *named = conf_text(conf, CONF_USER_KEY);
    struct own_key_file files[OWN_KEY_FILES] = { { NULL, NULL } };
    struct key rm = { .public_text = "" };

    memcpy(rm.public_text, daemon->settings.rm.rm_key, sizeof(daemon->settings.rm.rm_key));
    for (size_t i = 0; i < OWN_KEY_FILES && daemon->settings.tls.certificate != NULL; i++)
        if (*conf_text(conf, tls[i]) != '\0')
            files[i] = (struct own_key_file){ conf_key_info(tls[i])->name, conf_text(conf, tls[i]) };
    return own_key_new(daemon->loop, conf_text(conf, CONF_KEY_DIR),
                       &(struct own_key_used){ .daemon = "creel-web",
                                               .owner = KEY_USER,
                                               .name = entry != NULL ? entry->pw_name : NULL,
                                               .file = *named != '\0' ? named : NULL,
                                               .key = &daemon->settings.rm.own,
                                               .rm_key = &rm,
                                               .files = files },
                       &daemon->own_key_files, err);
}

static int open_site(struct web_daemon *daemon, const struct conf *conf, struct err *err)
{
    bool secure = daemon->settings.tls.certificate != NULL;
    bool has_authorities = daemon->settings.tls.client_authorities != NULL;
    int r;

    fill_view(daemon);
    if (secure)
        daemon->view.certificate_expires_ms = certificate_expires_ms(daemon->settings.tls.certificate);
    r = upstream_new(daemon->loop,
                     &(struct upstream_target){ .addresses = daemon->settings.rm.addresses,
                                                .count = daemon->settings.rm.count,
                                                .rm_key = daemon->settings.rm.rm_key,
                                                .own = &daemon->settings.rm.own,
                                                .program = "creel-web",
                                                .is_change = identity_is_change },
                     &daemon->upstream, err);
    if (r < 0)
        return r;
    daemon->feed = feed_new(daemon->loop, daemon->upstream, daemon->model, &FEED_TIMES_DEFAULT);
    daemon->metrics_feed = metrics_feed_new(daemon->upstream, daemon->metrics);
    daemon->agents = agents_new(daemon->loop, &daemon->settings.rm.own);
    if ((r = watch_files(daemon, conf, err)) < 0)
        return r;
    daemon->certificates =
        certificates_new(daemon->loop, daemon->settings.address, daemon->settings.tls.certificate,
                         daemon->settings.tls.client_authorities, ask, daemon, daemon->own_key_files);
    fill_site(daemon);
    if ((r = open_passwords(daemon, err)) < 0)
        return r;
    r = http_server_new_tls(&daemon->server, daemon->loop, daemon->settings.address, &daemon->site,
                            &HTTP_LIMITS_DEFAULT, secure ? &daemon->settings.tls : NULL, err);
    if (r == -EINVAL && secure)
        err_prefix(err, "%s and %s%s%s", conf_key_info(CONF_WEB_TLS_CERTIFICATE)->name,
                   conf_key_info(CONF_WEB_TLS_KEY)->name, has_authorities ? ", or " : "",
                   has_authorities ? conf_key_info(CONF_WEB_TLS_CLIENT_CA)->name : "");
    return r;
}

int web_daemon_new(const struct conf *conf, struct web_daemon **ret, struct err *err)
{
    struct web_daemon *daemon = mem_new0(struct web_daemon);
    int r;

    daemon->arena = arena_new();
    properties_show(conf, daemon->arena, &daemon->view);
    if ((r = web_settings_read(conf, &daemon->settings, err)) < 0 || (r = loop_new(&daemon->loop, err)) < 0 ||
        (r = loop_on_signal(daemon->loop, SIGTERM, on_stop, daemon, err)) < 0 ||
        (r = loop_on_signal(daemon->loop, SIGINT, on_stop, daemon, err)) < 0 ||
        (r = open_site(daemon, conf, err)) < 0) {
        (void)web_daemon_free(daemon);
        return r;
    }
    *ret = daemon;
    return 0;
}

static const char *note_on_users(enum web_auth auth)
{
    if (auth == WEB_AUTH_NONE)
        return "; users are not authenticated, and may only read";
    return auth == WEB_AUTH_SIMPLE ? "; REST believes the name of a user (user.name) from trusted addresses"
                                   : "";
}

static void warn_of_certificate(const struct web_daemon *daemon)
{
    int64_t expires_ms = daemon->view.certificate_expires_ms;
    char at[TEXT_SIZE_MAX];

    if (certificate_ends_soon(expires_ms, loop_now_ms()))
        log_line(LOG_LEVEL_WARN, "the certificate of %s %s at %s: replace it, and restart creel-web",
                 conf_key_info(CONF_WEB_TLS_CERTIFICATE)->name,
                 expires_ms <= loop_now_ms() ? "expired" : "expires", text_format_utc(expires_ms, at));
}

void web_daemon_run(struct web_daemon *daemon)
{
    log_line(LOG_LEVEL_INFO, "ready: serves the pages of the resource manager at %s on port %d%s%s",
             daemon->settings.rm.addresses[0], http_server_port(daemon->server),
             daemon->settings.tls.certificate != NULL ? " with TLS" : "",
             note_on_users(daemon->settings.auth));
    if (daemon->settings.open_to != NULL)
        log_line(LOG_LEVEL_WARN, "%s", daemon->settings.open_to);
    warn_of_certificate(daemon);
    log_notify("READY=1");
    loop_run(daemon->loop);
}

bool web_daemon_free(struct web_daemon *daemon)
{
    bool ended;

    if (daemon == NULL)
        return true;
    http_server_free(daemon->server);
    upstream_free(daemon->upstream);
    tokens_free(daemon->tokens);
    passwords_free(daemon->passwords);
    agents_free(daemon->agents);
    certificates_free(daemon->certificates);
    ended = own_key_free(daemon->own_key_files);
    feed_free(daemon->feed);
    web_model_free(daemon->model);
    metrics_feed_free(daemon->metrics_feed);
    metrics_copy_free(daemon->metrics);
    traffic_free(daemon->traffic);
    loop_free(daemon->loop);
    web_settings_done(&daemon->settings);
    arena_free(daemon->arena);
    free(daemon);
    return ended;
}
