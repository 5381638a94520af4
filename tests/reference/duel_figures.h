/* SPDX-License-Identifier: Apache-2.0 */
/* duel_figures.h - the state of a duel (core and reference side by side), and the comparison of their
 * figures */
#ifndef CREEL_TESTS_DUEL_FIGURES_H
#define CREEL_TESTS_DUEL_FIGURES_H

#include "rm/sched/capacity/config/config.h"
#include "rm/sched/preempt/preempt.h"
#include "tests/reference/duel.h"

struct duel {
    const struct scenario *scenario;
    FILE *story;
    struct reference ref;
    struct sched *sched;
    struct conf *confs[SCENARIO_CONFIGS]; /* owned; NULL until used; must outlive the scheduler */
    struct sched_decisions decisions;
    struct sched_node *nodes[REF_NODES];
    struct sched_app *apps[REF_APPS];
    struct sched_container *containers[REF_CONTAINERS];
    uint32_t last_app;
    int64_t now_ms; /* differs for each event, so that applications start at different
                       times */
    struct duel_count count;
};

/* Returns the N-th index (modulo their number) below MOST for which IS is true, or -1 if there is none. */
int duel_pick(const struct duel *duel, bool (*is)(const struct reference *ref, int index), int most,
              uint32_t n);
int duel_pick_label(const struct duel *duel, uint32_t n);
void duel_end_container(struct duel *duel, int container);
int duel_app_event(struct duel *duel, const struct event *event, struct err *err);
/* Sets the settings of the core for the preemption of CONFIG. */
void duel_preempt_settings(const struct ref_config *config, struct preempt_settings *ret);
/* Some rounds of preemption, seconds apart. What they kill has ended then. */
int duel_preempt(struct duel *duel, const struct event *event, struct err *err);
/* Writes to the story, unless it is NULL. */
void duel_print(const struct duel *duel, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Compares and then clears the decisions of both sides about the last event, and stores the containers
 * allocated. -EINVAL: the decisions differ. */
int duel_compare_decisions(struct duel *duel, struct err *err);
int duel_compare_figures(const struct duel *duel, struct err *err);
const char *duel_kind_name(enum sched_decision_kind kind);
const char *duel_locality_name(enum sched_locality locality);

#endif
