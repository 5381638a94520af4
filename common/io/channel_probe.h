/* SPDX-License-Identifier: Apache-2.0 */
/* channel_probe.h - why there is no connection to an address (private) */
#ifndef CREEL_IO_CHANNEL_PROBE_H
#define CREEL_IO_CHANNEL_PROBE_H

#include <stddef.h>

/* Try one TCP connection, a fifth of a second at most, and say what became of it:
 * "Connection refused", "no answer", "unknown host: ...". libzmq does not tell. */
void channel_probe(const char *address, char *reason, size_t size);

#endif
