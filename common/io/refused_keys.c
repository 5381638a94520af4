/* SPDX-License-Identifier: Apache-2.0 */
/* refused_keys.c - the keys that a daemon refused: their number, and the agents among them */
#include "common/io/refused_keys.h"

#include <stdio.h>
#include <string.h>

#include "common/io/admission.h"
#include "common/io/loop.h"

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

static bool is_recent(const struct refused_key *refused, int64_t now_ms)
{
    return refused->refusals > 0 && now_ms - refused->last_ms <= REFUSED_AGENT_KEPT_MS;
}

/* Counts a refusal of an agent. NAME NULL: not known. */
static void add_agent(struct refused_keys *refused, const char *name, const char *key, const char *address,
                      int64_t now_ms)
{
    struct refused_key *found = find(refused, key);

    if (found == NULL)
        found = find_oldest(refused);
    if (strcmp(found->agent.key, key) != 0 || !is_recent(found, now_ms)) {
        *found = (struct refused_key){ .agent.since_ms = loop_now_ms() };
        snprintf(found->agent.key, sizeof(found->agent.key), "%s", key);
    }
    if (name != NULL)
        snprintf(found->agent.name, sizeof(found->agent.name), "%s", name);
    snprintf(found->agent.address, sizeof(found->agent.address), "%s", address);
    found->refusals++;
    found->last_ms = now_ms;
}

void refused_keys_add(struct refused_keys *refused, enum admission_policy policy, const char *key,
                      const char *address, int64_t now_ms)
{
    char more[LOG_MORE_MAX];

    refused->count++;
    if (policy == ADMISSION_AGENTS)
        add_agent(refused, NULL, key, address, now_ms);
    if (log_limit_pass(&refused->log, more))
        log_line(LOG_LEVEL_WARN, "connection from %s: refused, its key %.8s... %s%s", address, key,
                 admission_refusal(policy), more);
}

void refused_keys_name(struct refused_keys *refused, const char *name, const char *key, const char *address,
                       int64_t now_ms)
{
    add_agent(refused, name, key, address, now_ms);
}

void refused_keys_forget(struct refused_keys *refused, const char *key)
{
    struct refused_key *found = find(refused, key);

    if (found != NULL)
        *found = (struct refused_key){ .refusals = 0 };
}

size_t refused_keys_agents(const struct refused_keys *refused, int64_t now_ms, struct refused_agent *ret,
                           size_t room)
{
    size_t count = 0;

    for (size_t i = 0; i < REFUSED_AGENTS_MAX && count < room; i++)
        if (refused->agents[i].refusals > 1 && is_recent(&refused->agents[i], now_ms))
            ret[count++] = refused->agents[i].agent;
    return count;
}
