/* SPDX-License-Identifier: Apache-2.0 */
/* storm_world.c - makes the random events of a storm */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "sim/storm/storm_world.h"

static int below(struct storm *storm, int bound)
{
    return (int)rng_below(&storm->rng, (uint64_t)bound);
}

/* Sets a random amount of the third resource type, often 0 and at most MOST, if this storm has that type. */
static struct resource with_third(struct storm *storm, struct resource amount, int most)
{
    if (storm->types > 2)
        amount.value[2] = rng_chance(&storm->rng, 500) ? 0 : below(storm, most + 1);
    return amount;
}

/* --- decisions ------------------------------------------------------------- */

static int find_live(const struct storm *storm, const struct sched_container *handle)
{
    for (int i = 0; i < storm->live_count; i++)
        if (storm->live[i].handle == handle)
            return i;
    return -1;
}

static void allocated(struct storm *storm, const struct sched_decision *decision)
{
    int node = (int)(uintptr_t)sched_node_owner(decision->node);
    int app = (int)(uintptr_t)sched_app_owner(decision->app);
    struct sched_container_info info;

    if (storm->nodes[node] != decision->node || storm->apps[app] != decision->app) {
        storm_wrong(storm, "something was placed for an app, or on a node, that is gone");
        return;
    }
    if (!storm->open[node])
        storm_wrong(storm, "node%d is closed, and app%d was given a container there", node, app);
    storm_check_heard(storm, decision);
    sched_container_info(decision->container, &info);
    if (info.app != decision->app || info.node != decision->node)
        storm_wrong(storm, "a decision about app%d and node%d names another container", app, node);
    if (info.master && storm->avoided[app] & 1u << node &&
        !sched_app_ignores(decision->app, (unsigned)__builtin_popcount(storm->avoided[app]),
                           storm->avoided_share[app]))
        storm_wrong(storm, "the AM of app%d was placed on node%d, which it avoids", app, node);
    storm->avoided[app] = info.master ? 0 : storm->avoided[app]; /* dropped with the first container */
    if (storm->live_count == LIVE_MAX)
        storm_wrong(storm, "more than %d containers live", LIVE_MAX);
    else
        storm->live[storm->live_count++] = (struct live){ decision->container, app, node, 0, false };
    storm->decided = (storm->decided ^ (uint64_t)(node * APPS + app)) * 1099511628211u;
    storm->count->allocated++;
}

static void preempted(struct storm *storm, const struct sched_decision *decision, bool kill)
{
    int i = find_live(storm, decision->container);

    if (i < 0) {
        storm_wrong(storm, "a container that is gone gets a notice");
    } else if (kill) {
        if (storm->live[i].killed)
            storm_wrong(storm, "a container of app%d is killed twice", storm->live[i].app);
        if (storm->live[i].deadline_ms > storm->now_ms)
            storm_wrong(storm, "a container of app%d is killed before its time", storm->live[i].app);
        storm->live[i].killed = true;
        storm->count->killed++;
    } else {
        storm->live[i].deadline_ms = decision->deadline_ms;
        storm->count->preempted++;
    }
}

static void spared(struct storm *storm, const struct sched_decision *decision)
{
    int i = find_live(storm, decision->container);

    if (i < 0)
        storm_wrong(storm, "a container that is gone may stay");
    else if (storm->live[i].killed || storm->live[i].deadline_ms == 0)
        storm_wrong(storm, "a container of app%d may stay that was %s", storm->live[i].app,
                    storm->live[i].killed ? "killed" : "never announced");
    else
        storm->live[i].deadline_ms = 0;
}

static void reserved(struct storm *storm, const struct sched_decision *decision)
{
    storm_check_heard(storm, decision);
    storm->count->reserved++;
}

void storm_absorb(struct storm *storm)
{
    static const char *const names[] = { "allocated", "reserved", "unreserved", "preempt",
                                         "kill",      "spare",    "resized" };

    for (size_t i = 0; i < storm->decisions.count; i++) {
        const struct sched_decision *decision = &storm->decisions.items[i];

        storm_write(storm, "    %s", names[decision->kind]);
        storm->decided = (storm->decided ^ (decision->kind + 1u)) * 1099511628211u;
        if (decision->kind == SCHED_ALLOCATED)
            allocated(storm, decision);
        else if (decision->kind == SCHED_PREEMPT || decision->kind == SCHED_KILL)
            preempted(storm, decision, decision->kind == SCHED_KILL);
        else if (decision->kind == SCHED_SPARE)
            spared(storm, decision);
        else if (decision->kind == SCHED_RESERVED)
            reserved(storm, decision);
    }
    storm->decisions.count = 0;
}

/* --- containers ------------------------------------------------------------ */

static void end_container(struct storm *storm, int i)
{
    struct sched_container *handle = storm->live[i].handle;

    storm->live[i] = storm->live[--storm->live_count];
    sched_container_end(storm->sched, handle, &storm->decisions);
    storm_absorb(storm);
}

static void container_ends(struct storm *storm)
{
    struct sched_container_info info;
    struct sched_container *handle;
    int i;

    if (storm->live_count == 0)
        return;
    i = below(storm, storm->live_count);
    sched_container_info(storm->live[i].handle, &info);
    if (info.master || rng_chance(&storm->rng, 750)) {
        storm_write(storm, "a container ends");
        end_container(storm, i);
        return;
    }
    storm_write(storm, "a container of app%d is given back", storm->live[i].app);
    handle = storm->live[i].handle;
    storm->live[i] = storm->live[--storm->live_count];
    sched_container_return(storm->sched, handle, &storm->decisions);
    storm_absorb(storm);
}

/* Requests another size for a container, or withdraws the request. */
static void container_is_resized(struct storm *storm)
{
    struct resource asked =
        resource_of(256 * rng_between(&storm->rng, 0, 20), rng_between(&storm->rng, 0, 4));
    struct sched_container_info info;
    struct sched_container *handle;
    struct err err;

    if (storm->live_count == 0)
        return;
    handle = storm->live[below(storm, storm->live_count)].handle;
    sched_container_info(handle, &info);
    asked = with_third(storm, asked, STORM_THIRD_MAX);
    if (rng_chance(&storm->rng, 700)) /* most requests are a pure increase */
        asked = resource_max(asked, info.resource);
    storm_write(storm, "a container of app%d is to have %" PRId64 " MiB",
                (int)(uintptr_t)sched_app_owner(info.app), asked.value[0]);
    if (rng_chance(&storm->rng, 100))
        sched_container_cancel_resize(storm->sched, handle, &storm->decisions);
    else if (sched_container_resize(storm->sched, handle, &asked, &storm->decisions, &err) < 0)
        storm->count->refused++;
    else
        storm->count->resized++;
    storm_absorb(storm);
}

static void killed_end(struct storm *storm)
{
    for (int i = storm->live_count - 1; i >= 0 && i < storm->live_count; i--)
        if (storm->live[i].killed) {
            storm_write(storm, "a killed container ends");
            end_container(storm, i);
        }
}

static void container_is_recovered(struct storm *storm, int node, int app)
{
    struct sched_container_info info = {
        .node = storm->nodes[node],
        .app = storm->apps[app],
        .resource = resource_of(256 * rng_between(&storm->rng, 1, 8), 1),
        .number = 1000,
        .priority = 1,
        .serial = (UINT64_C(1) << 20) - ++storm->recovered, /* nodes of older ones register later */
    };

    if (storm->live_count == LIVE_MAX)
        return;
    storm_write(storm, "a container of app%d on node%d is found", app, node);
    storm->live[storm->live_count++] = (struct live){
        sched_container_recover(storm->sched, &info, NULL), app, node, 0, false,
    };
}

/* --- nodes ----------------------------------------------------------------- */

static struct resource random_total(struct storm *storm)
{
    int64_t memory_mb = 256 * rng_between(&storm->rng, 4, 48);
    int64_t vcores = rng_between(&storm->rng, 1, storm->scarce ? 4 : 16);

    return with_third(storm, resource_of(memory_mb, vcores), 2 * STORM_THIRD_MAX);
}

static void node_comes(struct storm *storm, int i)
{
    char id[16], host[16], rack[16];
    struct sched_node_spec spec = {
        .id = id,
        .host = host,
        .rack = rack,
        .owner = (void *)(uintptr_t)i,
        .total = random_total(storm),
        .closed = rng_chance(&storm->rng, 100),
        .label = rng_chance(&storm->rng, 600) ? NULL : storm_label((unsigned)below(storm, 3)),
    };

    snprintf(id, sizeof(id), "n%d:1", i);
    snprintf(host, sizeof(host), "n%d", i);
    snprintf(rack, sizeof(rack), "/r%d", i % RACKS);
    storm_write(storm, "node%d comes%s, label \"%s\"", i, spec.closed ? ", closed" : "",
                spec.label ? spec.label : "");
    storm->open[i] = !spec.closed;
    storm->nodes[i] = NULL;
    /* If the core places containers on demand, this call already makes decisions that contain the new handle:
     * they are processed when nodes[i] is set. */
    storm->nodes[i] = sched_node_add(storm->sched, &spec, &storm->decisions);
    storm_absorb(storm);
}

static void node_goes(struct storm *storm, int i)
{
    storm_write(storm, "node%d goes", i);
    storm->open[i] = false;
    sched_node_set_open(storm->sched, storm->nodes[i], false, &storm->decisions);
    storm_absorb(storm);
    for (int c = storm->live_count - 1; c >= 0 && c < storm->live_count; c--)
        if (storm->live[c].node == i)
            end_container(storm, c);
    sched_node_remove(storm->sched, storm->nodes[i]);
    storm->nodes[i] = NULL;
}

/* Opens or closes a node. An even one is drained: its total is what it uses until it is opened. */
static void node_opens_or_closes(struct storm *storm, int i)
{
    struct sched_node *node = storm->nodes[i];
    struct resource full = node->capacity;
    bool drains = i % 2 == 0;

    storm->open[i] = !storm->open[i];
    storm_write(storm, "node%d is %s", i, storm->open[i] ? "opened" : drains ? "drained" : "closed");
    sched_node_set_open(storm->sched, node, storm->open[i], &storm->decisions);
    storm_absorb(storm);
    if (drains)
        sched_node_update(storm->sched, node, storm->open[i] ? full : sched_node_used(node),
                          &storm->decisions);
}

static void node_changes(struct storm *storm, int i)
{
    struct sched_node *node = storm->nodes[i];

    if (rng_chance(&storm->rng, 100)) {
        node_opens_or_closes(storm, i);
    } else if (rng_chance(&storm->rng, 100)) {
        storm_write(storm, "node%d has another size and label", i);
        sched_node_update(storm->sched, node, random_total(storm), &storm->decisions);
        storm_absorb(storm); /* which avoided nodes are ignored depends on the nodes of a label */
        sched_node_set_label(storm->sched, node, storm_label((unsigned)i + 1), &storm->decisions);
    } else {
        storm_hear(storm, i);
        storm_write(storm, "node%d is offered", i);
        sched_node_heartbeat(storm->sched, node, &storm->decisions);
    }
    storm_absorb(storm);
}

void storm_offer_nodes(struct storm *storm)
{
    storm_write(storm, "every node is offered that is not silent");
    for (int i = 0; i < NODES; i++)
        if (storm->nodes[i] && !storm->nodes[i]->silent)
            sched_node_heartbeat(storm->sched, storm->nodes[i], &storm->decisions);
    storm_absorb(storm);
}

/* --- apps ------------------------------------------------------------------ */

/* Chooses the nodes that the AM of an app avoids: none for two of three apps. */
static void avoid(struct storm *storm, int i)
{
    char ids[NODES][16];
    const char *names[NODES];
    struct sched_avoided avoided = { .nodes = names };

    storm->avoided[i] = rng_chance(&storm->rng, 333) ? (unsigned)below(storm, 1 << NODES) : 0;
    storm->avoided_share[i] = below(storm, 11) / 10.0;
    avoided.share = storm->avoided_share[i];
    for (int n = 0; n < NODES; n++) {
        if (!(storm->avoided[i] & 1u << n))
            continue;
        snprintf(ids[n], sizeof(ids[n]), "n%d:1", n);
        names[avoided.count++] = ids[n];
        storm_write(storm, "    the AM avoids node%d", n);
    }
    sched_app_set_avoided(storm->apps[i], &avoided);
}

/* Starts an app. If FOUND, the app was recovered with a running AM, so that no AM is requested. */
static void start(struct storm *storm, int i, bool found)
{
    const struct resource *master = &storm->masters[i];

    if (found || resource_is_zero(master))
        master = NULL;
    if (master)
        avoid(storm, i);
    sched_app_start(storm->sched, storm->apps[i], master, &storm->decisions);
    storm_absorb(storm);
}

static void choose_master(struct storm *storm, int i)
{
    struct resource asked = resource_of(256 * rng_between(&storm->rng, 1, 6), 1);

    asked = with_third(storm, asked, 1);
    storm->masters[i] = resource_of(0, 0);
    if (rng_chance(&storm->rng, 850))
        sched_normalise(storm->sched, &asked, &storm->masters[i], NULL);
}

static void app_comes(struct storm *storm, int i)
{
    char user[8];
    struct sched_app_spec spec = {
        .id = { 1, ++storm->last_app },
        .user = user,
        .owner = (void *)(uintptr_t)i,
        .queue = storm->queues ? storm_config_leaf(storm->config, &storm->rng) : "default",
        .priority = below(storm, 6),
        .manages = rng_chance(&storm->rng, 800),
        .recovered = rng_chance(&storm->rng, 50),
        .label = rng_chance(&storm->rng, 800) ? NULL : storm_label((unsigned)below(storm, 3)),
    };
    struct resource largest = resource_of(256 * rng_between(&storm->rng, 1, 40), 1);
    struct err err;
    int r;

    snprintf(user, sizeof(user), "u%d", below(storm, USERS));
    storm_write(storm, "app%d comes: %s, %s", i, user, spec.queue);
    sched_app_test(storm->sched, &spec, &largest, &err);
    r = sched_app_add(storm->sched, &spec, &storm->apps[i], &err);
    storm->count->refused += r < 0 ? 1 : 0;
    if (r < 0) {
        storm_write(storm, "  refused: %s", err.text);
        storm->apps[i] = NULL;
        return;
    }
    choose_master(storm, i);
    start(storm, i, spec.recovered);
}

void storm_end_containers(struct storm *storm, int app)
{
    for (int c = storm->live_count - 1; c >= 0; c--)
        if (c < storm->live_count && storm->live[c].app == app)
            end_container(storm, c);
}

void storm_end_app(struct storm *storm, int i)
{
    struct sched_app *app = storm->apps[i];

    storm_write(storm, "app%d goes", i);
    sched_app_stop_asking(storm->sched, app);
    storm_end_containers(storm, i);
    storm->apps[i] = NULL;
    storm->decisions.count = 0;
    sched_app_remove(storm->sched, app, &storm->decisions);
    for (size_t d = 0; d < storm->decisions.count; d++)
        if (storm->decisions.items[d].kind == SCHED_UNRESERVED)
            storm->decisions.items[d--] = storm->decisions.items[--storm->decisions.count];
    storm_absorb(storm); /* nodes whose reservation ended are offered to other apps */
}

static void app_begins_anew(struct storm *storm, int i)
{
    storm_write(storm, "app%d has a new attempt", i);
    storm_end_containers(storm, i);
    start(storm, i, false);
}

static void app_moves(struct storm *storm, int i)
{
    const char *queue = storm_config_queue(storm->config, &storm->rng);
    struct err err;
    int r = sched_app_move(storm->sched, storm->apps[i], queue, &storm->decisions, &err);

    storm_write(storm, "app%d moves to %s: %d", i, queue, r);
    storm->count->refused += r < 0 ? 1 : 0;
    storm_absorb(storm);
}

static size_t add_rows(struct storm *storm, struct sched_ask *rows, char names[][16], struct sched_ask row)
{
    size_t count = 0;

    for (int i = below(storm, 3); i > 0; i--) {
        int node = below(storm, NODES);

        snprintf(names[count], 16, rng_chance(&storm->rng, 200) ? "n%d:1" : "n%d", node);
        row.resource_name = names[count];
        rows[count++] = row;
        snprintf(names[count], 16, "/r%d", node % RACKS);
        row.resource_name = names[count];
        row.strict_locality = rng_chance(&storm->rng, 150);
        rows[count++] = row;
        row.strict_locality = false;
    }
    return count;
}

static void app_asks(struct storm *storm, int i)
{
    struct sched_ask rows[8], row = {
        .priority = (uint32_t)below(storm, 3),
        .allocation_id = (uint64_t)below(storm, 2),
        .capability = resource_of(256 * rng_between(&storm->rng, 0, 20), rng_between(&storm->rng, 0, 4)),
        .count = (uint32_t)below(storm, 20),
    };
    struct sched_request request = { .asks = rows };
    struct sched_container *release;
    int live = storm->live_count > 0 ? below(storm, storm->live_count) : -1;
    char names[8][16];
    struct err err;

    row.capability = with_third(storm, row.capability, STORM_THIRD_MAX);
    request.ask_count = add_rows(storm, rows, names, row);
    row.resource_name = "*";
    row.strict_locality = rng_chance(&storm->rng, 100);
    row.label = rng_chance(&storm->rng, 850) ? NULL : storm_label((unsigned)below(storm, 3));
    rows[request.ask_count++] = row;
    if (live >= 0 && storm->live[live].app == i) {
        release = storm->live[live].handle;
        request.releases = &release;
        request.release_count = 1;
    }
    storm_write(storm, "app%d asks for %u at priority %u", i, row.count, row.priority);
    if (sched_allocate(storm->sched, storm->apps[i], &request, &storm->decisions, &err) < 0)
        storm->count->refused++;
    else if (request.release_count > 0)
        storm->live[live] = storm->live[--storm->live_count];
    storm_absorb(storm);
}

static void app_avoids(struct storm *storm, int i)
{
    char text[16];
    const char *name = text;
    struct sched_request request = { .asks = NULL };

    snprintf(text, sizeof(text), rng_chance(&storm->rng, 200) ? "/r%d" : "n%d", below(storm, 4));
    if (rng_chance(&storm->rng, 500)) {
        request.blacklist_add = &name;
        request.blacklist_add_count = 1;
    } else {
        request.blacklist_remove = &name;
        request.blacklist_remove_count = 1;
    }
    storm_write(storm, "app%d %s %s", i, request.blacklist_add ? "avoids" : "takes", text);
    sched_allocate(storm->sched, storm->apps[i], &request, &storm->decisions, NULL);
    storm_absorb(storm);
}

static void app_changes(struct storm *storm, int i)
{
    switch (below(storm, 12)) {
    case 0:
        storm_end_app(storm, i);
        break;
    case 1:
        app_moves(storm, i);
        break;
    case 2:
        storm_write(storm, "app%d gets another priority", i);
        sched_app_set_priority(storm->sched, storm->apps[i], below(storm, 8), &storm->decisions);
        storm_absorb(storm);
        break;
    case 3:
        app_avoids(storm, i);
        break;
    case 4:
        if (rng_chance(&storm->rng, 300))
            app_begins_anew(storm, i);
        else if (rng_chance(&storm->rng, 200))
            sched_app_stop_asking(storm->sched, storm->apps[i]);
        break;
    default:
        app_asks(storm, i);
    }
}

/* --- the whole storm ------------------------------------------------------- */

static void refresh(struct storm *storm)
{
    struct sched_config next;
    struct err err;
    int r = storm_config_fill(storm->config, "capacity", &storm->rng, &next, &err);

    storm_write(storm, "another configuration");
    if (r == 0)
        r = sched_refresh(storm->sched, &next, &storm->decisions, &err);
    if (r < 0) {
        capacity_placement_free(next.placement);
        capacity_config_free(next.capacity);
        storm_wrong(storm, "refresh: %s", err.text);
        return;
    }
    storm->count->refreshed++;
    storm_absorb(storm);
}

static void cluster_event(struct storm *storm)
{
    int what = below(storm, 10);

    if (what < 4) {
        storm->now_ms += below(storm, 8000);
        storm_write(storm, "it is %" PRId64 " ms", storm->now_ms);
        sched_tick(storm->sched, storm->now_ms, &storm->decisions);
    } else if (what < 7 && storm->queues && !storm->capacity) {
        storm_write(storm, "an update of the fair scheduler");
        sched_update(storm->sched, &storm->decisions);
    } else if (what < 7 && storm->capacity) {
        storm_write(storm, "a round of preemption");
        sched_preempt(storm->sched, &storm->decisions);
    } else if (what == 7 && storm->capacity) {
        refresh(storm);
    } else if (what == 8 && storm->capacity) {
        const char *queue = storm_config_queue(storm->config, &storm->rng);
        bool running = rng_chance(&storm->rng, 700);
        int r = sched_queue_set_running(storm->sched, queue, running, &storm->decisions, NULL);

        storm_write(storm, "%s is to be %s: %d", queue, running ? "running" : "stopped", r);
    } else {
        storm_check(storm);
    }
    storm_absorb(storm);
}

void storm_event(struct storm *storm)
{
    int node = below(storm, NODES), app = below(storm, APPS), what = below(storm, 100);

    if (storm->nodes[node] == NULL && what < 30)
        node_comes(storm, node);
    else if (storm->apps[app] == NULL && what < 60)
        app_comes(storm, app);
    else if (storm->nodes[node] && storm->apps[app] && what == 60)
        container_is_recovered(storm, node, app);
    else if (storm->nodes[node] && what < 2)
        node_goes(storm, node);
    else if (storm->nodes[node] && what < 45)
        node_changes(storm, node);
    else if (storm->apps[app] && what < 75)
        app_changes(storm, app);
    else if (what < 80)
        container_ends(storm);
    else if (what < 83)
        killed_end(storm);
    else if (what < 87)
        storm_offer_nodes(storm);
    else if (what >= 95)
        container_is_resized(storm);
    else
        cluster_event(storm);
}
