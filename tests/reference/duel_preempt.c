/* SPDX-License-Identifier: Apache-2.0 */
/*
 * duel_preempt.c - a round of preemption in a duel: the reference selects with preempt_model.h, from a
 * snapshot of its own state, and then gives notice and kills (yarn-behaviour 7.1 and 7.6)
 */
#include <stdlib.h>

#include "common/base/mem.h"
#include "tests/reference/duel_figures.h"
#include "tests/reference/preempt_model.h"

void duel_preempt_settings(const struct ref_config *config, struct preempt_settings *ret)
{
    const struct ref_preemption *preemption = &config->preemption;

    preempt_settings_default(ret);
    ret->enabled = preemption->on;
    ret->calc = (struct calc){ .dominant = config->dominant, .types = config->types };
    ret->per_round = preemption->per_round;
    ret->ignored_over_capacity = preemption->ignored_over_capacity;
    ret->termination_factor = preemption->termination_factor;
    ret->conservative = preemption->conservative;
    ret->wait_ms = preemption->wait_ms;
}

/* --- the snapshot ------------------------------------------------------------ */

struct picture {
    struct reference *ref;
    struct fixture *fixture;
    uint32_t queues[REF_QUEUES], apps[REF_APPS]; /* indexes in the fixture */
    /* Of each container of the fixture: the container, or the reserved node as -1 - node. */
    int containers[REF_CONTAINERS + REF_NODES];
};

static struct resource or_else(struct resource amount, struct resource total, float fraction)
{
    return resource_is_zero(&amount) ? ref_multiply(total, (double)fraction) : amount;
}

static void add_queue(struct picture *picture, int q)
{
    const struct ref_config *config = &picture->ref->config;
    const struct ref_queue_config *queue = &config->queues[q];
    const struct ref_part *part = &picture->ref->queues[q].part[0];
    struct fixture *fixture = picture->fixture;
    struct resource total = fixture->partitions[0];
    uint32_t index = q > 0 ? fixture->queue_count++ : 0, above = q > 0 ? picture->queues[queue->parent] : 0;
    bool ranked = q > 0 && config->queues[queue->parent].priority_utilization;

    picture->queues[q] = index;
    fixture->queues[index] = (struct preempt_queue){
        .parent = q > 0 ? above : PREEMPT_NONE,
        .leaf = queue->leaf,
        .disabled = queue->disable_preemption || (q > 0 && fixture->queues[above].disabled),
        .priority = ranked ? queue->priority : 0,
        .am_fraction = queue->share[0].am_fraction,
    };
    fixture->figures[index] =
        (struct preempt_figures){ .guaranteed = or_else(part->guarantee, total, part->absolute),
                                  .maximum = or_else(part->most, total, part->absolute_maximum),
                                  .absolute_capacity = part->absolute };
}

/* Adds QUEUE and all below it in the order of the configuration. */
static void add_queues(struct picture *picture, int queue)
{
    int children[REF_QUEUES], count = scenario_children(&picture->ref->config, queue, children);

    add_queue(picture, queue);
    for (int i = 0; i < count; i++)
        add_queues(picture, children[i]);
}

/* Adds the applications of LEAF in the order in which they are served; so the last one gives first. */
static void add_apps(struct picture *picture, int leaf)
{
    int order[REF_APPS];

    for (int active = 1; active >= 0; active--) {
        int count = ref_order_apps(picture->ref, leaf, active == 1, order);

        for (int i = 0; i < count; i++) {
            picture->apps[order[i]] = fixture_app(picture->fixture, picture->queues[leaf],
                                                  (uint32_t)picture->ref->apps[order[i]].user, 0, 0);
            picture->fixture->apps[picture->apps[order[i]]].waits = active == 0;
        }
    }
}

static void add_container(struct picture *picture, int app, struct resource size,
                          const struct preempt_container *like)
{
    struct fixture *fixture = picture->fixture;
    struct fixture_container *container =
        &fixture->containers[fixture_containers(fixture, picture->apps[app], 1, 0)];

    container->size = size;
    container->container.am = like->am;
    container->container.reserved = like->reserved;
    container->container.priority = like->priority;
}

/* Adds containers, the oldest first. */
static void add_containers(struct picture *picture)
{
    const struct reference *ref = picture->ref;
    int count = 0, next;

    for (uint64_t last = 0;; last = ref->containers[next].order) {
        next = -1;
        for (int c = 0; c < ref->container_top; c++)
            if (ref->containers[c].here && ref->containers[c].order > last &&
                (next < 0 || ref->containers[c].order < ref->containers[next].order))
                next = c;
        if (next < 0)
            break;
        picture->containers[count++] = next;
        add_container(picture, ref->containers[next].app, ref->containers[next].size,
                      &(struct preempt_container){ .priority = (uint32_t)ref->containers[next].key,
                                                   .am = ref->containers[next].master });
    }
}

/* Adds reservations, the oldest first. */
static void add_reservations(struct picture *picture)
{
    const struct ref_node *nodes = picture->ref->nodes;
    int count = (int)picture->fixture->container_count, next;

    for (uint64_t last = 0;; last = nodes[next].reserved_order) {
        next = -1;
        for (int n = 0; n < REF_NODES; n++)
            if (nodes[n].here && nodes[n].reserved && nodes[n].reserved_order > last &&
                (next < 0 || nodes[n].reserved_order < nodes[next].reserved_order))
                next = n;
        if (next < 0)
            break;
        picture->containers[count++] = -1 - next;
        add_container(picture, nodes[next].reserved_app, nodes[next].reserved_size,
                      &(struct preempt_container){ .reserved = true });
    }
}

/* --- pending requests (LeafQueue.getTotalPendingResourcesConsideringUserLimit) -- */

/* A node or rack that a request with strict locality names counts if there is a node that APP takes. */
static uint32_t count_open(const struct reference *ref, const struct ref_app *app, const struct ref_key *key)
{
    uint32_t count = 0;

    if (!key->any.strict)
        return key->any.count;
    for (int n = 0; n < REF_NODES; n++)
        if (ref->nodes[n].here && !app->avoids[n])
            count += key->node[n].count;
    for (int r = 0; r < REF_RACKS; r++) {
        bool open = false;

        for (int n = 0; n < REF_NODES; n++)
            open = open || (ref->nodes[n].here && ref->nodes[n].rack == r && !app->avoids[n]);
        count += open && !key->rack[r].strict ? key->rack[r].count : 0;
    }
    return count < key->any.count ? count : key->any.count;
}

static struct resource pending_of(const struct reference *ref, int app)
{
    struct resource sum = resource_of(0, 0);

    for (int k = 0; k < REF_KEYS; k++) {
        const struct ref_key *key = &ref->apps[app].keys[k];

        sum = resource_add(sum, ref_multiply(key->size, count_open(ref, &ref->apps[app], key)));
    }
    return sum;
}

static struct resource not_below_zero(struct resource amount)
{
    return resource_max(amount, resource_of(0, 0));
}

/* Returns what the applications of LEAF wait for, as far as their users may have it. UNRESERVED: without what
 * is reserved for them. */
static struct resource sum_pending(const struct reference *ref, int leaf, bool unreserved)
{
    struct resource sum = resource_of(0, 0), room[REF_USERS];
    int order[REF_APPS], count = ref_order_apps(ref, leaf, true, order);

    for (int u = 0; u < REF_USERS; u++)
        room[u] = not_below_zero(
            resource_subtract(ref_user_limit(ref, leaf, 0, u, false), ref_queue_used(ref, leaf, 0, u)));
    for (int i = 0; i < count; i++) {
        struct resource *left = &room[ref->apps[order[i]].user], gets = pending_of(ref, order[i]);

        if (unreserved)
            gets = not_below_zero(resource_subtract(gets, ref_app_reserved(ref, order[i], 0)));
        gets = resource_min(*left, gets);
        *left = resource_subtract(*left, gets);
        sum = resource_add(sum, gets);
    }
    return sum;
}

static void add_pending(struct picture *picture, int leaf)
{
    struct preempt_figures *figures = &picture->fixture->figures[picture->queues[leaf]];

    figures->pending = sum_pending(picture->ref, leaf, false);
    figures->pending_unreserved = sum_pending(picture->ref, leaf, true);
}

/* The caller frees the fixture. */
static void take_picture(struct reference *ref, struct picture *picture)
{
    *picture = (struct picture){ .ref = ref, .fixture = fixture_new(ref_total(ref)) };
    duel_preempt_settings(&ref->config, &picture->fixture->settings);
    add_queues(picture, 0);
    for (int q = 0; q < ref->config.queue_count; q++)
        if (ref->config.queues[q].leaf)
            add_apps(picture, q);
    add_containers(picture);
    add_reservations(picture);
    fixture_sum_up(picture->fixture);
    for (int q = 0; q < ref->config.queue_count; q++)
        if (ref->config.queues[q].leaf)
            add_pending(picture, q);
}

/* --- acting -------------------------------------------------------------------- */

/* The first time that a container is selected it gets a notice; it is killed if it is selected after the
 * wait. */
static void act(struct reference *ref, int c)
{
    struct ref_container *container = &ref->containers[c];
    int64_t kill_ms = container->notified_ms + ref->config.preemption.wait_ms;
    struct ref_decision decision = {
        .kind = SCHED_KILL, .node = container->node, .app = container->app, .container = c
    };

    if (container->notified_ms > 0 && ref->now_ms < kill_ms)
        return;
    container->preempted = container->notified_ms > 0;
    if (!container->preempted) {
        container->notified_ms = ref->now_ms;
        decision.kind = SCHED_PREEMPT;
        decision.deadline_ms = ref->now_ms + ref->config.preemption.wait_ms;
    }
    ref_decide(ref, decision);
}

/* A notice that is older than twice the wait has no consequence any more. */
static void withdraw(struct reference *ref)
{
    for (int c = 0; c < ref->container_top; c++) {
        struct ref_container *container = &ref->containers[c];

        if (!container->here || container->preempted || container->notified_ms == 0 ||
            ref->now_ms - container->notified_ms <= 2 * ref->config.preemption.wait_ms)
            continue;
        container->notified_ms = 0;
        container->hears = true;
    }
}

static void preempt_in_reference(struct reference *ref)
{
    struct picture picture;
    struct preempt_choice *choice = mem_new0(struct preempt_choice);

    take_picture(ref, &picture);
    preempt_model_select(picture.fixture, choice);
    for (size_t i = 0; i < choice->count; i++) {
        int c = picture.containers[choice->items[i].container];

        if (choice->items[i].release)
            ref_unreserve(ref, -1 - c);
        else if (c >= 0)
            act(ref, c);
    }
    withdraw(ref);
    free(choice);
    fixture_free(picture.fixture);
}

static int preempt_once(struct duel *duel, int64_t after_ms, struct err *err)
{
    int r;

    duel->now_ms += after_ms;
    duel->ref.now_ms = duel->now_ms;
    duel_print(duel, "a round of preemption\n");
    sched_tick(duel->sched, duel->now_ms, &duel->decisions);
    sched_preempt(duel->sched, &duel->decisions);
    preempt_in_reference(&duel->ref);
    r = duel_compare_decisions(duel, err);
    for (int c = 0; c < REF_CONTAINERS && r == 0; c++)
        if (duel->ref.containers[c].here && duel->ref.containers[c].preempted) {
            duel_end_container(duel, c);
            r = duel_compare_decisions(duel, err);
        }
    return r;
}

int duel_preempt(struct duel *duel, const struct event *event, struct err *err)
{
    int r = 0;

    for (uint32_t i = 0; i <= event->pick[0] % 3 && r == 0; i++)
        r = preempt_once(duel, 1000 + event->pick[1 + i] % 5000, err);
    return r;
}
