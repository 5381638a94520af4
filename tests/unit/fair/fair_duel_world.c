/* SPDX-License-Identifier: Apache-2.0 */
/* fair_duel_world.c - random settings and requests for creel's fair scheduler and the reference */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rm/sched/fair/config.h"
#include "tests/unit/fair/fair_duel.h"

#define STEP_MB 512
#define TEXT_MAX 16384

static int pick(struct duel *duel, int bound)
{
    return (int)rng_below(&duel->rng, (uint64_t)bound);
}

struct resource duel_amount(struct duel *duel, int64_t least, int64_t most)
{
    int64_t steps = rng_between(&duel->rng, least, most);
    struct resource amount = resource_of(STEP_MB * steps, rng_between(&duel->rng, (least + 2) / 3, most));

    if (duel->slow.config.types > 2)
        amount.value[2] = rng_between(&duel->rng, 0, most / 2);
    return amount;
}

void duel_path(const struct slow_config *config, int queue, char path[FAIR_PATH_MAX])
{
    char above[FAIR_PATH_MAX];

    if (queue == 0) {
        snprintf(path, FAIR_PATH_MAX, "root");
        return;
    }
    duel_path(config, config->queues[queue].parent, above);
    if (snprintf(path, FAIR_PATH_MAX, "%.200s.%s", above, config->queues[queue].name) < 0)
        abort();
}

int duel_leaf(struct duel *duel)
{
    int q;

    do
        q = pick(duel, duel->slow.config.queue_count);
    while (!duel->slow.config.queues[q].leaf);
    return q;
}

/* --- settings ------------------------------------------------------------------ */

static int64_t timeout_ms(struct duel *duel)
{
    static const int64_t timeouts[] = { 0, 0, 1000, INT64_MAX };

    return timeouts[pick(duel, 4)];
}

static void random_figures(struct duel *duel, struct slow_queue_config *queue)
{
    static const float weights[] = { 1, 1, 1, 2, 0.5f, 3, 0 };
    static const float am_shares[] = { 0.5f, 0.5f, -1, 0.2f, 1 };

    queue->weight = weights[pick(duel, 7)];
    queue->am_share = queue->leaf ? am_shares[pick(duel, 5)] : 0.5f;
    queue->threshold = pick(duel, 2) ? 0.5f : 1;
    queue->minimum = pick(duel, 3) ? resource_of(0, 0) : duel_amount(duel, 1, 12);
    for (int t = 0; t < RESOURCE_TYPES_MAX; t++)
        queue->maximum.value[t] = INT64_MAX;
    if (pick(duel, 3) == 0) {
        struct resource most = duel_amount(duel, 4, 60);

        for (int t = 0; t < duel->slow.config.types; t++)
            queue->maximum.value[t] = most.value[t] > 0 ? most.value[t] : 1;
    }
    queue->container = pick(duel, 6) ? resource_of(0, 0) : duel_amount(duel, 2, 8);
    queue->max_running = pick(duel, 3) ? INT64_MAX : pick(duel, 4);
    queue->minimum_timeout_ms = timeout_ms(duel);
    queue->fair_timeout_ms = timeout_ms(duel);
    queue->preemptable = pick(duel, 5) > 0;
}

static void random_root(struct duel *duel, struct slow_queue_config *root)
{
    random_figures(duel, root);
    root->weight = 1;
    root->preemptable = true;
    root->minimum = resource_of(0, 0);
    for (int t = 0; t < RESOURCE_TYPES_MAX; t++)
        root->maximum.value[t] = INT64_MAX;
}

static enum fair_policy random_policy(struct duel *duel, const struct slow_queue_config *parent, bool leaf)
{
    enum fair_policy policy = (enum fair_policy)pick(duel, leaf ? 3 : 2);

    if (parent->policy == FAIR_POLICY_FAIR && policy == FAIR_POLICY_DRF)
        return FAIR_POLICY_FAIR;
    return policy;
}

/* Makes root.default, three parents with up to three leaves each, and one more leaf below root. */
static void random_tree(struct duel *duel, struct slow_config *config)
{
    config->queues[0] = (struct slow_queue_config){
        .parent = -1,
        .policy = pick(duel, 2) ? FAIR_POLICY_FAIR : FAIR_POLICY_DRF,
    };
    config->queue_count = 1;
    for (int i = 0; i < 5; i++) {
        struct slow_queue_config *queue = &config->queues[config->queue_count];
        int parent = config->queue_count++;

        *queue = (struct slow_queue_config){ .parent = 0, .leaf = i == 0 || i == 4 };
        snprintf(queue->name, sizeof(queue->name), i == 0 ? "default" : "q%d", i);
        queue->policy = random_policy(duel, &config->queues[0], queue->leaf);
        for (int j = pick(duel, 3); j >= 0 && !queue->leaf; j--) {
            struct slow_queue_config *leaf = &config->queues[config->queue_count++];

            *leaf = (struct slow_queue_config){ .parent = parent, .leaf = true };
            snprintf(leaf->name, sizeof(leaf->name), "l%d", j);
            leaf->policy = random_policy(duel, queue, true);
        }
    }
    random_root(duel, &config->queues[0]);
    for (int q = 1; q < config->queue_count; q++)
        random_figures(duel, &config->queues[q]);
}

static void random_site(struct duel *duel, struct slow_config *config)
{
    static const double delays[] = { -1, -1, 0, 0.3, 0.5, 1.5 };
    static const float ratios[] = { 0.05f, 0.3f, 1, 0 };

    config->minimum = resource_of(0, 0);
    config->maximum = resource_of(16384, 16);
    config->increment = resource_of(STEP_MB, 1);
    if (config->types > 2) {
        config->maximum.value[2] = 1000;
        config->increment.value[2] = 1;
    }
    config->reservation_multiple = pick(duel, 2) ? 2 : 3;
    config->reservable_nodes = ratios[pick(duel, 4)];
    config->multiple = pick(duel, 2);
    config->dynamic_max = pick(duel, 2);
    config->max_assign = pick(duel, 2) ? -1 : 2;
    config->size_based = pick(duel, 4) == 0;
    config->locality_node = delays[pick(duel, 6)];
    config->locality_rack = delays[pick(duel, 6)];
    config->preemption = pick(duel, 3) > 0;
    config->am_preemption = pick(duel, 2);
    config->threshold = pick(duel, 2) ? 0.8f : 0.2f;
    config->wait_kill_ms = pick(duel, 2) ? 0 : 1500;
    config->wait_check_ms = pick(duel, 2000);
    config->heartbeat_ms = 1000;
}

static void random_users(struct duel *duel, struct slow_config *config)
{
    for (int u = 0; u < SLOW_USERS; u++)
        config->user_max[u] = pick(duel, 3) ? INT64_MAX : pick(duel, 4);
}

/* --- settings as files --------------------------------------------------------- */

struct text {
    char data[TEXT_MAX];
    size_t size;
};

static void put(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct text *text, const char *format, ...)
{
    va_list args;
    int more;

    va_start(args, format);
    more = vsnprintf(text->data + text->size, TEXT_MAX - text->size, format, args);
    va_end(args);
    assert_true(more >= 0 && (size_t)more < TEXT_MAX - text->size);
    text->size += (size_t)more;
}

static void put_amount(struct text *text, const char *element, const struct resource *amount, int types)
{
    put(text, "<%s>memory-mb=%lld, vcores=%lld", element, (long long)amount->value[0],
        (long long)amount->value[1]);
    if (types > 2)
        put(text, ", gpu=%lld", (long long)amount->value[2]);
    put(text, "</%s>", element);
}

static void put_timeout(struct text *text, const char *element, int64_t timeout)
{
    if (timeout == INT64_MAX)
        put(text, "<%s>9000000</%s>", element, element);
    else
        put(text, "<%s>%lld</%s>", element, (long long)timeout / 1000, element);
}

static void put_queue(struct text *text, const struct slow_config *config, int q)
{
    static const char *const policies[] = { "fair", "drf", "fifo" };
    const struct slow_queue_config *queue = &config->queues[q];

    put(text, "<queue name=\"%s\"%s>", q == 0 ? "root" : queue->name,
        queue->leaf || q == 0 ? "" : " type=\"parent\"");
    put(text, "<weight>%g</weight><schedulingPolicy>%s</schedulingPolicy>", (double)queue->weight,
        policies[queue->policy]);
    if (queue->leaf)
        put(text, "<maxAMShare>%g</maxAMShare>", (double)queue->am_share);
    put(text, "<fairSharePreemptionThreshold>%g</fairSharePreemptionThreshold>", (double)queue->threshold);
    put_timeout(text, "minSharePreemptionTimeout", queue->minimum_timeout_ms);
    put_timeout(text, "fairSharePreemptionTimeout", queue->fair_timeout_ms);
    if (!resource_is_zero(&queue->minimum))
        put_amount(text, "minResources", &queue->minimum, config->types);
    if (queue->maximum.value[0] != INT64_MAX)
        put_amount(text, "maxResources", &queue->maximum, config->types);
    if (queue->container.value[0] > 0)
        put_amount(text, "maxContainerAllocation", &queue->container, config->types);
    if (queue->max_running != INT64_MAX)
        put(text, "<maxRunningApps>%lld</maxRunningApps>", (long long)queue->max_running);
    if (!queue->preemptable)
        put(text, "<allowPreemptionFrom>false</allowPreemptionFrom>");
    for (int child = 1; child < config->queue_count; child++)
        if (config->queues[child].parent == q)
            put_queue(text, config, child);
    put(text, "</queue>\n");
}

static void put_file(struct text *text, const struct slow_config *config)
{
    put(text, "<allocations>\n");
    put_queue(text, config, 0);
    for (int u = 0; u < SLOW_USERS; u++)
        if (config->user_max[u] != INT64_MAX)
            put(text, "<user name=\"u%d\"><maxRunningApps>%lld</maxRunningApps></user>\n", u,
                (long long)config->user_max[u]);
    put(text, "</allocations>\n");
}

static void set(struct conf *conf, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void set(struct conf *conf, const char *name, const char *format, ...)
{
    char value[64];
    struct err err;
    va_list args;

    va_start(args, format);
    vsnprintf(value, sizeof(value), format, args);
    va_end(args);
    if (conf_set(conf, name, value, &err) < 0)
        fail_msg("%s", err.text);
}

static const char *truth(bool value)
{
    return value ? "true" : "false";
}

#define FAIR "yarn.scheduler.fair."

static struct conf *site(const struct slow_config *config)
{
    struct conf *conf = conf_new_defaults();

    if (config->types > 2)
        set(conf, "yarn.resource-types", "gpu");
    set(conf, "yarn.scheduler.minimum-allocation-mb", "%lld", (long long)config->minimum.value[0]);
    set(conf, "yarn.scheduler.minimum-allocation-vcores", "0");
    set(conf, "yarn.scheduler.maximum-allocation-mb", "%lld", (long long)config->maximum.value[0]);
    set(conf, "yarn.scheduler.maximum-allocation-vcores", "%lld", (long long)config->maximum.value[1]);
    set(conf, "yarn.scheduler.increment-allocation-mb", "%d", STEP_MB);
    set(conf, "yarn.scheduler.reservation-threshold.increment-multiple", "%g", config->reservation_multiple);
    set(conf, FAIR "reservable-nodes", "%g", (double)config->reservable_nodes);
    set(conf, FAIR "assignmultiple", "%s", truth(config->multiple));
    set(conf, FAIR "dynamic.max.assign", "%s", truth(config->dynamic_max));
    set(conf, FAIR "max.assign", "%lld", (long long)config->max_assign);
    set(conf, FAIR "sizebasedweight", "%s", truth(config->size_based));
    set(conf, FAIR "locality.threshold.node", "%g", config->locality_node);
    set(conf, FAIR "locality.threshold.rack", "%g", config->locality_rack);
    set(conf, FAIR "preemption", "%s", truth(config->preemption));
    set(conf, FAIR "preemption.cluster-utilization-threshold", "%g", (double)config->threshold);
    set(conf, FAIR "am.preemption", "%s", truth(config->am_preemption));
    set(conf, FAIR "waitTimeBeforeKill", "%lld", (long long)config->wait_kill_ms);
    set(conf, FAIR "waitTimeBeforeNextStarvationCheck", "%lld", (long long)config->wait_check_ms);
    set(conf, "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", "%lld",
        (long long)config->heartbeat_ms);
    return conf;
}

static struct sched_config load(const struct slow_config *slow)
{
    static struct text text;
    struct sched_config config = { .policy = "fair", .calculator = SCHED_EVERY_TYPE };
    struct conf *conf = site(slow);
    struct err err;

    text.size = 0;
    put_file(&text, slow);
    if (fair_config_load(conf, "fair.xml", text.data, text.size, NULL, NULL, &config.fair, &err) < 0)
        fail_msg("%s\n%s", err.text, text.data);
    conf_free(conf);
    config.types = slow->types;
    config.minimum = config.fair->minimum;
    config.step = config.fair->increment;
    config.maximum = config.fair->maximum;
    return config;
}

/* --- both schedulers ----------------------------------------------------------- */

void duel_begin(struct duel *duel, uint64_t seed)
{
    struct slow_config config = { .types = 2 };
    struct sched_config loaded;
    struct err err;

    rng_seed(&duel->rng, seed);
    duel->seed = seed;
    duel->last_id = 0;
    duel->decisions = (struct sched_decisions){ .count = 0 };
    config.types = pick(duel, 4) == 0 ? 3 : 2;
    duel->slow.config.types = config.types;
    random_site(duel, &config);
    random_tree(duel, &config);
    random_users(duel, &config);
    slow_init(&duel->slow, &config);
    loaded = load(&config);
    if (sched_new(&loaded, &duel->sched, &err) < 0)
        fail_msg("seed %llu: %s", (unsigned long long)seed, err.text);
}

void duel_end(struct duel *duel)
{
    sched_free(duel->sched);
    free(duel->decisions.items);
}

void duel_reload(struct duel *duel)
{
    struct slow_config config = duel->slow.config;
    struct sched_config loaded;
    struct err err;

    random_root(duel, &config.queues[0]);
    for (int q = 1; q < config.queue_count; q++)
        random_figures(duel, &config.queues[q]);
    random_users(duel, &config);
    loaded = load(&config);
    if (sched_refresh(duel->sched, &loaded, &duel->decisions, &err) < 0)
        fail_msg("%s", err.text);
    slow_refresh(&duel->slow, &config);
}

/* --- requests ------------------------------------------------------------------ */

struct rows {
    struct sched_ask asks[2 * SLOW_NODES + 8];
    char names[2 * SLOW_NODES + 8][16];
    size_t count;
};

static void add_row(struct rows *rows, uint32_t priority, const char *kind, int index,
                    const struct resource *size, uint32_t count, bool strict)
{
    char *name = rows->names[rows->count];

    if (index < 0)
        snprintf(name, sizeof(rows->names[0]), "%s", kind);
    else
        snprintf(name, sizeof(rows->names[0]), "%s%d", kind, index);
    rows->asks[rows->count++] = (struct sched_ask){
        .priority = priority,
        .resource_name = name,
        .capability = *size,
        .count = count,
        .strict_locality = strict,
    };
}

static bool send(struct duel *duel, int app, const struct rows *rows)
{
    const struct sched_request request = { .asks = rows->asks, .ask_count = rows->count };
    struct err err;

    return sched_allocate(duel->sched, duel->apps[app], &request, &duel->decisions, &err) == 0;
}

/* Adds one of about four nodes, and racks. */
static void add_places(struct duel *duel, struct slow_key *key)
{
    bool strict_rack = pick(duel, 5) == 0;
    const struct slow_row row = { .given = true, .count = key->any.count };

    for (int n = 0; n < SLOW_NODES; n++) {
        struct slow_row *rack = &key->rack[duel->slow.nodes[n].rack];

        if (!duel->slow.nodes[n].here || pick(duel, 4) > 0)
            continue;
        key->node[n] = row;
        rack->given = true;
        rack->count += row.count;
    }
    for (int r = 0; r < SLOW_RACKS; r++) {
        if (!key->rack[r].given && pick(duel, 6) == 0)
            key->rack[r] = row;
        key->rack[r].strict = key->rack[r].given && strict_rack;
    }
    key->any.strict = pick(duel, 5) == 0;
}

/* Repeats places as an AM does: a place of an earlier request that is not needed any more gets a count of
 * 0. */
static void name_again(const struct slow_key *known, struct slow_key *key)
{
    for (int n = 0; n < SLOW_NODES; n++)
        key->node[n].given = key->node[n].given || known->node[n].given;
    for (int r = 0; r < SLOW_RACKS; r++)
        key->rack[r].given = key->rack[r].given || known->rack[r].given;
}

static void request(struct duel *duel, int app, uint32_t priority, const struct slow_key *key)
{
    struct rows rows = { .count = 0 };

    for (int n = 0; n < SLOW_NODES; n++)
        if (key->node[n].given)
            add_row(&rows, priority, "n", n, &key->size, key->node[n].count, false);
    for (int r = 0; r < SLOW_RACKS; r++)
        if (key->rack[r].given)
            add_row(&rows, priority, "/r", r, &key->size, key->rack[r].count, key->rack[r].strict);
    add_row(&rows, priority, "*", -1, &key->size, key->any.count, key->any.strict);
    if (send(duel, app, &rows) != slow_ask(&duel->slow, app, (int)priority, key))
        fail_msg("seed %llu, event %d: one refuses a request, the other does not",
                 (unsigned long long)duel->seed, duel->event);
}

void duel_ask(struct duel *duel, int app)
{
    uint32_t priority = (uint32_t)(1 + pick(duel, 3));
    struct slow_key key = { .size = duel_amount(duel, 1, 8),
                            .any = { .given = true, .count = (uint32_t)pick(duel, 8) } };
    struct slow_key nothing = { .size = key.size, .any = { .given = true } };

    if (pick(duel, 2))
        request(duel, app, priority, &nothing);
    if (key.any.count > 0 && pick(duel, 2))
        add_places(duel, &key);
    name_again(&duel->slow.apps[app].keys[priority], &key);
    request(duel, app, priority, &key);
}

void duel_avoid(struct duel *duel, int app, int node)
{
    bool *avoids = &duel->slow.apps[app].avoids[node];
    struct sched_request request = { .asks = NULL };
    char name[16];
    const char *names = name;

    snprintf(name, sizeof(name), "n%d", node);
    *avoids = !*avoids;
    if (*avoids) {
        request.blacklist_add = &names;
        request.blacklist_add_count = 1;
    } else {
        request.blacklist_remove = &names;
        request.blacklist_remove_count = 1;
    }
    assert_int_equal(sched_allocate(duel->sched, duel->apps[app], &request, &duel->decisions, NULL), 0);
}
