/* SPDX-License-Identifier: Apache-2.0 */
/*
 * grace.h - decides when a container is over, and which signals its processes get until then; pure
 *
 * A container is over when it has no process any more. Its processes get SIGTERM once, and SIGKILL when the
 * kill delay after it has passed:
 *   - in a stop, the agent has sent SIGTERM, and the order has the time of SIGKILL. The end of the command,
 *     which may be a shell that SIGTERM ended, changes nothing for the other processes;
 *   - when the command has ended by itself, what it left behind gets SIGTERM, and the delay counts from then;
 *   - while the processes handle a signal that the agent sent (ahead of a time limit or a preemption), they
 *     are left alone until its time has passed;
 *   - when contact to the resource manager is lost too long, the shim stops the container (cutoff.c). No stop
 *     and no signal gives more time than that: the task may run elsewhere then.
 * finish.c calls grace_next, and carries out its result. So does enter.c for a step that is over because its
 * client has gone: then its processes are what is left behind.
 */
#ifndef CREEL_NM_SHIM_GRACE_H
#define CREEL_NM_SHIM_GRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "nm-agent/linux/parts/stop_order.h"

#define GRACE_NEVER INT64_MAX

enum grace_action {
    GRACE_WAIT, /* look again when a child has ended or the order has changed, or at the time given */
    GRACE_TERM, /* send SIGTERM to all processes, then call again */
    GRACE_KILL, /* send SIGKILL to all processes, repeatedly */
    GRACE_OVER, /* the container is over */
};

struct grace {          /* all times are monotonic; zero at the start */
    int64_t kill_at_ms; /* time of SIGKILL; 0: not known yet */
    bool cut_off;       /* stopped because contact was lost */
};

/* What the shim sees at a moment. */
struct grace_view {
    int64_t now_ms;
    bool command_over;       /* the command has ended */
    bool empty;              /* no process is left; only examined if COMMAND_OVER */
    bool terminated;         /* all processes have had SIGTERM; only examined as EMPTY */
    struct stop_order order; /* zero: none */
    int64_t kill_delay_ms;
    int64_t cutoff_term_ms,
        cutoff_kill_ms; /* times for SIGTERM and SIGKILL if there is no new contact; 0: none */
};

/* Returns the next action; *UNTIL_MS is the time for GRACE_WAIT. */
enum grace_action grace_next(struct grace *grace, const struct grace_view *view, int64_t *until_ms);

#define GRACE_WAIT_MAX_MS 3600000
/* Returns how long to wait until UNTIL_MS: 0 to GRACE_WAIT_MAX_MS, also for GRACE_NEVER, so that the time
 * fits every unit. */
int64_t grace_wait_ms(int64_t until_ms, int64_t now_ms);

#endif
