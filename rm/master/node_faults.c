/* SPDX-License-Identifier: Apache-2.0 */
/* node_faults.c - finds what the agents of nodes in service report and an operator has to mend */
#include "rm/master/node_faults.h"

#include "common/base/certificate_time.h"
#include "common/base/text.h"
#include "common/base/text_builder.h"
#include "rm/master/copy.h"
#include "rm/master/index.h"
#include "rm/master/job_wait.h"

#define NAMED_MAX 3 /* nodes or containers that a text names */

/* Returns true if FAULTS, of which one more was found, are still so few that it is named; then TEXT is ready
 * for its name. */
static bool is_named(struct text_builder *text, uint32_t faults)
{
    if (faults > NAMED_MAX)
        return false;
    text_builder_separate(text, "; ");
    return true;
}

static char *finish(struct text_builder *text, uint32_t faults)
{
    if (faults > NAMED_MAX)
        text_builder_printf(text, "; and %u more", faults - NAMED_MAX);
    return text_builder_finish(text);
}

static void find_stuck(const struct node *node, struct text_builder *text, uint32_t *count)
{
    const struct container *container;

    if (node->stuck_count == 0)
        return;
    TAILQ_FOREACH(container, &node->containers, of_node) {
        if (container->stuck == NULL)
            continue;
        if (is_named(text, ++*count))
            text_builder_printf(text, "on %s, %s: %s", node->id, container->text, container->stuck);
    }
}

static void find_version(const struct master *m, const struct node *node, struct text_builder *text,
                         uint32_t *count)
{
    if (rm_text_is_empty(node->version) || text_equal(node->version, m->config.version))
        return;
    if (is_named(text, ++*count))
        text_builder_printf(text, "%s (%s)", node->id, node->version);
}

static void find_certificate(const struct master *m, const struct node *node, struct text_builder *text,
                             struct master_node_faults *faults)
{
    int64_t wall_ms = rm_job_wall_ms(m);
    bool expired = node->certificate_expires_ms <= wall_ms;
    char at[TEXT_SIZE_MAX];

    if (!certificate_ends_soon(node->certificate_expires_ms, wall_ms))
        return;
    faults->expired += expired;
    if (is_named(text, ++faults->expiring))
        text_builder_printf(text, "%s %s on %s", node->id, expired ? "expired" : "expires",
                            text_format_utc(node->certificate_expires_ms, at));
}

void rm_node_faults_find(struct master *m, struct master_node_faults *ret)
{
    struct text_builder stuck = TEXT_BUILDER_IN(m->out->arena), versions = TEXT_BUILDER_IN(m->out->arena),
                        certificates = TEXT_BUILDER_IN(m->out->arena);
    struct node *node;

    *ret = (struct master_node_faults){ .stuck = 0 };
    RB_FOREACH(node, rm_node_tree, &m->nodes) {
        if (node->session == 0)
            continue;
        find_stuck(node, &stuck, &ret->stuck);
        find_version(m, node, &versions, &ret->versions);
        find_certificate(m, node, &certificates, ret);
    }
    ret->stuck_text = finish(&stuck, ret->stuck);
    ret->versions_text = finish(&versions, ret->versions);
    ret->certificates_text = finish(&certificates, ret->expiring);
}
