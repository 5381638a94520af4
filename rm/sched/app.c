/* SPDX-License-Identifier: Apache-2.0 */
/* app.c - adds, moves and removes applications; applies their requests */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/sched/policy.h"

/* The largest number of containers in one request. A larger number is an error of the sender. The limit also
 * keeps sums of pending resources far from overflow. */
#define COUNT_MAX 1000000u

/* --- adding, removing, moving -------------------------------------------------- */

static struct sched_app *find_app(const struct sched *sched, const struct app_id *id)
{
    struct sched_app *app;

    HASH_FIND(hh, sched->apps, id, sizeof(*id), app);
    return app;
}

static int check_new(const struct sched *sched, const struct app_id *id, struct err *err)
{
    char text[ID_TEXT_MAX];

    if (find_app(sched, id))
        return err_set(err, EEXIST, "%s: is scheduled already", app_id_format(id, text));
    return 0;
}

static int find_leaf(const struct sched *sched, const char *name, struct sched_queue **ret, struct err *err)
{
    *ret = sched_queue_find(sched, name);
    if (*ret == NULL || !(*ret)->leaf)
        return err_set(err, ENOENT, "queue %s: not defined, or not a leaf", name);
    return 0;
}

/* Decides which queue accepts SPEC, with which priority. */
static int admit(struct sched *sched, const struct sched_app_spec *spec, bool test,
                 struct sched_admission *ret, struct err *err)
{
    *ret = (struct sched_admission){ .priority = spec->priority };
    return sched->policy->admission.admit ? sched->policy->admission.admit(sched, spec, test, ret, err)
                                          : find_leaf(sched, spec->queue, &ret->queue, err);
}

/* Sets *RET to the partition of SPEC's label. -EINVAL: QUEUE may not use the label. */
static int judge_label(const struct sched *sched, const struct sched_queue *queue,
                       const struct sched_app_spec *spec, int *ret, struct err *err)
{
    *ret = sched_label_for(sched, queue, spec->label);
    if (*ret < 0)
        return err_set(err, EINVAL, "queue %s: may not use label \"%s\"", queue->path, spec->label);
    return 0;
}

/* Returns the label of a request of APP that names LABEL (NULL: none): then that of the submission counts, or
 * else the present default of the queue. -1: the queue may not use the label. */
static int label_of_ask(const struct sched *sched, const struct sched_app *app, const char *label)
{
    if (label == NULL && app->names_label)
        label = sched->labels[app->own_label].name;
    return sched_label_for(sched, app->queue, label);
}

/* Moves APP into QUEUE. Nothing of APP may be counted. */
static void enter(struct sched_app *app, struct sched_queue *queue)
{
    app->queue = queue;
    if (!app->sched->policy->starts_apps)
        app->state = APP_ACTIVE;
    sched_app_changed(app, SCHED_APP_ENTERS);
}

static struct sched_app *new_app(struct sched *sched, const char *user)
{
    size_t own = sizeof(struct sched_app) + sched_amounts_size(sched, 1);
    struct sched_app *app = mem_alloc0(own + sched->policy->data_bytes.app);

    app->sched = sched;
    app->user = mem_strdup(user);
    app->data = sched_data_of(app, own, sched->policy->data_bytes.app);
    return app;
}

/* Checks whether a container in QUEUE may have the size ASKED.
 * Differs: the largest node is no limit for an application that ran before a restart. Its AM repeats requests
 * that were accepted before the restart, and the large node may not have registered yet. */
static int check_size(const struct sched *sched, const struct sched_queue *queue, bool recovered,
                      const struct resource *asked, struct err *err)
{
    int r = recovered ? sched_normalise_for(sched, queue, asked, NULL, err)
                      : sched_size_check_for(sched, queue, asked, err);

    if (r < 0 || queue == NULL || sched->policy->rules.check_size == NULL)
        return r;
    return sched->policy->rules.check_size(sched, queue, recovered, asked, err);
}

int sched_app_check_size(const struct sched_app *app, const struct resource *asked, struct err *err)
{
    return check_size(app->sched, app->queue, app->recovered, asked, err);
}

int sched_app_add(struct sched *sched, const struct sched_app_spec *spec, struct sched_app **ret,
                  struct err *err)
{
    struct sched_admission admission;
    struct sched_app *app;
    struct app_id id;
    int r, label;

    memset(&id, 0, sizeof(id)); /* padding is part of the hash key */
    id.cluster_ms = spec->id.cluster_ms;
    id.seq = spec->id.seq;
    if ((r = check_new(sched, &id, err)) < 0 || (r = admit(sched, spec, false, &admission, err)) < 0 ||
        (spec->master && !spec->recovered &&
         (r = check_size(sched, admission.queue, false, spec->master, err)) < 0) ||
        (r = judge_label(sched, admission.queue, spec, &label, err)) < 0)
        return r;

    app = new_app(sched, spec->user);
    memcpy(&app->id, &id, sizeof(id));
    app->priority = admission.priority;
    app->label = app->own_label = (uint8_t)label;
    app->names_label = spec->label != NULL;
    app->manages = spec->manages;
    app->recovered = spec->recovered;
    app->owner = spec->owner;
    calc_store(&sched->calc, app_master(app), &sched->minimum); /* until the size is known */
    app->serial = ++sched->last_serial;
    app->added_ms = app->waits_since_ms = sched->now_ms;
    RB_INIT(&app->demands);
    RB_INIT(&app->idle);
    TAILQ_INIT(&app->containers);
    TAILQ_INIT(&app->reservations);
    HASH_ADD(hh, sched->apps, id, sizeof(app->id), app);
    for (struct sched_queue *at = admission.queue; at; at = at->parent)
        at->apps_pending++;
    enter(app, admission.queue);
    *ret = app;
    return 0;
}

static void forget_wishes(struct sched_app *app)
{
    sched_demand_drop_all(app);
    sched_app_clear_blacklist(app);
}

static void free_parts(struct sched_app *app)
{
    struct app_partition *part;

    while ((part = app->parts) != NULL) {
        app->parts = part->next;
        free(part);
    }
}

void sched_app_remove(struct sched *sched, struct sched_app *app, struct sched_decisions *decisions)
{
    assert(TAILQ_EMPTY(&app->containers));
    app->ending = true;
    sched_unreserve_app(sched, app, NULL); /* not reported: a decision must not name an application
                                              that is freed */
    forget_wishes(app);
    sched_app_clear_avoided(app);
    for (struct sched_queue *at = app->queue; at; at = at->parent)
        at->apps_pending--;
    HASH_DEL(sched->apps, app);
    sched_app_changed(app, SCHED_APP_LEAVES);
    free_parts(app);
    free(app->user);
    free(app);
    sched_offer_released(sched, decisions);
}

void sched_app_ask_for_master(struct sched_app *app)
{
    struct resource size = sched_load(app->sched, app_master(app));
    struct demand *demand;

    if (!app->ask_for_master)
        return;
    demand = sched_demand_get(app, 0, 0);
    demand->master = true;
    sched_demand_set_label(app, demand, app->label);
    sched_demand_set_capability(app, demand, &size);
    sched_demand_set_count(app, demand, 1);
    app->ask_for_master = false;
}

void sched_app_set_master_label(struct sched_app *app, int label)
{
    struct app_partition *part;

    if (label == app->label)
        return;
    part = sched_app_partition(app, label);
    sched_count_begin(app->sched, part); /* enters a new part into the indexes */
    sched_count_end(app->sched, part);
    sched_app_changed(app, SCHED_APP_AM_CHANGES);
    app->label = (uint8_t)label;
    sched_app_changed(app, SCHED_APP_AM_CHANGED);
}

/* Prepares the label of the AM that a new attempt of APP requests. A label that the queue may not use any
 * more remains. */
static void name_label_of_master(const struct sched *sched, struct sched_app *app)
{
    int label = label_of_ask(sched, app, NULL);

    if (app->state != APP_NEW && label >= 0)
        sched_app_set_master_label(app, label);
    app->labels_asked = (uint64_t)1 << app->label;
}

void sched_app_start(struct sched *sched, struct sched_app *app, const struct resource *master,
                     struct sched_decisions *decisions)
{
    sched_unreserve_app(sched, app, decisions);
    forget_wishes(app);
    app->last_number = 0;
    app->ask_for_master = master != NULL;
    app->labels_asked = 0;
    if (master) {
        name_label_of_master(sched, app);
        sched_app_set_master(sched, app, master);
    }
    if (app->state == APP_NEW) {
        /* An application whose AM does not run is not ordered first as a recovered application (5.6). */
        app->recovered = app->recovered && master == NULL;
        app->ending = false;
        sched_app_changed(app, SCHED_APP_STARTS);
    } else {
        if (app->state == APP_ACTIVE)
            sched_app_ask_for_master(app);
        if (master)
            sched_app_changed(app, SCHED_APP_REQUESTS);
    }
    if (sched->assign_on_demand)
        sched_offer_app(sched, app, decisions);
}

void sched_app_stop_asking(struct sched *sched, struct sched_app *app)
{
    app->ending = true;
    sched_unreserve_app(sched, app, NULL); /* not reported: no AM waits for the decision */
    sched_demand_drop_all(app);
}

static int may_move(struct sched *sched, struct sched_app *app, const char *name, struct sched_queue **ret,
                    struct err *err)
{
    return sched->policy->admission.may_move ? sched->policy->admission.may_move(sched, app, name, ret, err)
                                             : find_leaf(sched, name, ret, err);
}

int sched_app_move(struct sched *sched, struct sched_app *app, const char *name,
                   struct sched_decisions *decisions, struct err *err)
{
    struct sched_queue *queue = NULL;
    int r = may_move(sched, app, name, &queue, err);

    if (r < 0 || queue == app->queue)
        return r;
    sched_count_app(sched, app, -1);
    sched_app_changed(app, SCHED_APP_LEAVES | SCHED_APP_MOVES);
    enter(app, queue);
    sched_count_app(sched, app, 1);
    sched_app_changed(app, SCHED_APP_STARTS);
    sched_offer_released(sched, decisions);
    return 0;
}

/* Calls the policy's partition_changed() for only one part of APP. Without labels there is no other part. A
 * policy with labels updates the other parts in app_changed(). */
void sched_app_set_priority(struct sched *sched, struct sched_app *app, int32_t priority,
                            struct sched_decisions *decisions)
{
    struct app_partition *part = app->parts;

    if (part)
        sched_count_begin(sched, part);
    app->priority = priority;
    if (part)
        sched_count_end(sched, part);
    sched_app_changed(app, SCHED_APP_PRIORITY);
    sched_offer_released(sched, decisions);
}

int sched_app_may_have_priority(struct sched *sched, struct sched_app *app, const struct sched_app_spec *who,
                                struct err *err)
{
    struct sched_queue *queue = app->queue;
    int r = who->queue ? may_move(sched, app, who->queue, &queue, err) : 0;

    if (r < 0 || !sched->policy->admission.may_set_priority)
        return r;
    return sched->policy->admission.may_set_priority(sched, queue, who, err);
}

uint32_t sched_app_rows(const struct sched_app *app)
{
    return app->row_count + app->idle_rows;
}

int32_t sched_app_priority(const struct sched_app *app)
{
    return app->priority;
}

int sched_app_test(struct sched *sched, const struct sched_app_spec *spec, const struct resource *largest,
                   struct err *err)
{
    struct sched_admission admission;
    struct resource normal;
    struct sched_node *node, *next;
    char text[RESOURCE_TYPES_TEXT_MAX];
    int r, label = 0;

    if ((r = admit(sched, spec, true, &admission, err)) < 0)
        return r;
    free(admission.path);
    if ((admission.queue && (r = judge_label(sched, admission.queue, spec, &label, err)) < 0) ||
        (r = check_size(sched, admission.queue, false, largest, err)) < 0 ||
        (r = sched_normalise_for(sched, admission.queue, largest, &normal, err)) < 0)
        return r;
    if (sched_nodes_register(sched))
        return 0;
    HASH_ITER(hh, sched->nodes, node, next)
        if (node->label == label && calc_fits(&sched->calc, &normal, &node->capacity))
            return 0;
    if (label > 0 && sched->label_nodes[label] == 0)
        return err_set(
            err, ERANGE,
            "no registered node has the label %s: an administrator gives it to one with creel node "
            "label NODE set %s",
            sched->labels[label].name, sched->labels[label].name);
    return err_set(err, ERANGE, "no node is big enough for %s",
                   resource_types_format(&sched->names, &normal, text));
}

int32_t sched_app_expected_priority(struct sched *sched, const struct sched_app_spec *spec)
{
    struct sched_admission admission;

    if (admit(sched, spec, true, &admission, NULL) < 0)
        return spec->priority;
    free(admission.path);
    return admission.priority;
}

char *sched_app_place(struct sched *sched, const struct sched_app_spec *spec)
{
    struct sched_admission admission;

    if (admit(sched, spec, true, &admission, NULL) < 0)
        return NULL;
    if (admission.path)
        return admission.path;
    return mem_strdup(admission.queue ? admission.queue->path : spec->queue);
}

/* --- allocate -------------------------------------------------------------- */

static bool is_any(const char *name)
{
    return text_equal(name, "*") || text_equal(name, "");
}

size_t sched_app_new_rows(const struct sched_app *app, const struct sched_ask *asks, size_t count)
{
    size_t rows = 0;

    for (size_t i = 0; i < count; i++) {
        const char *name = is_any(asks[i].resource_name) ? NULL : asks[i].resource_name;

        rows += asks[i].count > 0 && !sched_demand_has(app, asks[i].priority, asks[i].allocation_id, name);
    }
    return rows;
}

static int validate(const struct sched *sched, const struct sched_app *app,
                    const struct sched_request *request, struct err *err)
{
    size_t listed = sched_app_new_blacklisted(app, request->blacklist_add, request->blacklist_add_count) +
                    sched_app_blacklist_count(app);
    size_t added = sched_app_new_rows(app, request->asks, request->ask_count);
    int r;

    /* (A row with a name may come before that of its request.) */
    if (request->ask_count > SCHED_NAMES_MAX || app->row_count + added * 2 > SCHED_NAMES_MAX)
        return err_set(err, E2BIG, "asks for too many different things: at most %d rows are kept",
                       SCHED_NAMES_MAX);
    if (request->blacklist_add_count > SCHED_NAMES_MAX || listed > SCHED_NAMES_MAX)
        return err_set(err, E2BIG, "blacklists too many places: at most %d are kept", SCHED_NAMES_MAX);
    for (size_t i = 0; i < request->ask_count; i++) {
        const struct sched_ask *ask = &request->asks[i];

        if (ask->count > COUNT_MAX)
            return err_set(err, ERANGE, "asks for %u containers at priority %u, at most %u go", ask->count,
                           ask->priority, COUNT_MAX);
        if ((r = sched_app_check_size(app, &ask->capability, err)) < 0)
            return r;
        if (label_of_ask(sched, app, ask->label) < 0)
            return err_set(err, EINVAL, "queue %s: may not use label \"%s\"", app->queue->path,
                           ask->label ? ask->label : sched->labels[app->own_label].name);
    }
    return 0;
}

/* Applies one row of a request. Returns true if containers are pending at its priority and allocation id now,
 * and none were before. */
static bool apply_ask(const struct sched *sched, struct sched_app *app, const struct sched_ask *ask)
{
    struct demand *demand = sched_demand_get(app, ask->priority, ask->allocation_id);
    bool was_idle = demand->count == 0;
    struct resource normal;
    int r = sched_normalise_for(sched, app->queue, &ask->capability, &normal, NULL);

    assert(r == 0);
    if (is_any(ask->resource_name)) {
        int label = label_of_ask(sched, app, ask->label);

        app->labels_asked |= (uint64_t)1 << label;
        sched_demand_set_label(app, demand, label);
        sched_demand_set_capability(app, demand, &normal);
        sched_demand_set_count(app, demand, ask->count);
        sched_demand_set_strict(demand, ask->strict_locality);
    } else {
        if (demand->count == 0)
            sched_demand_set_capability(app, demand, &normal);
        sched_demand_set_row(app, demand, ask->resource_name, ask->count, ask->strict_locality);
    }
    demand->awake |= was_idle && demand->count > 0;
    return was_idle && demand->count > 0;
}

/* Finishes the requests after all rows of REQUEST are applied, in any order. A request whose "*" is 0 is
 * removed with all its rows (AppSchedulingInfo.updatePendingResources). */
static void settle_asks(struct sched_app *app, const struct sched_request *request)
{
    struct demand *demand;

    for (size_t i = 0; i < request->ask_count; i++) {
        const struct sched_ask *ask = &request->asks[i];

        demand = sched_demand_find(app, ask->priority, ask->allocation_id);
        if (demand && demand->count == 0 && is_any(ask->resource_name))
            sched_demand_cancel(app, demand);
    }
    for (size_t i = 0; i < request->ask_count; i++) {
        demand = sched_demand_find(app, request->asks[i].priority, request->asks[i].allocation_id);
        if (demand)
            sched_demand_settle(app, demand);
    }
}

static bool changes_asks(const struct sched_request *request)
{
    return request->ask_count + request->blacklist_add_count + request->blacklist_remove_count > 0;
}

int sched_allocate(struct sched *sched, struct sched_app *app, const struct sched_request *request,
                   struct sched_decisions *decisions, struct err *err)
{
    int r = validate(sched, app, request, err);
    unsigned changes = SCHED_APP_CALL;

    if (r < 0)
        return r;
    for (size_t i = 0; i < request->release_count; i++)
        sched_container_end(sched, request->releases[i], decisions);
    /* Before the requests: policies compute the needs of requests from the blacklist. */
    sched_app_change_blacklist(app, request);
    for (size_t i = 0; i < request->ask_count; i++)
        changes |= apply_ask(sched, app, &request->asks[i]) ? SCHED_APP_REQUESTS : 0;
    settle_asks(app, request);
    changes |= changes_asks(request) ? SCHED_APP_NAMES : 0;
    sched_app_changed(app, changes);
    if (sched->assign_on_demand && changes_asks(request))
        sched_offer_asks(sched, app, request, decisions);
    return 0;
}

/* --- figures ------------------------------------------------------------------ */

typedef struct amount *amount_fn(const struct app_partition *part);

static struct resource sum(const struct sched_app *app, amount_fn *amount_of)
{
    struct resource all = resource_of(0, 0);

    for (const struct app_partition *part = app->parts; part; part = part->next)
        calc_add(&app->sched->calc, &all, amount_of(part));
    return all;
}

struct resource sched_app_used(const struct sched_app *app)
{
    return sum(app, app_used);
}

struct resource sched_app_pending(const struct sched_app *app)
{
    return sum(app, app_pending);
}

static struct resource sched_app_reserved(const struct sched_app *app)
{
    return sum(app, app_reserved);
}

static uint64_t labelled_pending(const struct sched_app *app)
{
    uint64_t count = 0;

    for (const struct app_partition *part = app->parts; part; part = part->next)
        count += part->label > 0 ? part->pending_containers : 0;
    return count;
}

static uint32_t labelled_reserved(const struct sched_app *app)
{
    const struct sched_node *node;
    uint32_t count = 0;

    TAILQ_FOREACH(node, &app->reservations, reserved.of_app)
        count += node->label > 0 ? 1 : 0;
    return count;
}

void sched_app_figures(const struct sched *sched, const struct sched_app *app, struct sched_app_figures *ret)
{
    *ret = (struct sched_app_figures){
        .active = app->state == APP_ACTIVE,
        .used = sched_app_used(app),
        .pending = sched_app_pending(app),
        .reserved = sched_app_reserved(app),
        .containers = app->container_count,
        .reserved_containers = app->reserved_count,
        .pending_containers = app->pending_containers,
        .labelled_reserved_containers = labelled_reserved(app),
        .labelled_pending_containers = labelled_pending(app),
        .headroom = resource_max(resource_subtract(sched->total, sched->used), resource_of(0, 0)),
        .starved_since_ms = -1,
    };
    if (sched->policy->reports.app_figures)
        sched->policy->reports.app_figures(sched, app, ret);
}

bool sched_app_partition_figures(const struct sched_app *app, int label, struct sched_app_figures *ret)
{
    const struct app_partition *part = sched_app_partition_have(app, label);

    if (part == NULL)
        return false;
    *ret = (struct sched_app_figures){
        .used = sched_load(app->sched, app_used(part)),
        .pending = sched_load(app->sched, app_pending(part)),
        .reserved = sched_load(app->sched, app_reserved(part)),
    };
    return true;
}

bool sched_app_only_unlabelled(const struct sched_app *app)
{
    return app->parts == NULL || (app->parts->next == NULL && app->parts->label == 0);
}

const char *sched_app_queue(const struct sched_app *app)
{
    return app->queue->path;
}

void *sched_app_owner(const struct sched_app *app)
{
    return app->owner;
}
