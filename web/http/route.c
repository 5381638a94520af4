/* SPDX-License-Identifier: Apache-2.0 */
/* route.c - finds the handler of a path by linear search of the route tables */
#include "web/http/route.h"

#include <stdio.h>
#include <string.h>

#include "common/base/text.h"

/* Returns whether PATTERN matches SEGMENTS. If so, CAPTURES has the segments that its stars matched, and
 * *STARS their number. */
static bool matches(const char *pattern, const char *const *segments, size_t count, const char **captures,
                    size_t *stars)
{
    *stars = 0;
    for (size_t i = 0; i < count; i++) {
        const char *segment = segments[i];
        size_t length;

        if (*pattern++ != '/')
            return false;
        length = strcspn(pattern, "/");
        if (length == 1 && *pattern == '*' && *segment != '\0' && *stars < ROUTE_CAPTURES_MAX)
            captures[(*stars)++] = segment;
        else if (strlen(segment) != length || memcmp(segment, pattern, length) != 0)
            return false;
        pattern += length;
    }
    return *pattern == '\0' || (count == 0 && strcmp(pattern, "/") == 0);
}

static bool is_listed(const char *allow, const char *method)
{
    size_t length = strlen(method);

    for (const char *at = strstr(allow, method); at != NULL; at = strstr(at + 1, method))
        if ((at == allow || at[-1] == ' ') && (at[length] == ',' || at[length] == '\0'))
            return true;
    return false;
}

static void add_method(char allow[ROUTE_ALLOW_MAX], const char *method)
{
    size_t length = strlen(allow);

    if (!is_listed(allow, method))
        snprintf(allow + length, ROUTE_ALLOW_MAX - length, "%s%s", length ? ", " : "", method);
}

void route_find(const struct route_table *tables, size_t table_count, const char *method,
                const char *const *segments, size_t segment_count, struct route_match *ret)
{
    const char *wanted = strcmp(method, "HEAD") == 0 ? "GET" : method;
    size_t best_stars = ROUTE_CAPTURES_MAX + 1;

    *ret = (struct route_match){ .fn = NULL };
    for (size_t t = 0; t < table_count; t++) {
        for (const struct route *route = tables[t].routes; route->method != NULL; route++) {
            const char *captures[ROUTE_CAPTURES_MAX] = { NULL };
            size_t stars;

            if (!matches(route->pattern, segments, segment_count, captures, &stars))
                continue;
            add_method(ret->allow, route->method);
            if (strcmp(route->method, "GET") == 0)
                add_method(ret->allow, "HEAD");
            if (strcmp(route->method, wanted) == 0 && stars < best_stars) {
                best_stars = stars;
                ret->fn = route->fn;
                ret->table = t;
                ret->route = (size_t)(route - tables[t].routes);
                memcpy(ret->captures, captures, sizeof(captures));
            }
        }
    }
}

const struct route_table *route_table_of(const struct route_table *tables, size_t table_count,
                                         const char *path)
{
    const struct route_table *best = &tables[0];
    size_t best_length = 0;

    for (size_t t = 0; t < table_count; t++) {
        size_t length = strlen(tables[t].prefix);

        if (length > best_length && text_has_prefix(path, tables[t].prefix)) {
            best = &tables[t];
            best_length = length;
        }
    }
    return best;
}
