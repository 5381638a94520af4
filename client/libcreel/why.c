/* SPDX-License-Identifier: Apache-2.0 */
/* why.c - requests about an application: why it is pending or how it ended, and changes of it */
#include <errno.h>

#include "client/libcreel/reports.h"
#include "client/libcreel/request.h"
#include "client/libcreel/result.h"
#include "client/libcreel/texts.h"

/* --- changes --------------------------------------------------------------- */

/* Sends BODY, a message of KIND. The answer is the application after the change. */
static int change(struct creel_client *client, Creel__Envelope__BodyCase kind, void *body,
                  struct creel_apps **ret, struct creel_error *error)
{
    Creel__Envelope request = request_of(kind, body);
    struct pages pages = { 0 };
    struct err err = { 0 };
    int r;

    request.no_long_commands = true;
    r = pages_fetch(client, &request, 0, ANSWER(APP_LIST), NULL, &pages, &err);
    if (r == 0)
        client_add_command(client, &pages.items[0]);
    if (r == 0 && pages.items[0]->app_list->n_apps != 1)
        r = err_set(&err, EPROTO, "the resource manager answered for %zu applications, not one",
                    pages.items[0]->app_list->n_apps);
    if (r == 0)
        r = reports_apps(&pages, ret, &err);
    pages_done(&pages);
    return client_set_error(error, &err, r);
}

CREEL_EXPORT
int creel_app_move(struct creel_client *client, const char *id, const char *queue, struct creel_apps **ret,
                   struct creel_error *error)
{
    Creel__MoveApp move = CREEL__MOVE_APP__INIT;

    move.app_id = texts_borrow(id);
    move.queue = texts_borrow(queue);
    return change(client, REQUEST(MOVE_APP, &move), ret, error);
}

CREEL_EXPORT
int creel_app_set_priority(struct creel_client *client, const char *id, int priority, struct creel_apps **ret,
                           struct creel_error *error)
{
    Creel__SetPriority set = CREEL__SET_PRIORITY__INIT;

    set.app_id = texts_borrow(id);
    set.priority = priority;
    return change(client, REQUEST(SET_PRIORITY, &set), ret, error);
}

CREEL_EXPORT
int creel_app_set_expiry(struct creel_client *client, const char *id, int64_t expires_ms,
                         struct creel_apps **ret, struct creel_error *error)
{
    Creel__SetLifetime set = CREEL__SET_LIFETIME__INIT;

    set.app_id = texts_borrow(id);
    set.expires_ms = expires_ms;
    return change(client, REQUEST(SET_LIFETIME, &set), ret, error);
}

/* Returns what an RM of an earlier release sets: the end of APP. The beginning of time, which it refuses, if
 * the end is not known yet. */
static int64_t end_by_limit(const struct creel_app *app, int64_t limit_s)
{
    int64_t start_ms = creel_app_attempt_start_ms(app);

    if (limit_s == 0)
        return 0;
    return start_ms > 0 ? start_ms + limit_s * 1000 : 1;
}

CREEL_EXPORT
int creel_app_set_time_limit(struct creel_client *client, const struct creel_app *app, int64_t limit_s,
                             struct creel_apps **ret, struct creel_error *error)
{
    Creel__SetLifetime set = CREEL__SET_LIFETIME__INIT;

    set.app_id = texts_borrow(app->id);
    set.expires_ms = end_by_limit(app, limit_s);
    set.time_limit_s = limit_s > 0 ? limit_s : -1;
    return change(client, REQUEST(SET_LIFETIME, &set), ret, error);
}

CREEL_EXPORT
int creel_app_kill_tasks(struct creel_client *client, const char *id, const char *tasks, const char *reason,
                         struct creel_apps **ret, struct creel_error *error)
{
    Creel__KillTasks kill = CREEL__KILL_TASKS__INIT;

    kill.app_id = texts_borrow(id);
    kill.tasks = texts_borrow(tasks);
    kill.reason = texts_borrow(reason);
    return change(client, REQUEST(KILL_TASKS, &kill), ret, error);
}

CREEL_EXPORT
int creel_app_set_at_once(struct creel_client *client, const char *id, uint32_t at_once,
                          struct creel_apps **ret, struct creel_error *error)
{
    Creel__SetArray set = CREEL__SET_ARRAY__INIT;

    set.app_id = texts_borrow(id);
    set.at_once = at_once;
    return change(client, REQUEST(SET_ARRAY, &set), ret, error);
}

CREEL_EXPORT
int creel_app_hold(struct creel_client *client, const char *id, const char *reason, struct creel_apps **ret,
                   struct creel_error *error)
{
    Creel__HoldApp hold = CREEL__HOLD_APP__INIT;

    hold.app_id = texts_borrow(id);
    hold.reason = texts_borrow(reason);
    return change(client, REQUEST(HOLD_APP, &hold), ret, error);
}

CREEL_EXPORT
int creel_app_hold_next(struct creel_client *client, const char *id, const char *reason,
                        struct creel_apps **ret, struct creel_error *error)
{
    Creel__HoldApp hold = CREEL__HOLD_APP__INIT;

    hold.app_id = texts_borrow(id);
    hold.reason = texts_borrow(reason);
    hold.begun = true;
    return change(client, REQUEST(HOLD_APP, &hold), ret, error);
}

CREEL_EXPORT
int creel_app_release(struct creel_client *client, const char *id, struct creel_apps **ret,
                      struct creel_error *error)
{
    Creel__ReleaseApp release = CREEL__RELEASE_APP__INIT;

    release.app_id = texts_borrow(id);
    return change(client, REQUEST(RELEASE_APP, &release), ret, error);
}

CREEL_EXPORT
int creel_app_requeue(struct creel_client *client, const char *id, const char *reason,
                      struct creel_apps **ret, struct creel_error *error)
{
    Creel__RequeueApp requeue = CREEL__REQUEUE_APP__INIT;

    requeue.app_id = texts_borrow(id);
    requeue.reason = texts_borrow(reason);
    return change(client, REQUEST(REQUEUE_APP, &requeue), ret, error);
}

CREEL_EXPORT
int creel_app_requeue_held(struct creel_client *client, const char *id, const char *reason,
                           struct creel_apps **ret, struct creel_error *error)
{
    Creel__RequeueApp requeue = CREEL__REQUEUE_APP__INIT;
    struct err err = { 0 };
    int r;

    requeue.app_id = texts_borrow(id);
    requeue.reason = texts_borrow(reason);
    requeue.hold = true;
    r = change(client, CREEL__ENVELOPE__BODY_REQUEUE_APP, &requeue, ret, error);
    if (r < 0 || (*ret)->items[0].hold_count > 0)
        return r;
    r = err_set(
        &err, EOPNOTSUPP,
        "%s: the resource manager is older and does not hold it: hold it when it waits, or upgrade the "
        "resource manager",
        (*ret)->items[0].id);
    creel_apps_free(*ret);
    return client_set_error(error, &err, r);
}

CREEL_EXPORT
int creel_app_set_name(struct creel_client *client, const char *id, const char *name, struct creel_apps **ret,
                       struct creel_error *error)
{
    Creel__SetName set = CREEL__SET_NAME__INIT;

    set.app_id = texts_borrow(id);
    set.name = texts_borrow(name);
    return change(client, CREEL__ENVELOPE__BODY_SET_NAME, &set, ret, error);
}

/* --- several changes ---------------------------------------------------------- */

/* The messages of a change: those that it does not have are not sent. */
struct parts {
    Creel__MoveApp move;
    Creel__SetPriority priority;
    Creel__SetLifetime lifetime;
    Creel__SetName name;
    Creel__SetArray array;
    Creel__HoldApp hold;
    Creel__ReleaseApp release;
};

/* The last part that was added, as a request of its own. */
struct single {
    size_t count; /* of all parts */
    Creel__Envelope__BodyCase kind;
    void *body;
};

static void count(struct single *single, Creel__Envelope__BodyCase kind, void *body)
{
    *single = (struct single){ single->count + 1, kind, body };
}

static void add_place(const struct creel_app_change *change, char *id, struct parts *parts,
                      Creel__ChangeApp *all, struct single *single)
{
    if (change->queue) {
        parts->move = (Creel__MoveApp)CREEL__MOVE_APP__INIT;
        parts->move.app_id = id;
        parts->move.queue = texts_borrow(change->queue);
        all->move = &parts->move;
        count(single, REQUEST(MOVE_APP, all->move));
    }
    if (change->set_priority) {
        parts->priority = (Creel__SetPriority)CREEL__SET_PRIORITY__INIT;
        parts->priority.app_id = id;
        parts->priority.priority = change->priority;
        all->priority = &parts->priority;
        count(single, REQUEST(SET_PRIORITY, all->priority));
    }
    if (change->set_at_once) {
        parts->array = (Creel__SetArray)CREEL__SET_ARRAY__INIT;
        parts->array.app_id = id;
        parts->array.at_once = change->at_once;
        all->array = &parts->array;
        count(single, REQUEST(SET_ARRAY, all->array));
    }
}

static void add_limit(const struct creel_app_change *change, const struct creel_app *app, struct parts *parts,
                      Creel__ChangeApp *all, struct single *single)
{
    if (!change->set_time_limit && change->expires_ms == 0)
        return;
    parts->lifetime = (Creel__SetLifetime)CREEL__SET_LIFETIME__INIT;
    parts->lifetime.app_id = texts_borrow(app->id);
    parts->lifetime.expires_ms =
        change->set_time_limit ? end_by_limit(app, change->time_limit_s) : change->expires_ms;
    if (change->set_time_limit)
        parts->lifetime.time_limit_s = change->time_limit_s > 0 ? change->time_limit_s : -1;
    all->lifetime = &parts->lifetime;
    count(single, REQUEST(SET_LIFETIME, all->lifetime));
}

static void add_others(const struct creel_app_change *change, char *id, struct parts *parts,
                       Creel__ChangeApp *all, struct single *single)
{
    if (change->name) {
        parts->name = (Creel__SetName)CREEL__SET_NAME__INIT;
        parts->name.app_id = id;
        parts->name.name = texts_borrow(change->name);
        all->name = &parts->name;
        count(single, REQUEST(SET_NAME, all->name));
    }
    if (change->release) {
        parts->release = (Creel__ReleaseApp)CREEL__RELEASE_APP__INIT;
        parts->release.app_id = id;
        all->release = &parts->release;
        count(single, REQUEST(RELEASE_APP, all->release));
    }
    if (change->hold_next) {
        parts->hold = (Creel__HoldApp)CREEL__HOLD_APP__INIT;
        parts->hold.app_id = id;
        parts->hold.begun = true;
        all->hold = &parts->hold;
        count(single, REQUEST(HOLD_APP, all->hold));
    }
}

CREEL_EXPORT
int creel_app_change(struct creel_client *client, const struct creel_app *app,
                     const struct creel_app_change *changes, struct creel_apps **ret,
                     struct creel_error *error)
{
    Creel__ChangeApp all = CREEL__CHANGE_APP__INIT;
    struct single single = { 0 };
    struct err err = { 0 };
    struct parts parts;
    int r;

    all.app_id = texts_borrow(app->id);
    add_place(changes, all.app_id, &parts, &all, &single);
    add_limit(changes, app, &parts, &all, &single);
    add_others(changes, all.app_id, &parts, &all, &single);
    if (single.count == 1) /* which an older resource manager knows, too */
        return change(client, single.kind, single.body, ret, error);
    r = change(client, REQUEST(CHANGE_APP, &all), ret, error);
    if (r != -EPROTO)
        return r;
    r = err_set(&err, EOPNOTSUPP,
                "%s: the resource manager is older and makes one change at a time: make them one by one, or "
                "upgrade the resource manager",
                app->id);
    return client_set_error(error, &err, r);
}

/* --- why ------------------------------------------------------------------- */

static struct creel_why_passed *show_passed(struct creel_why *why, const Creel__WhyItem *from)
{
    struct creel_why_passed *passed = RESULT_ARRAY(why, from->n_passed_over, struct creel_why_passed);

    for (size_t i = 0; i < from->n_passed_over; i++)
        passed[i] = (struct creel_why_passed){
            .reason = from->passed_over[i]->reason,
            .nodes = from->passed_over[i]->nodes,
            .fitting = from->passed_over[i]->fitting,
        };
    return passed;
}

static struct creel_why_room *show_room(struct creel_why *why, const Creel__RoomBeingMade *from)
{
    struct creel_why_room *room = RESULT_ARRAY(why, from->n_of, struct creel_why_room);

    for (size_t i = 0; i < from->n_of; i++)
        room[i] = (struct creel_why_room){
            .queue = from->of[i]->queue,
            .containers = from->of[i]->containers,
        };
    return room;
}

static void show_item(struct creel_why *why, const Creel__WhyItem *from, struct creel_why_item *item)
{
    *item = (struct creel_why_item){
        .code = from->reason_code,
        .blocking = from->blocking,
        .queue = from->queue,
        .user = from->user,
        .used = reports_resource(from->used),
        .asked = reports_resource(from->asked),
        .allowed = reports_resource(from->allowed),
        .since_ms = from->since_ms,
        .nodes = from->nodes,
        .text = from->text,
        .passed = show_passed(why, from),
        .passed_count = from->n_passed_over,
        .limits_apps = from->apps != NULL,
        .used_apps = from->apps ? from->apps->used : 0,
        .allowed_apps = from->apps ? from->apps->allowed : 0,
    };
    if (from->room == NULL)
        return;
    item->room_containers = from->room->containers;
    item->room_first_end_ms = from->room->first_end_ms;
    item->room = show_room(why, from->room);
    item->room_count = from->room->n_of;
}

/* Shows the explanation FROM, whose reply APPS owns. */
static struct creel_why *show_why(const Creel__AppExplanation *from, struct creel_apps *apps)
{
    struct creel_why *why = RESULT_NEW(struct creel_why, NULL);
    struct creel_why_item *items = RESULT_ARRAY(why, from->n_items, struct creel_why_item);

    for (size_t i = 0; i < from->n_items; i++)
        show_item(why, from->items[i], &items[i]);
    *why = (struct creel_why){
        .apps = apps,
        .summary = from->summary,
        .waiting_since_ms = from->waiting_since_ms,
        .fair_share = reports_resource(from->fair_share),
        .starved_since_ms = from->starved_since_ms,
        .count = from->count,
        .asked = reports_resource(from->asked),
        .item_count = from->n_items,
        .items = items,
        .advice = result_texts(why, from->advice, from->n_advice),
    };
    return why;
}

CREEL_EXPORT
int creel_app_why(struct creel_client *client, const char *id, struct creel_why **ret,
                  struct creel_error *error)
{
    Creel__ExplainApp explain = CREEL__EXPLAIN_APP__INIT;
    const Creel__AppExplanation *answer;
    struct creel_apps *apps = NULL;
    struct pages pages = { 0 };
    struct err err = { 0 };
    int r;

    explain.app_id = texts_borrow(id);
    r = request_pages(client, REQUEST(EXPLAIN_APP, &explain), ANSWER(APP_EXPLANATION), NULL, &pages, &err);
    if (r == 0) {
        answer = pages.items[0]->app_explanation;
        r = reports_apps(&pages, &apps, &err);
    }
    if (r == 0)
        *ret = show_why(answer, apps);
    pages_done(&pages);
    return client_set_error(error, &err, r);
}

CREEL_EXPORT
void creel_why_free(struct creel_why *why)
{
    if (!why)
        return;
    creel_apps_free(why->apps);
    result_free(why);
}
