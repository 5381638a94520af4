/* SPDX-License-Identifier: Apache-2.0 */
/* starting.c - containers that their agents have begun to start, and that do not run yet */
#include "rm/master/nodes/starting.h"

#include "common/base/text_builder.h"
#include "rm/master/parts/format.h"
#include "rm/master/state.h"

void rm_starting_init(struct master *m)
{
    TAILQ_INIT(&m->starting);
}

void rm_starting_begin(struct master *m, struct container *container)
{
    if (container->starting_ms > 0)
        return;
    /* The start of a first container is ordered when it is allocated. This time outlives a restart. */
    container->starting_ms =
        container->is_am && container->allocated_ms > 0 ? container->allocated_ms : m->now_ms;
    TAILQ_INSERT_TAIL(&m->starting, container, in_starting);
}

void rm_starting_end(struct master *m, struct container *container)
{
    if (container->starting_ms == 0)
        return;
    container->starting_ms = 0;
    TAILQ_REMOVE(&m->starting, container, in_starting);
}

void rm_starting_shown(struct master *m, struct container *container)
{
    if (container->shown >= CREEL__CONTAINER_STATE__CONTAINER_RUNNING)
        rm_starting_end(m, container);
}

void rm_starting_find(const struct master *m, struct master_node_faults *ret)
{
    struct text_builder text = TEXT_BUILDER_IN(m->out->arena);
    const struct container *container;

    ret->starting = 0;
    TAILQ_FOREACH(container, &m->starting, in_starting) {
        if (m->now_ms - container->starting_ms < STARTING_SLOW_MS)
            break;
        if (++ret->starting > FORMAT_NAMES)
            continue;
        text_builder_separate(&text, "; ");
        text_builder_printf(&text, "%s on %s for %s", container->text, container->node->id,
                            format_duration(m->out->arena, m->now_ms - container->starting_ms));
    }
    ret->starting_text = format_names_end(&text, ret->starting);
}
