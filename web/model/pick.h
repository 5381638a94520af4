/* SPDX-License-Identifier: Apache-2.0 */
/* pick.h - the first rows of many, without sorting all of them: a heap of as many as are wanted */
#ifndef CREEL_WEB_MODEL_PICK_H
#define CREEL_WEB_MODEL_PICK_H

#include <stddef.h>

typedef int pick_compare_fn(const void *context, const void *a, const void *b);

struct pick {
    pick_compare_fn *compare;           /* of two rows, which are never equal */
    const void *context;
    const void *after;                  /* rows up to this one are left out; NULL: none is */
    size_t limit, count;
    const void **rows;                  /* room for LIMIT; the last one in the order comes first */
};

void pick_add(struct pick *pick, const void *row);
/* Puts ROWS into their order. */
void pick_sort(struct pick *pick);

#endif
