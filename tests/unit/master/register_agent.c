/* SPDX-License-Identifier: Apache-2.0 */
/* register_agent.c - fixture: the agent's core with containers of an earlier agent, which registers */
#include "tests/unit/master/register_agent.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "common/base/id.h"
#include "common/base/mem.h"
#include "nm-agent/core/agent.h"

struct register_agent {
    struct agent *agent;
    struct agent_effects effects;
    struct agent_time now;
};

void register_agent_history(Creel__History *ret)
{
    static uint8_t id[16] = "store";

    creel__history__init(ret);
    ret->store_id = ret->start_id = (ProtobufCBinaryData){ sizeof(id), id };
    ret->commit = 5;
}

static void add_container(struct register_agent *agent, unsigned number)
{
    Creel__StoredStart start = CREEL__STORED_START__INIT;
    Creel__ContainerGrant grant = CREEL__CONTAINER_GRANT__INIT;
    Creel__LaunchContext launch = CREEL__LAUNCH_CONTEXT__INIT;
    Creel__Resource resource = CREEL__RESOURCE__INIT;
    struct container_id id = { { { AGENT_CLUSTER_MS, 1 + number }, 1 }, 0, 1 };
    char text[ID_TEXT_MAX], title[180];
    uint8_t record[1024];

    memset(title, 't', sizeof(title));
    title[sizeof(title) - 1] = '\0';
    grant.container_id = (char *)(uintptr_t)container_id_format(&id, text);
    grant.node_id = (char[]){ NODE };
    grant.user = (char[]){ "ann" };
    grant.resource = &resource;
    resource.memory_mb = 1;
    launch.title = title;
    launch.command = (char *[]){ (char[]){ "true" } };
    launch.n_command = 1;
    start.grant = &grant;
    start.launch = &launch;
    assert_true(creel__stored_start__get_packed_size(&start) < sizeof(record));
    agent_found(agent->agent, agent->now, text, AGENT_FOUND_RUNNING, record,
                creel__stored_start__pack(&start, record), agent->now.wall_ms, &agent->effects);
}

struct register_agent *register_agent_new(unsigned count)
{
    struct register_agent *agent = mem_new0(struct register_agent);
    Creel__History seen;
    uint8_t packed[200];
    struct agent_config config = {
        .node_id = NODE,
        .address = NODE,
        .agent_key = "key",
        .total = resource_of(4096, 4),
        .incarnation = 1,
        .seed = 1,
    };

    register_agent_history(&seen);
    config.history = packed;
    config.history_size = creel__history__pack(&seen, packed);
    agent_effects_init(&agent->effects);
    agent->now = (struct agent_time){ AGENT_CLUSTER_MS + 1000, 1000 };
    agent->agent = agent_new(&config);
    for (unsigned i = 0; i < count; i++)
        add_container(agent, i);
    agent_effects_reset(&agent->effects);
    agent_start(agent->agent, agent->now, &agent->effects);
    return agent;
}

void register_agent_free(struct register_agent *agent)
{
    if (agent == NULL)
        return;
    agent_free(agent->agent);
    agent_effects_done(&agent->effects);
    free(agent);
}

const Creel__Envelope *register_agent_next(struct register_agent *agent)
{
    int64_t end_ms = agent->now.steady_ms + 20000;

    for (;;) {
        int64_t at_ms = agent_next_deadline_ms(agent->agent);

        for (size_t i = 0; i < agent->effects.count; i++)
            if (agent->effects.items[i].kind == AGENT_SEND)
                return agent->effects.items[i].envelope;
        assert_true(at_ms < end_ms);
        if (at_ms > agent->now.steady_ms)
            agent->now.steady_ms = at_ms;
        agent_effects_reset(&agent->effects);
        agent_on_timer(agent->agent, agent->now, &agent->effects);
    }
}

void register_agent_receive(struct register_agent *agent, const Creel__Envelope *reply)
{
    agent_effects_reset(&agent->effects);
    if (reply != NULL)
        agent_on_message(agent->agent, agent->now, reply, &agent->effects);
}

bool register_agent_is_registered(const struct register_agent *agent)
{
    return agent_summarise(agent->agent).registered;
}

int64_t register_agent_now_ms(const struct register_agent *agent)
{
    return agent->now.steady_ms;
}
