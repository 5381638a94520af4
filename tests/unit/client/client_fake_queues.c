/* SPDX-License-Identifier: Apache-2.0 */
/* client_fake_queues.c - fake resource manager of the client tests: queues, pending reasons, changes of
 * applications */
#include <stdio.h>
#include <string.h>

#include "tests/unit/client/client_fake_rm.h"

static char *plain(const char *text)
{
    return (char *)(uintptr_t)text;
}

static Creel__Resource *amount(Creel__Resource *resource, int64_t memory_mb, int64_t vcores)
{
    creel__resource__init(resource);
    resource->memory_mb = memory_mb;
    resource->vcores = vcores;
    return resource;
}

/* --- queues ---------------------------------------------------------------- */

static void fill_queue(Creel__QueueReport *queue, const char *path, bool leaf, float share)
{
    creel__queue_report__init(queue);
    queue->path = plain(path);
    queue->state = plain("RUNNING");
    queue->leaf = leaf;
    queue->capacity = queue->absolute_capacity = share;
    queue->max_capacity = queue->absolute_max_capacity = 1;
    queue->used_capacity = queue->absolute_used = 0.1f;
    queue->weight = -1;
    queue->maximum_lifetime_s = queue->default_lifetime_s = -1;
}

/* Sends a starved queue of the fair scheduler. */
static void send_fair_queue(struct fake *fake, const struct peer *peer, const Creel__Envelope *request)
{
    Creel__Resource amounts[5];
    Creel__QueueReport queue, *pointer = &queue;
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__QueueList list = CREEL__QUEUE_LIST__INIT;

    fill_queue(&queue, "root.fair", true, 0.5f);
    queue.policy = plain("drf");
    queue.weight = 2;
    queue.minimum = amount(&amounts[0], 1024, 1);
    queue.maximum = amount(&amounts[1], 8192, 8);
    queue.demand = amount(&amounts[2], 6144, 6);
    queue.fair_share = amount(&amounts[3], 4096, 4);
    queue.steady_fair_share = amount(&amounts[4], 2048, 2);
    queue.starved_since_ms = 1790000000000;
    list.queues = &pointer;
    list.n_queues = 1;
    reply.body_case = CREEL__ENVELOPE__BODY_QUEUE_LIST;
    reply.queue_list = &list;
    send_reply(fake, peer, request, &reply);
}

/* Splits the list into two pages: root, and the queues below root. */
static void cut_page(const Creel__ListQueues *body, Creel__QueueList *list)
{
    if (*body->queue)
        return;
    if (*body->after == '\0') {
        list->n_queues = 1;
        list->next = list->queues[0]->path;
        return;
    }
    list->queues++;
    list->n_queues--;
}

void list_queues(struct fake *fake, const struct peer *peer, const Creel__Envelope *request)
{
    Creel__QueueReport queues[3], *pointers[] = { &queues[0], &queues[1], &queues[2] };
    char *next[] = { plain(APP) }, *sentences[] = { plain("It is guaranteed all of it.") };
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__QueueList list = CREEL__QUEUE_LIST__INIT;
    Creel__Resource limit;

    if (!strcmp(request->list_queues->queue, "old")) {
        channel_server_refuse(fake->server, peer->connection, request->request_id,
                              CREEL__ERROR_CODE__ERROR_UNSUPPORTED, "no such call");
        return;
    }
    if (!strcmp(request->list_queues->queue, "odd")) {
        send_ok(fake, peer, request);
        return;
    }
    if (!strcmp(request->list_queues->queue, "fair")) {
        send_fair_queue(fake, peer, request);
        return;
    }
    list.queues = pointers;
    list.n_queues = *request->list_queues->queue ? 1 : 3;
    fill_queue(&queues[0], list.n_queues == 1 ? "root.default" : "root", list.n_queues == 1, 1);
    fill_queue(&queues[1], "root.default", true, 0.5f);
    fill_queue(&queues[2], "root.dev", true, 0.5f);
    if (list.n_queues == 1) {
        queues[0].max_apps = 100;
        queues[0].maximum_lifetime_s = 3600;
        queues[0].am_limit = queues[0].user_limit = amount(&limit, 512, 1);
        queues[0].next = next;
        queues[0].explanation = sentences;
        queues[0].n_next = queues[0].n_explanation = 1;
    }
    cut_page(request->list_queues, &list);
    reply.body_case = CREEL__ENVELOPE__BODY_QUEUE_LIST;
    reply.queue_list = &list;
    send_reply(fake, peer, request, &reply);
}

void list_queue_users(struct fake *fake, const struct peer *peer, const Creel__Envelope *request)
{
    Creel__QueueUserReport user = CREEL__QUEUE_USER_REPORT__INIT, *pointer = &user;
    Creel__QueueUserList list = CREEL__QUEUE_USER_LIST__INIT;
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__Resource used;
    bool first = *request->list_queue_users->after == '\0';

    /* Two pages, each with half of ann's usage. */
    list.partial = true;
    list.next = plain(first ? APP : "");

    user.user = plain("ann");
    user.weight = 1;
    user.active = true;
    user.used = amount(&used, 1024, 1);
    user.active_apps = 1;
    list.queue = plain("root.default");
    list.users = &pointer;
    list.n_users = 1;
    reply.body_case = CREEL__ENVELOPE__BODY_QUEUE_USER_LIST;
    reply.queue_user_list = &list;
    send_reply(fake, peer, request, &reply);
}

void queue_access(struct fake *fake, const struct peer *peer, const Creel__Envelope *request)
{
    Creel__QueueAccess access = CREEL__QUEUE_ACCESS__INIT;
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    char *groups[] = { plain("staff"), plain("ops") };
    const char *user = request->get_queue_access->user;

    access.queue = plain("root.default");
    access.user = plain(*user ? user : peer->principal);
    access.may_submit = true;
    access.submit_reason = plain("acl_submit_applications of root: \"*\"");
    access.administer_reason = plain("no list names them");
    access.administers_cluster = !strcmp(access.user, "adm");
    access.groups = groups;
    access.n_groups = 2;
    reply.body_case = CREEL__ENVELOPE__BODY_QUEUE_ACCESS;
    reply.queue_access = &access;
    send_reply(fake, peer, request, &reply);
}

void set_queue_state(struct fake *fake, const struct peer *peer, const Creel__Envelope *request)
{
    if (!strcmp(request->set_queue_state->queue, "root"))
        channel_server_refuse(fake->server, peer->connection, request->request_id,
                              CREEL__ERROR_CODE__ERROR_NOT_PERMITTED, "root is not yours");
    else
        send_ok(fake, peer, request);
}

/* The configuration is wrong for user "bad", and gives a warning for other users. */
void refresh_queues(struct fake *fake, const struct peer *peer, const Creel__Envelope *request)
{
    Creel__RefreshQueuesReply answer = CREEL__REFRESH_QUEUES_REPLY__INIT;
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    char *warnings[] = { plain("capacity-scheduler.xml:9: nobody needs this") };

    if (!strcmp(request->as_user, "bad")) {
        channel_server_refuse(fake->server, peer->connection, request->request_id,
                              CREEL__ERROR_CODE__ERROR_BAD_CONFIG,
                              "capacity-scheduler.xml:3: one\ncapacity-scheduler.xml:5: two");
        return;
    }
    answer.queues = 5;
    answer.warnings = warnings;
    answer.n_warnings = 1;
    reply.body_case = CREEL__ENVELOPE__BODY_REFRESH_QUEUES_REPLY;
    reply.refresh_queues_reply = &answer;
    send_reply(fake, peer, request, &reply);
}

void refresh_nodes(struct fake *fake, const struct peer *peer, const Creel__Envelope *request)
{
    Creel__RefreshNodesReply answer = CREEL__REFRESH_NODES_REPLY__INIT;
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    char *changes[] = { plain("host n1: not listed -> excluded"),
                        plain("node n1:8041: RUNNING -> DECOMMISSIONED") };
    bool changed = request->refresh_nodes->kind == CREEL__REFRESH_KIND__REFRESH_NORMAL;

    answer.compared = true;
    answer.excluded = answer.left = changed;
    answer.changes = changes;
    answer.n_changes = changed ? 2 : 0;
    reply.body_case = CREEL__ENVELOPE__BODY_REFRESH_NODES_REPLY;
    reply.refresh_nodes_reply = &answer;
    send_reply(fake, peer, request, &reply);
}

/* Returns true after refusing an edit of "root.bad", whose queues would be invalid, or of "root.files". */
static bool refuse_edit(struct fake *fake, const struct peer *peer, const Creel__Envelope *request)
{
    const Creel__ChangeSchedulerConf *change = request->change_scheduler_conf;
    const char *queue = change->n_edits > 0 ? change->edits[0]->queue : "";

    if (!strcmp(queue, "root.bad"))
        channel_server_refuse(fake->server, peer->connection, request->request_id,
                              CREEL__ERROR_CODE__ERROR_BAD_CONFIG, "root.bad.capacity: \"x\": no number");
    else if (!strcmp(queue, "root.files"))
        channel_server_refuse(fake->server, peer->connection, request->request_id,
                              CREEL__ERROR_CODE__ERROR_UNSUPPORTED, "queues are in files alone");
    else
        return false;
    return true;
}

/* Returns the properties: of a change the first edit of it, "PART QUEUE KEY" with the value. */
void scheduler_conf(struct fake *fake, const struct peer *peer, const Creel__Envelope *request)
{
    bool changes = request->body_case == CREEL__ENVELOPE__BODY_CHANGE_SCHEDULER_CONF;
    const Creel__ChangeSchedulerConf *change = changes ? request->change_scheduler_conf : NULL;
    Creel__SchedulerConf answer = CREEL__SCHEDULER_CONF__INIT;
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__ConfigurationEntry entry = CREEL__CONFIGURATION_ENTRY__INIT, *entries[] = { &entry };
    char *warnings[] = { plain("nobody needs this") };
    char key[200];

    if (changes && refuse_edit(fake, peer, request))
        return;
    if (!changes && request->get_scheduler_conf->versions) {
        list_versions(fake, peer, request);
        return;
    }
    entry.key = plain("yarn.scheduler.capacity.root.queues");
    entry.value = plain("default,<dev>&\"x\"");
    if (changes && change->n_edits > 0 && change->edits[0]->n_keys > 0) {
        const Creel__SchedulerConfEdit *edit = change->edits[0];

        snprintf(key, sizeof(key), "%d %s %s", (int)edit->part, edit->queue, edit->keys[0]->key);
        entry.key = key;
        entry.value = edit->keys[0]->removed ? plain("removed") : edit->keys[0]->value;
    }
    answer.version = changes && !change->validate ? 8 : 7;
    answer.entries = entries;
    answer.n_entries = 1;
    answer.warnings = warnings;
    answer.n_warnings = 1;
    reply.body_case = CREEL__ENVELOPE__BODY_SCHEDULER_CONF;
    reply.scheduler_conf = &answer;
    send_reply(fake, peer, request, &reply);
}

/* --- applications ---------------------------------------------------------- */

/* Returns true if application ID does not exist, and answers with that error. */
static bool refuse_unknown(struct fake *fake, const struct peer *peer, const Creel__Envelope *request,
                           const char *id)
{
    if (!strcmp(id, "1") || !strcmp(id, APP))
        return false;
    channel_server_refuse(fake->server, peer->connection, request->request_id,
                          CREEL__ERROR_CODE__ERROR_NOT_FOUND, "application %s: not known", id);
    return true;
}

void explain_app(struct fake *fake, const struct peer *peer, const Creel__Envelope *request)
{
    Creel__AppExplanation answer = CREEL__APP_EXPLANATION__INIT;
    Creel__WhyItem items[2] = { CREEL__WHY_ITEM__INIT, CREEL__WHY_ITEM__INIT };
    Creel__WhyItem *pointers[] = { &items[0], &items[1] };
    char *advice[] = { plain("_0031 (carl) ends by its lifetime in 2h"), plain("wait") };
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__Resource resource, asked, allowed;
    Creel__AppReport app;

    if (refuse_unknown(fake, peer, request, request->explain_app->app_id))
        return;
    fill_app(&app, &resource, APP);
    app.state = CREEL__APP_STATE__APP_ACCEPTED;
    items[0].reason_code = plain("QueueLimit");
    items[0].blocking = true;
    items[0].queue = plain("root.dev.ml");
    items[0].since_ms = INT64_C(1790000001000);
    items[0].asked = amount(&asked, 16384, 4);
    items[0].allowed = amount(&allowed, 65536, 16);
    items[0].text = plain("dev.ml uses 40.0% of the cluster, its maximum is 40%");
    items[1].reason_code = plain("UserLimit");
    items[1].text = plain("ann may use 8 GiB");
    answer.app = &app;
    answer.summary = plain("_0001 night job (ann, dev.ml) has waited 1h03m for 4 x (16 GiB)");
    answer.waiting_since_ms = INT64_C(1790000001000);
    answer.count = 4;
    answer.asked = &asked;
    answer.items = pointers;
    answer.advice = advice;
    answer.n_items = answer.n_advice = 2;
    reply.body_case = CREEL__ENVELOPE__BODY_APP_EXPLANATION;
    reply.app_explanation = &answer;
    send_reply(fake, peer, request, &reply);
}

static void answer_changed(struct fake *fake, const struct peer *peer, const Creel__Envelope *request,
                           Creel__AppReport *app)
{
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__AppList list = CREEL__APP_LIST__INIT;

    list.apps = &app;
    list.n_apps = 1;
    reply.body_case = CREEL__ENVELOPE__BODY_APP_LIST;
    reply.app_list = &list;
    send_reply(fake, peer, request, &reply);
}

void move_app(struct fake *fake, const struct peer *peer, const Creel__Envelope *request)
{
    Creel__Resource resource;
    Creel__AppReport app;

    if (refuse_unknown(fake, peer, request, request->move_app->app_id))
        return;
    if (!strcmp(request->move_app->queue, "stopped")) {
        channel_server_refuse(fake->server, peer->connection, request->request_id,
                              CREEL__ERROR_CODE__ERROR_BAD_STATE, "queue stopped: is stopped");
        return;
    }
    fill_app(&app, &resource, APP);
    app.queue = request->move_app->queue;
    answer_changed(fake, peer, request, &app);
}

void set_priority(struct fake *fake, const struct peer *peer, const Creel__Envelope *request)
{
    Creel__Resource resource;
    Creel__AppReport app;

    fill_app(&app, &resource, APP);
    app.priority = request->set_priority->priority > 10 ? 10 : request->set_priority->priority;
    answer_changed(fake, peer, request, &app);
}

void set_lifetime(struct fake *fake, const struct peer *peer, const Creel__Envelope *request)
{
    Creel__Resource resource;
    Creel__AppReport app;

    fill_app(&app, &resource, APP);
    app.expires_ms = request->set_lifetime->expires_ms;
    answer_changed(fake, peer, request, &app);
}

void test_app(struct fake *fake, const struct peer *peer, const Creel__Envelope *request)
{
    Creel__TestAppReply answer = CREEL__TEST_APP_REPLY__INIT;
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;

    if (!strcmp(request->test_app->job->queue, "nowhere")) {
        channel_server_refuse(fake->server, peer->connection, request->request_id,
                              CREEL__ERROR_CODE__ERROR_NEVER_RUNS, "too large");
        return;
    }
    answer.queue = plain("root.default");
    answer.nodes_fitting = 20;
    answer.nodes_with_room = 12;
    if (*request->test_app->job->label) {
        answer.reason_code = plain("ClusterFull");
        answer.reason = plain("none has room");
    }
    reply.body_case = CREEL__ENVELOPE__BODY_TEST_APP_REPLY;
    reply.test_app_reply = &answer;
    send_reply(fake, peer, request, &reply);
}
