/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resource_types.h - names and units of the resource types, by their index in struct resource
 *
 * Memory has index 0 and vcores 1. yarn.resource-types names the others, in their order
 * (yarn-behaviour 2.1; common/conf/resource_types.h reads it). An amount may have one of Hadoop's
 * units: p n u m k M G T P are powers of 1000, Ki Mi Gi Ti Pi powers of 1024. A number without a
 * unit is in the unit of the type: MiB for memory, yarn.resource-types.<name>.units for the others.
 */
#ifndef CREEL_BASE_RESOURCE_TYPES_H
#define CREEL_BASE_RESOURCE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/resource.h"

#define RESOURCE_TYPE_NAME_MAX 64       /* with the 0 at its end */
#define RESOURCE_UNIT_MAX 3             /* too */
#define RESOURCE_AMOUNT_MAX ((int64_t)1 << 50)
#define RESOURCE_OTHERS_MAX ((int64_t)1 << 40)  /* the maximum of who has none: no limit */
#define RESOURCE_TYPES_TEXT_MAX 800

struct resource_type {
    char name[RESOURCE_TYPE_NAME_MAX];  /* "memory-mb", "vcores", "yarn.io/gpu" */
    char unit[RESOURCE_UNIT_MAX];       /* "Mi", "", "Gi" */
};

struct resource_types {                 /* a plain value: copy it, nothing to free */
    size_t count;                       /* at least 2 */
    struct resource_type type[RESOURCE_TYPES_MAX];
};

/* What a node offers beside memory and vcores. */
struct resource_offer {
    char name[RESOURCE_TYPE_NAME_MAX];
    int64_t amount;
    char unit[RESOURCE_UNIT_MAX];       /* of AMOUNT; "": the type's own */
};

struct resource_offers {
    size_t count;
    struct resource_offer offer[RESOURCE_TYPES_MAX - 2];
};

/* Memory and vcores alone. */
struct resource_types resource_types_basic(void);
/* The same names and units in the same order? */
bool resource_types_equal(const struct resource_types *a, const struct resource_types *b);

/* Index of NAME, of LENGTH bytes, or -1. "memory", "memory-mb", "memory_mb" are 0, "vcores",
 * "vcore" are 1, "gpu" is also "yarn.io/gpu" if nothing else is called so. */
int resource_types_index(const struct resource_types *types, const char *name, size_t length);

/* May NAME be one of a type: 1 to RESOURCE_TYPE_NAME_MAX - 1 letters, digits and ._-/ */
bool resource_type_name_valid(const char *name);
/* Is UNIT one of Hadoop's? "" is. */
bool resource_unit_valid(const char *unit);

/* AMOUNT of unit FROM in unit TO, cut off towards 0. False, and *RET untouched, if one of them is no
 * unit, or what comes out is negative or above RESOURCE_AMOUNT_MAX. */
bool resource_unit_convert(int64_t amount, const char *from, const char *to, int64_t *ret);

/* "5", "16Gi", "2 k": the number and the unit behind it (borrowed from TEXT; "" if there is none).
 * False, and both untouched, if TEXT is no such thing or the number is above RESOURCE_AMOUNT_MAX. */
bool resource_amount_split(const char *text, int64_t *amount, const char **unit);

/* TEXT, "16384", "16Gi", "2k", as an amount of type INDEX: a whole number, 0 and up to
 * RESOURCE_AMOUNT_MAX, cut off towards 0. False if it is none; then *AMOUNT is untouched. */
bool resource_types_amount(const struct resource_types *types, int index, const char *text,
                           int64_t *amount);

/* "<memory:1024, vCores:1, licence: 2>" as YARN prints it; what is 0 is left out. Returns TEXT. */
const char *resource_types_format(const struct resource_types *types, const struct resource *r,
                                  char text[RESOURCE_TYPES_TEXT_MAX]);

#endif
