/* SPDX-License-Identifier: Apache-2.0 */
/*
 * traffic.h - counts requests by route and status, and measures how long their answers took, and what work
 * they are (pure)
 *
 * A request is counted under the pattern of its route, never under its address, so that the number of
 * counters is limited by the routes of the site. Requests without a route are counted under TRAFFIC_OTHER.
 */
#ifndef CREEL_WEB_HTTP_TRAFFIC_H
#define CREEL_WEB_HTTP_TRAFFIC_H

#include <stdint.h>

#include "common/base/histogram.h"
#include "common/base/shares.h"
#include "web/http/route.h"

#define TRAFFIC_OTHER "other"
#define TRAFFIC_CLASSES 6    /* of routes, by the work of a request; 0: less than TRAFFIC_LEAST_US */
#define TRAFFIC_LEAST_US 125 /* each further class has twice the work */
#define TRAFFIC_CODES_MAX 15 /* statuses of one pattern that are counted apart */

struct traffic; /* opaque */

struct traffic_code {
    int status; /* 0: all further statuses */
    uint64_t count;
};

/* The requests of one pattern. */
struct traffic_path {
    const char *pattern;
    struct traffic_code codes[TRAFFIC_CODES_MAX + 1];
    size_t code_count;
    struct histogram seconds; /* from the complete request to its answer; of a stream, to its headers */
};

/* TABLES must outlive the result. */
struct traffic *traffic_new(const struct route_table *tables, size_t table_count);
void traffic_free(struct traffic *traffic); /* NULL is fine, here and below */

/* Counts a request with its answer. MATCH is the result of route_find for the same tables. */
void traffic_add(struct traffic *traffic, const struct route_match *match, int status, double seconds);
/* Takes the work of a request, on the clock of the loop's thread; the class follows the last requests. */
void traffic_add_work(struct traffic *traffic, const struct route_match *match, int64_t ns);
/* Returns the class of the route of a request that was not parsed yet. A path that has no route, or had no
 * request yet, has the lowest; one that is percent-encoded the highest. */
unsigned traffic_class(const struct traffic *traffic, const char *method, const char *target);
/* Counts a refused sign-in: a token or password was not valid. */
void traffic_add_refused(struct traffic *traffic);

/* Sets the places of the server's connections, and its memory for bodies and answers in KiB, borrowed; NULL:
 * there is no server. */
void traffic_set_pools(struct traffic *traffic, const struct shares *places, const struct shares *memory);
const struct shares *traffic_connections(const struct traffic *traffic);
const struct shares *traffic_memory(const struct traffic *traffic);

/* Returns the paths, with those that had no request yet. */
size_t traffic_paths(const struct traffic *traffic, const struct traffic_path **ret);
uint64_t traffic_refused(const struct traffic *traffic);

#endif
