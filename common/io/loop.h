/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loop.h - the one place that sleeps: sockets, descriptors, timers, signals
 *
 * One thread. Callbacks run one after another; after all that were ready have
 * run, the before-sleep hook runs once (the RM commits its store there, then
 * sends the replies that waited for it). Built on zmq_poll, because the hook
 * and removal inside callbacks need an exact order: sources in the order in
 * which they were added, then timers by due time, equal ones in the order set.
 */
#ifndef CREEL_IO_LOOP_H
#define CREEL_IO_LOOP_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/err.h"

struct loop;

/* Make the loop. Call it before any socket and any thread: it takes the
 * process's signal handling away from czmq, lifts its socket limit, raises the
 * soft RLIMIT_NOFILE to the hard one and ignores SIGPIPE. Children inherit the
 * last two and the blocked signals of loop_on_signal: undo them when spawning. */
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

/* The same for a raw ZeroMQ socket (zsock_resolve): FN runs while something can
 * be received, so it need not drain the socket. */
void loop_add_socket(struct loop *loop, void *socket, loop_fn *fn, void *context);
void loop_remove_socket(struct loop *loop, void *socket);

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

/* At most COUNT sockets in this process, which take 12 bytes each from the first one on: for programs that
 * know how few they have. Before any socket. */
void loop_limit_sockets(unsigned count);
/* So many threads of ZeroMQ's, over which it spreads connections, encrypt, send and receive; one otherwise.
 * Before any socket. */
void loop_use_io_threads(unsigned count);

/* What loop_new does for the process as a whole, for programs that use channels
 * without a loop. Any number of times. */
void loop_prepare_process(void);

#endif
