/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fifo.c - the policy "fifo": one queue, first in first out (yarn-behaviour 9)
 *
 * This is the smallest policy, and the example for custom policies. Read it from top to bottom.
 * docs/policy.md is the guide; policy.h describes each function.
 *
 * The core (sched.c, app.c, node.c, sched_containers.c, ...) manages nodes, applications, their requests and
 * their containers, and sums the used and pending resources of each queue. A policy does the rest:
 *
 *   1. Admission: the policy creates the queues, and decides which queue accepts an application.
 *   2. Accounting: the policy has an index of the applications with pending requests. The core calls the
 *      policy after every change, so that the policy can update this index.
 *   3. Assignment: the core offers a node to the policy. The policy places containers on this node for the
 *      applications in its index, in the order of the index.
 *   4. Reports: the policy explains why an application waits.
 *
 * The core calls the policy through the table at the end of this file.
 *
 * The rules of fifo:
 *
 *   - Applications are served in the order of their ids, that is, in the order of their submission.
 *   - An application's requests are served by priority, then by allocation id. A request that does not
 *     fit on the node blocks the later requests of its application, so that small requests do not
 *     starve a large one. Such a request does not block other applications.
 *   - The application masters (AM) of all applications may use only a share of the cluster together. An
 *     AM requests containers for tasks. If AMs could fill the cluster, no task would ever run.
 */
#include <errno.h>

#include "common/base/mem.h"
#include "rm/sched/app_entry.h"
#include "rm/sched/policy.h"

/* The policy's data, to which "data" in struct sched points. The data of an application is a struct
 * app_entry, which is in one of the two indexes. */
struct fifo {
    /* Applications with pending requests, by id. Each application is in one of the two indexes. */
    struct order ready;
    struct order waiting_for_am; /* the next request is for an AM that counts against the limit */
    /* The limit on AMs. */
    uint32_t am_permille;    /* in thousandths of all open nodes; 0: no limit */
    uint32_t am_count;       /* running AMs */
    struct resource am_used; /* used by running AMs */
};

struct sched_config sched_config_fifo(struct resource minimum, struct resource maximum, bool assign_on_demand)
{
    return (struct sched_config){
        .policy = "fifo",
        .calculator = SCHED_EVERY_TYPE,
        .minimum = minimum,
        .step = minimum,
        .maximum = maximum,
        .am_permille = 500,
        .size_wait_ms = SCHED_SIZE_WAIT_MS,
        .assign_on_demand = assign_on_demand,
    };
}

static struct fifo *fifo_of(const struct sched *sched)
{
    return sched->data;
}

/* Compares two applications: negative if A comes first. Never 0 for two different applications. */
static int compare(const struct order_entry *a, const struct order_entry *b)
{
    return app_id_compare(&app_entry_app(a)->id, &app_entry_app(b)->id);
}

/* --- 1. admission ---------------------------------------------------------- */

/* Called once, by sched_new(). Creates the queues: a parent before its children, root first. */
static int fifo_configure(struct sched *sched, const struct sched_config *config, struct err *err)
{
    struct sched_queue *root = sched_queue_new(sched, NULL, "root", false);
    struct fifo *fifo = mem_new0(struct fifo);

    (void)err;
    sched_queue_new(sched, root, "root.default", true);
    fifo->am_permille = config->am_permille;
    order_init(&fifo->ready, compare, calc_types(&sched->calc));
    order_init(&fifo->waiting_for_am, compare, calc_types(&sched->calc));
    sched->data = fifo;
    return 0;
}

/* The opposite of fifo_configure(). Queues and applications were freed before. */
static void fifo_free(struct sched *sched)
{
    free(sched->data);
}

/* Decides whether the application SPEC may be submitted, and to which leaf. TEST: only checks. */
static int fifo_admit(struct sched *sched, const struct sched_app_spec *spec, bool test,
                      struct sched_admission *ret, struct err *err)
{
    (void)test;
    ret->queue = sched_queue_find(sched, spec->queue);
    if (ret->queue == NULL || !ret->queue->leaf)
        return err_set(err, ENOENT, "queue %s: not defined (there is: default)", spec->queue);
    return 0;
}

/* Removes an application from the index when it leaves its queue, to be freed or to enter another queue. */
static void fifo_app_changed(struct sched *sched, struct sched_app *app, unsigned changes)
{
    (void)sched;
    if (changes & SCHED_APP_LEAVES)
        app_entry_put(app_entry_of(app), NULL);
}

/* --- the limit on AMs ------------------------------------------------------ */

/* Returns true if DEMAND, a request of APP, counts against the limit. Only the AM of an application that
 * requests further containers ("manages") counts: a job of one container has no tasks that it could block. */
static bool is_limited_am(const struct sched_app *app, const struct demand *demand)
{
    return app->manages && demand->master;
}

static struct resource am_limit(const struct sched *sched)
{
    struct resource limit = resource_of(0, 0);

    for (int t = 0; t < calc_types(&sched->calc); t++) {
        int64_t total = sched->open_total.value[t];

        limit.value[t] =
            total / 1000 * fifo_of(sched)->am_permille + total % 1000 * fifo_of(sched)->am_permille / 1000;
    }
    return limit;
}

/* Returns true if an AM of DEMAND's size fits the limit. The first AM always fits, or nothing would run on a
 * small cluster. */
static bool am_fits(const struct sched *sched, const struct demand *demand)
{
    const struct fifo *fifo = fifo_of(sched);
    struct resource limit, used = fifo->am_used;

    if (fifo->am_permille == 0 || fifo->am_count == 0)
        return true;
    limit = am_limit(sched);
    calc_add(&sched->calc, &used, demand_size(demand));
    return calc_fits(&sched->calc, &used, &limit);
}

/* Called while CONTAINER is placed, or recovered after a restart (STARTED), or before CONTAINER is freed. */
static void fifo_container_changed(struct sched *sched, struct sched_container *container, bool started)
{
    struct fifo *fifo = fifo_of(sched);

    if (!container->manager)
        return;
    fifo->am_count += started ? 1u : UINT32_MAX; /* plus or minus one */
    calc_change(&sched->calc, &fifo->am_used, container_size(container), started ? 1 : -1);
}

/* Called when the size of CONTAINER has changed by DELTA. */
static void fifo_container_resized(struct sched *sched, struct sched_container *container,
                                   const struct resource *delta)
{
    if (container->manager)
        calc_add(&sched->calc, &fifo_of(sched)->am_used, delta);
}

/* --- 2. accounting --------------------------------------------------------- */

/* Returns the index for APP; NULL: none, since nothing is pending. */
static struct order *index_of(const struct sched_app *app)
{
    const struct demand *first = sched_demand_first(app);
    struct fifo *fifo = fifo_of(app->sched);

    if (first == NULL)
        return NULL;
    return is_limited_am(app, first) ? &fifo->waiting_for_am : &fifo->ready;
}

/*
 * Called after every change of the used or pending resources of PART's application. Indexes are updated in
 * this function. (An application has one part for each node label. fifo has no labels, and so one part.) A
 * policy whose order depends on use does the same: app_entry_put() also moves an entry to its new place.
 */
static void fifo_partition_changed(struct app_partition *part)
{
    app_entry_put(app_entry_of(part->app), index_of(part->app));
}

/* Returns the first application that waits for its AM, if the AM fits the limit. If not, no other application
 * may start an AM: otherwise these AMs would use the room as it becomes free, and the first would wait
 * forever. */
static struct sched_app *next_am(const struct sched *sched)
{
    const struct app_entry *first = app_entry_next(&fifo_of(sched)->waiting_for_am, NULL, NULL);

    return first && am_fits(sched, sched_demand_first(first->app)) ? first->app : NULL;
}

static struct app_entry *earlier(struct app_entry *a, struct app_entry *b)
{
    if (a == NULL || b == NULL)
        return a ? a : b;
    return compare(&a->entry, &b->entry) < 0 ? a : b;
}

/* --- 3. assignment --------------------------------------------------------- */

/* Places up to LIMIT containers of APP on NODE and returns how many. The core's sched_place_demand()
 * chooses node-local before rack-local before any, and records each container as a decision. */
static unsigned assign_app(struct sched *sched, struct sched_node *node, struct sched_app *app,
                           unsigned limit, struct sched_decisions *decisions)
{
    struct demand *demand = sched_demand_first(app), *next;
    unsigned placed = 0;

    for (; demand && placed < limit; demand = next) {
        unsigned now = 0;

        next = sched_demand_next(demand); /* DEMAND is freed when its last container is placed */
        if (!is_limited_am(app, demand) || am_fits(sched, demand))
            now = sched_place_demand(sched, node, app, demand, limit - placed, decisions);
        if (now == 0)
            break;
        placed += now;
    }
    return placed;
}

/* Returns the first application after AFTER (NULL: from the start) whose first request fits on NODE; NULL:
 * none. */
static struct app_entry *next_app(const struct sched *sched, const struct sched_node *node,
                                  const struct app_entry *after)
{
    const struct fifo *fifo = fifo_of(sched);

    return earlier(app_entry_next(&fifo->ready, after, node),
                   next_am(sched) ? app_entry_next(&fifo->waiting_for_am, after, node) : NULL);
}

/* Places up to OFFER->limit containers on NODE, which is offered, and returns how many. This function must
 * not visit every application: there may be thousands of them, and full nodes are offered often. */
static unsigned fifo_assign(struct sched *sched, struct sched_node *node, const struct offer *offer,
                            struct sched_decisions *decisions)
{
    struct app_entry *entry = NULL;
    unsigned placed = 0;

    while (placed < offer->limit && node->has_room && (entry = next_app(sched, node, entry)) != NULL)
        if (!sched_app_avoids(entry->app, node))
            placed += assign_app(sched, node, entry->app, offer->limit - placed, decisions);
    return placed;
}

/* Places one container of APP, which has a new request, on NODE, which has room. The core calls this for one
 * node after another. SCHED_HOPELESS stops the core: no other node would be of use, either. */
static enum sched_answer fifo_assign_to(struct sched *sched, struct sched_node *node, struct sched_app *app,
                                        struct sched_decisions *decisions)
{
    const struct order *index = app_entry_index(app_entry_of(app));

    if (index == NULL || (index == &fifo_of(sched)->waiting_for_am && app != next_am(sched)))
        return SCHED_HOPELESS;
    if (!node->has_room || sched_app_avoids(app, node))
        return SCHED_DECLINED;
    return assign_app(sched, node, app, 1, decisions) > 0 ? SCHED_TAKEN : SCHED_DECLINED;
}

/* Called after a container ended or a limit changed: the limit on AMs may then allow more AMs. Offers nodes
 * to the applications whose AM this limit blocked, in order of submission, until one AM is not placed. */
static void fifo_offer_released(struct sched *sched, struct sched_decisions *decisions)
{
    struct sched_app *app;

    while ((app = next_am(sched)) != NULL) {
        size_t before = decisions->count;

        sched_offer_app(sched, app, decisions);
        if (decisions->count == before)
            return;
    }
}

/* --- 4. reports ------------------------------------------------------------ */

static uint32_t count_ahead(const struct sched *sched, const struct sched_app *app)
{
    const struct order *indexes[] = { &fifo_of(sched)->ready, &fifo_of(sched)->waiting_for_am };
    const struct app_entry *own = app_entry_of(app);
    uint32_t ahead = 0;

    for (size_t i = 0; i < 2; i++) {
        const struct app_entry *entry = app_entry_next(indexes[i], NULL, NULL);

        for (; entry && ahead < SCHED_WHY_AHEAD_MAX && compare(&entry->entry, &own->entry) < 0;
             entry = app_entry_next(indexes[i], entry, NULL))
            ahead++;
    }
    return ahead;
}

/* Explains for `creel why` why APP's first request is not served. The core has checked the nodes: ret->reason
 * is SCHED_REASON_CLUSTER_FULL if all are full, or SCHED_REASON_NONE if one has room. */
static void fifo_explain(const struct sched *sched, const struct sched_app *app, struct sched_why *ret)
{
    const struct demand *demand = sched_demand_first(app);

    if (demand && is_limited_am(app, demand) && !am_fits(sched, demand)) {
        ret->reason = SCHED_REASON_AM_LIMIT;
        ret->used = fifo_of(sched)->am_used;
        ret->most = am_limit(sched);
    } else if (ret->reason == SCHED_REASON_CLUSTER_FULL) {
        ret->ahead = count_ahead(sched, app);
        if (ret->ahead > 0)
            ret->reason = SCHED_REASON_BEHIND_IN_QUEUE;
    }
}

/* Calls EACH with the children, or applications, of QUEUE in the order in which they are served. */
static void fifo_queue_order(const struct sched *sched, const struct sched_queue *queue, sched_name_fn *each,
                             void *context)
{
    const struct fifo *fifo = fifo_of(sched);
    struct app_entry *entry = NULL;
    char text[ID_TEXT_MAX];

    if (!queue->leaf) {
        each(context, "default");
        return;
    }
    while ((entry = earlier(app_entry_next(&fifo->ready, entry, NULL),
                            app_entry_next(&fifo->waiting_for_am, entry, NULL))) != NULL)
        each(context, app_id_format(&entry->app->id, text));
}

/* --- audit ----------------------------------------------------------------- */

static int check_app(const struct sched_app *app, struct err *err)
{
    const struct app_entry *entry = app_entry_of(app);
    char name[ID_TEXT_MAX];

    if (app_entry_index(entry) != index_of(app) || !app_entry_is_consistent(entry))
        return err_set(err, EINVAL, "%s: is in the wrong index", app_id_format(&app->id, name));
    return 0;
}

/* Called by tests after every step: recomputes the data of this file, and compares. */
static int fifo_check(const struct sched *sched, struct err *err)
{
    const struct fifo *fifo = fifo_of(sched);
    struct resource am_used = resource_of(0, 0);
    struct sched_app *app, *next;
    uint32_t am_count = 0;
    int r;

    HASH_ITER(hh, sched->apps, app, next) {
        const struct sched_container *container;

        if ((r = check_app(app, err)) < 0)
            return r;
        TAILQ_FOREACH(container, &app->containers, of_app)
            if (container->manager) {
                am_count++;
                calc_add(&sched->calc, &am_used, container_size(container));
            }
    }
    if (!order_is_consistent(&fifo->ready) || !order_is_consistent(&fifo->waiting_for_am))
        return err_set(err, EINVAL, "fifo: an index of applications is out of order");
    if (am_count != fifo->am_count || !resource_equal(&am_used, &fifo->am_used))
        return err_set(err, EINVAL, "fifo: what AMs use is counted wrongly");
    return 0;
}

/* --- the table ------------------------------------------------------------- */

/* Functions that are not set are NULL: the core then uses a default, see policy.h. */
const struct sched_policy sched_fifo = {
    .name = "fifo",
    .configure = fifo_configure,
    .free = fifo_free,
    .data_bytes = { .app = sizeof(struct app_entry) },
    .admission = {
        .admit = fifo_admit,
    },
    .accounting = {
        .partition_changed = fifo_partition_changed,
        .app_changed = fifo_app_changed,
        .container_changed = fifo_container_changed,
        .container_resized = fifo_container_resized,
    },
    .assignment = {
        .assign = fifo_assign,
        .assign_to = fifo_assign_to,
        .offer_released = fifo_offer_released,
    },
    .reports = {
        .queue_order = fifo_queue_order,
        .explain = fifo_explain,
        .check = fifo_check,
    },
};
