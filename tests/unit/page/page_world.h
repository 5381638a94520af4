/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page_world.h - fixture: a fixed cluster of any number of applications, nodes and queues, for tests of web
 * pages
 *
 * One application has a name, user and diagnostics with HTML markup (HOSTILE_NAME). The fake upstream answers
 * at once and records changes.
 */
#ifndef CREEL_TESTS_PAGE_WORLD_H
#define CREEL_TESTS_PAGE_WORLD_H

#include "web/http/site.h"
#include "web/model/feed.h"
#include "web/model/view.h"

#define HOSTILE_NAME "<img src=x onerror=alert(1)>\"';--\xe2\x80\xae&amp;</script><script>alert(2)</script>"
#define WORLD_NEW_AM_LIMIT_MB \
    4321 /* of a queue that the resource manager is asked for; the model has another one */
#define WORLD_NOW_MS INT64_C(1795588212000)
#define WORLD_CLUSTER_MS INT64_C(1795500000000)

struct page_world {
    const char *user;       /* authenticated user; NULL: none. "root" is the administrator */
    bool containers_apart;  /* lists of containers have two in a reply, and none in the first */
    size_t container_count; /* of each attempt of application 7: 12, of which the last three have ended */
    size_t attempt_count;   /* of application 7: 1 */
    Creel__ContainerReport *container; /* the first one of the first attempt; NULL: made as the others */
    size_t user_count;                 /* of each queue: 3 */
    const char *history_warning;       /* of replies about the history; NULL: none */
    bool history_warns_late;           /* the first of two lists of the history has none */
    unsigned history_empty;            /* so many parts of the history have no rows yet */
    size_t asked;                      /* queries to the upstream */
    char done[256];                    /* last change, for example "kill application_1_0001 as ann: reason" */
    Creel__ClusterInfo cluster;
    Creel__AppReport **apps;
    Creel__NodeReport **nodes;
    Creel__QueueReport **queues;
    size_t app_count, node_count, queue_count;
    struct web_model *model; /* copy of the reports, made by page_world_load */
    struct web_view view;
    struct site site;
    struct arena *arena; /* arena of the reports; tests may change the reports */
};

struct page_world *page_world_new(size_t apps, size_t nodes, size_t queues_below_each);
/* Loads the model again after a test has changed reports. */
void page_world_load(struct page_world *world);
/* Replaces the model by an empty model that is not loaded. */
void page_world_unload(struct page_world *world);
void page_world_free(struct page_world *world);

#endif
