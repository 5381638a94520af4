/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resource_types.h - names and units of the resource types; parses and converts amounts
 *
 * The index of a type is its index in struct resource: memory has index 0 and vcores 1. yarn.resource-types
 * names the others, in their order (yarn-behaviour 2.1; common/conf/resource_types.h reads that key). An
 * amount may have one of Hadoop's units: p n u m k M G T P are powers of 1000, Ki Mi Gi Ti Pi powers of 1024.
 * A number without a unit is in the unit of the type: MiB for memory, yarn.resource-types.<name>.units for
 * the others.
 */
#ifndef CREEL_BASE_RESOURCE_TYPES_H
#define CREEL_BASE_RESOURCE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/resource.h"

#define RESOURCE_TYPE_NAME_MAX 64 /* bytes, terminator included */
#define RESOURCE_UNIT_MAX 3       /* bytes, terminator included */
#define RESOURCE_AMOUNT_MAX ((int64_t)1 << 50)
#define RESOURCE_OTHERS_MAX ((int64_t)1 << 40) /* limit of a type without a configured maximum */
#define RESOURCE_TYPES_TEXT_MAX 800

struct resource_type {
    char name[RESOURCE_TYPE_NAME_MAX]; /* "memory-mb", "vcores", "yarn.io/gpu" */
    char unit[RESOURCE_UNIT_MAX];      /* "Mi", "", "Gi" */
};

struct resource_types { /* a plain value: may be copied, owns no memory */
    size_t count;       /* at least 2 */
    struct resource_type type[RESOURCE_TYPES_MAX];
};

/* A resource that a node offers beside memory and vcores. */
struct resource_offer {
    char name[RESOURCE_TYPE_NAME_MAX];
    int64_t amount;
    char unit[RESOURCE_UNIT_MAX]; /* unit of AMOUNT; "": the unit of the type */
};

struct resource_offers {
    size_t count;
    struct resource_offer offer[RESOURCE_TYPES_MAX - 2];
};

/* Returns the types memory and vcores alone. */
struct resource_types resource_types_basic(void);
/* Returns true if A and B have the same names and units in the same order. */
bool resource_types_equal(const struct resource_types *a, const struct resource_types *b);

/* Returns the index of NAME, which has LENGTH bytes, or -1. "memory", "memory-mb", "memory_mb" are 0,
 * "vcores", "vcore" are 1, "gpu" is also "yarn.io/gpu" unless another type has the name "gpu". */
int resource_types_index(const struct resource_types *types, const char *name, size_t length);

/* Returns true if NAME is a valid name of a type: 1 to RESOURCE_TYPE_NAME_MAX - 1 letters, digits and ._-/ */
bool resource_type_name_valid(const char *name);
/* Returns true if UNIT is one of Hadoop's units, or "". */
bool resource_unit_valid(const char *unit);

/* Converts AMOUNT from unit FROM to unit TO, rounded towards 0. Returns false, and leaves *RET untouched, if
 * FROM or TO is no unit, or the result is negative or above RESOURCE_AMOUNT_MAX. */
bool resource_unit_convert(int64_t amount, const char *from, const char *to, int64_t *ret);

/* Splits "5", "16Gi" or "2 k" into the number and the unit after it (*UNIT is borrowed from TEXT; "" if TEXT
 * has no unit). Returns false, and leaves both untouched, if TEXT has another form or the number is above
 * RESOURCE_AMOUNT_MAX. */
bool resource_amount_split(const char *text, int64_t *amount, const char **unit);

/* Parses TEXT ("16384", "16Gi", "2k") as an amount of type INDEX: a whole number from 0 to
 * RESOURCE_AMOUNT_MAX, rounded towards 0. Returns false, and leaves *AMOUNT untouched, if TEXT is no
 * amount. */
bool resource_types_amount(const struct resource_types *types, int index, const char *text, int64_t *amount);

/* Formats R as YARN prints it: "<memory:1024, vCores:1, licence: 2>". Further types with amount 0 are left
 * out. Returns TEXT. */
const char *resource_types_format(const struct resource_types *types, const struct resource *r,
                                  char text[RESOURCE_TYPES_TEXT_MAX]);

#endif
