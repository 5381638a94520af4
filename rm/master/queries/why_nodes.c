/* SPDX-License-Identifier: Apache-2.0 */
/*
 * why_nodes.c - explains which nodes have room for a waiting application, and why others are rejected
 *
 * For the scheduler a drained, excluded, unhealthy, silent or lost node is full or does not exist. These
 * functions report such nodes separately, since an administrator can change their state.
 */
#include <string.h>

#include "common/base/text_builder.h"
#include "rm/master/nodes/labels.h"
#include "rm/master/orders/admin_state.h"
#include "rm/master/queries/why.h"
#include "rm/master/state/amounts.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/index.h"

#define NAMES_SHOWN 3

/* Reasons for which a node gets no new containers, regardless of its free resources. */
enum closed {
    SERVES,
    CLEARING_UP,
    UNHEALTHY,
    DRAINED,
    DECOMMISSIONED,
    EXCLUDED,
    SILENT,
    LOST,
    SHUT_DOWN,
    CLOSED_KINDS
};

static const struct {
    const char *code, *words;
} closed_texts[CLOSED_KINDS] = {
    [CLEARING_UP] = { "ClearingUp", "being cleared up" },
    [UNHEALTHY] = { "Unhealthy", "unhealthy" },
    [DRAINED] = { "Drained", "drained" },
    [DECOMMISSIONED] = { "Decommissioned", "decommissioned" },
    [EXCLUDED] = { "Excluded", "excluded" },
    [SILENT] = { "Silent", "silent" },
    [LOST] = { "Lost", "lost" },
    [SHUT_DOWN] = { "ShutDown", "shut down" },
};

struct passed {
    uint32_t total, room, label;
    uint32_t reserved;                 /* have room, and are reserved for another application */
    uint32_t shared;                   /* have a label that is shared, but not with AMs */
    uint32_t lack[RESOURCE_TYPES_MAX]; /* nodes by the first resource type of which they have too little */
    uint32_t closed[CLOSED_KINDS], fitting[CLOSED_KINDS];
    struct text_builder names[CLOSED_KINDS]; /* names of the first nodes of each kind, with their reasons */
    const struct node *first[CLOSED_KINDS];  /* first node of each kind that is large enough */
};

static enum closed judge(const struct node *node)
{
    bool leaves = node->admin.state == ADMIN_DECOMMISSIONING || node->admin.state == ADMIN_DECOMMISSIONED;

    if (!rm_node_serves(node) && leaves)
        return node->admin.by_file ? EXCLUDED : DECOMMISSIONED;
    if (!rm_node_serves(node))
        return DRAINED;
    if (node->silent)
        return SILENT;
    switch (node->state) {
    case NODE_STATE_NEW:
    case NODE_STATE_LOST:
        return LOST;
    case NODE_STATE_UNHEALTHY:
        return UNHEALTHY;
    case NODE_STATE_RETIRED:
        return SHUT_DOWN;
    default:
        return node->orphans ? CLEARING_UP : SERVES;
    }
}

static bool is_alone(struct master *m, const struct node *node)
{
    struct node *other;

    RB_FOREACH(other, rm_node_tree, &m->nodes)
        if (other != node && text_equal(other->host, node->host))
            return false;
    return true;
}

/* Returns the host of NODE if the host has one node, else the id of NODE. */
static const char *name_of(struct master *m, const struct node *node)
{
    return is_alone(m, node) ? node->host : node->id;
}

static void name_closed(struct master *m, const struct node *node, enum closed kind, struct passed *passed)
{
    struct text_builder *names = &passed->names[kind];
    const char *report = kind == UNHEALTHY                           ? node->health_report
                         : kind == DRAINED || kind == DECOMMISSIONED ? node->admin.reason
                                                                     : NULL;
    bool shown = !rm_text_is_empty(report);

    names->arena = m->out->arena;
    text_builder_printf(names, "%s%s%s%s%s", names->length > 0 ? ", " : "", name_of(m, node),
                        shown ? " \"" : "", shown ? report : "", shown ? "\"" : "");
}

/* Returns the first resource type of which too little is free; below 0: none. */
static int first_lack(const struct master *m, const struct resource *asked, const struct resource *left)
{
    int types = rm_limits_memory_only(m) ? RESOURCE_MEMORY_MB + 1 : RESOURCE_TYPES_MAX;

    for (int t = 0; t < types; t++)
        if (left->value[t] < asked->value[t])
            return t;
    return -1;
}

/* Returns true if requests without a label may be served on NODE, although it has a label. */
static bool is_lent(const struct master *m, const struct node *node)
{
    return node->label && rm_label_is_shared(m, node->label);
}

/* Returns true if a request for LABEL can be served on NODE. A request without a label can get a node with a
 * shared label. */
static bool has_label(const struct master *m, const char *label, const struct node *node)
{
    return text_equal(node->label ? node->label : "", label) || (*label == '\0' && is_lent(m, node));
}

static bool is_reserved_for_another(const struct app *app, const struct node *node)
{
    const struct sched_app *by = sched_node_reserved_by(node->sched);

    return by && by != app->sched;
}

/* APP is the application that waits. */
static void count_node(struct master *m, const struct app *app, const struct node *node,
                       const struct sched_why *why, struct passed *passed)
{
    enum closed kind = judge(node);
    struct resource left;
    int lack;

    if (node->state == NODE_STATE_NEW && rm_node_serves(node) && !node->silent)
        return; /* the node is known by name only, and has not registered */
    passed->total++;
    if (kind != SERVES) {
        if (++passed->closed[kind] <= NAMES_SHOWN)
            name_closed(m, node, kind, passed);
        if (!has_label(m, why->label, node) || (why->unshared && is_lent(m, node)) ||
            first_lack(m, &why->asked, &node->total) >= 0)
            return;
        passed->fitting[kind]++;
        if (passed->first[kind] == NULL)
            passed->first[kind] = node;
        return;
    }
    left = resource_subtract(sched_node_total(node->sched), sched_node_used(node->sched));
    lack = first_lack(m, &why->asked, &left);
    if (why->unshared && is_lent(m, node))
        passed->shared++;
    else if (!has_label(m, why->label, node))
        passed->label++;
    else if (lack >= 0)
        passed->lack[lack]++;
    else if (is_reserved_for_another(app, node))
        passed->reserved++;
    else
        passed->room++;
}

static struct passed count_nodes(struct master *m, const struct app *app, const struct sched_why *why)
{
    struct passed passed = { .total = 0 };
    struct node *node;

    RB_FOREACH(node, rm_node_tree, &m->nodes)
        count_node(m, app, node, why, &passed);
    return passed;
}

static const struct node *first_fitting(const struct passed *passed)
{
    for (size_t kind = 0; kind < CLOSED_KINDS; kind++)
        if (passed->first[kind])
            return passed->first[kind];
    return NULL;
}

void rm_why_ask(struct master *m, const struct app *app, struct sched_why *ret)
{
    struct passed passed;

    sched_app_why(m->sched, app->sched, ret);
    if (ret->reason != SCHED_REASON_NODE_TOO_SMALL)
        return;
    passed = count_nodes(m, app, ret);
    if (first_fitting(&passed))
        ret->reason = SCHED_REASON_NO_NODES;
}

/* --- as a sentence and as figures ------------------------------------------- */

static void count(struct master *m, const char *reason, uint32_t nodes, uint32_t fitting,
                  Creel__WhyItem *item)
{
    Creel__PassedOver *passed = arena_new0(m->out->arena, Creel__PassedOver);

    creel__passed_over__init(passed);
    passed->reason = rm_message_text(m->out->arena, reason);
    passed->nodes = nodes;
    passed->fitting = fitting;
    item->passed_over[item->n_passed_over++] = passed;
}

static const char *lack_code(struct master *m, size_t type)
{
    return type == RESOURCE_MEMORY_MB ? "LacksMemory"
           : type == RESOURCE_VCORES  ? "LacksVcores"
                                      : arena_printf(m->out->arena, "Lacks:%s", m->types.type[type].name);
}

static void describe_closed(struct master *m, const struct passed *passed, size_t kind,
                            struct text_builder *text)
{
    uint32_t nodes = passed->closed[kind], fitting = passed->fitting[kind];
    const char *large = fitting == 0       ? ""
                        : fitting == nodes ? ", large enough"
                                           : arena_printf(m->out->arena, ", %u large enough", fitting);

    text_builder_printf(text, "; %u %s %s (%s%s)%s", nodes, nodes == 1 ? "is" : "are",
                        closed_texts[kind].words, passed->names[kind].text,
                        nodes > NAMES_SHOWN ? ", ..." : "", large);
}

Creel__WhyItem *rm_why_nodes(struct master *m, const struct app *app, const struct sched_why *why)
{
    struct arena *arena = m->out->arena;
    struct sched_why_item nodes = { .asked = why->asked, .nodes = why->nodes };
    struct passed passed = count_nodes(m, app, why);
    Creel__WhyItem *item = rm_why_item(m, &nodes, "");
    struct text_builder text = TEXT_BUILDER_IN(arena);

    text_builder_printf(&text, "%u of %u have room", passed.room, passed.total);
    item->passed_over =
        arena_array0(arena, RESOURCE_TYPES_MAX + CLOSED_KINDS + 3, sizeof(*item->passed_over));
    for (size_t t = 0; t < m->types.count; t++) {
        if (passed.lack[t] == 0)
            continue;
        count(m, lack_code(m, t), passed.lack[t], 0, item);
        text_builder_printf(&text, "; %u lack%s %s", passed.lack[t], passed.lack[t] == 1 ? "s" : "",
                            t == RESOURCE_MEMORY_MB ? "memory" : m->types.type[t].name);
    }
    if (passed.reserved > 0) {
        count(m, "Reserved", passed.reserved, 0, item);
        text_builder_printf(&text, "; %u ha%s room that is reserved for another application", passed.reserved,
                            passed.reserved == 1 ? "s" : "ve");
    }
    if (passed.label > 0) {
        count(m, "OtherLabel", passed.label, 0, item);
        text_builder_printf(&text, "; %u ha%s another label", passed.label, passed.label == 1 ? "s" : "ve");
    }
    if (passed.shared > 0) {
        count(m, "SharedLabel", passed.shared, 0, item);
        text_builder_printf(&text, "; %u ha%s a shared label, which application masters may not use",
                            passed.shared, passed.shared == 1 ? "s" : "ve");
    }
    for (size_t kind = 0; kind < CLOSED_KINDS; kind++) {
        if (passed.closed[kind] == 0)
            continue;
        count(m, closed_texts[kind].code, passed.closed[kind], passed.fitting[kind], item);
        describe_closed(m, &passed, kind, &text);
    }
    item->reason_code = rm_message_text(arena, "Nodes");
    item->text = text_builder_finish(&text);
    return item;
}

/* Returns the text of NODE, which is reserved for a request. */
static const char *reserved_text(struct master *m, const struct node *node)
{
    struct resource left = resource_subtract(sched_node_total(node->sched), sched_node_used(node->sched));
    struct resource lacks =
        resource_max(resource_subtract(sched_node_reserved(node->sched), left), resource_of(0, 0));

    if (rm_limits_memory_only(m) ? lacks.value[RESOURCE_MEMORY_MB] == 0 : resource_is_zero(&lacks))
        return arena_printf(m->out->arena, "%s has the room now", node->id);
    return arena_printf(m->out->arena, "%s needs %s more to be free", node->id, rm_format_limit(m, &lacks));
}

const char *rm_why_reserved(struct master *m, const struct app *app)
{
    struct text_builder text = TEXT_BUILDER_IN(m->out->arena);
    struct node *node;
    uint32_t count = 0;

    RB_FOREACH(node, rm_node_tree, &m->nodes)
        if (node->sched && sched_node_reserved_by(node->sched) == app->sched && count++ < NAMES_SHOWN)
            text_builder_printf(&text, "%s%s", count > 1 ? ", " : "", reserved_text(m, node));
    if (count == 0)
        return NULL;
    return arena_printf(m->out->arena, "%u node%s reserved for it: %s%s", count, count == 1 ? " is" : "s are",
                        text_builder_finish(&text), count > NAMES_SHOWN ? ", ..." : "");
}

/* --- advice ---------------------------------------------------------------- */

void rm_why_advise_nodes(struct master *m, const struct app *app, const struct sched_why *why,
                         Creel__AppExplanation *reply)
{
    struct arena *arena = m->out->arena;
    struct passed passed = count_nodes(m, app, why);

    if (passed.first[DRAINED])
        rm_why_advise(m, reply,
                      arena_printf(arena,
                                   "%s would be large enough and %s: creel node undrain "
                                   "%s",
                                   name_of(m, passed.first[DRAINED]),
                                   rm_format_admin_state(m, passed.first[DRAINED]),
                                   passed.first[DRAINED]->id));
    if (passed.first[DECOMMISSIONED])
        rm_why_advise(m, reply,
                      arena_printf(arena,
                                   "%s would be large enough and %s: creel node "
                                   "recommission %s",
                                   name_of(m, passed.first[DECOMMISSIONED]),
                                   rm_format_admin_state(m, passed.first[DECOMMISSIONED]),
                                   passed.first[DECOMMISSIONED]->id));
    if (passed.first[SILENT])
        rm_why_advise(m, reply,
                      arena_printf(arena,
                                   "%s would be large enough when its agent is heard of again: on that host: "
                                   "systemctl status creel-nm",
                                   name_of(m, passed.first[SILENT])));
    if (passed.first[UNHEALTHY])
        rm_why_advise(m, reply,
                      arena_printf(arena,
                                   "%s would be large enough when it is well again: creel "
                                   "node show %s",
                                   name_of(m, passed.first[UNHEALTHY]), passed.first[UNHEALTHY]->id));
}
