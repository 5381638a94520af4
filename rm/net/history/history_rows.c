/* SPDX-License-Identifier: Apache-2.0 */
/* history_rows.c - makes rows of the history from rows of the state */
#include "rm/net/history/history_rows.h"

#include <stdlib.h>

#include "common/base/arena.h"
#include "common/base/mem.h"
#include "rm/master/master.h"

static void add(struct history_rows *rows, enum job_history_kind kind, const ProtobufCMessage *message)
{
    size_t size = protobuf_c_message_get_packed_size(message);
    uint8_t *packed = mem_alloc(size + 1);

    protobuf_c_message_pack(message, packed);
    mem_grow(rows->rows, rows->count, rows->capacity);
    rows->rows[rows->count++] = (struct job_history_row){ kind, size, packed };
    rows->bytes += size;
}

void history_rows_clear(struct history_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        free((void *)(uintptr_t)rows->rows[i].packed);
    free(rows->rows);
    *rows = (struct history_rows){ 0 };
}

bool history_rows_has_app(const Creel__StoredApp *app)
{
    return app->finished_ms != 0 && app->state >= CREEL__APP_STATE__APP_FINISHED;
}

bool history_rows_has_container(const Creel__ContainerReport *container)
{
    return container->state == CREEL__CONTAINER_STATE__CONTAINER_COMPLETE;
}

void history_rows_add_app(struct history_rows *rows, const Creel__StoredApp *app)
{
    struct arena *arena = arena_new();
    Creel__AppReport *report = master_row_report(arena, app, HISTORY_COMMAND_MAX, HISTORY_DEPENDENCIES_MAX);

    report->version = 1;
    if (*report->array != '\0') /* sums over the history have its tasks */
        report->memory_mb_seconds = report->vcore_seconds = 0;
    report->from_history = true;
    add(rows, JOB_HISTORY_APP, &report->base);
    arena_free(arena);
}

void history_rows_add_container(struct history_rows *rows, const Creel__ContainerReport *container)
{
    add(rows, JOB_HISTORY_CONTAINER, &container->base);
}
