/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_limits.h - what peers may cost the gateways of a daemon, as an operator can set it
 *
 * gateway_frame.h has the limits that are constants, among them the length of a message: both ends of a
 * connection know it.
 */
#ifndef CREEL_IO_GATE_LIMITS_H
#define CREEL_IO_GATE_LIMITS_H

#include <stdint.h>

struct gate_limits {
    uint64_t handshakes_max;            /* bytes of all connections of a gateway that have sent no message */
    uint32_t handshake_ms;              /* a slower one is cut */
    uint32_t address_connections_max;   /* of one address to one gateway; 0: a quarter of all it may have */
    uint32_t key_connections_max;       /* with one key to this daemon, but agents; 0: any number */
};

/* As the configuration has them if nothing is set (common/conf/key_table.h). */
#define GATE_LIMITS_DEFAULT ((struct gate_limits){ (uint64_t)128 << 20, 15000, 0, 4096 })

#endif
