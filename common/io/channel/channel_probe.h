/* SPDX-License-Identifier: Apache-2.0 */
/* channel_probe.h - finds out why there is no connection to an address */
#ifndef CREEL_IO_CHANNEL_PROBE_H
#define CREEL_IO_CHANNEL_PROBE_H

#include <stdbool.h>
#include <stddef.h>

/* Tries one TCP connection, for at most 0.2 s, and writes to REASON why it failed: "Connection refused", "no
 * answer", "unknown host: ...". libzmq does not report the reason. */
void channel_probe(const char *address, char *reason, size_t size);

/* Returns whether the host of ADDRESS refuses connections, on each of its addresses: no program listens
 * there. Waits for at most 0.2 s for each address. */
bool channel_probe_is_refused(const char *address);

#endif
