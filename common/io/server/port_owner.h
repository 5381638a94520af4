/* SPDX-License-Identifier: Apache-2.0 */
/* port_owner.h - finds the process that listens on a TCP port of this machine */
#ifndef CREEL_IO_PORT_OWNER_H
#define CREEL_IO_PORT_OWNER_H

#include <stdbool.h>
#include <stddef.h>

/* Writes "creel-rm, process 1234" to TEXT; if processes share the socket, the one that started the others.
 * Returns false if the process cannot be found (another user's process, another namespace). Reads /proc. */
bool port_owner_find(int port, char *text, size_t size);

#endif
