/* SPDX-License-Identifier: Apache-2.0 */
/* resolve.c - finds the application, container, node or queue that a user's text names */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rm/master/services/resolve.h"
#include "rm/master/state/index.h"

/* Parses "7" or "_0007" into NUMBER. */
static bool rm_parse_number(const char *text, uint32_t *number)
{
    int64_t value = 0;

    if (*text == '_')
        text++;
    if (*text == '\0' || strspn(text, "0123456789") != strlen(text) || strlen(text) > 10)
        return false;
    for (; *text; text++)
        value = value * 10 + (*text - '0');
    *number = (uint32_t)value;
    return value > 0 && value <= UINT32_MAX;
}

/* Returns the length of the application's id or number with which TEXT begins. */
static size_t app_length(const char *text)
{
    static const char prefix[] = "application_";
    size_t length = strlen(prefix);

    if (!text_has_prefix(text, prefix))
        return strcspn(text + (*text == '_'), "_[") + (*text == '_');
    length += strspn(text + length, "0123456789");
    length += text[length] == '_';
    return length + strspn(text + length, "0123456789");
}

static bool parse_app(const struct master *m, const char *text, uint32_t *number)
{
    struct app_id id;

    if (!app_id_parse(text, &id))
        return rm_parse_number(text, number);
    *number = id.seq;
    return id.cluster_ms == m->cluster_ms;
}

/* Parses "42_7", "_0042_7", "42_[7]", "42[7]", or the whole id of the array with "_7". */
static bool parse_task(const struct master *m, const char *text, uint32_t *array, uint32_t *index)
{
    const char *end = text + app_length(text), *at = end;
    scoped_free char *head = mem_printf("%.*s", (int)(end - text), text);
    char last;

    at += *at == '_';
    return *end != '\0' && parse_app(m, head, array) &&
           ((*at != '[' && sscanf(at, "%10u%c", index, &last) == 1) ||
            (sscanf(at, "[%10u%c", index, &last) == 2 && last == ']' && text_has_suffix(at, "]")));
}

/* Finds task 7 of an array by "42_7", "_0042_7", "42_[7]", "42[7]", or the whole id of the array with "_7".
 * Sets IS_TASK if TEXT has this form. NULL: TEXT has another form, or no such application exists (ERR is
 * unchanged); or the array has no such task, or it has not begun (EBUSY), or has ended (ERR is set). */
static struct app *find_task(struct master *m, const char *text, bool *is_task, struct err *err)
{
    uint32_t number, position, wanted;
    struct app *app, *task;

    *is_task = parse_task(m, text, &number, &wanted);
    app = *is_task ? rm_app_find(m, number) : NULL;
    if (!*is_task || app == NULL)
        return NULL;
    if (app->array == NULL || !array_spec_position(&app->array->spec, wanted, &position)) {
        err_set(err, ENOENT, "application %s: %s has no task %u", text, app->text, wanted);
        return NULL;
    }
    TAILQ_FOREACH(task, &app->array->tasks, in_array)
        if (task->array_position == position)
            return task;
    if (array_states_get(&app->array->states, position) == ARRAY_TASK_WAITS)
        err_set(err, EBUSY, "application %s: this task of %s has not begun; creel why %s explains it", text,
                app->text, app->text);
    else
        err_set(err, ENOENT,
                "application %s: this task of %s has ended, and only the history has it: "
                "creel history apps --tasks shows its own id",
                text, app->text);
    return NULL;
}

static void set_unknown(const struct master *m, const char *text, struct err *err)
{
    if (rm_has_forgotten(m, text, &(struct app_id){ .seq = 0 }))
        err_set(err, ENOENT, "application %s: has ended, and only the history has it: creel status shows it",
                text);
    else
        err_set(err, ENOENT, "application %s: not known here", text);
}

struct app *rm_resolve_app(struct master *m, const char *text, struct err *err)
{
    struct app *app = NULL;
    struct app_id id;
    uint32_t number;
    bool is_task;

    err->code = 0;
    app = find_task(m, text, &is_task, err);
    if (app || err->code != 0)
        return app;
    if (is_task)
        app = NULL;
    else if (app_id_parse(text, &id))
        app = id.cluster_ms == m->cluster_ms ? rm_app_find(m, id.seq) : NULL;
    else if (rm_parse_number(text, &number))
        app = rm_app_find(m, number);
    else {
        err_set(err, ENOENT,
                "application %s: not an application id; give a whole one "
                "(application_%lld_0001), or its number (1)",
                text, (long long)m->cluster_ms);
        return NULL;
    }
    if (app == NULL)
        set_unknown(m, text, err);
    return app;
}

struct app *rm_resolve_array(struct master *m, const char *text)
{
    scoped_free char *head = mem_printf("%.*s", (int)app_length(text), text);
    uint32_t number;
    struct app *app = parse_app(m, head, &number) ? rm_app_find(m, number) : NULL;

    return app && app->array ? app : NULL;
}

struct app *rm_resolve_task(struct master *m, const char *text, uint32_t *index)
{
    uint32_t number, position;
    struct app *app = parse_task(m, text, &number, index) ? rm_app_find(m, number) : NULL;

    return app && app->array && array_spec_position(&app->array->spec, *index, &position) ? app : NULL;
}

#define CONTAINERS_LOOKED_AT_MAX 20000u /* maximum of containers examined to find one by the end of its id */

/* Returns the application that the end of a container's id names ("0007_01_000002"). Sets NAMED to false if
 * the text is too short to name one. NULL: none is named, or it does not exist. */
static const struct app *app_of_container(const struct master *m, const char *text, bool *named)
{
    unsigned parts[3];
    char more;

    text += *text == '_' ? 1 : 0;
    *named = sscanf(text, "%9u_%9u_%9u%c", &parts[0], &parts[1], &parts[2], &more) == 3;
    return *named ? rm_app_find(m, parts[0]) : NULL;
}

/* Finds the only container of the application that TEXT names: the one that has not ended, or else the only
 * one. NULL if TEXT names no application; or, with ERR, if there are more, or none. */
static struct container *container_of_app(struct master *m, const char *text, struct err *err)
{
    struct container first = { .attempt = NULL }, *container, *found = NULL;
    struct err none = { .code = 0 };
    const struct app *app = rm_resolve_app(m, text, &none);
    unsigned count = 0, live = 0;

    if (app == NULL)
        return NULL;
    first.id.attempt.app = app->id;
    for (container = RB_NFIND(rm_container_tree, &m->containers, &first); container && container->app == app;
         container = RB_NEXT(rm_container_tree, &m->containers, container)) {
        bool lives = container->state != CONTAINER_COMPLETED;

        count++;
        live += lives ? 1 : 0;
        if (found == NULL || lives)
            found = container;
    }
    if (live == 1 || count == 1)
        return found;
    if (found)
        err_set(err, ENOENT, "application %s: has %u containers; name one of them, as %s", app->text,
                live > 0 ? live : count, found->text);
    else
        err_set(err, ENOENT, "application %s: has no container now", app->text);
    return NULL;
}

/* Finds a container by its whole id, by the unique end of its id ("0007_01_000002"), or by its
 * application. */
struct container *rm_resolve_container(struct master *m, const char *text, struct err *err)
{
    struct container *container = rm_container_find(m, text), *found = NULL;
    scoped_free char *end = mem_printf("%s%s", *text == '_' ? "" : "_", text);
    struct container first = { .attempt = NULL };
    const struct app *app;
    unsigned looks = 0;
    bool named;

    if (container)
        return container;
    app = app_of_container(m, text, &named);
    if (app)
        first.id.attempt.app = app->id;
    container = named && app == NULL ? NULL : RB_NFIND(rm_container_tree, &m->containers, &first);
    for (; container && (app == NULL || container->app == app);
         container = RB_NEXT(rm_container_tree, &m->containers, container)) {
        if (++looks > CONTAINERS_LOOKED_AT_MAX && app == NULL) {
            err_set(err, ENOENT,
                    "container %s: there are too many to find one by the end of its id; give "
                    "the whole id, or the application's number with it (0007_01_000002)",
                    text);
            return NULL;
        }
        if (!text_has_suffix(container->text, end))
            continue;
        if (found) {
            err_set(err, ENOENT, "container %s: may mean %s or %s, give more of it", text, found->text,
                    container->text);
            return NULL;
        }
        found = container;
    }
    err->code = 0;
    if (found == NULL)
        found = container_of_app(m, text, err);
    if (found == NULL && err->code == 0)
        err_set(err, ENOENT, "container %s: not known here (creel container list shows ids)", text);
    return found;
}

static bool is_a_host(struct master *m, const char *text)
{
    struct node *node;

    RB_FOREACH(node, rm_node_tree, &m->nodes)
        if (text_equal(node->host, text))
            return true;
    return false;
}

/* Finds a node by its id, its host, or the beginning of its id; "n1" does not match "n10". */
struct node *rm_resolve_node(struct master *m, const char *text, struct err *err)
{
    struct node *node = rm_node_find(m, text), *found = NULL;
    bool by_host = node == NULL && is_a_host(m, text);

    if (node)
        return node;
    RB_FOREACH(node, rm_node_tree, &m->nodes) {
        const char *name = by_host ? node->host : node->id;

        if (by_host ? !text_equal(name, text) : !text_has_prefix(name, text))
            continue;
        if (found) {
            err_set(err, ENOENT, "node %s: may mean %s or %s, give more of it", text, found->id, node->id);
            return NULL;
        }
        found = node;
    }
    if (found == NULL)
        err_set(err, ENOENT, "node %s: not known here (creel node list shows ids)", text);
    return found;
}

int rm_resolve_queue(struct master *m, const char *text, struct sched_queue_figures *ret, struct err *err)
{
    *ret = (struct sched_queue_figures){ .path = NULL };
    if (sched_queue_find_figures(m->sched, text, ret) ||
        sched_queue_find_figures(m->sched, arena_printf(m->out->arena, "root.%s", text), ret))
        return 0;
    return err_set(err, ENOENT,
                   "queue %s: not defined, or its name alone is not unique (creel queue "
                   "tree shows what there is)",
                   text);
}

bool rm_has_forgotten_task(const struct master *m, const char *text, struct app_id *array, uint32_t *index)
{
    struct master *master = (struct master *)(uintptr_t)m;
    struct err err = { .code = 0 };
    uint32_t number, position;
    const struct app *app;
    bool is_task;

    if (!parse_task(m, text, &number, index) || number > m->last_app_seq ||
        find_task(master, text, &is_task, &err) || err.code == EBUSY)
        return false;
    app = rm_app_find(master, number);
    if (app && (app->array == NULL || !array_spec_position(&app->array->spec, *index, &position)))
        return false; /* it never had this task */
    *array = (struct app_id){ .cluster_ms = m->cluster_ms, .seq = number };
    return true;
}

bool rm_has_forgotten(const struct master *m, const char *text, struct app_id *id)
{
    struct app_id named;

    if (!app_id_parse(text, &named)) {
        named.cluster_ms = m->cluster_ms;
        if (!rm_parse_number(text, &named.seq))
            return false;
    }
    if (named.seq == 0 || (named.cluster_ms == m->cluster_ms && named.seq > m->last_app_seq))
        return false;
    if (named.cluster_ms == m->cluster_ms && rm_app_find((struct master *)(uintptr_t)m, named.seq) != NULL)
        return false;
    *id = named;
    return true;
}
