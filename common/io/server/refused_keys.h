/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refused_keys.h - the keys that a daemon refused: their number, and the agents among them (private)
 *
 * Any host that reaches the port of agents can show an unknown key, so the number of known agents is bounded,
 * and a key counts as an agent's only when it is refused again: agents try again every few seconds. An agent
 * that has not tried for REFUSED_AGENT_KEPT_MS is forgotten. An agent whose registration was refused ends, so
 * it is known at once, and for REFUSED_NODE_KEPT_MS.
 */
#ifndef CREEL_IO_REFUSED_KEYS_H
#define CREEL_IO_REFUSED_KEYS_H

#include "common/io/channel/channel.h"
#include "common/io/loop/log.h"

#define REFUSED_AGENTS_MAX 64 /* if full, the one that has not tried for the longest time is replaced */
#define REFUSED_AGENT_KEPT_MS 60000
#define REFUSED_NODE_KEPT_MS 3600000

struct keys;

struct refused_key {
    struct refused_agent agent;
    char *reason;   /* owned; agent.reason */
    bool is_of_key; /* the reason is one of the key, not of a registration */
    unsigned refusals;
    int64_t last_ms; /* steady clock */
};

struct refused_keys { /* zeros: none */
    uint64_t count;
    struct log_limit log;
    struct refused_key agents[REFUSED_AGENTS_MAX];
};

void refused_keys_done(struct refused_keys *refused);

/* Counts and logs the refusal of a peer that POLICY does not admit. NOW_MS: steady clock. */
void refused_keys_add(struct refused_keys *refused, enum admission_policy policy, const char *key,
                      const char *address, int64_t now_ms);
/* Notes that the connection of the agent NAME was closed because its certificate is gone. */
void refused_keys_name(struct refused_keys *refused, const char *name, const char *key, const char *address,
                       int64_t now_ms);
/* Notes why KEY of an agent, which refused_keys_add has counted, is not admitted, if KEYS has its
 * certificate. */
void refused_keys_explain(struct refused_keys *refused, const struct keys *keys, const char *key);
/* Notes that the registration of the agent NAME was refused for REASON. */
void refused_keys_add_node(struct refused_keys *refused, const char *name, const char *key,
                           const char *address, const char *reason, int64_t now_ms);
/* Forgets an agent that has registered. */
void refused_keys_forget(struct refused_keys *refused, const char *key);
/* Writes agents that are refused to RET, at most ROOM. Returns the number of all. */
size_t refused_keys_agents(const struct refused_keys *refused, int64_t now_ms, struct refused_agent *ret,
                           size_t room);

#endif
