/* SPDX-License-Identifier: Apache-2.0 */
/* key_table.c - the rows of key_table.h, and how to find one */
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

size_t conf_key_distance(const char *a, const char *b)
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

const char *conf_key_nearest(const char *name, size_t distance_max)
{
    size_t length = strnlen(name, NAME_MAX_COMPARED + 1);
    size_t best = (length / 5 < distance_max ? length / 5 : distance_max) + 1;
    const char *nearest = NULL;

    if (length > NAME_MAX_COMPARED)
        return NULL;
    for (unsigned i = 0; i < CONF_KEY_COUNT; i++) {
        size_t distance = conf_key_distance(name, rows[i].name);

        if (distance < best) {
            best = distance;
            nearest = rows[i].name;
        }
    }
    return nearest;
}
