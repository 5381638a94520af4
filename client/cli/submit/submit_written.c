/* SPDX-License-Identifier: Apache-2.0 */
/* submit_written.c - names an option in an error as the user wrote it, and where */
#include "client/cli/submit/submit_written.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"

#define DIGITS "0123456789"

/* Returns the rest of TEXT behind the option of ITEM, "--NAME", its value or number, as ": expected ...". The
 * dashes may be missing. NULL: TEXT does not begin so. */
static const char *skip_option(const struct option_value *item, const char *text)
{
    const char *at = text, *value = item->value ? item->value : "";
    bool has_dashes = text_skip_word(&at, "--");

    if (!text_skip_word(&at, item->spec->name) || !strchr(":= ", *at))
        return NULL;
    if (*at == '\0' || *at == ':')
        return at;
    at++;
    if (text_has_prefix(at, value) && at[strlen(value)] == ':')
        return at + strlen(value);
    if (at[strspn(at, DIGITS)] == ':')
        return at + strspn(at, DIGITS);
    return has_dashes ? at - 1 : NULL;
}

/* Writes TEXT for the user. */
static void rename_option(const struct option_value *item, const char *text, char *ret, size_t size)
{
    const char *rest = skip_option(item, text);

    if (rest && item->written)
        snprintf(ret, size, "%s: %s%s", item->origin, item->written, rest);
    else
        snprintf(ret, size, "%s: %s", item->origin, text);
}

void submit_written_item(const struct option_value *item, struct err *err)
{
    struct err former = *err;

    if (item->origin)
        rename_option(item, former.text, err->text, sizeof(err->text));
}

/* Returns the option that TEXT begins with: the last one of its name, or the one with the number that follows
 * ("--tag 2: ..."). NULL: none. */
static const struct option_value *find_item(const struct options *options, const char *text)
{
    const struct option_value *found = NULL;
    unsigned long number = 0, seen = 0;

    for (size_t i = 0; i < options->count; i++) {
        const struct option_value *item = &options->items[i];
        const char *at = text;

        text_skip_word(&at, "--");
        if (!text_skip_word(&at, item->spec->name) || !strchr(":= ", *at))
            continue;
        seen++;
        if (*at == ' ' && at[1 + strspn(at + 1, DIGITS)] == ':')
            number = strtoul(at + 1, NULL, 10);
        if (number == 0 || seen == number || !found)
            found = item;
    }
    return found;
}

/* The resource manager names a queue without the option: "nosuch: no such queue". Returns that option. */
static const struct option_value *find_queue(const struct options *options, const char *text)
{
    const struct option_value *found = NULL;

    for (size_t i = 0; i < options->count; i++) {
        const struct option_value *item = &options->items[i];
        const char *at = text;

        if (item->origin && item->value && *item->value && !strcmp(item->spec->name, "queue") &&
            text_skip_word(&at, item->value) && text_has_prefix(at, ": "))
            found = item;
    }
    return found;
}

void submit_written_name(const struct options *options, struct creel_error *error)
{
    const struct option_value *item = find_item(options, error->text);
    const struct option_value *queue = item ? NULL : find_queue(options, error->text);
    struct creel_error former = *error;

    if (queue)
        snprintf(error->text, sizeof(error->text), "%s: %s%s%s", queue->origin,
                 queue->written ? queue->written : "--queue ", queue->written ? "" : queue->value,
                 former.text + strlen(queue->value));
    if (item && item->origin && skip_option(item, former.text))
        rename_option(item, former.text, error->text, sizeof(error->text));
}
