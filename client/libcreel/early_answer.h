/* SPDX-License-Identifier: Apache-2.0 */
/*
 * early_answer.h - the pause before a request that waits for a change is sent again, if its answer came early
 *
 * A resource manager and an agent answer such a request before its time, and without a change, if too many
 * requests of the user wait (rm/master/state/wait_pool.h, nm-agent/net/log_waits.h). A client that repeated
 * it at
 * once would send requests without a pause. The pause doubles with each early answer; any other answer ends
 * that. A pause ends when the answered request would have ended, so nothing is seen later than without it.
 * Clocks differ: that of the resource manager may be a tenth faster for a while (rm/net/parts/clock.h), so an
 * answer in the last eighth of its time is not early.
 */
#ifndef CREEL_LIBCREEL_EARLY_ANSWER_H
#define CREEL_LIBCREEL_EARLY_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

#define EARLY_PAUSE_FIRST_MS 200
#define EARLY_PAUSE_MOST_MS 5000

struct early_answers {
    int64_t pause_ms; /* the last pause; 0: the last answer was not early */
};

/* Returns the pause after an answer that came WAITED_MS after a request which may wait WAIT_MS; 0: none.
 * NEWS: the answer has what the request waits for. */
static inline int64_t early_answer_pause(struct early_answers *early, bool news, int64_t waited_ms,
                                         int64_t wait_ms)
{
    if (news || waited_ms >= wait_ms - wait_ms / 8)
        early->pause_ms = 0;
    else if (early->pause_ms == 0)
        early->pause_ms = EARLY_PAUSE_FIRST_MS;
    else if (early->pause_ms < EARLY_PAUSE_MOST_MS / 2)
        early->pause_ms *= 2;
    else
        early->pause_ms = EARLY_PAUSE_MOST_MS;
    if (early->pause_ms == 0)
        return 0;
    return early->pause_ms < wait_ms - waited_ms ? early->pause_ms : wait_ms - waited_ms;
}

#endif
