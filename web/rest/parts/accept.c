/* SPDX-License-Identifier: Apache-2.0 */
/* accept.c - chooses JSON or XML by the Accept header */
#include "web/rest/parts/accept.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Returns the quality value of the range of LENGTH bytes at AT, "type/subtype;a=b;q=0.5". */
static double quality_of(const char *at, size_t length)
{
    const char *end = at + length;

    while ((at = memchr(at, ';', (size_t)(end - at))) != NULL) {
        at++;
        while (at < end && (*at == ' ' || *at == '\t'))
            at++;
        if (end - at > 2 && (*at == 'q' || *at == 'Q') && at[1] == '=')
            return strtod(at + 2, NULL);
    }
    return 1;
}

/* Returns how exactly the range at AT matches TYPE ("application/json"); 0: no match. */
static int fit_of(const char *at, size_t length, const char *type)
{
    size_t name_length = strcspn(at, ",; \t");

    if (name_length > length)
        name_length = length;
    if (name_length == strlen(type) && strncasecmp(at, type, name_length) == 0)
        return 3;
    if (name_length == 13 && strncasecmp(at, "application/*", 13) == 0)
        return 2;
    return name_length == 3 && memcmp(at, "*/*", 3) == 0 ? 1 : 0;
}

static double quality_for(const char *accept, const char *type)
{
    double quality = 0;
    int best = 0;

    for (const char *at = accept; *at != '\0'; at += strspn(at, ", \t")) {
        size_t length = strcspn(at, ",");
        int fit = fit_of(at, length, type);

        if (fit > best) {
            best = fit;
            quality = quality_of(at, length);
        }
        at += length;
    }
    return quality;
}

enum accept_format accept_choose(const char *accept)
{
    double json, xml;

    if (accept == NULL || *accept == '\0')
        return ACCEPT_JSON;
    json = quality_for(accept, "application/json");
    xml = quality_for(accept, "application/xml");
    if (json <= 0 && xml <= 0)
        return ACCEPT_NONE;
    return xml > json ? ACCEPT_XML : ACCEPT_JSON;
}
