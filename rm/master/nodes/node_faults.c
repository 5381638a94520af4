/* SPDX-License-Identifier: Apache-2.0 */
/* node_faults.c - lists of the nodes whose agents report what an operator has to repair */
#include "rm/master/nodes/node_faults.h"

#include "common/base/text.h"
#include "common/base/text_builder.h"
#include "rm/master/nodes/failing.h"
#include "rm/master/nodes/node_orders.h"
#include "rm/master/nodes/starting.h"
#include "rm/master/parts/format.h"
#include "rm/master/state.h"
#include "rm/master/state/copy.h"

void rm_node_faults_init(struct master *m)
{
    rm_starting_init(m);
    rm_failing_init(m);
    rm_node_list_init(&m->node_faults.stuck);
    rm_node_list_init(&m->node_faults.versions);
    rm_node_list_init(&m->node_faults.reports);
    rm_node_list_init(&m->node_faults.crashing);
}

static void count_stuck(struct node_faults *faults, struct node *node, uint32_t stuck)
{
    rm_node_list_set(&faults->stuck, &node->faulty.in_stuck, node, stuck > 0);
    faults->stuck_containers = faults->stuck_containers - node->faulty.stuck + stuck;
    node->faulty.stuck = stuck;
}

void rm_node_faults_update(struct master *m, struct node *node)
{
    struct node_faults *faults = &m->node_faults;
    struct faulty *faulty = &node->faulty;
    bool serves = node->session != 0;
    bool other = !rm_text_is_empty(node->version) && !text_equal(node->version, m->config.version);
    bool reports; /* (a node that is not healthy is one of the check unhealthy-nodes) */

    rm_missing_accounts_update(m, node);
    reports = node->state == NODE_STATE_RUNNING &&
              (!rm_text_is_empty(node->health_report) || faulty->missing.text != NULL);
    count_stuck(faults, node, serves ? node->stuck_count : 0);
    rm_node_list_set(&faults->versions, &faulty->in_versions, node, serves && other);
    rm_node_list_set(&faults->reports, &faulty->in_reports, node, serves && reports);
    rm_node_list_set(&faults->crashing, &faulty->in_crashing, node,
                     serves && faulty->crashes >= NODE_FAULTS_CRASHES);
    rm_common_faults_update(m, node);
    rm_certificate_set(m, &faulty->certificate, node->id, serves ? node->certificate_expires_ms : 0);
}

static void name_container(struct text_builder *text, const struct node *node, const char *container_id,
                           const char *stuck, uint32_t *named)
{
    if (stuck == NULL || ++*named > FORMAT_NAMES)
        return;
    text_builder_separate(text, "; ");
    text_builder_printf(text, "on %s, %s: %s", node->id, container_id, stuck);
}

static const char *name_stuck(const struct master *m)
{
    struct text_builder text = TEXT_BUILDER_IN(m->out->arena);
    const struct container *container;
    const struct orphan *orphan;
    const struct node_entry *entry;
    uint32_t named = 0;

    TAILQ_FOREACH(entry, &m->node_faults.stuck.entries, link) {
        TAILQ_FOREACH(container, &entry->node->containers, of_node)
            name_container(&text, entry->node, container->text, container->stuck, &named);
        TAILQ_FOREACH(orphan, &entry->node->orphan_turns, in_turn)
            name_container(&text, entry->node, orphan->container_id, orphan->stuck, &named);
        if (named >= FORMAT_NAMES)
            break;
    }
    return format_names_end(&text, m->node_faults.stuck_containers);
}

const char *rm_node_faults_of_app(const struct master *m, const struct app *app)
{
    const struct container *container;
    const struct node_entry *entry;

    TAILQ_FOREACH(entry, &m->node_faults.stuck.entries, link)
        TAILQ_FOREACH(container, &entry->node->containers, of_node)
            if (container->app == app && container->stuck != NULL)
                return arena_printf(m->out->arena, "on %s, %s: %s", entry->node->id, container->text,
                                    container->stuck);
    return NULL;
}

static void describe_version(struct text_builder *text, const struct node *node)
{
    text_builder_printf(text, "%s (%s)", node->id, node->version);
}

static void describe_report(struct text_builder *text, const struct node *node)
{
    text_builder_printf(text, "%s: ", node->id);
    rm_missing_accounts_add_report(text, node);
}

static void describe_crashes(struct text_builder *text, const struct node *node)
{
    text_builder_printf(text, "%s (%u times in the last hour)", node->id, node->faulty.crashes);
}

void rm_node_faults_find(struct master *m, struct master_node_faults *ret)
{
    const struct node_faults *faults = &m->node_faults;
    struct arena *arena = m->out->arena;

    *ret = (struct master_node_faults){
        .stuck = faults->stuck_containers,
        .versions = faults->versions.count,
        .reports = faults->reports.count,
        .crashing = faults->crashing.count,
        .stuck_text = name_stuck(m),
        .versions_text = rm_node_list_text(&faults->versions, arena, describe_version),
        .reports_text = rm_node_list_text(&faults->reports, arena, describe_report),
        .crashing_text = rm_node_list_text(&faults->crashing, arena, describe_crashes),
    };
    rm_flapping_find(m, ret);
    rm_starting_find(m, ret);
    rm_failing_find(m, ret);
    rm_common_faults_find(m, ret);
    rm_certificates_find(m, ret);
    rm_web_services_find(m, ret);
}
