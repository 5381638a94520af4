/* SPDX-License-Identifier: Apache-2.0 */
/* complete.c - finds which kind of word completes a command line */
#include "client/cli/help/complete.h"

#include <stdio.h>
#include <string.h>

#include "common/base/text.h"

/* --- names of arguments ------------------------------------------------------ */

/* Kind of the argument NAME of the command PATH, or of its option (PATH NULL: of every command). The first
 * row that matches is used. */
struct argument_kind {
    const char *path, *name;
    enum complete_kind kind;
    const char *choices;
};

static const struct argument_kind option_kinds[] = {
    { NULL, "FORMAT", COMPLETE_CHOICE, "table|wide|json|jsonl|csv|id" },
    { NULL, "WHEN", COMPLETE_CHOICE, "auto|always|never" },
    { "wait", "STATE", COMPLETE_CHOICE, "running|finished" },
    { "history efficiency", "GROUP", COMPLETE_CHOICE, "app|user|queue|hour|day" },
    { "history usage", "GROUP", COMPLETE_CHOICE, "user|queue|hour|day" },
    { "token create", "SCOPE", COMPLETE_CHOICE, "read|submit|admin" },
    { NULL, "ID", COMPLETE_APP, NULL },
    { NULL, "NODE", COMPLETE_NODE, NULL },
    { NULL, "QUEUE", COMPLETE_QUEUE, NULL },
    { NULL, "QUEUE,...", COMPLETE_QUEUE, NULL },
    { NULL, "LABEL", COMPLETE_LABEL, NULL },
    { NULL, "DIR", COMPLETE_DIRECTORY, NULL },
    { NULL, "FILE", COMPLETE_FILE, NULL },
    { NULL, "SRC[#NAME]", COMPLETE_FILE, NULL },
    { 0 },
};

static const struct argument_kind argument_kinds[] = {
    { "admin refresh", "WHAT", COMPLETE_CHOICE, "queues|nodes|acls|groups|all" },
    { "admin log-level", "LEVEL", COMPLETE_CHOICE, "error|warn|info|debug" },
    { "admin log-level", "DAEMON", COMPLETE_NODE, NULL },
    { "admin state", "WHAT", COMPLETE_CHOICE, "check|backup|restore|accept" },
    { "conf convert", "fair-to-capacity", COMPLETE_CHOICE, "fair-to-capacity" },
    { "container signal", "SIGNAL", COMPLETE_CHOICE, "TERM|KILL|INT|HUP|QUIT|USR1|USR2|STOP|CONT" },
    { "container show", "ID", COMPLETE_CONTAINER, NULL },
    { "container stats", "ID", COMPLETE_CONTAINER, NULL },
    { "container logs", "ID", COMPLETE_CONTAINER, NULL },
    { "container signal", "ID", COMPLETE_CONTAINER, NULL },
    { "container resize", "ID", COMPLETE_CONTAINER, NULL },
    { "container exec", "ID", COMPLETE_CONTAINER, NULL },
    { "top", "WHAT", COMPLETE_CHOICE, "apps|queues|nodes|users" },
    { "help", "COMMAND", COMPLETE_COMMAND, NULL },
    { NULL, "ID", COMPLETE_APP, NULL },
    { NULL, "CONTAINER", COMPLETE_CONTAINER, NULL },
    { NULL, "NODE", COMPLETE_NODE, NULL },
    { NULL, "QUEUE", COMPLETE_QUEUE, NULL },
    { NULL, "LABEL", COMPLETE_LABEL, NULL },
    { NULL, "KEY", COMPLETE_KEY, NULL },
    { NULL, "set|add|remove", COMPLETE_CHOICE, "set|add|remove" },
    { NULL, "COMMAND", COMPLETE_PROGRAM, NULL },
    { NULL, "ARGUMENT", COMPLETE_FILE, NULL },
    { NULL, "FILE", COMPLETE_FILE, NULL },
    { NULL, "DIR", COMPLETE_DIRECTORY, NULL },
    { 0 },
};

static void find_kind(const struct argument_kind *table, const char *path, const char *name, size_t length,
                      struct complete_place *place)
{
    for (const struct argument_kind *row = table; row->name; row++) {
        if (strlen(row->name) != length || strncmp(row->name, name, length) != 0)
            continue;
        if (row->path && (!path || strcmp(row->path, path) != 0))
            continue;
        place->kind = row->kind;
        place->choices = row->choices;
        return;
    }
}

/* Finds the kind of argument INDEX (from 0) in the usage line, "[--] COMMAND [ARGUMENT]...". An argument with
 * "..." repeats. */
static void find_argument(const struct command *command, size_t index, struct complete_place *place)
{
    const char *token = command->arguments;

    while (token && *token) {
        size_t length = strcspn(token, " ");
        bool repeats = length > 3 && !strncmp(token + length - 3, "...", 3);
        const char *name = token + (*token == '[');
        size_t name_length = length - (*token == '[') - (repeats ? 3 : 0);

        if (name_length > 0 && name[name_length - 1] == ']')
            name_length--;
        if (name_length != 2 || strncmp(name, "--", 2) != 0) {
            if (index == 0 || repeats) {
                find_kind(argument_kinds, command->path, name, name_length, place);
                return;
            }
            index--;
        }
        token += length + (token[length] == ' ');
    }
}

/* --- words -------------------------------------------------------------------- */

bool command_is_family(const char *word)
{
    size_t length = strlen(word);

    for (const struct command *row = command_table; row->path; row++) {
        if (!strncmp(row->path, word, length) && row->path[length] == ' ')
            return true;
    }
    return false;
}

struct walk {
    struct complete_place *place;
    const struct option_spec *pending; /* the next word is its value */
    bool only_arguments, unknown;      /* behind "--"; the command is unknown */
    size_t argument_count;
};

/* Finds an option by LETTER, or by name if LETTER is 0. */
static const struct option_spec *find_option(const struct walk *walk, char letter, const char *name,
                                             size_t length)
{
    const struct command *command = walk->place->command;
    const struct option_spec *tables[] = { command ? command->options : NULL, cli_global_options };
    const struct option_spec *spec = NULL;

    for (size_t i = 0; i < 2 && !spec; i++)
        spec = letter ? options_find_letter(tables[i], letter) : options_find_name(tables[i], name, length);
    return spec;
}

/* Stores the value of an option that decides which names are listed: cluster, user, application. */
static void note_value(struct walk *walk, const struct option_spec *spec, const char *value)
{
    if (!strcmp(spec->name, "rm"))
        walk->place->rm = value;
    else if (!strcmp(spec->name, "conf"))
        walk->place->conf_dir = value;
    else if (!strcmp(spec->name, "as"))
        walk->place->as_user = value;
    else if (!strcmp(spec->name, "app"))
        walk->place->app = value;
}

static void walk_option(struct walk *walk, const char *word)
{
    const struct option_spec *spec;
    const char *value;

    if (word[1] == '-') {
        value = strchr(word, '=');
        spec = find_option(walk, 0, word + 2, strcspn(word + 2, "="));
        if (spec && spec->argument && value)
            note_value(walk, spec, value + 1);
        else if (spec && spec->argument && !options_argument_is_optional(spec))
            walk->pending = spec;
        return;
    }
    for (const char *letter = word + 1; *letter; letter++) {
        spec = find_option(walk, *letter, NULL, 0);
        if (spec && spec->argument && !letter[1])
            walk->pending = spec;
        if (!spec || spec->argument)
            return;
    }
}

static void walk_word(struct walk *walk, const char *word)
{
    struct complete_place *place = walk->place;
    char path[128];

    if (place->command) {
        if (walk->argument_count++ == 0)
            place->app = word;
        if (place->command->mode == OPTIONS_BEFORE_COMMAND)
            walk->only_arguments = true;
        return;
    }
    if (!place->family && command_is_family(word)) {
        place->family = word;
        return;
    }
    snprintf(path, sizeof(path), "%s%s%s", place->family ? place->family : "", place->family ? " " : "",
             word);
    place->command = command_find(path);
    walk->unknown = !place->command;
}

static void find_option_value(const struct walk *walk, const struct option_spec *spec,
                              struct complete_place *place)
{
    find_kind(option_kinds, walk->place->command ? walk->place->command->path : NULL, spec->argument,
              strlen(spec->argument), place);
}

/* Moves PLACE to the last item of a comma-separated list: only that is completed. */
static void pass_commas(const struct option_spec *spec, struct complete_place *place)
{
    const char *comma = strrchr(place->typed, ',');

    if (!comma || !strstr(spec->argument, ",..."))
        return;
    if (!place->before)
        place->before = place->typed;
    place->before_length = (size_t)(comma + 1 - place->before);
    place->typed = comma + 1;
}

void complete_find(const char *const *words, size_t count, struct complete_place *ret)
{
    const char *last = words[count - 1], *equals = strchr(last, '=');
    struct walk walk = { .place = ret };
    const struct option_spec *spec = NULL;

    *ret = (struct complete_place){ .kind = COMPLETE_NOTHING, .typed = last };
    for (size_t i = 0; i + 1 < count && !walk.unknown; i++) {
        if (walk.pending) {
            note_value(&walk, walk.pending, words[i]);
            walk.pending = NULL;
        } else if (!walk.only_arguments && !strcmp(words[i], "--")) {
            walk.only_arguments = true;
        } else if (!walk.only_arguments && words[i][0] == '-' && words[i][1]) {
            walk_option(&walk, words[i]);
        } else {
            walk_word(&walk, words[i]);
        }
    }
    if (walk.unknown)
        return;
    if (walk.pending) {
        spec = walk.pending;
    } else if (!walk.only_arguments && text_has_prefix(last, "--") && equals) {
        spec = find_option(&walk, 0, last + 2, (size_t)(equals - last - 2));
        ret->before = last;
        ret->before_length = (size_t)(equals + 1 - last);
        ret->typed = equals + 1;
        if (!spec || !spec->argument)
            return;
    }
    if (spec) {
        find_option_value(&walk, spec, ret);
        pass_commas(spec, ret);
    } else if (!walk.only_arguments && last[0] == '-') {
        ret->kind = COMPLETE_OPTION;
    } else if (!ret->command) {
        ret->kind = COMPLETE_COMMAND;
    } else {
        find_argument(ret->command, walk.argument_count, ret);
        if (ret->kind == COMPLETE_NOTHING && !strcmp(ret->command->path, "help") &&
            command_is_family(ret->app)) {
            ret->kind = COMPLETE_COMMAND;
            ret->family = ret->app;
        }
    }
}
