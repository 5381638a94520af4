/* SPDX-License-Identifier: Apache-2.0 */
/* listener.h - opens a listening TCP socket (private) */
#ifndef CREEL_IO_LISTENER_H
#define CREEL_IO_LISTENER_H

#include "common/base/err.h"

/* Listens on ADDRESS, "host:port"; port 0: any free port. Returns the non-blocking socket, which the caller
 * closes, and stores its *PORT. -EINVAL: not an address; -EADDRNOTAVAIL: the host is unknown or not an
 * address of this machine; -EADDRINUSE: ERR names the address and, if known, the process that uses it. */
int listener_open(const char *address, int *port, struct err *err);

#endif
