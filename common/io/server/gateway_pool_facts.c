/* SPDX-License-Identifier: Apache-2.0 */
/* gateway_pool_facts.c - how a pool of gateways finds users and keys, and what it has counted */
#include "common/io/server/gateway_pool_private.h"

void gateway_pool_connections(const struct gateway_pool *pool, struct gateway_counts *ret)
{
    *ret = gateway_tally_sum(&pool->tally);
}

void gateway_pool_find_masters(struct gateway_pool *pool, find_master_fn *find_master, void *context)
{
    pool->admission.find_master = find_master;
    pool->admission.context = context;
}

void gateway_pool_find_joined(struct gateway_pool *pool, find_master_fn *find_host,
                              find_master_fn *find_token, void *context)
{
    pool->admission.find_host = find_host;
    pool->admission.find_token = find_token;
    pool->admission.join_context = context;
}

void gateway_pool_set_owners(struct gateway_pool *pool, find_master_fn *find_owner, void *context)
{
    pool->find_owner = find_owner;
    pool->owner_context = context;
}

struct gateway_unread gateway_pool_unread(const struct gateway_pool *pool)
{
    const size_t gateway_max =
        GATEWAY_HOSTS_WAITING_MAX + GATEWAY_USERS_WAITING_MAX + GATEWAY_STRANGERS_WAITING_MAX;

    return (struct gateway_unread){
        .used_kib = (uint32_t)(owners_waiting(&pool->owners) >> 10),
        .limit_kib = (uint32_t)(pool->gateways * gateway_max >> 10),
        .refused_full = pool->unread_full,
        .refused_owner = pool->unread_owner,
    };
}

void gateway_pool_set_users(struct gateway_pool *pool, const struct channel_users *users)
{
    pool->admission.users = *users;
}

void gateway_pool_set_lookup(struct gateway_pool *pool, key_lookup_fn *lookup, void *context)
{
    pool->admission.lookup = lookup;
    pool->admission.lookup_context = context;
}

uint64_t gateway_pool_refused_keys(const struct gateway_pool *pool)
{
    return pool->refused.count;
}

size_t gateway_pool_refused_agents(const struct gateway_pool *pool, struct refused_agent *ret, size_t room)
{
    return refused_keys_agents(&pool->refused, loop_monotonic_ms(), ret, room);
}

void gateway_pool_note_registration(struct gateway_pool *pool, const struct peer *peer, const char *reason)
{
    if (reason == NULL)
        refused_keys_forget(&pool->refused, peer->key);
    else
        refused_keys_add_node(&pool->refused, peer->principal, peer->key, peer->address, reason,
                              loop_monotonic_ms());
}

struct gateway_deaths gateway_pool_deaths(const struct gateway_pool *pool)
{
    return pool->tally.deaths;
}
