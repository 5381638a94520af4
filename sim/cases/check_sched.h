/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_sched.h - state of a running script of kind scheduler: the core, and the objects that the script
 * names
 *
 * The stage stores data that the core does not have: names, the containers of an app in order of allocation,
 * and counts of events. check_load.c and check_age.c create the core, check_sched.c runs the steps,
 * check_expect.c compares figures.
 */
#ifndef CREEL_SIM_CHECK_SCHED_H
#define CREEL_SIM_CHECK_SCHED_H

#include "rm/identity/groups.h"
#include "rm/sched/sched.h"
#include "sim/cases/check.h"

struct stage_node {
    const char *name;
    struct sched_node *handle; /* NULL: removed */
    bool draining;
};

enum stage_state { STAGE_REJECTED, STAGE_THERE, STAGE_FINISHED, STAGE_KILLED };

struct stage_app {
    const char *name; /* name in the script */
    struct app_id id;
    struct sched_app *handle; /* NULL: not in the core, or removed */
    enum stage_state state;
    struct sched_container **containers; /* running containers, oldest first; owned */
    size_t container_count, container_capacity;
    int64_t preempted, killed; /* numbers of events since the start */
    int64_t lifetime_s;        /* as its queue permits it; 0: unlimited */
    int64_t expires_ms;        /* end of its lifetime; 0: none */
};

struct stage {
    const struct test_case *test;
    struct report *report;
    struct sched *sched;
    struct conf **confs; /* all configurations loaded so far: the core may point into them */
    size_t conf_count, conf_capacity;
    struct groups *groups;
    struct stage_node *nodes;
    size_t node_count, node_capacity;
    struct stage_app *apps;
    size_t app_count, app_capacity;
    int64_t now_ms;
    struct sched_decisions decisions;
};

/* Returns true if SCRIPT requires a resource manager that has just started (check_age.c). */
bool stage_is_young(const struct case_script *script);
/* Creates a core with the case's settings. -EINVAL: the settings are refused; ERR has the reason. */
int stage_load(struct stage *stage, struct err *err);
/* Applies other settings to the existing core. */
int stage_refresh(struct stage *stage, const struct case_step *step, struct err *err);

struct stage_node *stage_node(struct stage *stage, const char *name); /* NULL: no such node */
struct stage_app *stage_app(struct stage *stage, const char *name);

/* Compares the expectations of STEP with the core; WHERE begins each line of the report. */
void stage_expect(struct stage *stage, const struct case_step *step, const char *where);

#endif
