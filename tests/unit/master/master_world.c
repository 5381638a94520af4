/* SPDX-License-Identifier: Apache-2.0 */
/* master_world.c - fixture: the small cluster that most tests of the resource manager's core start from */
#include "tests/unit/master/master_world.h"

#include <string.h>

void world_begin(struct world *w, void (*configure)(struct master_config *config))
{
    memset(w, 0, sizeof(*w));
    harness_init(&w->h);
    if (configure != NULL)
        configure(&w->h.config);
    harness_start(&w->h);
    agent_init(&w->a, "n1:8041", 4096, 4);
    agent_init(&w->b, "n2:8041", 4096, 4);
    agent_register(&w->h, &w->a);
}

void world_end(struct world *w)
{
    agent_done(&w->a);
    agent_done(&w->b);
    harness_done(&w->h);
}

int world_set_up_with(void **state, void (*configure)(struct master_config *config))
{
    static struct world world;

    world_begin(&world, configure);
    *state = &world;
    return 0;
}

int world_set_up(void **state)
{
    return world_set_up_with(state, NULL);
}

int world_tear_down(void **state)
{
    world_end(*state);
    return 0;
}

void world_settle(struct world *w)
{
    for (int i = 0; i < 4; i++) {
        harness_tick(&w->h, 1);
        agent_listen(&w->h, &w->a);
        agent_heartbeat(&w->h, &w->a);
    }
}
