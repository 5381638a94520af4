/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frame.h - the queries of creel-nm-web to its agent
 *
 * creel-nm-web is started like a gateway (common/io/server/gateway_process.h): after SETUP, NODE_WEB_TLS if
 * the
 * port is for HTTPS, and one LISTEN without payload, whose descriptor is the socket of the port, it answers
 * HELLO; it answers each PING with PONG. Then it may send queries, each with a number of its choice in the
 * header's member `connection`; the agent answers each with one reply that has this number.
 *
 *   creel-nm-web -> agent     payload
 *   NODE_WEB_ASK_STATE        none
 *   NODE_WEB_ASK_LOG          an Envelope with a ReadLog, packed
 *   NODE_WEB_CERTIFICATE      two int64_t: when the certificate of NODE_WEB_TLS expires and begins, in
 *                             milliseconds since 1970; 0: it cannot be read; no reply
 *   NODE_WEB_NOTE             a line for the agent's log, of at most NODE_WEB_NOTE_MAX bytes; no reply
 *
 *   agent -> creel-nm-web
 *   NODE_WEB_TLS              certificate and private key as PEM, each with a 0 byte behind it
 *   NODE_WEB_STATE            an AgentSnapshot, packed
 *   NODE_WEB_LOG              an Envelope with a LogChunk or an Error, packed
 *
 * The agent ends a creel-nm-web that sends anything else, or has more than NODE_WEB_QUERIES_MAX unanswered
 * queries.
 */
#ifndef CREEL_NM_WEB_FRAME_H
#define CREEL_NM_WEB_FRAME_H

#include "common/io/server/gateway_frame.h"

#define NODE_WEB_QUERIES_MAX 64u
#define NODE_WEB_QUERY_MAX 4096u /* bytes of a query */
#define NODE_WEB_NOTE_MAX 512u

enum node_web_frame_type {
    NODE_WEB_STATE = 32,
    NODE_WEB_LOG,
    NODE_WEB_TLS,
    NODE_WEB_ASK_STATE = 96,
    NODE_WEB_ASK_LOG,
    NODE_WEB_NOTE,
    NODE_WEB_CERTIFICATE,
};

#endif
