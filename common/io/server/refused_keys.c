/* SPDX-License-Identifier: Apache-2.0 */
/* refused_keys.c - the keys that a daemon refused: their number, and the agents among them */
#include "common/io/server/refused_keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/io/keys/keys.h"
#include "common/io/loop/loop.h"
#include "common/io/server/admission.h"

static struct refused_key *find(struct refused_keys *refused, const char *key)
{
    for (size_t i = 0; i < REFUSED_AGENTS_MAX; i++)
        if (strcmp(refused->agents[i].agent.key, key) == 0)
            return &refused->agents[i];
    return NULL;
}

static struct refused_key *find_oldest(struct refused_keys *refused)
{
    struct refused_key *oldest = &refused->agents[0];

    for (size_t i = 1; i < REFUSED_AGENTS_MAX; i++)
        if (refused->agents[i].last_ms < oldest->last_ms)
            oldest = &refused->agents[i];
    return oldest;
}

static void forget(struct refused_key *refused)
{
    free(refused->reason);
    *refused = (struct refused_key){ .refusals = 0 };
}

void refused_keys_done(struct refused_keys *refused)
{
    for (size_t i = 0; i < REFUSED_AGENTS_MAX; i++)
        forget(&refused->agents[i]);
}

static bool is_recent(const struct refused_key *refused, int64_t now_ms)
{
    int64_t kept_ms =
        refused->reason != NULL && !refused->is_of_key ? REFUSED_NODE_KEPT_MS : REFUSED_AGENT_KEPT_MS;

    return refused->refusals > 0 && now_ms - refused->last_ms <= kept_ms;
}

/* Counts a refusal of an agent. NAME NULL: not known. */
static struct refused_key *add_agent(struct refused_keys *refused, const char *name, const char *key,
                                     const char *address, int64_t now_ms)
{
    struct refused_key *found = find(refused, key);

    if (found == NULL)
        found = find_oldest(refused);
    if (strcmp(found->agent.key, key) != 0 || !is_recent(found, now_ms)) {
        forget(found);
        found->agent.since_ms = loop_now_ms();
        snprintf(found->agent.key, sizeof(found->agent.key), "%s", key);
    }
    if (name != NULL)
        snprintf(found->agent.name, sizeof(found->agent.name), "%s", name);
    snprintf(found->agent.address, sizeof(found->agent.address), "%s", address);
    found->refusals++;
    found->last_ms = now_ms;
    return found;
}

/* REASON NULL: the key is not admitted. */
static void set_reason(struct refused_key *refused, const char *reason)
{
    free(refused->reason);
    refused->agent.reason = refused->reason = reason != NULL ? mem_strdup(reason) : NULL;
    refused->is_of_key = false;
}

void refused_keys_add(struct refused_keys *refused, enum admission_policy policy, const char *key,
                      const char *address, int64_t now_ms)
{
    char more[LOG_MORE_MAX];

    refused->count++;
    if (policy == ADMISSION_AGENTS)
        set_reason(add_agent(refused, NULL, key, address, now_ms), NULL);
    if (log_limit_pass(&refused->log, more))
        log_line(LOG_LEVEL_WARN, "connection from %s: refused, its key %.8s... %s%s", address, key,
                 admission_refusal(policy), more);
}

void refused_keys_name(struct refused_keys *refused, const char *name, const char *key, const char *address,
                       int64_t now_ms)
{
    set_reason(add_agent(refused, name, key, address, now_ms), NULL);
}

void refused_keys_explain(struct refused_keys *refused, const struct keys *keys, const char *key)
{
    struct refused_key *found = find(refused, key);
    const char *name = NULL;
    scoped_free char *reason =
        keys != NULL && found != NULL ? keys_why_not(keys, KEY_AGENT, key, &name) : NULL;

    if (reason == NULL)
        return;
    if (name != NULL)
        snprintf(found->agent.name, sizeof(found->agent.name), "%s", name);
    set_reason(found, reason);
    found->is_of_key = true;
}

void refused_keys_add_node(struct refused_keys *refused, const char *name, const char *key,
                           const char *address, const char *reason, int64_t now_ms)
{
    set_reason(add_agent(refused, name, key, address, now_ms), reason);
}

void refused_keys_forget(struct refused_keys *refused, const char *key)
{
    struct refused_key *found = find(refused, key);

    if (found != NULL)
        forget(found);
}

static bool is_listed(const struct refused_key *refused, int64_t now_ms)
{
    return (refused->refusals > 1 || refused->reason != NULL) && is_recent(refused, now_ms);
}

size_t refused_keys_agents(const struct refused_keys *refused, int64_t now_ms, struct refused_agent *ret,
                           size_t room)
{
    size_t count = 0;

    for (size_t i = 0; i < REFUSED_AGENTS_MAX; i++) {
        if (!is_listed(&refused->agents[i], now_ms))
            continue;
        if (count < room)
            ret[count] = refused->agents[i].agent;
        count++;
    }
    return count;
}
