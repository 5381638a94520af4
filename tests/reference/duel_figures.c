/* SPDX-License-Identifier: Apache-2.0 */
/* duel_figures.c - compares the figures of nodes, applications, users and queues of core and reference */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "rm/sched/capacity/internal.h"
#include "tests/reference/duel_figures.h"

const char *duel_kind_name(enum sched_decision_kind kind)
{
    static const char *const names[] = { "allocate", "reserve", "unreserve", "preempt", "kill", "spare" };

    return names[kind];
}

const char *duel_locality_name(enum sched_locality locality)
{
    static const char *const names[] = { " on its host", " in its rack", " anywhere" };

    return names[locality];
}

/* Compares two resources; with the memory-only calculator, only memory. */
static int resources(const struct duel *duel, const char *whose, const char *what, struct resource slow,
                     struct resource fast, struct err *err)
{
    char a[RESOURCE_TEXT_MAX], b[RESOURCE_TEXT_MAX];

    if (duel->ref.config.dominant ? resource_equal(&slow, &fast) : slow.value[0] == fast.value[0])
        return 0;
    return err_set(err, EINVAL, "%s of %s: the reference has %s, the core %s", what, whose,
                   resource_format(&slow, a), resource_format(&fast, b));
}

static int numbers(const char *whose, const char *what, int64_t slow, int64_t fast, struct err *err)
{
    if (slow == fast)
        return 0;
    return err_set(err, EINVAL, "%s of %s: the reference has %" PRId64 ", the core %" PRId64, what, whose,
                   slow, fast);
}

static int fractions(const char *whose, const char *what, float slow, float fast, struct err *err)
{
    if (fabsf(slow - fast) <= 1e-5f * fmaxf(1, fabsf(slow)))
        return 0;
    return err_set(err, EINVAL, "%s of %s: the reference has %.7g, the core %.7g", what, whose, (double)slow,
                   (double)fast);
}

#define CHECK(comparison) \
    do { \
        int check_r = (comparison); \
        if (check_r < 0) \
            return check_r; \
    } while (0)

static int compare_node(const struct duel *duel, int n, struct err *err)
{
    const struct ref_node *node = &duel->ref.nodes[n];
    const struct sched_app *by = sched_node_reserved_by(duel->nodes[n]);
    struct resource used = resource_of(0, 0);
    char name[16];

    snprintf(name, sizeof(name), "node%d", n);
    for (int c = 0; c < REF_CONTAINERS; c++)
        if (duel->ref.containers[c].here && duel->ref.containers[c].node == n)
            used = resource_add(used, duel->ref.containers[c].size);
    CHECK(resources(duel, name, "use", used, sched_node_used(duel->nodes[n]), err));
    return numbers(name, "reservation (app)", node->reserved ? node->reserved_app : -1,
                   by ? (int64_t)(uintptr_t)sched_app_owner(by) : -1, err);
}

/* Returns the number of containers that APP requests and the core does not show: the AM of an application
 * that was never active. */
static int64_t hidden(const struct reference *ref, int app)
{
    return ref->apps[app].asked_master && !ref->apps[app].was_active ? 1 : 0;
}

static struct resource shown_pending(const struct reference *ref, int queue, int label)
{
    struct resource sum = ref_queue_pending(ref, queue, label);

    for (int a = 0; a < REF_APPS; a++)
        if (ref->apps[a].here && hidden(ref, a) > 0 && ref->apps[a].master_label == label &&
            ref_below(ref, ref->apps[a].queue, queue))
            sum = resource_subtract(sum, ref->apps[a].master);
    return sum;
}

static int compare_app(const struct duel *duel, int a, struct err *err)
{
    const struct reference *ref = &duel->ref;
    struct sched_app_figures figures;
    int64_t nodes = 0;
    char name[16];

    snprintf(name, sizeof(name), "app%d", a);
    sched_app_figures(duel->sched, duel->apps[a], &figures);
    for (int n = 0; n < REF_NODES; n++)
        nodes += ref->nodes[n].here && ref->nodes[n].reserved && ref->nodes[n].reserved_app == a;
    CHECK(numbers(name, "activity", ref->apps[a].active, figures.active, err));
    CHECK(numbers(name, "priority", ref->apps[a].priority, sched_app_priority(duel->apps[a]), err));
    CHECK(resources(duel, name, "use", ref_app_used(ref, a, -1), figures.used, err));
    CHECK(resources(duel, name, "reserved", ref_app_reserved(ref, a, -1), figures.reserved, err));
    CHECK(numbers(name, "reservations", nodes, figures.reserved_containers, err));
    CHECK(numbers(name, "wanted containers", (int64_t)ref_app_pending(ref, a) - hidden(ref, a),
                  (int64_t)figures.pending_containers, err));
    return resources(duel, name, "headroom", ref_headroom(ref, a), figures.headroom, err);
}

/* Compares the missed opportunities of each key. */
static int compare_missed(const struct duel *duel, int a, struct err *err)
{
    for (int k = 0; k < REF_KEYS; k++) {
        const struct ref_key *key = &duel->ref.apps[a].keys[k];
        const struct demand *demand = sched_demand_find(duel->apps[a], (uint32_t)k, 0);
        char name[48];

        snprintf(name, sizeof(name), "app%d at priority %d", a, k);
        if (demand && key->any.count > 0)
            CHECK(numbers(name, "missed opportunities", key->missed, demand->opportunities, err));
    }
    return 0;
}

static int compare_leaf(const struct duel *duel, int q, const struct sched_queue_figures *figures,
                        struct err *err)
{
    const struct reference *ref = &duel->ref;
    const char *path = ref->config.queues[q].path;
    bool idle = ref->config.queues[q].idle; /* then the limits are shown as 0 */
    int order[REF_APPS];

    CHECK(numbers(path, "active apps", ref_order_apps(ref, q, true, order), figures->active_apps, err));
    CHECK(numbers(path, "waiting apps", ref_order_apps(ref, q, false, order), figures->waiting_apps, err));
    CHECK(numbers(path, "most apps", idle ? 0 : ref_max_apps(ref, q), figures->max_apps, err));
    CHECK(numbers(path, "most apps of a user", idle ? 0 : ref_max_apps_per_user(ref, q),
                  figures->max_apps_per_user, err));
    CHECK(resources(duel, path, "masters' use", ref_am_used(ref, q, 0, -1), figures->am_used, err));
    return resources(duel, path, "masters' limit", ref_am_limit(ref, q, 0), figures->am_limit, err);
}

/* Returns true if the capacity of queue Q is shown as its weight, and its fraction as 0. */
static bool shows_weight(const struct reference *ref, int q)
{
    return ref->config.queues[q].mode == REF_WEIGHT && !ref->config.by_type;
}

static int compare_queue(const struct duel *duel, int q, struct err *err)
{
    const struct reference *ref = &duel->ref;
    const struct ref_part *part = &ref->queues[q].part[0];
    const char *path = ref->config.queues[q].path;
    struct resource total = ref_label_total(ref, 0);
    struct sched_queue_figures figures;

    if (!sched_queue_find_figures(duel->sched, path, &figures))
        return err_set(err, EINVAL, "%s: the core does not know it", path);
    CHECK(resources(duel, path, "use", ref_queue_used(ref, q, 0, -1), figures.used, err));
    CHECK(resources(duel, path, "reserved", ref_queue_reserved(ref, q, 0), figures.reserved, err));
    CHECK(resources(duel, path, "pending", shown_pending(ref, q, 0), figures.pending, err));
    CHECK(resources(duel, path, "minimum", part->guarantee, figures.minimum, err));
    CHECK(resources(duel, path, "maximum", part->most, figures.maximum, err));
    if (!resource_is_zero(&total)) {
        CHECK(fractions(path, "capacity", shows_weight(ref, q) ? 0 : part->capacity, figures.capacity, err));
        CHECK(fractions(path, "absolute capacity", part->absolute, figures.absolute_capacity, err));
        CHECK(
            fractions(path, "absolute maximum", part->absolute_maximum, figures.absolute_max_capacity, err));
        CHECK(fractions(path, "used capacity", ref_used_capacity(ref, q, 0), figures.used_capacity, err));
    }
    return ref->config.queues[q].leaf ? compare_leaf(duel, q, &figures, err) : 0;
}

static int compare_label(const struct duel *duel, int q, int label, struct err *err)
{
    const struct reference *ref = &duel->ref;
    const struct ref_part *part = &ref->queues[q].part[label];
    struct sched_partition_figures figures = { .accessible = false };
    struct resource total = ref_label_total(ref, label);
    char name[96];

    snprintf(name, sizeof(name), "%s with label %s", ref->config.queues[q].path, scenario_label(label));
    if (!sched_queue_partition_figures(duel->sched, ref->config.queues[q].path, label, &figures))
        return 0; /* it has no figures there */
    CHECK(numbers(name, "access", ref_may_name(ref, q, label), figures.accessible, err));
    CHECK(resources(duel, name, "use", ref_queue_used(ref, q, label, -1), figures.used, err));
    CHECK(resources(duel, name, "reserved", ref_queue_reserved(ref, q, label), figures.reserved, err));
    CHECK(resources(duel, name, "pending", shown_pending(ref, q, label), figures.pending, err));
    CHECK(resources(duel, name, "minimum", part->guarantee, figures.minimum, err));
    CHECK(resources(duel, name, "maximum", part->most, figures.maximum, err));
    CHECK(fractions(name, "absolute capacity", part->absolute, figures.absolute_capacity, err));
    CHECK(fractions(name, "absolute maximum", part->absolute_maximum, figures.absolute_max_capacity, err));
    if (!resource_is_zero(&total))
        CHECK(fractions(name, "used capacity", ref_used_capacity(ref, q, label), figures.used_capacity, err));
    if (!ref->config.queues[q].leaf)
        return 0;
    CHECK(resources(duel, name, "masters' use", ref_am_used(ref, q, label, -1), figures.am_used, err));
    return resources(duel, name, "masters' limit", ref_am_limit(ref, q, label), figures.am_limit, err);
}

static int compare_users(const struct duel *duel, int q, struct err *err)
{
    const struct reference *ref = &duel->ref;
    const char *path = ref->config.queues[q].path;
    struct sched_user_figures figures = { .user = NULL };
    char name[96];

    while (sched_queue_user_next(duel->sched, path, figures.user, &figures)) {
        int user = figures.user[strlen(figures.user) - 1] - '0';

        snprintf(name, sizeof(name), "user%d in %s", user, path);
        CHECK(resources(duel, name, "use", ref_queue_used(ref, q, 0, user),
                        resource_add(figures.used, resource_of(0, 0)), err));
        CHECK(numbers(name, "activity", ref_user_active(ref, q, user), figures.active, err));
        CHECK(resources(duel, name, "masters' use", ref_am_used(ref, q, 0, user), figures.am_used, err));
        if (figures.active)
            CHECK(resources(duel, name, "limit", ref_user_limit(ref, q, 0, user, false), figures.limit, err));
    }
    return 0;
}

int duel_compare_figures(const struct duel *duel, struct err *err)
{
    int64_t queues = 0;

    for (int q = 0; q < duel->ref.config.queue_count; q++)
        queues += !duel->ref.config.queues[q].gone;
    CHECK(numbers("the cluster", "queues", queues, (int64_t)sched_queue_count(duel->sched), err));
    for (int n = 0; n < REF_NODES; n++)
        if (duel->ref.nodes[n].here)
            CHECK(compare_node(duel, n, err));
    for (int q = 0; q < duel->ref.config.queue_count; q++) {
        if (duel->ref.config.queues[q].gone)
            continue;
        CHECK(compare_queue(duel, q, err));
        for (int l = 1; l < duel->ref.config.labels; l++)
            CHECK(compare_label(duel, q, l, err));
        if (duel->ref.config.queues[q].leaf)
            CHECK(compare_users(duel, q, err));
    }
    for (int a = 0; a < REF_APPS; a++)
        if (duel->ref.apps[a].here) {
            CHECK(compare_app(duel, a, err));
            CHECK(compare_missed(duel, a, err));
        }
    return 0;
}
