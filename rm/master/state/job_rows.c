/* SPDX-License-Identifier: Apache-2.0 */
/* job_rows.c - jobs, holds, dependencies and arrays as messages */
#include <string.h>

#include "common/base/text_builder.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/job_rows.h"

#define FAILED_RANGES_SHOWN 32 /* of indexes of failed tasks */

static size_t count_values(const ProtobufCMessage *message);

static size_t count_field(const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field)
{
    const void *member = (const uint8_t *)message + field->offset;
    const void *quantifier = (const uint8_t *)message + field->quantifier_offset;
    size_t count;

    if (field->label != PROTOBUF_C_LABEL_REPEATED) {
        bool is_other =
            (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) && *(const uint32_t *)quantifier != field->id;

        if (field->type != PROTOBUF_C_TYPE_MESSAGE || is_other || *(ProtobufCMessage *const *)member == NULL)
            return 0;
        return count_values(*(ProtobufCMessage *const *)member);
    }
    count = *(const size_t *)quantifier;
    if (field->type != PROTOBUF_C_TYPE_MESSAGE)
        return count;
    for (size_t i = 0, n = count; i < n; i++)
        count += count_values((*(ProtobufCMessage *const *const *)member)[i]);
    return count;
}

/* Returns the number of repeated values in MESSAGE. */
static size_t count_values(const ProtobufCMessage *message)
{
    const ProtobufCMessageDescriptor *type = message->descriptor;
    size_t count = 0;

    for (unsigned i = 0; i < type->n_fields; i++)
        count += count_field(message, &type->fields[i]);
    return count;
}

/* Each id in "ok:41,any:42:43" follows a colon (common/base/job/depends.h). */
size_t rm_job_bytes(const Creel__JobSpec *job)
{
    size_t dependencies = 0;

    for (const char *c = job->depends_on; *c != '\0'; c++)
        dependencies += *c == ':';
    return protobuf_c_message_get_packed_size(&job->base) + dependencies * JOB_DEPENDENCY_BYTES +
           count_values(&job->base) * JOB_VALUE_BYTES;
}

/* Packs the job of APP as a field of its row. */
static ProtobufCBinaryData pack_job(const struct app *app)
{
    Creel__StoredApp row = CREEL__STORED_APP__INIT;
    ProtobufCBinaryData packed;

    row.job = app->job;
    packed.len = creel__stored_app__get_packed_size(&row);
    packed.data = mem_alloc(packed.len);
    creel__stored_app__pack(&row, packed.data);
    return packed;
}

void rm_job_keep_packed(struct app *app)
{
    if (app->packed_job.data == NULL)
        app->packed_job = pack_job(app);
}

void rm_job_changed(struct app *app)
{
    free(app->packed_job.data);
    app->packed_job = (ProtobufCBinaryData){ .len = 0 };
}

bool rm_job_is_kept(const struct app *app)
{
    ProtobufCBinaryData packed = pack_job(app);
    bool is_equal =
        app->packed_job.data == NULL ||
        (packed.len == app->packed_job.len && memcmp(packed.data, app->packed_job.data, packed.len) == 0);

    free(packed.data);
    return is_equal;
}

Creel__Hold **rm_hold_messages(struct arena *arena, const struct app *app)
{
    Creel__Hold **messages = arena_array0(arena, app->hold_count + 1, sizeof(Creel__Hold *));

    for (size_t i = 0; i < app->hold_count; i++) {
        messages[i] = arena_new0(arena, Creel__Hold);
        creel__hold__init(messages[i]);
        messages[i]->by = rm_message_text(arena, app->holds[i].by);
        messages[i]->reason = rm_message_text(arena, app->holds[i].reason);
        messages[i]->administrator = app->holds[i].administrator;
        messages[i]->since_ms = app->holds[i].since_ms;
    }
    return messages;
}

Creel__Dependency **rm_depend_messages(struct arena *arena, const struct app *app)
{
    Creel__Dependency **messages;

    messages = arena_array0(arena, app->dependency_count + 1, sizeof(*messages));
    for (size_t i = 0; i < app->dependency_count; i++) {
        const struct dependency *dependency = &app->dependencies[i];
        char id[ID_TEXT_MAX] = "";

        messages[i] = arena_new0(arena, Creel__Dependency);
        creel__dependency__init(messages[i]);
        if (dependency->on != DEPENDS_SINGLETON)
            app_id_format(&dependency->id, id);
        messages[i]->app_id = rm_message_text(arena, id);
        messages[i]->is_of_task = dependency->is_of_task;
        messages[i]->task_index = dependency->task_index;
        messages[i]->condition = rm_message_text(arena, depends_word(dependency->on));
        messages[i]->state = (Creel__DependencyState)dependency->state;
        messages[i]->reason = rm_message_text(arena, dependency->why);
    }
    return messages;
}

/* Adds COUNT tasks of RANGE, of which the first has the index FIRST. */
static void add_run(struct text_builder *text, const struct array_range *range, uint32_t first,
                    uint32_t count)
{
    text_builder_separate(text, ",");
    text_builder_printf(text, "%u", first);
    if (count > 1)
        text_builder_printf(text, "-%u", first + (count - 1) * range->step);
    if (count > 1 && range->step > 1)
        text_builder_printf(text, ":%u", range->step);
}

/* Returns how many tasks from POSITION to END follow each other in states of the set STATES. */
static uint32_t run_length(const struct array_states *states, uint32_t position, uint32_t end, unsigned set)
{
    uint32_t count = 0;

    while (position + count < end && (1u << array_states_get(states, position + count) & set))
        count++;
    return count;
}

char *rm_array_tasks_in(struct arena *arena, const struct app *app, unsigned set, size_t most)
{
    const struct array_spec *spec = &app->array->spec;
    struct text_builder text = TEXT_BUILDER_IN(arena);
    size_t shown = 0;

    for (size_t i = 0; i < spec->range_count; i++) {
        const struct array_range *range = &spec->ranges[i];
        uint32_t end = i + 1 < spec->range_count ? range[1].position : spec->count;
        uint32_t at = range->position;

        while (at < end) {
            uint32_t count = run_length(&app->array->states, at, end, set);

            if (count == 0) {
                at++;
                continue;
            }
            if (shown++ == most) {
                text_builder_add(&text, ",...");
                return text_builder_finish(&text);
            }
            add_run(&text, range, range->first + (at - range->position) * range->step, count);
            at += count;
        }
    }
    return text_builder_finish(&text);
}

char *rm_array_failed_tasks(struct arena *arena, const struct app *app)
{
    if (app->array == NULL || app->array->states.counts[ARRAY_TASK_FAILED] == 0)
        return rm_message_text(arena, NULL);
    return rm_array_tasks_in(arena, app, 1u << ARRAY_TASK_FAILED, FAILED_RANGES_SHOWN);
}

static void put_use(const struct app *app, Creel__StoredApp *row)
{
    const struct usage_sum *sum = app->finished_ms != 0 ? &app->array->usage.before : &app->array->ended_use;

    row->array_memory_mb_seconds = sum->memory_mb_ms / 1000;
    row->array_vcore_seconds = sum->vcore_ms / 1000;
}

void rm_array_put(struct arena *arena, const struct app *app, Creel__StoredApp *row)
{
    char id[ID_TEXT_MAX];

    if (app->array_id.seq > 0) {
        app_id_format(&app->array_id, id);
        row->array_id = rm_message_text(arena, id);
        row->array_index = app->array_index;
    }
    if (app->array == NULL)
        return;
    row->array_at_once = app->array->at_once;
    put_use(app, row);
}

void rm_array_put_states(struct arena *arena, const struct app *app, Creel__StoredApp *row)
{
    scoped_free uint8_t *packed = NULL;

    if (app->array == NULL)
        return;
    packed = array_states_pack(&app->array->states, &row->array_states.len);
    row->array_states.data = arena_dup(arena, packed, row->array_states.len);
    row->array_exit_status = app->array->exit_status;
    row->array_killed = app->array->killed;
}
