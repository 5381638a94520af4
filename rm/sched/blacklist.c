/* SPDX-License-Identifier: Apache-2.0 */
/* blacklist.c - the nodes, hosts and racks on which an application gets no container */
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "rm/sched/policy.h"

static void drop_name(struct blacklisted **names, struct blacklisted *entry)
{
    HASH_DEL(*names, entry);
    free(entry->name);
    free(entry);
}

static void drop_names(struct blacklisted **names)
{
    struct blacklisted *entry, *next;

    HASH_ITER(hh, *names, entry, next)
        drop_name(names, entry);
}

static bool has_name(const struct blacklisted *names, const char *name)
{
    struct blacklisted *entry;

    HASH_FIND(hh, names, name, strlen(name), entry);
    return entry != NULL;
}

static void add_name(struct blacklisted **names, const char *name)
{
    struct blacklisted *entry;

    if (has_name(*names, name))
        return;
    entry = mem_new0(struct blacklisted);
    entry->name = mem_strdup(name);
    HASH_ADD_KEYPTR(hh, *names, entry->name, strlen(entry->name), entry);
}

void sched_app_set_avoided(struct sched_app *app, const struct sched_avoided *avoided)
{
    drop_names(&app->avoided);
    for (size_t i = 0; i < avoided->count; i++)
        add_name(&app->avoided, avoided->nodes[i]);
    app->avoided_share = avoided->share;
}

size_t sched_app_blacklist(const struct sched_app *app, const char **ret, size_t capacity)
{
    const struct blacklisted *entry = app->blacklist;
    size_t count = 0;

    for (; entry && count < capacity; entry = entry->hh.next)
        ret[count++] = entry->name;
    return count;
}

uint32_t sched_app_blacklist_count(const struct sched_app *app)
{
    return HASH_COUNT(app->blacklist);
}

size_t sched_app_new_blacklisted(const struct sched_app *app, const char *const *names, size_t count)
{
    size_t added = 0;

    for (size_t i = 0; i < count; i++)
        added += !has_name(app->blacklist, names[i]);
    return added;
}

void sched_app_clear_blacklist(struct sched_app *app)
{
    drop_names(&app->blacklist);
}

void sched_app_drop_blacklist(struct sched_app *app)
{
    if (app->blacklist == NULL)
        return;
    drop_names(&app->blacklist);
    sched_app_changed(app, SCHED_APP_NAMES);
}

void sched_app_clear_avoided(struct sched_app *app)
{
    drop_names(&app->avoided);
}

bool sched_app_ignores(const struct sched_app *app, size_t count, double share)
{
    return (double)count >= share * (double)app->sched->label_open[app->label];
}

/* Until its first container is placed, APP requests nothing else, and has no blacklist. */
bool sched_app_avoids(const struct sched_app *app, const struct sched_node *node)
{
    if (app->avoided)
        return has_name(app->avoided, node->id) &&
               !sched_app_ignores(app, HASH_COUNT(app->avoided), app->avoided_share);
    return app->blacklist && (has_name(app->blacklist, node->host) || has_name(app->blacklist, node->id) ||
                              has_name(app->blacklist, node->rack));
}

void sched_app_change_blacklist(struct sched_app *app, const struct sched_request *request)
{
    struct blacklisted *entry;

    for (size_t i = 0; i < request->blacklist_remove_count; i++) {
        const char *name = request->blacklist_remove[i];

        HASH_FIND(hh, app->blacklist, name, strlen(name), entry);
        if (entry)
            drop_name(&app->blacklist, entry);
    }
    for (size_t i = 0; i < request->blacklist_add_count; i++)
        add_name(&app->blacklist, request->blacklist_add[i]);
}
