/* SPDX-License-Identifier: Apache-2.0 */
/*
 * container_phase.h - state machine of a container on its node, as a table
 *
 * Pure: container_step returns the next phase and the action for each pair of phase and event. containers.c
 * executes the action.
 */
#ifndef CREEL_NM_CORE_CONTAINER_PHASE_H
#define CREEL_NM_CORE_CONTAINER_PHASE_H

#include <stdbool.h>

#include "common/proto/creel.pb-c.h"

enum container_phase {
    PHASE_NEW,       /* just created, not accepted yet */
    PHASE_SAVING,    /* the record is being written to disk; the container is not reported yet */
    PHASE_DROPPING,  /* ordered to stop while SAVING */
    PHASE_FETCHING,  /* accepted; files are being fetched */
    PHASE_WAITING,   /* ready to launch, but resources are not free: other containers are still being
                        stopped */
    PHASE_LAUNCHING, /* AGENT_LAUNCH was issued to the runtime */
    PHASE_RUNNING,
    PHASE_ENDING,   /* the command has ended, and what it left is being stopped */
    PHASE_STOPPING, /* ordered to stop, processes may still exist */
    PHASE_ENDED,    /* ended; the exit is not acknowledged by the RM */
    PHASE_ACKED,    /* ended and acknowledged by the RM: a tombstone */
    PHASE_GONE,     /* to be deleted */
    PHASE_COUNT
};

enum container_event {
    EVENT_START, /* a start was requested, for the first time or again */
    EVENT_SAVED,
    EVENT_SAVE_FAILED,  /* a save failed, the RM had ordered the start: the failure is reported */
    EVENT_SAVE_REFUSED, /* a save failed, an AM had requested the start: the reply refuses it */
    EVENT_FETCHED,      /* all files are in the cache */
    EVENT_FETCH_FAILED,
    EVENT_ROOM, /* enough resources are free */
    EVENT_LAUNCHED,
    EVENT_LAUNCH_FAILED,
    EVENT_LAUNCH_LATER, /* the machine is short of descriptors, processes or memory */
    EVENT_RUNNING,
    EVENT_COMMAND_ENDED, /* other processes have not */
    EVENT_EXITED,
    EVENT_STOP,
    EVENT_ACKED, /* the RM has stored the exit on disk */
    EVENT_COUNT
};

enum container_action {
    ACTION_BUG, /* this pair of phase and event cannot occur */
    ACTION_NONE,
    ACTION_SAVE,
    ACTION_JOIN,   /* the reply to this request also waits for the save */
    ACTION_KNOWN,  /* reply that the container was accepted before; report its state again */
    ACTION_ACCEPT, /* send the replies, report the container, fetch its files */
    ACTION_QUEUE,  /* launch as soon as resources are free */
    ACTION_LAUNCH,
    ACTION_TELL, /* report the new phase at once */
    ACTION_STOP, /* save the stop order on disk, stop the processes */
    ACTION_STOP_AGAIN,
    ACTION_END_SAVED,   /* send the replies, then as END_STOPPED */
    ACTION_END_STOPPED, /* end by order, without having run */
    ACTION_END_UNSAVED, /* end because the record could not be written */
    ACTION_END_FAILED,  /* end because of a failure before the command ran */
    ACTION_END_EXIT,    /* end with the exit status of the processes */
    ACTION_REFUSE,      /* send replies with the reason; delete the container */
    ACTION_ACKNOWLEDGE,
};

struct container_step {
    enum container_phase next;
    enum container_action action;
};

/* Returns the cell of the table; its action may be ACTION_BUG. */
struct container_step container_step(enum container_phase phase, enum container_event event);

/* Returns the reported state of a phase; UNKNOWN before the container is accepted. */
Creel__ContainerState container_phase_state(enum container_phase phase);
/* Returns true if the container may have processes, so that its resources are in use. */
bool container_phase_may_run(enum container_phase phase);
/* Returns true if resources are promised to the container: it is accepted (or about to be), and not ordered
 * to stop. */
bool container_phase_promised(enum container_phase phase);
/* Returns true if the container has ended, or will end without further processes. */
bool container_phase_over(enum container_phase phase);
const char *container_phase_name(enum container_phase phase);
/* Returns the name of EVENT, for tests and for the log. */
const char *container_event_name(enum container_event event);

/* Returns the exit status of a stopped container. STOP_STATUS is the status of the stop order, STOPPED_MS the
 * time of the order, COMMAND_MS that of the command's exit. An exit before the order, an exit with 0 when the
 * application is over, or a status set by the runtime (negative, 154) is not replaced. */
int container_exit_status(int exit_status, long long command_ms, int stop_status, long long stopped_ms);

#endif
