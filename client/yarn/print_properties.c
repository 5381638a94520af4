/* SPDX-License-Identifier: Apache-2.0 */
/* print_properties.c - properties as a configuration file of Hadoop */
#include <string.h>

#include "client/yarn/print.h"

/* Prints TEXT for the content of an element. Control characters, which XML does not have, become "?". */
static void print_text(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;

        if (c == '&')
            fputs("&amp;", out);
        else if (c == '<')
            fputs("&lt;", out);
        else if (c == '>')
            fputs("&gt;", out);
        else if (c < ' ' && c != '\t' && c != '\n')
            fputc('?', out);
        else
            fputc(c, out);
    }
}

void print_properties(FILE *out, const struct creel_conf_entry *entries, size_t count)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<configuration>\n", out);
    for (size_t i = 0; i < count; i++) {
        fputs("  <property>\n    <name>", out);
        print_text(out, entries[i].key);
        fputs("</name>\n    <value>", out);
        print_text(out, entries[i].value);
        fputs("</value>\n  </property>\n", out);
    }
    fputs("</configuration>\n", out);
}
