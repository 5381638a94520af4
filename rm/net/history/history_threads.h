/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history_threads.h - the threads that read the history
 *
 * A user has one of them at a time: so a request that takes long, such as a sum over years, delays the later
 * requests of its user, and those of others only by the share of the processor that it takes. A principal
 * that acts for users (creel-web, whose users may not have signed in) has half of the threads.
 */
#ifndef CREEL_RM_HISTORY_THREADS_H
#define CREEL_RM_HISTORY_THREADS_H

#include <stdbool.h>

#include "rm/net/parts/worker.h"

#define HISTORY_THREADS 4

struct history_threads; /* opaque */

int history_threads_new(struct loop *loop, struct history_threads **ret, struct err *err);
/* As worker_free of all threads, for TIMEOUT_MS each at most. */
bool history_threads_free(struct history_threads *threads, int64_t timeout_ms);

bool history_threads_has_idle(const struct history_threads *threads);
/* Returns whether a request that PRINCIPAL has sent for USER may have a thread, if one is idle. */
bool history_threads_has_room(const struct history_threads *threads, const char *user, const char *principal);
/* Runs JOB, for which there is room, in an idle thread. Returns its number, for history_threads_end, which
 * DONE of the job calls. */
unsigned history_threads_run(struct history_threads *threads, const char *user, const char *principal,
                             struct worker_job *job);
void history_threads_end(struct history_threads *threads, unsigned number);

#endif
