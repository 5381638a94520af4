/* SPDX-License-Identifier: Apache-2.0 */
/* port.h - one of the four ports of the resource manager, as the files that answer requests see it */
#ifndef CREEL_RM_PORT_H
#define CREEL_RM_PORT_H

#include "common/io/channel/channel.h"
#include "rm/master/master.h"

struct daemon;

/* The server of a channel, with the channel's kind. The array of all is by enum master_channel. */
struct port {
    struct daemon *daemon; /* for the callbacks of the server (server.c) */
    enum master_channel channel;
    struct channel_server *server;
};

/* Returns PEER, which has sent a request to PORT, as the master knows it; borrowed. */
static inline struct master_peer port_asker(const struct port *port, const struct peer *peer)
{
    return (struct master_peer){ port->channel, peer->connection, peer->principal, peer->job };
}

#endif
