/* SPDX-License-Identifier: Apache-2.0 */
/* am_state.c - what the next attempt of an application learns about the work of the earlier ones */
#include "rm/master/state/am_state.h"

#include <errno.h>
#include <string.h>

#include "common/base/job/am_state.h"

int rm_am_state_judge(const Creel__AmState *state, struct err *err)
{
    if (state && state->data.len > AM_STATE_BYTES_MAX)
        return err_set(err, EMSGSIZE, "the state of its application master has %zu bytes, more than %zu",
                       state->data.len, AM_STATE_BYTES_MAX);
    return 0;
}

static void set_state(struct app *app, const uint8_t *data, size_t size)
{
    free(app->am_state);
    app->am_state = size > 0 ? mem_dup(data, size) : NULL;
    app->am_state_size = size;
    rm_account_measure(app);
}

bool rm_am_state_update(struct app *app, const Creel__AmState *state)
{
    if (state == NULL ||
        (state->data.len == app->am_state_size &&
         (state->data.len == 0 || memcmp(state->data.data, app->am_state, state->data.len) == 0)))
        return false;
    set_state(app, state->data.data, state->data.len);
    return true;
}

bool rm_am_state_drop(struct app *app)
{
    bool had = app->am_state != NULL;

    set_state(app, NULL, 0);
    return had;
}

ProtobufCBinaryData rm_am_state_message(struct arena *arena, const struct app *app)
{
    ProtobufCBinaryData message = { .len = app->am_state_size };

    if (message.len > 0)
        message.data = arena_dup(arena, app->am_state, message.len);
    return message;
}

bool rm_am_state_is_missed(const struct attempt *present, const struct container *container)
{
    const struct attempt *attempt = container->attempt;

    return present->app->job->kind == CREEL__APP_KIND__APP_TASKS && attempt != present &&
           container->state == CONTAINER_COMPLETED && container != attempt->am_container &&
           container->exit_status >= 0 && !container->stopped &&
           (container->end_sent == 0 || container->end_sent > attempt->confirmed_id);
}
