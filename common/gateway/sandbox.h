/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sandbox.h - what creel-gateway gives up before a peer can reach it (private)
 *
 * In this order: its rights and its limits before libzmq starts its threads, so that these inherit them; then
 * the system calls of all threads.
 */
#ifndef CREEL_GATEWAY_SANDBOX_H
#define CREEL_GATEWAY_SANDBOX_H

#include "common/io/gateway_frame.h"

/* Becomes the user of SETUP if this is root, loses all capabilities and the way to get any, ends with the
 * daemon, and has the limits of SETUP. Aborts if any of it fails. */
void sandbox_drop_rights(const struct gateway_setup *setup);

/* How many descriptors this process may have. */
unsigned sandbox_descriptors(void);

/* From now on no thread opens a file, makes a socket, a process or a thread, or signals another process.
 * Other system calls than those that serving needs fail with EPERM. */
void sandbox_restrict_calls(void);

#endif
