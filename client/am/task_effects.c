/* SPDX-License-Identifier: Apache-2.0 */
/* task_effects.c - effects of a step of the task master, and the meaning of exit statuses */
#include "client/am/task_book.h"
#include "common/base/job/exit_status.h"
#include "common/base/mem.h"

void task_effects_init(struct task_effects *effects)
{
    *effects = (struct task_effects){ .arena = arena_new() };
}

void task_effects_reset(struct task_effects *effects)
{
    effects->count = 0;
    arena_reset(effects->arena);
}

void task_effects_done(struct task_effects *effects)
{
    free(effects->items);
    arena_free(effects->arena);
    *effects = (struct task_effects){ .count = 0 };
}

static struct task_effect *add(struct task_effects *effects, enum task_effect_kind kind)
{
    struct task_effect *effect;

    mem_grow(effects->items, effects->count, effects->capacity);
    effect = &effects->items[effects->count++];
    *effect = (struct task_effect){ .kind = kind };
    return effect;
}

void effect_send_rm(struct task_effects *effects, Creel__Envelope *envelope)
{
    add(effects, TASK_SEND_RM)->envelope = envelope;
}

void effect_send_agent(struct task_effects *effects, const char *address, const char *agent_key,
                       Creel__Envelope *envelope)
{
    struct task_effect *effect = add(effects, TASK_SEND_AGENT);

    effect->address = arena_strdup(effects->arena, address);
    effect->agent_key = arena_strdup(effects->arena, agent_key);
    effect->envelope = envelope;
}

static const char *copy_text(struct arena *arena, const char *text)
{
    return arena_strdup(arena, text ? text : "");
}

void effect_event(struct task_effects *effects, const struct task_event *event)
{
    struct task_effect *effect = add(effects, TASK_EVENT);
    struct arena *arena = effects->arena;

    effect->event = *event;
    effect->event.container_id = copy_text(arena, event->container_id);
    effect->event.node_id = copy_text(arena, event->node_id);
    effect->event.node_address = copy_text(arena, event->node_address);
    effect->event.agent_key = copy_text(arena, event->agent_key);
    effect->event.diagnostics = copy_text(arena, event->diagnostics);
    if (event->token.len)
        effect->event.token.data = arena_dup(arena, event->token.data, event->token.len);
}

void effect_finished(struct task_effects *effects, int exit_status, const char *diagnostics)
{
    struct task_effect *effect = add(effects, TASK_DONE);

    effect->exit_status = exit_status;
    effect->diagnostics = copy_text(effects->arena, diagnostics);
}

/* --- exit statuses of tasks ------------------------------------------------- */

int task_exit_code(int yarn_status)
{
    if (yarn_status >= 0 && yarn_status <= 255)
        return yarn_status;
    switch (yarn_status) {
    case CONTAINER_EXIT_VIRTUAL:
    case CONTAINER_EXIT_PHYSICAL:
        return 137;
    case CONTAINER_EXIT_NOT_STARTED:
        return 127;
    case CONTAINER_EXIT_BY_AM:
    case CONTAINER_EXIT_BY_RM:
    case CONTAINER_EXIT_APP_OVER:
        return 143;
    default:
        return 1;
    }
}
