/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preempt.c - preempts containers for starved applications and kills these containers at their deadline
 * (yarn-behaviour 8.11)
 *
 * For each container that a starved application lacks, the search looks for a node with containers whose end
 * would make enough room. An application must keep its fair share without the containers that it loses. It
 * gets a preemption notice at once. The containers are killed after waitTimeBeforeKill, even if the
 * starvation ends before. The starved application has a claim to their room: the node is offered to it first,
 * and from the first kill to the end of the last of them to nobody else. No more containers are preempted for
 * the application in this time.
 */
#include <assert.h>
#include <string.h>

#include "common/base/mem.h"
#include "rm/sched/fair/internal.h"

/* --- claims ------------------------------------------------------------------ */

static struct fair_claim *add_claim(struct sched_node *node, struct fair_app *app,
                                    const struct resource *amount)
{
    struct fair_claim *claim;

    if (fair_node_data(node) == NULL) {
        node->data = mem_new0(struct fair_node);
        TAILQ_INIT(&fair_node_data(node)->claims);
    }
    claim = fair_claim_find(node, app);
    if (claim == NULL) {
        claim = mem_new0(struct fair_claim);
        claim->app = app;
        claim->node = node;
        fair_of(app->app->sched)->claim_count++;
        TAILQ_INSERT_TAIL(&fair_node_data(node)->claims, claim, of_node);
        TAILQ_INSERT_TAIL(&app->claims, claim, of_app);
    }
    claim->left = resource_add(claim->left, *amount);
    fair_node_data(node)->claimed = resource_add(fair_node_data(node)->claimed, *amount);
    return claim;
}

void fair_node_gone(struct sched *sched, struct sched_node *node)
{
    struct fair_claim *claim;

    (void)sched;
    if (fair_node_data(node) == NULL)
        return;
    while ((claim = TAILQ_FIRST(&fair_node_data(node)->claims)) != NULL)
        fair_claim_drop(claim);
    free(fair_node_data(node));
    node->data = NULL;
}

/* --- containers chosen for preemption ------------------------------------------- */

static struct fair_victim *victim_of(const struct sched_container *container)
{
    return &fair_of(container->app->sched)->victims[container->killed_index];
}

static struct fair_victim *add_victim(struct fair *fair, struct sched_container *container,
                                      int64_t deadline_ms)
{
    struct fair_app *app = fair_app_data(container->app);

    app->preempting = resource_add(app->preempting, container_resource(container));
    fair->expected_count++;
    container->killed = true;
    container->killed_index = (uint32_t)fair->victim_count;
    mem_grow(fair->victims, fair->victim_count, fair->victim_capacity);
    fair->victims[fair->victim_count] =
        (struct fair_victim){ .container = container, .deadline_ms = deadline_ms };
    return &fair->victims[fair->victim_count++];
}

void fair_preempt(struct sched *sched, struct sched_container *container, const struct fair_app *gainer,
                  struct sched_decisions *decisions)
{
    struct fair *fair = fair_of(sched);
    struct fair_app *app = fair_app_data(container->app);
    int64_t deadline_ms = sched->now_ms + fair->config->wait_before_kill_ms;
    struct sched_decision *decision;

    decision = sched_decide(decisions, SCHED_PREEMPT, container->node, container->app);
    decision->container = container;
    decision->deadline_ms = deadline_ms;
    decision->gainer = gainer ? gainer->leaf->queue->path : NULL;
    app->am_preempted = app->am_preempted || container->master;
    (void)add_victim(fair, container, deadline_ms);
    if (deadline_ms < fair->next_kill_ms)
        fair->next_kill_ms = deadline_ms;
}

/* The room of VICTIM is not expected any more. */
static void expect_no_more(struct fair_victim *victim)
{
    struct fair_app *app = fair_app_data(victim->container->app);

    app->preempting = resource_subtract(app->preempting, container_resource(victim->container));
    fair_of(app->app->sched)->expected_count--;
    if (victim->claim)
        fair_claim_victim_gone(victim->claim);
    victim->claim = NULL;
}

static void expect_again(struct fair_victim *victim)
{
    struct fair_app *app = fair_app_data(victim->container->app);

    app->preempting = resource_add(app->preempting, container_resource(victim->container));
    fair_of(app->app->sched)->expected_count++;
}

static void forget_victim(struct fair *fair, struct sched_container *container)
{
    struct fair_victim last;

    if (!container->stuck)
        expect_no_more(victim_of(container));
    last = fair->victims[--fair->victim_count];
    fair->victims[container->killed_index] = last;
    last.container->killed_index = container->killed_index;
}

void fair_victim_resized(struct sched_container *container, const struct resource *delta)
{
    struct fair_app *app = fair_app_data(container->app);

    if (!container->stuck)
        app->preempting = resource_add(app->preempting, *delta);
}

void fair_ended(struct sched *sched, struct sched_container *container)
{
    if (container->killed)
        forget_victim(fair_of(sched), container);
}

static void note_kill(struct fair_victim *victim)
{
    victim->kill_sent = true;
    if (victim->claim)
        victim->claim->kills = true;
}

void fair_stopping(struct sched *sched, struct sched_container *container, bool stuck)
{
    if (!container->killed) {
        (void)add_victim(fair_of(sched), container, sched->now_ms);
        container->stopped = true;
    }
    if (stuck && !container->stuck)
        expect_no_more(victim_of(container));
    else if (!stuck && container->stuck)
        expect_again(victim_of(container));
    note_kill(victim_of(container));
}

void fair_kill_due(struct sched *sched, struct sched_decisions *decisions)
{
    struct fair *fair = fair_of(sched);
    int64_t next_ms = INT64_MAX;

    if (sched->now_ms < fair->next_kill_ms)
        return;
    for (size_t i = 0; i < fair->victim_count; i++) {
        struct fair_victim *victim = &fair->victims[i];

        if (victim->kill_sent)
            continue;
        if (victim->deadline_ms > sched->now_ms) {
            next_ms = victim->deadline_ms < next_ms ? victim->deadline_ms : next_ms;
            continue;
        }
        note_kill(victim);
        sched_decide(decisions, SCHED_KILL, victim->container->node, victim->container->app)->container =
            victim->container;
    }
    fair->next_kill_ms = next_ms;
}

/* --- one node for one container -------------------------------------------------- */

struct choice {
    struct sched_node *node;             /* NULL: none found */
    struct sched_container **containers; /* owned array */
    size_t count, capacity;
    uint32_t masters;
    struct resource sum;                 /* of the containers */
    const struct sched_container *grows; /* the request is its increase; NULL: it is none */
    const struct fair_queue *full;       /* lowest queue of the request that is at its maximum; NULL: none */
};

static bool is_below(const struct fair_app *app, const struct fair_queue *queue)
{
    const struct fair_queue *at = app->leaf;

    while (at && at != queue)
        at = at->parent;
    return at != NULL;
}

/* Returns true if no queue of the request would exceed its maximum with WANTED more, and without the
 * containers of CHOICE, which are all below the lowest queue that is at its maximum. */
static bool is_within_maxima(const struct choice *choice, const struct resource *wanted)
{
    struct resource more = resource_subtract(*wanted, choice->sum);
    const struct fair_queue *queue;

    for (queue = choice->full; queue; queue = queue->parent) {
        struct resource used = resource_add(fair_used(queue), more);

        if (!resource_fits(&used, &queue->maximum))
            return false;
    }
    return true;
}

/* Returns the use of APP without its containers in CHOICE, its containers being preempted, and CONTAINER. */
static struct resource left_without(const struct choice *choice, const struct fair_app *app,
                                    const struct sched_container *container)
{
    struct resource left = resource_subtract(fair_app_used(app), app->preempting);

    for (size_t i = 0; i < choice->count; i++)
        if (choice->containers[i]->app == app->app)
            left = resource_subtract(left, container_resource(choice->containers[i]));
    return resource_subtract(left, container_resource(container));
}

/* Returns true if CONTAINER may be preempted: its application must keep at least its fair share.
 * Differs: if a queue of the request is at its maximum, only containers below this queue are preempted.
 * YARN does not check the maximum: it ends containers of other queues although the request cannot be
 * placed.
 * Differs: the AM of an app is preempted at most once. YARN preempts it whenever the app's other
 * containers alone are worth its fair share; these end together with the AM, the AM of the next attempt
 * can be preempted just as easily, and in a small cluster applications preempt each other's AMs forever. */
static bool may_be_taken(const struct sched *sched, const struct choice *choice,
                         const struct sched_container *container)
{
    const struct fair_app *app = fair_app_data(container->app);
    struct calc calc = fair_calculator(sched, app->leaf);
    struct resource left, share;

    if (container->killed || container == choice->grows || !app->leaf->preemptable ||
        (choice->full && !is_below(app, choice->full)) ||
        (container->master &&
         (app->am_preempted || !fair_config_may_preempt_am(fair_of(sched)->config, app->leaf->queue->path))))
        return false;
    left = left_without(choice, app, container);
    share = app->share;
    return calc_compare_largest(&calc, &sched->total, &left, &share) >= 0;
}

static void add_choice(struct choice *choice, struct sched_container *container, struct resource *room)
{
    mem_grow(choice->containers, choice->count, choice->capacity);
    choice->containers[choice->count++] = container;
    choice->masters += container->master ? 1u : 0u;
    choice->sum = resource_add(choice->sum, container_resource(container));
    *room = resource_add(*room, container_resource(container));
}

/* Returns the room that containers on NODE release that are being stopped, and that nobody has a claim to.
 * YARN counts it as free. */
static struct resource coming_on(const struct sched_node *node)
{
    struct resource sum = resource_of(0, 0);
    const struct sched_container *container;

    TAILQ_FOREACH(container, &node->containers, of_node) {
        const struct fair_victim *victim = container->killed ? victim_of(container) : NULL;

        if (victim && victim->kill_sent && !container->stuck && (!victim->claim || !victim->claim->app))
            sum = resource_add(sum, container_resource(container));
    }
    return sum;
}

/* Returns the resource of NODE that is free or will be, and neither reserved nor claimed. It is negative
 * if the node has become smaller than its use: then room must be made for the excess, too.
 * Differs: YARN takes 0 for it, and ends containers whose room no request can use. */
static struct resource room_on(const struct sched_node *node)
{
    struct resource room = resource_add(sched_node_free(node), coming_on(node));
    struct resource excess = resource_min(room, resource_of(0, 0));

    if (node->reserved.app)
        room = resource_subtract(room, node->reserved.resource);
    if (fair_node_data(node))
        room = resource_subtract(room, fair_node_data(node)->claimed);
    return resource_add(resource_max(room, resource_of(0, 0)), excess);
}

/* Chooses containers on NODE to make room for WANTED: the newest first, AMs after all others. Returns
 * false if they do not suffice, or if MASTERS_MAX or more AMs were needed.
 * Differs: a node that has enough room needs no container. YARN compares room and request only after each
 * container that it checks (FSPreemptionThread.identifyContainersToPreemptOnNode): on a node with enough
 * room it preempts the first container that may be preempted, and on a node without containers it never
 * finds room, so that it preempts containers on another node. In YARN a container is thus ended for room
 * that is free already. */
static bool choose_on(const struct sched *sched, struct sched_node *node, const struct resource *wanted,
                      uint32_t masters_max, struct choice *choice)
{
    struct resource room = room_on(node);
    struct sched_container *container;

    choice->count = 0;
    choice->masters = 0;
    choice->sum = resource_of(0, 0);
    for (int masters = 0; masters < 2; masters++)
        TAILQ_FOREACH_REVERSE(container, &node->containers, container_list, of_node) {
            if (resource_fits(wanted, &room) && is_within_maxima(choice, wanted))
                break;
            if (container->master == (masters == 1) && may_be_taken(sched, choice, container)) {
                add_choice(choice, container, &room);
                if (choice->masters >= masters_max)
                    return false;
            }
        }
    choice->node = node;
    return resource_fits(wanted, &room) && is_within_maxima(choice, wanted);
}

/* NONE: a choice without containers. Returns true if NODE would have room for WANTED if every container
 * that may be preempted on its own were preempted. If the result is false, later preemptions in the same
 * search do not change it. If it is true, choose_on() may still fail: it chooses the newest container
 * first, and then the same application cannot lose an older one. After this application has lost a
 * container on another node, choose_on() may succeed. */
static bool may_have_room(const struct sched *sched, const struct sched_node *node,
                          const struct resource *wanted, const struct choice *none)
{
    struct resource room = room_on(node);
    const struct sched_container *container;

    TAILQ_FOREACH(container, &node->containers, of_node)
        if (may_be_taken(sched, none, container))
            room = resource_add(room, container_resource(container));
    return resource_fits(wanted, &room);
}

/* --- nodes for a request --------------------------------------------------------- */

struct search {
    struct sched *sched;
    struct fair_app *app;
    const struct demand *demand;
    struct choice best, other;
    bool found;
};

static bool is_candidate(const struct search *search, const struct sched_node *node)
{
    struct resource size = demand_capability(search->demand);

    return sched_node_is_offered(node) && !sched_app_avoids(search->app->app, node) &&
           resource_fits(&size, &node->total);
}

/* Compares NODE with the best node found so far, and stores NODE if it is better. Returns true if no other
 * node can be better. */
static bool compare_node(struct search *search, struct sched_node *node)
{
    struct resource size = demand_capability(search->demand);
    uint32_t masters_max = search->found ? search->best.masters : UINT32_MAX;
    struct choice swap;

    if (!is_candidate(search, node) || !choose_on(search->sched, node, &size, masters_max, &search->other))
        return false;
    swap = search->best;
    search->best = search->other;
    search->other = swap;
    search->found = true;
    return search->best.masters == 0;
}

static bool compare_place(struct search *search, const struct place *place)
{
    for (size_t i = 0; place && i < place->count; i++)
        if (compare_node(search, place->nodes[i]))
            return true;
    return false;
}

static bool compare_row(struct search *search, const struct row *row, bool rack)
{
    const struct sched *sched = search->sched;
    struct sched_node *node = NULL;

    if (!sched_row_has_pending(row))
        return false;
    if (rack)
        return !row->strict && compare_place(search, sched_place_find(sched->racks, row->name));
    HASH_FIND_STR(sched->nodes, row->name, node);
    return (node && compare_node(search, node)) ||
           compare_place(search, sched_place_find(sched->hosts, row->name));
}

static bool compare_named(struct search *search, bool racks)
{
    const struct row **rows;
    bool done = false;

    if (search->demand->row_count == 0)
        return false;
    rows = sched_demand_rows(search->demand);
    for (uint32_t i = 0; !done && i < search->demand->row_count; i++)
        done = compare_row(search, rows[i], racks);
    free(rows);
    return done;
}

/* Searches the named locations first, then all nodes if the request allows this and nothing was found or an
 * AM would be preempted. FROM: position in the list of all nodes at which to begin; moved past nodes that
 * cannot have room for any further container of the same request: see may_have_room(). */
static void find_room(struct search *search, struct sched_node **from)
{
    struct resource size = demand_capability(search->demand);
    const struct choice none = { .grows = search->demand->container,
                                 .full = fair_full_queue(search->app->leaf, size.value) };
    bool exhausted = true;
    struct sched_node *node;

    search->found = false;
    search->best.grows = search->other.grows = none.grows;
    search->best.full = search->other.full = none.full;
    if (compare_named(search, false) || (search->demand->row_count > 0 && compare_named(search, true)) ||
        search->demand->strict)
        return;
    for (node = *from; node; node = node->hh.next) {
        if (compare_node(search, node))
            break;
        exhausted = exhausted && !search->found &&
                    !(is_candidate(search, node) && may_have_room(search->sched, node, &size, &none));
        if (exhausted)
            *from = node->hh.next;
    }
}

static void preempt_choice(struct search *search, struct sched_decisions *decisions)
{
    struct choice *choice = &search->best;
    struct fair_claim *claim;

    if (choice->count == 0)
        return;
    claim = add_claim(choice->node, search->app, &choice->sum);
    for (size_t i = 0; i < choice->count; i++) {
        fair_preempt(search->sched, choice->containers[i], search->app, decisions);
        victim_of(choice->containers[i])->claim = claim;
        claim->victims++;
    }
}

/* --- a starved app ---------------------------------------------------------------- */

/* Returns the number of containers of DEMAND that cover LACKS, at most its pending containers.
 * Differs: YARN compares only memory; creel, if no memory is lacking, compares the other types. */
static int64_t count_for(const struct sched *sched, const struct fair_app *app, const struct demand *demand,
                         const struct resource *lacks)
{
    struct calc calc = fair_calculator(sched, app->leaf);
    int64_t count = demand->count, of_memory;
    int64_t size_mb = demand_size(demand)->value[RESOURCE_MEMORY_MB];

    if (lacks->value[RESOURCE_MEMORY_MB] > 0) {
        if (size_mb == 0)
            return count;
        of_memory = lacks->value[RESOURCE_MEMORY_MB] / size_mb;
        return of_memory < count ? of_memory : count;
    }
    of_memory = calc.dominant ? calc_truncate((double)calc_ratio(&calc, lacks, demand_size(demand))) : 0;
    return of_memory < count ? of_memory : count;
}

static void preempt_for(struct sched *sched, struct fair_app *app, struct sched_decisions *decisions)
{
    struct search search = { .sched = sched, .app = app };
    struct resource lacks = fair_app_lacks(app);
    struct sched_app *all = app->app;
    struct demand *demand;

    RB_FOREACH(demand, sched_demand_tree, &all->demands) {
        struct sched_node *from = sched->nodes;
        int64_t count;

        if (resource_is_zero(&lacks))
            break;
        search.demand = demand;
        count = count_for(sched, app, demand, &lacks);
        for (int64_t i = 0; i < count; i++) {
            find_room(&search, &from);
            if (!search.found)
                break;
            preempt_choice(&search, decisions);
            if (search.best.count == 0)
                break; /* there is room without preemption */
        }
        for (int t = 0; t < sched->calc.types; t++) {
            int64_t left = lacks.value[t] - demand_size(demand)->value[t] * count;

            lacks.value[t] = left > 0 ? left : 0;
        }
    }
    free(search.best.containers);
    free(search.other.containers);
}

static int64_t pause_ms(const struct fair_config *config)
{
    int64_t offers_ms = config->continuous ? 10 * config->continuous_sleep_ms : 4 * config->heartbeat_ms;

    return config->wait_before_kill_ms + offers_ms + config->wait_before_check_ms;
}

/* Orders the application that lacks least first, by the dominant share, and among equals the oldest.
 * Differs: FSStarvedApps.StarvationComparator puts the application first whose starvation fits in that of
 * the other. That is no order if neither fits in the other: then either may come first in YARN. */
static int compare_starved(const void *a, const void *b)
{
    const struct fair_app *app_a = *(struct fair_app *const *)a;
    const struct fair_app *app_b = *(struct fair_app *const *)b;
    const struct sched *sched = app_a->app->sched;
    const struct calc calc = { .dominant = true, .types = sched->calc.types };
    struct resource of_a = fair_app_lacks(app_a), of_b = fair_app_lacks(app_b);
    int r = calc_compare(&calc, &sched->total, &of_a, &of_b);

    return r != 0 ? r : fair_order_apps(app_a->app, app_b->app);
}

/* Returns true if containers that were killed for APP are ending. */
static bool awaits_victims(const struct fair_app *app)
{
    const struct fair_claim *claim;

    TAILQ_FOREACH(claim, &app->claims, of_app)
        if (fair_claim_awaits_victims(claim))
            return true;
    return false;
}

/* Returns true if the AM of APP is above the AM limit of its leaf, and would be also if more of the cluster
 * were free.
 * Differs: YARN preempts containers for this AM, which does not start. */
static bool am_is_above_limit(const struct sched *sched, const struct fair_app *app)
{
    bool lightly;

    return fair_over_am_limit(sched, app, &lightly) && !lightly;
}

void fair_preempt_for_starved(struct sched *sched, struct sched_decisions *decisions)
{
    struct fair *fair = fair_of(sched);

    if (fair->starved_count > 1)
        qsort(fair->starved, fair->starved_count, sizeof(fair->starved[0]), compare_starved);
    for (size_t i = 0; i < fair->starved_count; i++) {
        if (awaits_victims(fair->starved[i]) || am_is_above_limit(sched, fair->starved[i]))
            continue;
        preempt_for(sched, fair->starved[i], decisions);
        fair->starved[i]->next_check_ms = sched->now_ms + pause_ms(fair->config);
    }
    fair->starved_count = 0;
}
