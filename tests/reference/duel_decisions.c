/* SPDX-License-Identifier: Apache-2.0 */
/* duel_decisions.c - compares the decisions of core and reference about an event, and writes the story */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "tests/reference/duel_figures.h"

void duel_print(const struct duel *duel, const char *format, ...)
{
    va_list args;

    if (duel->story == NULL)
        return;
    va_start(args, format);
    vfprintf(duel->story, format, args);
    va_end(args);
}

static int differ(const struct duel *duel, struct err *err)
{
    char text[1500] = "";

    for (int i = 0; i < duel->ref.decision_count; i++) {
        const struct ref_decision *decision = &duel->ref.decisions[i];
        size_t length = strlen(text);

        snprintf(text + length, sizeof(text) - length, " %s(app%d node%d%s)", duel_kind_name(decision->kind),
                 decision->app, decision->node,
                 decision->kind == SCHED_ALLOCATED ? duel_locality_name(decision->locality) : "");
    }
    strncat(text, "; the core decides:", sizeof(text) - strlen(text) - 1);
    for (size_t i = 0; i < duel->decisions.count; i++) {
        const struct sched_decision *decision = &duel->decisions.items[i];
        size_t length = strlen(text);

        snprintf(text + length, sizeof(text) - length, " %s(app%d node%d%s)", duel_kind_name(decision->kind),
                 (int)(uintptr_t)sched_app_owner(decision->app),
                 (int)(uintptr_t)sched_node_owner(decision->node),
                 decision->kind == SCHED_ALLOCATED ? duel_locality_name(decision->locality) : "");
    }
    return err_set(err, EINVAL, "decisions: the reference decides:%s", text);
}

static bool same_decision(struct duel *duel, const struct ref_decision *slow,
                          const struct sched_decision *fast)
{
    const struct ref_container *container = &duel->ref.containers[slow->container];
    struct sched_container_info info;

    if (fast->kind != slow->kind || fast->app != duel->apps[slow->app] ||
        fast->node != duel->nodes[slow->node])
        return false;
    if (slow->kind == SCHED_KILL || slow->kind == SCHED_PREEMPT)
        return fast->container == duel->containers[slow->container] &&
               (slow->kind == SCHED_KILL || fast->deadline_ms == slow->deadline_ms);
    if (slow->kind != SCHED_ALLOCATED)
        return true;
    sched_container_info(fast->container, &info);
    duel->containers[slow->container] = fast->container;
    return fast->locality == slow->locality && info.number == container->number &&
           resource_equal(&info.resource, &container->size);
}

/* Removes SCHED_SPARE decisions, whose order is not defined, after comparing them. Returns true if they are
 * the same. */
static bool same_spared(struct duel *duel)
{
    size_t kept = 0;

    for (size_t i = 0; i < duel->decisions.count; i++) {
        const struct sched_decision *decision = &duel->decisions.items[i];
        int c = 0;

        if (decision->kind != SCHED_SPARE) {
            duel->decisions.items[kept++] = *decision;
            continue;
        }
        while (c < REF_CONTAINERS &&
               (duel->containers[c] != decision->container || !duel->ref.containers[c].here))
            c++;
        if (c == REF_CONTAINERS || !duel->ref.containers[c].hears)
            return false;
        duel->ref.containers[c].hears = false;
    }
    for (int c = 0; c < REF_CONTAINERS; c++)
        if (duel->ref.containers[c].here && duel->ref.containers[c].hears)
            return false;
    duel->decisions.count = kept;
    return true;
}

int duel_compare_decisions(struct duel *duel, struct err *err)
{
    if (!same_spared(duel))
        return differ(duel, err);
    if (duel->decisions.count != (size_t)duel->ref.decision_count)
        return differ(duel, err);
    for (int i = 0; i < duel->ref.decision_count; i++) {
        const struct ref_decision *slow = &duel->ref.decisions[i];

        if (!same_decision(duel, slow, &duel->decisions.items[i]))
            return differ(duel, err);
        duel_print(duel, "    %s app%d node%d%s\n", duel_kind_name(slow->kind), slow->app, slow->node,
                   slow->kind == SCHED_ALLOCATED ? duel_locality_name(slow->locality) : "");
        duel->count.allocated += slow->kind == SCHED_ALLOCATED ? 1 : 0;
        duel->count.reserved += slow->kind == SCHED_RESERVED ? 1 : 0;
        duel->count.unreserved += slow->kind == SCHED_UNRESERVED ? 1 : 0;
        duel->count.notified += slow->kind == SCHED_PREEMPT ? 1 : 0;
        duel->count.killed += slow->kind == SCHED_KILL ? 1 : 0;
    }
    duel->decisions.count = 0;
    duel->ref.decision_count = 0;
    return 0;
}
