/* SPDX-License-Identifier: Apache-2.0 */
/* sums.h - sums over all nodes and applications (pure) */
#ifndef CREEL_WEB_REST_SUMS_H
#define CREEL_WEB_REST_SUMS_H

#include "common/base/arena.h"
#include "web/model/model.h"

struct rest_sums {
    int64_t physical_mb;                              /* memory in use on all nodes */
    uint64_t millicores;                              /* processors in use on all nodes */
    uint64_t containers_pending, containers_reserved; /* of nodes without a label */
    uint64_t containers_labelled;                     /* allocated on nodes with a label */
};

struct rest_sums rest_sums_of(const struct web_model *model, struct arena *arena);
/* Returns the processors in use, rounded. */
int64_t rest_sums_vcores(const struct rest_sums *sums);

#endif
