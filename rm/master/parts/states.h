/* SPDX-License-Identifier: Apache-2.0 */
/*
 * states.h - apps, attempts, containers and nodes as tables (yarn-behaviour 10)
 *
 * A cell that is not given is BUG: that pair of state and event cannot occur. The step functions write a line
 * to the log that names the object (ID), its state and the event, and abort. Events that a peer can cause at
 * any time, or that may arrive late, have an explicit cell with an action. So have the events of a queue
 * (events.h) in each state that is entered without it: by a kill, or when a row is on disk.
 */
#ifndef CREEL_RM_MASTER_STATES_H
#define CREEL_RM_MASTER_STATES_H

/* --- app ------------------------------------------------------------------- */

enum app_state {
    APP_STATE_NEW,
    APP_STATE_NEW_SAVING,
    APP_STATE_SUBMITTED,
    APP_STATE_WAITING, /* stored, and waits outside its queue */
    APP_STATE_TASKS,   /* an array that submits its tasks (array.h) */
    APP_STATE_ACCEPTED,
    APP_STATE_RUNNING,
    APP_STATE_KILLING,
    APP_STATE_FINAL_SAVING,
    APP_STATE_FINISHING,
    APP_STATE_FINISHED,
    APP_STATE_FAILED,
    APP_STATE_KILLED,
    APP_STATES
};
enum app_event {
    APP_EVENT_START,
    APP_EVENT_RECOVER,
    APP_EVENT_SAVED,
    APP_EVENT_ACCEPTED,
    APP_EVENT_REJECTED,
    APP_EVENT_KILL,
    APP_EVENT_ATTEMPT_RUNNING,
    APP_EVENT_ATTEMPT_RETRY,
    APP_EVENT_ATTEMPT_FAILED,
    APP_EVENT_ATTEMPT_UNREGISTERED,
    APP_EVENT_ATTEMPT_FINISHED,
    APP_EVENT_ATTEMPT_KILLED,
    APP_EVENT_WAIT,   /* the application may not enter its queue yet */
    APP_EVENT_HOLD,   /* the application is held and leaves its queue; it has no container
                         yet */
    APP_EVENT_EXPAND, /* an array may submit its tasks */
    APP_EVENT_TASKS_OVER,
    APP_EVENTS
};
enum app_action {
    APP_BUG,
    APP_NONE,
    APP_SAVE,   /* store the row, reply when the row is on disk */
    APP_ACCEPT, /* reply to its submitter, enter the application into the scheduler */
    APP_WAIT,
    APP_WITHDRAW,
    APP_EXPAND,
    APP_KILL_TASKS,
    APP_ATTEMPT, /* start the next attempt */
    APP_RUN,
    APP_KILL_ATTEMPT,
    APP_END, /* store the outcome: FINISHED or FAILED */
    APP_END_FINISHING,
    APP_END_KILLED,
    APP_SETTLE, /* the outcome is stored: change to the target state */
    APP_OVER,   /* the AM has exited, too */
};
struct app_step {
    enum app_state next;
    enum app_action action;
};
struct app_step rm_app_step(enum app_state state, enum app_event event, const char *id);
const char *rm_app_state_name(enum app_state state);

/* --- attempt --------------------------------------------------------------- */

enum attempt_state {
    ATTEMPT_NEW,
    ATTEMPT_SCHEDULED,
    ATTEMPT_ALLOCATED_SAVING,
    ATTEMPT_ALLOCATED,
    ATTEMPT_LAUNCHED,
    ATTEMPT_RUNNING,
    ATTEMPT_FINAL_SAVING,
    ATTEMPT_FINISHING,
    ATTEMPT_FINISHED,
    ATTEMPT_FAILED,
    ATTEMPT_KILLED,
    ATTEMPT_STATES
};
enum attempt_event {
    ATTEMPT_EVENT_START,
    ATTEMPT_EVENT_ALLOCATED,
    ATTEMPT_EVENT_SAVED,
    ATTEMPT_EVENT_LAUNCHED,
    ATTEMPT_EVENT_RUNNING, /* the AM registered; for APP_COMMAND: the command runs */
    ATTEMPT_EVENT_UNREGISTER,
    ATTEMPT_EVENT_ENDED,     /* the AM's container ended, which is a failure */
    ATTEMPT_EVENT_VERDICT,   /* the AM's container ended, and its exit status is the application's
                                result */
    ATTEMPT_EVENT_UNBLOCKED, /* the containers for which its first container had to wait have
                                ended */
    ATTEMPT_EVENT_EXPIRE,
    ATTEMPT_EVENT_KILL,
    ATTEMPT_EVENTS
};
enum attempt_action {
    ATTEMPT_BUG,
    ATTEMPT_NONE,
    ATTEMPT_ASK, /* request the first container */
    ATTEMPT_SAVE,
    ATTEMPT_LAUNCH, /* order the start of the AM */
    ATTEMPT_WATCH,  /* the AM runs: its liveness is monitored from now on */
    ATTEMPT_RUN,
    ATTEMPT_END_FINISHING,
    ATTEMPT_END_FINISHED,
    ATTEMPT_END_FAILED,
    ATTEMPT_END_EXPIRED,
    ATTEMPT_END_KILLED,
    ATTEMPT_SETTLE,
    ATTEMPT_DONE, /* the AM, which had finished, has exited */
};
struct attempt_step {
    enum attempt_state next;
    enum attempt_action action;
};
struct attempt_step rm_attempt_step(enum attempt_state state, enum attempt_event event, const char *id);
const char *rm_attempt_state_name(enum attempt_state state);

/* --- container ------------------------------------------------------------- */

enum container_state {
    CONTAINER_NEW,
    CONTAINER_ALLOCATED,
    CONTAINER_ACQUIRED,
    CONTAINER_RUNNING,
    CONTAINER_STOPPING,
    CONTAINER_COMPLETED,
    CONTAINER_STATES
};
enum container_event {
    CONTAINER_EVENT_START,
    CONTAINER_EVENT_RECOVER,  /* a stored row shows that the container was sent to its AM or node */
    CONTAINER_EVENT_ACQUIRED, /* the container is sent to its AM, or its start is ordered */
    CONTAINER_EVENT_SEEN,     /* its node reports the container */
    CONTAINER_EVENT_STOP,     /* released, killed, expired, ... */
    CONTAINER_EVENT_ENDED,    /* its node reports the end */
    CONTAINER_EVENT_LOST,     /* its node is lost */
    CONTAINER_EVENTS
};
enum container_action {
    CONTAINER_BUG,
    CONTAINER_NONE,
    CONTAINER_HAND_OUT, /* store the row; the node must report the container before its grant
                           expires */
    CONTAINER_LAUNCHED,
    CONTAINER_DROP, /* discard a container that neither node nor AM received */
    CONTAINER_ORDER_STOP,
    CONTAINER_COMPLETE,
    CONTAINER_ORPHAN, /* given up, but still running: order the node to stop the
                         container */
};
struct container_step {
    enum container_state next;
    enum container_action action;
};
struct container_step rm_container_step(enum container_state state, enum container_event event,
                                        const char *id);
const char *rm_container_state_name(enum container_state state);

/* --- node ------------------------------------------------------------------ */

enum node_state {
    NODE_STATE_NEW,
    NODE_STATE_RUNNING,
    NODE_STATE_UNHEALTHY,
    NODE_STATE_LOST,
    NODE_STATE_RETIRED,
    NODE_STATES
};
enum node_event {
    NODE_EVENT_REGISTER,
    NODE_EVENT_HEALTHY,
    NODE_EVENT_UNHEALTHY,
    NODE_EVENT_EXPIRE,
    NODE_EVENT_RETIRE, /* the node was decommissioned: its agent has to stop */
    NODE_EVENTS
};
enum node_action {
    NODE_BUG,
    NODE_NONE,
    NODE_ENTER,
    NODE_AGAIN,
    NODE_OPEN,
    NODE_CLOSE,
    NODE_LOSE,
    NODE_RETIRE
};
struct node_step {
    enum node_state next;
    enum node_action action;
};
struct node_step rm_node_step(enum node_state state, enum node_event event, const char *id);

/* --- administrative state of a node (yarn-behaviour 15) ----------------------- */

/* Set by administrators and independent of the operational state above: a drained node may also be lost. */
enum admin_state {
    ADMIN_SERVING,
    ADMIN_DRAINING, /* no new containers; running containers may finish */
    ADMIN_DRAINED,
    ADMIN_DECOMMISSIONING, /* as DRAINING, and the node leaves the cluster when it is empty */
    ADMIN_DECOMMISSIONED,  /* its agent has to stop, and may not register */
    ADMIN_STATES
};
enum admin_event {
    ADMIN_EVENT_DRAIN,
    ADMIN_EVENT_DECOMMISSION,
    ADMIN_EVENT_RESTORE, /* undrain, recommission, or no longer excluded */
    ADMIN_EVENT_EMPTY,   /* the last container or application of the node is gone */
    ADMIN_EVENT_FILLED,  /* its agent registered with containers */
    ADMIN_EVENTS
};
enum admin_action {
    ADMIN_BUG,
    ADMIN_NONE,
    ADMIN_REFUSE, /* refuse the order, with a reason */
    ADMIN_BEGIN,
    ADMIN_CHANGE, /* change the reason or the deadline */
    ADMIN_END,
    ADMIN_SETTLE,
    ADMIN_RETIRE,
};
struct admin_step {
    enum admin_state next;
    enum admin_action action;
};
struct admin_step rm_admin_step(enum admin_state state, enum admin_event event, const char *id);
const char *rm_admin_name(enum admin_state state); /* as clients see it: "DRAINING" */

/* --- events between the machines (events.h) ------------------------------------- */

struct app;
struct attempt;

enum follow_up_kind { FOLLOW_UP_ATTEMPT, FOLLOW_UP_AM_ENDED, FOLLOW_UP_APP };

struct follow_up {
    enum follow_up_kind kind;
    struct attempt *attempt; /* ATTEMPT, AM_ENDED */
    struct app *app;         /* APP */
    enum attempt_event attempt_event;
    enum app_event app_event;
};

#endif
