/* SPDX-License-Identifier: Apache-2.0 */
/* storm_silence.c - nodes whose agents send no heartbeats for a while */
#include "sim/storm/storm_world.h"

enum { SILENCE_PERMILLE = 60 };

void storm_silence(struct storm *storm)
{
    int i;

    if (!rng_chance(&storm->silences, SILENCE_PERMILLE))
        return;
    i = (int)rng_below(&storm->silences, NODES);
    if (storm->nodes[i] == NULL)
        return;
    if (!storm->nodes[i]->silent) {
        storm_write(storm, "node%d is silent", i);
        sched_node_set_silent(storm->sched, storm->nodes[i], true);
        return;
    }
    storm_hear(storm, i);
    sched_node_heartbeat(storm->sched, storm->nodes[i], &storm->decisions);
    storm_absorb(storm);
}
