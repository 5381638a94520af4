/* SPDX-License-Identifier: Apache-2.0 */
/* job_rows.c - holds, dependencies and arrays as messages */
#include "rm/master/copy.h"
#include "rm/master/job_rows.h"

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
        messages[i]->condition = rm_message_text(arena, depends_word(dependency->on));
        messages[i]->state = (Creel__DependencyState)dependency->state;
        messages[i]->reason = rm_message_text(arena, dependency->why);
    }
    return messages;
}

void rm_array_put(struct arena *arena, const struct app *app, Creel__StoredApp *row)
{
    scoped_free uint8_t *packed = NULL;
    char id[ID_TEXT_MAX];

    if (app->array_id.seq > 0) {
        app_id_format(&app->array_id, id);
        row->array_id = rm_message_text(arena, id);
        row->array_index = app->array_index;
    }
    if (app->array == NULL)
        return;
    packed = array_states_pack(&app->array->states, &row->array_states.len);
    row->array_states.data = arena_dup(arena, packed, row->array_states.len);
    row->array_at_once = app->array->at_once;
    row->array_exit_status = app->array->exit_status;
    row->array_killed = app->array->killed;
}
