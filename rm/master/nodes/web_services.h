/* SPDX-License-Identifier: Apache-2.0 */
/*
 * web_services.h - when each creel-web that reports to the resource manager was last heard of
 *
 * creel-web names itself with GetClusterInfo each minute. One that has not done so for WEB_SILENT_MS is
 * silent: it crashed, hangs, or has no connection. One that is stopped reports that, and is removed at once.
 * A silent one is forgotten after WEB_FORGOTTEN_MS, as one whose host is gone for good.
 *
 * The names are settings of the store. So one that has ended while the resource manager was down, or that
 * does not come back, is silent WEB_SILENT_MS after the restart. A cluster that never had one has none.
 */
#ifndef CREEL_RM_MASTER_WEB_SERVICES_H
#define CREEL_RM_MASTER_WEB_SERVICES_H

#include <bsd/sys/queue.h>
#include <stdbool.h>
#include <stdint.h>

#define WEB_SERVICES_MAX 16                /* beyond, the one heard of first is forgotten */
#define WEB_SILENT_MS INT64_C(180000)      /* three reports */
#define WEB_FORGOTTEN_MS INT64_C(86400000) /* a day */

struct master;
struct master_node_faults;

struct web_service {
    TAILQ_ENTRY(web_service) link;
    int64_t heard_ms; /* by the clock of the steps; RESTORED: when the resource manager started */
    bool restored;    /* it was not heard of since then */
    char name[];
};

struct web_services { /* owned; the one heard of first is first */
    TAILQ_HEAD(, web_service) list;
    uint32_t count;
    bool changed; /* the settings do not have these names */
};

void rm_web_services_init(struct master *m);
void rm_web_services_free(struct master *m);
/* NAME, as "creel-web at rm.example.org:8090", has reported. STOPS: it is being stopped. */
void rm_web_services_heard(struct master *m, const char *name, bool stops);
/* After the settings were read, and in the first step: all that are stored were heard of now. */
void rm_web_services_recovered(struct master *m);
/* Stores the names, if they have changed. (A report comes with a query, which stores nothing itself.) */
void rm_web_services_store(struct master *m);
/* Sets the numbers of RET, and a text with the silent ones, in the arena of the step. */
void rm_web_services_find(struct master *m, struct master_node_faults *ret);

#endif
