/* SPDX-License-Identifier: Apache-2.0 */
/* preempt_fixture.c - fixture: a small cluster of queues, apps and containers for the preemption policy */
#include "tests/unit/sched/preempt_fixture.h"

#include <assert.h>
#include <stdlib.h>

#include "common/base/mem.h"

/* --- source of containers for the policy --------------------------------------------- */

static struct resource used_by(const struct fixture *fixture, uint32_t app, uint32_t partition, bool masters)
{
    struct resource sum = { .value = { 0 } };

    for (uint32_t i = 0; i < fixture->container_count; i++) {
        const struct fixture_container *c = &fixture->containers[i];

        if (c->app == app && c->container.partition == partition && !c->gone && !c->container.reserved &&
            (!masters || c->container.am))
            sum = resource_add(sum, c->size);
    }
    return sum;
}

static size_t apps(void *context, uint32_t leaf, uint32_t partition, struct preempt_app *items, size_t room)
{
    struct fixture *fixture = context;
    size_t count = 0;

    fixture->leaf_fetches++;
    for (uint32_t a = 0; a < fixture->app_count; a++) {
        const struct fixture_app *app = &fixture->apps[a];

        if (app->leaf != leaf)
            continue;
        if (count < room)
            items[count] = (struct preempt_app){ .handle = &fixture->apps[a],
                                                 .number = a,
                                                 .priority = app->priority,
                                                 .user = app->user,
                                                 .used = used_by(fixture, a, partition, false),
                                                 .am = used_by(fixture, a, partition, true),
                                                 .waits = app->waits,
                                                 .pending = app->pending };
        if (count < room)
            items[count].fair_key = (double)items[count].used.value[0];
        count++;
    }
    return count;
}

static size_t users(void *context, uint32_t leaf, uint32_t partition, struct preempt_user *items, size_t room)
{
    struct fixture *fixture = context;
    size_t count = 0;

    for (uint32_t a = 0; a < fixture->app_count; a++)
        if (fixture->apps[a].leaf == leaf && fixture->apps[a].user >= count)
            count = fixture->apps[a].user + 1;
    for (size_t i = 0; i < count && i < room; i++)
        items[i] = (struct preempt_user){ .limit = fixture->user_limits[leaf] };
    for (uint32_t a = 0; a < fixture->app_count; a++)
        if (fixture->apps[a].leaf == leaf && fixture->apps[a].user < room)
            items[fixture->apps[a].user].used =
                resource_add(items[fixture->apps[a].user].used, used_by(fixture, a, partition, false));
    return count;
}

static size_t pick_out(struct fixture *fixture, bool wanted(const struct fixture_container *, size_t),
                       size_t key, struct preempt_container *items, size_t room)
{
    size_t count = 0;

    for (uint32_t i = 0; i < fixture->container_count; i++) {
        const struct fixture_container *c = &fixture->containers[i];

        if (c->gone || !wanted(c, key))
            continue;
        if (count < room)
            items[count] = c->container;
        count++;
    }
    return count;
}

static bool is_of_app(const struct fixture_container *c, size_t app)
{
    return c->app == app;
}

static bool is_on_node(const struct fixture_container *c, size_t node)
{
    return c->node == node && !c->container.reserved;
}

static bool is_borrower(const struct fixture_container *c, size_t leaf)
{
    return c->borrows && c->container.leaf == leaf;
}

static size_t containers(void *context, void *app, struct preempt_container *items, size_t room)
{
    struct fixture *fixture = context;

    return pick_out(fixture, is_of_app, (size_t)((struct fixture_app *)app - fixture->apps), items, room);
}

static bool goes_before(const struct preempt_container *a, const struct preempt_container *b)
{
    return a->priority != b->priority ? a->priority > b->priority : a->id > b->id;
}

/* Returns the first container of APP after BEHIND in the policy's order, by a scan of all containers. */
static const struct fixture_container *next_of(const struct fixture *fixture, uint32_t app,
                                               const struct fixture_container *behind)
{
    const struct fixture_container *first = NULL;

    for (uint32_t i = 0; i < fixture->container_count; i++) {
        const struct fixture_container *c = &fixture->containers[i];

        if (c->app == app && !c->gone && (!behind || goes_before(&behind->container, &c->container)) &&
            (!first || goes_before(&c->container, &first->container)))
            first = c;
    }
    return first;
}

static uint32_t next_containers(void *context, void *app, void *behind, struct preempt_container *items,
                                uint32_t room)
{
    const struct fixture *fixture = context;
    uint32_t index = (uint32_t)((struct fixture_app *)app - fixture->apps), count = 0;
    const struct fixture_container *c = behind;

    for (uint32_t i = 0; i < fixture->container_count; i++)
        if (fixture->containers[i].app == index && fixture->containers[i].container.reserved &&
            !fixture->containers[i].gone)
            return PREEMPT_NONE;
    while (count < room && (c = next_of(fixture, index, c)) != NULL)
        items[count++] = c->container;
    return count;
}

static size_t containers_of_node(void *context, void *node, struct preempt_container *items, size_t room)
{
    struct fixture *fixture = context;

    return pick_out(fixture, is_on_node, (size_t)((struct fixture_node *)node - fixture->nodes), items, room);
}

static size_t borrowers(void *context, uint32_t leaf, uint32_t partition, struct preempt_container *items,
                        size_t room)
{
    return partition == 0 ? 0 : pick_out(context, is_borrower, leaf, items, room);
}

static size_t reservations(void *context, struct preempt_reservation *items, size_t room)
{
    struct fixture *fixture = context;
    size_t count = 0;

    for (uint32_t i = 0; i < fixture->container_count; i++) {
        const struct fixture_container *c = &fixture->containers[i];

        if (!c->container.reserved || c->gone)
            continue;
        if (count < room)
            items[count] = (struct preempt_reservation){ .node = &fixture->nodes[c->node],
                                                         .container = c->container,
                                                         .available = fixture->nodes[c->node].available };
        count++;
    }
    return count;
}

static size_t increases(void *context, struct preempt_reservation *items, size_t room)
{
    struct fixture *fixture = context;
    size_t count = 0;

    for (uint32_t i = 0; i < fixture->container_count; i++) {
        const struct fixture_container *c = &fixture->containers[i];

        if (resource_is_zero(&c->growth) || c->gone)
            continue;
        if (count < room) {
            items[count] = (struct preempt_reservation){ .node = &fixture->nodes[c->node],
                                                         .container = c->container,
                                                         .available = fixture->nodes[c->node].available };
            items[count].container.size = calc_amount(&c->growth);
        }
        count++;
    }
    return count;
}

/* --- building ------------------------------------------------------------------------ */

struct fixture *fixture_new(struct resource total)
{
    struct fixture *fixture = mem_new0(struct fixture);

    preempt_settings_default(&fixture->settings);
    fixture->settings.minimum = resource_of(1, 1);
    fixture->settings.per_round = 1.0f;
    fixture->settings.termination_factor = 1.0;
    fixture->settings.ignored_over_capacity = 0;
    fixture->settings.wait_ms = 10000;
    fixture->partitions[0] = total;
    fixture->partition_count = 1;
    fixture->queue_count = 1;
    fixture->queues[0] = (struct preempt_queue){ .parent = PREEMPT_NONE, .leaf = true };
    fixture->figures[0].guaranteed = fixture->figures[0].maximum = total;
    return fixture;
}

void fixture_free(struct fixture *fixture)
{
    free(fixture);
}

uint32_t fixture_queue(struct fixture *fixture, uint32_t parent, int64_t guaranteed_mb)
{
    uint32_t q = fixture->queue_count++;
    const struct resource *total = &fixture->partitions[0];
    double part = (double)guaranteed_mb / (double)total->value[0];

    assert(q < FIXTURE_QUEUES);
    fixture->queues[parent].leaf = false;
    fixture->queues[q] = (struct preempt_queue){
        .parent = parent, .leaf = true, .am_fraction = 0.1f, .user_limit_percent = 100
    };
    fixture->figures[q].guaranteed = resource_of(guaranteed_mb, (int64_t)(part * (double)total->value[1]));
    fixture->figures[q].maximum = *total;
    fixture->figures[q].absolute_capacity = (float)part;
    fixture->user_limits[q] = *total;
    return q;
}

uint32_t fixture_app(struct fixture *fixture, uint32_t leaf, uint32_t user, int32_t priority,
                     int64_t pending_mb)
{
    uint32_t a = fixture->app_count++;

    assert(a < FIXTURE_APPS);
    fixture->apps[a] = (struct fixture_app){
        .leaf = leaf, .user = user, .priority = priority, .pending = resource_of(pending_mb, pending_mb)
    };
    return a;
}

uint32_t fixture_containers(struct fixture *fixture, uint32_t app, uint32_t count, int64_t mb)
{
    uint32_t first = fixture->container_count;

    assert(first + count <= FIXTURE_CONTAINERS);
    for (uint32_t i = 0; i < count; i++) {
        struct fixture_container *c = &fixture->containers[fixture->container_count];

        c->size = resource_of(mb, 1);
        c->app = app;
        c->container = (struct preempt_container){ .handle = c,
                                                   .app = &fixture->apps[app],
                                                   .size = calc_amount(&c->size),
                                                   .id = ((uint64_t)app << 32) + fixture->container_count,
                                                   .created_ms = first + i,
                                                   .leaf = fixture->apps[app].leaf,
                                                   .priority = 1 };
        fixture->container_count++;
    }
    return first;
}

void fixture_sum_up(struct fixture *fixture)
{
    uint32_t count = fixture->queue_count;

    for (uint32_t p = fixture->partition_count; p-- > 1;) /* so far only [0][q] is set */
        for (uint32_t q = 0; q < count; q++)
            if (fixture->figures[p * count + q].maximum.value[0] == 0)
                fixture->figures[p * count + q] =
                    (struct preempt_figures){ .guaranteed = fixture->partitions[p],
                                              .maximum = fixture->partitions[p] };
    for (uint32_t i = 0; i < fixture->partition_count * count; i++)
        fixture->figures[i].used = fixture->figures[i].reserved = fixture->figures[i].pending =
            fixture->figures[i].pending_unreserved = (struct resource){ .value = { 0 } };
    for (uint32_t i = 0; i < fixture->container_count; i++) {
        const struct fixture_container *c = &fixture->containers[i];

        for (uint32_t q = c->container.leaf; !c->gone && q != PREEMPT_NONE; q = fixture->queues[q].parent) {
            struct preempt_figures *figures = &fixture->figures[c->container.partition * count + q];

            figures->used = resource_add(figures->used, c->size);
            if (c->container.reserved)
                figures->reserved = resource_add(figures->reserved, c->size);
        }
    }
    for (uint32_t a = 0; a < fixture->app_count; a++) {
        struct preempt_figures *figures = &fixture->figures[fixture->apps[a].leaf];

        figures->pending = resource_add(figures->pending, fixture->apps[a].pending);
        figures->pending_unreserved = calc_subtract_positive(figures->pending, figures->reserved);
    }
    fixture->snapshot =
        (struct preempt_snapshot){ .cluster = { .value = { 0 } },
                                   .queue_count = count,
                                   .partition_count = fixture->partition_count,
                                   .queues = fixture->queues,
                                   .figures = fixture->figures,
                                   .partitions = fixture->partitions,
                                   .source = { fixture, apps, users, containers, next_containers, borrowers,
                                               reservations, containers_of_node, NULL } };
    for (uint32_t p = 0; p < fixture->partition_count; p++)
        fixture->snapshot.cluster = resource_add(fixture->snapshot.cluster, fixture->partitions[p]);
}

/* Distributes the guarantee of PARENT among a random number of children. */
static void random_children(struct fixture *fixture, struct rng *rng, uint32_t parent)
{
    int64_t left = fixture->figures[parent].guaranteed.value[0];
    uint32_t count = 2 + (uint32_t)rng_below(rng, 5);

    for (uint32_t i = 0; i < count; i++) {
        int64_t part = i + 1 < count ? rng_between(rng, 0, left) : left;
        uint32_t q = fixture_queue(fixture, parent, part);

        left -= part;
        fixture->queues[q].disabled = fixture->queues[parent].disabled || rng_chance(rng, 100);
        fixture->queues[q].intra_disabled = rng_chance(rng, 100);
        fixture->queues[q].priority = (int32_t)rng_below(rng, 3);
        fixture->queues[q].fair_order = rng_chance(rng, 300);
    }
}

/* SCARCE: few containers use vcores, of which the cluster has few. */
static void random_apps(struct fixture *fixture, struct rng *rng, uint32_t leaf, bool scarce,
                        int64_t *free_mb)
{
    uint32_t count = (uint32_t)rng_below(rng, 4);

    for (uint32_t i = 0; i < count; i++) {
        uint32_t user = (uint32_t)rng_below(rng, 2);
        int32_t priority = (int32_t)rng_below(rng, 3);
        uint32_t app = fixture_app(fixture, leaf, user, priority, rng_between(rng, 0, 200));
        int64_t mb = rng_between(rng, 1, 7);
        uint32_t n = (uint32_t)rng_between(rng, 0, *free_mb / mb < 40 ? *free_mb / mb : 40);
        uint32_t first = fixture_containers(fixture, app, n, mb);

        *free_mb -= (int64_t)n * mb;
        for (uint32_t c = first; c < first + n; c++) {
            struct fixture_container *container = &fixture->containers[c];

            container->size.value[1] = scarce ? rng_chance(rng, 50) : rng_between(rng, 1, 3);
            container->container.priority = (uint32_t)rng_below(rng, 3);
            container->container.am = c == first;
            container->container.reserved = c != first && rng_chance(rng, 30);
            container->node = (uint32_t)rng_below(rng, fixture->node_count);
        }
    }
    for (int t = 0; t < 2; t++)
        fixture->user_limits[leaf].value[t] = rng_between(rng, 10, 200);
}

struct fixture *fixture_random(struct rng *rng, bool dominant)
{
    bool scarce = rng_chance(rng, 300); /* the guarantees of many queues come to 0 vcores */
    int64_t free_mb = 1000, vcores = scarce ? rng_between(rng, 8, 40) : rng_between(rng, 300, 1500);
    struct fixture *fixture = fixture_new(resource_of(free_mb, vcores));

    fixture->settings.calc.dominant = dominant;
    fixture->node_count = 8;
    for (uint32_t n = 0; n < 8; n++)
        for (int t = 0; t < 2; t++)
            fixture->nodes[n].available.value[t] = rng_between(rng, 0, 3);
    random_children(fixture, rng, 0);
    for (uint32_t q = 1, count = fixture->queue_count; q < count; q++)
        if (rng_chance(rng, 500))
            random_children(fixture, rng, q);
    for (uint32_t q = 1; q < fixture->queue_count; q++)
        if (fixture->queues[q].leaf)
            random_apps(fixture, rng, q, scarce, &free_mb);
    fixture_sum_up(fixture);
    return fixture;
}

struct fixture *fixture_drawn(uint64_t seed)
{
    struct rng rng;
    struct fixture *fixture;

    rng_seed(&rng, seed);
    fixture = fixture_random(&rng, seed % 2 == 1);
    fixture->settings.per_round = (float)rng_between(&rng, 1, 100) / 100;
    fixture->settings.termination_factor = (double)rng_between(&rng, 1, 10) / 10;
    fixture->settings.ignored_over_capacity = (double)rng_between(&rng, 0, 3) / 10;
    fixture->settings.conservative = rng_chance(&rng, 300);
    fixture->settings.reserved = rng_chance(&rng, 500);
    fixture->settings.reserved_balance = rng_chance(&rng, 300);
    fixture->settings.balance = rng_chance(&rng, 500);
    fixture->settings.intra = rng_chance(&rng, 700);
    fixture->settings.intra_priority_first = rng_chance(&rng, 500);
    fixture->settings.underutilized = rng_chance(&rng, 500);
    fixture->settings.reserved_delay_ms = 0;
    return fixture;
}

void fixture_add_increases(struct fixture *fixture, uint64_t seed)
{
    struct rng rng;

    rng_seed(&rng, seed);
    for (uint32_t i = 0; i < fixture->container_count; i++)
        if (!fixture->containers[i].container.reserved && rng_chance(&rng, 100))
            fixture->containers[i].growth = resource_of(rng_between(&rng, 1, 20), rng_between(&rng, 0, 2));
    fixture->snapshot.source.increases = increases;
}

void fixture_add_gpus(struct fixture *fixture, uint64_t seed)
{
    struct rng rng;
    int64_t total, left;

    rng_seed(&rng, seed);
    total = left = rng_between(&rng, 2, 60);
    fixture->settings.calc = (struct calc){ .dominant = true, .types = 3 };
    fixture->partitions[0].value[2] = total;
    fixture->figures[0].guaranteed = fixture->figures[0].maximum = fixture->partitions[0];
    for (uint32_t q = 1; q < fixture->queue_count; q++) {
        struct preempt_figures *figures = &fixture->figures[q];

        figures->guaranteed.value[2] = (int64_t)((double)figures->absolute_capacity * (double)total);
        figures->maximum.value[2] = total;
        fixture->user_limits[q].value[2] = rng_between(&rng, 0, total);
    }
    for (uint32_t c = 0; c < fixture->container_count; c++) {
        fixture->containers[c].size.value[2] = left > 0 && rng_chance(&rng, 150);
        left -= fixture->containers[c].size.value[2];
    }
    for (uint32_t a = 0; a < fixture->app_count; a++)
        fixture->apps[a].pending.value[2] = rng_chance(&rng, 400) ? rng_between(&rng, 1, 6) : 0;
    fixture_sum_up(fixture);
}

struct preempt_marks fixture_first_round(struct fixture *fixture)
{
    struct preempt *preempt = preempt_new(&fixture->settings);
    struct preempt_marks marks = { .count = 0 };

    preempt_round(preempt, &fixture->snapshot, 100000, &marks);
    preempt_free(preempt);
    return marks;
}

size_t fixture_count(const struct preempt_marks *marks, enum preempt_act act, uint32_t leaf)
{
    size_t count = 0;

    for (size_t i = 0; i < marks->count; i++)
        count += marks->items[i].act == act && marks->items[i].leaf == leaf;
    return count;
}
