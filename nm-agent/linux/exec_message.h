/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec_message.h - what a shim reports to the agent of a command inside a container
 *
 * Over a pair of SOCK_SEQPACKET sockets, a message each. The other way go
 * signal numbers, an int each. Agent and shim are installed together: no versions.
 */
#ifndef CREEL_NM_EXEC_MESSAGE_H
#define CREEL_NM_EXEC_MESSAGE_H

enum exec_message_kind {
    EXEC_STARTED,                       /* it was exec'ed */
    EXEC_FAILED,                        /* it could not be: status 126 or 127, and why */
    EXEC_ENDED,                         /* STATUS is its exit code, or 128 + signal */
};

struct exec_message {
    enum exec_message_kind kind;
    int status;
    char diagnostics[512];
};

/* Descriptors that such a shim is born with, behind those of plan.h: its standard ones. */
enum { EXEC_FD_CONTROL = 4, EXEC_FD_IN = 5, EXEC_FD_OUT = 6, EXEC_FD_ERR = 7 };

#define EXEC_ARGV0 "creel-exec"         /* by which the shim knows what it is for */
#define EXEC_ON_TERMINAL "terminal"     /* argv[2] */

#endif
