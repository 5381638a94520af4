/* SPDX-License-Identifier: Apache-2.0 */
/* app.c - apps, the allocate call, and blacklists */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/sched/internal.h"

/* An app that wants more containers than this at one priority is mistaken; it
 * also keeps sums of pending resources far from overflow. */
#define COUNT_MAX 1000000u

int sched_app_compare(const struct sched_app *a, const struct sched_app *b)
{
    return a->sched->strategy->order(a, b);
}

RB_GENERATE(sched_wanting_tree, sched_app, wanting, sched_app_compare)

/* --- life ------------------------------------------------------------------ */

static struct sched_app *find_app(const struct sched *sched, const struct app_id *id)
{
    struct sched_app *app;

    HASH_FIND(hh, sched->apps, id, sizeof(*id), app);
    return app;
}

int sched_app_add(struct sched *sched, const struct sched_app_spec *spec,
                  struct sched_app **ret, struct err *err)
{
    struct sched_queue *queue = NULL;
    struct sched_app *app;
    char text[ID_TEXT_MAX];
    struct app_id id;
    int r;

    memset(&id, 0, sizeof(id));         /* padding is part of the hash key */
    id.cluster_ms = spec->id.cluster_ms;
    id.seq = spec->id.seq;
    if (find_app(sched, &id))
        return err_set(err, EEXIST, "%s: is scheduled already", app_id_format(&id, text));
    if ((r = sched->strategy->admit(sched, spec, &queue, err)) < 0)
        return r;

    app = mem_new0(struct sched_app);
    app->sched = sched;
    memcpy(&app->id, &id, sizeof(id));
    app->user = mem_strdup(spec->user);
    app->priority = spec->priority;
    app->manages = spec->manages;
    app->queue = queue;
    app->owner = spec->owner;
    RB_INIT(&app->demands);
    TAILQ_INIT(&app->containers);
    HASH_ADD(hh, sched->apps, id, sizeof(app->id), app);
    for (; queue; queue = queue->parent)
        queue->apps_pending++;
    *ret = app;
    return 0;
}

static void drop_blacklisted(struct sched_app *app, struct blacklisted *entry)
{
    HASH_DEL(app->blacklist, entry);
    free(entry->name);
    free(entry);
}

static void forget_wishes(struct sched_app *app)
{
    struct blacklisted *entry, *next;

    sched_demand_drop_all(app);
    HASH_ITER(hh, app->blacklist, entry, next)
        drop_blacklisted(app, entry);
}

void sched_app_remove(struct sched *sched, struct sched_app *app,
                      struct sched_decisions *decisions)
{
    (void)decisions;                    /* nobody waits for another app's asks to go */
    assert(TAILQ_EMPTY(&app->containers));
    forget_wishes(app);
    for (struct sched_queue *queue = app->queue; queue; queue = queue->parent)
        queue->apps_pending--;
    HASH_DEL(sched->apps, app);
    free(app->user);
    free(app);
}

void sched_app_start(struct sched *sched, struct sched_app *app, const struct resource *master,
                     struct sched_decisions *decisions)
{
    struct demand *demand;

    forget_wishes(app);
    app->last_number = 0;
    if (master == NULL)
        return;
    demand = sched_demand_get(app, 0, 0);
    demand->master = true;
    sched_demand_set_capability(app, demand, master);
    sched_demand_set_count(app, demand, 1);
    if (sched->assign_on_demand)
        sched_offer_app(sched, app, decisions);
}

bool sched_may_manage(const struct sched *sched, const struct demand *demand,
                      const struct sched_app *app, struct resource *limit)
{
    int types = sched->calculator == SCHED_MEMORY_ONLY ? 1 : RESOURCE_TYPES_MAX;
    bool may = true;

    for (int t = 0; t < types; t++) {
        int64_t most = sched->open_total.value[t] / 1000 * sched->managers_permille +
                       sched->open_total.value[t] % 1000 * sched->managers_permille / 1000;

        if (limit)
            limit->value[t] = most;
        may = may && sched->managed.value[t] + demand->capability.value[t] <= most;
    }
    return may || !demand->master || !app->manages || sched->managers == 0 ||
           sched->managers_permille == 0;
}

void sched_app_stop_asking(struct sched *sched, struct sched_app *app)
{
    (void)sched;
    sched_demand_drop_all(app);
}

void sched_app_charge(struct sched_app *app, const struct resource *amount, int sign)
{
    bool ran = app->container_count > 0, runs;

    app->used = sign > 0 ? resource_add(app->used, *amount) : resource_subtract(app->used, *amount);
    app->container_count += (uint32_t)sign;
    runs = app->container_count > 0;
    for (struct sched_queue *queue = app->queue; queue; queue = queue->parent) {
        queue->used = sign > 0 ? resource_add(queue->used, *amount)
                               : resource_subtract(queue->used, *amount);
        queue->containers += (uint32_t)sign;
        if (ran != runs) {
            queue->apps_running += runs ? 1u : UINT32_MAX;      /* one more, or one less */
            queue->apps_pending += runs ? UINT32_MAX : 1u;
        }
    }
}

/* --- blacklists ------------------------------------------------------------ */

static bool is_blacklisted(const struct sched_app *app, const char *name)
{
    struct blacklisted *entry;

    HASH_FIND(hh, app->blacklist, name, strlen(name), entry);
    return entry != NULL;
}

bool sched_app_avoids(const struct sched_app *app, const struct sched_node *node)
{
    return app->blacklist && (is_blacklisted(app, node->host) || is_blacklisted(app, node->id) ||
                              is_blacklisted(app, node->rack));
}

static void apply_blacklist(struct sched_app *app, const struct sched_request *request)
{
    struct blacklisted *entry;

    for (size_t i = 0; i < request->blacklist_remove_count; i++) {
        const char *name = request->blacklist_remove[i];

        HASH_FIND(hh, app->blacklist, name, strlen(name), entry);
        if (entry)
            drop_blacklisted(app, entry);
    }
    for (size_t i = 0; i < request->blacklist_add_count; i++) {
        const char *name = request->blacklist_add[i];

        if (is_blacklisted(app, name))
            continue;
        entry = mem_new0(struct blacklisted);
        entry->name = mem_strdup(name);
        HASH_ADD_KEYPTR(hh, app->blacklist, entry->name, strlen(entry->name), entry);
    }
}

/* --- allocate -------------------------------------------------------------- */

static int validate(const struct sched *sched, const struct sched_app *app,
                    const struct sched_request *request, struct err *err)
{
    size_t listed = HASH_COUNT(app->blacklist);
    int r;

    if (request->ask_count * 2 > SCHED_NAMES_MAX ||
        app->row_count + request->ask_count * 2 > SCHED_NAMES_MAX)
        return err_set(err, E2BIG, "asks for too many different things: at most %d rows are kept",
                       SCHED_NAMES_MAX);
    if (request->blacklist_add_count > SCHED_NAMES_MAX ||
        listed + request->blacklist_add_count > SCHED_NAMES_MAX)
        return err_set(err, E2BIG, "blacklists too many places: at most %d are kept",
                       SCHED_NAMES_MAX);
    for (size_t i = 0; i < request->ask_count; i++) {
        const struct sched_ask *ask = &request->asks[i];

        if (ask->count > COUNT_MAX)
            return err_set(err, ERANGE, "asks for %u containers at priority %u, at most %u go",
                           ask->count, ask->priority, COUNT_MAX);
        if ((r = sched_normalise(sched, &ask->capability, NULL, err)) < 0)
            return r;
    }
    return 0;
}

static bool is_any(const char *name)
{
    return text_equal(name, "*") || text_equal(name, "");
}

static void apply_ask(const struct sched *sched, struct sched_app *app,
                      const struct sched_ask *ask)
{
    struct demand *demand = sched_demand_get(app, ask->priority, ask->allocation_id);
    struct resource normal;
    int r = sched_normalise(sched, &ask->capability, &normal, NULL);

    assert(r == 0);                     /* validated before */
    if (is_any(ask->resource_name)) {
        sched_demand_set_capability(app, demand, &normal);
        sched_demand_set_count(app, demand, ask->count);
        demand->strict = ask->strict_locality;
    } else {
        if (demand->count == 0)
            sched_demand_set_capability(app, demand, &normal);
        sched_demand_set_row(app, demand, ask->resource_name, ask->count, ask->strict_locality);
    }
    if (demand->count == 0 && demand->rows == NULL)
        sched_demand_drop(app, demand);
}

int sched_allocate(struct sched *sched, struct sched_app *app, const struct sched_request *request,
                   struct sched_decisions *decisions, struct err *err)
{
    int r = validate(sched, app, request, err);

    if (r < 0)
        return r;
    for (size_t i = 0; i < request->release_count; i++)
        sched_container_end(sched, request->releases[i], decisions);
    for (size_t i = 0; i < request->ask_count; i++)
        apply_ask(sched, app, &request->asks[i]);
    apply_blacklist(app, request);
    if (sched->assign_on_demand)
        sched_offer_app(sched, app, decisions);
    return 0;
}

/* --- looking --------------------------------------------------------------- */

void sched_app_figures(const struct sched *sched, const struct sched_app *app,
                       struct sched_app_figures *ret)
{
    ret->used = app->used;
    ret->pending = app->pending;
    ret->containers = app->container_count;
    ret->pending_containers = app->pending_containers;
    ret->headroom = resource_max(resource_subtract(sched->total, sched->used), resource_of(0, 0));
}

const char *sched_app_queue(const struct sched_app *app)
{
    return app->queue->path;
}

void *sched_app_owner(const struct sched_app *app)
{
    return app->owner;
}
