/* SPDX-License-Identifier: Apache-2.0 */
/* resource.h - amounts of resources, and sums of them. A resource that is NULL has nothing. */
#ifndef CREEL_YARN_RESOURCE_H
#define CREEL_YARN_RESOURCE_H

#include <stdint.h>

#include "common/base/arena.h"
#include "common/proto/creel.pb-c.h"

int64_t yarn_memory_mb(const Creel__Resource *resource);
int64_t yarn_vcores(const Creel__Resource *resource);
/* Returns the amount of a type of resource: "memory-mb", "vcores", "yarn.io/gpu". */
int64_t yarn_amount(const Creel__Resource *resource, const char *type);
/* Return ONE plus or minus OTHER, in ARENA. */
const Creel__Resource *yarn_sum(struct arena *arena, const Creel__Resource *one,
                                const Creel__Resource *other);
const Creel__Resource *yarn_difference(struct arena *arena, const Creel__Resource *one,
                                       const Creel__Resource *other);

#endif
