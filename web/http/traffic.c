/* SPDX-License-Identifier: Apache-2.0 */
/* traffic.c - counts requests by route and status, and measures how long their answers took */
#include "web/http/traffic.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"

struct traffic {
    struct traffic_path *paths; /* owned; the first one is TRAFFIC_OTHER */
    size_t count;
    size_t **path_of;   /* owned: [table][route] is an index of PATHS */
    uint32_t **work_us; /* owned: [table][route], mean of the last requests */
    const struct route_table *tables;
    size_t table_count;
    uint64_t refused;
    const struct shares *connections;
    const struct shares *memory;
};

/* In seconds: an answer from the model takes milliseconds; one that needs the resource manager, a password or
 * an agent may take seconds. */
static const double bounds[] = { 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                 0.1,    0.25,  0.5,    1,     2.5,  5,     10 };

static size_t find_path(const struct traffic *traffic, const char *pattern)
{
    size_t i = 0;

    while (i < traffic->count && strcmp(traffic->paths[i].pattern, pattern) != 0)
        i++;
    return i;
}

static size_t add_path(struct traffic *traffic, const char *pattern)
{
    size_t at = find_path(traffic, pattern);

    if (at < traffic->count)
        return at;
    traffic->paths = mem_resize(traffic->paths, traffic->count + 1, sizeof(*traffic->paths));
    traffic->paths[at] = (struct traffic_path){ .pattern = pattern };
    histogram_init(&traffic->paths[at].seconds, bounds, sizeof(bounds) / sizeof(*bounds));
    return traffic->count++;
}

struct traffic *traffic_new(const struct route_table *tables, size_t table_count)
{
    struct traffic *traffic = mem_new0(struct traffic);

    traffic->tables = tables;
    traffic->table_count = table_count;
    traffic->work_us = mem_array0(table_count, sizeof(*traffic->work_us));
    traffic->path_of = mem_array0(table_count, sizeof(*traffic->path_of));
    add_path(traffic, TRAFFIC_OTHER);
    for (size_t t = 0; t < table_count; t++) {
        size_t routes = 0;

        while (tables[t].routes[routes].method != NULL)
            routes++;
        traffic->path_of[t] = mem_array0(routes + 1, sizeof(**traffic->path_of));
        traffic->work_us[t] = mem_array0(routes + 1, sizeof(**traffic->work_us));
        for (size_t i = 0; i < routes; i++)
            traffic->path_of[t][i] = add_path(traffic, tables[t].routes[i].pattern);
    }
    return traffic;
}

void traffic_free(struct traffic *traffic)
{
    if (traffic == NULL)
        return;
    for (size_t t = 0; t < traffic->table_count; t++) {
        free(traffic->path_of[t]);
        free(traffic->work_us[t]);
    }
    free(traffic->work_us);
    free(traffic->path_of);
    free(traffic->paths);
    free(traffic);
}

static void count_status(struct traffic_path *path, int status)
{
    size_t i = 0;

    while (i < path->code_count && path->codes[i].status != status)
        i++;
    if (i == path->code_count && i < TRAFFIC_CODES_MAX) {
        path->codes[i].status = status;
        path->code_count++;
    } else if (i == path->code_count) { /* the last one has status 0 */
        path->code_count = TRAFFIC_CODES_MAX + 1;
        i = TRAFFIC_CODES_MAX;
    }
    path->codes[i].count++;
}

void traffic_add(struct traffic *traffic, const struct route_match *match, int status, double seconds)
{
    struct traffic_path *path;

    if (traffic == NULL)
        return;
    path = &traffic->paths[match->fn != NULL ? traffic->path_of[match->table][match->route] : 0];
    count_status(path, status);
    histogram_add(&path->seconds, seconds);
}

/* --- work --------------------------------------------------------------------- */

void traffic_add_work(struct traffic *traffic, const struct route_match *match, int64_t ns)
{
    uint32_t *mean, us = (uint32_t)(ns < 0 ? 0 : ns < INT64_C(1000000000) ? ns / 1000 : 1000000);

    if (traffic == NULL || match->fn == NULL)
        return;
    mean = &traffic->work_us[match->table][match->route];
    *mean = *mean == 0 ? us : *mean - *mean / 8 + us / 8;
}

/* Splits the path of TARGET in TEXT. Returns the number of its segments; -1: there are too many. */
static int split(const char *target, char *text, size_t size, const char *segments[ROUTE_SEGMENTS_MAX])
{
    size_t length = strcspn(target, "?");
    char *rest = text, *segment;
    int count = 0;

    if (length >= size)
        return -1;
    memcpy(text, target, length);
    text[length] = '\0';
    while ((segment = strsep(&rest, "/")) != NULL) {
        if (*segment == '\0') /* (a path with two slashes in a row may have another class than its route) */
            continue;
        if (count == ROUTE_SEGMENTS_MAX)
            return -1;
        segments[count++] = segment;
    }
    return count;
}

static unsigned class_of(uint32_t us)
{
    unsigned class = 0;

    for (uint32_t bound = TRAFFIC_LEAST_US; us >= bound && class < TRAFFIC_CLASSES - 1; bound *= 2)
        class ++;
    return class;
}

unsigned traffic_class(const struct traffic *traffic, const char *method, const char *target)
{
    const char *segments[ROUTE_SEGMENTS_MAX];
    struct route_match match;
    char text[512];
    int count;

    if (traffic == NULL || (count = split(target, text, sizeof(text), segments)) < 0)
        return 0;
    /* (encoding a path is no way to another class than that of its route) */
    if (memchr(target, '%', strcspn(target, "?")) != NULL)
        return TRAFFIC_CLASSES - 1;
    route_find(traffic->tables, traffic->table_count, method, segments, (size_t)count, &match);
    return match.fn != NULL ? class_of(traffic->work_us[match.table][match.route]) : 0;
}

void traffic_add_refused(struct traffic *traffic)
{
    if (traffic != NULL)
        traffic->refused++;
}

void traffic_set_pools(struct traffic *traffic, const struct shares *places, const struct shares *memory)
{
    if (traffic == NULL)
        return;
    traffic->connections = places;
    traffic->memory = memory;
}

const struct shares *traffic_memory(const struct traffic *traffic)
{
    return traffic != NULL ? traffic->memory : NULL;
}

const struct shares *traffic_connections(const struct traffic *traffic)
{
    return traffic != NULL ? traffic->connections : NULL;
}

size_t traffic_paths(const struct traffic *traffic, const struct traffic_path **ret)
{
    *ret = traffic != NULL ? traffic->paths : NULL;
    return traffic != NULL ? traffic->count : 0;
}

uint64_t traffic_refused(const struct traffic *traffic)
{
    return traffic != NULL ? traffic->refused : 0;
}
