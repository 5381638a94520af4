/* SPDX-License-Identifier: Apache-2.0 */
/* gateway_pool_private.h - what a pool of gateways has (of gateway_pool.c and gateway_pool_facts.c) */
#ifndef CREEL_IO_GATEWAY_POOL_PRIVATE_H
#define CREEL_IO_GATEWAY_POOL_PRIVATE_H

#include "common/io/loop/log.h"
#include "common/io/server/gateway_pool.h"
#include "common/io/server/gateway_process.h"
#include "common/io/server/gateway_tally.h"
#include "common/io/server/guests.h"
#include "common/io/server/handshakes.h"
#include "common/io/server/key_counts.h"
#include "common/io/server/owners.h"
#include "common/io/server/penalties.h"
#include "common/io/server/refused_keys.h"

struct gateway_pool {
    struct loop *loop;
    struct admission admission;
    struct gateway_limits limits;
    struct key_count *key_counts; /* connections of each key to ports that are not for agents */
    struct owners owners;         /* bytes sent to the gateways and not confirmed by SENT */
    find_master_fn *find_owner;
    void *owner_context;
    uint64_t unread_full, unread_owner; /* answers not made or lost, by the reason of owners.h */
    unsigned gateways;
    struct gateway_process *processes[GATEWAYS_MAX];
    struct connection *connections[GATEWAYS_MAX]; /* hash tables by `remote` */
    struct port ports[GATEWAY_PORTS_MAX];
    size_t next_port;
    TAILQ_HEAD(, connection)
    judged; /* connections whose key may be withdrawn; the least recently checked
               first */
    unsigned judged_count;
    int judge_timer;
    struct handshakes handshakes;
    struct guests guests;
    struct penalties penalties;
    struct log_limit crowds, remarks, unread;
    struct refused_keys refused;
    struct gateway_tally tally;
};

#endif
