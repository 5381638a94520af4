/* SPDX-License-Identifier: Apache-2.0 */
/*
 * states.h - apps, attempts, containers and nodes as tables (yarn-behaviour 10)
 *
 * A cell that is not there reads BUG: the pair cannot happen, and the step
 * functions abort. What a peer can bring about at any time, or what may come
 * late, is a written cell with an action.
 */
#ifndef CREEL_RM_MASTER_STATES_H
#define CREEL_RM_MASTER_STATES_H

/* --- app ------------------------------------------------------------------- */

enum app_state {
    APP_STATE_NEW, APP_STATE_NEW_SAVING, APP_STATE_SUBMITTED,
    APP_STATE_WAITING,                  /* stored, and in no queue (job_wait.h) */
    APP_STATE_TASKS,                    /* an array that submits its tasks (array.h) */
    APP_STATE_ACCEPTED,
    APP_STATE_RUNNING, APP_STATE_KILLING, APP_STATE_FINAL_SAVING, APP_STATE_FINISHING,
    APP_STATE_FINISHED, APP_STATE_FAILED, APP_STATE_KILLED, APP_STATES
};
enum app_event {
    APP_EVENT_START, APP_EVENT_RECOVER, APP_EVENT_SAVED, APP_EVENT_ACCEPTED, APP_EVENT_REJECTED,
    APP_EVENT_KILL, APP_EVENT_ATTEMPT_RUNNING, APP_EVENT_ATTEMPT_RETRY, APP_EVENT_ATTEMPT_FAILED,
    APP_EVENT_ATTEMPT_UNREGISTERED, APP_EVENT_ATTEMPT_FINISHED, APP_EVENT_ATTEMPT_KILLED,
    APP_EVENT_WAIT,                     /* it may not enter its queue yet */
    APP_EVENT_HOLD,                     /* it has to leave its queue, where it has not begun */
    APP_EVENT_EXPAND,                   /* an array may submit its tasks */
    APP_EVENT_TASKS_OVER,
    APP_EVENTS
};
enum app_action {
    APP_BUG, APP_NONE,
    APP_SAVE,                           /* store the row, answer when it is there */
    APP_ACCEPT,                         /* answer its submitter, enter it into the scheduler */
    APP_WAIT, APP_WITHDRAW, APP_EXPAND, APP_KILL_TASKS,
    APP_ATTEMPT,                        /* begin the next attempt */
    APP_RUN,
    APP_KILL_ATTEMPT,
    APP_END,                            /* store the outcome: FINISHED or FAILED */
    APP_END_FINISHING,
    APP_END_KILLED,
    APP_SETTLE,                         /* the outcome is stored: go to the target state */
    APP_OVER,                           /* the master has exited as well */
};
struct app_step {
    enum app_state next;
    enum app_action action;
};
struct app_step rm_app_step(enum app_state state, enum app_event event);
const char *rm_app_state_name(enum app_state state);

/* --- attempt --------------------------------------------------------------- */

enum attempt_state {
    ATTEMPT_NEW, ATTEMPT_SCHEDULED, ATTEMPT_ALLOCATED_SAVING, ATTEMPT_ALLOCATED, ATTEMPT_LAUNCHED,
    ATTEMPT_RUNNING, ATTEMPT_FINAL_SAVING, ATTEMPT_FINISHING, ATTEMPT_FINISHED, ATTEMPT_FAILED,
    ATTEMPT_KILLED, ATTEMPT_STATES
};
enum attempt_event {
    ATTEMPT_EVENT_START, ATTEMPT_EVENT_ALLOCATED, ATTEMPT_EVENT_SAVED, ATTEMPT_EVENT_LAUNCHED,
    ATTEMPT_EVENT_RUNNING,              /* registered; APP_COMMAND: its command runs */
    ATTEMPT_EVENT_UNREGISTER,
    ATTEMPT_EVENT_ENDED,                /* the master's container ended, which is a failure */
    ATTEMPT_EVENT_VERDICT,              /* it ended, and its exit status is the app's result */
    ATTEMPT_EVENT_UNBLOCKED,            /* no container is left that its first one has to wait for */
    ATTEMPT_EVENT_EXPIRE, ATTEMPT_EVENT_KILL, ATTEMPT_EVENTS
};
enum attempt_action {
    ATTEMPT_BUG, ATTEMPT_NONE,
    ATTEMPT_ASK,                        /* for the first container */
    ATTEMPT_SAVE,
    ATTEMPT_LAUNCH,                     /* order the start */
    ATTEMPT_WATCH,                      /* the master is there: its liveness counts from now */
    ATTEMPT_RUN,
    ATTEMPT_END_FINISHING, ATTEMPT_END_FINISHED, ATTEMPT_END_FAILED, ATTEMPT_END_EXPIRED,
    ATTEMPT_END_KILLED,
    ATTEMPT_SETTLE,
    ATTEMPT_DONE,                       /* the master that had finished has exited */
};
struct attempt_step {
    enum attempt_state next;
    enum attempt_action action;
};
struct attempt_step rm_attempt_step(enum attempt_state state, enum attempt_event event);
const char *rm_attempt_state_name(enum attempt_state state);

/* --- container ------------------------------------------------------------- */

enum container_state {
    CONTAINER_NEW, CONTAINER_ALLOCATED, CONTAINER_ACQUIRED, CONTAINER_RUNNING, CONTAINER_STOPPING,
    CONTAINER_COMPLETED, CONTAINER_STATES
};
enum container_event {
    CONTAINER_EVENT_START,
    CONTAINER_EVENT_RECOVER,            /* a stored row shows that it was handed out */
    CONTAINER_EVENT_ACQUIRED,           /* its AM, or its node, receives it */
    CONTAINER_EVENT_SEEN,               /* its node has it */
    CONTAINER_EVENT_STOP,               /* released, killed, expired, ... */
    CONTAINER_EVENT_ENDED,              /* its node reports the end */
    CONTAINER_EVENT_LOST,               /* with its node */
    CONTAINER_EVENTS
};
enum container_action {
    CONTAINER_BUG, CONTAINER_NONE,
    CONTAINER_HAND_OUT,                 /* store it; it must be seen before its grant expires */
    CONTAINER_LAUNCHED,
    CONTAINER_DROP,                     /* neither node nor AM received it */
    CONTAINER_ORDER_STOP,
    CONTAINER_COMPLETE,
    CONTAINER_ORPHAN,                   /* given up, but it runs: have it stopped */
};
struct container_step {
    enum container_state next;
    enum container_action action;
};
struct container_step rm_container_step(enum container_state state, enum container_event event);
const char *rm_container_state_name(enum container_state state);

/* --- node ------------------------------------------------------------------ */

enum node_state { NODE_STATE_NEW, NODE_STATE_RUNNING, NODE_STATE_UNHEALTHY, NODE_STATE_LOST,
                  NODE_STATE_RETIRED, NODE_STATES };
enum node_event { NODE_EVENT_REGISTER, NODE_EVENT_HEALTHY, NODE_EVENT_UNHEALTHY,
                  NODE_EVENT_EXPIRE,
                  NODE_EVENT_RETIRE,    /* it was decommissioned: its agent is to stop */
                  NODE_EVENTS };
enum node_action { NODE_BUG, NODE_NONE, NODE_ENTER, NODE_AGAIN, NODE_OPEN, NODE_CLOSE, NODE_LOSE,
                   NODE_RETIRE };
struct node_step {
    enum node_state next;
    enum node_action action;
};
struct node_step rm_node_step(enum node_state state, enum node_event event);

/* --- administrative state of a node (yarn-behaviour 15) ----------------------- */

/* What administrators want of it, beside its state above: a node that is drained may be lost, too. */
enum admin_state {
    ADMIN_SERVING,
    ADMIN_DRAINING,                     /* nothing new; what runs there may finish */
    ADMIN_DRAINED,
    ADMIN_DECOMMISSIONING,              /* the same, to leave the cluster then */
    ADMIN_DECOMMISSIONED,               /* its agent has to stop, and may not register */
    ADMIN_STATES
};
enum admin_event {
    ADMIN_EVENT_DRAIN, ADMIN_EVENT_DECOMMISSION,
    ADMIN_EVENT_RESTORE,                /* undrain, recommission, not excluded any more */
    ADMIN_EVENT_EMPTY,                  /* what kept it is over */
    ADMIN_EVENT_FILLED,                 /* its agent came back with something */
    ADMIN_EVENTS
};
enum admin_action {
    ADMIN_BUG, ADMIN_NONE,
    ADMIN_REFUSE,                       /* with the reason */
    ADMIN_BEGIN,
    ADMIN_CHANGE,                       /* another reason, or time */
    ADMIN_END,
    ADMIN_SETTLE,
    ADMIN_RETIRE,
};
struct admin_step {
    enum admin_state next;
    enum admin_action action;
};
struct admin_step rm_admin_step(enum admin_state state, enum admin_event event);
const char *rm_admin_name(enum admin_state state);        /* as clients see it: "DRAINING" */

#endif
