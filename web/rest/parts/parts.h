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

/* Writes RESOURCE as the object NAME. RESOURCE NULL means zero. */
void rest_resource(struct document *document, const char *name, const Creel__ClusterInfo *cluster,
                   const Creel__Resource *resource);
/* Writes the members of a ResourceInfo into the current object. */
void rest_resource_members(struct document *document, const Creel__ClusterInfo *cluster,
                           const Creel__Resource *resource);
/* Writes RESOURCE with the minimum and maximum allocation, as YARN writes configured amounts. */
void rest_allocation(struct document *document, const char *name, const Creel__ClusterInfo *cluster,
                     const Creel__Resource *resource);
/* Returns the host of the node NODE_ID, "HOST:PORT", in ARENA. */
const char *rest_node_host(struct arena *arena, const char *node_id);

/* Returns "2031-01-01T00:00:00.000+0000", YARN's format of a timeout's expiry time. MS is Unix time. */
const char *rest_expiry_text(struct arena *arena, int64_t ms);
/* Reads a time of that format; the zone may also be +00:00 or Z. Returns false if TEXT is invalid. */
bool rest_expiry_parse(const char *text, int64_t *ms);
/* Returns a date as "Tue Nov 24 14:22:47 UTC 2026" */
const char *rest_date_text(struct arena *arena, int64_t ms);

#endif
