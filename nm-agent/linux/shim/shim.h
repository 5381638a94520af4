/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shim.h - functions of creel-shim, the parent process of one container's command
 *
 * Each container has one shim, which outlives the agent. It starts the command, waits for it, kills the
 * processes left in its cgroup, and writes the exit record. It links only libc, and allocates no memory after
 * reading the plan, except for reading a directory at the end.
 */
#ifndef CREEL_NM_SHIM_H
#define CREEL_NM_SHIM_H

#include <stdbool.h>
#include <sys/types.h>

#include "nm-agent/linux/parts/exit_record.h"
#include "nm-agent/linux/parts/process.h"
#include "nm-agent/linux/parts/stop_order.h"
#include "nm-agent/linux/shim/plan.h"

/* Step at which a start failed, for the message that explains it. */
enum payload_step {
    STEP_FORK,
    STEP_CGROUP,
    STEP_LIMITS,
    STEP_USER,
    STEP_LOGS,
    STEP_UNPACK,
    STEP_DIRECTORY,
    STEP_INPUT,
    STEP_OUTPUT,
    STEP_ERRORS,
    STEP_COMMAND,
    STEP_ELSEWHERE, /* no failure: the command runs in its scratch directory */
    STEP_REDUCED,   /* no failure: some of its soft limits are reduced */
};

#define PAYLOAD_TEXT_MAX 400

struct payload_failure {
    enum payload_step step;
    int error;                   /* errno of that step */
    char text[PAYLOAD_TEXT_MAX]; /* STEP_UNPACK: the message of creel-unpack; "": it could not be run;
                                    STEP_REDUCED: the limits */
};

/* Standard input, output and error of a command, instead of its log files. */
struct payload_io {
    int fds[3];
    bool terminal; /* all are one terminal, which becomes the controlling terminal */
};

/* A command that is being started. */
struct payload {
    pid_t pid;     /* -1: no process */
    int status_fd; /* pipe that closes at the exec, or carries a struct
                      payload_failure */
    struct payload_failure failure;
    int elsewhere; /* errno of entering its directory: it runs in its scratch directory instead; 0: no
                      error */
    char reduced[PAYLOAD_TEXT_MAX]; /* its soft limits that are above the hard ones; "": none */
};
/* Forks for the command; IO NULL: output goes to its log files. */
void payload_begin(const struct plan *plan, const struct payload_io *io, struct payload *payload);
/* Returns the pid of the command once it was executed; -1 on failure, with FAILURE filled and no child
 * left. */
pid_t payload_await(struct payload *payload);

/* Unpacks the archives of PLAN in its scratch directory: runs creel-unpack, in the payload's process, with
 * the rights of the user. Returns 0; -EINVAL with a message in TEXT, which names the archive; or another
 * error, with a message or "". */
int unpack_archives(const struct plan *plan, char text[PAYLOAD_TEXT_MAX]);

/* soft_limits.c, called in the payload's process: writes the soft limits of PLAN that are above the hard ones
 * of this process to TEXT, except those without a note; "": none. */
void payload_find_reduced(const struct plan *plan, char text[PAYLOAD_TEXT_MAX]);
/* Sets the soft limits of PLAN, as far as the hard ones of this process allow. */
void payload_set_soft_limits(const struct plan *plan);

/* Reads a message of a child until the end of FD; TEXT gets its first line, without the newline. */
void message_read(int fd, char text[PAYLOAD_TEXT_MAX]);

/* Called in a new process: enters the control group of PLAN and becomes its user. Returns 0 or -errno. */
int payload_enter(const struct plan *plan);

/* Called after finish_wait. Packs the results of the command in DIRECTORY, where it ran: runs creel-pack, in
 * the control group of PLAN and with the rights of the user. Adds the first problem to the diagnostics of
 * RECORD. If no results are requested, calls leftovers_name. */
void results_make(const struct plan *plan, const char *directory, struct container_end *record);

/* Writes FAILURE to RECORD: status and diagnostics. */
void payload_explain(const struct plan *plan, const struct payload_failure *failure,
                     struct container_end *record);

/* Waits for PID and all other processes of the container, ends them (grace.h), and fills RECORD with
 * the result. */
void finish_wait(const struct plan *plan, pid_t pid, struct container_end *record);

/* Adds a sentence to the diagnostics of RECORD. */
void record_add(struct container_end *record, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* leftovers.c: adds the names of the files that the command left in PLAN's scratch directory, if PLAN has
 * name_leftovers. */
void leftovers_name(const struct plan *plan, struct container_end *record);

/* Converts STATUS, a result of waitpid, to an exit status: the exit code, or 128 + signal. */
int finish_status(int status);

/* Identity of a shim process, running or waiting. */
struct shim {
    struct process self;
    char *title;         /* its argument in the process list; NULL: the shim never waited */
    char *arguments_end; /* if TITLE: last byte of its arguments in the process list */
};

/* --- wait.c: shims started before their container (shim_pool.h) ---------------------- */

/* Waits for an order at the socket SHIM_FD_PLAN, in the groups HOMES (NULL at the end). Returns true with an
 * order and its descriptors of plan.h, in this process or in a process forked from it; false: the agent has
 * ended. */
bool wait_for_order(struct shim *shim, char *const *homes);
/* Writes a byte to the pipe of the template process, which then forks the next shim. */
void wait_pass_on(void);

/* Main function of a shim for a command inside a running container (exec_message.h); returns its exit
 * status. */
int enter_main(bool terminal);

/* Creates "started" in STATE_FD with the identity of the shim, SELF. -EEXIST: it exists already. */
int state_claim(int state_fd, const struct process *self);
/* Appends the command's identity, for the agent; errors are ignored. The command's start time is the start
 * time of the container. */
void state_note_command(int state_fd, const struct process *self, pid_t pid);
/* Reads the agent's order to stop the container; zero: none. */
void state_read_order(int state_fd, struct stop_order *order);
/* SIGTERM was sent to all processes of the container: remembers it, and returns whether it was. */
void state_note_terminated(int state_fd);
/* A process of the container was killed and does not end, for the agent. */
void state_note_stuck(int state_fd);
/* PID, a process of a step, was killed and does not end, for the agent. */
void state_note_stuck_step(int state_fd, pid_t pid);
void state_note_command_end(int state_fd, const struct command_end *end);
bool state_is_terminated(int state_fd);
/* The keeper removes its file before it ends all containers of the host with SIGTERM. */
bool state_keeper_is_stopped(const struct plan *plan);
/* Writes the exit record. Its space in EXIT_FD was reserved before the start, so that a full disk cannot
 * prevent the write. */
void state_write_exit(int state_fd, int exit_fd, const struct container_end *record);

#endif
