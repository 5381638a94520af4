/* SPDX-License-Identifier: Apache-2.0 */
/*
 * container_phase.h - the life of a container on its node, as a table
 *
 * Pure and total: container_step returns for each phase and event the next phase
 * and what is to be done. containers.c does it.
 */
#ifndef CREEL_NM_CORE_CONTAINER_PHASE_H
#define CREEL_NM_CORE_CONTAINER_PHASE_H

#include <stdbool.h>

#include "common/proto/creel.pb-c.h"

enum container_phase {
    PHASE_NEW,              /* not known a moment ago */
    PHASE_SAVING,           /* its record is on the way to the disk; it is not reported yet */
    PHASE_DROPPING,         /* ordered to stop while SAVING */
    PHASE_FETCHING,         /* accepted; files are missing */
    PHASE_WAITING,          /* has all it needs but room: others are still being stopped */
    PHASE_LAUNCHING,        /* handed to the runtime */
    PHASE_RUNNING,
    PHASE_STOPPING,         /* ordered to stop, its processes may still be there */
    PHASE_ENDED,            /* over; the RM does not know for sure */
    PHASE_ACKED,            /* over, the RM knows: a tombstone */
    PHASE_GONE,             /* to be forgotten */
    PHASE_COUNT
};

enum container_event {
    EVENT_START,            /* asked for, first or again */
    EVENT_SAVED,
    EVENT_SAVE_FAILED,      /* and the RM ordered it: the failure must be reported */
    EVENT_SAVE_REFUSED,     /* and an AM asked: the reply refuses it, nothing is left */
    EVENT_FETCHED,          /* all files are there */
    EVENT_FETCH_FAILED,
    EVENT_ROOM,             /* there is room for it now */
    EVENT_LAUNCHED,
    EVENT_LAUNCH_FAILED,
    EVENT_LAUNCH_LATER,     /* the machine has no descriptor, process or memory for it now */
    EVENT_RUNNING,
    EVENT_EXITED,
    EVENT_STOP,
    EVENT_ACKED,            /* the RM has its end on disk */
    EVENT_COUNT
};

enum container_action {
    ACTION_BUG,             /* the pair cannot happen */
    ACTION_NONE,
    ACTION_SAVE,
    ACTION_JOIN,            /* the reply waits for the save as well */
    ACTION_KNOWN,           /* the reply is: accepted before; its state is reported again */
    ACTION_ACCEPT,          /* replies go out, it is reported, files are fetched */
    ACTION_QUEUE,           /* launched as soon as there is room */
    ACTION_LAUNCH,
    ACTION_TELL,            /* the new phase is reported at once */
    ACTION_STOP,            /* keep the order on disk, end its processes */
    ACTION_STOP_AGAIN,
    ACTION_END_SAVED,       /* replies go out, then as END_STOPPED */
    ACTION_END_STOPPED,     /* over by order, without ever having run */
    ACTION_END_UNSAVED,     /* over since the disk refused its record */
    ACTION_END_FAILED,      /* over since something failed before it ran */
    ACTION_END_EXIT,        /* over with an exit of its own */
    ACTION_REFUSE,          /* replies give the reason; it is forgotten */
    ACTION_ACKNOWLEDGE,
};

struct container_step {
    enum container_phase next;
    enum container_action action;
};

/* The cell of the table; its action may be ACTION_BUG. */
struct container_step container_step(enum container_phase phase, enum container_event event);

/* The state that is reported for a phase; UNKNOWN before it is accepted. */
Creel__ContainerState container_phase_state(enum container_phase phase);
/* May have processes, so its resources are in use. */
bool container_phase_may_run(enum container_phase phase);
/* Its resources are promised: accepted (or about to be), and not ordered to stop. */
bool container_phase_promised(enum container_phase phase);
/* Over, or as good as. */
bool container_phase_over(enum container_phase phase);
const char *container_phase_name(enum container_phase phase);
const char *container_event_name(enum container_event event);

/* What a stopped container counts as. STOP_STATUS is the order's, STOPPED_MS when it
 * was ordered; an exit that was first, or is a success, or that the runtime itself
 * explains (negative, 154), stays what it is. */
int container_exit_status(int exit_status, long long finished_ms, int stop_status,
                          long long stopped_ms);

#endif
