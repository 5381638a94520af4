/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec_session.h - moves input and output of one command inside a container, and reports its exit
 *
 * Output is stored until the client has received it, up to a limit, at which the command blocks. Input is
 * stored until the command reads it. So lost messages lose no data, and output cannot fill the agent's
 * memory.
 */
#ifndef CREEL_NM_EXEC_SESSION_H
#define CREEL_NM_EXEC_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nm-agent/linux/runtime/exec.h"

#define EXEC_OUTPUT_MAX ((size_t)256 << 10) /* bytes stored of each stream */
#define EXEC_INPUT_MAX ((size_t)64 << 10)

struct exec_output {
    uint64_t offset; /* position of DATA[0] in the whole output */
    uint8_t *data;   /* owned; NULL until the command writes */
    size_t size;
    bool closed; /* the stream has ended */
};

struct exec_session;

/* Takes ownership of PROCESS. */
struct exec_session *exec_session_new(struct exec_process *process);
/* Stops the command if it still runs (exec.h). Returns the pid of the session's shim, a child that must be
 * waited for. */
pid_t exec_session_free(struct exec_session *session);

/* Returns a descriptor that is readable when exec_session_pump has work to do. */
int exec_session_fd(const struct exec_session *session);
/* Moves input and output, without blocking. */
void exec_session_pump(struct exec_session *session);

/* Returns the output STREAM (0: standard output or the terminal, 1: standard error). */
const struct exec_output *exec_session_output(const struct exec_session *session, int stream);
/* Records that the client has received the output before OFFSET. Returns false if OFFSET is beyond the end of
 * the output. */
bool exec_session_had(struct exec_session *session, int stream, uint64_t offset);

/* Adds SIZE bytes at OFFSET of the input; END: the input ends after them. Bytes accepted before are skipped.
 * Returns the total number of bytes accepted so far. */
uint64_t exec_session_write(struct exec_session *session, uint64_t offset, const void *data, size_t size,
                            bool end);
void exec_session_resize(struct exec_session *session, unsigned rows, unsigned columns);
void exec_session_signal(struct exec_session *session, int signal_number);

/* Returns true if the command has started, or could not be started; in the latter case it has also ended. */
bool exec_session_began(const struct exec_session *session);
/* Returns true if the command has ended and the outputs have everything that it wrote. Then *STATUS is its
 * exit status, and *DIAGNOSTICS the reason ("": it exited by itself). */
bool exec_session_ended(const struct exec_session *session, int *status, const char **diagnostics);

#endif
