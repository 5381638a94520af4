/* SPDX-License-Identifier: Apache-2.0 */
/* preempt_model.c - reference implementation of one round of preemption, for the selector by guarantee */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "tests/reference/preempt_model.h"

static const struct resource zero;
static const struct resource units = { .value = { 1, 1, 1, 1, 1, 1, 1, 1 } };

struct model {
    const struct fixture *fixture;
    const struct calc *calc;
    struct resource pending[FIXTURE_QUEUES], unreserved[FIXTURE_QUEUES];
    struct resource untouchable[FIXTURE_QUEUES], preemptable[FIXTURE_QUEUES];
    struct resource ideal[FIXTURE_QUEUES], obtain[FIXTURE_QUEUES];
    struct resource allowed;
    bool thirsty[FIXTURE_QUEUES];
    struct preempt_choice *choice;
};

static bool above(const struct model *m, struct resource total, struct resource a, struct resource b)
{
    return calc_compare(m->calc, &total, &a, &b) > 0;
}

static struct resource lesser(const struct model *m, struct resource total, struct resource a,
                              struct resource b)
{
    return above(m, total, a, b) ? b : a;
}

static struct resource greater(const struct model *m, struct resource total, struct resource a,
                               struct resource b)
{
    return above(m, total, b, a) ? b : a;
}

static void model_sums(struct model *m, uint32_t q)
{
    const struct preempt_figures *figures = &m->fixture->figures[q];
    struct resource total = m->fixture->partitions[0], extra, below = zero;

    m->pending[q] = figures->pending;
    m->unreserved[q] = figures->pending_unreserved;
    for (uint32_t child = 1; child < m->fixture->queue_count; child++) {
        if (m->fixture->queues[child].parent != q)
            continue;
        model_sums(m, child);
        m->pending[q] = resource_add(m->pending[q], m->pending[child]);
        m->unreserved[q] = resource_add(m->unreserved[q], m->unreserved[child]);
        below = resource_add(below, m->preemptable[child]);
    }
    extra = resource_subtract(figures->used, figures->guaranteed);
    if (above(m, total, zero, extra))
        extra = zero;
    m->untouchable[q] = m->preemptable[q] = zero;
    if (!m->fixture->queues[q].leaf) {
        m->untouchable[q] = above(m, total, extra, below) ? resource_subtract(extra, below) : zero;
        m->preemptable[q] = lesser(m, total, below, extra);
    } else if (m->fixture->queues[q].disabled) {
        m->untouchable[q] = extra;
    } else {
        m->preemptable[q] = extra;
    }
}

static double filled(const struct model *m, struct resource total, uint32_t q)
{
    struct resource guaranteed = m->fixture->figures[q].guaranteed;

    return above(m, total, guaranteed, zero) ? (double)calc_divide(m->calc, &total, &m->ideal[q], &guaranteed)
                                             : (double)INT32_MAX;
}

/* Compares the need of queues A and B. Returns below 0 if A needs more, 0 if equal, above 0 if less: as
 * Double.compare, for which what is not a number is above all numbers. */
static int needier(const struct model *m, struct resource total, uint32_t a, uint32_t b)
{
    double fa = filled(m, total, a), fb = filled(m, total, b);
    int32_t pa = m->fixture->queues[a].priority, pb = m->fixture->queues[b].priority;
    bool same_side = (fa < 1 && fb < 1) || (fa >= 1 && fb >= 1);

    if (pa != pb && same_side)
        return pa > pb ? -1 : 1;
    if (isnan(fa) || isnan(fb))
        return (isnan(fa) ? 1 : 0) - (isnan(fb) ? 1 : 0);
    return fa < fb ? -1 : fa > fb;
}

static struct resource model_offer(struct model *m, struct resource total, uint32_t q, struct resource avail)
{
    const struct preempt_figures *figures = &m->fixture->figures[q];
    struct resource delta = calc_subtract_positive(figures->maximum, m->ideal[q]);
    struct resource wants = resource_subtract(resource_add(figures->used, m->unreserved[q]), m->ideal[q]);
    struct resource accepted = resource_min(delta, lesser(m, total, avail, wants));

    if (m->fixture->queues[q].leaf) {
        struct resource most =
            resource_subtract(greater(m, total, figures->used, figures->guaranteed), m->ideal[q]);

        accepted = lesser(m, total, accepted, greater(m, total, most, zero));
    }
    accepted = resource_min(resource_max(accepted, zero), avail);
    m->ideal[q] = resource_add(m->ideal[q], accepted);
    return accepted;
}

/* Returns the weight of Q for TYPE among the queues in WANTING. The sum is in double precision, so that the
 * order of the queues does not matter. */
static float model_weight(const struct model *m, uint32_t q, int type, const bool *wanting, bool guaranteed)
{
    const struct preempt_figures *figures = m->fixture->figures;
    double capacities = 0;
    float count = 0;
    int64_t sum = 0;
    bool rounded = false;

    for (uint32_t other = 1; other < m->fixture->queue_count; other++) {
        if (!wanting[other])
            continue;
        count++;
        capacities += (double)figures[other].absolute_capacity;
        sum += figures[other].guaranteed.value[type];
        rounded |= figures[other].guaranteed.value[type] == 0 && figures[other].absolute_capacity > 0;
    }
    if (!guaranteed || sum == 0 || capacities <= 0)
        return 1 / count;
    return rounded ? figures[q].absolute_capacity / (float)capacities
                   : (float)figures[q].guaranteed.value[type] / (float)sum;
}

static void model_share(struct model *m, struct resource total, uint32_t parent, bool guaranteed,
                        struct resource *seen)
{
    struct resource left;
    bool first = true;

    memset(m->thirsty, 0, sizeof(m->thirsty));
    for (uint32_t q = 1; q < m->fixture->queue_count; q++) {
        const struct preempt_figures *figures = &m->fixture->figures[q];

        if (m->fixture->queues[q].parent != parent ||
            above(m, total, figures->guaranteed, zero) != guaranteed)
            continue;
        m->ideal[q] = figures->used;
        if (above(m, total, figures->used, figures->guaranteed))
            m->ideal[q] = resource_add(resource_min(figures->guaranteed, figures->used), m->untouchable[q]);
        *seen = resource_subtract(*seen, m->ideal[q]);
        m->thirsty[q] = above(m, total, resource_add(figures->used, m->pending[q]), m->ideal[q]);
    }
    left = *seen;
    while (above(m, total, left, zero)) {
        bool batch[FIXTURE_QUEUES] = { false }, wanting[FIXTURE_QUEUES];
        struct resource snapshot = left;
        uint32_t head = 0, count = 0;

        for (uint32_t q = 1; q < m->fixture->queue_count; q++) {
            if (!m->thirsty[q])
                continue;
            head = head == 0 || needier(m, total, q, head) < 0 ? q : head;
            count++;
        }
        if (count == 0)
            return;
        memcpy(wanting, m->thirsty, sizeof(wanting));
        for (uint32_t q = 1; q < m->fixture->queue_count; q++) {
            batch[q] = m->thirsty[q] && needier(m, total, q, head) == 0;
            m->thirsty[q] = m->thirsty[q] && !batch[q];
        }
        for (uint32_t q = 1; q < m->fixture->queue_count; q++) {
            double weights[RESOURCE_TYPES_MAX] = { 0 };
            struct resource avail, accepted;

            if (!batch[q] || !calc_any_above_zero(m->calc, &left))
                continue;
            for (int t = 0; t < m->calc->types; t++)
                weights[t] = (double)model_weight(m, q, t, wanting, guaranteed);
            avail = resource_min(calc_multiply_up_each(m->calc, &snapshot, weights, &units), left);
            accepted = model_offer(m, total, q, avail);
            m->thirsty[q] = above(m, total, accepted, zero);
            left = resource_subtract(left, accepted);
            if (first)
                *seen = left;
            first = false;
            left = resource_max(left, zero);
        }
    }
}

/* Returns true if another leaf asks. */
static bool model_gives(const struct model *m, uint32_t leaf)
{
    for (uint32_t q = 1; q < m->fixture->queue_count; q++)
        if (q != leaf && m->fixture->queues[q].leaf && calc_any_above_zero(m->calc, &m->pending[q]))
            return true;
    return false;
}

static void model_level(struct model *m, uint32_t parent)
{
    struct resource total = m->ideal[parent], seen = total, needed = zero;
    float factor = 1.0f;

    for (uint32_t q = 1; q < m->fixture->queue_count; q++)
        if (m->fixture->queues[q].parent == parent)
            m->ideal[q] = zero;
    model_share(m, total, parent, true, &seen);
    if (above(m, total, seen, zero))
        model_share(m, total, parent, false, &seen);
    for (uint32_t q = 1; q < m->fixture->queue_count; q++)
        if (m->fixture->queues[q].parent == parent &&
            above(m, total, m->fixture->figures[q].used, m->ideal[q]))
            needed = resource_add(needed, resource_subtract(m->fixture->figures[q].used, m->ideal[q]));
    if (above(m, total, needed, m->allowed))
        factor = calc_divide(m->calc, &total, &m->allowed, &needed);
    for (uint32_t q = 1; q < m->fixture->queue_count; q++) {
        const struct preempt_figures *figures = &m->fixture->figures[q];
        struct resource keep, over, zone;

        if (m->fixture->queues[q].parent != parent)
            continue;
        keep = greater(m, total,
                       lesser(m, total, resource_add(figures->used, m->pending[q]), figures->guaranteed),
                       m->ideal[q]);
        over = above(m, total, figures->used, keep) ? resource_subtract(figures->used, keep) : zero;
        over = calc_multiply(&over, (double)factor);
        zone = calc_multiply(&figures->guaranteed, 1.0 + m->fixture->settings.ignored_over_capacity);
        m->obtain[q] = zero;
        if (m->fixture->queues[q].leaf && !m->fixture->queues[q].disabled && model_gives(m, q) &&
            above(m, m->fixture->snapshot.cluster, figures->used, zone))
            m->obtain[q] = calc_multiply_up(m->calc, &over, m->fixture->settings.termination_factor, &units);
        if (!m->fixture->queues[q].leaf)
            model_level(m, q);
    }
}

static void model_choose(struct model *m, const struct fixture_container *c, bool release)
{
    struct preempt_choice *choice = m->choice;

    choice->items[choice->count++] =
        (struct preempt_chosen){ .container = (uint32_t)(c - m->fixture->containers), .release = release };
}

static bool model_take(struct model *m, uint32_t leaf, const struct fixture_container *c)
{
    struct resource total = m->fixture->snapshot.cluster, *obtain = &m->obtain[leaf], left;

    for (int t = 0; t < m->calc->types; t++)
        if (obtain->value[t] == 0)
            obtain->value[t] = -1;
    left = resource_subtract(*obtain, c->size);
    if (!calc_any_above_zero(m->calc, obtain) || !calc_fits(m->calc, &c->size, &m->allowed) ||
        (m->fixture->settings.conservative
             ? calc_any_used_up(m->calc, obtain)
             : !above(m, total, resource_max(*obtain, zero), resource_max(left, zero))))
        return false;
    *obtain = left;
    m->allowed = resource_subtract(m->allowed, c->size);
    model_choose(m, c, false);
    return true;
}

static bool is_open(const struct model *m, uint32_t leaf)
{
    return above(m, m->fixture->snapshot.cluster, m->obtain[leaf], zero);
}

/* Returns the next app to preempt from; -1: none is left. */
static int next_app(const struct model *m, uint32_t leaf, const bool *done)
{
    const struct preempt_source *source = &m->fixture->snapshot.source;
    struct preempt_app apps[FIXTURE_APPS];
    size_t count = source->apps(source->context, leaf, 0, apps, FIXTURE_APPS);
    int best = -1;

    for (size_t i = 0; i < count; i++) {
        bool later;

        if (done[apps[i].number] || apps[i].waits)
            continue;
        if (best < 0) {
            best = (int)i;
            continue;
        }
        if (m->fixture->queues[leaf].fair_order)
            later = apps[i].fair_key >= apps[best].fair_key;
        else
            later = apps[i].priority <= apps[best].priority;
        best = later ? (int)i : best; /* by index */
    }
    return best < 0 ? -1 : (int)apps[best].number;
}

static void model_app(struct model *m, uint32_t leaf, uint32_t app, uint32_t *masters, size_t *master_count)
{
    bool seen[FIXTURE_CONTAINERS] = { false };
    const struct fixture_container *all = m->fixture->containers;

    for (uint32_t i = 0; i < m->fixture->container_count && is_open(m, leaf); i++)
        if (all[i].app == app && all[i].container.reserved) {
            model_take(m, leaf, &all[i]);
            model_choose(m, &all[i], true);
        }
    while (is_open(m, leaf)) {
        int best = -1;

        for (uint32_t i = 0; i < m->fixture->container_count; i++)
            if (all[i].app == app && !all[i].container.reserved && !seen[i] &&
                (best < 0 || all[i].container.priority >= all[best].container.priority))
                best = (int)i;
        if (best < 0)
            return;
        seen[best] = true;
        if (all[best].container.am)
            masters[(*master_count)++] = (uint32_t)best;
        else
            model_take(m, leaf, &all[best]);
    }
}

static void model_leaf(struct model *m, uint32_t leaf)
{
    bool done[FIXTURE_APPS] = { false };
    uint32_t masters[FIXTURE_APPS];
    size_t master_count = 0;
    struct resource sum = zero, limit;
    int app;

    while (is_open(m, leaf) && (app = next_app(m, leaf, done)) >= 0) {
        done[app] = true;
        model_app(m, leaf, (uint32_t)app, masters, &master_count);
    }
    limit =
        calc_multiply(&m->fixture->figures[leaf].guaranteed, (double)m->fixture->queues[leaf].am_fraction);
    for (size_t i = 0; i < master_count; i++)
        sum = resource_add(sum, m->fixture->containers[masters[i]].size);
    for (size_t i = 0;
         i < master_count && is_open(m, leaf) && above(m, m->fixture->snapshot.cluster, sum, limit); i++)
        if (model_take(m, leaf, &m->fixture->containers[masters[i]]))
            sum = resource_subtract(sum, m->fixture->containers[masters[i]].size);
}

void preempt_model_select(const struct fixture *fixture, struct preempt_choice *choice)
{
    struct model *m = mem_new0(struct model);

    choice->count = 0;
    *m = (struct model){ .fixture = fixture,
                         .calc = &fixture->settings.calc,
                         .allowed =
                             calc_multiply(&fixture->snapshot.cluster, (double)fixture->settings.per_round),
                         .choice = choice };
    model_sums(m, 0);
    m->ideal[0] = fixture->figures[0].guaranteed;
    model_level(m, 0);
    for (uint32_t q = 1; q < fixture->queue_count; q++)
        if (is_open(m, q))
            model_leaf(m, q);
    free(m);
}
