/* SPDX-License-Identifier: Apache-2.0 */
/* submission_launch.c - reads am-container-spec of a submission */
#include "web/rest/write/submission_launch.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define SHELL "/bin/bash"
#define FILE_SCHEME "file://"

static char *text_in(struct arena *arena, const char *text)
{
    return arena_strdup(arena, text != NULL ? text : "");
}

/* Returns whether the object or list NAME in TREE has a member. TREE may be NULL. */
static bool submission_has_members(const struct tree *tree, const char *name)
{
    const struct tree *member = tree_find(tree, name);

    return member != NULL && member->first != NULL;
}

static size_t count_of(const struct tree *first)
{
    size_t count = 0;

    for (const struct tree *each = first; each != NULL; each = tree_next(each))
        count++;
    return count;
}

/* --- the script of the commands ------------------------------------------------------ */

/* Writes TEXT as one word of the shell. */
static void write_quoted(FILE *out, const char *text)
{
    putc('\'', out);
    for (const char *p = text; *p != '\0'; p++)
        if (*p == '\'')
            fputs("'\\''", out);
        else
            putc(*p, out);
    putc('\'', out);
}

/* Returns the length of the variable name at TEXT if "}}" follows the name, else 0. */
static size_t name_length(const char *text)
{
    size_t length = 0;

    while (isalnum((unsigned char)text[length]) || text[length] == '_')
        length++;
    return strncmp(text + length, "}}", 2) == 0 ? length : 0;
}

/* Writes COMMAND. YARN's <LOG_DIR> and {{NAME}} become the shell variables ${LOG_DIRS} and ${NAME}. */
static void write_command(FILE *out, const char *command)
{
    static const char log_dir[] = "<LOG_DIR>";

    while (*command != '\0') {
        size_t length = strncmp(command, "{{", 2) == 0 ? name_length(command + 2) : 0;

        if (length > 0) {
            fprintf(out, "${%.*s}", (int)length, command + 2);
            command += length + 4;
        } else if (strncmp(command, log_dir, sizeof(log_dir) - 1) == 0) {
            fputs("${LOG_DIRS}", out);
            command += sizeof(log_dir) - 1;
        } else {
            putc(*command++, out);
        }
    }
}

/* --- local resources ------------------------------------------------------------------ */

static bool is_file_name(const char *name)
{
    return *name != '\0' && strchr(name, '/') == NULL && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

/* Returns /PATH for a URL file:///PATH, else NULL. */
static const char *path_of(const char *url)
{
    if (url == NULL || strncasecmp(url, FILE_SCHEME, strlen(FILE_SCHEME)) != 0)
        return NULL;
    url += strlen(FILE_SCHEME);
    return *url == '/' ? url : NULL;
}

static int write_resource(FILE *out, const struct tree *entry, struct err *err)
{
    const char *name = tree_text(entry, "key"), *path;
    const struct tree *value = tree_find(entry, "value");
    const char *url = tree_text(value, "resource"), *type = tree_text(value, "type");

    if (name == NULL || !is_file_name(name))
        return err_set(err, EINVAL, "local-resources: '%s' is no name of a file in the working directory",
                       name != NULL ? name : "");
    if (type != NULL && strcasecmp(type, "FILE") != 0)
        return err_set(err, EINVAL,
                       "local-resources: %s: the type %s is not supported, only FILE: unpack "
                       "the archive in the command",
                       name, type);
    path = path_of(url);
    if (path == NULL)
        return err_set(err, EINVAL,
                       "local-resources: %s: '%s' cannot be fetched: only file:///PATH is "
                       "supported, a path on all nodes; creel submit --file sends files along",
                       name, url != NULL ? url : "");
    fputs("[ -r ", out);
    write_quoted(out, path);
    fputs(" ] && ln -sf ", out);
    write_quoted(out, path);
    putc(' ', out);
    write_quoted(out, name);
    fprintf(out, " || { echo 'local resource: cannot be read on this node:' ");
    write_quoted(out, path);
    fputs(" >&2; exit 1; }\n", out);
    return 0;
}

static int write_script(FILE *out, const struct tree *spec, struct err *err)
{
    const struct tree *each;
    bool is_first = true;

    for (each = tree_find(tree_find(spec, "local-resources"), "entry"); each != NULL; each = tree_next(each))
        if (write_resource(out, each, err) < 0)
            return -EINVAL;
    for (each = tree_find(tree_find(spec, "commands"), "command"); each != NULL; each = tree_next(each)) {
        if (!is_first)
            putc(' ', out);
        write_command(out, each->text);
        is_first = false;
    }
    return 0;
}

static int read_commands(struct arena *arena, const struct tree *spec, Creel__LaunchContext *launch,
                         struct err *err)
{
    const struct tree *first = tree_find(tree_find(spec, "commands"), "command");
    char *script = NULL;
    size_t size;
    FILE *out;
    int r;

    if (first == NULL || (*first->text == '\0' && tree_next(first) == NULL))
        return err_set(err, EINVAL, "am-container-spec: has no commands");
    out = open_memstream(&script, &size);
    if (out == NULL)
        abort();
    r = write_script(out, spec, err);
    if (fclose(out) != 0)
        abort();
    launch->command = arena_array0(arena, 3, sizeof(*launch->command));
    launch->command[launch->n_command++] = text_in(arena, SHELL);
    launch->command[launch->n_command++] = text_in(arena, "-c");
    launch->command[launch->n_command++] = text_in(arena, script);
    free(script);
    return r;
}

/* --- the environment --------------------------------------------------------------- */

static int read_environment(struct arena *arena, const struct tree *spec, Creel__LaunchContext *launch,
                            struct err *err)
{
    const struct tree *first = tree_find(tree_find(spec, "environment"), "entry");

    launch->environment = arena_array0(arena, count_of(first), sizeof(*launch->environment));
    for (const struct tree *each = first; each != NULL; each = tree_next(each)) {
        const char *name = tree_text(each, "key"), *value = tree_text(each, "value");
        Creel__Variable *variable = arena_new0(arena, Creel__Variable);

        if (name == NULL || *name == '\0')
            return err_set(err, EINVAL, "environment: an entry has no key");
        if (value != NULL && strstr(value, "{{") != NULL)
            return err_set(err, EINVAL,
                           "environment: %s: {{...}} is replaced in commands only: set the "
                           "variable in the command",
                           name);
        creel__variable__init(variable);
        variable->name = text_in(arena, name);
        variable->value = text_in(arena, value);
        launch->environment[launch->n_environment++] = variable;
    }
    return 0;
}

/* --- all of it --------------------------------------------------------------------- */

/* Refuses members that creel does not support. */
static int refuse_others(const struct tree *spec, struct err *err)
{
    const struct tree *credentials = tree_find(spec, "credentials");

    if (submission_has_members(credentials, "tokens") || submission_has_members(credentials, "secrets"))
        return err_set(err, EINVAL,
                       "credentials: are not passed on: creel has no tokens of Hadoop; put the "
                       "secret into a file that only the user can read");
    if (submission_has_members(spec, "service-data"))
        return err_set(err, EINVAL, "service-data: creel's agents have no auxiliary services");
    if (submission_has_members(spec, "application-acls"))
        return err_set(err, EINVAL,
                       "application-acls: applications have no access lists of their own here: "
                       "those of the queue are in force");
    return 0;
}

int submission_read_launch(struct arena *arena, const struct tree *spec, Creel__LaunchContext *launch,
                           struct err *err)
{
    int r = read_commands(arena, spec, launch, err);

    if (r < 0 || (r = read_environment(arena, spec, launch, err)) < 0)
        return r;
    return refuse_others(spec, err);
}
