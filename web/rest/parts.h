/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parts.h - writes document parts that many replies share, and converts states to YARN's names
 *
 * A resource is written with all types of the cluster, as YARN's ResourceInfo.
 */
#ifndef CREEL_WEB_REST_PARTS_H
#define CREEL_WEB_REST_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "web/model/model.h"
#include "web/text/document.h"

/* YARN's value for "unlimited" in 32-bit numbers. */
#define REST_UNLIMITED INT64_C(2147483647)

/* Returns how REST shows MOST, a limit on running applications in a report (0: no limit; -1: the limit
 * is 0). */
static inline int64_t rest_running_limit(int64_t most)
{
    return most < 0 ? 0 : most == 0 ? REST_UNLIMITED : most;
}

/* Writes RESOURCE as the object NAME. RESOURCE NULL means zero. */
void rest_resource(struct document *document, const char *name, const Creel__ClusterInfo *cluster,
                   const Creel__Resource *resource);
/* Writes the members of a ResourceInfo into the current object. */
void rest_resource_members(struct document *document, const Creel__ClusterInfo *cluster,
                           const Creel__Resource *resource);
/* Writes RESOURCE with the minimum and maximum allocation, as YARN writes configured amounts. */
void rest_allocation(struct document *document, const char *name, const Creel__ClusterInfo *cluster,
                     const Creel__Resource *resource);
int64_t rest_memory_mb(const Creel__Resource *resource); /* NULL is 0 */
int64_t rest_vcores(const Creel__Resource *resource);
int64_t rest_amount(const Creel__Resource *resource, const char *type);
/* Returns ONE minus OTHER, in ARENA. */
const Creel__Resource *rest_difference(struct arena *arena, const Creel__Resource *one,
                                       const Creel__Resource *other);

/* Return a name of YARN's enumerations: YarnApplicationState, FinalApplicationStatus, NodeState. */
const char *rest_app_state(Creel__AppState state);
const char *rest_final_status(Creel__FinalStatus status);
const char *rest_node_state(Creel__NodeState state);
bool rest_app_is_over(const Creel__AppReport *app);
bool rest_app_state_parse(const char *text, Creel__AppState *ret); /* any case */
bool rest_final_status_parse(const char *text, Creel__FinalStatus *ret);

/* Returns "2031-01-01T00:00:00.000+0000", YARN's format of a timeout's expiry time. MS is Unix time. */
const char *rest_expiry_text(struct arena *arena, int64_t ms);
/* Reads a time of that format; the zone may also be +00:00 or Z. Returns false if TEXT is invalid. */
bool rest_expiry_parse(const char *text, int64_t *ms);
/* Returns a date as "Tue Nov 24 14:22:47 UTC 2026" */
const char *rest_date_text(struct arena *arena, int64_t ms);

#endif
