/* SPDX-License-Identifier: Apache-2.0 */
/* slurm_words.h - the arena and the words of the tests of Slurm's command lines. Included after cmocka.h. */
#ifndef CREEL_TESTS_UNIT_SLURM_WORDS_H
#define CREEL_TESTS_UNIT_SLURM_WORDS_H

#include <string.h>

#include "common/base/arena.h"

static struct arena *arena; /* of one test */

static int set_up(void **state)
{
    (void)state;
    arena = arena_new();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

/* Returns WORDS, which blanks separate, as a list in ARENA that ends with NULL. */
static inline const char *const *split_words(const char *words)
{
    const char **list = arena_array0(arena, strlen(words) + 2, sizeof(*list));
    char *rest = arena_strdup(arena, words);
    size_t count = 0;

    for (char *word; (word = strsep(&rest, " ")) != NULL;)
        list[count++] = word;
    return list;
}

#endif
