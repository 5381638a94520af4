/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shim.h - the parent of one container's command
 *
 * One shim for each container: it outlives the agent, starts the command,
 * waits for it, kills what is left of its cgroup and writes the exit record.
 * libc alone; no heap after the plan has been read, but for reading a directory at the end.
 */
#ifndef CREEL_NM_SHIM_H
#define CREEL_NM_SHIM_H

#include <stdbool.h>
#include <sys/types.h>

#include "nm-agent/linux/exit_record.h"
#include "nm-agent/linux/plan.h"
#include "nm-agent/linux/process.h"

/* Where a start can fail, for the sentence that explains it. */
enum payload_step {
    STEP_FORK, STEP_CGROUP, STEP_LIMITS, STEP_USER, STEP_LOGS, STEP_DIRECTORY, STEP_OUTPUT, STEP_ERRORS,
    STEP_COMMAND,
    STEP_ELSEWHERE,             /* no failure: it goes on in its scratch directory */
};

struct payload_failure {
    enum payload_step step;
    int error;                          /* errno */
};

/* What a command has as standard input, output and error instead of its log files. */
struct payload_io {
    int fds[3];
    bool terminal;                      /* they are one, which becomes its controlling terminal */
};

/* A command on its way. */
struct payload {
    pid_t pid;                          /* -1: there is none */
    int status_fd;                      /* it closes at the exec, or carries a struct payload_failure */
    struct payload_failure failure;
    int elsewhere;                      /* errno with which its directory could not be entered, so that it
                                           runs in its scratch directory; 0: it could */
};
/* Fork for the command; IO NULL: with its log files. */
void payload_begin(const struct plan *plan, const struct payload_io *io, struct payload *payload);
/* Its pid once it was exec'ed; on failure -1 with its FAILURE filled, and no child left. */
pid_t payload_await(struct payload *payload);

/* Say FAILURE in RECORD: status and diagnostics. */
void payload_explain(const struct plan *plan, const struct payload_failure *failure,
                     struct exit_record *record);

/* Wait for PID, end everything else in the cgroup, fill RECORD with how it went. */
void finish_wait(const struct plan *plan, pid_t pid, struct exit_record *record);

/* Wait for COMMAND, which is not reaped, and end it if the host has lost the resource manager for
 * PLAN's stop_after_ms. True: it was ended for that. */
bool cutoff_wait(const struct plan *plan, pid_t command);

/* Add a sentence to the diagnostics of RECORD. */
void record_add(struct exit_record *record, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* leftovers.c: add the names of files that the command has left in PLAN's scratch directory, if the job wants
 * that. */
void leftovers_name(const struct plan *plan, struct exit_record *record);

/* How PID, of which waitpid returned STATUS, counts: its exit code, or 128 + signal. */
int finish_status(int status);

/* What a process that is a shim, or waits to be one, knows of itself. */
struct shim {
    struct process self;
    char *title;                        /* its argument, as others see it; NULL: it never waited */
};

/* --- wait.c: shims that are there before their container (shim_pool.h) --------------- */

/* Be one that waits, at the socket that is SHIM_FD_PLAN, in the groups HOMES (NULL ends them). It
 * comes back with an order, and its descriptors of plan.h, in this process or in one
 * that was forked from it; false: the agent is gone. */
bool wait_for_order(struct shim *shim, char *const *homes);
/* The next one can be forked. */
void wait_pass_on(void);

/* All of a shim that is there for a command inside a running container (exec_message.h); its
 * exit status. */
int enter_main(bool terminal);

/* Make "started" in STATE_FD with the name of the shim, SELF, or -EEXIST: it is there already. */
int state_claim(int state_fd, const struct process *self);
/* Add the command's name, for the agent; best effort. Its time is when the container began. */
void state_note_command(int state_fd, const struct process *self, pid_t pid);
/* Write the exit record, whatever it takes: EXIT_FD was reserved before the start. */
void state_write_exit(int state_fd, int exit_fd, const struct exit_record *record);

#endif
