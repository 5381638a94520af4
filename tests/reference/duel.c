/* SPDX-License-Identifier: Apache-2.0 */
/* duel.c - every event to both, and what they make of it */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/base/mem.h"
#include "rm/sched/capacity/internal.h"
#include "tests/reference/duel.h"
#include "tests/reference/duel_figures.h"

/* What keys 1 to 3 of an app ask for, by slot: one size each, so that reservations keep theirs. */
static struct resource size_of(int app, int key)
{
    static const int64_t sizes[][2] = {
        { 1024, 1 }, { 2048, 1 }, { 1500, 2 }, { 3072, 1 }, { 4096, 4 }, { 512, 1 }, { 6144, 2 },
    };
    size_t i = (size_t)(app * 5 + key * 2) % (sizeof(sizes) / sizeof(sizes[0]));

    return resource_of(sizes[i][0], sizes[i][1]);
}

/* --- finding what an event is about ---------------------------------------- */

/* The N-th (modulo how many there are) index for which IS holds, or -1. */
static int pick(const struct duel *duel, bool (*is)(const struct reference *ref, int index),
                int most, uint32_t n)
{
    int count = 0;

    for (int i = 0; i < most; i++)
        count += is(&duel->ref, i) ? 1 : 0;
    if (count == 0)
        return -1;
    n %= (uint32_t)count;
    for (int i = 0; i < most; i++)
        if (is(&duel->ref, i) && n-- == 0)
            return i;
    return -1;
}

static bool node_here(const struct reference *ref, int node)
{
    return ref->nodes[node].here;
}

static bool node_away(const struct reference *ref, int node)
{
    return !ref->nodes[node].here;
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

static bool container_here(const struct reference *ref, int container)
{
    return ref->containers[container].here;
}

/* --- nodes ----------------------------------------------------------------- */

static struct resource node_total(uint32_t n)
{
    static const int64_t totals[][2] = {
        { 4096, 4 }, { 8192, 8 }, { 6144, 2 }, { 2560, 3 }, { 10240, 16 },
    };

    n %= sizeof(totals) / sizeof(totals[0]);
    return resource_of(totals[n][0], totals[n][1]);
}

static int add_node(struct duel *duel, const uint32_t *picks)
{
    int node = pick(duel, node_away, REF_NODES, picks[0]);
    char id[32], host[32], rack[32];
    struct sched_node_spec spec = { .id = id, .host = host, .rack = rack };

    if (node < 0)
        return 0;
    snprintf(id, sizeof(id), "node%d:1", node);
    snprintf(host, sizeof(host), "node%d", node);
    snprintf(rack, sizeof(rack), "/rack%d", node % REF_RACKS);
    spec.total = node_total(picks[1]);
    spec.owner = (void *)(uintptr_t)node;
    duel_tell(duel, "node%d comes, %s, <%lld, %lld>\n", node, rack, (long long)spec.total.value[0],
              (long long)spec.total.value[1]);
    duel->nodes[node] = sched_node_add(duel->sched, &spec, &duel->decisions);
    ref_node_add(&duel->ref, node, node % REF_RACKS, spec.total);
    return 0;
}

static void end_container(struct duel *duel, int container)
{
    sched_container_end(duel->sched, duel->containers[container], &duel->decisions);
    ref_container_end(&duel->ref, container);
    duel->containers[container] = NULL;
}

static int remove_node(struct duel *duel, const uint32_t *picks, struct err *err)
{
    int node = pick(duel, node_here, REF_NODES, picks[0]), r;

    if (node < 0)
        return 0;
    duel_tell(duel, "node%d goes\n", node);
    sched_node_set_open(duel->sched, duel->nodes[node], false, &duel->decisions);
    if (duel->ref.nodes[node].reserved)
        ref_unreserve(&duel->ref, node);
    for (int c = 0; c < REF_CONTAINERS; c++)
        if (duel->ref.containers[c].here && duel->ref.containers[c].node == node)
            end_container(duel, c);
    if ((r = duel_compare_decisions(duel, err)) < 0)         /* they name the node */
        return r;
    sched_node_remove(duel->sched, duel->nodes[node]);
    ref_node_remove(&duel->ref, node);
    duel->nodes[node] = NULL;
    return 0;
}

static int update_node(struct duel *duel, const uint32_t *picks)
{
    int node = pick(duel, node_here, REF_NODES, picks[0]);
    struct resource total = node_total(picks[1]);

    if (node < 0)
        return 0;
    duel_tell(duel, "node%d has now <%lld, %lld>\n", node, (long long)total.value[0],
              (long long)total.value[1]);
    sched_node_update(duel->sched, duel->nodes[node], total, &duel->decisions);
    ref_node_update(&duel->ref, node, total);
    return 0;
}

static int heartbeat(struct duel *duel, const uint32_t *picks)
{
    int node = pick(duel, node_here, REF_NODES, picks[0]);

    if (node < 0)
        return 0;
    duel_tell(duel, "node%d is offered\n", node);
    sched_node_heartbeat(duel->sched, duel->nodes[node], &duel->decisions);
    ref_heartbeat(&duel->ref, node);
    return 0;
}

/* --- apps ------------------------------------------------------------------ */

static int submit(struct duel *duel, const uint32_t *picks, struct err *err)
{
    static const int64_t masters[] = { 1024, 1024, 2048, 3072, 1500, 4096 };
    int app = pick(duel, app_away, REF_APPS, picks[0]);
    int queue = pick(duel, is_leaf, duel->ref.config.queue_count, picks[1]);
    int user = (int)(picks[2] % REF_USERS);
    int32_t priority = (int32_t)(picks[3] % 5);
    struct resource asked = resource_of(masters[picks[4] % 6], 1 + picks[4] / 6 % 2), master;
    char name[32];
    struct sched_app_spec spec = {
        .id = { 1, ++duel->last_app }, .user = name, .priority = priority, .manages = true,
        .queue = duel->ref.config.queues[queue].path, .owner = (void *)(uintptr_t)app,
    };
    int r;

    if (app < 0)
        return 0;
    snprintf(name, sizeof(name), "user%d", user);
    duel_tell(duel, "app%d comes: %s, %s, priority %d, master %lld MiB\n", app, spec.queue, name,
              priority, (long long)asked.value[0]);
    r = sched_app_add(duel->sched, &spec, &duel->apps[app], err);
    if (ref_app_add(&duel->ref, app, user, queue, priority, &asked) != (r == 0))
        return err_set(err, EINVAL, "submit to %s: the core says %d, the reference otherwise",
                       spec.queue, r);
    duel->count.refused += r < 0 ? 1 : 0;
    if (r < 0)
        return 0;
    if ((r = sched_normalise(duel->sched, &asked, &master, err)) < 0)
        return r;
    sched_app_start(duel->sched, duel->apps[app], &master, &duel->decisions);
    return 0;
}

/* Another may begin on a node that is kept for APP and that one of its own left. */
static int end_all_of(struct duel *duel, int app, struct err *err)
{
    bool more = true;
    int r = 0;

    while (more && r == 0) {
        more = false;
        for (int c = 0; c < REF_CONTAINERS && r == 0; c++)
            if (duel->ref.containers[c].here && duel->ref.containers[c].app == app) {
                end_container(duel, c);
                r = duel_compare_decisions(duel, err);
                more = true;
            }
    }
    return r;
}

static int remove_app(struct duel *duel, const uint32_t *picks, struct err *err)
{
    int app = pick(duel, app_here, REF_APPS, picks[0]), r;

    if (app < 0)
        return 0;
    duel_tell(duel, "app%d goes\n", app);
    if ((r = end_all_of(duel, app, err)) < 0)
        return r;
    sched_app_remove(duel->sched, duel->apps[app], &duel->decisions);
    ref_app_remove(&duel->ref, app);
    duel->ref.decision_count = 0;       /* decisions may name the app, which is no more: order */
    duel->decisions.count = 0;          /* and number show in the figures of nodes */
    duel->apps[app] = NULL;
    return 0;
}

static int move(struct duel *duel, const uint32_t *picks, struct err *err)
{
    int app = pick(duel, app_here, REF_APPS, picks[0]);
    int queue = pick(duel, is_leaf, duel->ref.config.queue_count, picks[1]), r;

    if (app < 0 || duel->ref.apps[app].queue == queue)
        return 0;
    duel_tell(duel, "app%d moves to %s\n", app, duel->ref.config.queues[queue].path);
    r = sched_app_move(duel->sched, duel->apps[app], duel->ref.config.queues[queue].path,
                       &duel->decisions, err);
    if (ref_app_move(&duel->ref, app, queue) != (r == 0))
        return err_set(err, EINVAL, "move of app%d to %s: the core says %d, the reference otherwise",
                       app, duel->ref.config.queues[queue].path, r);
    return 0;
}

static int set_priority(struct duel *duel, const uint32_t *picks)
{
    int app = pick(duel, app_here, REF_APPS, picks[0]);

    if (app < 0)
        return 0;
    duel_tell(duel, "app%d gets priority %u\n", app, picks[1] % 5);
    sched_app_set_priority(duel->sched, duel->apps[app], (int32_t)(picks[1] % 5),
                           &duel->decisions);
    ref_app_set_priority(&duel->ref, app, (int32_t)(picks[1] % 5));
    return 0;
}

/* --- asks ------------------------------------------------------------------ */

/* Rows for some nodes and their racks, or for none; counts of racks and of "*" add up. */
static struct ref_key random_ask(const uint32_t *picks)
{
    struct ref_key ask = { .any = picks[2] % 6 };
    uint32_t hosts = picks[3] % 4, shape = picks[4] % 8;

    if (hosts == 0 || shape < 3 || ask.any == 0)
        return ask;
    ask.any = 0;
    for (uint32_t i = 0; i < hosts; i++) {
        int node = (int)((picks[3] / 4 + i * 5) % REF_NODES);
        uint32_t count = 1 + picks[2] / 6 % 2;

        ask.node[node] += count;
        ask.rack[node % REF_RACKS] += count;
        ask.any += count;
        ask.strict_rack[node % REF_RACKS] = shape == 7;
    }
    ask.strict_any = shape >= 6;
    if (shape == 5)
        ask.any += 2;                   /* and some anywhere */
    return ask;
}

/* Its app hears of all that it has been given. */
static void hear(struct duel *duel, int app)
{
    for (int c = 0; c < REF_CONTAINERS; c++)
        if (duel->ref.containers[c].here && duel->ref.containers[c].app == app) {
            sched_container_heard(duel->sched, duel->containers[c]);
            duel->ref.containers[c].heard = true;
        }
}

struct avoided {
    char host[16];
    const char *name;
};

/* APP avoids NODE from now on, or takes it again: REQUEST says so, with what AVOIDED gets. */
static void turn(struct duel *duel, int app, int node, struct avoided *avoided,
                 struct sched_request *request)
{
    bool avoids = !duel->ref.apps[app].avoids[node];

    snprintf(avoided->host, sizeof(avoided->host), "node%d", node);
    avoided->name = avoided->host;
    ref_blacklist(&duel->ref, app, node, avoids);
    duel_tell(duel, "app%d %s node%d\n", app, avoids ? "avoids" : "takes", node);
    if (avoids) {
        request->blacklist_add = &avoided->name;
        request->blacklist_add_count = 1;
    } else {
        request->blacklist_remove = &avoided->name;
        request->blacklist_remove_count = 1;
    }
}

static int ask(struct duel *duel, const uint32_t *picks, struct err *err)
{
    int app = pick(duel, app_here, REF_APPS, picks[0]), key = 1 + (int)(picks[1] % 3);
    struct ref_key slow = random_ask(picks);
    struct sched_ask rows[REF_NODES + REF_RACKS + 1], row;
    char names[REF_NODES + REF_RACKS][16];
    struct sched_request request = { .asks = rows };
    struct avoided avoided;

    if (app < 0)
        return 0;
    slow.size = size_of(app, key);
    row = (struct sched_ask){ .priority = (uint32_t)key, .capability = slow.size };
    for (int i = 0; i < REF_NODES + REF_RACKS; i++) {
        int rack = i - REF_NODES;

        snprintf(names[i], sizeof(names[i]), rack < 0 ? "node%d" : "/rack%d", rack < 0 ? i : rack);
        row.resource_name = names[i];
        row.count = rack < 0 ? slow.node[i] : slow.rack[rack];
        row.strict_locality = rack >= 0 && slow.strict_rack[rack];
        rows[request.ask_count++] = row;
    }
    row.resource_name = "*";
    row.count = slow.any;
    row.strict_locality = slow.strict_any;
    rows[request.ask_count++] = row;
    duel_tell(duel, "app%d asks at priority %d for %u of <%lld, %lld>\n", app, key, slow.any,
              (long long)slow.size.value[0], (long long)slow.size.value[1]);
    for (size_t i = 0; i + 1 < request.ask_count; i++)
        if (rows[i].count > 0)
            duel_tell(duel, "    %u at %s%s\n", rows[i].count, rows[i].resource_name,
                      rows[i].strict_locality ? ", strictly" : "");
    if (slow.strict_any)
        duel_tell(duel, "    and nowhere else\n");
    if (picks[1] / 3 % 3 == 0) {
        duel_tell(duel, "    and hears of what it has\n");
        hear(duel, app);
    }
    if (picks[1] / 9 % 8 == 0)
        turn(duel, app, (int)(picks[1] / 72 % REF_NODES), &avoided, &request);
    ref_ask(&duel->ref, app, key, &slow);
    return sched_allocate(duel->sched, duel->apps[app], &request, &duel->decisions, err);
}

static int blacklist(struct duel *duel, const uint32_t *picks, struct err *err)
{
    int app = pick(duel, app_here, REF_APPS, picks[0]);
    struct sched_request request = { .asks = NULL };
    struct avoided avoided;

    if (app < 0)
        return 0;
    turn(duel, app, (int)(picks[1] % REF_NODES), &avoided, &request);
    return sched_allocate(duel->sched, duel->apps[app], &request, &duel->decisions, err);
}

static int end(struct duel *duel, const uint32_t *picks)
{
    int container = pick(duel, container_here, REF_CONTAINERS, picks[0]);

    if (container < 0)
        return 0;
    duel_tell(duel, "a container of app%d on node%d ends\n", duel->ref.containers[container].app,
              duel->ref.containers[container].node);
    end_container(duel, container);
    return 0;
}

static bool container_unheard(const struct reference *ref, int container)
{
    return ref->containers[container].here && !ref->containers[container].heard &&
           !ref->containers[container].master;
}

/* One ends of which nobody has heard. */
static int give_back(struct duel *duel, const uint32_t *picks)
{
    int container = pick(duel, container_unheard, REF_CONTAINERS, picks[0]);

    if (container < 0)
        return 0;
    duel_tell(duel, "a container of app%d on node%d is given back\n",
              duel->ref.containers[container].app, duel->ref.containers[container].node);
    sched_container_give_back(duel->sched, duel->containers[container], &duel->decisions);
    ref_give_back(&duel->ref, container);
    duel->containers[container] = NULL;
    duel->count.given_back++;
    return 0;
}

/* As the policy does it when the time of one is up. */
static int mark(struct duel *duel, const uint32_t *picks)
{
    int container = pick(duel, container_here, REF_CONTAINERS, picks[0]);

    if (container < 0 || duel->ref.containers[container].killed)
        return 0;
    duel_tell(duel, "a container of app%d on node%d may be killed\n",
              duel->ref.containers[container].app, duel->ref.containers[container].node);
    capacity_make_killable(duel->sched, duel->containers[container]);
    duel->ref.containers[container].killable = true;
    duel->ref.containers[container].spared = false;
    return 0;
}

/* --- configuration --------------------------------------------------------- */

static int configure(struct duel *duel, const struct ref_config *config, bool first,
                     struct err *err)
{
    struct sched_config sched_config = {
        .strategy = "capacity",
        .calculator = config->dominant ? SCHED_EVERY_TYPE : SCHED_MEMORY_ONLY,
        .minimum = config->minimum, .step = config->minimum, .maximum = config->maximum,
    };
    struct conf *conf;
    int r = scenario_conf(config, NULL, NULL, &conf, err);

    if (r < 0)
        return r;
    duel->confs[duel->conf_count++] = conf;
    if ((r = capacity_config_load(conf, NULL, NULL, &sched_config.capacity, err)) < 0)
        return r;
    r = first ? sched_new(&sched_config, &duel->sched, err)
              : sched_refresh(duel->sched, &sched_config, &duel->decisions, err);
    if (r < 0)
        capacity_config_free(sched_config.capacity);
    return r;
}

static int refresh(struct duel *duel, const uint32_t *picks, struct err *err)
{
    uint32_t which = picks[0] % SCENARIO_CONFIGS;
    int r;

    if (duel->conf_count == DUEL_CONFS)
        return 0;
    duel_tell(duel, "configuration %u is in force\n", which);
    if ((r = configure(duel, &duel->scenario->configs[which], false, err)) < 0)
        return r;
    ref_refresh(&duel->ref, &duel->scenario->configs[which]);
    return 0;
}

/* --- the duel -------------------------------------------------------------- */

static int apply(struct duel *duel, const struct event *event, struct err *err)
{
    switch (event->kind) {
    case EVENT_NODE_ADD:
        return add_node(duel, event->pick);
    case EVENT_NODE_REMOVE:
        return remove_node(duel, event->pick, err);
    case EVENT_NODE_UPDATE:
        return update_node(duel, event->pick);
    case EVENT_HEARTBEAT:
        return heartbeat(duel, event->pick);
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
    case EVENT_BLACKLIST:
        return blacklist(duel, event->pick, err);
    case EVENT_END:
        return end(duel, event->pick);
    case EVENT_GIVE_BACK:
        return give_back(duel, event->pick);
    case EVENT_MARK:
        return mark(duel, event->pick);
    default:
        return refresh(duel, event->pick, err);
    }
}

static int step(struct duel *duel, const struct event *event, struct err *err)
{
    int r;

    duel->decisions.count = 0;
    duel->ref.decision_count = 0;
    sched_tick(duel->sched, ++duel->now_ms, &duel->decisions);
    if ((r = apply(duel, event, err)) < 0 || (r = duel_compare_decisions(duel, err)) < 0 ||
        (r = sched_check(duel->sched, err)) < 0)
        return r;
    return duel_compare_figures(duel, err);
}

int duel_run(const struct scenario *scenario, FILE *story, struct duel_count *count, int *failed,
             struct err *err)
{
    struct duel *duel = mem_new0(struct duel);
    int r;

    duel->scenario = scenario;
    duel->story = story;
    ref_init(&duel->ref, &scenario->configs[0]);
    r = configure(duel, &scenario->configs[0], true, err);
    for (int i = 0; r == 0 && i < scenario->event_count; i++) {
        r = step(duel, &scenario->events[i], err);
        if (r < 0 && failed)
            *failed = i;
    }
    if (count) {
        count->allocated += duel->count.allocated;
        count->reserved += duel->count.reserved;
        count->unreserved += duel->count.unreserved;
        count->killed += duel->count.killed;
        count->refused += duel->count.refused;
        count->given_back += duel->count.given_back;
    }
    sched_free(duel->sched);
    for (size_t i = 0; i < duel->conf_count; i++)
        conf_free(duel->confs[i]);
    free(duel->decisions.items);
    free(duel);
    return r;
}

void duel_shrink(struct scenario *scenario)
{
    struct scenario *shorter = mem_dup(scenario, sizeof(*scenario));
    int failed = scenario->event_count - 1;
    struct err err;

    if (duel_run(scenario, NULL, NULL, &failed, &err) < 0)
        scenario->event_count = failed + 1;
    for (int part = scenario->event_count / 2; part > 0; part = part > 1 ? part / 2 : 0)
        for (int from = scenario->event_count - part; from >= 0;
             from = from > 0 && from < part ? 0 : from - part) {
            *shorter = *scenario;
            memmove(&shorter->events[from], &shorter->events[from + part],
                    (size_t)(shorter->event_count - from - part) * sizeof(shorter->events[0]));
            shorter->event_count -= part;
            if (duel_run(shorter, NULL, NULL, NULL, &err) < 0)
                *scenario = *shorter;
            if (from + part > scenario->event_count && from > 0)
                from = scenario->event_count;   /* go on at the end of what is left */
        }
    free(shorter);
}
