/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settings.c - what administrators said beside the configuration, and how long it holds
 *
 * A queue that somebody stopped or started stays so, over restarts and refreshes, until somebody says
 * otherwise, or until the configuration's own state of that very queue becomes another than it was then:
 * who edits the file means it. Each is a row in the store. Labels (labels.c) and which node has which
 * (node_labels.c) are kept likewise.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "rm/master/internal.h"
#include "rm/master/words.h"

#define RUNNING "RUNNING"
#define STOPPED "STOPPED"

/* --- settings -------------------------------------------------------------- */

static char *key_of(const char *kind, const char *name)
{
    return mem_printf("%s %s", kind, name);
}

struct setting *rm_setting_find(const struct master *m, const char *kind, const char *name)
{
    scoped_free char *key = key_of(kind, name);
    struct setting *setting;

    HASH_FIND_STR(m->settings, key, setting);
    return setting;
}

static void drop(struct master *m, struct setting *setting)
{
    HASH_DEL(m->settings, setting);
    free(setting->key);
    free(setting->kind);
    free(setting->name);
    free(setting->value);
    free(setting->before);
    free(setting->by);
    free(setting);
}

static struct setting *add(struct master *m, const char *kind, const char *name)
{
    struct setting *setting = rm_setting_find(m, kind, name);

    if (setting)
        return setting;
    setting = mem_new0(struct setting);
    setting->key = key_of(kind, name);
    setting->kind = mem_strdup(kind);
    setting->name = mem_strdup(name);
    HASH_ADD_KEYPTR(hh, m->settings, setting->key, strlen(setting->key), setting);
    return setting;
}

void rm_setting_put(struct master *m, const char *kind, const char *name, const char *value,
                    const char *before, const char *by)
{
    struct setting *setting = add(m, kind, name);

    rm_text_set(&setting->value, value);
    rm_text_set(&setting->before, before);
    rm_text_set(&setting->by, by);
    setting->since_ms = m->now_ms;
    rm_store_setting(m, setting, false);
}

void rm_setting_forget(struct master *m, struct setting *setting)
{
    rm_store_setting(m, setting, true);
    drop(m, setting);
}

void rm_settings_free(struct master *m)
{
    while (m->settings)
        drop(m, m->settings);
}

int master_recover_setting(struct master *m, const Creel__StoredSetting *row, struct err *err)
{
    struct setting *setting;

    if (!text_equal(row->kind, SETTING_QUEUE_STATE) && !text_equal(row->kind, SETTING_NODE_LABEL) &&
        !text_equal(row->kind, SETTING_LABEL))
        return err_set(err, EINVAL, "%s: is no kind of setting", row->kind);
    if (rm_text_is_empty(row->name) || rm_text_is_empty(row->value))
        return err_set(err, EINVAL, "%s: names nothing, or says nothing", row->kind);
    setting = add(m, row->kind, row->name);
    rm_text_set(&setting->value, row->value);
    rm_text_set(&setting->before, row->before);
    rm_text_set(&setting->by, row->by);
    setting->since_ms = row->since_ms;
    return 0;
}

/* --- states of queues ------------------------------------------------------ */

/* RUNNING or STOPPED, if the configuration sets a state for this very queue; else "". */
static const char *configured_state(const struct master *m, const char *path)
{
    struct sched_queue_figures figures;

    return sched_queue_find_figures(m->sched, path, &figures) ? figures.configured_state : "";
}

static bool is_stopped(const struct master *m, const char *path)
{
    struct sched_queue_figures figures;

    return sched_queue_find_figures(m->sched, path, &figures) && !text_equal(figures.state, RUNNING);
}

/* What was said of queues below PATH does not hold any more where PATH's new state has reached them. */
static void forget_below(struct master *m, const char *path)
{
    scoped_free char *below = mem_printf("%s.", path);
    struct setting *setting, *next;

    HASH_ITER(hh, m->settings, setting, next)
        if (text_equal(setting->kind, SETTING_QUEUE_STATE) &&
            text_has_prefix(setting->name, below) &&
            is_stopped(m, setting->name) != text_equal(setting->value, STOPPED))
            rm_setting_forget(m, setting);
}

int rm_queue_state_set(struct master *m, const char *path, bool running, const char *user,
                       struct err *err)
{
    const char *name = arena_strdup(m->out->arena, path);
    int r = sched_queue_set_running(m->sched, name, running, &m->decisions, err);

    if (r < 0)
        return r;
    forget_below(m, name);
    rm_setting_put(m, SETTING_QUEUE_STATE, name, running ? RUNNING : STOPPED,
                   configured_state(m, name), user);
    return 0;
}

/* One that holds still: say so to who refreshes. */
static const char *apply(struct master *m, struct setting *setting)
{
    struct arena *arena = m->out->arena;
    bool running = text_equal(setting->value, RUNNING);
    const char *verb = running ? "start" : "stop";
    struct err err = { .text = "" };

    if (!text_equal(setting->before ? setting->before : "", configured_state(m, setting->name))) {
        const char *note = arena_printf(arena, "queue %s: its state was changed in the configuration: "
                                        "what creel queue %s said holds no more", setting->name, verb);

        rm_setting_forget(m, setting);
        return note;
    }
    if (is_stopped(m, setting->name) == !running)
        return NULL;
    if (sched_queue_set_running(m->sched, setting->name, running, &m->decisions, &err) < 0)
        return arena_printf(arena, "%s", err.text);
    return arena_printf(arena, "queue %s: stays %s, for creel queue %s said so (%s)", setting->name,
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
    if (count > 1)                      /* parents first */
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
