/* SPDX-License-Identifier: Apache-2.0 */
/* agents.c - connections of creel-web to the agents that have the logs */
#include "web/net/agents.h"

#include <errno.h>
#include <stdlib.h>
#include <uthash.h>

#include "common/base/mem.h"
#include "common/upstream/reply.h"

struct agent {
    UT_hash_handle hh; /* by NAME, in the order of the last use */
    char *name;        /* owned: address, blank, key */
    struct link *link; /* owned */
    int64_t used_ms;
};

struct agents {
    struct loop *loop;
    const struct key *own;
    struct agent *by_name; /* owned */
};

struct agents *agents_new(struct loop *loop, const struct key *own)
{
    struct agents *agents = mem_new0(struct agents);

    agents->loop = loop;
    agents->own = own;
    return agents;
}

static void remove_agent(struct agents *agents, struct agent *agent)
{
    HASH_DEL(agents->by_name, agent);
    link_free(agent->link);
    free(agent->name);
    free(agent);
}

void agents_free(struct agents *agents)
{
    struct agent *agent, *next;

    if (agents == NULL)
        return;
    HASH_ITER(hh, agents->by_name, agent, next)
        remove_agent(agents, agent);
    free(agents);
}

/* Closes connections without unanswered requests: those that were not used for AGENTS_IDLE_MS, and, while
 * there are AGENTS_MAX connections, the least recently used ones. */
static void make_room(struct agents *agents)
{
    int64_t now_ms = loop_monotonic_ms();
    struct agent *agent, *next;

    HASH_ITER(hh, agents->by_name, agent, next) {
        if (link_under_way(agent->link) == 0 &&
            (now_ms - agent->used_ms > AGENTS_IDLE_MS || HASH_COUNT(agents->by_name) >= AGENTS_MAX))
            remove_agent(agents, agent);
    }
}

static struct agent *add_agent(struct agents *agents, const char *name, const char *address, const char *key,
                               struct err *err)
{
    struct link_peer peer = {
        .address = address,
        .key = key,
        .program = "creel-nm",
        .patience_ms = AGENTS_PATIENCE_MS,
    };
    struct agent *agent;
    struct link *link;

    make_room(agents);
    if (HASH_COUNT(agents->by_name) >= AGENTS_MAX) {
        err_set(err, EAGAIN, "creel-web has too many connections to agents: try again");
        return NULL;
    }
    if (link_new(agents->loop, &peer, agents->own, &link, err) < 0)
        return NULL;
    agent = mem_new0(struct agent);
    agent->name = mem_strdup(name);
    agent->link = link;
    return agent;
}

void agents_ask(struct agents *agents, const char *address, const char *key, const Creel__Envelope *query,
                site_reply_fn *reply, void *context)
{
    scoped_free char *name = mem_printf("%s %s", address, key);
    struct agent *agent;
    struct err err = { .code = 0 };

    HASH_FIND_STR(agents->by_name, name, agent);
    if (agent != NULL)
        HASH_DEL(agents->by_name, agent);
    else
        agent = add_agent(agents, name, address, key, &err);
    if (agent == NULL) {
        upstream_refuse(reply, context, err.text);
        return;
    }
    agent->used_ms = loop_monotonic_ms();
    HASH_ADD_KEYPTR(hh, agents->by_name, agent->name, strlen(agent->name), agent);
    if (!link_ask(agent->link, query, false, reply, context))
        upstream_refuse(reply, context, "there is no connection to the agent: try again");
}
