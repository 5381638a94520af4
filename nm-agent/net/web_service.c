/* SPDX-License-Identifier: Apache-2.0 */
/* web_service.c - starts creel-nm-web, and answers its queries */
#include "nm-agent/net/web_service.h"

#include <stdlib.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/io/endpoint.h"
#include "common/io/gateway_process.h"
#include "common/io/listener.h"
#include "nm-agent/net/daemon.h"
#include "nm-agent/net/web_snapshot.h"
#include "nm-agent/web/frame.h"

#define SNAPSHOT_AGE_MS 1000
#define QUEUE_MAX ((size_t)1 << 20) /* bytes for creel-nm-web above which its queries wait */
#define QUEUE_LOOK_MS 20            /* interval of looks at a queue that is too long */

static const struct gateway_program program = {
    .name = "creel-nm-web",
    .variable = "CREEL_NM_WEB",
    .label = "creel-nm-web",
    .descriptors_max = 1024,
    .memory_max = (uint64_t)256 << 20,
};

struct web_service {
    struct daemon *daemon;
    struct gateway_process *process;
    int listen_fd;
    char *address;
    uint8_t *snapshot; /* packed; NULL: none yet */
    size_t snapshot_size;
    int64_t snapshot_ms;                    /* steady clock */
    uint64_t queries[NODE_WEB_QUERIES_MAX]; /* ring of the unanswered queries */
    unsigned first, count;
    int timer; /* of the next answer */
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

static void answer_one(void *context)
{
    struct web_service *service = context;
    struct gateway_header header = { .type = NODE_WEB_STATE };
    int64_t delay_ms = 0;

    if (gateway_process_queued(service->process) > QUEUE_MAX) {
        delay_ms = QUEUE_LOOK_MS;
    } else {
        refresh(service);
        header.connection = service->queries[service->first];
        service->first = (service->first + 1) % NODE_WEB_QUERIES_MAX;
        service->count--;
        gateway_process_put(service->process, header, service->snapshot, service->snapshot_size, -1);
    }
    service->timer =
        service->count > 0 ? loop_add_timer(service->daemon->loop, delay_ms, answer_one, service) : 0;
}

/* --- events of the process --------------------------------------------------- */

static void on_started(void *context, unsigned number)
{
    struct web_service *service = context;

    (void)number;
    gateway_process_put(service->process, (struct gateway_header){ .type = GATEWAY_LISTEN }, NULL, 0,
                        service->listen_fd);
}

static bool on_frame(void *context, unsigned number, const struct gateway_header *header,
                     const uint8_t *payload)
{
    struct web_service *service = context;

    (void)number;
    (void)payload;
    if (header->type != NODE_WEB_ASK_STATE || header->size != 0 || service->count == NODE_WEB_QUERIES_MAX)
        return false;
    service->queries[(service->first + service->count++) % NODE_WEB_QUERIES_MAX] = header->connection;
    if (service->timer == 0)
        service->timer = loop_add_timer(service->daemon->loop, 0, answer_one, service);
    return true;
}

static void on_ended(void *context, unsigned number)
{
    struct web_service *service = context;

    (void)number;
    service->count = 0;
    loop_cancel_timer(service->daemon->loop, service->timer);
    service->timer = 0;
}

/* --- creation and destruction ------------------------------------------------ */

static int open_service(struct web_service *service, struct err *err)
{
    static const struct gateway_events events = { on_started, on_frame, on_ended };
    const struct settings *settings = &service->daemon->settings;
    const struct gateway_limits limits = GATEWAY_LIMITS_DEFAULT;
    char text[ENDPOINT_TEXT_MAX];
    int port = 0;

    service->listen_fd = listener_open(settings->web_address, &port, err);
    if (service->listen_fd < 0)
        return service->listen_fd;
    service->address = mem_strdup(endpoint_format(settings->host, port, text));
    return gateway_process_new(service->daemon->loop, &program, 0, &limits, &events, service,
                               &service->process, err);
}

struct web_service *web_service_new(struct daemon *daemon)
{
    const char *key = conf_key_info(CONF_NM_WEB_ADDRESS)->name;
    struct web_service *service;
    struct err err = { 0 };

    if (daemon->settings.web_address == NULL)
        return NULL;
    service = mem_new0(struct web_service);
    service->daemon = daemon;
    if (open_service(service, &err) == 0) {
        log_line(LOG_LEVEL_INFO, "REST interface of this node: http://%s/ws/v1/node", service->address);
        return service;
    }
    log_line(LOG_LEVEL_ERROR, "%s: %s; this node has no REST interface until its agent is started again", key,
             err.text);
    web_service_free(service);
    return NULL;
}

void web_service_free(struct web_service *service)
{
    if (service == NULL)
        return;
    loop_cancel_timer(service->daemon->loop, service->timer);
    gateway_process_free(service->process);
    if (service->listen_fd >= 0)
        close(service->listen_fd);
    free(service->address);
    free(service->snapshot);
    free(service);
}

const char *web_service_address(const struct web_service *service)
{
    return service != NULL ? service->address : "";
}
