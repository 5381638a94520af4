/* SPDX-License-Identifier: Apache-2.0 */
/*
 * amounts.h - allocated, reserved, pending and available resources, as YARN counts them (pure)
 *
 * The use of a queue includes what is reserved, except in the fair scheduler; the use of the cluster, of
 * nodes and of applications never does.
 */
#ifndef CREEL_WEB_REST_AMOUNTS_H
#define CREEL_WEB_REST_AMOUNTS_H

#include "common/base/arena.h"
#include "web/model/model.h"

struct rest_amounts {
    const Creel__Resource *total, *allocated, *reserved, *pending, *available;
};

/* Returns the amounts of all nodes of the cluster. */
struct rest_amounts rest_cluster_amounts(struct arena *arena, const struct web_model *model);
/* Returns the amounts that YARN shows for the cluster: with the capacity scheduler, those of nodes without a
 * label. */
struct rest_amounts rest_shown_amounts(struct arena *arena, const struct web_model *model);
/* Returns the resources of all nodes without a label. */
const Creel__Resource *rest_unlabelled_total(struct arena *arena, const Creel__ClusterInfo *cluster);
/* Returns the part of USED, the use of a queue, that containers have; the rest of it is RESERVED. */
const Creel__Resource *rest_allocated(struct arena *arena, const Creel__ClusterInfo *cluster,
                                      const Creel__Resource *used, const Creel__Resource *reserved);

#endif
