/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gateway_limits.h - configurable limits on the resources that peers use in the gateways of a daemon
 *
 * gateway_frame.h has the limits that are constants, among them the length of a message, which both ends of a
 * connection know.
 */
#ifndef CREEL_IO_GATEWAY_LIMITS_H
#define CREEL_IO_GATEWAY_LIMITS_H

#include <stdint.h>

struct gateway_limits {
    uint64_t handshakes_max;          /* bytes of all connections of a gateway that have not sent a
                                         message */
    uint32_t handshake_ms;            /* a handshake that takes longer is aborted */
    uint32_t address_connections_max; /* connections of one address to one gateway; 0: a quarter of the
                                         gateway's sockets */
    uint32_t key_connections_max;     /* connections with one key to this daemon, agents exempt; 0: no
                                         limit */
};

/* The defaults of the configuration (common/conf/key_table.h). */
#define GATEWAY_LIMITS_DEFAULT ((struct gateway_limits){ (uint64_t)128 << 20, 15000, 0, 4096 })

#endif
