/* SPDX-License-Identifier: Apache-2.0 */
/*
 * term_note.h - sends SIGTERM to the processes of a container, or of one step of it, to each process once
 *
 * A step, which is a command that a client runs inside the container (enter.c), may be stopped while the
 * container runs. Its shim writes the processes that get SIGTERM for that to "term.PID" in the container's
 * state directory, where PID is the shim. A stop of the container, by the agent or by the container's shim,
 * omits these processes: a program that saves its work would take a second SIGTERM as an order to abort. The
 * file is removed when the step has ended. Agent and shim use this file, so it needs libc alone.
 */
#ifndef CREEL_NM_TERM_NOTE_H
#define CREEL_NM_TERM_NOTE_H

#include <sys/types.h>

#include "nm-agent/linux/cgroup/cgroup_leaf.h"

/* Sends SIGTERM, then SIGCONT, to the processes in LEAF that are below the process SHIM, and notes them in
 * STATE_FD first. If they cannot be noted, as on a full disk, they get SIGTERM nevertheless. */
void term_note_step(const struct leaf *leaf, int state_fd, pid_t shim);
/* Removes the file of SHIM. */
void term_note_forget(int state_fd, pid_t shim);

/* Sends SIGTERM to all processes in LEAF that are not noted in STATE_FD (-1: all), then SIGCONT to all.
 * Returns the number of processes that have had SIGTERM, now or before. */
int term_note_container(const struct leaf *leaf, int state_fd);

#endif
