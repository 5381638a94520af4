/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_queues.c - what happens to queues and to the configuration, as events (event_log.h)
 *
 * Queues have their states in the scheduler, which has no events: a queue is compared with the state in its
 * last event where that state may change.
 */
#include <stdlib.h>
#include <string.h>

#include "common/base/text_builder.h"
#include "common/proto/event_kind.h"
#include "rm/master/parts/event_ring.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/event_log.h"
#include "yarn/queue.h"

#define KIND(name) CREEL__EVENT_KIND__EVENT_QUEUE_##name
#define CONF_PREFIX "yarn.scheduler.capacity."

struct known_queue {
    UT_hash_handle hh;
    Creel__EventKind state; /* KIND(RUNNING), DRAINING or STOPPED */
    char path[];
};

static char *borrowed(const char *text)
{
    return (char *)(uintptr_t)(text != NULL ? text : "");
}

static void add(struct master *m, Creel__EventKind kind, const char *path, const char *by, const char *text)
{
    Creel__Event event = CREEL__EVENT__INIT;

    event.kind = kind;
    event.time_ms = m->now_ms;
    event.exit_status = CONTAINER_EXIT_NONE;
    event.queue = borrowed(path);
    event.by = borrowed(by);
    event.text = borrowed(text);
    rm_event_log_add(m, &event);
}

/* --- states ------------------------------------------------------------------------ */

static Creel__EventKind state_of(const struct sched_queue_figures *figures)
{
    return strcmp(figures->state, YARN_QUEUE_STOPPED) == 0    ? KIND(STOPPED)
           : strcmp(figures->state, YARN_QUEUE_DRAINING) == 0 ? KIND(DRAINING)
                                                              : KIND(RUNNING);
}

static struct known_queue *find(const struct master *m, const char *path)
{
    struct known_queue *known;

    HASH_FIND_STR(m->events.queues, path, known);
    return known;
}

static void know(struct master *m, const struct sched_queue_figures *figures)
{
    struct known_queue *known = mem_alloc0(sizeof(*known) + strlen(figures->path) + 1);

    memcpy(known->path, figures->path, strlen(figures->path));
    known->state = state_of(figures);
    HASH_ADD_KEYPTR(hh, m->events.queues, known->path, strlen(known->path), known);
}

static void forget(struct master *m, struct known_queue *known)
{
    HASH_DEL(m->events.queues, known);
    free(known);
}

/* Adds an event if the queue PATH is not as in its last event. */
static void check(struct master *m, const char *path, const char *by)
{
    struct known_queue *known = find(m, path);
    struct sched_queue_figures figures;

    if (!sched_queue_at_path(m->sched, path, &figures)) {
        if (known == NULL)
            return;
        add(m, KIND(REMOVED), path, by, "");
        forget(m, known);
    } else if (known == NULL) {
        add(m, KIND(ADDED), path, by, figures.dynamic ? "by a submission" : "");
        know(m, &figures);
    } else if (known->state != state_of(&figures)) {
        known->state = state_of(&figures);
        add(m, known->state, path, by, "");
    }
}

void rm_event_queues(struct master *m, const char *by)
{
    const struct sched_queue *at = NULL;
    struct sched_queue_figures figures;
    struct known_queue *known, *next;

    HASH_ITER(hh, m->events.queues, known, next)
        check(m, known->path, by);
    while (sched_queue_next(m->sched, &at, &figures))
        if (find(m, figures.path) == NULL)
            check(m, figures.path, by);
}

void rm_event_queues_listed(struct master *m)
{
    char *path;

    while ((path = sched_queue_next_new_or_gone(m->sched)) != NULL) {
        check(m, path, "");
        free(path);
    }
}

void rm_event_queue_left(struct master *m, const char *path)
{
    char *at = arena_strdup(m->out->arena, path), *dot;

    do {
        const struct known_queue *known = find(m, at);

        if (known != NULL && known->state == KIND(DRAINING))
            check(m, at, "");
        if ((dot = strrchr(at, '.')) != NULL)
            *dot = '\0';
    } while (dot != NULL);
}

static void restore_state(struct master *m, const struct setting *setting)
{
    struct sched_queue_figures figures;
    Creel__Event event = CREEL__EVENT__INIT;

    if (!sched_queue_at_path(m->sched, setting->name, &figures))
        return;
    event.kind = strcmp(setting->value, YARN_QUEUE_RUNNING) == 0 ? KIND(RUNNING) : KIND(STOPPED);
    event.time_ms = setting->since_ms;
    event.exit_status = CONTAINER_EXIT_NONE;
    event.restored = true;
    event.queue = setting->name;
    event.by = borrowed(setting->by);
    rm_event_log_add(m, &event);
}

void rm_event_queues_restore(struct master *m)
{
    struct setting *setting, *next;

    HASH_ITER(hh, m->settings, setting, next)
        if (strcmp(setting->kind, SETTING_QUEUE_STATE) == 0)
            restore_state(m, setting);
}

void rm_event_queues_begin(struct master *m)
{
    const struct sched_queue *at = NULL;
    struct sched_queue_figures figures;
    char *path;

    while ((path = sched_queue_next_new_or_gone(m->sched)) != NULL)
        free(path);
    while (sched_queue_next(m->sched, &at, &figures))
        know(m, &figures);
}

void rm_event_queues_free(struct master *m)
{
    while (m->events.queues != NULL)
        forget(m, m->events.queues);
}

/* --- configuration ------------------------------------------------------------------- */

/* Returns the queue of KEY ("yarn.scheduler.capacity.root.a.state"): the longest path of a queue that begins
 * it, or, if the queue is gone, all but the last part; "root" for keys of the scheduler. */
static const char *queue_of_key(struct master *m, struct arena *arena, const char *key)
{
    char *path = arena_strdup(arena, key + strlen(CONF_PREFIX)), *dot;
    size_t first = 0;

    if (!text_has_prefix(key, CONF_PREFIX "root."))
        return "root";
    while ((dot = strrchr(path, '.')) != NULL) {
        struct sched_queue_figures figures;

        *dot = '\0';
        first = first > 0 ? first : strlen(path);
        if (strcmp(path, "root") != 0 && sched_queue_at_path(m->sched, path, &figures))
            return path;
    }
    return arena_printf(arena, "%.*s", (int)first, key + strlen(CONF_PREFIX));
}

/* Adds "state=STOPPED" for a changed property of QUEUE. */
static void describe(struct text_builder *text, const Creel__ConfOverride *change, const char *queue)
{
    const char *key = change->key;

    if (text_has_prefix(key, CONF_PREFIX))
        key += strlen(CONF_PREFIX);
    if (text_has_prefix(key, queue) && key[strlen(queue)] == '.')
        key += strlen(queue) + 1;
    text_builder_separate(text, ", ");
    text_builder_add(text, key);
    text_builder_add(text, change->removed ? " removed" : change->as_file ? " as in the file" : "=");
    if (!change->removed && !change->as_file)
        text_builder_add(text, change->value);
}

void rm_event_queues_configured(struct master *m, const Creel__SchedulerConfVersion *version, bool restored)
{
    struct arena *arena = arena_new();
    Creel__Event event = CREEL__EVENT__INIT;

    event.kind = KIND(CONFIGURED);
    event.time_ms = version->at_ms;
    event.exit_status = CONTAINER_EXIT_NONE;
    event.restored = restored;
    event.by = version->by;
    for (size_t i = 0; i < version->n_changed;) {
        const char *queue = queue_of_key(m, arena, version->changed[i]->key);
        struct text_builder text = TEXT_BUILDER_IN(arena);

        do
            describe(&text, version->changed[i], queue);
        while (++i < version->n_changed &&
               strcmp(queue_of_key(m, arena, version->changed[i]->key), queue) == 0);
        event.queue = borrowed(queue);
        event.text = text_builder_finish(&text);
        rm_event_log_add(m, &event);
    }
    arena_free(arena);
}

void rm_event_refreshed(struct master *m, const char *by, const char *what, const char *error)
{
    if (error != NULL)
        add(m, KIND(REFUSED), "root", by, error);
    else
        add(m, KIND(REFRESHED), "root", by, what);
}
