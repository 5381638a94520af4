/* SPDX-License-Identifier: Apache-2.0 */
/* deferred.c - what the agent writes to its state directory when that answers again */
#include "nm-agent/net/deferred.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/io/loop/log.h"
#include "nm-agent/linux/runtime.h"

struct deferred_write {
    STAILQ_ENTRY(deferred_write) link;
    char *container_id; /* owned */
    void *data;         /* owned; a record; NULL: an acknowledgement */
    size_t size;
};

static void write_free(struct deferred_write *write)
{
    free(write->container_id);
    free(write->data);
    free(write);
}

static void add(struct deferred *deferred, const char *container_id, const void *data, size_t size)
{
    struct deferred_write *write = mem_new0(struct deferred_write);

    write->container_id = mem_strdup(container_id);
    write->data = data != NULL ? mem_dup(data, size) : NULL;
    write->size = size;
    STAILQ_INSERT_TAIL(deferred, write, link);
}

void deferred_add_record(struct deferred *deferred, const char *container_id, const void *data, size_t size)
{
    struct deferred_write *write;

    STAILQ_FOREACH(write, deferred, link)
        if (write->data != NULL && strcmp(write->container_id, container_id) == 0)
            break;
    if (write != NULL) {
        STAILQ_REMOVE(deferred, write, deferred_write, link);
        write_free(write);
    }
    add(deferred, container_id, data, size);
}

void deferred_add_acknowledgement(struct deferred *deferred, const char *container_id)
{
    add(deferred, container_id, NULL, 0);
}

bool deferred_write_all(struct deferred *deferred, struct runtime *runtime)
{
    struct deferred_write *write;
    struct err err = { 0 };

    while (runtime_state_answers(runtime, &err)) {
        if ((write = STAILQ_FIRST(deferred)) == NULL)
            return true;
        STAILQ_REMOVE_HEAD(deferred, link);
        if (write->data == NULL)
            runtime_acknowledge(runtime, write->container_id);
        else if (runtime_save(runtime, write->container_id, write->data, write->size, &err) < 0)
            log_line(LOG_LEVEL_ERROR, "%s", err.text);
        write_free(write);
    }
    return false;
}

void deferred_clear(struct deferred *deferred)
{
    struct deferred_write *write;

    while ((write = STAILQ_FIRST(deferred)) != NULL) {
        STAILQ_REMOVE_HEAD(deferred, link);
        write_free(write);
    }
}
