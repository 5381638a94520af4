/* SPDX-License-Identifier: Apache-2.0 */
/* pick.c - selects the first rows with a bounded heap */
#include "web/model/pick.h"

static int compare(const struct pick *pick, const void *a, const void *b)
{
    return pick->compare(pick->context, a, b);
}

/* Inserts ROW into the heap of COUNT rows, in which index I is free. */
static void sink(struct pick *pick, size_t count, size_t i, const void *row)
{
    for (size_t child = 2 * i + 1; child < count; child = 2 * i + 1) {
        if (child + 1 < count && compare(pick, pick->rows[child + 1], pick->rows[child]) > 0)
            child++;
        if (compare(pick, row, pick->rows[child]) >= 0)
            break;
        pick->rows[i] = pick->rows[child];
        i = child;
    }
    pick->rows[i] = row;
}

static void rise(struct pick *pick, size_t i, const void *row)
{
    while (i > 0 && compare(pick, row, pick->rows[(i - 1) / 2]) > 0) {
        pick->rows[i] = pick->rows[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    pick->rows[i] = row;
}

const void *pick_add(struct pick *pick, const void *row)
{
    const void *last;

    if (pick->limit == 0 || (pick->after != NULL && compare(pick, row, pick->after) <= 0))
        return row;
    if (pick->count < pick->limit) {
        rise(pick, pick->count++, row);
        return NULL;
    }
    last = pick->rows[0];
    if (compare(pick, row, last) >= 0)
        return row;
    sink(pick, pick->count, 0, row);
    return last;
}

void pick_sort(struct pick *pick)
{
    for (size_t count = pick->count; count > 1; count--) {
        const void *last = pick->rows[count - 1];

        pick->rows[count - 1] = pick->rows[0];
        sink(pick, count - 1, 0, last);
    }
}
