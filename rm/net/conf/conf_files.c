/* SPDX-License-Identifier: Apache-2.0 */
/* conf_files.c - the files outside of the configuration directory that a configuration needs */
#include "rm/net/conf/conf_files.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/base/text_builder.h"
#include "rm/schedconf/schedconf.h"

struct search {
    const struct conf *conf;
    struct conf_files *files;
    struct text_builder lacking;
};

/* Returns PATH as an absolute path without "." and "..". */
static char *make_plain(const char *path)
{
    scoped_free char *here = *path == '/' ? NULL : realpath(".", NULL);
    scoped_free char *whole = mem_printf("%s/%s", here != NULL ? here : "", path);
    char *plain = mem_alloc(strlen(whole) + 1), *state = NULL;
    size_t used = 0;

    for (char *word = strtok_r(whole, "/", &state); word != NULL; word = strtok_r(NULL, "/", &state)) {
        size_t length = strlen(word);

        if (strcmp(word, "..") == 0) {
            while (used > 0 && plain[--used] != '/')
                ;
        } else if (strcmp(word, ".") != 0) {
            plain[used++] = '/';
            memcpy(plain + used, word, length);
            used += length;
        }
    }
    plain[used] = '\0';
    return plain;
}

static bool is_inside(const char *path, const char *directory)
{
    scoped_free char *plain = *directory != '\0' ? make_plain(directory) : NULL;
    size_t length = plain != NULL ? strlen(plain) : 0;

    return length > 0 && strncmp(path, plain, length) == 0 && path[length] == '/';
}

/* Returns true if a backup has PATH with the directories of the configuration. */
static bool is_contained(const struct conf *conf, const char *path)
{
    return is_inside(path, conf_loaded_from(conf)) || is_inside(path, conf_text(conf, CONF_KEY_DIR));
}

/* Adds the file PATH, if it is one. */
static void add_file(void *context, const char *path)
{
    struct search *search = context;
    struct conf_files *files = search->files;
    scoped_free char *plain = make_plain(path);
    struct stat status;

    if (is_contained(search->conf, plain) || stat(plain, &status) < 0 || !S_ISREG(status.st_mode))
        return;
    for (size_t i = 0; i < files->count; i++)
        if (strcmp(files->paths[i], plain) == 0)
            return;
    mem_grow(files->paths, files->count, files->room);
    files->paths[files->count++] = plain;
    plain = NULL;
}

static void add_lacking(struct search *search, enum conf_key key, const char *path)
{
    text_builder_separate(&search->lacking, ", ");
    text_builder_printf(&search->lacking, "%s (%s)", conf_key_info(key)->name, path);
}

/* Adds the files that keys name. One that cannot be read is lacking, unless the key has its default. */
static void add_named(struct search *search)
{
    static const enum conf_key keys[] = { CONF_NODES_INCLUDE_PATH, CONF_NODES_EXCLUDE_PATH, CONF_USER_KEY,
                                          CONF_WEB_TLS_CERTIFICATE, CONF_WEB_TLS_KEY };

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const char *path = conf_text(search->conf, keys[i]);

        if (*path != '/')
            continue;
        if (access(path, R_OK) == 0)
            add_file(search, path);
        else if (conf_raw(search->conf, conf_key_info(keys[i])->name) != NULL)
            add_lacking(search, keys[i], path);
    }
}

static void add_queues(struct search *search)
{
    const char *rules = schedconf_rules_path(search->conf);
    scoped_free char *fair = NULL;

    if (schedconf_fair_path(search->conf, &fair, NULL, NULL) == 0 && fair != NULL)
        add_file(search, fair);
    if (rules != NULL)
        add_file(search, rules);
}

/* A program needs more than its file. */
static void add_program(struct search *search)
{
    const char *command = conf_text(search->conf, CONF_NOTIFY_COMMAND);
    scoped_free char *path = mem_strndup(command, strcspn(command, " \t\n"));
    scoped_free char *plain = *path == '/' ? make_plain(path) : NULL;

    if (plain != NULL && !is_contained(search->conf, plain))
        add_lacking(search, CONF_NOTIFY_COMMAND, plain);
}

void conf_files_find(const struct conf *conf, struct conf_files *ret)
{
    struct search search = { .conf = conf, .files = ret, .lacking = TEXT_BUILDER_MALLOC };

    *ret = (struct conf_files){ .count = 0 };
    conf_each_file(conf, add_file, &search);
    add_queues(&search);
    add_named(&search);
    add_program(&search);
    ret->lacking = text_builder_finish(&search.lacking);
}

void conf_files_done(struct conf_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        free(files->paths[i]);
    free(files->paths);
    free(files->lacking);
}
