/* SPDX-License-Identifier: Apache-2.0 */
/* states.c - the transition tables of the state machines in states.h */
#include "rm/master/parts/states.h"

#include "common/base/err.h"

/* --- app ------------------------------------------------------------------- */

/* The events that an attempt emits. An application is killed while such an event is queued, and an attempt
 * may end when its application has ended already (after a restart). So an application that is being killed or
 * has ended has a cell for each of them. */
#define ATTEMPT_IGNORED(state) \
    [APP_EVENT_ATTEMPT_RUNNING] = { state, APP_NONE }, [APP_EVENT_ATTEMPT_RETRY] = { state, APP_NONE }, \
    [APP_EVENT_ATTEMPT_FAILED] = { state, APP_NONE }, \
    [APP_EVENT_ATTEMPT_UNREGISTERED] = { state, APP_NONE }, \
    [APP_EVENT_ATTEMPT_FINISHED] = { state, APP_NONE }, [APP_EVENT_ATTEMPT_KILLED] = { state, APP_NONE }

/* The end of an application is decided once: from FINAL_SAVING on, events of its attempt do not change its
 * outcome. */
static const struct app_step app_table[APP_STATES][APP_EVENTS] = {
    [APP_STATE_NEW] = {
        [APP_EVENT_START] = { APP_STATE_NEW_SAVING, APP_SAVE },
        [APP_EVENT_RECOVER] = { APP_STATE_SUBMITTED, APP_NONE },
    },
    [APP_STATE_NEW_SAVING] = {
        [APP_EVENT_SAVED] = { APP_STATE_SUBMITTED, APP_ACCEPT },
        [APP_EVENT_KILL] = { APP_STATE_FINAL_SAVING, APP_END_KILLED },
    },
    [APP_STATE_SUBMITTED] = {
        [APP_EVENT_ACCEPTED] = { APP_STATE_ACCEPTED, APP_ATTEMPT },
        [APP_EVENT_REJECTED] = { APP_STATE_FINAL_SAVING, APP_END },
        [APP_EVENT_WAIT] = { APP_STATE_WAITING, APP_WAIT },
        [APP_EVENT_EXPAND] = { APP_STATE_TASKS, APP_EXPAND },
        [APP_EVENT_KILL] = { APP_STATE_FINAL_SAVING, APP_END_KILLED },
    },
    [APP_STATE_WAITING] = {
        [APP_EVENT_EXPAND] = { APP_STATE_TASKS, APP_EXPAND },
        [APP_EVENT_ACCEPTED] = { APP_STATE_ACCEPTED, APP_ATTEMPT },
        [APP_EVENT_REJECTED] = { APP_STATE_FINAL_SAVING, APP_END },
        [APP_EVENT_KILL] = { APP_STATE_FINAL_SAVING, APP_END_KILLED },
    },
    [APP_STATE_TASKS] = {
        [APP_EVENT_KILL] = { APP_STATE_FINAL_SAVING, APP_KILL_TASKS },
        [APP_EVENT_TASKS_OVER] = { APP_STATE_FINAL_SAVING, APP_END },
    },
    [APP_STATE_ACCEPTED] = {
        [APP_EVENT_HOLD] = { APP_STATE_WAITING, APP_WITHDRAW },
        [APP_EVENT_KILL] = { APP_STATE_KILLING, APP_KILL_ATTEMPT },
        [APP_EVENT_ATTEMPT_RUNNING] = { APP_STATE_RUNNING, APP_RUN },
        [APP_EVENT_ATTEMPT_RETRY] = { APP_STATE_ACCEPTED, APP_ATTEMPT },
        [APP_EVENT_ATTEMPT_FAILED] = { APP_STATE_FINAL_SAVING, APP_END },
        [APP_EVENT_ATTEMPT_UNREGISTERED] = { APP_STATE_FINAL_SAVING, APP_END_FINISHING },
        [APP_EVENT_ATTEMPT_FINISHED] = { APP_STATE_FINAL_SAVING, APP_END },
    },
    [APP_STATE_RUNNING] = {
        [APP_EVENT_KILL] = { APP_STATE_KILLING, APP_KILL_ATTEMPT },
        [APP_EVENT_ATTEMPT_RETRY] = { APP_STATE_ACCEPTED, APP_ATTEMPT },
        [APP_EVENT_ATTEMPT_FAILED] = { APP_STATE_FINAL_SAVING, APP_END },
        [APP_EVENT_ATTEMPT_UNREGISTERED] = { APP_STATE_FINAL_SAVING, APP_END_FINISHING },
        [APP_EVENT_ATTEMPT_FINISHED] = { APP_STATE_FINAL_SAVING, APP_END },
    },
    [APP_STATE_KILLING] = {             /* the attempt may have ended by itself before */
        [APP_EVENT_KILL] = { APP_STATE_KILLING, APP_NONE },
        [APP_EVENT_ATTEMPT_RUNNING] = { APP_STATE_KILLING, APP_NONE },
        [APP_EVENT_ATTEMPT_RETRY] = { APP_STATE_FINAL_SAVING, APP_END_KILLED },
        [APP_EVENT_ATTEMPT_FAILED] = { APP_STATE_FINAL_SAVING, APP_END_KILLED },
        [APP_EVENT_ATTEMPT_KILLED] = { APP_STATE_FINAL_SAVING, APP_END_KILLED },
        [APP_EVENT_ATTEMPT_UNREGISTERED] = { APP_STATE_FINAL_SAVING, APP_END_FINISHING },
        [APP_EVENT_ATTEMPT_FINISHED] = { APP_STATE_FINAL_SAVING, APP_END },
    },
    [APP_STATE_FINAL_SAVING] = {
        [APP_EVENT_SAVED] = { APP_STATE_FINAL_SAVING, APP_SETTLE },
        [APP_EVENT_KILL] = { APP_STATE_FINAL_SAVING, APP_NONE },
        ATTEMPT_IGNORED(APP_STATE_FINAL_SAVING), /* APP_SETTLE asks whether the attempt is over */
    },
    [APP_STATE_FINISHING] = {           /* until the attempt is over */
        [APP_EVENT_KILL] = { APP_STATE_FINISHING, APP_NONE },
        [APP_EVENT_ATTEMPT_RUNNING] = { APP_STATE_FINISHING, APP_NONE },
        [APP_EVENT_ATTEMPT_UNREGISTERED] = { APP_STATE_FINISHING, APP_NONE },
        [APP_EVENT_ATTEMPT_RETRY] = { APP_STATE_FINISHED, APP_OVER },
        [APP_EVENT_ATTEMPT_FAILED] = { APP_STATE_FINISHED, APP_OVER },
        [APP_EVENT_ATTEMPT_FINISHED] = { APP_STATE_FINISHED, APP_OVER },
        [APP_EVENT_ATTEMPT_KILLED] = { APP_STATE_FINISHED, APP_OVER },
    },
    [APP_STATE_FINISHED] = {
        [APP_EVENT_KILL] = { APP_STATE_FINISHED, APP_NONE },
        ATTEMPT_IGNORED(APP_STATE_FINISHED),
    },
    [APP_STATE_FAILED] = {
        [APP_EVENT_KILL] = { APP_STATE_FAILED, APP_NONE },
        ATTEMPT_IGNORED(APP_STATE_FAILED),
    },
    [APP_STATE_KILLED] = {
        [APP_EVENT_KILL] = { APP_STATE_KILLED, APP_NONE },
        ATTEMPT_IGNORED(APP_STATE_KILLED),
    },
};

static const char *app_event_name(enum app_event event)
{
    static const char *const names[APP_EVENTS] = { "START",
                                                   "RECOVER",
                                                   "SAVED",
                                                   "ACCEPTED",
                                                   "REJECTED",
                                                   "KILL",
                                                   "ATTEMPT_RUNNING",
                                                   "ATTEMPT_RETRY",
                                                   "ATTEMPT_FAILED",
                                                   "ATTEMPT_UNREGISTERED",
                                                   "ATTEMPT_FINISHED",
                                                   "ATTEMPT_KILLED",
                                                   "WAIT",
                                                   "HOLD",
                                                   "EXPAND",
                                                   "TASKS_OVER" };

    return names[event];
}

struct app_step rm_app_step(enum app_state state, enum app_event event, const char *id)
{
    struct app_step step = app_table[state][event];

    if (step.action == APP_BUG)
        err_abort("application %s: event %s in state %s", id, app_event_name(event),
                  rm_app_state_name(state));
    return step;
}

const char *rm_app_state_name(enum app_state state)
{
    static const char *const names[APP_STATES] = {
        "NEW",     "NEW_SAVING",   "SUBMITTED", "WAITING",  "TASKS",  "ACCEPTED", "RUNNING",
        "KILLING", "FINAL_SAVING", "FINISHING", "FINISHED", "FAILED", "KILLED",
    };

    return names[state];
}

/* --- attempt --------------------------------------------------------------- */

/* The effects of the end of its first container and of a kill on an attempt that has not ended. */
#define ENDS \
    [ATTEMPT_EVENT_ENDED] = { ATTEMPT_FINAL_SAVING, ATTEMPT_END_FAILED }, \
    [ATTEMPT_EVENT_VERDICT] = { ATTEMPT_FINAL_SAVING, ATTEMPT_END_FINISHED }, \
    [ATTEMPT_EVENT_KILL] = { ATTEMPT_FINAL_SAVING, ATTEMPT_END_KILLED }

/* An attempt that has ended: its container may still be reported, and then end. */
#define OVER(state) \
    [ATTEMPT_EVENT_LAUNCHED] = { state, ATTEMPT_NONE }, [ATTEMPT_EVENT_RUNNING] = { state, ATTEMPT_NONE }, \
    [ATTEMPT_EVENT_ENDED] = { state, ATTEMPT_NONE }, [ATTEMPT_EVENT_VERDICT] = { state, ATTEMPT_NONE }, \
    [ATTEMPT_EVENT_UNBLOCKED] = { state, ATTEMPT_NONE }, [ATTEMPT_EVENT_EXPIRE] = { state, ATTEMPT_NONE }, \
    [ATTEMPT_EVENT_KILL] = { state, ATTEMPT_NONE }

static const struct attempt_step attempt_table[ATTEMPT_STATES][ATTEMPT_EVENTS] = {
    [ATTEMPT_NEW] = {
        [ATTEMPT_EVENT_START] = { ATTEMPT_SCHEDULED, ATTEMPT_ASK },
    },
    [ATTEMPT_SCHEDULED] = {
        [ATTEMPT_EVENT_UNBLOCKED] = { ATTEMPT_SCHEDULED, ATTEMPT_ASK },
        [ATTEMPT_EVENT_ALLOCATED] = { ATTEMPT_ALLOCATED_SAVING, ATTEMPT_SAVE },
        [ATTEMPT_EVENT_KILL] = { ATTEMPT_FINAL_SAVING, ATTEMPT_END_KILLED },
    },
    [ATTEMPT_ALLOCATED_SAVING] = {
        [ATTEMPT_EVENT_SAVED] = { ATTEMPT_ALLOCATED, ATTEMPT_LAUNCH },
        /* The node has no order yet. An agent that reports the container all the same must not end the
         * resource manager. */
        [ATTEMPT_EVENT_LAUNCHED] = { ATTEMPT_ALLOCATED_SAVING, ATTEMPT_NONE },
        [ATTEMPT_EVENT_RUNNING] = { ATTEMPT_ALLOCATED_SAVING, ATTEMPT_NONE },
        ENDS,                           /* the node of its container was lost */
    },
    [ATTEMPT_ALLOCATED] = {             /* the AM can register before its node reports the container */
        [ATTEMPT_EVENT_LAUNCHED] = { ATTEMPT_LAUNCHED, ATTEMPT_WATCH },
        [ATTEMPT_EVENT_RUNNING] = { ATTEMPT_RUNNING, ATTEMPT_RUN },
        ENDS,
    },
    [ATTEMPT_LAUNCHED] = {
        [ATTEMPT_EVENT_LAUNCHED] = { ATTEMPT_LAUNCHED, ATTEMPT_NONE },
        [ATTEMPT_EVENT_RUNNING] = { ATTEMPT_RUNNING, ATTEMPT_RUN },
        [ATTEMPT_EVENT_EXPIRE] = { ATTEMPT_FINAL_SAVING, ATTEMPT_END_EXPIRED },
        ENDS,
    },
    [ATTEMPT_RUNNING] = {
        [ATTEMPT_EVENT_LAUNCHED] = { ATTEMPT_RUNNING, ATTEMPT_NONE },
        [ATTEMPT_EVENT_RUNNING] = { ATTEMPT_RUNNING, ATTEMPT_NONE },
        [ATTEMPT_EVENT_UNREGISTER] = { ATTEMPT_FINAL_SAVING, ATTEMPT_END_FINISHING },
        [ATTEMPT_EVENT_EXPIRE] = { ATTEMPT_FINAL_SAVING, ATTEMPT_END_EXPIRED },
        ENDS,
    },
    [ATTEMPT_FINAL_SAVING] = {
        [ATTEMPT_EVENT_SAVED] = { ATTEMPT_FINAL_SAVING, ATTEMPT_SETTLE },
        OVER(ATTEMPT_FINAL_SAVING),
    },
    [ATTEMPT_FINISHING] = {
        [ATTEMPT_EVENT_LAUNCHED] = { ATTEMPT_FINISHING, ATTEMPT_NONE },
        [ATTEMPT_EVENT_RUNNING] = { ATTEMPT_FINISHING, ATTEMPT_NONE },
        [ATTEMPT_EVENT_ENDED] = { ATTEMPT_FINISHED, ATTEMPT_DONE },
        [ATTEMPT_EVENT_VERDICT] = { ATTEMPT_FINISHED, ATTEMPT_DONE },
        [ATTEMPT_EVENT_UNBLOCKED] = { ATTEMPT_FINISHING, ATTEMPT_NONE },
        [ATTEMPT_EVENT_EXPIRE] = { ATTEMPT_FINISHED, ATTEMPT_DONE },
        [ATTEMPT_EVENT_KILL] = { ATTEMPT_FINISHING, ATTEMPT_NONE },
    },
    [ATTEMPT_FINISHED] = { OVER(ATTEMPT_FINISHED) },
    [ATTEMPT_FAILED] = { OVER(ATTEMPT_FAILED) },
    [ATTEMPT_KILLED] = { OVER(ATTEMPT_KILLED) },
};

static const char *attempt_event_name(enum attempt_event event)
{
    static const char *const names[ATTEMPT_EVENTS] = { "START",     "ALLOCATED",  "SAVED", "LAUNCHED",
                                                       "RUNNING",   "UNREGISTER", "ENDED", "VERDICT",
                                                       "UNBLOCKED", "EXPIRE",     "KILL" };

    return names[event];
}

struct attempt_step rm_attempt_step(enum attempt_state state, enum attempt_event event, const char *id)
{
    struct attempt_step step = attempt_table[state][event];

    if (step.action == ATTEMPT_BUG)
        err_abort("attempt %s: event %s in state %s", id, attempt_event_name(event),
                  rm_attempt_state_name(state));
    return step;
}

const char *rm_attempt_state_name(enum attempt_state state)
{
    static const char *const names[ATTEMPT_STATES] = {
        "NEW",          "SCHEDULED", "ALLOCATED_SAVING", "ALLOCATED", "LAUNCHED", "RUNNING",
        "FINAL_SAVING", "FINISHING", "FINISHED",         "FAILED",    "KILLED",
    };

    return names[state];
}

/* --- container ------------------------------------------------------------- */

/* Differs: YARN frees a container's resources as soon as it is released, killed or expired. creel keeps them
 * allocated (STOPPING) until the node reports the end of the container, so that the containers on a node
 * never use more than its total. */
static const struct container_step container_table[CONTAINER_STATES][CONTAINER_EVENTS] = {
    [CONTAINER_NEW] = {
        [CONTAINER_EVENT_START] = { CONTAINER_ALLOCATED, CONTAINER_NONE },
        [CONTAINER_EVENT_RECOVER] = { CONTAINER_ACQUIRED, CONTAINER_NONE },
    },
    [CONTAINER_ALLOCATED] = {           /* no node received the container: reports of it are invalid */
        [CONTAINER_EVENT_ACQUIRED] = { CONTAINER_ACQUIRED, CONTAINER_HAND_OUT },
        [CONTAINER_EVENT_SEEN] = { CONTAINER_ALLOCATED, CONTAINER_NONE },
        [CONTAINER_EVENT_STOP] = { CONTAINER_COMPLETED, CONTAINER_DROP },
        [CONTAINER_EVENT_ENDED] = { CONTAINER_ALLOCATED, CONTAINER_NONE },
        [CONTAINER_EVENT_LOST] = { CONTAINER_COMPLETED, CONTAINER_DROP },
    },
    [CONTAINER_ACQUIRED] = {
        [CONTAINER_EVENT_SEEN] = { CONTAINER_RUNNING, CONTAINER_LAUNCHED },
        [CONTAINER_EVENT_STOP] = { CONTAINER_STOPPING, CONTAINER_ORDER_STOP },
        [CONTAINER_EVENT_ENDED] = { CONTAINER_COMPLETED, CONTAINER_COMPLETE },
        [CONTAINER_EVENT_LOST] = { CONTAINER_COMPLETED, CONTAINER_COMPLETE },
    },
    [CONTAINER_RUNNING] = {
        [CONTAINER_EVENT_SEEN] = { CONTAINER_RUNNING, CONTAINER_NONE },
        [CONTAINER_EVENT_STOP] = { CONTAINER_STOPPING, CONTAINER_ORDER_STOP },
        [CONTAINER_EVENT_ENDED] = { CONTAINER_COMPLETED, CONTAINER_COMPLETE },
        [CONTAINER_EVENT_LOST] = { CONTAINER_COMPLETED, CONTAINER_COMPLETE },
    },
    [CONTAINER_STOPPING] = {
        [CONTAINER_EVENT_SEEN] = { CONTAINER_STOPPING, CONTAINER_NONE },
        [CONTAINER_EVENT_STOP] = { CONTAINER_STOPPING, CONTAINER_NONE },
        [CONTAINER_EVENT_ENDED] = { CONTAINER_COMPLETED, CONTAINER_COMPLETE },
        [CONTAINER_EVENT_LOST] = { CONTAINER_COMPLETED, CONTAINER_COMPLETE },
    },
    [CONTAINER_COMPLETED] = {
        [CONTAINER_EVENT_SEEN] = { CONTAINER_COMPLETED, CONTAINER_ORPHAN },
        [CONTAINER_EVENT_STOP] = { CONTAINER_COMPLETED, CONTAINER_NONE },
        [CONTAINER_EVENT_ENDED] = { CONTAINER_COMPLETED, CONTAINER_NONE },
        [CONTAINER_EVENT_LOST] = { CONTAINER_COMPLETED, CONTAINER_NONE },
    },
};

static const char *container_event_name(enum container_event event)
{
    static const char *const names[CONTAINER_EVENTS] = { "START", "RECOVER", "ACQUIRED", "SEEN",
                                                         "STOP",  "ENDED",   "LOST" };

    return names[event];
}

struct container_step rm_container_step(enum container_state state, enum container_event event,
                                        const char *id)
{
    struct container_step step = container_table[state][event];

    if (step.action == CONTAINER_BUG)
        err_abort("container %s: event %s in state %s", id, container_event_name(event),
                  rm_container_state_name(state));
    return step;
}

const char *rm_container_state_name(enum container_state state)
{
    static const char *const names[CONTAINER_STATES] = {
        "NEW", "ALLOCATED", "ACQUIRED", "RUNNING", "STOPPING", "COMPLETED",
    };

    return names[state];
}

/* --- node ------------------------------------------------------------------ */

/* NEW: a node that has not registered since the restart. A row of the store names it, or its agent waits for
 * an operator (history.h). Differs: in YARN an unhealthy node loses its containers. In creel the containers
 * continue (a full disk is no reason to stop them), and the node gets no new ones. */
static const struct node_step node_table[NODE_STATES][NODE_EVENTS] = {
    [NODE_STATE_NEW] = {
        [NODE_EVENT_REGISTER] = { NODE_STATE_RUNNING, NODE_ENTER },
        [NODE_EVENT_EXPIRE] = { NODE_STATE_LOST, NODE_LOSE },
        [NODE_EVENT_RETIRE] = { NODE_STATE_RETIRED, NODE_RETIRE },
    },
    [NODE_STATE_RUNNING] = {
        [NODE_EVENT_REGISTER] = { NODE_STATE_RUNNING, NODE_AGAIN },
        [NODE_EVENT_HEALTHY] = { NODE_STATE_RUNNING, NODE_NONE },
        [NODE_EVENT_UNHEALTHY] = { NODE_STATE_UNHEALTHY, NODE_CLOSE },
        [NODE_EVENT_EXPIRE] = { NODE_STATE_LOST, NODE_LOSE },
        [NODE_EVENT_RETIRE] = { NODE_STATE_RETIRED, NODE_RETIRE },
    },
    [NODE_STATE_UNHEALTHY] = {
        [NODE_EVENT_REGISTER] = { NODE_STATE_RUNNING, NODE_AGAIN },
        [NODE_EVENT_HEALTHY] = { NODE_STATE_RUNNING, NODE_OPEN },
        [NODE_EVENT_UNHEALTHY] = { NODE_STATE_UNHEALTHY, NODE_NONE },
        [NODE_EVENT_EXPIRE] = { NODE_STATE_LOST, NODE_LOSE },
        [NODE_EVENT_RETIRE] = { NODE_STATE_RETIRED, NODE_RETIRE },
    },
    /* A node whose agent waits for an operator (history.h) may expire in these states, too. */
    [NODE_STATE_LOST] = {
        [NODE_EVENT_REGISTER] = { NODE_STATE_RUNNING, NODE_ENTER },
        [NODE_EVENT_EXPIRE] = { NODE_STATE_LOST, NODE_NONE },
        [NODE_EVENT_RETIRE] = { NODE_STATE_RETIRED, NODE_NONE },
    },
    [NODE_STATE_RETIRED] = {            /* registration is refused until the node is recommissioned */
        [NODE_EVENT_REGISTER] = { NODE_STATE_RUNNING, NODE_ENTER },
        [NODE_EVENT_EXPIRE] = { NODE_STATE_RETIRED, NODE_NONE },
    },
};

static const char *node_event_name(enum node_event event)
{
    static const char *const names[NODE_EVENTS] = { "REGISTER", "HEALTHY", "UNHEALTHY", "EXPIRE", "RETIRE" };

    return names[event];
}

static const char *node_state_name(enum node_state state)
{
    static const char *const names[NODE_STATES] = { "NEW", "RUNNING", "UNHEALTHY", "LOST", "RETIRED" };

    return names[state];
}

struct node_step rm_node_step(enum node_state state, enum node_event event, const char *id)
{
    struct node_step step = node_table[state][event];

    if (step.action == NODE_BUG)
        err_abort("node %s: event %s in state %s", id, node_event_name(event), node_state_name(state));
    return step;
}

/* --- administrative state of nodes ----------------------------------------- */

/* Repeating an order has no further effect: a request is repeated if its reply was lost. */
static const struct admin_step admin_table[ADMIN_STATES][ADMIN_EVENTS] = {
    [ADMIN_SERVING] = {
        [ADMIN_EVENT_DRAIN] = { ADMIN_DRAINING, ADMIN_BEGIN },
        [ADMIN_EVENT_DECOMMISSION] = { ADMIN_DECOMMISSIONING, ADMIN_BEGIN },
        [ADMIN_EVENT_RESTORE] = { ADMIN_SERVING, ADMIN_NONE },
        [ADMIN_EVENT_EMPTY] = { ADMIN_SERVING, ADMIN_NONE },
        [ADMIN_EVENT_FILLED] = { ADMIN_SERVING, ADMIN_NONE },
    },
    [ADMIN_DRAINING] = {
        [ADMIN_EVENT_DRAIN] = { ADMIN_DRAINING, ADMIN_CHANGE },
        [ADMIN_EVENT_DECOMMISSION] = { ADMIN_DECOMMISSIONING, ADMIN_CHANGE },
        [ADMIN_EVENT_RESTORE] = { ADMIN_SERVING, ADMIN_END },
        [ADMIN_EVENT_EMPTY] = { ADMIN_DRAINED, ADMIN_SETTLE },
        [ADMIN_EVENT_FILLED] = { ADMIN_DRAINING, ADMIN_NONE },
    },
    [ADMIN_DRAINED] = {
        [ADMIN_EVENT_DRAIN] = { ADMIN_DRAINED, ADMIN_CHANGE },
        [ADMIN_EVENT_DECOMMISSION] = { ADMIN_DECOMMISSIONING, ADMIN_CHANGE },
        [ADMIN_EVENT_RESTORE] = { ADMIN_SERVING, ADMIN_END },
        [ADMIN_EVENT_EMPTY] = { ADMIN_DRAINED, ADMIN_NONE },
        [ADMIN_EVENT_FILLED] = { ADMIN_DRAINING, ADMIN_SETTLE },
    },
    [ADMIN_DECOMMISSIONING] = {
        [ADMIN_EVENT_DRAIN] = { ADMIN_DECOMMISSIONING, ADMIN_REFUSE },
        [ADMIN_EVENT_DECOMMISSION] = { ADMIN_DECOMMISSIONING, ADMIN_CHANGE },
        [ADMIN_EVENT_RESTORE] = { ADMIN_SERVING, ADMIN_END },
        [ADMIN_EVENT_EMPTY] = { ADMIN_DECOMMISSIONED, ADMIN_RETIRE },
        [ADMIN_EVENT_FILLED] = { ADMIN_DECOMMISSIONING, ADMIN_NONE },
    },
    [ADMIN_DECOMMISSIONED] = {
        [ADMIN_EVENT_DRAIN] = { ADMIN_DECOMMISSIONED, ADMIN_REFUSE },
        [ADMIN_EVENT_DECOMMISSION] = { ADMIN_DECOMMISSIONED, ADMIN_NONE },
        [ADMIN_EVENT_RESTORE] = { ADMIN_SERVING, ADMIN_END },
        [ADMIN_EVENT_EMPTY] = { ADMIN_DECOMMISSIONED, ADMIN_NONE },
    },
};

static const char *admin_event_name(enum admin_event event)
{
    static const char *const names[ADMIN_EVENTS] = { "DRAIN", "DECOMMISSION", "RESTORE", "EMPTY", "FILLED" };

    return names[event];
}

struct admin_step rm_admin_step(enum admin_state state, enum admin_event event, const char *id)
{
    struct admin_step step = admin_table[state][event];

    if (step.action == ADMIN_BUG)
        err_abort("administrative state of node %s: event %s in state %s", id, admin_event_name(event),
                  rm_admin_name(state));
    return step;
}

const char *rm_admin_name(enum admin_state state)
{
    static const char *const names[ADMIN_STATES] = {
        "SERVING", "DRAINING", "DRAINED", "DECOMMISSIONING", "DECOMMISSIONED",
    };

    return names[state];
}
