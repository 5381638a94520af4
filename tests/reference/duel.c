/* SPDX-License-Identifier: Apache-2.0 */
/* duel.c - applies each event to the core and to the reference, and compares the results */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/base/mem.h"
#include "rm/sched/capacity/internal.h"
#include "rm/sched/capacity/placement/placement.h"
#include "tests/reference/duel.h"
#include "tests/reference/duel_figures.h"

/* --- choosing the objects of an event --------------------------------------- */

int duel_pick(const struct duel *duel, bool (*is)(const struct reference *ref, int index), int most,
              uint32_t n)
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

static bool container_here(const struct reference *ref, int container)
{
    return ref->containers[container].here;
}

/* --- nodes ----------------------------------------------------------------- */

static struct resource node_total(const struct duel *duel, uint32_t n)
{
    static const int64_t totals[][3] = {
        { 4096, 4, 0 }, { 8192, 8, 4 }, { 6144, 2, 1 }, { 2560, 3, 2 }, { 10240, 16, 0 },
    };
    struct resource total;

    n %= sizeof(totals) / sizeof(totals[0]);
    total = resource_of(totals[n][0], totals[n][1]);
    total.value[2] = duel->ref.config.types > 2 ? totals[n][2] : 0;
    return total;
}

/* Returns a label, or REF_NO_NAME in about half of the cases. The same as long as the profile has no
 * labels. */
int duel_pick_label(const struct duel *duel, uint32_t n)
{
    int labels = duel->ref.config.labels;

    return labels < 2 || n % 2 == 0 ? REF_NO_NAME : (int)(n / 2 % (uint32_t)labels);
}

static int add_node(struct duel *duel, const uint32_t *picks)
{
    int node = duel_pick(duel, node_away, REF_NODES, picks[0]), label = duel_pick_label(duel, picks[2]);
    char id[32], host[32], rack[32];
    struct sched_node_spec spec = { .id = id, .host = host, .rack = rack };

    if (node < 0)
        return 0;
    snprintf(id, sizeof(id), "node%d:1", node);
    snprintf(host, sizeof(host), "node%d", node);
    snprintf(rack, sizeof(rack), "/rack%d", node % REF_RACKS);
    label = label < 0 ? 0 : label;
    spec.label = scenario_label(label);
    spec.total = node_total(duel, picks[1]);
    spec.owner = (void *)(uintptr_t)node;
    duel_print(duel, "node%d comes, %s %s, <%lld, %lld, %lld>\n", node, rack, spec.label,
               (long long)spec.total.value[0], (long long)spec.total.value[1],
               (long long)spec.total.value[2]);
    duel->nodes[node] = sched_node_add(duel->sched, &spec, &duel->decisions);
    ref_node_add(&duel->ref, node, node % REF_RACKS, label, spec.total);
    return 0;
}

static int set_label(struct duel *duel, const uint32_t *picks)
{
    int node = duel_pick(duel, node_here, REF_NODES, picks[0]), label = duel_pick_label(duel, picks[1]);

    if (node < 0 || duel->ref.config.labels < 2)
        return 0;
    label = label < 0 ? 0 : label;
    duel_print(duel, "node%d gets label \"%s\"\n", node, scenario_label(label));
    sched_node_set_label(duel->sched, duel->nodes[node], scenario_label(label), &duel->decisions);
    ref_node_set_label(&duel->ref, node, label);
    return 0;
}

void duel_end_container(struct duel *duel, int container)
{
    sched_container_end(duel->sched, duel->containers[container], &duel->decisions);
    ref_container_end(&duel->ref, container);
    duel->containers[container] = NULL;
}

static int remove_node(struct duel *duel, const uint32_t *picks, struct err *err)
{
    int node = duel_pick(duel, node_here, REF_NODES, picks[0]), r;

    if (node < 0)
        return 0;
    duel_print(duel, "node%d goes\n", node);
    sched_node_set_open(duel->sched, duel->nodes[node], false, &duel->decisions);
    if (duel->ref.nodes[node].reserved)
        ref_unreserve(&duel->ref, node);
    for (int c = 0; c < REF_CONTAINERS; c++)
        if (duel->ref.containers[c].here && duel->ref.containers[c].node == node)
            duel_end_container(duel, c);
    if ((r = duel_compare_decisions(duel, err)) < 0) /* before the node is removed, since decisions
                                                        name it */
        return r;
    sched_node_remove(duel->sched, duel->nodes[node]);
    ref_node_remove(&duel->ref, node);
    duel->nodes[node] = NULL;
    return 0;
}

static int update_node(struct duel *duel, const uint32_t *picks)
{
    int node = duel_pick(duel, node_here, REF_NODES, picks[0]);
    struct resource total = node_total(duel, picks[1]);

    if (node < 0)
        return 0;
    duel_print(duel, "node%d has now <%lld, %lld, %lld>\n", node, (long long)total.value[0],
               (long long)total.value[1], (long long)total.value[2]);
    sched_node_update(duel->sched, duel->nodes[node], total, &duel->decisions);
    ref_node_update(&duel->ref, node, total);
    return 0;
}

static int heartbeat(struct duel *duel, const uint32_t *picks)
{
    int node = duel_pick(duel, node_here, REF_NODES, picks[0]);

    if (node < 0)
        return 0;
    duel_print(duel, "node%d is offered\n", node);
    sched_node_heartbeat(duel->sched, duel->nodes[node], &duel->decisions);
    ref_heartbeat(&duel->ref, node);
    return 0;
}

/* --- containers -------------------------------------------------------------- */

static int end(struct duel *duel, const uint32_t *picks)
{
    int container = duel_pick(duel, container_here, REF_CONTAINERS, picks[0]);

    if (container < 0)
        return 0;
    duel_print(duel, "a container of app%d on node%d ends\n", duel->ref.containers[container].app,
               duel->ref.containers[container].node);
    duel_end_container(duel, container);
    return 0;
}

static bool container_unheard(const struct reference *ref, int container)
{
    return ref->containers[container].here && !ref->containers[container].heard &&
           !ref->containers[container].master;
}

/* Gives back a container that its application has not acquired. */
static int return_container(struct duel *duel, const uint32_t *picks)
{
    int container = duel_pick(duel, container_unheard, REF_CONTAINERS, picks[0]);

    if (container < 0)
        return 0;
    duel_print(duel, "a container of app%d on node%d is given back\n", duel->ref.containers[container].app,
               duel->ref.containers[container].node);
    sched_container_return(duel->sched, duel->containers[container], &duel->decisions);
    ref_return_container(&duel->ref, container);
    duel->containers[container] = NULL;
    duel->count.given_back++;
    return 0;
}

/* Makes a container killable, as the preemption policy does after its wait. */
static int mark(struct duel *duel, const uint32_t *picks)
{
    int container = duel_pick(duel, container_here, REF_CONTAINERS, picks[0]);

    if (container < 0 || duel->ref.containers[container].killed)
        return 0;
    duel_print(duel, "a container of app%d on node%d may be killed\n", duel->ref.containers[container].app,
               duel->ref.containers[container].node);
    capacity_make_killable(duel->sched, duel->containers[container]);
    duel->ref.containers[container].killable = true;
    duel->ref.containers[container].spared = false;
    return 0;
}

/* Lets the time of empty dynamic queues pass, and that after which capacity is dealt to managed leaves. */
static int wait_long(struct duel *duel)
{
    duel_print(duel, "time passes\n");
    for (int i = 0; i < 2; i++) {
        sched_tick(duel->sched, duel->now_ms += 700000, &duel->decisions);
        ref_managed_deal(&duel->ref);
    }
    duel->ref.now_ms = duel->now_ms;
    ref_queues_expire(&duel->ref);
    return 0;
}

/* --- configuration --------------------------------------------------------- */

/* Returns the configuration WHICH of the scenario, or NULL after an error. */
static const struct conf *conf_of(struct duel *duel, size_t which, struct err *err)
{
    if (duel->confs[which] == NULL)
        scenario_conf(&duel->scenario->configs[which], NULL, NULL, &duel->confs[which], err);
    return duel->confs[which];
}

static int configure(struct duel *duel, size_t which, struct err *err)
{
    const struct ref_config *config = &duel->scenario->configs[which];
    const struct conf *conf = conf_of(duel, which, err);
    struct sched_config sched_config = {
        .policy = "capacity",
        .calculator = config->dominant ? SCHED_EVERY_TYPE : SCHED_MEMORY_ONLY,
        .types = config->types,
        .minimum = config->minimum,
        .step = config->minimum,
        .maximum = config->maximum,
    };
    struct preempt_settings preemption;
    int r;

    if (conf == NULL)
        return -EINVAL;
    if ((r = capacity_config_load(conf, NULL, NULL, &sched_config.capacity, err)) < 0)
        return r;
    r = capacity_placement_load(conf, NULL, sched_config.capacity, NULL, NULL, &sched_config.placement, err);
    if (r < 0) {
        capacity_config_free(sched_config.capacity);
        return r;
    }
    duel_preempt_settings(config, &preemption);
    sched_config.preemption = &preemption;
    r = duel->sched ? sched_refresh(duel->sched, &sched_config, &duel->decisions, err)
                    : sched_new(&sched_config, &duel->sched, err);
    if (r < 0) {
        capacity_placement_free(sched_config.placement);
        capacity_config_free(sched_config.capacity);
    }
    return r;
}

static int refresh(struct duel *duel, const uint32_t *picks, struct err *err)
{
    uint32_t which = picks[0] % SCENARIO_CONFIGS;
    int r;

    duel_print(duel, "configuration %u is in force\n", which);
    if ((r = configure(duel, which, err)) < 0)
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
    case EVENT_END:
        return end(duel, event->pick);
    case EVENT_GIVE_BACK:
        return return_container(duel, event->pick);
    case EVENT_MARK:
        return mark(duel, event->pick);
    case EVENT_PREEMPT:
        return duel_preempt(duel, event, err);
    case EVENT_WAIT:
        return wait_long(duel);
    case EVENT_LABEL:
        return set_label(duel, event->pick);
    case EVENT_REFRESH:
        return refresh(duel, event->pick, err);
    default:
        return duel_app_event(duel, event, err);
    }
}

static int step(struct duel *duel, const struct event *event, struct err *err)
{
    int r;

    duel->decisions.count = 0;
    duel->ref.decision_count = 0;
    duel->ref.now_ms = ++duel->now_ms;
    sched_tick(duel->sched, duel->now_ms, &duel->decisions);
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
    r = configure(duel, 0, err);
    for (int i = 0; r == 0 && i < scenario->event_count; i++) {
        r = step(duel, &scenario->events[i], err);
        if (r < 0 && failed)
            *failed = i;
    }
    if (count) {
        count->allocated += duel->count.allocated;
        count->reserved += duel->count.reserved;
        count->unreserved += duel->count.unreserved;
        count->notified += duel->count.notified;
        count->killed += duel->count.killed;
        count->refused += duel->count.refused;
        count->given_back += duel->count.given_back;
    }
    sched_free(duel->sched);
    for (size_t i = 0; i < SCENARIO_CONFIGS; i++)
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
                from = scenario->event_count; /* continue at the new end */
        }
    free(shorter);
}
