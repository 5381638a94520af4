/* SPDX-License-Identifier: Apache-2.0 */
/* cross_origin.c - compares the origin of a page with the allowed ones */
#include "web/http/cross_origin.h"

#include <fnmatch.h>
#include <string.h>

#include "common/base/mem.h"

enum cross_origin_match cross_origin_find(const struct cross_origin *settings, const char *origin)
{
    enum cross_origin_match match = CROSS_ORIGIN_NONE;
    scoped_free char *list = NULL;

    if (settings == NULL || origin == NULL)
        return CROSS_ORIGIN_NONE;
    list = mem_strdup(settings->origins);
    for (char *rest = list, *word; (word = strsep(&rest, ", ")) != NULL;) {
        if (strcmp(word, "*") == 0)
            match = CROSS_ORIGIN_ANY;
        else if (*word != '\0' && fnmatch(word, origin, FNM_NOESCAPE) == 0)
            return CROSS_ORIGIN_NAMED;
    }
    return match;
}
