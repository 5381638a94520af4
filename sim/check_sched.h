/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_sched.h - a script on the stage: the live core, and what the script calls by name
 *
 * The stage keeps what the core does not: names, the containers of an app in the order in which
 * it got them, and which events there were. check_load.c and check_age.c set the core up, check_sched.c
 * runs the steps, check_expect.c compares.
 */
#ifndef CREEL_SIM_CHECK_SCHED_H
#define CREEL_SIM_CHECK_SCHED_H

#include "rm/identity/groups.h"
#include "rm/sched/sched.h"
#include "sim/check.h"

struct stage_node {
    const char *name;
    struct sched_node *handle;          /* NULL: removed */
    bool draining;
};

enum stage_state { STAGE_REJECTED, STAGE_THERE, STAGE_FINISHED, STAGE_KILLED };

struct stage_app {
    const char *name;                   /* as the script calls it */
    struct app_id id;
    struct sched_app *handle;           /* NULL: not there (any more) */
    enum stage_state state;
    struct sched_container **containers;        /* live ones, the oldest first; owned */
    size_t container_count, container_capacity;
    int64_t preempted, killed;          /* since the start */
};

struct stage {
    const struct test_case *test;
    struct report *report;
    struct sched *sched;
    struct conf **confs;                /* all that were loaded: the core may point into them */
    size_t conf_count, conf_capacity;
    struct groups *groups;
    struct stage_node *nodes;
    size_t node_count, node_capacity;
    struct stage_app *apps;
    size_t app_count, app_capacity;
    int64_t now_ms;
    struct sched_decisions decisions;
};

/* Has the resource manager just started when SCRIPT begins? */
bool stage_is_young(const struct case_script *script);
/* A new core of the case's settings. -EINVAL: they are refused; ERR has the reason. */
int stage_load(struct stage *stage, struct err *err);
/* Other settings for the core that is there. */
int stage_refresh(struct stage *stage, const struct case_step *step, struct err *err);

struct stage_node *stage_node(struct stage *stage, const char *name);   /* NULL: none */
struct stage_app *stage_app(struct stage *stage, const char *name);

/* Compare what STEP expects; WHERE begins each line of the report. */
void stage_expect(struct stage *stage, const struct case_step *step, const char *where);

#endif
