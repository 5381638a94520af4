/* SPDX-License-Identifier: Apache-2.0 */
/*
 * register.c - builds the messages of a registration
 *
 * A registration lists all containers of the node. If the list is longer than a message, it is sent in parts,
 * in the order of container ids: RegisterContainers, then the last part as RegisterNode. Each part continues
 * behind the container that the RM's last reply named, so a lost or repeated message does no harm, and an RM
 * that does not have the earlier parts (it was restarted) gets them again. No container leaves the list
 * before the registration ends, because only the acknowledgement of a heartbeat removes containers.
 */
#include <string.h>

#include "nm-agent/core/state.h"

#define FULL_TEXT_MAX 4000 /* containers above which a registration shortens diagnostics */
#define SHORT_TEXT_MAX 200
#define FIELD_BYTES 8 /* maximum size of the tag and length of a container in the message */

void register_reset(struct agent *agent)
{
    struct link *link = &agent->link;

    link->registration = link->next_request;
    link->register_after[0] = '\0';
    link->register_before = 0;
}

/* --- parts ------------------------------------------------------------------- */

static Creel__Resource *make_resource(struct arena *arena, const struct resource *from)
{
    Creel__Resource *resource = arena_new0(arena, Creel__Resource);

    creel__resource__init(resource);
    resource->memory_mb = from->value[RESOURCE_MEMORY_MB];
    resource->vcores = from->value[RESOURCE_VCORES];
    return resource;
}

static void add_others(struct arena *arena, const struct resource_offers *offers, Creel__Resource *resource)
{
    resource->others = arena_array0(arena, offers->count + 1, sizeof(*resource->others));
    for (size_t i = 0; i < offers->count; i++) {
        Creel__NamedAmount *named = arena_new0(arena, Creel__NamedAmount);

        creel__named_amount__init(named);
        named->name = arena_strdup(arena, offers->offer[i].name);
        named->amount = offers->offer[i].amount;
        named->unit = arena_strdup(arena, offers->offer[i].unit);
        resource->others[resource->n_others++] = named;
    }
}

bool register_lists(const struct container *container)
{
    return container->phase != PHASE_ACKED &&
           container_phase_state(container->phase) != CREEL__CONTAINER_STATE__CONTAINER_UNKNOWN;
}

/* Returns the first container that the RM does not have yet. */
static struct container *first_missing(struct agent *agent)
{
    struct container key = { .text = "" }, *found;

    if (!container_id_parse(agent->link.register_after, &key.id))
        return RB_MIN(container_tree, &agent->containers);
    found = RB_NFIND(container_tree, &agent->containers, &key);
    if (found != NULL && container_id_compare(&found->id, &key.id) == 0)
        return RB_NEXT(container_tree, &agent->containers, found);
    return found;
}

/* Fills LIST with the containers from FIRST on. Returns true if the message has room for all of them. */
static bool list_containers(struct step *step, struct container *first, Creel__ContainerStatus ***list,
                            size_t *count)
{
    struct arena *arena = step->effects->arena;
    size_t text_max, bytes = 0, all = 0;
    struct container *container;

    RB_FOREACH(container, container_tree, &step->agent->containers)
        all += register_lists(container);
    text_max = all > FULL_TEXT_MAX ? SHORT_TEXT_MAX : TEXT_SHOWN_MAX;
    *list = arena_array0(arena, all + 1, sizeof(**list));
    *count = 0;
    for (container = first; container != NULL; container = RB_NEXT(container_tree, NULL, container)) {
        Creel__ContainerStatus *status;

        if (!register_lists(container))
            continue;
        status = status_make(arena, container, true, text_max);
        bytes += creel__container_status__get_packed_size(status) + FIELD_BYTES;
        if (*count > 0 && bytes > step->agent->config.message_bytes)
            return false;
        (*list)[(*count)++] = status;
    }
    return true;
}

static Creel__RegisterNode *make_node(struct step *step)
{
    struct agent *agent = step->agent;
    struct arena *arena = step->effects->arena;
    Creel__RegisterNode *body = arena_new0(arena, Creel__RegisterNode);

    creel__register_node__init(body);
    body->node_id = arena_strdup(arena, agent->config.node_id);
    body->rack = arena_strdup(arena, agent->config.rack);
    body->total = make_resource(arena, &agent->config.total);
    add_others(arena, &agent->config.others, body->total);
    body->agent_key = arena_strdup(arena, agent->config.agent_key);
    body->incarnation = agent->config.incarnation;
    body->version = arena_strdup(arena, agent->config.version);
    body->cgroup_mode = arena_strdup(arena, agent->config.cgroup_mode);
    body->kill_delay_ms = agent->config.kill_delay_ms;
    body->address = arena_strdup(arena, agent->config.address);
    body->warning = arena_strdup(arena, agent->config.warning);
    body->http_address = arena_strdup(arena, agent->config.http_address);
    body->label = arena_strdup(arena, agent->config.label);
    body->history = history_report(step);
    body->registration = agent->link.registration;
    body->after = arena_strdup(arena, agent->link.register_after);
    body->before = agent->link.register_before;
    body->unpacks = true;
    body->restores = true;
    body->resizes = true;
    body->crashes = agent->crashes;
    body->protocol_oldest = agent->config.protocol.oldest;
    body->protocol_newest = agent->config.protocol.newest;
    return body;
}

static Creel__RegisterContainers *make_part(struct step *step)
{
    struct agent *agent = step->agent;
    struct arena *arena = step->effects->arena;
    Creel__RegisterContainers *body = arena_new0(arena, Creel__RegisterContainers);

    creel__register_containers__init(body);
    body->node_id = arena_strdup(arena, agent->config.node_id);
    body->incarnation = agent->config.incarnation;
    body->registration = agent->link.registration;
    body->after = arena_strdup(arena, agent->link.register_after);
    return body;
}

Creel__Envelope *register_make(struct step *step, uint64_t request_id)
{
    Creel__Envelope *envelope = effect_envelope(step->effects->arena, request_id);
    Creel__ContainerStatus **list;
    size_t count;

    if (list_containers(step, first_missing(step->agent), &list, &count)) {
        envelope->body_case = CREEL__ENVELOPE__BODY_REGISTER_NODE;
        envelope->register_node = make_node(step);
        envelope->register_node->containers = list;
        envelope->register_node->n_containers = count;
    } else {
        envelope->body_case = CREEL__ENVELOPE__BODY_REGISTER_CONTAINERS;
        envelope->register_containers = make_part(step);
        envelope->register_containers->containers = list;
        envelope->register_containers->n_containers = count;
    }
    return envelope;
}

/* --- replies ----------------------------------------------------------------- */

bool register_handle_reply(struct agent *agent, const Creel__RegisterContainersReply *reply)
{
    struct link *link = &agent->link;
    bool longer = reply->before > link->register_before;
    struct container_id id;

    if (reply->after[0] != '\0' &&
        (!container_id_parse(reply->after, &id) || strlen(reply->after) >= sizeof(link->register_after)))
        return false;
    memcpy(link->register_after, reply->after, strlen(reply->after) + 1);
    link->register_before = reply->before;
    return longer;
}
