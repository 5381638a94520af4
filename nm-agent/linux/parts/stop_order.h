/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stop_order.h - formats and parses the file in which a shim finds that its container is being stopped
 *
 * The agent writes "stop" in the container's state directory before it sends SIGTERM, and then sends
 * STOP_ORDER_CHANGED to the shim, which reads the file again. So the shim carries out the stop if the agent
 * ends meanwhile, and the next agent continues it. The file "term" beside it exists when SIGTERM was sent:
 * it is not sent again. The file "stuck" exists when a process did not end after the SIGKILL of the shim;
 * "stuck-steps" has the processes of steps (enter.c) of which that is true, while the container runs.
 * Agent and shim use this file, so it needs libc alone.
 */
#ifndef CREEL_NM_STOP_ORDER_H
#define CREEL_NM_STOP_ORDER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#define STOP_ORDER_FILE "stop"
#define STOP_ORDER_TERM_FILE "term"
#define STOP_ORDER_STUCK_FILE "stuck"
#define STOP_ORDER_STUCK_STEPS_FILE "stuck-steps" /* lines of process_format */
#define STOP_ORDER_STUCK_MS 5000 /* a process that exists this long after SIGKILL is blocked in the kernel */
#define STOP_ORDER_TEXT_MAX 128
#define STOP_ORDER_CHANGED SIGUSR1

struct stop_order {
    int64_t kill_at_ms;      /* monotonic; time of SIGKILL; 0: the container is not being stopped */
    int64_t signal_until_ms; /* monotonic; until then the processes handle SIGNAL_NUMBER; 0: no signal */
    int signal_number;       /* the last signal that was sent to the container; 0: none */
};

void stop_order_format(const struct stop_order *order, char text[STOP_ORDER_TEXT_MAX]);
/* Returns false if TEXT (terminated) is not a complete order; *ORDER is then untouched. */
bool stop_order_parse(const char *text, struct stop_order *order);

#endif
