/* SPDX-License-Identifier: Apache-2.0 */
/* cross_origin.c - compares the origin of a page with the allowed ones */
#include "web/http/cross_origin.h"

#include <fnmatch.h>
#include <stdbool.h>
#include <string.h>

#include "common/base/mem.h"

/* Returns WORD as a pattern of fnmatch in which only a star is special. The caller frees it. */
static char *pattern_of(const char *word)
{
    char *pattern = mem_alloc0(2 * strlen(word) + 1), *out = pattern;

    for (; *word != '\0'; word++) {
        if (strchr("?[\\", *word) != NULL)
            *out++ = '\\';
        *out++ = *word;
    }
    return pattern;
}

/* Returns whether PATTERN, as "http://" and a star, matches every site: it then matches one that cannot exist
 * (RFC 2606). */
static bool matches_every_site(const char *pattern)
{
    static const char *const none[] = { "http://x.invalid", "https://x.invalid", "http://x.invalid:1",
                                        "https://x.invalid:1" };

    for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
        if (fnmatch(pattern, none[i], 0) == 0)
            return true;
    return false;
}

static enum cross_origin_match match_word(const char *word, const char *origin)
{
    scoped_free char *pattern = pattern_of(word);

    if (fnmatch(pattern, origin, 0) != 0)
        return CROSS_ORIGIN_NONE;
    return matches_every_site(pattern) ? CROSS_ORIGIN_ANY : CROSS_ORIGIN_NAMED;
}

enum cross_origin_match cross_origin_find(const struct cross_origin *settings, const char *origin)
{
    enum cross_origin_match match = CROSS_ORIGIN_NONE;
    scoped_free char *list = NULL;

    if (settings == NULL || origin == NULL)
        return CROSS_ORIGIN_NONE;
    list = mem_strdup(settings->origins);
    for (char *rest = list, *word; (word = strsep(&rest, ", ")) != NULL;) {
        enum cross_origin_match found = *word != '\0' ? match_word(word, origin) : CROSS_ORIGIN_NONE;

        if (found > match)
            match = found;
    }
    return match;
}
