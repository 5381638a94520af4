/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue_state.c - queues that administrators stopped or started
 *
 * A state set by an administrator is kept over restarts and refreshes, until an administrator sets another
 * state, or until the configured state of the same queue changes: a change of the configuration takes
 * precedence.
 */
#include <string.h>

#include "rm/master/nodes/labels.h"
#include "rm/master/services/queues.h"
#include "rm/master/state/event_log.h"
#include "rm/master/state/settings.h"
#include "yarn/queue.h"

/* Returns RUNNING or STOPPED if the configuration sets a state for this very queue; else "". */
static const char *configured_state(const struct master *m, const char *path)
{
    struct sched_queue_figures figures;

    return sched_queue_find_figures(m->sched, path, &figures) ? figures.configured_state : "";
}

static bool is_stopped(const struct master *m, const char *path)
{
    struct sched_queue_figures figures;

    return sched_queue_find_figures(m->sched, path, &figures) &&
           !text_equal(figures.state, YARN_QUEUE_RUNNING);
}

/* Removes the settings of queues below PATH that the new state of PATH has overridden. */
static void forget_below(struct master *m, const char *path)
{
    scoped_free char *below = mem_printf("%s.", path);
    struct setting *setting, *next;

    HASH_ITER(hh, m->settings, setting, next)
        if (text_equal(setting->kind, SETTING_QUEUE_STATE) && text_has_prefix(setting->name, below) &&
            is_stopped(m, setting->name) != text_equal(setting->value, YARN_QUEUE_STOPPED))
            rm_setting_forget(m, setting);
}

int rm_queue_state_set(struct master *m, const char *path, bool running, const char *user, struct err *err)
{
    const char *name = arena_strdup(m->out->arena, path);
    int r = sched_queue_set_running(m->sched, name, running, &m->decisions, err);

    if (r < 0)
        return r;
    forget_below(m, name);
    rm_setting_put(m, SETTING_QUEUE_STATE, name, running ? YARN_QUEUE_RUNNING : YARN_QUEUE_STOPPED,
                   configured_state(m, name), user);
    rm_event_queues(m, user);
    return 0;
}

/* Applies SETTING, or removes it if the configured state of the queue has changed. Returns a note for the
 * reply to the refresh; NULL if the queue has the state already. */
static const char *apply(struct master *m, struct setting *setting)
{
    struct arena *arena = m->out->arena;
    bool running = text_equal(setting->value, YARN_QUEUE_RUNNING);
    const char *verb = running ? "start" : "stop";
    struct err err = { .text = "" };

    if (!text_equal(setting->before ? setting->before : "", configured_state(m, setting->name))) {
        const char *note = arena_printf(arena,
                                        "queue %s: its state was changed in the configuration: "
                                        "the earlier creel queue %s is void",
                                        setting->name, verb);

        rm_setting_forget(m, setting);
        return note;
    }
    if (is_stopped(m, setting->name) == !running)
        return NULL;
    if (sched_queue_set_running(m->sched, setting->name, running, &m->decisions, &err) < 0)
        return arena_printf(arena, "%s", err.text);
    return arena_printf(arena, "queue %s: stays %s, because of creel queue %s (%s)", setting->name,
                        running ? "started" : "stopped", verb, setting->by ? setting->by : "");
}

static int compare_names(const void *a, const void *b)
{
    return strcmp((*(struct setting *const *)a)->name, (*(struct setting *const *)b)->name);
}

size_t rm_settings_apply(struct master *m, const char *const **ret)
{
    size_t all = HASH_COUNT(m->settings), count = 0, notes;
    struct setting **list = arena_array0(m->out->arena, all + 1, sizeof(struct setting *));
    const char **texts = arena_array0(m->out->arena, all + 1, sizeof(char *));
    struct sched_queue_figures figures;
    struct setting *setting, *next;

    notes = rm_labels_apply(m, texts);
    HASH_ITER(hh, m->settings, setting, next)
        if (text_equal(setting->kind, SETTING_QUEUE_STATE))
            list[count++] = setting;
    if (count > 1) /* sorted, so that parents come first */
        qsort(list, count, sizeof(struct setting *), compare_names);
    for (size_t i = 0; i < count; i++) {
        if (!sched_queue_find_figures(m->sched, list[i]->name, &figures)) {
            rm_setting_forget(m, list[i]);
            continue;
        }
        texts[notes] = apply(m, list[i]);
        notes += texts[notes] != NULL;
    }
    *ret = texts;
    return notes;
}

/* Returns true if no leaf queue is RUNNING, and there is one. */
static bool every_leaf_is_stopped(const struct master *m)
{
    const struct sched_queue *at = NULL;
    struct sched_queue_figures figures;
    bool found = false;

    while (sched_queue_next(m->sched, &at, &figures)) {
        if (!figures.leaf)
            continue;
        if (text_equal(figures.state, YARN_QUEUE_RUNNING))
            return false;
        found = true;
    }
    return found;
}

void rm_queues_find_stopped(const struct master *m, struct master_stopped_queues *ret)
{
    *ret = (struct master_stopped_queues){
        .root = is_stopped(m, "root"),
        .fallback = is_stopped(m, "root.default"),
        .every_leaf = every_leaf_is_stopped(m),
    };
}
