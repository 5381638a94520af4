/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec_session.h - one command inside a container: its streams and its end
 *
 * What it writes is kept until the one who started it has it, up to a bound, beyond
 * which the command waits; what is typed waits for the command likewise. So nothing
 * is lost when messages are, and no output fills the agent.
 */
#ifndef CREEL_NM_EXEC_SESSION_H
#define CREEL_NM_EXEC_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nm-agent/linux/exec.h"

#define EXEC_OUTPUT_MAX ((size_t)256 << 10)     /* kept of each stream */
#define EXEC_INPUT_MAX ((size_t)64 << 10)

struct exec_output {
    uint64_t offset;                    /* of DATA[0] in all that was written */
    uint8_t *data;                      /* owned; NULL until something is written */
    size_t size;
    bool closed;                        /* no more will come */
};

struct exec_session;

/* Takes PROCESS over. */
struct exec_session *exec_session_new(struct exec_process *process);
/* Kills what runs of it. Returns its shim, a child that is yet to be waited for. */
pid_t exec_session_free(struct exec_session *session);

/* Readable when exec_session_pump has something to do. */
int exec_session_fd(const struct exec_session *session);
/* Move what can be moved, without waiting. */
void exec_session_pump(struct exec_session *session);

/* Output STREAM (0: standard output or the terminal, 1: standard error). */
const struct exec_output *exec_session_output(const struct exec_session *session, int stream);
/* The reader has all before OFFSET. False if that is more than there ever was. */
bool exec_session_had(struct exec_session *session, int stream, uint64_t offset);

/* SIZE bytes at OFFSET of the input; END: nothing follows. What was taken before is
 * skipped. Returns how much was taken so far, in all. */
uint64_t exec_session_write(struct exec_session *session, uint64_t offset, const void *data,
                            size_t size, bool end);
void exec_session_resize(struct exec_session *session, unsigned rows, unsigned columns);
void exec_session_signal(struct exec_session *session, int signal_number);

/* It began, or never will: then it has ended, too. */
bool exec_session_began(const struct exec_session *session);
/* Over, and all that it wrote is in the outputs; with its status, and why ("": by itself). */
bool exec_session_ended(const struct exec_session *session, int *status,
                        const char **diagnostics);

#endif
