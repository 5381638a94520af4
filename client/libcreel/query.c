/* SPDX-License-Identifier: Apache-2.0 */
/*
 * query.c - read requests: applications, containers, nodes, the cluster
 *
 * Lists come in pages. All pages are fetched before the list is returned, so that a list is complete or an
 * error.
 */
#include <errno.h>

#include "client/libcreel/reports.h"
#include "client/libcreel/request.h"
#include "client/libcreel/texts.h"
#include "common/io/loop/loop.h"
#include "common/io/wire/wire.h"

#define WATCH_MAX_MS 10000 /* maximum time of one long poll */

/* --- applications ---------------------------------------------------------- */

static bool next_apps(Creel__Envelope *request, const Creel__Envelope *reply)
{
    request->list_apps->after = reply->app_list->next;
    return *request->list_apps->after != '\0';
}

static int list_apps(struct creel_client *client, Creel__ListApps *list, bool no_long_commands,
                     struct pages *pages, struct err *err)
{
    Creel__Envelope request = request_of(REQUEST(LIST_APPS, list));

    request.no_long_commands = no_long_commands;
    return pages_fetch(client, &request, 0, CREEL__ENVELOPE__BODY_APP_LIST, next_apps, pages, err);
}

static int return_apps(int r, struct pages *pages, struct creel_apps **ret, struct creel_error *error,
                       struct err *err)
{
    if (r == 0)
        r = reports_apps(pages, ret, err);
    pages_done(pages);
    return client_set_error(error, err, r);
}

CREEL_EXPORT
int creel_app_list(struct creel_client *client, const struct creel_app_filter *filter,
                   struct creel_apps **ret, struct creel_error *error)
{
    static const struct creel_app_filter everything;
    Creel__ListApps list = CREEL__LIST_APPS__INIT;
    Creel__AppState states[16];
    struct pages pages = { 0 };
    struct err err = { 0 };

    if (!filter)
        filter = &everything;
    if (filter->state_count > sizeof(states) / sizeof(states[0]))
        return client_set_error(error, &err, err_set(&err, EINVAL, "too many states"));
    for (size_t i = 0; i < filter->state_count; i++)
        states[i] = (Creel__AppState)filter->states[i];
    list.n_states = filter->state_count;
    list.states = states;
    list.n_users = texts_count(filter->users);
    list.users = (char **)(uintptr_t)filter->users;
    list.n_queues = texts_count(filter->queues);
    list.tasks = filter->tasks;
    list.launch = filter->launch;
    list.queues = (char **)(uintptr_t)filter->queues;
    return return_apps(list_apps(client, &list, filter->no_long_commands, &pages, &err), &pages, ret, error,
                       &err);
}

CREEL_EXPORT
int creel_app_get(struct creel_client *client, const char *id, struct creel_apps **ret,
                  struct creel_error *error)
{
    Creel__ListApps list = CREEL__LIST_APPS__INIT;
    struct pages pages = { 0 };
    struct err err = { 0 };
    int r;

    if (!*id)
        return client_set_error(error, &err, err_set(&err, EINVAL, "an application id must not be empty"));
    list.app_id = texts_borrow(id);
    r = list_apps(client, &list, false, &pages, &err);
    if (r == 0 && pages.items[0]->app_list->n_apps == 0)
        r = err_set(&err, ENOENT, "application %s: the resource manager does not know it", id);
    return return_apps(r, &pages, ret, error, &err);
}

void client_add_command(struct creel_client *client, Creel__Envelope **reply)
{
    const Creel__AppList *list = (*reply)->app_list;
    Creel__ListApps body = CREEL__LIST_APPS__INIT;
    Creel__Envelope *whole;
    struct err err;

    if (list->n_apps != 1 || !list->apps[0]->command_left_out)
        return;
    body.app_id = list->apps[0]->app_id;
    if (request_reply(client, REQUEST(LIST_APPS, &body), ANSWER(APP_LIST), &whole, &err) < 0)
        return;
    if (whole->app_list->n_apps == 1) {
        wire_free(*reply);
        *reply = whole;
    } else {
        wire_free(whole);
    }
}

CREEL_EXPORT
int creel_app_watch(struct creel_client *client, const char *app_id, uint64_t known_version, int64_t wait_ms,
                    struct creel_apps **ret, struct creel_error *error)
{
    Creel__WaitApp wait = CREEL__WAIT_APP__INIT;
    Creel__Envelope request = request_of(REQUEST(WAIT_APP, &wait));
    int64_t asked_ms = loop_monotonic_ms();
    struct pages pages = { 0 };
    struct err err = { 0 };
    int r;

    wait.app_id = texts_borrow(app_id);
    wait.known_version = known_version;
    wait.wait_ms = wait_ms < 0 ? 0 : wait_ms > WATCH_MAX_MS ? WATCH_MAX_MS : (uint32_t)wait_ms;
    request.no_long_commands = true;
    r = pages_fetch(client, &request, wait.wait_ms, ANSWER(APP_LIST), NULL, &pages, &err);
    if (r == 0)
        client_add_command(client, &pages.items[0]);
    if (r == 0 && pages.items[0]->app_list->n_apps == 0)
        r = err_set(&err, ENOENT, "application %s: the resource manager does not know it", app_id);
    if (r == 0)
        client_pause_if_early(client, pages.items[0]->app_list->apps[0]->version != known_version, asked_ms,
                              wait.wait_ms);
    return return_apps(r, &pages, ret, error, &err);
}

static bool is_reached(const struct creel_app *app, enum creel_wait_for what)
{
    return creel_app_is_over(app) || (what == CREEL_WAIT_RUNNING && app->state == CREEL_APP_RUNNING);
}

static int64_t poll_time(int64_t limit_ms, int64_t deadline_ms)
{
    int64_t left = deadline_ms - loop_monotonic_ms();

    if (limit_ms < 0 || left > WATCH_MAX_MS)
        return WATCH_MAX_MS;
    return left < 0 ? 0 : left;
}

CREEL_EXPORT
int creel_app_wait(struct creel_client *client, const char *app_id, enum creel_wait_for what,
                   int64_t limit_ms, struct creel_apps **ret, struct creel_error *error)
{
    int64_t deadline_ms = loop_monotonic_ms() + limit_ms;
    int64_t last_reply_ms = loop_monotonic_ms();
    struct creel_apps *apps = NULL;
    uint64_t version = 0;
    struct err err = { 0 };

    for (;;) {
        bool answered_before = client->answered;
        int r = creel_app_watch(client, app_id, version, version ? poll_time(limit_ms, deadline_ms) : 0,
                                &apps, error);

        if (r == 0) {
            last_reply_ms = loop_monotonic_ms();
            version = apps->items[0].version;
            if (is_reached(&apps->items[0], what)) {
                *ret = apps;
                return 0;
            }
            creel_apps_free(apps);
        } else if (r != -EHOSTUNREACH || !answered_before ||
                   loop_monotonic_ms() - last_reply_ms > CREEL_PATIENCE_MS) {
            return r;
        }
        if (limit_ms >= 0 && loop_monotonic_ms() >= deadline_ms)
            return client_set_error(error, &err,
                                    err_set(&err, ETIMEDOUT,
                                            "application %s: not %s "
                                            "after %g s",
                                            app_id, what == CREEL_WAIT_RUNNING ? "running" : "finished",
                                            (double)limit_ms / 1000.0));
    }
}

static int kill_app(struct creel_client *client, const char *app_id, const char *reason, bool at_once,
                    struct creel_error *error)
{
    Creel__KillApp kill = CREEL__KILL_APP__INIT;

    kill.app_id = texts_borrow(app_id);
    kill.reason = texts_borrow(reason);
    kill.at_once = at_once;
    return request_done(client, REQUEST(KILL_APP, &kill), error);
}

CREEL_EXPORT
int creel_app_kill(struct creel_client *client, const char *app_id, const char *reason,
                   struct creel_error *error)
{
    return kill_app(client, app_id, reason, false, error);
}

CREEL_EXPORT
int creel_app_kill_at_once(struct creel_client *client, const char *app_id, const char *reason,
                           struct creel_error *error)
{
    return kill_app(client, app_id, reason, true, error);
}

/* --- containers ------------------------------------------------------------ */

static bool next_containers(Creel__Envelope *request, const Creel__Envelope *reply)
{
    request->list_containers->after = reply->container_list->next;
    return *request->list_containers->after != '\0';
}

CREEL_EXPORT
int creel_container_list(struct creel_client *client, const char *app_id, const char *node_id,
                         const char *container_id, bool live_only, struct creel_containers **ret,
                         struct creel_error *error)
{
    Creel__ListContainers list = CREEL__LIST_CONTAINERS__INIT;
    struct pages pages = { 0 };
    struct err err = { 0 };
    int r;

    list.app_id = texts_borrow(app_id);
    list.node_id = texts_borrow(node_id);
    list.container_id = texts_borrow(container_id);
    list.live_only = live_only;
    r = request_pages(client, REQUEST(LIST_CONTAINERS, &list), ANSWER(CONTAINER_LIST), next_containers,
                      &pages, &err);
    if (r == 0 && container_id && pages.items[0]->container_list->n_containers == 0)
        r = err_set(&err, ENOENT, "container %s: the resource manager does not know it", container_id);
    if (r == 0)
        r = reports_containers(&pages, ret, &err);
    pages_done(&pages);
    return client_set_error(error, &err, r);
}

/* --- nodes ----------------------------------------------------------------- */

static bool next_nodes(Creel__Envelope *request, const Creel__Envelope *reply)
{
    request->list_nodes->after = reply->node_list->next;
    return *request->list_nodes->after != '\0';
}

CREEL_EXPORT
int creel_node_list(struct creel_client *client, const char *node, struct creel_nodes **ret,
                    struct creel_error *error)
{
    Creel__ListNodes list = CREEL__LIST_NODES__INIT;
    struct pages pages = { 0 };
    struct err err = { 0 };
    int r;

    list.node_id = texts_borrow(node);
    r = request_pages(client, REQUEST(LIST_NODES, &list), ANSWER(NODE_LIST), next_nodes, &pages, &err);
    if (r == 0 && node && pages.items[0]->node_list->n_nodes == 0)
        r = err_set(&err, ENOENT, "node %s: the resource manager does not know it", node);
    if (r == 0)
        r = reports_nodes(&pages, ret, &err);
    pages_done(&pages);
    return client_set_error(error, &err, r);
}

/* --- the cluster ----------------------------------------------------------- */

CREEL_EXPORT
int creel_cluster_info(struct creel_client *client, struct creel_cluster **ret, struct creel_error *error)
{
    Creel__GetClusterInfo get = CREEL__GET_CLUSTER_INFO__INIT;
    struct pages pages = { 0 };
    struct err err = { 0 };
    int r = request_pages(client, REQUEST(GET_CLUSTER_INFO, &get), ANSWER(CLUSTER_INFO), NULL, &pages, &err);

    if (r == 0)
        *ret = reports_cluster(&pages);
    pages_done(&pages);
    return client_set_error(error, &err, r);
}
