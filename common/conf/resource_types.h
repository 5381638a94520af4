/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resource_types.h - which index of a struct resource is called what
 *
 * Memory is 0 and vcores is 1, always; yarn.resource-types names those that follow, in its
 * order (yarn-behaviour 2.1). Amounts may carry one of Hadoop's units: p n u m k M G T P are
 * powers of 1000, Ki Mi Gi Ti Pi powers of 1024; a bare number is in the type's own unit, which
 * is MiB for memory and what yarn.resource-types.<name>.units says for the others.
 */
#ifndef CREEL_CONF_RESOURCE_TYPES_H
#define CREEL_CONF_RESOURCE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"
#include "common/base/resource.h"
#include "common/conf/conf.h"

#define RESOURCE_TYPE_NAME_MAX 64       /* with the 0 at its end */
#define RESOURCE_AMOUNT_MAX ((int64_t)1 << 50)

struct resource_type {
    char name[RESOURCE_TYPE_NAME_MAX];  /* "memory-mb", "vcores", "yarn.io/gpu" */
    char unit[3];                       /* "Mi", "", "Gi" */
};

struct resource_types {                 /* a plain value: copy it, nothing to free */
    size_t count;                       /* at least 2 */
    struct resource_type type[RESOURCE_TYPES_MAX];
};

/* Memory and vcores alone. */
struct resource_types resource_types_basic(void);

/* What CONF says in yarn.resource-types and yarn.resource-types.<name>.units. -EINVAL: a name
 * is twice in it, too long or no name, a unit is none, -E2BIG: more than RESOURCE_TYPES_MAX;
 * ERR names file and line, and *TYPES is untouched. */
int resource_types_load(const struct conf *conf, struct resource_types *types, struct err *err);

/* Index of NAME, of LENGTH bytes, or -1. "memory", "memory-mb", "memory_mb" are 0, "vcores",
 * "vcore" are 1, "gpu" is also "yarn.io/gpu" if nothing else is called so. */
int resource_types_index(const struct resource_types *types, const char *name, size_t length);

/* TEXT, "16384", "16Gi", "2k", as an amount of type INDEX: a whole number, 0 and up to
 * RESOURCE_AMOUNT_MAX, cut off towards 0. False if it is none; then *AMOUNT is untouched. */
bool resource_types_amount(const struct resource_types *types, int index, const char *text,
                           int64_t *amount);

#endif
