/* SPDX-License-Identifier: Apache-2.0 */
/*
 * master_store_waits.c - test: each request of a user whose reply waits for a commit is answered at once
 * while the store fails
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/capacity/capacity_cluster.h"

#define PEOPLE 900
#define BODY(name) CREEL__ENVELOPE__BODY_##name
#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define REASON "/var/lib/creel/rm/state.db: the disk is full"
#define LATER "; this is stored when the resource manager can write its state: " REASON
#define HOUR_MS 3600000
#define KEY "tttttttttttttttttttttttttttttttttttttttt"
#define OLD_KEY "oooooooooooooooooooooooooooooooooooooooo"
#define HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define OLD_HASH "fedcba98" HASH_END
#define HASH_END "76543210fedcba9876543210fedcba9876543210fedcba9876543210"

static char running[] = "1", array[] = "2", held[] = "3";
static char node[] = "n1:8041", host[] = "n1", reason[] = "tests", label[] = "fast", queue_b[] = "b";
static char key[] = KEY, old_key[] = OLD_KEY, hash[] = HASH, old_hash[] = OLD_HASH;
static char token_id[] = "0a1b2c3d", old_token_id[] = "d3c2b1a0", new_host[] = "n9", tasks[] = "1";
static char *node_names[] = { node };

/* --- the cluster -------------------------------------------------------------- */

static struct conf *make_conf(struct capacity_cluster *c)
{
    static const char *const settings[][2] = {
        { "yarn.node-labels.enabled", "true" },
        { "creel.node-labels", "fast" },
        { "yarn.scheduler.capacity.root.queues", "default,b" },
        { "yarn.scheduler.capacity.root.default.capacity", "50" },
        { "yarn.scheduler.capacity.root.b.capacity", "50" },
        { "yarn.scheduler.capacity.maximum-am-resource-percent", "1" },
    };
    struct conf *before = c->conf;

    c->conf = conf_of(settings, COUNT(settings));
    c->sched = capacity_of(c->conf);
    return before;
}

static void submit(struct capacity_cluster *c, const Creel__JobSpec *job)
{
    const Creel__Error *error = NULL;
    char text[80];

    people_submit(&c->h, job, NULL, text, &error);
    if (error != NULL)
        fail_msg("%s", error->message);
}

static Creel__Envelope *envelope_of(struct capacity_cluster *c, Creel__Envelope__BodyCase body,
                                    ProtobufCMessage *message)
{
    Creel__Envelope *envelope = harness_envelope(&c->h, body);

    *(ProtobufCMessage **)(void *)&envelope->error = message; /* (a union of pointers) */
    return envelope;
}

static void must(struct capacity_cluster *c, Creel__Envelope__BodyCase body, ProtobufCMessage *message)
{
    const Creel__Envelope *reply =
        harness_ask(&c->h, MASTER_CLIENT, PEOPLE, "root", envelope_of(c, body, message));

    assert_non_null(reply);
    if (reply->body_case == BODY(ERROR))
        fail_msg("%s", reply->error->message);
}

static void make_tokens(struct capacity_cluster *c)
{
    Creel__CreateJoinToken join = CREEL__CREATE_JOIN_TOKEN__INIT;
    Creel__CreateAccessToken access = CREEL__CREATE_ACCESS_TOKEN__INIT;

    join.id = old_token_id;
    join.public_key = old_key;
    join.uses = 9;
    join.valid_ms = access.valid_ms = HOUR_MS;
    access.hash = old_hash;
    must(c, BODY(CREATE_JOIN_TOKEN), &join.base);
    must(c, BODY(CREATE_ACCESS_TOKEN), &access.base);
}

/* Application 1 runs, 2 is an array, 3 is held. */
static void begin(struct capacity_cluster *c)
{
    Creel__JobSpec *job;

    *c = (struct capacity_cluster){ .conf = NULL };
    capacity_cluster_init(c);
    c->h.config.admin_users = "root";
    (void)make_conf(c);
    capacity_cluster_start(c, NULL, 0);
    submit(c, job_of(CREEL__APP_KIND__APP_COMMAND, 512, 0));
    agent_listen(&c->h, &c->a);
    agent_heartbeat(&c->h, &c->a);
    job = job_of(CREEL__APP_KIND__APP_COMMAND, 512, 0);
    job->array = (char *)(uintptr_t) "1-9:1%1";
    submit(c, job);
    job = job_of(CREEL__APP_KIND__APP_COMMAND, 512, 0);
    job->hold = true;
    submit(c, job);
    make_tokens(c);
    assert_int_equal(people_show(&c->h, running)->state, CREEL__APP_STATE__APP_RUNNING);
}

static void store_fails(struct capacity_cluster *c)
{
    uint64_t seq = c->h.waiting_count > 0 ? c->h.waiting[c->h.waiting_count - 1].seq : 1;

    master_on_store_failed(c->h.master, c->h.now, seq, REASON, &c->h.effects);
    harness_run_effects(&c->h);
}

/* --- the shell's part of some requests --------------------------------------------- */

static void host_lists_are_read(struct capacity_cluster *c, uint64_t request_id)
{
    const struct master_host excluded = { .name = host };
    const struct master_hosts hosts = { .exclude = &excluded, .exclude_count = 1, .timeout_ms = 60000 };

    (void)request_id;
    master_reload_hosts(c->h.master, c->h.now, &c->h.host_reload, &hosts, NULL, NULL, &c->h.effects);
    harness_run_effects(&c->h);
}

static void queues_are_configured(struct capacity_cluster *c, uint64_t request_id)
{
    Creel__StoredSchedulerConf row = CREEL__STORED_SCHEDULER_CONF__INIT;
    Creel__SchedulerConfVersion version = CREEL__SCHEDULER_CONF_VERSION__INIT;
    const struct master_reload reload = { .channel = MASTER_CLIENT,
                                          .connection = PEOPLE,
                                          .request_id = request_id,
                                          .user = "root",
                                          .changed = &row,
                                          .version = &version };
    static const struct master_remarks no_remarks;
    struct conf *before = make_conf(c);
    struct err err = { .text = "" };

    row.version = 2;
    if (master_reload(c->h.master, c->h.now, &reload, &c->sched, &no_remarks, &err, &c->h.effects) < 0)
        fail_msg("%s", err.text);
    conf_free(before);
    harness_run_effects(&c->h);
}

static void nodes_change_before(struct capacity_cluster *c, uint64_t request_id)
{
    Creel__ChangeNodes body = CREEL__CHANGE_NODES__INIT;

    (void)request_id;
    body.nodes = node_names;
    body.n_nodes = 1;
    body.change = CREEL__NODE_CHANGE__NODE_DRAIN;
    body.reason = reason;
    (void)harness_ask(&c->h, MASTER_CLIENT, PEOPLE + 1, "root",
                      envelope_of(c, BODY(CHANGE_NODES), &body.base));
}

/* --- the requests --------------------------------------------------------------- */

static Creel__Resource size = { PROTOBUF_C_MESSAGE_INIT(&creel__resource__descriptor), .memory_mb = 2048,
                                .vcores = 1 };
static Creel__LabelSpec new_label = { PROTOBUF_C_MESSAGE_INIT(&creel__label_spec__descriptor), .name = host };
static Creel__LabelSpec *new_labels[] = { &new_label };

/* clang-format off */
#define MESSAGE(type, name, ...) \
    (ProtobufCMessage *)&(type){ PROTOBUF_C_MESSAGE_INIT(&creel__##name##__descriptor), __VA_ARGS__ }
/* clang-format on */

typedef void shell_fn(struct capacity_cluster *c, uint64_t request_id);

static Creel__SetName other_name = { .base = PROTOBUF_C_MESSAGE_INIT(&creel__set_name__descriptor),
                                     .app_id = running,
                                     .name = host };

static const struct waits {
    Creel__Envelope__BodyCase body;
    ProtobufCMessage *message;
    const char *done;         /* the beginning of the sentence; NULL: there is none */
    shell_fn *before, *after; /* called before and after the request; NULL: nothing is */
} waits[] = {
    { BODY(NEW_APP), MESSAGE(Creel__NewApp, new_app, ), NULL, NULL, NULL },
    { BODY(KILL_APP), MESSAGE(Creel__KillApp, kill_app, .app_id = running, .reason = reason),
      "application_1700000000000_0001 is being killed", NULL, NULL },
    { BODY(MOVE_APP), MESSAGE(Creel__MoveApp, move_app, .app_id = running, .queue = queue_b),
      "application_1700000000000_0001 is changed", NULL, NULL },
    { BODY(SET_PRIORITY), MESSAGE(Creel__SetPriority, set_priority, .app_id = running, .priority = 1),
      "application_1700000000000_0001 is changed", NULL, NULL },
    { BODY(SET_NAME), MESSAGE(Creel__SetName, set_name, .app_id = running, .name = host),
      "application_1700000000000_0001 is changed", NULL, NULL },
    { BODY(CHANGE_APP), MESSAGE(Creel__ChangeApp, change_app, .app_id = running, .name = &other_name),
      "application_1700000000000_0001 is changed", NULL, NULL },
    { BODY(SET_LIFETIME), MESSAGE(Creel__SetLifetime, set_lifetime, .app_id = running, .time_limit_s = 3600),
      "application_1700000000000_0001 is changed", NULL, NULL },
    { BODY(HOLD_APP), MESSAGE(Creel__HoldApp, hold_app, .app_id = running, .reason = reason, .begun = true),
      "application_1700000000000_0001 is changed", NULL, NULL },
    { BODY(RELEASE_APP), MESSAGE(Creel__ReleaseApp, release_app, .app_id = held),
      "application_1700000000000_0003 is changed", NULL, NULL },
    { BODY(REQUEUE_APP), MESSAGE(Creel__RequeueApp, requeue_app, .app_id = running, .reason = reason),
      "application_1700000000000_0001 is changed", NULL, NULL },
    { BODY(RESIZE_CONTAINER),
      MESSAGE(Creel__ResizeContainer, resize_container, .container_id = running, .resource = &size),
      "container_1700000000000_0001_01_000001 is being changed", NULL, NULL },
    { BODY(KILL_TASKS),
      MESSAGE(Creel__KillTasks, kill_tasks, .app_id = array, .tasks = tasks, .reason = reason),
      "application_1700000000000_0002 is changed", NULL, NULL },
    { BODY(SET_ARRAY), MESSAGE(Creel__SetArray, set_array, .app_id = array, .at_once = 2),
      "application_1700000000000_0002 is changed", NULL, NULL },
    { BODY(SET_QUEUE_STATE), MESSAGE(Creel__SetQueueState, set_queue_state, .queue = queue_b),
      "queue root.b is stopped", NULL, NULL },
    { BODY(CHANGE_SCHEDULER_CONF),
      MESSAGE(Creel__ChangeSchedulerConf, change_scheduler_conf, .validate = false),
      "the configuration of queues is changed", NULL, queues_are_configured },
    { BODY(CHANGE_LABELS), MESSAGE(Creel__ChangeLabels, change_labels, .n_labels = 1, .labels = new_labels),
      "the labels are changed", NULL, NULL },
    { BODY(SET_NODE_LABEL), MESSAGE(Creel__SetNodeLabel, set_node_label, .node = host, .label = label),
      "the label of node n1:8041 is changed", NULL, NULL },
    { BODY(CHANGE_NODES),
      MESSAGE(Creel__ChangeNodes, change_nodes, .n_nodes = 1, .nodes = node_names,
              .change = CREEL__NODE_CHANGE__NODE_DRAIN, .reason = reason),
      "node n1:8041 is changed", NULL, NULL },
    { BODY(SET_NODE_RESOURCES),
      MESSAGE(Creel__SetNodeResources, set_node_resources, .n_nodes = 1, .nodes = node_names, .total = &size),
      "node n1:8041 is changed", NULL, NULL },
    { BODY(REFRESH_NODES), MESSAGE(Creel__RefreshNodes, refresh_nodes, .timeout_ms = 0),
      "the lists of hosts are read", NULL, host_lists_are_read },
    { BODY(WAIT_NODES), MESSAGE(Creel__WaitNodes, wait_nodes, .after = reason + sizeof(reason) - 1),
      "nodes are changed", nodes_change_before, NULL },
    { BODY(CREATE_JOIN_TOKEN),
      MESSAGE(Creel__CreateJoinToken, create_join_token, .id = token_id, .public_key = key, .uses = 1,
              .valid_ms = HOUR_MS),
      "join token 0a1b2c3d is not created: the resource manager cannot write its state: ", NULL, NULL },
    { BODY(REVOKE_JOIN), MESSAGE(Creel__RevokeJoin, revoke_join, .name = old_token_id), "d3c2b1a0 is revoked",
      NULL, NULL },
    { BODY(CREATE_ACCESS_TOKEN),
      MESSAGE(Creel__CreateAccessToken, create_access_token, .hash = hash, .valid_ms = HOUR_MS,
              .note = reason),
      "access token 01234567 is not created: the resource manager cannot write its state: ", NULL, NULL },
    { BODY(REVOKE_ACCESS_TOKEN), MESSAGE(Creel__RevokeAccessToken, revoke_access_token, .id = old_hash),
      "the token is revoked", NULL, NULL },
    { BODY(JOIN_NODE), MESSAGE(Creel__JoinNode, join_node, .host = new_host, .public_key = key),
      "host n9 has joined, but its keys are removed there (creel token revoke --join n9 lets it join "
      "again)",
      NULL, NULL },
};

/* Refused to everybody while the store fails: only the reply lets the client use what the request makes. */
static const struct {
    Creel__Envelope__BodyCase body;
    const char *refusal; /* the beginning of it */
} refused[] = {
    { BODY(NEW_APP), "submissions cannot be stored now: " },
    { BODY(CREATE_JOIN_TOKEN), "nothing was changed, because the resource manager cannot write its state: " },
    { BODY(CREATE_ACCESS_TOKEN),
      "nothing was changed, because the resource manager cannot write its state: " },
    { BODY(JOIN_NODE), "n9 cannot join now, because the resource manager cannot write its state: " },
};

/* Their replies do not wait for a commit. (The replies to SubmitApp have their own way: submitters.) */
static const Creel__Envelope__BodyCase at_once[] = {
    BODY(SUBMIT_APP),     BODY(GET_LOG_ACCESS),   BODY(GET_AM_ACCESS),      BODY(WAIT_APP),
    BODY(REFRESH_QUEUES), BODY(LIST_JOIN_TOKENS), BODY(GET_SCHEDULER_CONF), BODY(ACCEPT_STATE),
    BODY(SET_LOG_LEVEL),  BODY(REFRESH_ACCESS),
};

/* --- tests ------------------------------------------------------------------------ */

/* Sends the request of ROW. Returns the number of the request. */
static uint64_t send(struct capacity_cluster *c, const struct waits *row)
{
    const struct master_peer joins = { MASTER_CLIENT, PEOPLE, old_token_id, NULL };
    Creel__Envelope *envelope = envelope_of(c, row->body, row->message);
    uint64_t request_id = envelope->request_id;

    if (row->before != NULL)
        row->before(c, request_id);
    if (row->body == BODY(JOIN_NODE)) { /* (only a host with a token sends it) */
        master_on_join(c->h.master, c->h.now, &joins, envelope, &c->h.effects);
        harness_run_effects(&c->h);
        free(envelope);
    } else {
        (void)harness_ask(&c->h, MASTER_CLIENT, PEOPLE, "root", envelope);
    }
    if (row->after != NULL)
        row->after(c, request_id);
    return request_id;
}

static bool is_refused(Creel__Envelope__BodyCase body)
{
    for (size_t i = 0; i < COUNT(refused); i++)
        if (refused[i].body == body)
            return true;
    return false;
}

/* Returns true if what the request has made is stored later; a token is removed. */
static bool later(const struct waits *row)
{
    return row->body != BODY(CREATE_JOIN_TOKEN) && row->body != BODY(CREATE_ACCESS_TOKEN);
}

static void expect(struct capacity_cluster *c, const struct waits *row, uint64_t request_id, bool begun)
{
    const char *name =
        protobuf_c_message_descriptor_get_field(&creel__envelope__descriptor, (unsigned)row->body)->name;
    const Creel__Envelope *reply = harness_find_reply(&c->h, PEOPLE, request_id);

    if (reply == NULL)
        fail_msg("%s: no answer", name);
    if (reply->body_case != BODY(ERROR) || reply->error->code != CREEL__ERROR_CODE__ERROR_STORE)
        fail_msg("%s: the answer is no error of the store, but %d: %s", name, (int)reply->body_case,
                 reply->body_case == BODY(ERROR) ? reply->error->message : "");
    if (strstr(reply->error->message, REASON) == NULL ||
        (row->done != NULL && strncmp(reply->error->message, row->done, strlen(row->done)) != 0) ||
        (later(row) && (row->done != NULL || begun) && strstr(reply->error->message, LATER) == NULL))
        fail_msg("%s: %s", name, reply->error->message);
}

static void what_waits_is_answered_when_the_store_begins_to_fail(void **state)
{
    struct capacity_cluster c;

    (void)state;
    for (size_t i = 0; i < COUNT(waits); i++) {
        uint64_t request_id;

        begin(&c);
        c.h.hold_store = true;
        request_id = send(&c, &waits[i]);
        assert_null(harness_find_reply(&c.h, PEOPLE, request_id)); /* it waits */
        store_fails(&c);
        expect(&c, &waits[i], request_id, true);
        capacity_cluster_end(&c);
    }
}

static void a_request_is_answered_at_once_while_the_store_fails(void **state)
{
    struct capacity_cluster c;

    (void)state;
    for (size_t i = 0; i < COUNT(waits); i++) {
        if (is_refused(waits[i].body))
            continue;
        begin(&c);
        c.h.hold_store = true;
        store_fails(&c);
        expect(&c, &waits[i], send(&c, &waits[i]), false);
        capacity_cluster_end(&c);
    }
}

static const Creel__JoinList *joins(struct capacity_cluster *c)
{
    Creel__ListJoinTokens body = CREEL__LIST_JOIN_TOKENS__INIT;
    const Creel__Envelope *reply =
        harness_ask(&c->h, MASTER_CLIENT, PEOPLE, "root", envelope_of(c, BODY(LIST_JOIN_TOKENS), &body.base));

    assert_non_null(reply);
    assert_int_equal(reply->body_case, BODY(JOIN_LIST));
    return reply->join_list;
}

static void assert_nothing_is_made(struct capacity_cluster *c)
{
    Creel__ListAccessTokens body = CREEL__LIST_ACCESS_TOKENS__INIT;
    const Creel__JoinList *list = joins(c);
    const Creel__Envelope *reply;

    assert_int_equal(list->n_tokens, 1);
    assert_string_equal(list->tokens[0]->id, old_token_id);
    assert_int_equal(list->tokens[0]->used, 0);
    assert_int_equal(list->n_hosts, 0);
    reply = harness_ask(&c->h, MASTER_CLIENT, PEOPLE, "root",
                        envelope_of(c, BODY(LIST_ACCESS_TOKENS), &body.base));
    assert_int_equal(reply->access_token_list->n_tokens, 1);
    assert_string_equal(reply->access_token_list->tokens[0]->hash, old_hash);
}

/* Nobody has a token that was not printed. */
static void a_token_is_removed_when_the_store_begins_to_fail(void **state)
{
    struct capacity_cluster c;

    (void)state;
    for (size_t i = 0; i < COUNT(waits); i++) {
        if (later(&waits[i]))
            continue;
        begin(&c);
        c.h.hold_store = true;
        (void)send(&c, &waits[i]);
        (void)send(&c, &waits[i]); /* repeated, since the reply is late */
        store_fails(&c);
        assert_nothing_is_made(&c);
        harness_commit(&c.h);
        assert_nothing_is_made(&c);
        capacity_cluster_end(&c);
    }
}

static void check_refusal(struct capacity_cluster *c, Creel__Envelope__BodyCase body, const char *refusal)
{
    const Creel__Envelope *reply = NULL;

    for (size_t i = 0; i < COUNT(waits); i++)
        if (waits[i].body == body)
            reply = harness_find_reply(&c->h, PEOPLE, send(c, &waits[i]));
    assert_non_null(reply);
    assert_int_equal(reply->body_case, BODY(ERROR));
    if (strncmp(reply->error->message, refusal, strlen(refusal)) != 0 ||
        strstr(reply->error->message, LATER) != NULL)
        fail_msg("%s", reply->error->message);
}

/* Not even an administrator gets a token that nobody can have. */
static void what_only_the_reply_shows_is_not_made_while_the_store_fails(void **state)
{
    struct capacity_cluster c;

    (void)state;
    for (size_t i = 0; i < COUNT(refused); i++) {
        begin(&c);
        c.h.hold_store = true;
        store_fails(&c);
        check_refusal(&c, refused[i].body, refused[i].refusal);
        assert_nothing_is_made(&c);
        capacity_cluster_end(&c);
    }
}

/* The answer to the first request was lost: the second one changes nothing, and finds what is made. */
static void a_host_that_repeats_its_request_to_join_learns_that_it_has_joined(void **state)
{
    struct capacity_cluster c;
    const struct waits *join = &waits[COUNT(waits) - 1];
    const Creel__Envelope *reply;

    (void)state;
    assert_int_equal(join->body, BODY(JOIN_NODE));
    begin(&c);
    (void)send(&c, join);
    c.h.hold_store = true;
    store_fails(&c);
    reply = harness_find_reply(&c.h, PEOPLE, send(&c, join));
    assert_non_null(reply);
    assert_int_equal(reply->body_case, BODY(OK));
    assert_int_equal(joins(&c)->n_hosts, 1);
    capacity_cluster_end(&c);
}

/* An operator waits for nodes to leave; their change cannot be stored. */
static void a_wait_for_nodes_ends_with_its_time_while_the_store_fails(void **state)
{
    static const struct waits row = { BODY(WAIT_NODES), NULL, "nodes are changed", NULL, NULL };
    struct capacity_cluster c;
    Creel__WaitNodes body = CREEL__WAIT_NODES__INIT;
    Creel__Envelope *envelope;
    uint64_t request_id;

    (void)state;
    begin(&c);
    envelope = envelope_of(&c, BODY(WAIT_NODES), &body.base);
    body.known_version = harness_ask(&c.h, MASTER_CLIENT, PEOPLE, "root", envelope)->node_list->version;
    body.wait_ms = 5000;
    envelope = envelope_of(&c, BODY(WAIT_NODES), &body.base);
    request_id = envelope->request_id;
    assert_null(harness_ask(&c.h, MASTER_CLIENT, PEOPLE, "root", envelope));
    c.h.hold_store = true;
    store_fails(&c);
    nodes_change_before(&c, 0);
    assert_null(harness_find_reply(&c.h, PEOPLE, request_id));
    harness_tick(&c.h, 5000);
    expect(&c, &row, request_id, true);
    capacity_cluster_end(&c);
}

static bool is_listed(Creel__Envelope__BodyCase body)
{
    for (size_t i = 0; i < COUNT(waits); i++)
        if (waits[i].body == body)
            return true;
    for (size_t i = 0; i < COUNT(at_once); i++)
        if (at_once[i] == body)
            return true;
    return master_is_query(body);
}

/* A new request of users belongs in one of the tables above. */
static void the_tables_have_each_request_of_users(void **state)
{
    struct capacity_cluster c;

    (void)state;
    begin(&c);
    for (unsigned i = 0; i < creel__envelope__descriptor.n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &creel__envelope__descriptor.fields[i];
        const Creel__Envelope *reply;
        ProtobufCMessage *message;

        if (field->type != PROTOBUF_C_TYPE_MESSAGE || is_listed((Creel__Envelope__BodyCase)field->id))
            continue;
        message = protobuf_c_message_unpack(field->descriptor, NULL, 0, NULL);
        reply = harness_ask(&c.h, MASTER_CLIENT, PEOPLE, "root",
                            envelope_of(&c, (Creel__Envelope__BodyCase)field->id, message));
        if (reply == NULL || reply->body_case != BODY(ERROR) ||
            strcmp(reply->error->message, "this port does not take such a request") != 0)
            fail_msg("%s: is in no table of this test", field->name);
        protobuf_c_message_free_unpacked(message, NULL);
    }
    capacity_cluster_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_waits_is_answered_when_the_store_begins_to_fail),
        cmocka_unit_test(a_token_is_removed_when_the_store_begins_to_fail),
        cmocka_unit_test(a_request_is_answered_at_once_while_the_store_fails),
        cmocka_unit_test(what_only_the_reply_shows_is_not_made_while_the_store_fails),
        cmocka_unit_test(a_host_that_repeats_its_request_to_join_learns_that_it_has_joined),
        cmocka_unit_test(a_wait_for_nodes_ends_with_its_time_while_the_store_fails),
        cmocka_unit_test(the_tables_have_each_request_of_users),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
