/* SPDX-License-Identifier: Apache-2.0 */
/* conf_edits.c - makes a list of edits of the configuration of queues */
#include "client/cli/conf/conf_edits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"

#define PREFIX "yarn.scheduler.capacity."
#define ROOT "root."

static void free_text(const char *text)
{
    free((void *)(uintptr_t)text);
}

static void edit_done(struct creel_conf_edit *edit)
{
    for (size_t i = 0; i < edit->setting_count; i++) {
        free_text(edit->settings[i].key);
        free_text(edit->settings[i].value);
    }
    free((void *)(uintptr_t)edit->settings);
    free_text(edit->queue);
}

void conf_edits_done(struct conf_edits *edits)
{
    for (size_t i = 0; i < edits->count; i++)
        edit_done(&edits->items[i]);
    free(edits->items);
    *edits = (struct conf_edits){ 0 };
}

size_t conf_edits_add(struct conf_edits *edits, enum creel_conf_edit_kind kind, const char *queue)
{
    mem_grow(edits->items, edits->count, edits->capacity);
    edits->items[edits->count] = (struct creel_conf_edit){
        .kind = kind,
        .queue = queue != NULL ? mem_strdup(queue) : NULL,
    };
    return edits->count++;
}

void conf_edits_set(struct conf_edits *edits, size_t index, const char *key, const char *value)
{
    struct creel_conf_edit *edit = &edits->items[index];
    struct creel_conf_setting *settings = (struct creel_conf_setting *)(uintptr_t)edit->settings;

    settings = mem_resize(settings, edit->setting_count + 1, sizeof(*settings));
    settings[edit->setting_count++] = (struct creel_conf_setting){ mem_strdup(key), mem_strdup(value) };
    edit->settings = settings;
}

/* --- assignments ------------------------------------------------------------------- */

/* The queue that a key begins with. */
struct match {
    const char *path; /* NULL: none */
    size_t length;    /* of the queue's name in the key */
    bool ambiguous;   /* other queues have the same name */
};

static void match_name(struct match *match, const char *key, const char *name, const char *path)
{
    size_t length = strlen(name);

    if (length < match->length || strncmp(key, name, length) != 0 || key[length] != '.')
        return;
    if (length == match->length && strcmp(match->path, path) != 0)
        match->ambiguous = true;
    else
        *match = (struct match){ path, length, false };
}

static struct match match_queue(const char *key, const char *const *paths, size_t count)
{
    struct match match = { 0 };

    for (size_t i = 0; i < count; i++) {
        const char *dot = strrchr(paths[i], '.');

        match_name(&match, key, paths[i], paths[i]);
        if (text_has_prefix(key, ROOT) || dot == NULL)
            continue;
        match_name(&match, key, paths[i] + strlen(ROOT), paths[i]);
        match_name(&match, key, dot + 1, paths[i]);
    }
    return match;
}

static bool is_of(const struct creel_conf_edit *edit, const char *path)
{
    if (path == NULL)
        return edit->kind == CREEL_CONF_SET_SCHEDULER;
    return (edit->kind == CREEL_CONF_SET_QUEUE || edit->kind == CREEL_CONF_ADD_QUEUE) &&
           strcmp(edit->queue, path) == 0;
}

/* Adds KEY and VALUE to the edit of the queue PATH (NULL: of the scheduler), which is added if there is
 * none. */
static void assign(struct conf_edits *edits, const char *path, const char *key, const char *value)
{
    size_t at = 0;

    while (at < edits->count && !is_of(&edits->items[at], path))
        at++;
    if (at == edits->count)
        at = conf_edits_add(edits, path != NULL ? CREEL_CONF_SET_QUEUE : CREEL_CONF_SET_SCHEDULER, path);
    conf_edits_set(edits, at, key, value);
}

int conf_edits_assign(struct conf_edits *edits, const char *text, const char *const *paths, size_t count,
                      struct err *err)
{
    const char *equals = strchr(text, '=');
    scoped_free char *given = mem_strndup(text, equals != NULL ? (size_t)(equals - text) : strlen(text));
    bool whole = text_has_prefix(given, PREFIX);
    const char *key = given + (whole ? strlen(PREFIX) : 0);
    scoped_free char *global = NULL;
    struct match match = { 0 };

    if (equals == NULL || *key == '\0' || key[strlen(key) - 1] == '.')
        return err_set(err, EINVAL, "\"%s\": expected QUEUE.KEY=VALUE, as root.dev.maximum-capacity=60",
                       text);
    if (!whole || text_has_prefix(key, ROOT))
        match = match_queue(key, paths, count);
    if (match.ambiguous)
        return err_set(err, EINVAL, "%s: more than one queue is named %.*s: write its whole path, as %s",
                       given, (int)match.length, key, match.path);
    if (match.path != NULL) {
        assign(edits, match.path, key + match.length + 1, equals + 1);
        return 0;
    }
    if (!whole && strchr(key, '.') != NULL && !text_has_prefix(key, "yarn."))
        return err_set(err, ENOENT,
                       "%s: it begins with no queue (creel queue list has their names); a property of the "
                       "scheduler that has a dot needs its whole name, " PREFIX "%s",
                       given, key);
    global = text_has_prefix(given, "yarn.") ? mem_strdup(given) : mem_printf(PREFIX "%s", key);
    assign(edits, NULL, global, equals + 1);
    return 0;
}
