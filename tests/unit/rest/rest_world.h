/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rest_world.h - the cluster of page_world.h, asked over the REST interface
 *
 * Queues have settings of the capacity scheduler, the cluster has counters, and a node has the label gpu.
 */
#ifndef CREEL_TESTS_REST_WORLD_H
#define CREEL_TESTS_REST_WORLD_H

#include "tests/unit/page/page_world.h"

struct rest_world {
    struct page_world *page;
    struct exchange *exchange; /* of the last request */
    char *text;                /* its answer: "STATUS CONTENT-TYPE\nBODY" */
    bool drops;                /* rest_world_drop_text */
};

/* Every part of the site, in their order. */
extern const struct route_table rest_world_tables[];
extern const size_t rest_world_table_count;

/* Completes the reports of WORLD for REST, and makes its site that of REST and pages. */
void rest_world_complete(struct page_world *world);

struct rest_world *rest_world_new(size_t apps, size_t nodes);
void rest_world_free(struct rest_world *world);
/* The answer; valid until the next request. ACCEPT may be NULL. */
/* From now on, answers are read and not kept: the texts have the status alone. */
void rest_world_drop_text(struct rest_world *world);
const char *rest_world_get(struct rest_world *world, const char *target, const char *accept);
/* With a body of CONTENT_TYPE, which may be NULL, and no Accept. */
const char *rest_world_send(struct rest_world *world, const char *method, const char *target,
                            const char *content_type, const char *body);
/* A header of the last answer; NULL: it has none. */
const char *rest_world_header(const struct rest_world *world, const char *name);

#endif
