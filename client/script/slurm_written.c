/* SPDX-License-Identifier: Apache-2.0 */
/* slurm_written.c - what the user wrote for an option of sbatch, for messages */
#include "client/script/slurm_written.h"

#include <string.h>

#include "common/base/text.h"

#define VALUE_SHOWN_MAX 60 /* bytes of a value in a message */

/* Returns what is between SPELLED and its value. */
static const char *between(const char *spelled)
{
    return text_has_prefix(spelled, "--") ? "=" : " ";
}

const char *slurm_written(const char *spelled, const char *value, struct arena *arena)
{
    size_t length = value ? strlen(value) : 0;

    if (!value)
        return spelled;
    if (length <= VALUE_SHOWN_MAX)
        return arena_printf(arena, "%s%s%s", spelled, between(spelled), value);
    length = VALUE_SHOWN_MAX;
    while (length > 0 && ((unsigned char)value[length] & 0xc0) == 0x80) /* within a character of UTF-8 */
        length--;
    return arena_printf(arena, "%s%s%.*s...", spelled, between(spelled), (int)length, value);
}

/* Returns the rest of TEXT behind "--NAME"; NULL: it does not begin so, or SPELLED is the same. */
static const char *rest_of(const char *text, const char *name, const char *spelled)
{
    size_t length = strlen(name);

    if (!text_has_prefix(text, "--") || strncmp(text + 2, name, length) != 0 ||
        (text_has_prefix(spelled, "--") && !strcmp(spelled + 2, name)))
        return NULL;
    return strchr(":= ", text[2 + length]) ? text + 2 + length : NULL;
}

static const char *separator_of(const char *rest, const char *spelled)
{
    return *rest == '=' ? between(spelled) : "";
}

void slurm_written_error(struct err *err, const char *name, const char *spelled)
{
    const char *rest = err ? rest_of(err->text, name, spelled) : NULL;
    struct err former;

    if (!rest)
        return;
    former = *err;
    rest = former.text + (rest - err->text);
    err_set(err, former.code, "%s%s%s", spelled, separator_of(rest, spelled), rest + (*rest == '='));
}

void slurm_written_notices(struct script *script, size_t from, const char *name, const char *spelled)
{
    for (size_t i = from; i < script->notice_count; i++) {
        const char *rest = rest_of(script->notices[i].text, name, spelled);

        if (rest)
            script->notices[i].text = arena_printf(script->arena, "%s%s%s", spelled,
                                                   separator_of(rest, spelled), rest + (*rest == '='));
    }
}
