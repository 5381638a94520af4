/* SPDX-License-Identifier: Apache-2.0 */
/* describe.c - formats a message as one line, for the log of a seed (-v) */
#include "sim/world/describe.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/io/wire/wire.h"

struct line {
    char *text;
    size_t used, size;
};

static void add(struct line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct line *line, const char *format, ...)
{
    va_list args;
    int length;

    if (line->used >= line->size)
        return;
    va_start(args, format);
    length = vsnprintf(line->text + line->used, line->size - line->used, format, args);
    va_end(args);
    line->used += length > 0 ? (size_t)length : 0;
}

/* Shortens "container_e01_1700000000000_0004_03_000005" to "e01_0004_03_000005". */
static const char *short_id(const char *id)
{
    const char *numbers = strstr(id, "1700000000000_");

    return numbers ? numbers + strlen("1700000000000_") : id;
}

static void add_statuses(struct line *line, Creel__ContainerStatus *const *statuses, size_t count)
{
    for (size_t i = 0; i < count; i++)
        add(line, " %s:%d/%d", short_id(statuses[i]->container_id), (int)statuses[i]->state,
            (int)statuses[i]->exit_status);
}

static void add_orders(struct line *line, const Creel__NodeOrders *orders)
{
    if (orders == NULL)
        return;
    for (size_t i = 0; i < orders->n_start; i++)
        add(line, " start %s", short_id(orders->start[i]->grant->container_id));
    for (size_t i = 0; i < orders->n_stop; i++)
        add(line, " stop %s", short_id(orders->stop[i]->container_id));
    for (size_t i = 0; i < orders->n_finished_apps; i++)
        add(line, " finished %s", short_id(orders->finished_apps[i]));
}

static void add_allocate(struct line *line, const Creel__Allocate *body)
{
    add(line, " #%" PRIu64, body->response_id);
    for (size_t i = 0; i < body->n_asks; i++)
        add(line, " ask %u", body->asks[i]->count);
    for (size_t i = 0; i < body->n_releases; i++)
        add(line, " release %s", short_id(body->releases[i]));
}

static void add_allocate_reply(struct line *line, const Creel__AllocateReply *body)
{
    add(line, " #%" PRIu64 " action %d", body->response_id, (int)body->action);
    for (size_t i = 0; i < body->n_allocated; i++)
        add(line, " allocated %s", short_id(body->allocated[i]->container_id));
    add_statuses(line, body->completed, body->n_completed);
}

const char *describe_envelope(const Creel__Envelope *envelope, char *text, size_t size)
{
    struct line line = { text, 0, size };

    add(&line, "%s", wire_body_name(envelope->body_case));
    switch (envelope->body_case) {
    case CREEL__ENVELOPE__BODY_REGISTER_NODE:
        add_statuses(&line, envelope->register_node->containers, envelope->register_node->n_containers);
        break;
    case CREEL__ENVELOPE__BODY_REGISTER_CONTAINERS:
        add(&line, " after %s", short_id(envelope->register_containers->after));
        add_statuses(&line, envelope->register_containers->containers,
                     envelope->register_containers->n_containers);
        break;
    case CREEL__ENVELOPE__BODY_REGISTER_CONTAINERS_REPLY:
        add(&line, " after %s", short_id(envelope->register_containers_reply->after));
        break;
    case CREEL__ENVELOPE__BODY_HEARTBEAT:
        add(&line, " %s #%" PRIu64, envelope->heartbeat->node_id, envelope->heartbeat->seq);
        add_statuses(&line, envelope->heartbeat->containers, envelope->heartbeat->n_containers);
        break;
    case CREEL__ENVELOPE__BODY_HEARTBEAT_REPLY:
        add(&line, " action %d acked %" PRIu64, (int)envelope->heartbeat_reply->action,
            envelope->heartbeat_reply->acked_seq);
        add_orders(&line, envelope->heartbeat_reply->orders);
        break;
    case CREEL__ENVELOPE__BODY_NODE_ORDERS:
        add_orders(&line, envelope->node_orders);
        break;
    case CREEL__ENVELOPE__BODY_ALLOCATE:
        add_allocate(&line, envelope->allocate);
        break;
    case CREEL__ENVELOPE__BODY_ALLOCATE_REPLY:
        add_allocate_reply(&line, envelope->allocate_reply);
        break;
    case CREEL__ENVELOPE__BODY_REGISTER_AM_REPLY:
        add_statuses(&line, envelope->register_am_reply->completed, envelope->register_am_reply->n_completed);
        for (size_t i = 0; i < envelope->register_am_reply->n_running; i++)
            add(&line, " running %s", short_id(envelope->register_am_reply->running[i]->container_id));
        break;
    case CREEL__ENVELOPE__BODY_ERROR:
        add(&line, " %d: %s", (int)envelope->error->code, envelope->error->message);
        break;
    default:
        break;
    }
    return text;
}

int describe_task(const char *const *environment)
{
    static const char name[] = "CREEL_TASK_INDEX=";

    for (size_t i = 0; environment[i]; i++)
        if (strncmp(environment[i], name, sizeof(name) - 1) == 0)
            return (int)strtol(environment[i] + sizeof(name) - 1, NULL, 10);
    return -1;
}

static const char *value_of(const char *const *environment, const char *name)
{
    size_t length = strlen(name);

    for (size_t i = 0; environment[i]; i++)
        if (strncmp(environment[i], name, length) == 0 && environment[i][length] == '=')
            return environment[i] + length + 1;
    return NULL;
}

bool describe_array_task(const char *const *environment, char *text, size_t size)
{
    const char *array = value_of(environment, "CREEL_ARRAY_JOB_ID");
    const char *index = value_of(environment, "CREEL_ARRAY_TASK_ID");

    if (array == NULL || index == NULL)
        return false;
    snprintf(text, size, "%s_%s", array, index);
    return true;
}
