/* SPDX-License-Identifier: Apache-2.0 */
/* account_world.h - submissions for tests of what the resource manager keeps for a user */
#ifndef CREEL_TESTS_MASTER_ACCOUNT_WORLD_H
#define CREEL_TESTS_MASTER_ACCOUNT_WORLD_H

#include "tests/unit/master/master_world.h"

Creel__JobSpec *account_held_job(void);
/* Submits JOB as USER, and expects that it is accepted. Its id is in W->app. */
void account_accepted(struct world *w, const char *user, const Creel__JobSpec *job);
/* The same, and expects that it is refused with a message that has TEXT. */
void account_refused(struct world *w, const char *user, const Creel__JobSpec *job, const char *text);

#endif
