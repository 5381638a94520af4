/* SPDX-License-Identifier: Apache-2.0 */
/* container_phase.c - state machine of a container on its node, as a table */
#include "nm-agent/core/container_phase.h"

#include <assert.h>

#include "common/base/job/exit_status.h"

/* A missing cell is ACTION_BUG: the pair cannot occur. Events that may be late or repeated have cells. SAVED
 * and SAVE_FAILED after the launch are results of saving a stop order or a preemption notice: they change
 * nothing. */
static const struct container_step table[PHASE_COUNT][EVENT_COUNT] = {
    [PHASE_NEW] = {
        [EVENT_START]         = { PHASE_SAVING,    ACTION_SAVE },
        [EVENT_STOP]          = { PHASE_ENDED,     ACTION_END_STOPPED },
    },
    [PHASE_SAVING] = {
        [EVENT_START]         = { PHASE_SAVING,    ACTION_JOIN },
        [EVENT_SAVED]         = { PHASE_FETCHING,  ACTION_ACCEPT },
        [EVENT_SAVE_FAILED]   = { PHASE_ENDED,     ACTION_END_UNSAVED },
        [EVENT_SAVE_REFUSED]  = { PHASE_GONE,      ACTION_REFUSE },
        [EVENT_STOP]          = { PHASE_DROPPING,  ACTION_NONE },
    },
    [PHASE_DROPPING] = {
        [EVENT_START]         = { PHASE_DROPPING,  ACTION_JOIN },
        [EVENT_SAVED]         = { PHASE_ENDED,     ACTION_END_SAVED },
        [EVENT_SAVE_FAILED]   = { PHASE_ENDED,     ACTION_END_UNSAVED },
        [EVENT_SAVE_REFUSED]  = { PHASE_ENDED,     ACTION_END_UNSAVED },
        [EVENT_STOP]          = { PHASE_DROPPING,  ACTION_NONE },
    },
    [PHASE_FETCHING] = {
        [EVENT_START]         = { PHASE_FETCHING,  ACTION_KNOWN },
        [EVENT_FETCHED]       = { PHASE_WAITING,   ACTION_QUEUE },
        [EVENT_FETCH_FAILED]  = { PHASE_ENDED,     ACTION_END_FAILED },
        [EVENT_STOP]          = { PHASE_ENDED,     ACTION_END_STOPPED },
    },
    [PHASE_WAITING] = {
        [EVENT_START]         = { PHASE_WAITING,   ACTION_KNOWN },
        [EVENT_ROOM]          = { PHASE_LAUNCHING, ACTION_LAUNCH },
        [EVENT_STOP]          = { PHASE_ENDED,     ACTION_END_STOPPED },
    },
    [PHASE_LAUNCHING] = {
        [EVENT_START]         = { PHASE_LAUNCHING, ACTION_KNOWN },
        [EVENT_LAUNCHED]      = { PHASE_LAUNCHING, ACTION_NONE },
        [EVENT_LAUNCH_FAILED] = { PHASE_ENDED,     ACTION_END_FAILED },
        [EVENT_LAUNCH_LATER]  = { PHASE_WAITING,   ACTION_NONE },
        [EVENT_RUNNING]       = { PHASE_RUNNING,   ACTION_TELL },
        [EVENT_EXITED]        = { PHASE_ENDED,     ACTION_END_EXIT },
        [EVENT_STOP]          = { PHASE_STOPPING,  ACTION_STOP },
    },
    [PHASE_RUNNING] = {
        [EVENT_START]         = { PHASE_RUNNING,   ACTION_KNOWN },
        [EVENT_SAVED]         = { PHASE_RUNNING,   ACTION_NONE },
        [EVENT_SAVE_FAILED]   = { PHASE_RUNNING,   ACTION_NONE },
        [EVENT_SAVE_REFUSED]  = { PHASE_RUNNING,   ACTION_NONE },
        [EVENT_LAUNCHED]      = { PHASE_RUNNING,   ACTION_NONE },
        [EVENT_RUNNING]       = { PHASE_RUNNING,   ACTION_NONE },
        [EVENT_COMMAND_ENDED] = { PHASE_ENDING,    ACTION_TELL },
        [EVENT_EXITED]        = { PHASE_ENDED,     ACTION_END_EXIT },
        [EVENT_STOP]          = { PHASE_STOPPING,  ACTION_STOP },
    },
    [PHASE_ENDING] = {
        [EVENT_START]         = { PHASE_ENDING,    ACTION_KNOWN },
        [EVENT_SAVED]         = { PHASE_ENDING,    ACTION_NONE },
        [EVENT_SAVE_FAILED]   = { PHASE_ENDING,    ACTION_NONE },
        [EVENT_SAVE_REFUSED]  = { PHASE_ENDING,    ACTION_NONE },
        [EVENT_LAUNCHED]      = { PHASE_ENDING,    ACTION_NONE },
        [EVENT_RUNNING]       = { PHASE_ENDING,    ACTION_NONE },
        [EVENT_COMMAND_ENDED] = { PHASE_ENDING,    ACTION_NONE },
        [EVENT_EXITED]        = { PHASE_ENDED,     ACTION_END_EXIT },
        [EVENT_STOP]          = { PHASE_STOPPING,  ACTION_STOP },
    },
    [PHASE_STOPPING] = {
        [EVENT_START]         = { PHASE_STOPPING,  ACTION_KNOWN },
        [EVENT_SAVED]         = { PHASE_STOPPING,  ACTION_NONE },
        [EVENT_SAVE_FAILED]   = { PHASE_STOPPING,  ACTION_NONE },
        [EVENT_SAVE_REFUSED]  = { PHASE_STOPPING,  ACTION_NONE },
        [EVENT_LAUNCHED]      = { PHASE_STOPPING,  ACTION_STOP_AGAIN },
        [EVENT_LAUNCH_FAILED] = { PHASE_ENDED,     ACTION_END_FAILED },
        [EVENT_LAUNCH_LATER]  = { PHASE_ENDED,     ACTION_END_FAILED },
        [EVENT_RUNNING]       = { PHASE_STOPPING,  ACTION_STOP_AGAIN },  /* the first stop came before the
                                                                            process */
        [EVENT_COMMAND_ENDED] = { PHASE_STOPPING,  ACTION_NONE },
        [EVENT_EXITED]        = { PHASE_ENDED,     ACTION_END_EXIT },
        [EVENT_STOP]          = { PHASE_STOPPING,  ACTION_NONE },        /* the first stop order is kept */
    },
    [PHASE_ENDED] = {
        [EVENT_START]         = { PHASE_ENDED,     ACTION_KNOWN },
        [EVENT_SAVED]         = { PHASE_ENDED,     ACTION_NONE },
        [EVENT_SAVE_FAILED]   = { PHASE_ENDED,     ACTION_NONE },
        [EVENT_SAVE_REFUSED]  = { PHASE_ENDED,     ACTION_NONE },
        [EVENT_LAUNCHED]      = { PHASE_ENDED,     ACTION_NONE },        /* it ended before the answer to
                                                                            the launch */
        [EVENT_STOP]          = { PHASE_ENDED,     ACTION_KNOWN },
        [EVENT_ACKED]         = { PHASE_ACKED,     ACTION_ACKNOWLEDGE },
    },
    [PHASE_ACKED] = {
        [EVENT_START]         = { PHASE_ACKED,     ACTION_KNOWN },
        [EVENT_SAVED]         = { PHASE_ACKED,     ACTION_NONE },
        [EVENT_SAVE_FAILED]   = { PHASE_ACKED,     ACTION_NONE },
        [EVENT_SAVE_REFUSED]  = { PHASE_ACKED,     ACTION_NONE },
        [EVENT_LAUNCHED]      = { PHASE_ACKED,     ACTION_NONE },
        [EVENT_STOP]          = { PHASE_ACKED,     ACTION_KNOWN },
        [EVENT_ACKED]         = { PHASE_ACKED,     ACTION_NONE },        /* resent, acknowledged again */
    },
};

static const struct {
    const char *name;
    Creel__ContainerState state;
    bool promised, may_run, over;
} phases[PHASE_COUNT] = {
    [PHASE_NEW] = { "NEW", CREEL__CONTAINER_STATE__CONTAINER_UNKNOWN, 0, 0, 0 },
    [PHASE_SAVING] = { "SAVING", CREEL__CONTAINER_STATE__CONTAINER_UNKNOWN, 1, 0, 0 },
    [PHASE_DROPPING] = { "DROPPING", CREEL__CONTAINER_STATE__CONTAINER_UNKNOWN, 0, 0, 0 },
    [PHASE_FETCHING] = { "FETCHING", CREEL__CONTAINER_STATE__CONTAINER_STARTING, 1, 0, 0 },
    [PHASE_WAITING] = { "WAITING", CREEL__CONTAINER_STATE__CONTAINER_STARTING, 1, 0, 0 },
    [PHASE_LAUNCHING] = { "LAUNCHING", CREEL__CONTAINER_STATE__CONTAINER_STARTING, 1, 1, 0 },
    [PHASE_RUNNING] = { "RUNNING", CREEL__CONTAINER_STATE__CONTAINER_RUNNING, 1, 1, 0 },
    [PHASE_ENDING] = { "ENDING", CREEL__CONTAINER_STATE__CONTAINER_STOPPING, 0, 1, 0 },
    [PHASE_STOPPING] = { "STOPPING", CREEL__CONTAINER_STATE__CONTAINER_STOPPING, 0, 1, 0 },
    [PHASE_ENDED] = { "ENDED", CREEL__CONTAINER_STATE__CONTAINER_COMPLETE, 0, 0, 1 },
    [PHASE_ACKED] = { "ACKED", CREEL__CONTAINER_STATE__CONTAINER_COMPLETE, 0, 0, 1 },
    [PHASE_GONE] = { "GONE", CREEL__CONTAINER_STATE__CONTAINER_UNKNOWN, 0, 0, 1 },
};

static const char *const event_names[EVENT_COUNT] = {
    [EVENT_START] = "START",
    [EVENT_SAVED] = "SAVED",
    [EVENT_SAVE_FAILED] = "SAVE_FAILED",
    [EVENT_SAVE_REFUSED] = "SAVE_REFUSED",
    [EVENT_FETCHED] = "FETCHED",
    [EVENT_FETCH_FAILED] = "FETCH_FAILED",
    [EVENT_ROOM] = "ROOM",
    [EVENT_LAUNCHED] = "LAUNCHED",
    [EVENT_LAUNCH_FAILED] = "LAUNCH_FAILED",
    [EVENT_LAUNCH_LATER] = "LAUNCH_LATER",
    [EVENT_RUNNING] = "RUNNING",
    [EVENT_COMMAND_ENDED] = "COMMAND_ENDED",
    [EVENT_EXITED] = "EXITED",
    [EVENT_STOP] = "STOP",
    [EVENT_ACKED] = "ACKED",
};

struct container_step container_step(enum container_phase phase, enum container_event event)
{
    assert(phase < PHASE_COUNT && event < EVENT_COUNT);
    return table[phase][event];
}

Creel__ContainerState container_phase_state(enum container_phase phase)
{
    return phases[phase].state;
}

bool container_phase_may_run(enum container_phase phase)
{
    return phases[phase].may_run;
}

bool container_phase_promised(enum container_phase phase)
{
    return phases[phase].promised;
}

bool container_phase_over(enum container_phase phase)
{
    return phases[phase].over;
}

const char *container_phase_name(enum container_phase phase)
{
    return phases[phase].name;
}

const char *container_event_name(enum container_event event)
{
    return event_names[event];
}

/* Differs: in YARN any exit code except 137 and 143 overrides the status of the stop order. A program that
 * handles SIGTERM by exiting with status 1 would then count as failed although it was preempted. In creel the
 * earlier of exit and stop order decides. */
int container_exit_status(int exit_status, long long command_ms, int stop_status, long long stopped_ms)
{
    if (stop_status == 0 || exit_status < 0 || exit_status == CONTAINER_EXIT_LOST)
        return exit_status;
    /* Differs: in YARN an exit with 0 is a success also after a stop. But a program that handles SIGTERM,
     * saves its work and exits with 0 is not done, unless its application is over. The end of an attempt that
     * another follows has CONTAINER_EXIT_BY_RM: rm_attempt_stop_status. */
    if (exit_status == 0 && stop_status == CONTAINER_EXIT_APP_OVER)
        return exit_status;
    if (command_ms < stopped_ms)
        return exit_status;
    return stop_status;
}
