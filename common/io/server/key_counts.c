/* SPDX-License-Identifier: Apache-2.0 */
/* key_counts.c - counts the connections of each key */
#include "common/io/server/key_counts.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <uthash.h>

#include "common/base/mem.h"
#include "common/io/keys/keys.h"

struct key_count {
    char key[KEY_TEXT];
    unsigned connections;
    UT_hash_handle hh;
};

unsigned key_counts_get(const struct key_count *counts, const char *key)
{
    const struct key_count *found;

    HASH_FIND_STR(counts, key, found);
    return found != NULL ? found->connections : 0;
}

void key_counts_add(struct key_count **counts, const char *key)
{
    struct key_count *found;

    HASH_FIND_STR(*counts, key, found);
    if (found == NULL) {
        found = mem_new0(struct key_count);
        snprintf(found->key, sizeof(found->key), "%s", key);
        HASH_ADD_STR(*counts, key, found);
    }
    found->connections++;
}

void key_counts_remove(struct key_count **counts, const char *key)
{
    struct key_count *found;

    HASH_FIND_STR(*counts, key, found);
    assert(found != NULL);
    if (--found->connections > 0)
        return;
    HASH_DEL(*counts, found);
    free(found);
}
