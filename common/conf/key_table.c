/* SPDX-License-Identifier: Apache-2.0 */
/* key_table.c - the rows of key_table.h, and functions that find a row */
#include "common/conf/key_table.h"

#include <assert.h>
#include <string.h>

#define NAME_MAX_COMPARED 128

static const struct conf_key_info rows[CONF_KEY_COUNT] = {
#define CONF_ROW(constant, name, type, default_text, minimum, maximum, doc) \
    [CONF_##constant] = { name, type, default_text, minimum, maximum, doc },
    CONF_KEYS(CONF_ROW)
#undef CONF_ROW
};

const struct conf_key_info *conf_key_info(enum conf_key key)
{
    assert((unsigned)key < CONF_KEY_COUNT);
    return &rows[key];
}

bool conf_key_find(const char *name, enum conf_key *key)
{
    for (unsigned i = 0; i < CONF_KEY_COUNT; i++)
        if (strcmp(rows[i].name, name) == 0) {
            *key = (enum conf_key)i;
            return true;
        }
    return false;
}

/* Returns the number of bytes to insert, delete or change to turn A into B; SIZE_MAX if a name is too
 * long. */
static size_t distance_of(const char *a, const char *b)
{
    size_t width = strlen(b), row[NAME_MAX_COMPARED + 1];

    if (width > NAME_MAX_COMPARED || strnlen(a, NAME_MAX_COMPARED + 1) > NAME_MAX_COMPARED)
        return SIZE_MAX;
    for (size_t j = 0; j <= width; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t diagonal = row[0];

        row[0] = i;
        for (size_t j = 1; j <= width; j++) {
            size_t above = row[j];
            size_t best = diagonal + (a[i - 1] != b[j - 1]);

            if (above + 1 < best)
                best = above + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
            diagonal = above;
        }
    }
    return row[width];
}

struct conf_nearest conf_nearest_begin(const char *name, size_t distance_max, size_t part)
{
    size_t most = strlen(name) / part;

    return (struct conf_nearest){ name, NULL, (most < distance_max ? most : distance_max) + 1 };
}

void conf_nearest_offer(struct conf_nearest *nearest, const char *candidate)
{
    size_t distance = distance_of(nearest->name, candidate);

    if (distance >= nearest->distance)
        return;
    nearest->distance = distance;
    nearest->found = candidate;
}

const char *conf_key_nearest(const char *name, size_t distance_max)
{
    struct conf_nearest nearest = conf_nearest_begin(name, distance_max, 5);

    for (unsigned i = 0; i < CONF_KEY_COUNT; i++)
        conf_nearest_offer(&nearest, rows[i].name);
    return nearest.found;
}
