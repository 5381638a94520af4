/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history.c - detects an RM whose store has lost state that this agent has seen
 *
 * An RM whose state was lost, or is an old copy, does not know the containers of this node and would order
 * their end. So the agent stores the newest history that an RM sent. It registers only with an RM whose
 * history continues the stored one, or shows that an operator gave the stored one up. Until then the agent
 * behaves as without an RM: running containers continue, exits are stored to be reported, nothing is started.
 */
#include <string.h>

#include "nm-agent/core/state.h"

#define KEEP_MS 10000 /* minimum interval of AGENT_KEEP_HISTORY while the store advances */

static bool same_bytes(const ProtobufCBinaryData *a, const ProtobufCBinaryData *b)
{
    return a->len == b->len && (a->len == 0 || memcmp(a->data, b->data, a->len) == 0);
}

static Creel__History *copy(const Creel__History *from)
{
    size_t size = creel__history__get_packed_size(from);
    uint8_t *bytes = mem_alloc(size + 1);
    Creel__History *to;

    creel__history__pack(from, bytes);
    to = creel__history__unpack(NULL, size, bytes);
    free(bytes);
    return to;
}

void history_init(struct agent *agent, const void *data, size_t size)
{
    agent->link.kept_at = INT64_MIN;
    if (data != NULL)
        agent->link.seen = creel__history__unpack(NULL, size, data);
}

void history_free(struct agent *agent)
{
    if (agent->link.seen != NULL)
        creel__history__free_unpacked(agent->link.seen, NULL);
    agent->link.seen = NULL;
}

Creel__History *history_report(struct step *step)
{
    const Creel__History *seen = step->agent->link.seen;

    return seen == NULL ? NULL : (Creel__History *)effect_copy(step->effects->arena, &seen->base);
}

/* Returns true if NOW can be a continuation of SEEN. The RM compares the list of starts; this is the check
 * that is possible without that list. */
static bool goes_on(const Creel__History *seen, const Creel__History *now)
{
    return same_bytes(&seen->store_id, &now->store_id) && now->commit >= seen->commit &&
           now->epoch >= seen->epoch &&
           (now->epoch > seen->epoch || same_bytes(&seen->start_id, &now->start_id));
}

static bool gave_up(const Creel__History *seen, const Creel__History *accepted)
{
    return accepted != NULL && same_bytes(&seen->store_id, &accepted->store_id) &&
           same_bytes(&seen->start_id, &accepted->start_id) && seen->commit <= accepted->commit;
}

bool history_follows(struct step *step, const Creel__RegisterNodeReply *reply)
{
    struct link *link = &step->agent->link;
    bool waits = reply->action == CREEL__NODE_ACTION__NODE_RESYNC && reply->history != NULL;

    /* An RM that sends no history is of an earlier creel. */
    if (link->seen != NULL && reply->history != NULL && !goes_on(link->seen, reply->history) &&
        !gave_up(link->seen, reply->accepted))
        waits = true;
    if (waits && !link->waiting)
        effect_note(step, NULL, true,
                    "the resource manager's state is not what this agent has seen: its "
                    "containers are kept until an operator decides (creel admin state accept)%s%s",
                    *reply->diagnostics ? ": " : "", reply->diagnostics);
    link->waiting = waits;
    return !waits;
}

static void save_history(struct step *step)
{
    struct link *link = &step->agent->link;
    struct agent_effect *effect = effect_add(step, AGENT_KEEP_HISTORY);
    uint8_t *bytes;

    effect->size = creel__history__get_packed_size(link->seen);
    bytes = arena_array0(step->effects->arena, effect->size + 1, 1);
    creel__history__pack(link->seen, bytes);
    effect->data = bytes;
    link->kept_at = step->now.steady_ms;
}

void history_update(struct step *step, const Creel__History *now)
{
    struct link *link = &step->agent->link;
    bool same_start;

    if (now == NULL)
        return;
    same_start = link->seen != NULL && same_bytes(&link->seen->start_id, &now->start_id);
    history_free(step->agent);
    link->seen = copy(now);
    if (!same_start || link->kept_at == INT64_MIN || step->now.steady_ms - link->kept_at >= KEEP_MS)
        save_history(step);
}
