/* SPDX-License-Identifier: Apache-2.0 */
/* xml.c - writes elements of XML 1.0 */
#include "web/text/xml.h"

#include <stdbool.h>
#include <string.h>

#include "common/base/utf8.h"

#define REPLACEMENT "\xef\xbf\xbd"

void xml_begin(FILE *out, const char *name, const char *type)
{
    if (type == NULL)
        fprintf(out, "<%s>", name);
    else
        fprintf(out, "<%s xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:type=\"%s\">", name,
                type);
}

void xml_end(FILE *out, const char *name)
{
    fprintf(out, "</%s>", name);
}

void xml_empty(FILE *out, const char *name)
{
    fprintf(out, "<%s/>", name);
}

static const char *reference_of(unsigned char byte)
{
    switch (byte) {
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '&':
        return "&amp;";
    case '"':
        return "&quot;";
    case '\r':
        return "&#13;";
    default:
        return NULL;
    }
}

/* Returns whether XML 1.0 forbids the character, even as a character reference. */
static bool is_forbidden(const unsigned char *at, size_t length)
{
    static const unsigned char noncharacter[] = { 0xef, 0xbf };

    if (length == 1)
        return *at < 0x20 && *at != '\t' && *at != '\n' && *at != '\r';
    return length == 3 && memcmp(at, noncharacter, sizeof(noncharacter)) == 0 && at[2] >= 0xbe;
}

static void xml_text(FILE *out, const char *text)
{
    const unsigned char *at = (const unsigned char *)text, *plain = at; /* PLAIN to AT: not written yet */

    while (*at != '\0') {
        size_t length = utf8_length(at);
        const char *instead = length == 0 || is_forbidden(at, length) ? REPLACEMENT : reference_of(*at);

        if (instead != NULL) {
            fwrite(plain, 1, (size_t)(at - plain), out);
            fputs(instead, out);
        }
        at += length > 0 ? length : 1;
        if (instead != NULL)
            plain = at;
    }
    fwrite(plain, 1, (size_t)(at - plain), out);
}

void xml_element(FILE *out, const char *name, const char *text)
{
    xml_begin(out, name, NULL);
    xml_text(out, text);
    xml_end(out, name);
}
