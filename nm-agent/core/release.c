/* SPDX-License-Identifier: Apache-2.0 */
/*
 * release.c - release and protocol versions of the resource manager that answers registrations
 *
 * If its protocol versions and the agent's do not meet, the agent is not registered: it keeps its containers,
 * which run on, and registers again later, since one of the two daemons may be updated meanwhile.
 */
#include <string.h>

#include "common/base/mem.h"
#include "nm-agent/core/state.h"

void release_free(struct agent *agent)
{
    free(agent->link.rm_version);
    free(agent->link.mismatch);
    agent->link.rm_version = agent->link.mismatch = NULL;
}

static bool is_news(const struct link *link, const char *mismatch)
{
    return link->mismatch == NULL || strcmp(link->mismatch, mismatch) != 0;
}

bool release_fits(struct step *step, const Creel__RegisterNodeReply *reply)
{
    struct agent *agent = step->agent;
    struct link *link = &agent->link;
    struct protocol_range rm = { reply->protocol_oldest, reply->protocol_newest };
    char text[PROTOCOL_MISMATCH_MAX];

    free(link->rm_version);
    link->rm_version = effect_clean_text(reply->version, TEXT_SHOWN_MAX);
    link->rm_protocol = rm;
    if (protocol_ranges_meet(agent->config.protocol, rm)) {
        free(link->mismatch);
        link->mismatch = NULL;
        return true;
    }
    protocol_range_explain(agent->config.protocol, agent->config.version, rm, link->rm_version, text);
    if (is_news(link, text))
        effect_note(step, NULL, true, "not registered: %s; containers run on", text);
    free(link->mismatch);
    link->mismatch = mem_strdup(text);
    return false;
}

const char *release_text(const struct step *step)
{
    const struct agent *agent = step->agent;
    const struct link *link = &agent->link;
    struct arena *arena = step->effects->arena;

    if (link->rm_protocol.newest == 0)
        return arena_printf(arena, "creel-nm %s", agent->config.version);
    return arena_printf(arena, "creel-nm %s (protocol %u to %u), creel-rm %s (protocol %u to %u)",
                        agent->config.version, agent->config.protocol.oldest, agent->config.protocol.newest,
                        link->rm_version, link->rm_protocol.oldest, link->rm_protocol.newest);
}
