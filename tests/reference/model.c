/* SPDX-License-Identifier: Apache-2.0 */
/* model.c - reference capacity scheduler: adds and removes nodes, applications, requests and containers */
#include <assert.h>
#include <string.h>

#include "tests/reference/reference.h"

void ref_decide(struct reference *ref, struct ref_decision decision)
{
    assert(ref->decision_count < REF_DECISIONS);
    ref->decisions[ref->decision_count++] = decision;
}

void ref_init(struct reference *ref, const struct ref_config *config)
{
    memset(ref, 0, sizeof(*ref));
    ref->config = *config;
    for (int a = 0; a < REF_APPS; a++)
        ref->apps[a].counts_in = -1;
    ref_recompute(ref);
}

static void spare(struct ref_container *container)
{
    container->spared = container->spared || (container->killable && !container->killed);
    container->killable = false;
}

void ref_refresh(struct reference *ref, const struct ref_config *config)
{
    struct ref_config before = ref->config;

    ref->config = *config;
    for (int q = config->queue_count; q < before.queue_count; q++)
        ref->config.queues[ref->config.queue_count++] = before.queues[q]; /* the dynamic ones */
    ref_managed_refresh(ref);
    /* A refresh cancels preemption marks, but containers that were killed still end. */
    for (int c = 0; c < REF_CONTAINERS; c++) {
        struct ref_container *container = &ref->containers[c];

        spare(container);
        container->hears = container->here && container->spared;
        container->spared = false;
    }
    ref_recompute(ref);
    ref_give_places(ref);
}

/* --- nodes ----------------------------------------------------------------- */

void ref_node_add(struct reference *ref, int node, int rack, int label, struct resource total)
{
    ref->nodes[node] = (struct ref_node){ .here = true, .rack = rack, .label = label, .total = total };
    ref_recompute(ref);
}

void ref_node_remove(struct reference *ref, int node)
{
    if (ref->nodes[node].reserved)
        ref_unreserve(ref, node);
    ref->nodes[node].here = false;
    ref_recompute(ref);
}

/* Changes the total of a node. If the total differs from the present one, YARN sets the node's labels again,
 * and this cancels the reservation (CapacityScheduler.updateLabelsOnNode). */
void ref_node_update(struct reference *ref, int node, struct resource total)
{
    bool resized = !resource_equal(&ref->nodes[node].total, &total);

    if (resized && ref->nodes[node].reserved)
        ref_unreserve(ref, node);
    ref->nodes[node].total = total;
    ref_recompute(ref);
}

/* Its containers go on and are not killed any more. (YARN's PreemptionManager keeps them in the old
 * partition, also when they have ended.) The AM counts in its new partition, the reservation ends
 * (CapacityScheduler.updateLabelsOnNode, FiCaSchedulerApp.nodePartitionUpdated). */
void ref_node_set_label(struct reference *ref, int node, int label)
{
    if (ref->nodes[node].label == label)
        return;
    if (ref->nodes[node].reserved)
        ref_unreserve(ref, node);
    ref->nodes[node].label = label;
    for (int c = 0; c < ref->container_top; c++) {
        struct ref_container *container = &ref->containers[c];

        if (!container->here || container->node != node)
            continue;
        spare(container);
        ref_users_changed(ref, ref->apps[container->app].queue);
        if (container->master)
            ref->apps[container->app].master_label = label;
    }
    ref_recompute(ref);
}

/* --- apps ------------------------------------------------------------------ */

static int64_t count_apps(const struct reference *ref, int queue)
{
    int64_t count = 0;

    for (int a = 0; a < REF_APPS; a++)
        count += ref->apps[a].here && (queue < 0 || ref->apps[a].queue == queue);
    return count;
}

static bool is_stopped(const struct reference *ref, int queue)
{
    for (; queue >= 0; queue = ref->config.queues[queue].parent)
        if (ref->config.queues[queue].stopped)
            return true;
    return false;
}

/* Returns the number of applications of USER in QUEUE that count against the limit of the user. */
static int64_t count_of_user(const struct reference *ref, int queue, int user)
{
    int64_t count = 0;

    for (int a = 0; a < REF_APPS; a++)
        count += ref->apps[a].here && ref->apps[a].queue == queue && ref->apps[a].user == user &&
                 (ref->apps[a].placed || ref_differs(ref, REF_PLACELESS_COUNT));
    return count;
}

static bool is_admitted(const struct reference *ref, int queue, int user)
{
    return !is_stopped(ref, queue) && count_apps(ref, queue) < ref_max_apps(ref, queue) &&
           count_of_user(ref, queue, user) < ref_max_apps_per_user(ref, queue);
}

static bool is_too_large(const struct reference *ref, struct resource size)
{
    struct resource largest = ref_largest(ref);

    return !resource_fits(&size, &largest); /* every type, with either calculator */
}

static int32_t cut_priority(const struct reference *ref, int32_t priority)
{
    int32_t most = ref->config.maximum_app_priority;

    return priority < 0 ? 0 : priority > most ? most : priority;
}

/* Returns the label of a request that names LABEL, of an application that names OF_APP. */
static int label_of(const struct reference *ref, int queue, int label, int of_app)
{
    if (label != REF_NO_NAME)
        return label;
    return of_app != REF_NO_NAME ? of_app : ref->config.queues[queue].default_label;
}

bool ref_app_add(struct reference *ref, int index, const struct ref_app_spec *spec)
{
    struct ref_app *app = &ref->apps[index];
    const struct resource *master = spec->master;
    int queue = spec->queue, user = spec->user, label = label_of(ref, queue, REF_NO_NAME, spec->label);

    if (count_apps(ref, -1) >= ref->config.maximum_applications || !is_admitted(ref, queue, user) ||
        !ref_may_name(ref, queue, label) || (master && is_too_large(ref, *master)))
        return false;
    memset(app, 0, sizeof(*app));
    app->here = true;
    app->user = user;
    app->queue = queue;
    app->counts_in = -1;
    app->label = spec->label;
    app->master_label = label;
    app->priority = cut_priority(ref, spec->priority);
    app->order = ++ref->last_order;
    app->has_master = master != NULL;
    app->master = ref->config.minimum; /* counted if there is no AM container */
    if (master)
        app->master = ref_normalise(ref, *master);
    app->placed = ref_may_be_placed(ref, index);
    if (app->placed)
        ref_activate(ref, queue);
    ref_app_request_master(ref, index);
    return true;
}

static void drop_reservations(struct reference *ref, int app)
{
    for (int n = 0; n < REF_NODES; n++)
        if (ref->nodes[n].here && ref->nodes[n].reserved && ref->nodes[n].reserved_app == app)
            ref_unreserve(ref, n);
}

/* Removes an application. Waiting applications are activated while its user still counts as active
 * (AbstractLeafQueue.removeApplicationAttempt before finishApplication). */
void ref_app_remove(struct reference *ref, int index)
{
    struct ref_app *app = &ref->apps[index];

    drop_reservations(ref, index);
    app->here = false;
    ref_activate(ref, app->queue);
    if (app->placed)
        ref_give_places(ref);
    ref_app_rests(ref, index);
}

/* Moves an application like CapacityScheduler.moveApplication: it leaves its queue and is submitted to the
 * other queue, which may be the same. */
bool ref_app_move(struct reference *ref, int index, int queue)
{
    struct ref_app *app = &ref->apps[index];
    int from = app->queue;

    if (!is_admitted(ref, queue, app->user))
        return false;
    for (int l = 1; l < ref->config.labels; l++)
        if ((app->requested & 1u << l) && !ref_may_name(ref, queue, l))
            return false;
    for (int c = 0; c < REF_CONTAINERS; c++)
        if (ref->containers[c].here && ref->containers[c].app == index)
            spare(&ref->containers[c]);
    app->active = false;
    app->queue = -1;
    ref_users_changed(ref, from);
    ref_users_changed(ref, queue);
    ref_activate(ref, from);
    ref_app_rests(ref, index); /* its user no longer counts when its old place is given away */
    app->queue = queue;
    if (app->placed)
        ref_activate(ref, queue);
    ref_give_places(ref);
    if (ref_app_pending(ref, index) > 0)
        ref_app_pending_changed(ref, index);
    return true;
}

void ref_app_set_priority(struct reference *ref, int app, int32_t priority)
{
    ref->apps[app].priority = cut_priority(ref, priority);
}

/* --- requests -------------------------------------------------------------- */

static void replace_row(struct ref_row *row, const struct ref_row *asked)
{
    if (asked->given)
        *row = *asked;
}

/* Notes a call of APP's AM, for which the headroom is computed (FiCaSchedulerApp.getHeadroom). */
static void note_call(struct reference *ref, int app)
{
    if (ref->apps[app].active && ref->apps[app].last_number > 0)
        for (int l = 0; l < REF_LABELS; l++)
            if (l == 0 ? ref->apps[app].requested <= 1 || (ref->apps[app].requested & 1)
                       : (ref->apps[app].requested & 1u << l))
                ref_users_count(ref, ref->apps[app].queue, l, false);
}

/* As LocalityAppPlacementAllocator.updatePendingAsk and AppSchedulingInfo.updatePendingResources: a row of
 * count 0 is kept until nothing is pending any more. */
bool ref_ask(struct reference *ref, int app, int index, const struct ref_key *ask)
{
    struct ref_key *key = &ref->apps[app].keys[index];
    uint32_t before = key->any.count;
    int queue = ref->apps[app].queue, label = label_of(ref, queue, ask->label, ref->apps[app].label);

    if (is_too_large(ref, ask->size) || !ref_may_name(ref, queue, label))
        return false;
    if (ask->any.given) {
        key->label = label;
        ref->apps[app].requested |= 1u << label;
    }
    key->size = ref_normalise(ref, ask->size);
    replace_row(&key->any, &ask->any);
    for (int n = 0; n < REF_NODES; n++)
        replace_row(&key->node[n], &ask->node[n]);
    for (int r = 0; r < REF_RACKS; r++)
        replace_row(&key->rack[r], &ask->rack[r]);
    if (key->any.count > 0 && before == 0)
        ref_app_pending_changed(ref, app);
    if (key->any.count == 0) {
        *key = (struct ref_key){ .label = key->label,
                                 .missed = key->missed,
                                 .missed_plain = key->missed_plain,
                                 .dropped = key->dropped,
                                 .dropped_since_ms = key->dropped_since_ms,
                                 .re_reserved = key->re_reserved };
        if (ref_app_pending(ref, app) == 0)
            ref_app_rests(ref, app);
    }
    note_call(ref, app);
    return true;
}

void ref_blacklist(struct reference *ref, int app, int node, bool avoid)
{
    ref->apps[app].avoids[node] = avoid;
    note_call(ref, app);
}

/* --- containers ------------------------------------------------------------ */

int ref_container_enter(struct reference *ref, int app, int node, int key, struct resource size)
{
    int c = 0;

    while (c < REF_CONTAINERS && ref->containers[c].here)
        c++;
    assert(c < REF_CONTAINERS);
    ref->container_top = c < ref->container_top ? ref->container_top : c + 1;
    ref->containers[c] = (struct ref_container){
        .here = true,
        .app = app,
        .node = node,
        .key = key,
        .label = ref->apps[app].keys[key].label,
        .size = size,
        .master = ref->apps[app].has_master && key == 0,
        .number = ++ref->apps[app].last_number,
        .order = ++ref->last_order,
    };
    ref->apps[app].got_master |= ref->containers[c].master;
    ref_users_changed(ref, ref->apps[app].queue);
    return c;
}

static void add_to_row(struct ref_row *row, bool strict)
{
    if (!row->given)
        row->strict = strict;
    row->given = true;
    row->count++;
}

void ref_return_container(struct reference *ref, int index)
{
    const struct ref_container gone = ref->containers[index];
    struct ref_key *key = &ref->apps[gone.app].keys[gone.key];

    ref_container_end(ref, index);
    if (key->any.count == 0 || !ref_differs(ref, REF_RETURNED_AS_PENDING)) {
        key->size = gone.size;
        key->label = gone.label;
    }
    add_to_row(&key->any, gone.strict_any);
    if (gone.took_node)
        add_to_row(&key->node[gone.node], false);
    if (gone.took_rack)
        add_to_row(&key->rack[ref->nodes[gone.node].rack], gone.strict_rack);
    if (key->any.count == 1)
        ref_app_pending_changed(ref, gone.app);
}

void ref_container_end(struct reference *ref, int container)
{
    struct ref_container *gone = &ref->containers[container];

    gone->here = false;
    ref_users_changed(ref, ref->apps[gone->app].queue);
    if (gone->killable && gone->killed && ref->nodes[gone->node].reserved)
        ref_retry(ref, gone->node, false); /* the container was killed for this reservation */
}
