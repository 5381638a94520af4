/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preempt_model.h - reference implementation of one round of preemption for the guarantees of queues, slow
 * and simple (yarn-behaviour 7.2 to 7.5): what the selector by guarantee selects, without labels
 */
#ifndef CREEL_TESTS_PREEMPT_MODEL_H
#define CREEL_TESTS_PREEMPT_MODEL_H

#include "tests/unit/sched/preempt_fixture.h"

struct preempt_chosen {
    uint32_t container; /* index in the fixture: a container, or a reservation */
    bool release;       /* the reservation is cancelled, whether it counts or not */
};

struct preempt_choice {
    struct preempt_chosen items[2 * FIXTURE_CONTAINERS]; /* in the order of selection */
    size_t count;
};

/* Selects containers of FIXTURE, which is summed up (fixture_sum_up()). Uses the settings per_round,
 * ignored_over_capacity, termination_factor and conservative; no other selector is on. */
void preempt_model_select(const struct fixture *fixture, struct preempt_choice *choice);

#endif
