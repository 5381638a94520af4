/* SPDX-License-Identifier: Apache-2.0 */
/* web_service.c - starts creel-nm-web, and answers its queries */
#include "nm-agent/net/web_service.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "common/base/certificate_time.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/conf/pem.h"
#include "common/io/server/gateway_process.h"
#include "common/io/server/listener.h"
#include "common/io/wire/endpoint.h"
#include "nm-agent/net/daemon.h"
#include "nm-agent/net/web_snapshot.h"
#include "nm-agent/web/frame.h"

#define SNAPSHOT_AGE_MS 1000
#define QUEUE_MAX ((size_t)1 << 20) /* bytes queued for creel-nm-web above which its queries wait */
#define QUEUE_LOOK_MS 20            /* interval of checks whether the queue is still too long */
#define OPEN_FIRST_MS 1000          /* delay of the second attempt to open the port, doubled each time */
#define OPEN_MAX_MS 60000
#define WARN_MS 86400000 /* between two warnings of a certificate that expires */

static const struct gateway_program program = {
    .name = "creel-nm-web",
    .variable = "CREEL_NM_WEB",
    .label = "creel-nm-web",
    .descriptors_max = 1024,
    .memory_max_bytes = (uint64_t)256 << 20,
};

struct query {
    uint64_t number;
    Creel__Envelope *log; /* owned: a ReadLog; NULL: the query is for the state */
};

struct web_service {
    struct daemon *daemon;
    struct gateway_process *process;
    int listen_fd;
    char *address;
    char *certificate, *key; /* PEM; NULL: without TLS */
    uint8_t *snapshot;       /* packed; NULL: none yet */
    size_t snapshot_size;
    int64_t snapshot_ms;            /* steady clock */
    int64_t certificate_expires_ms; /* since 1970; 0: there is none */
    int64_t warned_ms;              /* when the log warned of it last; 0: never */
    struct log_limit notes;
    struct query queries[NODE_WEB_QUERIES_MAX]; /* ring of the unanswered queries */
    unsigned first, count;
    int timer;        /* of the next answer */
    int open_timer;   /* of the next attempt to open the port */
    int64_t delay_ms; /* delay of the attempt after that */
};

/* --- answers ----------------------------------------------------------------- */

static void refresh(struct web_service *service)
{
    int64_t now_ms = loop_monotonic_ms();

    if (service->snapshot != NULL && now_ms - service->snapshot_ms < SNAPSHOT_AGE_MS)
        return;
    free(service->snapshot);
    service->snapshot = web_snapshot_pack(service->daemon, &service->snapshot_size);
    service->snapshot_ms = now_ms;
}

static void answer_state(struct web_service *service, uint64_t number)
{
    const struct gateway_header header = { .type = NODE_WEB_STATE, .connection = number };

    refresh(service);
    gateway_process_put(service->process, header, service->snapshot, service->snapshot_size, -1);
}

/* This interface does not authenticate users, so it can serve logs only to all users or to none. */
static int judge(const struct daemon *daemon, struct err *err)
{
    const char *auth = conf_text(daemon->conf, CONF_WEB_AUTH);

    if (conf_bool(daemon->conf, CONF_ACL_ENABLE))
        return err_set(
            err, EACCES,
            "%s is true, and users are not authenticated here: read the log with creel logs, or in "
            "the pages of creel-web",
            conf_key_info(CONF_ACL_ENABLE)->name);
    if (strcasecmp(auth, "none") == 0 || strcasecmp(auth, "simple") == 0)
        return 0;
    return err_set(err, EACCES,
                   "%s is %s, and users are not authenticated here: read the log with creel logs, or in the "
                   "pages of creel-web",
                   conf_key_info(CONF_WEB_AUTH)->name, auth);
}

static void answer_log(struct web_service *service, const struct query *query)
{
    const struct gateway_header header = { .type = NODE_WEB_LOG, .connection = query->number };
    scoped_free uint8_t *data = mem_alloc(WIRE_CHUNK_MAX), *bytes = NULL;
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__LogChunk chunk = CREEL__LOG_CHUNK__INIT;
    Creel__Error error = CREEL__ERROR__INIT;
    struct err err = { 0 };
    size_t size;
    int r = judge(service->daemon, &err);

    if (r == 0)
        r = log_service_piece(service->daemon, query->log->read_log, data, &chunk, &err);
    if (r == 0) {
        envelope.body_case = CREEL__ENVELOPE__BODY_LOG_CHUNK;
        envelope.log_chunk = &chunk;
    } else {
        error.code = wire_error_from_errno(r);
        error.message = err.text;
        envelope.body_case = CREEL__ENVELOPE__BODY_ERROR;
        envelope.error = &error;
    }
    wire_encode(&envelope, &bytes, &size);
    gateway_process_put(service->process, header, bytes, size, -1);
}

static void drop_first(struct web_service *service)
{
    wire_free(service->queries[service->first].log);
    service->queries[service->first].log = NULL;
    service->first = (service->first + 1) % NODE_WEB_QUERIES_MAX;
    service->count--;
}

static void answer_one(void *context)
{
    struct web_service *service = context;
    const struct query *query = &service->queries[service->first];
    int64_t delay_ms = 0;

    if (gateway_process_queued(service->process) > QUEUE_MAX) {
        delay_ms = QUEUE_LOOK_MS;
    } else {
        if (query->log != NULL)
            answer_log(service, query);
        else
            answer_state(service, query->number);
        drop_first(service);
    }
    service->timer =
        service->count > 0 ? loop_add_timer(service->daemon->loop, delay_ms, answer_one, service) : 0;
}

/* --- events of the process --------------------------------------------------- */

static void send_tls(struct web_service *service)
{
    size_t certificate = strlen(service->certificate) + 1, key = strlen(service->key) + 1;
    scoped_free char *bytes = mem_alloc(certificate + key);

    memcpy(bytes, service->certificate, certificate);
    memcpy(bytes + certificate, service->key, key);
    gateway_process_put(service->process, (struct gateway_header){ .type = NODE_WEB_TLS }, bytes,
                        certificate + key, -1);
    explicit_bzero(bytes, certificate + key);
}

static void on_started(void *context, unsigned number)
{
    struct web_service *service = context;

    (void)number;
    if (service->key != NULL)
        send_tls(service);
    gateway_process_put(service->process, (struct gateway_header){ .type = GATEWAY_LISTEN }, NULL, 0,
                        service->listen_fd);
}

/* Returns the ReadLog in BYTES; NULL: there is none. */
static Creel__Envelope *read_log_query(const uint8_t *bytes, size_t size)
{
    Creel__Envelope *envelope = NULL;

    if (size > NODE_WEB_QUERY_MAX || wire_decode(bytes, size, &envelope, NULL, NULL) < 0)
        return NULL;
    if (envelope->body_case == CREEL__ENVELOPE__BODY_READ_LOG)
        return envelope;
    wire_free(envelope);
    return NULL;
}

static bool note(struct web_service *service, const struct gateway_header *header, const uint8_t *line)
{
    char more[LOG_MORE_MAX];

    if (log_limit_pass(&service->notes, more))
        log_line(LOG_LEVEL_WARN, "REST interface: %.*s%s", (int)header->size, (const char *)line, more);
    return true;
}

static bool note_certificate(struct web_service *service, const struct gateway_header *header,
                             const uint8_t *payload)
{
    int64_t dates_ms[2]; /* end and begin */

    if (header->size != sizeof(dates_ms))
        return false;
    memcpy(dates_ms, payload, sizeof(dates_ms));
    service->certificate_expires_ms = dates_ms[0];
    service->daemon->certificate_begins_ms = dates_ms[1];
    agent_certificate_is(service->daemon->agent, service->certificate_expires_ms);
    web_service_warn(service);
    return true;
}

static bool on_frame(void *context, unsigned number, const struct gateway_header *header,
                     const uint8_t *payload)
{
    struct web_service *service = context;
    struct query query = { .number = header->connection };

    (void)number;
    if (header->type == NODE_WEB_NOTE && header->size <= NODE_WEB_NOTE_MAX)
        return note(service, header, payload);
    if (header->type == NODE_WEB_CERTIFICATE)
        return note_certificate(service, header, payload);
    if (service->count == NODE_WEB_QUERIES_MAX)
        return false;
    if (header->type == NODE_WEB_ASK_LOG)
        query.log = read_log_query(payload, header->size);
    if (query.log == NULL && (header->type != NODE_WEB_ASK_STATE || header->size != 0))
        return false;
    service->queries[(service->first + service->count++) % NODE_WEB_QUERIES_MAX] = query;
    if (service->timer == 0)
        service->timer = loop_add_timer(service->daemon->loop, 0, answer_one, service);
    return true;
}

static void drop_queries(struct web_service *service)
{
    while (service->count > 0)
        drop_first(service);
    loop_cancel_timer(service->daemon->loop, service->timer);
    service->timer = 0;
}

static void on_ended(void *context, unsigned number, int64_t hung_ms)
{
    struct web_service *service = context;

    (void)number;
    (void)hung_ms;
    service->daemon->web_deaths++;
    drop_queries(service);
}

/* --- creation and destruction ------------------------------------------------ */

/* Reads certificate and key, if the port is for HTTPS. */
static int read_tls(struct web_service *service, struct err *err)
{
    const struct conf *conf = service->daemon->conf;
    int r = 0;

    if (!service->daemon->settings.web_secure)
        return 0;
    if (service->certificate == NULL)
        r = conf_read_pem(conf, CONF_WEB_TLS_CERTIFICATE, "-----BEGIN CERTIFICATE-----",
                          &service->certificate, err);
    if (r == 0 && service->key == NULL)
        r = conf_read_pem(conf, CONF_WEB_TLS_KEY, "PRIVATE KEY-----", &service->key, err);
    return r;
}

static int open_service(struct web_service *service, struct err *err)
{
    static const struct gateway_events events = { on_started, on_frame, on_ended };
    const struct settings *settings = &service->daemon->settings;
    const struct gateway_limits limits = GATEWAY_LIMITS_DEFAULT;
    char text[ENDPOINT_TEXT_MAX];
    int port = 0, r = read_tls(service, err);

    if (r < 0)
        return r;
    service->listen_fd = listener_open(settings->web_address, &port, err);
    if (service->listen_fd < 0)
        return service->listen_fd;
    r = gateway_process_new(service->daemon->loop, &program, 0, &limits, &events, service, &service->process,
                            err);
    if (r < 0) {
        mem_close_fd(&service->listen_fd);
        service->listen_fd = -1;
        return r;
    }
    service->address = mem_strdup(endpoint_format(settings->host, port, text));
    log_line(LOG_LEVEL_INFO, "REST interface of this node: %s://%s/ws/v1/node",
             settings->web_secure ? "https" : "http", service->address);
    return 0;
}

static void open_again(void *context);

static void plan_opening(struct web_service *service)
{
    service->open_timer = loop_add_timer(service->daemon->loop, service->delay_ms, open_again, service);
    service->delay_ms = service->delay_ms * 2 < OPEN_MAX_MS ? service->delay_ms * 2 : OPEN_MAX_MS;
}

static void open_again(void *context)
{
    struct web_service *service = context;
    struct err err = { 0 };

    service->open_timer = 0;
    if (open_service(service, &err) < 0)
        plan_opening(service);
    else
        agent_on_http_address(service->daemon->agent, daemon_now(), service->address,
                              &service->daemon->effects);
}

static void warn_of_log_servers(const struct daemon *daemon)
{
    static const enum conf_key keys[] = { CONF_LOG_SERVER_URL, CONF_LOG_SERVER_REST_URL };
    const char *url;

    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
        struct err err = { 0 };

        if (log_server_read(daemon->conf, keys[i], &url, &err) < 0)
            log_line(LOG_LEVEL_WARN, "%s", err.text);
    }
}

struct web_service *web_service_new(struct daemon *daemon)
{
    struct web_service *service;
    struct err err = { 0 };

    if (daemon->settings.web_address == NULL)
        return NULL;
    warn_of_log_servers(daemon);
    service = mem_new0(struct web_service);
    service->daemon = daemon;
    service->listen_fd = -1;
    service->delay_ms = OPEN_FIRST_MS;
    if (open_service(service, &err) < 0) {
        log_line(LOG_LEVEL_ERROR, "%s: %s; tried again until this node has its REST interface",
                 conf_key_info(daemon->settings.web_secure ? CONF_NM_WEB_HTTPS_ADDRESS : CONF_NM_WEB_ADDRESS)
                     ->name,
                 err.text);
        plan_opening(service);
    }
    return service;
}

void web_service_warn(struct web_service *service)
{
    int64_t now_ms = loop_now_ms();
    char at[TEXT_SIZE_MAX];

    if (service == NULL || !certificate_ends_soon(service->certificate_expires_ms, now_ms) ||
        (service->warned_ms != 0 && now_ms - service->warned_ms < WARN_MS))
        return;
    service->warned_ms = now_ms;
    log_line(LOG_LEVEL_WARN, "the certificate of %s %s at %s: replace it, and restart creel-nm",
             conf_key_info(CONF_WEB_TLS_CERTIFICATE)->name,
             service->certificate_expires_ms <= now_ms ? "expired" : "expires",
             text_format_utc(service->certificate_expires_ms, at));
}

void web_service_free(struct web_service *service)
{
    if (service == NULL)
        return;
    loop_cancel_timer(service->daemon->loop, service->open_timer);
    drop_queries(service);
    gateway_process_free(service->process);
    if (service->listen_fd >= 0)
        close(service->listen_fd);
    free(service->address);
    free(service->certificate);
    conf_free_secret(service->key);
    free(service->snapshot);
    free(service);
}

const char *web_service_address(const struct web_service *service)
{
    return service != NULL && service->address != NULL ? service->address : "";
}
