/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scenario.h - random configurations of the capacity scheduler and random events, for duel.h
 *
 * Everything is determined by the seed. Events are random numbers that the duel reads modulo the number of
 * existing nodes, applications, ... So any event can be left out and the others remain valid: this is how a
 * failing scenario is shortened.
 */
#ifndef CREEL_TESTS_SCENARIO_H
#define CREEL_TESTS_SCENARIO_H

#include "common/base/err.h"
#include "common/base/rng.h"
#include "common/conf/conf.h"
#include "tests/reference/reference.h"

enum event_kind {
    EVENT_NODE_ADD,
    EVENT_NODE_REMOVE,
    EVENT_NODE_UPDATE,
    EVENT_HEARTBEAT,
    EVENT_SUBMIT,
    EVENT_REMOVE,
    EVENT_MOVE,
    EVENT_PRIORITY,
    EVENT_ASK,
    EVENT_BLACKLIST,
    EVENT_END,
    EVENT_REFRESH,
    EVENT_MARK,
    EVENT_GIVE_BACK,
    EVENT_LABEL,   /* a node gets another label */
    EVENT_WAIT,    /* the time of empty dynamic queues passes */
    EVENT_PREEMPT, /* a round of preemption */
    EVENT_KINDS,
};

#define EVENT_PICKS 5

struct event {
    enum event_kind kind;
    uint32_t pick[EVENT_PICKS];
};

enum { SCENARIO_EVENTS = 400, SCENARIO_CONFIGS = 3 };

/* The core's differences from YARN. Duels switch them on in the reference, too, so that both can be
 * compared. */
#define SCENARIO_DIFFERENCES \
    (REF_OFFERED_NOW | REF_EXCHANGE_NOT_COUNTED | REF_GIVES_UP_USELESS | REF_MAXIMUM_PER_TYPE | \
     REF_COUNTED_BY_OFFERS | REF_TOO_SMALL_NOT_COUNTED | REF_EXCHANGE_BY_LABEL | REF_PLACELESS_COUNT | \
     REF_NOT_SCALED_UP | REF_RETURNED_AS_PENDING | REF_CREATION_ACTIVATES | REF_DROPPED_IS_SKIPPED | \
     REF_BORROWER_KILLS_NONE)

/* What a scenario is about. Each profile has its own seeds. */
enum scenario_profile {
    PROFILE_PLAIN,      /* percentages, weights and amounts, without node labels */
    PROFILE_LABELS,     /* an exclusive and a shared label, memory alone decides */
    PROFILE_LABELS_DRF, /* the same with the dominant calculator */
    PROFILE_PARALLEL,   /* limits on parallel applications */
    PROFILE_DYNAMIC,    /* queues created by submissions */
    PROFILE_MANAGED,    /* queues created by submissions below managed parents */
    PROFILE_VECTORS,    /* capacities by type: amounts, percentages and weights side by side */
    PROFILE_PREEMPT,    /* memory, vcores and GPUs with the dominant calculator, and preemption between
                           queues */
    SCENARIO_PROFILES,
};

const char *scenario_profile_name(enum scenario_profile profile);

struct scenario {
    enum scenario_profile profile;
    uint64_t seed;
    struct ref_config configs[SCENARIO_CONFIGS]; /* the first is in use until a refresh */
    struct event events[SCENARIO_EVENTS];
    int event_count;
};

void scenario_new(struct scenario *scenario, enum scenario_profile profile, uint64_t seed,
                  unsigned differences);
/* Writes the children of PARENT into CHILDREN (REF_QUEUES elements) and returns their number. */
int scenario_children(const struct ref_config *config, int parent, int *children);
/* Gives the COUNT queues CHILDREN of one parent capacities for which legacy-queue-mode.enabled is false. */
void scenario_share_by_type(struct rng *rng, struct ref_config *config, const int *children, int count);
/* Returns the name of a label; 0: "". */
const char *scenario_label(int label);

/* Builds *RET from CONFIG, with the keys that an administrator would write. Calls EACH, unless NULL, for each
 * line (key, value). */
typedef void scenario_line_fn(void *context, const char *key, const char *value);
int scenario_conf(const struct ref_config *config, scenario_line_fn *each, void *context, struct conf **ret,
                  struct err *err);

#endif
