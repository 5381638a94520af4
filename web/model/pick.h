/* SPDX-License-Identifier: Apache-2.0 */
/* pick.h - selects the first LIMIT rows in an order with a bounded heap */
#ifndef CREEL_WEB_MODEL_PICK_H
#define CREEL_WEB_MODEL_PICK_H

#include <stddef.h>

typedef int pick_compare_fn(const void *context, const void *a, const void *b);

struct pick {
    pick_compare_fn *compare; /* compares two rows; never returns 0 */
    const void *context;
    const void *after; /* rows up to AFTER are skipped; NULL: no row is skipped */
    size_t limit, count;
    const void **rows; /* room for LIMIT; heap whose root is last in the order */
};

/* Adds ROW. Returns the row that is not in ROWS now: ROW, or the row that it replaced; NULL: no row left. */
const void *pick_add(struct pick *pick, const void *row);
/* Sorts ROWS. */
void pick_sort(struct pick *pick);

#endif
