/* SPDX-License-Identifier: Apache-2.0 */
/* gateway_settings.h - reads the limits of a daemon's gateways from the configuration */
#ifndef CREEL_DAEMON_GATEWAY_SETTINGS_H
#define CREEL_DAEMON_GATEWAY_SETTINGS_H

#include "common/conf/conf.h"
#include "common/io/channel/gateway_limits.h"

static inline struct gateway_limits gateway_settings(const struct conf *conf)
{
    return (struct gateway_limits){
        .handshakes_max = (uint64_t)conf_bytes(conf, CONF_GATEWAY_HANDSHAKES_SIZE),
        .handshake_ms = (uint32_t)conf_ms(conf, CONF_GATEWAY_HANDSHAKE_MS),
        .address_connections_max = (uint32_t)conf_int(conf, CONF_GATEWAY_ADDRESS_CONNECTIONS),
        .key_connections_max = (uint32_t)conf_int(conf, CONF_GATEWAY_KEY_CONNECTIONS),
    };
}

#endif
