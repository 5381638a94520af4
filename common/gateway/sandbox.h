/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sandbox.h - drops the privileges of creel-gateway and creel-nm-web before a peer can connect
 *
 * First the process drops its rights and sets its limits, before libzmq starts its threads, so that these
 * threads inherit them. Then it restricts the system calls of all threads.
 */
#ifndef CREEL_GATEWAY_SANDBOX_H
#define CREEL_GATEWAY_SANDBOX_H

#include "common/io/server/gateway_frame.h"

/* Switches to the user of SETUP if the process is root, drops all capabilities and every way to gain them,
 * makes the process end with the daemon, and sets the limits of SETUP. Aborts if any step fails. */
void sandbox_drop_rights(const struct gateway_setup *setup);

/* Returns the number of descriptors that this process may have. */
unsigned sandbox_descriptors(void);

/* Prevents all threads from opening files, from creating sockets, processes and threads, and from signalling
 * other processes. System calls that serving does not need fail with EPERM. */
void sandbox_restrict_calls(void);

#endif
