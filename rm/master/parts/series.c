/* SPDX-License-Identifier: Apache-2.0 */
/* series.c - figures by queue and by user, for the metrics of the resource manager */
#include "rm/master/parts/series.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"

TAILQ_HEAD(series_list, series);

struct series_table {
    struct series *by_key;   /* owned */
    struct series_list list; /* in the order of the last change */
    uint64_t session, version;
    size_t counts[SERIES_KINDS];
    int64_t room_ms[SERIES_KINDS]; /* time of the last search for series that are of no use */
    series_useless_fn *useless;
    void *context;
};

/* In seconds: from jobs of a test to jobs of a week. */
static const double app_bounds[] = { 1,    5,    15,    60,    300,   900,    1800,
                                     3600, 7200, 14400, 43200, 86400, 172800, 604800 };

static const size_t limits[SERIES_KINDS] = {
    [SERIES_QUEUE] = SERIES_QUEUES_MAX,
    [SERIES_USER] = SERIES_USERS_MAX,
    [SERIES_PREEMPTION] = SERIES_PREEMPTIONS_MAX,
};

struct series_table *series_table_new(uint64_t session, series_useless_fn *useless, void *context)
{
    struct series_table *table = mem_new0(struct series_table);

    table->session = session;
    table->useless = useless;
    table->context = context;
    TAILQ_INIT(&table->list);
    for (size_t i = 0; i < SERIES_KINDS; i++)
        table->room_ms[i] = INT64_MIN;
    return table;
}

static void drop(struct series_table *table, struct series *series)
{
    table->counts[series->kind]--;
    HASH_DEL(table->by_key, series);
    TAILQ_REMOVE(&table->list, series, in_order);
    free(series->key);
    free(series->queue);
    free(series->name);
    free(series);
}

void series_table_free(struct series_table *table)
{
    struct series *series, *next;

    if (table == NULL)
        return;
    HASH_ITER(hh, table->by_key, series, next)
        drop(table, series);
    free(table);
}

static bool is_other(const struct series *series)
{
    return strcmp(series->queue, SERIES_OTHER) == 0;
}

/* Returns true if there is room for another series of KIND, after removing those of no use. */
static bool make_room(struct series_table *table, enum series_kind kind, int64_t now_ms)
{
    struct series *series, *next;

    if (table->counts[kind] < limits[kind])
        return true;
    if (table->room_ms[kind] != INT64_MIN && now_ms - table->room_ms[kind] < SERIES_ROOM_MS)
        return false;
    table->room_ms[kind] = now_ms;
    HASH_ITER(hh, table->by_key, series, next)
        if (series->kind == kind && !is_other(series) && table->useless(table->context, series))
            drop(table, series);
    if (table->counts[kind] == limits[kind])
        return false;
    table->session++;
    return true;
}

static struct series *find(struct series_table *table, const char *key)
{
    struct series *series;

    HASH_FIND_STR(table->by_key, key, series);
    return series;
}

/* Takes ownership of KEY. */
static struct series *add(struct series_table *table, enum series_kind kind, char *key, const char *queue,
                          const char *name)
{
    struct series *series = mem_new0(struct series);

    series->kind = kind;
    series->key = key;
    series->queue = mem_strdup(queue);
    series->name = mem_strdup(name);
    if (kind == SERIES_QUEUE) {
        histogram_init(&series->apps.wait, app_bounds, sizeof(app_bounds) / sizeof(*app_bounds));
        histogram_init(&series->apps.run, app_bounds, sizeof(app_bounds) / sizeof(*app_bounds));
    }
    HASH_ADD_KEYPTR(hh, table->by_key, series->key, strlen(series->key), series);
    TAILQ_INSERT_TAIL(&table->list, series, in_order);
    series->version = ++table->version;
    table->counts[kind]++;
    return series;
}

struct series *series_get(struct series_table *table, enum series_kind kind, const char *queue,
                          const char *name, int64_t now_ms)
{
    char *key = mem_printf("%d\n%s\n%s", (int)kind, queue, name);
    struct series *series = find(table, key);

    if (series == NULL && !make_room(table, kind, now_ms)) {
        name = queue = SERIES_OTHER;
        free(key);
        key = mem_printf("%d\n%s\n%s", (int)kind, queue, name);
        series = find(table, key);
    }
    if (series == NULL)
        return add(table, kind, key, queue, name);
    free(key);
    return series;
}

void series_changed(struct series_table *table, struct series *series)
{
    series->version = ++table->version;
    TAILQ_REMOVE(&table->list, series, in_order);
    TAILQ_INSERT_TAIL(&table->list, series, in_order);
}

uint64_t series_session(const struct series_table *table)
{
    return table->session;
}

uint64_t series_version(const struct series_table *table)
{
    return table->version;
}

const struct series *series_last(const struct series_table *table)
{
    return TAILQ_LAST(&table->list, series_list);
}

const struct series *series_before(const struct series *series)
{
    return TAILQ_PREV(series, series_list, in_order);
}
