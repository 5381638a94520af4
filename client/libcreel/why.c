/* SPDX-License-Identifier: Apache-2.0 */
/* why.c - requests about an application: why it is pending or how it ended, and changes of it */
#include <errno.h>
#include <stdlib.h>

#include "client/libcreel/client.h"
#include "client/libcreel/reports.h"
#include "client/libcreel/texts.h"
#include "common/base/mem.h"
#include "common/io/wire.h"

/* --- changes --------------------------------------------------------------- */

/* Returns the one application in REPLY, and takes ownership of REPLY. */
static int return_app(Creel__Envelope *reply, struct creel_apps **ret, struct err *err)
{
    struct pages pages = { 0 };
    int r = pages_add(&pages, reply, err);

    if (r == 0 && pages.items[0]->app_list->n_apps != 1)
        r = err_set(err, EPROTO, "the resource manager answered for %zu applications, not one",
                    pages.items[0]->app_list->n_apps);
    if (r == 0)
        r = reports_apps(&pages, ret, err);
    pages_done(&pages);
    return r;
}

/* Sends BODY, a message of KIND. The answer is the application after the change. */
static int change(struct creel_client *client, Creel__Envelope__BodyCase kind, void *body,
                  struct creel_apps **ret, struct creel_error *error)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT, *reply;
    struct err err = { 0 };
    int r;

    request.body_case = kind;
    request.move_app = body; /* all members of the union have the same address */
    r = client_call(client, &request, CREEL__ENVELOPE__BODY_APP_LIST, client->timeout_ms, &reply, &err);
    if (r == 0)
        client_add_command(client, &reply);
    if (r == 0)
        r = return_app(reply, ret, &err);
    return client_set_error(error, &err, r);
}

CREEL_EXPORT
int creel_app_move(struct creel_client *client, const char *id, const char *queue, struct creel_apps **ret,
                   struct creel_error *error)
{
    Creel__MoveApp move = CREEL__MOVE_APP__INIT;

    move.app_id = texts_borrow(id);
    move.queue = texts_borrow(queue);
    return change(client, CREEL__ENVELOPE__BODY_MOVE_APP, &move, ret, error);
}

CREEL_EXPORT
int creel_app_set_priority(struct creel_client *client, const char *id, int priority, struct creel_apps **ret,
                           struct creel_error *error)
{
    Creel__SetPriority set = CREEL__SET_PRIORITY__INIT;

    set.app_id = texts_borrow(id);
    set.priority = priority;
    return change(client, CREEL__ENVELOPE__BODY_SET_PRIORITY, &set, ret, error);
}

CREEL_EXPORT
int creel_app_set_expiry(struct creel_client *client, const char *id, int64_t expires_ms,
                         struct creel_apps **ret, struct creel_error *error)
{
    Creel__SetLifetime set = CREEL__SET_LIFETIME__INIT;

    set.app_id = texts_borrow(id);
    set.expires_ms = expires_ms;
    return change(client, CREEL__ENVELOPE__BODY_SET_LIFETIME, &set, ret, error);
}

CREEL_EXPORT
int creel_app_kill_tasks(struct creel_client *client, const char *id, const char *tasks, const char *reason,
                         struct creel_apps **ret, struct creel_error *error)
{
    Creel__KillTasks kill = CREEL__KILL_TASKS__INIT;

    kill.app_id = texts_borrow(id);
    kill.tasks = texts_borrow(tasks);
    kill.reason = texts_borrow(reason);
    return change(client, CREEL__ENVELOPE__BODY_KILL_TASKS, &kill, ret, error);
}

CREEL_EXPORT
int creel_app_set_at_once(struct creel_client *client, const char *id, uint32_t at_once,
                          struct creel_apps **ret, struct creel_error *error)
{
    Creel__SetArray set = CREEL__SET_ARRAY__INIT;

    set.app_id = texts_borrow(id);
    set.at_once = at_once;
    return change(client, CREEL__ENVELOPE__BODY_SET_ARRAY, &set, ret, error);
}

CREEL_EXPORT
int creel_app_hold(struct creel_client *client, const char *id, const char *reason, struct creel_apps **ret,
                   struct creel_error *error)
{
    Creel__HoldApp hold = CREEL__HOLD_APP__INIT;

    hold.app_id = texts_borrow(id);
    hold.reason = texts_borrow(reason);
    return change(client, CREEL__ENVELOPE__BODY_HOLD_APP, &hold, ret, error);
}

CREEL_EXPORT
int creel_app_release(struct creel_client *client, const char *id, struct creel_apps **ret,
                      struct creel_error *error)
{
    Creel__ReleaseApp release = CREEL__RELEASE_APP__INIT;

    release.app_id = texts_borrow(id);
    return change(client, CREEL__ENVELOPE__BODY_RELEASE_APP, &release, ret, error);
}

CREEL_EXPORT
int creel_app_requeue(struct creel_client *client, const char *id, const char *reason,
                      struct creel_apps **ret, struct creel_error *error)
{
    Creel__RequeueApp requeue = CREEL__REQUEUE_APP__INIT;

    requeue.app_id = texts_borrow(id);
    requeue.reason = texts_borrow(reason);
    return change(client, CREEL__ENVELOPE__BODY_REQUEUE_APP, &requeue, ret, error);
}

/* --- why ------------------------------------------------------------------- */

struct why_box {
    struct creel_why shown;
    struct creel_why_item *items; /* owned, with their lists of nodes */
    Creel__Envelope *reply;
};

static struct creel_why_passed *show_passed(const Creel__WhyItem *from)
{
    struct creel_why_passed *passed = mem_array0(from->n_passed_over + 1, sizeof(*passed));

    for (size_t i = 0; i < from->n_passed_over; i++)
        passed[i] = (struct creel_why_passed){
            .reason = from->passed_over[i]->reason,
            .nodes = from->passed_over[i]->nodes,
            .fitting = from->passed_over[i]->fitting,
        };
    return passed;
}

static void show_item(const Creel__WhyItem *from, struct creel_why_item *item)
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
        .passed = show_passed(from),
        .passed_count = from->n_passed_over,
    };
}

/* Returns the application in REPLY as a list of one, in a block of its own. */
static int show_app(const Creel__Envelope *reply, struct creel_apps **ret, struct err *err)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT, *copy = NULL;
    Creel__AppList list = CREEL__APP_LIST__INIT;
    Creel__AppReport *app = reply->app_explanation->app;
    scoped_free uint8_t *bytes = NULL;
    size_t size;
    int r;

    list.apps = &app;
    list.n_apps = 1;
    envelope.body_case = CREEL__ENVELOPE__BODY_APP_LIST;
    envelope.app_list = &list;
    r = wire_pack(&envelope, &bytes, &size, err);
    if (r == 0)
        r = wire_decode(bytes, size, &copy, NULL, err);
    return r < 0 ? r : return_app(copy, ret, err);
}

static int show_why(Creel__Envelope *reply, struct creel_why **ret, struct err *err)
{
    const Creel__AppExplanation *from = reply->app_explanation;
    struct creel_apps *apps = NULL;
    struct why_box *box;
    int r = show_app(reply, &apps, err);

    if (r < 0)
        return r;
    box = mem_new0(struct why_box);
    box->reply = reply;
    box->items = mem_array0(from->n_items + 1, sizeof(*box->items));
    for (size_t i = 0; i < from->n_items; i++)
        show_item(from->items[i], &box->items[i]);
    box->shown = (struct creel_why){
        .apps = apps,
        .summary = from->summary,
        .waiting_since_ms = from->waiting_since_ms,
        .fair_share = reports_resource(from->fair_share),
        .starved_since_ms = from->starved_since_ms,
        .count = from->count,
        .asked = reports_resource(from->asked),
        .item_count = from->n_items,
        .items = box->items,
        .advice = reports_texts(from->advice, from->n_advice),
    };
    *ret = &box->shown;
    return 0;
}

CREEL_EXPORT
int creel_app_why(struct creel_client *client, const char *id, struct creel_why **ret,
                  struct creel_error *error)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT, *reply;
    Creel__ExplainApp explain = CREEL__EXPLAIN_APP__INIT;
    struct err err = { 0 };
    int r;

    explain.app_id = texts_borrow(id);
    request.body_case = CREEL__ENVELOPE__BODY_EXPLAIN_APP;
    request.explain_app = &explain;
    r = client_call(client, &request, CREEL__ENVELOPE__BODY_APP_EXPLANATION, client->timeout_ms, &reply,
                    &err);
    if (r == 0) {
        r = show_why(reply, ret, &err);
        if (r < 0)
            wire_free(reply);
    }
    return client_set_error(error, &err, r);
}

CREEL_EXPORT
void creel_why_free(struct creel_why *why)
{
    struct why_box *box = (struct why_box *)(void *)why;

    if (!box)
        return;
    creel_apps_free(box->shown.apps);
    free((void *)(uintptr_t)box->shown.advice);
    for (size_t i = 0; i < box->shown.item_count; i++)
        free((void *)(uintptr_t)box->items[i].passed);
    free(box->items);
    wire_free(box->reply);
    free(box);
}
