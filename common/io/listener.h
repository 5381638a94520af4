/* SPDX-License-Identifier: Apache-2.0 */
/* listener.h - a TCP socket that listens (private) */
#ifndef CREEL_IO_LISTENER_H
#define CREEL_IO_LISTENER_H

#include "common/base/err.h"

/* Listens on ADDRESS, "host:port", port 0: any free one. Returns the non-blocking socket, which the caller
 * closes, and its *PORT. -EINVAL: not an address; -EADDRNOTAVAIL: the host is not known or not of this
 * machine; -EADDRINUSE: ERR names the address and, where it can be found, the owner. */
int listener_open(const char *address, int *port, struct err *err);

#endif
