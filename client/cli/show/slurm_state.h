/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slurm_state.h - the states and reasons of Slurm's jobs, and those of applications in their words
 *
 * Source: squeue(1) of Slurm 22.05, JOB STATE CODES and JOB REASON CODES.
 */
#ifndef CREEL_CLI_SLURM_STATE_H
#define CREEL_CLI_SLURM_STATE_H

#include "client/include/creel.h"

enum slurm_state_number {
    SLURM_STATE_PENDING,
    SLURM_STATE_RUNNING,
    SLURM_STATE_COMPLETED,
    SLURM_STATE_FAILED,
    SLURM_STATE_CANCELLED,
    SLURM_STATE_TIMEOUT,
    SLURM_STATE_DEADLINE,
    SLURM_STATE_OUT_OF_MEMORY,
    SLURM_STATE_NODE_FAIL,
    SLURM_STATE_PREEMPTED,
    SLURM_STATES = 32 /* above the number of all */
};

struct slurm_state {
    const char *letters, *name;
    const char *state; /* of creel; NULL: it has none for it alone */
    const char *hint;  /* without a state: the state to use, and how such applications differ from others */
};

/* Returns the state of a word, its letters or its name in upper or lower case; NULL: there is none. */
const struct slurm_state *slurm_state_find(const char *word);
/* Returns the number of STATE, below SLURM_STATES. */
unsigned slurm_state_number(const struct slurm_state *state);
/* Returns the state at NUMBER. */
const struct slurm_state *slurm_state_at(enum slurm_state_number number);

/* Returns the state that Slurm would have for APP. */
const struct slurm_state *slurm_state_of(const struct creel_app *app);
/* Returns why APP, whose state is STATE, waits or how it failed, in one word; "None". */
const char *slurm_reason_of(const struct creel_app *app, const struct slurm_state *state);

#endif
