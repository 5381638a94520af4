/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route.h - maps a request's method and path to a handler
 *
 * A pattern is a path in which `*` is any one segment that is not empty: "/ws/v1/cluster/apps/" and a star.
 * If several routes match, the one with the fewest stars is used. HEAD uses the route of GET. If a path has
 * routes for other methods only, the answer is 405 with the header Allow. OPTIONS of a path with routes gets
 * 204 with Allow.
 */
#ifndef CREEL_WEB_HTTP_ROUTE_H
#define CREEL_WEB_HTTP_ROUTE_H

#include <stdbool.h>
#include <stddef.h>

struct exchange;
typedef void exchange_fn(struct exchange *exchange);
/* Answers EXCHANGE with STATUS, at least 400, and MESSAGE, a sentence. */
typedef void exchange_refuse_fn(struct exchange *exchange, int status, const char *message);

struct route {
    const char *method; /* NULL: end of the table */
    const char *pattern;
    exchange_fn *fn;
};

/* The routes of one part of the site. REFUSE sends the errors of all paths that begin with PREFIX, with or
 * without a route. If a path has the prefixes of several tables, the longest prefix applies. */
struct route_table {
    const struct route *routes;
    const char *prefix;
    exchange_refuse_fn *refuse;
};

#define ROUTE_CAPTURES_MAX 4
#define ROUTE_SEGMENTS_MAX 16
#define ROUTE_ALLOW_MAX 64

struct route_match {
    exchange_fn *fn;     /* NULL: no route has this method and path */
    size_t table, route; /* indexes of the route, if FN is not NULL */
    const char *captures[ROUTE_CAPTURES_MAX];
    char allow[ROUTE_ALLOW_MAX]; /* methods of all routes that match the path: "GET, HEAD, PUT"; "": none */
};

/* Finds the route of METHOD for the decoded SEGMENTS, and fills RET. METHOD HEAD matches GET. */
void route_find(const struct route_table *tables, size_t table_count, const char *method,
                const char *const *segments, size_t segment_count, struct route_match *ret);
/* Returns the table whose REFUSE handles errors of PATH: the longest matching prefix, else the first. */
const struct route_table *route_table_of(const struct route_table *tables, size_t table_count,
                                         const char *path);

#endif
