/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec_message.h - messages from a shim to the agent about a command inside a container
 *
 * They are sent over a pair of SOCK_SEQPACKET sockets, one message per packet. In the other direction the
 * agent sends signal numbers, one int per packet. Agent and shim are installed together: there are no
 * versions.
 */
#ifndef CREEL_NM_EXEC_MESSAGE_H
#define CREEL_NM_EXEC_MESSAGE_H

enum exec_message_kind {
    EXEC_STARTED, /* the command was executed */
    EXEC_FAILED,  /* the command could not be executed: STATUS 126 or 127, and the
                     reason */
    EXEC_ENDED,   /* the command has ended: STATUS is its exit code, or 128 + signal */
};

struct exec_message {
    enum exec_message_kind kind;
    int status;
    char diagnostics[512];
};

/* Descriptors of a shim for a command inside a container, in addition to those of plan.h: control socket;
 * standard input, output and error of the command; the agent's ends of output and error, unless they are a
 * terminal, which the shim empties when no other process reads them (enter.c); the container's state
 * directory. */
enum {
    EXEC_FD_CONTROL = 4,
    EXEC_FD_IN = 5,
    EXEC_FD_OUT = 6,
    EXEC_FD_ERR = 7,
    EXEC_FD_OUT_READ = 8,
    EXEC_FD_ERR_READ = 9,
    EXEC_FD_STATE = 10,
};

#define EXEC_ARGV0 "creel-exec"     /* argv[0] that selects this mode of the shim */
#define EXEC_ON_TERMINAL "terminal" /* argv[2] for a command on a terminal */

#endif
