/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_rest_world.h - fixture: the site of creel-nm-web over a fixed state of an agent
 *
 * The log stdout of each container is NODE_REST_LOG; stderr was not written. Reading is not permitted if
 * `refuses_logs` is set.
 *
 * The node n1:8041 has four containers: of application 1 (ann) one that runs and one that is being stopped;
 * of application 2 (bob), which is over, one that failed; of application 3 (bob) one that fetches its files.
 */
#ifndef CREEL_TESTS_NODE_REST_WORLD_H
#define CREEL_TESTS_NODE_REST_WORLD_H

#include "nm-agent/web/view.h"
#include "web/http/site.h"

#define NODE_REST_CONTAINERS 4
#define NODE_REST_LOG "one\n<two>\n"

struct node_rest_world {
    struct site site;
    struct node_view view;
    bool refuses_logs, has_no_logs; /* every query for a log gets this error */
    Creel__AgentSnapshot snapshot;
    Creel__Resource total, small;
    Creel__AgentContainer containers[NODE_REST_CONTAINERS];
    Creel__AgentContainer *list[NODE_REST_CONTAINERS];
    Creel__AgentMetrics metrics;
    Creel__Histogram starts;
    Creel__AgentPressure pressure[2], *pressures[2];
    Creel__AgentDisk disk[2], *disks[2];
};

void node_rest_world_fill(struct node_rest_world *world);

/* Sends a request to the site; ACCEPT may be NULL. Returns "STATUS CONTENT-TYPE BODY", which the caller
 * frees. */
char *node_rest_ask(const struct node_rest_world *world, const char *method, const char *target,
                    const char *accept);
/* The same for GET, with "STATUS LOCATION". */
char *node_rest_ask_location(const struct node_rest_world *world, const char *target);
/* The same for GET with the header Range, with "STATUS CONTENT-RANGE BODY". */
char *node_rest_ask_range(const struct node_rest_world *world, const char *target, const char *range);

#endif
