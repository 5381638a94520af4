/* SPDX-License-Identifier: Apache-2.0 */
/* slurm.c - translates the directives of a Slurm script into options of creel submit */
#include "client/script/slurm.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "client/script/slurm_options.h"
#include "client/script/slurm_size.h"
#include "common/base/text.h"

struct translation {
    slurm_known *known;
    struct script *to;
    struct slurm_size size;
    unsigned line;
    struct err *err;
};

static void put(struct translation *translation, const char *option, const char *value)
{
    struct arena *arena = translation->to->arena;
    const char **words = arena_array0(arena, 2, sizeof(*words));

    words[0] = arena_printf(arena, "--%s%s%s", option, value ? "=" : "", value ? value : "");
    script_add(translation->to, translation->line, words, 1);
}

static void ignore(struct translation *translation, const char *name, const char *because)
{
    script_add_notice(translation->to, translation->line, true, "--%s: ignored%s%s", name,
                      because ? "; " : "", because ? because : "");
}

static bool is_number(const char *text)
{
    size_t digits = strspn(text, "0123456789");

    return digits > 0 && text[digits] == '\0';
}

/* Translates a time: a number alone is minutes; "no limit" has the same meaning in creel. */
static void put_time(struct translation *translation, const struct slurm_option *option, const char *value)
{
    if (!strcasecmp(value, "unlimited") || !strcasecmp(value, "infinite") || !strcmp(value, "0"))
        return;
    put(translation, option->target,
        is_number(value) ? arena_printf(translation->to->arena, "%sm", value) : value);
}

/* Translates the name of one feature of nodes. */
static void put_label(struct translation *translation, const struct slurm_option *option, const char *value)
{
    if (value[strcspn(value, "&|,*[]()")] == '\0')
        put(translation, option->target, value);
    else
        script_add_notice(translation->to, translation->line, true, "--%s=%s: ignored; a job has one label",
                          option->name, value);
}

/* Translates [R:|B:]SIGNAL[@SECONDS]; default: 60 seconds before the end. */
static void put_signal(struct translation *translation, const struct slurm_option *option, const char *value)
{
    const char *at = strchr(value, '@');
    const char *name = strchr(value, ':');
    size_t length;

    name = name && (!at || name < at) ? name + 1 : value;
    length = at && at > name ? (size_t)(at - name) : strlen(name);
    put(translation, option->target,
        arena_printf(translation->to->arena, "%.*s@%ss", (int)length, name,
                     at && is_number(at + 1) ? at + 1 : "60"));
}

/* Translates ALL, NONE, NIL, or a list of names, NAME=VALUE and ALL. */
static void put_export(struct translation *translation, const struct slurm_option *option, const char *value)
{
    char *rest = arena_strdup(translation->to->arena, value);
    char *word;

    while ((word = text_next_word(&rest)) != NULL) {
        if (!strcasecmp(word, "NIL"))
            put(translation, option->target, "none");
        else if (!strcmp(word, "ALL") || !strcmp(word, "NONE"))
            put(translation, option->target, *word == 'A' ? "all" : "none");
        else
            put(translation, option->target, word);
    }
}

static int translate_option(struct translation *translation, const struct slurm_option *option,
                            const char *value)
{
    const char *target = option->target;
    bool known = target && translation->known(target, strlen(target));

    switch (option->action) {
    case SLURM_SILENT:
        return 0;
    case SLURM_IGNORED:
        ignore(translation, option->name, target);
        return 0;
    case SLURM_SIZE:
        return slurm_size_read(&translation->size, option->name, value, translation->line, translation->to,
                               translation->err);
    case SLURM_NEEDED:
        if (!known)
            return err_set(translation->err, EINVAL, "--%s: this version of creel does not have it",
                           option->name);
        put(translation, target, value);
        return 0;
    case SLURM_SAME:
    case SLURM_LABEL:
    case SLURM_TIME:
    case SLURM_SIGNAL:
    case SLURM_EXPORT:
    case SLURM_ACCOUNT:
    case SLURM_NO_REQUEUE:
        break;
    }
    if (!known)
        ignore(translation, option->name, NULL);
    else if (option->action == SLURM_SAME)
        put(translation, target, value);
    else if (option->action == SLURM_LABEL)
        put_label(translation, option, value);
    else if (option->action == SLURM_TIME)
        put_time(translation, option, value);
    else if (option->action == SLURM_SIGNAL)
        put_signal(translation, option, value);
    else if (option->action == SLURM_EXPORT)
        put_export(translation, option, value);
    else if (option->action == SLURM_ACCOUNT)
        put(translation, target, arena_printf(translation->to->arena, "account:%s", value));
    else
        put(translation, target, "1");
    return 0;
}

/* Translates OPTION. Its value is INLINE_VALUE, or else the next word; *AT advances to that word. */
static int translate_with_value(struct translation *translation, const struct slurm_option *option,
                                const char *inline_value, const char *const **at)
{
    const char *value = inline_value;

    if (option->argument == SLURM_NO_ARGUMENT && value)
        return err_set(translation->err, EINVAL, "--%s takes no value", option->name);
    if (option->argument == SLURM_ARGUMENT && !value) {
        if (!(*at)[1])
            return err_set(translation->err, EINVAL, "--%s needs a value", option->name);
        value = *++*at;
    }
    return translate_option(translation, option, value);
}

/* Translates -x, -xVALUE, -x VALUE, -xyz. */
static int translate_letters(struct translation *translation, const char *const **at)
{
    for (const char *letter = **at + 1; *letter; letter++) {
        const struct slurm_option *option = slurm_option_by_letter(*letter);
        int r;

        if (!option) {
            script_add_notice(translation->to, translation->line, true,
                              "-%c: ignored; it is none of sbatch's options",
                              isprint((unsigned char)*letter) ? *letter : '?');
            return 0;
        }
        if (option->argument == SLURM_ARGUMENT)
            return translate_with_value(translation, option, letter[1] ? letter + 1 : NULL, at);
        if ((r = translate_option(translation, option, NULL)) < 0)
            return r;
    }
    return 0;
}

static int translate_word(struct translation *translation, const char *const **at)
{
    const char *word = **at;
    const struct slurm_option *option;
    size_t length;

    if (!strcmp(word, "hetjob") || !strcmp(word, "packjob"))
        return err_set(translation->err, EINVAL,
                       "%s: creel has no heterogeneous jobs; submit a job for each part, or start tasks of "
                       "other sizes inside of one job with creel run -N, -m and -c",
                       word);
    if (word[0] != '-' || word[1] == '\0')
        return err_set(translation->err, EINVAL, "%s: expected an option", word);
    if (word[1] != '-')
        return translate_letters(translation, at);
    word += 2;
    length = strcspn(word, "=");
    option = slurm_option_by_name(word, length);
    if (option)
        return translate_with_value(translation, option, word[length] ? word + length + 1 : NULL, at);
    script_add_notice(translation->to, translation->line, true,
                      "--%.*s: ignored; it is none of sbatch's options", (int)length, word);
    /* Skips the next word if it can be the value of the unknown option. */
    if (!word[length] && (*at)[1] && (*at)[1][0] != '-')
        ++*at;
    return 0;
}

int slurm_translate(const struct script *from, slurm_known *known, struct script *to, unsigned *line,
                    struct err *err)
{
    struct translation translation = { .known = known, .to = to, .err = err };

    for (size_t i = 0; i < from->directive_count; i++) {
        *line = translation.line = from->directives[i].line;
        for (const char *const *at = from->directives[i].words; *at; at++) {
            int r = translate_word(&translation, &at);

            if (r < 0)
                return r;
        }
    }
    slurm_size_put(&translation.size, to);
    return 0;
}

static const char *hint(const struct slurm_option *option, slurm_known *known, char text[SLURM_HINT_MAX])
{
    char letter[] = { '-', '\0', ',', ' ', '\0' };

    if (!option)
        return NULL;
    letter[1] = option->letter;
    if (option->action == SLURM_IGNORED || !option->target || !known(option->target, strlen(option->target)))
        snprintf(text, SLURM_HINT_MAX, "Slurm's %s--%s has no counterpart here", option->letter ? letter : "",
                 option->name);
    else
        snprintf(text, SLURM_HINT_MAX, "Slurm's %s--%s is --%s here", option->letter ? letter : "",
                 option->name, option->target);
    return text;
}

const char *slurm_letter_hint(char letter, slurm_known *known, char text[SLURM_HINT_MAX])
{
    return hint(slurm_option_by_letter(letter), known, text);
}

const char *slurm_name_hint(const char *name, size_t length, slurm_known *known, char text[SLURM_HINT_MAX])
{
    return hint(slurm_option_by_name(name, length), known, text);
}
