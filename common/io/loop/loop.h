/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loop.h - the event loop of a daemon: calls functions for descriptors, timers and signals
 *
 * One thread. Callbacks run one after the other. After all callbacks that were due have run, the before-sleep
 * hook runs once (in the hook, the RM commits its store, then sends the replies that waited for the commit).
 * The order is deterministic: sources in the order in which they were added, then timers by due time, timers
 * with the same due time in the order in which they were set. ZeroMQ sockets are added with loop_socket.h.
 */
#ifndef CREEL_IO_LOOP_H
#define CREEL_IO_LOOP_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/err.h"

struct loop;

/* Creates the loop. Call it before any thread starts: it raises the soft RLIMIT_NOFILE to the hard one and
 * ignores SIGPIPE. Child processes inherit both and the blocked signals of loop_on_signal: undo them when
 * spawning. */
int loop_new(struct loop **ret, struct err *err);
void loop_free(struct loop *loop); /* LOOP may be NULL */

int64_t loop_now_ms(void); /* wall clock, Unix epoch */
int64_t loop_monotonic_ms(void);
int64_t loop_monotonic_us(void);

/* Runs until loop_stop is called; runs the hook once more before it returns. */
void loop_run(struct loop *loop);
void loop_stop(struct loop *loop);

typedef void loop_fn(void *context);
typedef void loop_fd_fn(void *context, int fd);
typedef void loop_signal_fn(void *context, int signal_number);

/* Calls FN whenever FD is readable (POLLIN) or, with PRIORITY, has POLLPRI; also on an error or hang-up of
 * FD. Remove an FD before closing it. Any callback may remove any FD, its own included; FN is not called for
 * that FD again. */
int loop_add_fd(struct loop *loop, int fd, bool priority, loop_fd_fn *fn, void *context, struct err *err);
void loop_remove_fd(struct loop *loop, int fd);
/* Starts (or stops) calling FN of FD also while FD is writable. FD must have been added. */
void loop_set_writable(struct loop *loop, int fd, bool writable);

/* For libraries that buffer received data in memory: FN is called in each turn of the loop in which
 * READY(CONTEXT) is true. FD is readable when the result of READY may have changed. Removed with
 * loop_remove_fd. */
typedef bool loop_ready_fn(void *context);
int loop_add_ready(struct loop *loop, int fd, loop_ready_fn *ready, loop_fn *fn, void *context,
                   struct err *err);

/* Sets a one-shot timer and returns its handle (> 0) for loop_cancel_timer. Cancelling 0, or a timer that has
 * fired, does nothing. A timer set inside a callback fires in the next turn at the earliest. A periodic timer
 * sets itself again. */
int loop_add_timer(struct loop *loop, int64_t delay_ms, loop_fn *fn, void *context);
void loop_cancel_timer(struct loop *loop, int timer);

/* Signals are received through a signalfd. Each signal number has one callback. */
int loop_on_signal(struct loop *loop, int signal_number, loop_signal_fn *fn, void *context, struct err *err);

/* Sets the before-sleep hook; NULL removes it. */
void loop_before_sleep(struct loop *loop, loop_fn *fn, void *context);

#endif
