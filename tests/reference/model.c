/* SPDX-License-Identifier: Apache-2.0 */
/* model.c - nodes, apps, asks and containers of the reference come and go */
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
    ref_recompute(ref);
}

static void spare(struct ref_container *container)
{
    container->spared = container->spared || (container->killable && !container->killed);
    container->killable = false;
}

void ref_refresh(struct reference *ref, const struct ref_config *config)
{
    ref->config = *config;
    /* Nobody is preempted: marks are void. Who was killed is on its way all the same. */
    for (int c = 0; c < REF_CONTAINERS; c++) {
        struct ref_container *container = &ref->containers[c];

        spare(container);
        container->hears = container->here && container->spared;
        container->spared = false;
    }
    ref_recompute(ref);
}

/* --- nodes ----------------------------------------------------------------- */

void ref_node_add(struct reference *ref, int node, int rack, struct resource total)
{
    ref->nodes[node] = (struct ref_node){ .here = true, .rack = rack, .total = total };
    ref_recompute(ref);
}

void ref_node_remove(struct reference *ref, int node)
{
    if (ref->nodes[node].reserved)
        ref_unreserve(ref, node);
    ref->nodes[node].here = false;
    ref_recompute(ref);
}

void ref_node_update(struct reference *ref, int node, struct resource total)
{
    ref->nodes[node].total = total;
    ref_recompute(ref);
}

/* --- apps ------------------------------------------------------------------ */

static int64_t count_apps(const struct reference *ref, int queue, int user)
{
    int64_t count = 0;

    for (int a = 0; a < REF_APPS; a++)
        if (ref->apps[a].here && ref->apps[a].queue == queue &&
            (user < 0 || ref->apps[a].user == user))
            count++;
    return count;
}

static bool is_admitted(const struct reference *ref, int queue, int user)
{
    return count_apps(ref, queue, -1) < ref_max_apps(ref, queue) &&
           count_apps(ref, queue, user) < ref_max_apps_per_user(ref, queue);
}

static int32_t cut_priority(const struct reference *ref, int32_t priority)
{
    int32_t most = ref->config.maximum_app_priority;

    return priority < 0 ? 0 : priority > most ? most : priority;
}

bool ref_app_add(struct reference *ref, int index, int user, int queue, int32_t priority,
                 const struct resource *master)
{
    struct ref_app *app = &ref->apps[index];

    if (!is_admitted(ref, queue, user))
        return false;
    memset(app, 0, sizeof(*app));
    app->here = true;
    app->user = user;
    app->queue = queue;
    app->priority = cut_priority(ref, priority);
    app->order = ++ref->last_order;
    app->has_master = master != NULL;
    app->master = ref->config.minimum;  /* what counts if there is none */
    if (master)
        app->master = ref_normalise(ref, *master);
    ref_activate(ref, queue);
    return true;
}

static void drop_reservations(struct reference *ref, int app)
{
    for (int n = 0; n < REF_NODES; n++)
        if (ref->nodes[n].here && ref->nodes[n].reserved && ref->nodes[n].reserved_app == app)
            ref_unreserve(ref, n);
}

void ref_app_remove(struct reference *ref, int app)
{
    drop_reservations(ref, app);
    ref->apps[app].here = false;
    ref_activate(ref, ref->apps[app].queue);
}

bool ref_app_move(struct reference *ref, int index, int queue)
{
    struct ref_app *app = &ref->apps[index];
    int from = app->queue;

    if (queue == from || !is_admitted(ref, queue, app->user))
        return false;
    for (int c = 0; c < REF_CONTAINERS; c++)
        if (ref->containers[c].here && ref->containers[c].app == index)
            spare(&ref->containers[c]);
    app->queue = queue;
    app->active = false;
    ref_activate(ref, from);
    ref_activate(ref, queue);
    return true;
}

void ref_app_set_priority(struct reference *ref, int app, int32_t priority)
{
    bool waits = !ref->apps[app].active;

    ref->apps[app].priority = cut_priority(ref, priority);
    if (waits && (ref->config.differences & REF_PRIORITY_ACTIVATES))
        ref_activate(ref, ref->apps[app].queue);
}

/* --- asks ------------------------------------------------------------------ */

/* The oldest first. */
void ref_drop_key(struct reference *ref, int app, int key)
{
    for (;;) {
        int oldest = -1;

        for (int n = 0; n < REF_NODES; n++) {
            const struct ref_node *node = &ref->nodes[n];

            if (node->here && node->reserved && node->reserved_app == app &&
                node->reserved_key == key &&
                (oldest < 0 || node->reserved_order < ref->nodes[oldest].reserved_order))
                oldest = n;
        }
        if (oldest < 0)
            return;
        ref_unreserve(ref, oldest);
    }
}

void ref_ask(struct reference *ref, int app, int index, const struct ref_key *ask)
{
    struct ref_key *key = &ref->apps[app].keys[index];
    int64_t missed = key->missed, re_reserved = key->re_reserved;

    *key = *ask;
    key->size = ref_normalise(ref, ask->size);
    key->missed = missed;
    if (key->any == 0 && (ref->config.differences & REF_FORGETS_MISSED))
        key->missed = 0;
    key->re_reserved = re_reserved;
    if (key->any == 0)
        ref_drop_key(ref, app, index);
}

void ref_blacklist(struct reference *ref, int app, int node, bool avoid)
{
    ref->apps[app].avoids[node] = avoid;
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
        .here = true, .app = app, .node = node, .key = key, .size = size,
        .master = key == 0 && ref->apps[app].has_master,
        .number = ++ref->apps[app].last_number,
        .order = ++ref->last_order,
    };
    return c;
}

void ref_give_back(struct reference *ref, int index)
{
    const struct ref_container gone = ref->containers[index];
    int rack = ref->nodes[gone.node].rack;
    struct ref_key *key;

    ref_container_end(ref, index);
    key = &ref->apps[gone.app].keys[gone.key];
    if (key->any == 0)
        key->strict_any = gone.strict_any;
    if (gone.took_rack && key->rack[rack] == 0)
        key->strict_rack[rack] = gone.strict_rack;
    key->any++;
    key->node[gone.node] += gone.took_node ? 1 : 0;
    key->rack[rack] += gone.took_rack ? 1 : 0;
}

void ref_container_end(struct reference *ref, int container)
{
    struct ref_container *gone = &ref->containers[container];

    gone->here = false;
    if (gone->killable && gone->killed && ref->nodes[gone->node].reserved)
        ref_retry(ref, gone->node, false);      /* it went for this alone */
}
