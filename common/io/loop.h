/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loop.h - the one place that sleeps: sockets, descriptors, timers, signals
 *
 * One thread. Callbacks run one after another; after all that were ready have
 * run, the before-sleep hook runs once (the RM commits its store there, then
 * sends the replies that waited for it). Built on czmq's zloop.
 */
#ifndef CREEL_IO_LOOP_H
#define CREEL_IO_LOOP_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/err.h"

struct loop;
struct channel_server;
struct channel_client;

/* Make the loop. Call it before any socket and any thread: it takes the
 * process's signal handling away from czmq, lifts its socket limit, raises
 * RLIMIT_NOFILE to its hard limit, and blocks the signals in loop_on_signal. */
int loop_new(struct loop **ret, struct err *err);
void loop_free(struct loop *loop);              /* NULL is fine */

int64_t loop_now_ms(void);                      /* wall clock, Unix epoch */
int64_t loop_monotonic_ms(void);

/* Run until loop_stop. */
void loop_run(struct loop *loop);
void loop_stop(struct loop *loop);

typedef void loop_fn(void *context);
typedef void loop_fd_fn(void *context, int fd);
typedef void loop_signal_fn(void *context, int signal_number);

/* Call FN whenever FD is readable (POLLIN) or, with PRIORITY, has POLLPRI. */
int loop_add_fd(struct loop *loop, int fd, bool priority, loop_fd_fn *fn, void *context,
                struct err *err);
void loop_remove_fd(struct loop *loop, int fd);

/* One-shot timer; returns its handle (> 0) for loop_cancel_timer. A timer that
 * has fired is gone. A periodic timer sets itself again. */
int loop_add_timer(struct loop *loop, int64_t delay_ms, loop_fn *fn, void *context);
void loop_cancel_timer(struct loop *loop, int timer);

/* Signals arrive through a signalfd. */
int loop_on_signal(struct loop *loop, int signal_number, loop_signal_fn *fn, void *context,
                   struct err *err);

void loop_before_sleep(struct loop *loop, loop_fn *fn, void *context);

#endif
