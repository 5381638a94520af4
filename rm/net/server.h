/* SPDX-License-Identifier: Apache-2.0 */
/* server.h - the four ports of the resource manager: who may send what, and what becomes of it */
#ifndef CREEL_RM_SERVER_H
#define CREEL_RM_SERVER_H

#include <stdbool.h>

#include "rm/net/port.h"

/* --- ports (server.c) ------------------------------------------------------------ */

/* Binds the four ports, and passes received messages on. */
int server_open(struct daemon *daemon, struct err *err);
void server_close(struct daemon *daemon);
/* Passes a request of a user to the history, to the queries or to the master. Files of a submission are
 * stored. */
void server_pass_on(const struct port *port, const struct peer *peer, const Creel__Envelope *request);

/* --- keys (server_keys.c) -------------------------------------------------------- */

/* Finds the users of keys for the gateways, and for the agents that request them. */
void server_open_keys(struct daemon *daemon);
/* Answers FindKeys of an agent. */
void server_find_keys(const struct port *port, const struct peer *peer, const Creel__Envelope *request);

/* --- hosts (server_hosts.c) ------------------------------------------------------ */

/* Refuses REQUEST and returns true if it registers a node that PEER may not be. */
bool server_refuse_node(const struct port *port, const struct peer *peer, const Creel__Envelope *request);
/* Notes for the check refused-agents whether REPLY (NULL: none yet) refuses the registration of PEER. */
void server_note_registration(const struct port *port, const struct peer *peer, const Creel__Envelope *reply);
/* Refuses REQUEST and returns true if PEER, which has connected with the key of a join token, may not send
 * it, or its host has a certificate. */
bool server_refuse_join(const struct port *port, const struct peer *peer, const Creel__Envelope *request);

#endif
