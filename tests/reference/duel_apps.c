/* SPDX-License-Identifier: Apache-2.0 */
/* duel_apps.c - events of a duel that concern applications: submit, remove, move, request */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "rm/sched/capacity/internal.h"
#include "tests/reference/duel.h"
#include "tests/reference/duel_figures.h"

/* Returns the size of the requests at keys 1 to 3 of an application. The size depends only on application
 * slot and key, so that reservations keep their size. */
static struct resource size_of(const struct duel *duel, int app, int key)
{
    static const int64_t sizes[][3] = {
        { 1024, 1, 0 }, { 2048, 1, 1 }, { 1500, 2, 0 }, { 3072, 1, 2 }, { 4096, 4, 0 },
        { 512, 1, 0 },  { 6144, 2, 0 }, { 1024, 1, 1 }, { 8192, 4, 0 },
    };
    size_t i = (size_t)(app * 5 + key * 2) % (sizeof(sizes) / sizeof(sizes[0]));
    struct resource size = resource_of(sizes[i][0], sizes[i][1]);

    size.value[2] = duel->ref.config.types > 2 ? sizes[i][2] : 0;
    return size;
}

static bool app_here(const struct reference *ref, int app)
{
    return ref->apps[app].here;
}

static bool app_away(const struct reference *ref, int app)
{
    return !ref->apps[app].here;
}

static bool is_leaf(const struct reference *ref, int queue)
{
    return ref->config.queues[queue].leaf;
}

/* --- apps ------------------------------------------------------------------ */

/* Leaves of managed parents take only what queue-mappings send there. */
static bool takes_submissions(const struct reference *ref, int queue)
{
    const struct ref_queue_config *config = &ref->config.queues[queue];

    return is_leaf(ref, queue) && !(config->dynamic && ref->config.queues[config->parent].manages);
}

static bool creates_leaves(const struct reference *ref, int queue)
{
    return ref->config.queues[queue].max_children > 0 && !ref->config.queues[queue].manages;
}

/* Returns the leaf of USER below a managed parent, to which queue-mappings send what is submitted to the
 * queue "default". */
static int managed_leaf(struct duel *duel, int user, char path[64])
{
    const struct ref_config *config = &duel->ref.config;
    int parent = config->managed_by[user], queue;

    snprintf(path, 64, "%.40s.user%d", config->queues[parent].path, user);
    queue = ref_queue_find(&duel->ref, path);
    if (queue < 0)
        queue = ref_queue_create(&duel->ref, parent, path);
    snprintf(path, 64, "default");
    return queue;
}

/* Chooses the queue of a submission: a leaf, or a path below a queue that creates leaves. Returns the leaf,
 * created if needed; -1: it cannot be created. PATH gets its path. */
static int pick_queue(struct duel *duel, int user, uint32_t pick, char path[64])
{
    const struct ref_config *config = &duel->ref.config;
    int parent = duel_pick(duel, creates_leaves, config->queue_count, pick / 4), queue;
    char name[16];

    if (config->managed_by[user] > 0 && pick % 4 <= 1)
        return managed_leaf(duel, user, path);
    if (parent < 0 || pick % 4 > 1) {
        queue = duel_pick(duel, takes_submissions, config->queue_count, pick);
        snprintf(path, 64, "%s", config->queues[queue].path);
        return queue;
    }
    snprintf(name, sizeof(name), "new%u", pick / 64 % 4);
    snprintf(path, 64, "%.40s.%s", config->queues[parent].path, name);
    queue = ref_queue_find(&duel->ref, path);
    return queue >= 0 ? queue : ref_queue_create(&duel->ref, parent, path);
}

static int submit(struct duel *duel, const uint32_t *picks, struct err *err)
{
    static const int64_t masters[] = { 1024, 1024, 2048, 3072, 1500, 4096 };
    int app = duel_pick(duel, app_away, REF_APPS, picks[0]);
    int user = (int)(picks[2] % REF_USERS);
    int32_t priority = (int32_t)(picks[3] % 5);
    int label = duel_pick_label(duel, picks[3] / 5);
    struct resource asked = resource_of(masters[picks[4] % 6], 1 + picks[4] / 6 % 2), master;
    char name[32], path[64];
    struct sched_app_spec spec = {
        .id = { 1, ++duel->last_app },
        .user = name,
        .priority = priority,
        .manages = true,
        .queue = path,
        .owner = (void *)(uintptr_t)app,
        .label = label < 0 ? NULL : scenario_label(label),
        .master = &asked,
    };
    struct ref_app_spec slow = { .user = user, .priority = priority, .label = label, .master = &asked };
    bool taken;
    int r;

    if (app < 0 || !ref_has_unused_queue(&duel->ref))
        return 0;
    slow.queue = pick_queue(duel, user, picks[1], path);
    asked.value[2] = duel->ref.config.types > 2 ? picks[4] / 12 % 3 : 0;
    snprintf(name, sizeof(name), "user%d", user);
    duel_print(duel, "app%d comes: %s, %s, priority %d, label %s, master <%lld, %lld, %lld>\n", app,
               spec.queue, name, priority, spec.label ? spec.label : "-", (long long)asked.value[0],
               (long long)asked.value[1], (long long)asked.value[2]);
    r = sched_app_add(duel->sched, &spec, &duel->apps[app], err);
    taken = slow.queue >= 0 && ref_app_add(&duel->ref, app, &slow);
    if (taken != (r == 0))
        return err_set(err, EINVAL, "submit to %s: the core returns %d, the reference otherwise", spec.queue,
                       r);
    duel->count.refused += r < 0 ? 1 : 0;
    if (r < 0)
        return 0;
    if ((r = sched_normalise(duel->sched, &asked, &master, err)) < 0)
        return r;
    sched_app_start(duel->sched, duel->apps[app], &master, &duel->decisions);
    return 0;
}

/* Ends all containers of APP. When a container ends on a node that is reserved for APP, another one may be
 * allocated at once. So this is repeated until APP has no containers. */
static int end_all_of(struct duel *duel, int app, struct err *err)
{
    bool more = true;
    int r = 0;

    while (more && r == 0) {
        more = false;
        for (int c = 0; c < REF_CONTAINERS && r == 0; c++)
            if (duel->ref.containers[c].here && duel->ref.containers[c].app == app) {
                duel_end_container(duel, c);
                r = duel_compare_decisions(duel, err);
                more = true;
            }
    }
    return r;
}

static int remove_app(struct duel *duel, const uint32_t *picks, struct err *err)
{
    int app = duel_pick(duel, app_here, REF_APPS, picks[0]), r;

    if (app < 0)
        return 0;
    duel_print(duel, "app%d goes\n", app);
    if ((r = end_all_of(duel, app, err)) < 0)
        return r;
    sched_app_remove(duel->sched, duel->apps[app], &duel->decisions);
    ref_app_remove(&duel->ref, app);
    duel->ref.decision_count = 0; /* not compared, since they may name the freed application; */
    duel->decisions.count = 0;    /* the figures of the nodes show different decisions, too */
    duel->apps[app] = NULL;
    return 0;
}

static int move(struct duel *duel, const uint32_t *picks, struct err *err)
{
    int app = duel_pick(duel, app_here, REF_APPS, picks[0]);
    int queue = duel_pick(duel, is_leaf, duel->ref.config.queue_count, picks[1]), r;

    if (app < 0 || duel->ref.apps[app].queue == queue)
        return 0;
    duel_print(duel, "app%d moves to %s\n", app, duel->ref.config.queues[queue].path);
    r = sched_app_move(duel->sched, duel->apps[app], duel->ref.config.queues[queue].path, &duel->decisions,
                       err);
    if (ref_app_move(&duel->ref, app, queue) != (r == 0))
        return err_set(err, EINVAL, "move of app%d to %s: the core returns %d, the reference otherwise", app,
                       duel->ref.config.queues[queue].path, r);
    return 0;
}

static int set_priority(struct duel *duel, const uint32_t *picks)
{
    int app = duel_pick(duel, app_here, REF_APPS, picks[0]);

    if (app < 0)
        return 0;
    duel_print(duel, "app%d gets priority %u\n", app, picks[1] % 5);
    sched_app_set_priority(duel->sched, duel->apps[app], (int32_t)(picks[1] % 5), &duel->decisions);
    ref_app_set_priority(&duel->ref, app, (int32_t)(picks[1] % 5));
    return 0;
}

/* --- requests ---------------------------------------------------------------- */

static void add_to_row(struct ref_row *row, uint32_t count)
{
    row->given = true;
    row->count += count;
}

/* Builds a request with rows for some nodes and their racks, or for none; the counts of racks and of "*" are
 * sums. */
static struct ref_key random_ask(const uint32_t *picks)
{
    struct ref_key ask = { .any = { .given = true, .count = picks[2] % 6 } };
    uint32_t hosts = picks[3] % 4, shape = picks[4] % 8;

    if (hosts == 0 || shape < 3 || ask.any.count == 0)
        return ask;
    ask.any.count = 0;
    for (uint32_t i = 0; i < hosts; i++) {
        int node = (int)((picks[3] / 4 + i * 5) % REF_NODES);
        uint32_t count = 1 + picks[2] / 6 % 2;

        add_to_row(&ask.node[node], count);
        add_to_row(&ask.rack[node % REF_RACKS], count);
        add_to_row(&ask.any, count);
        ask.rack[node % REF_RACKS].strict = shape == 7;
    }
    ask.any.strict = shape >= 6;
    if (shape == 5)
        ask.any.count += 2; /* and two containers anywhere */
    return ask;
}

/* Adds rows that were named before and are not needed any more, with a count of 0, as an AM does. */
static void name_again(const struct ref_key *known, struct ref_key *ask)
{
    for (int n = 0; n < REF_NODES; n++)
        ask->node[n].given = ask->node[n].given || known->node[n].given;
    for (int r = 0; r < REF_RACKS; r++)
        ask->rack[r].given = ask->rack[r].given || known->rack[r].given;
}

/* Marks all containers of an application as acquired. */
static void hear(struct duel *duel, int app)
{
    for (int c = 0; c < REF_CONTAINERS; c++)
        if (duel->ref.containers[c].here && duel->ref.containers[c].app == app) {
            sched_container_acquired(duel->sched, duel->containers[c]);
            duel->ref.containers[c].heard = true;
        }
}

struct avoided {
    char host[16];
    const char *name;
};

/* Adds NODE to the blacklist of APP, or removes it if it is there: in the reference at once, and in REQUEST
 * for the core. AVOIDED stores the names. */
static void turn(struct duel *duel, int app, int node, struct avoided *avoided, struct sched_request *request)
{
    bool avoids = !duel->ref.apps[app].avoids[node];

    snprintf(avoided->host, sizeof(avoided->host), "node%d", node);
    avoided->name = avoided->host;
    ref_blacklist(&duel->ref, app, node, avoids);
    duel_print(duel, "app%d %s node%d\n", app, avoids ? "avoids" : "takes", node);
    if (avoids) {
        request->blacklist_add = &avoided->name;
        request->blacklist_add_count = 1;
    } else {
        request->blacklist_remove = &avoided->name;
        request->blacklist_remove_count = 1;
    }
}

/* Converts the given rows of ASK to the core's struct sched_ask. NAMES stores the names of the rows. */
static size_t write_rows(const struct ref_key *ask, int key, char (*names)[16], struct sched_ask *rows)
{
    size_t count = 0;

    for (int i = 0; i <= REF_NODES + REF_RACKS; i++) {
        int rack = i - REF_NODES;
        const struct ref_row *row = i < REF_NODES      ? &ask->node[i]
                                    : rack < REF_RACKS ? &ask->rack[rack]
                                                       : &ask->any;

        if (!row->given)
            continue;
        if (rack < 0)
            snprintf(names[i], sizeof(names[i]), "node%d", i);
        else
            snprintf(names[i], sizeof(names[i]), rack < REF_RACKS ? "/rack%d" : "*", rack);
        rows[count++] = (struct sched_ask){ .priority = (uint32_t)key,
                                            .capability = ask->size,
                                            .resource_name = names[i],
                                            .count = row->count,
                                            .strict_locality = row->strict,
                                            .label = ask->label < 0 ? NULL : scenario_label(ask->label) };
    }
    return count;
}

static void print_ask(const struct duel *duel, int app, int key, const struct ref_key *ask,
                      const struct sched_request *request)
{
    duel_print(duel, "app%d requests at priority %d %u of <%lld, %lld, %lld>, label %s\n", app, key,
               ask->any.count, (long long)ask->size.value[0], (long long)ask->size.value[1],
               (long long)ask->size.value[2], ask->label < 0 ? "-" : scenario_label(ask->label));
    for (size_t i = 0; i + 1 < request->ask_count; i++)
        duel_print(duel, "    %u at %s%s\n", request->asks[i].count, request->asks[i].resource_name,
                   request->asks[i].strict_locality ? ", strictly" : "");
    if (ask->any.strict)
        duel_print(duel, "    and nowhere else\n");
}

static int ask(struct duel *duel, const uint32_t *picks, struct err *err)
{
    int app = duel_pick(duel, app_here, REF_APPS, picks[0]), key = 1 + (int)(picks[1] % 3), r;
    struct ref_key slow = random_ask(picks);
    struct sched_ask rows[REF_NODES + REF_RACKS + 1];
    char names[REF_NODES + REF_RACKS + 1][16];
    struct sched_request request = { .asks = rows };
    struct avoided avoided;
    bool accepted;

    if (app < 0)
        return 0;
    slow.size = size_of(duel, app, key);
    slow.label = duel_pick_label(duel, picks[1] / 864);
    name_again(&duel->ref.apps[app].keys[key], &slow);
    request.ask_count = write_rows(&slow, key, names, rows);
    print_ask(duel, app, key, &slow, &request);
    if (picks[1] / 3 % 3 == 0) {
        duel_print(duel, "    and hears of what it has\n");
        hear(duel, app);
    }
    accepted = ref_ask(&duel->ref, app, key, &slow);
    if (accepted && picks[1] / 9 % 8 == 0)
        turn(duel, app, (int)(picks[1] / 72 % REF_NODES), &avoided, &request);
    r = sched_allocate(duel->sched, duel->apps[app], &request, &duel->decisions, err);
    if (accepted != (r == 0))
        return err_set(err, EINVAL, "request of app%d: the core returns %d, the reference otherwise", app, r);
    return 0;
}

static int blacklist(struct duel *duel, const uint32_t *picks, struct err *err)
{
    int app = duel_pick(duel, app_here, REF_APPS, picks[0]);
    struct sched_request request = { .asks = NULL };
    struct avoided avoided;

    if (app < 0)
        return 0;
    turn(duel, app, (int)(picks[1] % REF_NODES), &avoided, &request);
    return sched_allocate(duel->sched, duel->apps[app], &request, &duel->decisions, err);
}

int duel_app_event(struct duel *duel, const struct event *event, struct err *err)
{
    switch (event->kind) {
    case EVENT_SUBMIT:
        return submit(duel, event->pick, err);
    case EVENT_REMOVE:
        return remove_app(duel, event->pick, err);
    case EVENT_MOVE:
        return move(duel, event->pick, err);
    case EVENT_PRIORITY:
        return set_priority(duel, event->pick);
    case EVENT_ASK:
        return ask(duel, event->pick, err);
    default:
        return blacklist(duel, event->pick, err);
    }
}
