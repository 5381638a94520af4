/* SPDX-License-Identifier: Apache-2.0 */
/* event_log.c - what happens to applications, containers and nodes, as events; event_queues.c: to queues */
#include "rm/master/state/event_log.h"

#include "common/proto/event_copy.h"
#include "rm/master/parts/event_ring.h"
#include "rm/master/parts/format.h"
#include "rm/master/state/app_row.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/effects.h"
#include "rm/master/state/index.h"
#include "rm/master/state/retry.h"

/* About the events of a day of a cluster with some thousand jobs a day, or of some hours of a busy one. */
#define EVENTS_MAX 100000
#define EVENTS_BYTES_MAX ((size_t)48 << 20)

#define KIND(name) CREEL__EVENT_KIND__EVENT_##name

void rm_event_log_start(struct master *m)
{
    static const struct event_ring_limits limits = { EVENTS_MAX, EVENTS_BYTES_MAX };

    m->events.ring = event_ring_new(&limits, ((uint64_t)m->epoch + 1) << 32); /* above 0 */
    TAILQ_INIT(&m->events.unstored);
}

void rm_event_log_free(struct master *m)
{
    struct kept_event *kept;

    while ((kept = TAILQ_FIRST(&m->events.unstored)) != NULL) {
        TAILQ_REMOVE(&m->events.unstored, kept, in_list);
        kept_event_free(kept);
    }
    event_ring_free(m->events.ring);
}

/* --- adding --------------------------------------------------------------------------- */

static void publish(struct master *m, struct kept_event *kept)
{
    struct master_effect *effect = kept->event.restored ? NULL : rm_effect_add(m, MASTER_EVENT);

    if (effect != NULL)
        effect->event = event_copy_in(m->out->arena, &kept->event);
    if (effect != NULL && kept->row != NULL)
        effect->app =
            (ProtobufCBinaryData){ kept->row_size, arena_dup(m->out->arena, kept->row, kept->row_size) };
    free(kept->row);
    kept->row = NULL;
    event_ring_add(m->events.ring, kept);
}

void rm_event_log_publish(struct master *m)
{
    struct kept_event *kept;

    while ((kept = TAILQ_FIRST(&m->events.unstored)) != NULL && kept->store_seq <= m->stored_seq) {
        TAILQ_REMOVE(&m->events.unstored, kept, in_list);
        m->events.unstored_count--;
        publish(m, kept);
    }
}

/* While rows cannot be written, no more events wait than the ring could keep. */
static void hold(struct master *m, struct kept_event *kept)
{
    struct kept_event *oldest = TAILQ_FIRST(&m->events.unstored);

    if (m->events.unstored_count >= EVENTS_MAX) {
        TAILQ_REMOVE(&m->events.unstored, oldest, in_list);
        m->events.unstored_count--;
        kept_event_free(oldest);
    }
    TAILQ_INSERT_TAIL(&m->events.unstored, kept, in_list);
    m->events.unstored_count++;
}

/* Adds KEPT when its row is on disk. */
static void add_kept(struct master *m, struct kept_event *kept)
{
    if (!kept->event.restored)
        rm_event_log_publish(m); /* an object's earlier events come first */
    if (kept->event.restored || kept->store_seq <= m->stored_seq)
        publish(m, kept);
    else
        hold(m, kept);
}

/* Adds EVENT when row STORE_SEQ is on disk; 0: it is. */
static void add_after(struct master *m, const Creel__Event *event, uint64_t store_seq)
{
    struct kept_event *kept;

    if (event->time_ms <= 0)
        return;
    kept = kept_event_new(event);
    kept->store_seq = store_seq;
    add_kept(m, kept);
}

void rm_event_log_add(struct master *m, const Creel__Event *event)
{
    add_after(m, event, m->store_seq);
}

static char *text_or_empty(const char *text)
{
    return (char *)(uintptr_t)(text != NULL ? text : "");
}

/* Returns an event of KIND that happens now. Its texts are borrowed until it is added. */
static Creel__Event event_of(const struct master *m, Creel__EventKind kind)
{
    Creel__Event event = CREEL__EVENT__INIT;

    event.kind = kind;
    event.time_ms = m->now_ms;
    event.exit_status = CONTAINER_EXIT_NONE;
    return event;
}

/* --- applications ------------------------------------------------------------------------ */

#define ARRAY_ID_OF(app, text) ((app)->array_id.seq > 0 ? app_id_format(&(app)->array_id, text) : "")

static Creel__Event app_event(const struct master *m, const struct app *app, Creel__EventKind kind,
                              char array_id[ID_TEXT_MAX])
{
    Creel__Event event = event_of(m, kind);

    event.app_id = (char *)(uintptr_t)app->text;
    event.array_id = text_or_empty(ARRAY_ID_OF(app, array_id));
    event.user = app->user;
    event.queue = text_or_empty(app->queue);
    return event;
}

/* Adds EVENT, the beginning or the end of APP. The notify command gets it with the row of APP. */
static void add_with_row(struct master *m, const Creel__Event *event, const struct app *app,
                         uint64_t store_seq)
{
    struct kept_event *kept;
    struct app_facts facts;

    if (event->time_ms <= 0)
        return;
    kept = kept_event_new(event);
    kept->store_seq = store_seq;
    if (m->config.has_notify_command && !event->restored && app->array_id.seq == 0) {
        rm_app_facts(m, app, &facts);
        kept->row_size = creel__stored_app__get_packed_size(&facts.row);
        kept->row = mem_alloc(kept->row_size + 1);
        creel__stored_app__pack(&facts.row, kept->row);
    }
    add_kept(m, kept);
}

static void add_submission(struct master *m, const struct app *app, bool restored)
{
    char array_id[ID_TEXT_MAX];
    Creel__Event event = app_event(m, app, KIND(APP_SUBMITTED), array_id);

    event.time_ms = app->submitted_ms;
    event.by = app->user;
    event.text = text_or_empty(app->job->name);
    event.restored = restored;
    add_after(m, &event, 0);
}

static void add_hold(struct master *m, const struct app *app, const struct hold *held, uint64_t store_seq,
                     bool restored)
{
    char array_id[ID_TEXT_MAX];
    Creel__Event event = app_event(m, app, KIND(APP_HELD), array_id);

    event.time_ms = held->since_ms;
    event.by = held->by;
    event.text = text_or_empty(held->reason);
    event.restored = restored;
    add_after(m, &event, store_seq);
}

static void add_start(struct master *m, const struct app *app, bool restored)
{
    const struct container *first = app->attempt != NULL ? app->attempt->am_container : NULL;
    char array_id[ID_TEXT_MAX];
    Creel__Event event = app_event(m, app, KIND(APP_STARTED), array_id);

    event.time_ms = app->started_ms;
    event.node_id = text_or_empty(first != NULL ? first->node->id : NULL);
    event.restored = restored;
    add_with_row(m, &event, app, m->store_seq);
}

static void add_end(struct master *m, const struct app *app, bool restored)
{
    Creel__EventKind kind = app->shown == CREEL__APP_STATE__APP_FAILED   ? KIND(APP_FAILED)
                            : app->shown == CREEL__APP_STATE__APP_KILLED ? KIND(APP_KILLED)
                                                                         : KIND(APP_FINISHED);
    char array_id[ID_TEXT_MAX];
    Creel__Event event = app_event(m, app, kind, array_id);

    event.time_ms = app->finished_ms;
    event.exit_status = app->exit_status;
    event.final_status = app->final_status;
    event.text = text_or_empty(app->diagnostics);
    event.restored = restored;
    add_with_row(m, &event, app, 0);
}

void rm_event_app_submitted(struct master *m, const struct app *app)
{
    add_submission(m, app, false);
    for (size_t i = 0; i < app->hold_count; i++)
        add_hold(m, app, &app->holds[i], 0, false);
}

void rm_event_app_held(struct master *m, const struct app *app, const struct hold *hold)
{
    struct hold now = *hold;

    now.since_ms = m->now_ms;
    add_hold(m, app, &now, m->store_seq, false);
}

void rm_event_app_released(struct master *m, const struct app *app, const char *by)
{
    char array_id[ID_TEXT_MAX];
    Creel__Event event = app_event(m, app, KIND(APP_RELEASED), array_id);

    event.by = text_or_empty(by);
    rm_event_log_add(m, &event);
}

void rm_event_app_moved(struct master *m, const struct app *app, const char *from)
{
    char array_id[ID_TEXT_MAX];
    Creel__Event event = app_event(m, app, KIND(APP_MOVED), array_id);

    event.text = arena_printf(m->out->arena, "from %s", from);
    rm_event_log_add(m, &event);
}

void rm_event_app_started(struct master *m, const struct app *app)
{
    add_start(m, app, false);
}

void rm_event_app_retried(struct master *m, const struct app *app)
{
    const char *reason = rm_retry_reason(app);
    char array_id[ID_TEXT_MAX];
    Creel__Event event = app_event(m, app, KIND(APP_RETRIED), array_id);

    event.text = arena_printf(m->out->arena, "attempt %u%s%s", app->attempt->id.attempt,
                              rm_text_is_empty(reason) ? "" : ": ", reason != NULL ? reason : "");
    rm_event_log_add(m, &event);
}

void rm_event_app_ended(struct master *m, const struct app *app)
{
    add_end(m, app, false);
}

static void restore_app(struct master *m, const struct app *app)
{
    add_submission(m, app, true);
    for (size_t i = 0; i < app->hold_count; i++)
        add_hold(m, app, &app->holds[i], 0, true);
    add_start(m, app, true);
    if (app->finished_ms > 0 && rm_app_is_ended(app))
        add_end(m, app, true);
}

/* --- containers --------------------------------------------------------------------------- */

/* ARENA: for texts that are made here. */
static void add_container(struct master *m, const struct container *container, Creel__EventKind kind,
                          struct arena *arena, bool restored)
{
    char array_id[ID_TEXT_MAX];
    Creel__Event event = app_event(m, container->app, kind, array_id);

    event.container_id = (char *)(uintptr_t)container->text;
    event.node_id = container->node->id;
    event.restored = restored;
    switch (kind) {
    case KIND(CONTAINER_ALLOCATED):
        event.time_ms = container->allocated_ms;
        break;
    case KIND(CONTAINER_STARTED):
        event.time_ms = container->started_ms;
        event.restored = restored || container->started_ms < m->started_ms;
        break;
    case KIND(CONTAINER_RESIZED):
        event.time_ms = container->resized_ms;
        event.text = text_or_empty(format_amounts(arena, &m->types, &container->resource));
        break;
    default:
        event.time_ms = container->finished_ms;
        event.exit_status = container->exit_status;
        event.text = text_or_empty(container->diagnostics);
        break;
    }
    rm_event_log_add(m, &event);
}

void rm_event_container(struct master *m, const struct container *container, Creel__EventKind kind)
{
    add_container(m, container, kind, m->out->arena, false);
}

static void restore_container(struct master *m, const struct container *container, struct arena *arena)
{
    add_container(m, container, KIND(CONTAINER_ALLOCATED), arena, true);
    add_container(m, container, KIND(CONTAINER_STARTED), arena, true);
    add_container(m, container, KIND(CONTAINER_RESIZED), arena, true);
    if (container->state == CONTAINER_COMPLETED)
        add_container(m, container, KIND(CONTAINER_ENDED), arena, true);
}

/* --- nodes --------------------------------------------------------------------------------- */

static Creel__Event node_event(const struct master *m, const struct node *node, Creel__EventKind kind)
{
    Creel__Event event = event_of(m, kind);

    event.node_id = node->id;
    return event;
}

void rm_event_container_stuck(struct master *m, const struct container *container)
{
    Creel__Event event = node_event(m, container->node, KIND(NODE_STUCK));

    event.container_id = (char *)(uintptr_t)container->text;
    event.text = arena_printf(m->out->arena, "%s: %s", container->text, container->stuck);
    rm_event_log_add(m, &event);
}

void rm_event_node_registered(struct master *m, const struct node *node)
{
    Creel__Event event = node_event(m, node, KIND(NODE_REGISTERED));

    event.text = text_or_empty(node->version);
    rm_event_log_add(m, &event);
}

void rm_event_node_clock(struct master *m, const struct node *node)
{
    bool differs = node->clock.differs;
    int64_t skew_ms = node->clock.skew_ms;
    Creel__Event event = node_event(m, node, differs ? KIND(NODE_CLOCK_DIFFERS) : KIND(NODE_CLOCK_AGREES));

    if (differs)
        event.text = arena_printf(
            m->out->arena, "its clock is %.1f s %s the resource manager's: set both by NTP",
            (double)(skew_ms < 0 ? -skew_ms : skew_ms) / 1000, skew_ms < 0 ? "behind" : "ahead of");
    rm_event_log_add(m, &event);
}

static Creel__EventKind kind_of_state(Creel__NodeState state)
{
    switch (state) {
    case CREEL__NODE_STATE__NODE_UNHEALTHY:
        return KIND(NODE_UNHEALTHY);
    case CREEL__NODE_STATE__NODE_LOST:
        return KIND(NODE_LOST);
    case CREEL__NODE_STATE__NODE_DRAINING:
        return KIND(NODE_DRAINING);
    case CREEL__NODE_STATE__NODE_DRAINED:
        return KIND(NODE_DRAINED);
    case CREEL__NODE_STATE__NODE_DECOMMISSIONING:
        return KIND(NODE_DECOMMISSIONING);
    case CREEL__NODE_STATE__NODE_DECOMMISSIONED:
        return KIND(NODE_DECOMMISSIONED);
    case CREEL__NODE_STATE__NODE_WAITING:
        return KIND(NODE_WAITING);
    case CREEL__NODE_STATE__NODE_SHUT_DOWN:
        return KIND(NODE_SHUTDOWN);
    default:
        return KIND(NODE_RUNNING);
    }
}

static void set_decision(Creel__Event *event, const struct node *node)
{
    event->by = text_or_empty(node->admin.by);
    event->text = text_or_empty(node->admin.reason);
}

void rm_event_node_state(struct master *m, struct node *node)
{
    Creel__NodeState state = rm_node_shown(node);
    Creel__Event event;

    if (state == node->event_state)
        return;
    node->event_state = state;
    event = node_event(m, node, kind_of_state(state));
    if (event.kind == KIND(NODE_DRAINING) || event.kind == KIND(NODE_DECOMMISSIONING))
        set_decision(&event, node);
    else if (event.kind == KIND(NODE_LOST))
        event.text = arena_printf(m->out->arena, "no heartbeat for %s",
                                  format_duration(m->out->arena, m->now_ms - node->seen_ms));
    else
        event.text = text_or_empty(node->health_report);
    rm_event_log_add(m, &event);
}

static void restore_node(struct master *m, struct node *node)
{
    Creel__Event event;

    node->event_state = rm_node_shown(node);
    if (rm_node_serves(node))
        return;
    event = node_event(m, node, kind_of_state(node->event_state));
    event.time_ms = node->admin.since_ms;
    event.restored = true;
    set_decision(&event, node);
    rm_event_log_add(m, &event);
}

void rm_event_log_restore(struct master *m)
{
    struct arena *arena = arena_new();
    struct container *container;
    struct app *app;
    struct node *node;

    RB_FOREACH(app, rm_app_tree, &m->apps)
        restore_app(m, app);
    RB_FOREACH(container, rm_container_tree, &m->containers) {
        restore_container(m, container, arena);
        arena_reset(arena);
    }
    RB_FOREACH(node, rm_node_tree, &m->nodes)
        restore_node(m, node);
    arena_free(arena);
    event_ring_sort(m->events.ring);
}
