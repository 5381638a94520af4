/* SPDX-License-Identifier: Apache-2.0 */
#include "common/base/protocol_range.h"

#include <stdio.h>

#define RELEASE_SHOWN_MAX 100

static bool is_given(struct protocol_range range)
{
    return range.newest != 0;
}

bool protocol_ranges_meet(struct protocol_range a, struct protocol_range b)
{
    if (!is_given(a) || !is_given(b))
        return true;
    return a.oldest <= b.newest && b.oldest <= a.newest;
}

static const char *known(const char *release)
{
    return release && *release ? release : "of an unknown version";
}

void protocol_range_explain(struct protocol_range agent, const char *agent_release, struct protocol_range rm,
                            const char *rm_release, char text[PROTOCOL_MISMATCH_MAX])
{
    snprintf(
        text, PROTOCOL_MISMATCH_MAX,
        "agent and resource manager have no protocol version in common: creel-nm %.*s has %u to %u, creel-rm "
        "%.*s has %u to %u; update %s",
        RELEASE_SHOWN_MAX, known(agent_release), agent.oldest, agent.newest, RELEASE_SHOWN_MAX,
        known(rm_release), rm.oldest, rm.newest, agent.newest < rm.oldest ? "creel-nm" : "creel-rm");
}
