/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loop.h - the event loop: descriptors, timers, signals
 *
 * One thread. Callbacks run one after the other. After all callbacks that were due have run, the
 * before-sleep hook runs once (the RM commits its store there, then sends the replies that waited for
 * the commit). The order is exact: sources in the order in which they were added, then timers by due time,
 * equal ones in the order in which they were set. Sockets of ZeroMQ are added with loop_socket.h.
 */
#ifndef CREEL_IO_LOOP_H
#define CREEL_IO_LOOP_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/err.h"

struct loop;

/* Makes the loop. Call it before any thread starts: it raises the soft RLIMIT_NOFILE to the hard one and
 * ignores SIGPIPE. Child processes inherit both and the blocked signals of loop_on_signal: undo them when
 * spawning. */
int loop_new(struct loop **ret, struct err *err);
void loop_free(struct loop *loop);              /* NULL is fine */

int64_t loop_now_ms(void);                      /* wall clock, Unix epoch */
int64_t loop_monotonic_ms(void);

/* Run until loop_stop; the hook runs once more before it returns. */
void loop_run(struct loop *loop);
void loop_stop(struct loop *loop);

typedef void loop_fn(void *context);
typedef void loop_fd_fn(void *context, int fd);
typedef void loop_signal_fn(void *context, int signal_number);

/* Call FN whenever FD is readable (POLLIN) or, with PRIORITY, has POLLPRI; on
 * an error or hang-up of FD too. Remove an FD before closing it; any callback
 * may remove any FD, itself included, and it is not called again. */
int loop_add_fd(struct loop *loop, int fd, bool priority, loop_fd_fn *fn, void *context,
                struct err *err);
void loop_remove_fd(struct loop *loop, int fd);
/* From now on FN of FD, which is watched, is also called while FD is writable; or no longer. */
void loop_set_writable(struct loop *loop, int fd, bool writable);

/* For libraries that keep what they received in memory: FN is called in each turn in which READY(CONTEXT) is
 * true. FD is readable when that may have changed. Removed with loop_remove_fd. */
typedef bool loop_ready_fn(void *context);
int loop_add_ready(struct loop *loop, int fd, loop_ready_fn *ready, loop_fn *fn, void *context,
                   struct err *err);

/* One-shot timer; returns its handle (> 0) for loop_cancel_timer. A timer that
 * has fired is gone; cancelling one that is gone, or 0, does nothing. One that is
 * set inside a callback runs in the next turn at the earliest. A periodic
 * timer sets itself again. */
int loop_add_timer(struct loop *loop, int64_t delay_ms, loop_fn *fn, void *context);
void loop_cancel_timer(struct loop *loop, int timer);

/* Signals arrive through a signalfd. One callback for each signal. */
int loop_on_signal(struct loop *loop, int signal_number, loop_signal_fn *fn, void *context,
                   struct err *err);

/* The one hook; NULL takes it away. */
void loop_before_sleep(struct loop *loop, loop_fn *fn, void *context);

#endif
