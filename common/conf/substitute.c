/* SPDX-License-Identifier: Apache-2.0 */
/* substitute.c - replaces ${...} in values */
#include "common/conf/substitute.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"

struct round {
    substitute_lookup_fn *lookup;
    void *context;
    FILE *out;
    size_t written;
    bool changed;
    char *unknown; /* owned; the first undefined variable of this round */
};

/* Returns the length of the variable's name in TEXT, which starts with "${"; 0 if TEXT is no variable, or
 * another variable is inside it. */
static size_t name_length(const char *text)
{
    size_t length = strcspn(text + 2, "}$ ");

    return text[2 + length] == '}' ? length : 0;
}

/* Looks up env.NAME, env.NAME:-default, env.NAME-default. NAME is modified. */
static const char *find_in_environment(char *name)
{
    char *dash = strchr(name, '-');
    const char *value, *fallback = NULL;
    bool empty_counts_as_unset = false;

    if (dash) {
        fallback = dash + 1;
        empty_counts_as_unset = dash > name && dash[-1] == ':';
        dash[empty_counts_as_unset ? -1 : 0] = '\0';
    }
    value = getenv(name);
    if (value == NULL || (empty_counts_as_unset && *value == '\0'))
        return fallback;
    return value;
}

static void put(struct round *round, const char *text, size_t length)
{
    round->written += length;
    if (round->written <= SUBSTITUTE_SIZE_MAX)
        fwrite(text, 1, length, round->out);
}

/* Appends the value of the variable at TEXT ("${", a name of LENGTH bytes, "}"). */
static void put_variable(struct round *round, const char *text, size_t length)
{
    scoped_free char *name = mem_strndup(text + 2, length);
    scoped_free char *variable = mem_strdup(name);
    const char *value = NULL;

    if (text_has_prefix(variable, "env.") && variable[4] != '\0')
        value = find_in_environment(variable + 4);
    if (value == NULL)
        value = round->lookup(round->context, name);
    if (value) {
        put(round, value, strlen(value));
        round->changed = true;
        return;
    }
    /* Differs: Hadoop stops at the first unknown variable and leaves those after it as they are, too.
     * Here each variable is handled separately. */
    put(round, text, length + 3);
    if (round->unknown == NULL) {
        round->unknown = name;
        name = NULL;
    }
}

/* Returns TEXT with each innermost variable replaced once; NULL if the result is too long. */
static char *replace_once(struct round *round, const char *text)
{
    char *result = NULL;
    size_t size = 0;

    round->out = open_memstream(&result, &size);
    if (round->out == NULL)
        abort();
    while (*text && round->written <= SUBSTITUTE_SIZE_MAX) {
        size_t plain = strcspn(text, "$");
        size_t length = text[plain] && text[plain + 1] == '{' ? name_length(text + plain) : 0;

        put(round, text, plain);
        text += plain;
        if (length > 0) {
            put_variable(round, text, length);
            text += length + 3;
        } else if (*text) {
            put(round, text++, 1);
        }
    }
    if (fclose(round->out) != 0)
        abort();
    if (round->written <= SUBSTITUTE_SIZE_MAX)
        return result;
    free(result);
    return NULL;
}

int substitute(const char *text, substitute_lookup_fn *lookup, void *context, char **ret, char **unknown)
{
    scoped_free char *now = mem_strdup(text);

    /* Differs: a round replaces every variable of the value, not one, so that
     * twenty-one variables side by side are fine; only depth is limited. */
    for (int i = 0; i <= SUBSTITUTE_ROUNDS; i++) {
        struct round round = { .lookup = lookup, .context = context };
        char *next = replace_once(&round, now);

        free(now);
        now = next;
        if (now && !round.changed) {
            *ret = now;
            now = NULL;
            if (unknown)
                *unknown = round.unknown;
            else
                free(round.unknown);
            return 0;
        }
        free(round.unknown);
        if (now == NULL)
            return -EFBIG;
    }
    return -ELOOP;
}
