/* SPDX-License-Identifier: Apache-2.0 */
/* failing.c - nodes on which most containers fail soon after their start */
#include "rm/master/nodes/failing.h"

#include <stdlib.h>

#include "common/base/job/exit_status.h"
#include "common/base/text.h"
#include "common/base/text_builder.h"
#include "rm/master/state.h"
#include "rm/master/state/copy.h"

void rm_failing_init(struct master *m)
{
    rm_node_list_init(&m->node_faults.failing);
}

static void leave(struct master *m, struct node *node)
{
    rm_node_list_set(&m->node_faults.failing, &node->faulty.failing.in_failing, node, false);
}

static void enter(struct master *m, struct node *node)
{
    leave(m, node);
    rm_node_list_set(&m->node_faults.failing, &node->faulty.failing.in_failing, node, true);
    node->faulty.failing.last_ms = m->now_ms;
}

/* Returns true if the container ended by itself, or its agent could not start it. */
static bool counts(const struct container *container, const Creel__ContainerStatus *status)
{
    return status->state == CREEL__CONTAINER_STATE__CONTAINER_COMPLETE &&
           container->state != CONTAINER_COMPLETED && container->state != CONTAINER_STOPPING &&
           (status->exit_status >= 0 || status->exit_status == CONTAINER_EXIT_NOT_STARTED) &&
           status->exit_status != CONTAINER_EXIT_LOST;
}

static bool has_failed_soon(const Creel__ContainerStatus *status)
{
    return status->exit_status != 0 &&
           (status->started_ms == 0 || status->finished_ms - status->started_ms < FAILING_SOON_MS);
}

struct failures {
    size_t count, apps, users, node_faults;
};

/* Adds the failure ENDS[END] to FAILURES. */
static void count_failure(struct failures *failures, const struct failing_end *ends, size_t end)
{
    bool new_app = true, new_user = true;

    for (size_t i = 0; i < end; i++) {
        if (!ends[i].failed)
            continue;
        new_app = new_app && app_id_compare(&ends[i].app, &ends[end].app) != 0;
        new_user = new_user && !text_equal(ends[i].user, ends[end].user);
    }
    failures->count++;
    failures->apps += new_app;
    failures->users += new_user;
    failures->node_faults += ends[end].node_fault;
}

static struct failures count_failures(const struct failing *failing)
{
    struct failures failures = { 0 };

    for (size_t i = 0; i < failing->count; i++)
        if (failing->ends[i].failed)
            count_failure(&failures, failing->ends, i);
    return failures;
}

static bool is_failing(const struct failing *failing)
{
    struct failures failures = count_failures(failing);

    return failures.count >= FAILING_LEAST && failures.count * 5 >= failing->count * 4 &&
           (failures.node_faults >= FAILING_LEAST ||
            (failures.apps >= FAILING_APPS && failures.users >= FAILING_USERS));
}

static void add(struct failing *failing, const struct app *app, bool failed, bool node_fault)
{
    struct failing_end *end = &failing->ends[failing->next];

    end->app = app->array_id.seq != 0 ? app->array_id : app->id;
    rm_text_set(&end->user, app->user);
    end->failed = failed;
    end->node_fault = node_fault;
    failing->next = (failing->next + 1) % FAILING_ENDS;
    if (failing->count < FAILING_ENDS)
        failing->count++;
}

static void set_last(struct master *m, struct node *node, const struct container *container,
                     const Creel__ContainerStatus *status)
{
    rm_text_set_brief(&node->faulty.failing.last,
                      arena_printf(m->out->arena, "%s with exit status %d%s%s", container->text,
                                   status->exit_status, rm_text_is_empty(status->diagnostics) ? "" : ": ",
                                   status->diagnostics));
}

void rm_failing_count(struct master *m, const struct container *container,
                      const Creel__ContainerStatus *status)
{
    struct node *node = container->node;
    bool failed;

    if (!counts(container, status))
        return;
    failed = has_failed_soon(status);
    add(&node->faulty.failing, container->app, failed, failed && status->node_fault);
    if (failed)
        set_last(m, node, container, status);
    if (!is_failing(&node->faulty.failing))
        leave(m, node);
    else if (failed)
        enter(m, node);
}

void rm_failing_forget(struct master *m, struct node *node)
{
    leave(m, node);
    node->faulty.failing.count = node->faulty.failing.next = 0;
}

void rm_failing_done(struct failing *failing)
{
    free(failing->last);
    for (size_t i = 0; i < FAILING_ENDS; i++)
        free(failing->ends[i].user);
}

static void describe(struct text_builder *text, const struct node *node)
{
    struct failures failures = count_failures(&node->faulty.failing);

    text_builder_printf(text, "%s (%zu of the last %zu, in applications of %zu user%s; the last was %s)",
                        node->id, failures.count, node->faulty.failing.count, failures.users,
                        failures.users == 1 ? "" : "s", node->faulty.failing.last);
}

void rm_failing_find(struct master *m, struct master_node_faults *ret)
{
    const struct node_list *failing = &m->node_faults.failing;
    struct node *node;

    while ((node = rm_node_list_first(failing)) != NULL &&
           m->now_ms - node->faulty.failing.last_ms > FAILING_SHOWN_MS)
        rm_failing_forget(m, node);
    ret->failing = failing->count;
    ret->failing_text = rm_node_list_text(failing, m->out->arena, describe);
}
