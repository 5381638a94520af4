/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rm_masters.c - test: which application masters may connect to creel-rm's AM port, and until when
 *
 * The test plays the agent: it gets the order to start an AM's container, which contains the AM's token.
 */
#include "tests/unit/rm/rm_process.h"

#include "common/io/keys/derived_key.h"
#include "common/io/loop/loop_socket.h"

#define NODE "n1.example:8041"

struct order {
    char *container_id;
    uint8_t *token;
    size_t token_size;
    struct key key;
};

static uint64_t register_node(struct channel_client *agent)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT, *reply;
    Creel__RegisterNode body = CREEL__REGISTER_NODE__INIT;
    Creel__Resource total = CREEL__RESOURCE__INIT;
    char key[] = "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk";
    uint64_t session;

    total.memory_mb = 131072; /* a tenth of the memory is for AM containers */
    total.vcores = 128;
    body.node_id = body.address = (char[]){ NODE };
    body.rack = (char[]){ "/r1" };
    body.agent_key = key;
    body.incarnation = 1;
    body.total = &total;
    request.body_case = CREEL__ENVELOPE__BODY_REGISTER_NODE;
    request.register_node = &body;
    reply = ask(agent, &request);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_REGISTER_NODE_REPLY);
    session = reply->register_node_reply->session;
    wire_free(reply);
    return session;
}

static struct order copy_order(const Creel__StartOrder *start)
{
    struct order order = { .token_size = start->am_token.len };

    order.container_id = mem_strdup(start->grant->container_id);
    order.token = mem_dup(start->am_token.data, start->am_token.len);
    derived_key_make(order.token, order.token_size, &order.key);
    return order;
}

/* Sends heartbeats until there is an order to start a container other than BUT. */
static struct order wait_for_order(struct channel_client *agent, uint64_t session, uint64_t *seq,
                                   const struct order *but)
{
    int64_t end_ms = now_ms() + PATIENCE_MS;

    while (now_ms() < end_ms) {
        Creel__Envelope request = CREEL__ENVELOPE__INIT, *reply;
        Creel__Heartbeat body = CREEL__HEARTBEAT__INIT;
        const Creel__NodeOrders *orders;
        struct order order = { .token = NULL };

        body.node_id = (char[]){ NODE };
        body.session = session;
        body.seq = ++*seq;
        request.body_case = CREEL__ENVELOPE__BODY_HEARTBEAT;
        request.heartbeat = &body;
        reply = ask(agent, &request);
        assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_HEARTBEAT_REPLY);
        orders = reply->heartbeat_reply->orders;
        for (size_t i = 0; orders != NULL && i < orders->n_start && order.token == NULL; i++)
            if (but == NULL || strcmp(orders->start[i]->grant->container_id, but->container_id) != 0)
                order = copy_order(orders->start[i]);
        wire_free(reply);
        if (order.token != NULL)
            return order;
    }
    fail_msg("no order came");
    return (struct order){ .token = NULL };
}

static void free_order(struct order *order)
{
    free(order->container_id);
    free(order->token);
}

static Creel__Envelope *register_master(struct channel_client *master, const struct order *order)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT;
    Creel__RegisterAm body = CREEL__REGISTER_AM__INIT;

    if (order != NULL)
        request.token = (ProtobufCBinaryData){ order->token_size, order->token };
    request.body_case = CREEL__ENVELOPE__BODY_REGISTER_AM;
    request.register_am = &body;
    return ask(master, &request);
}

static void expect_no_entry(struct fixture *fixture, const struct key *key)
{
    struct channel_client *master = connect_as(fixture, PORT_AM, key);
    Creel__Envelope request = CREEL__ENVELOPE__INIT, *reply;
    Creel__RegisterAm body = CREEL__REGISTER_AM__INIT;
    struct err err = { 0 };

    request.body_case = CREEL__ENVELOPE__BODY_REGISTER_AM;
    request.register_am = &body;
    assert_int_equal(channel_client_call(master, &request, PATIENCE_MS, &reply, &err), -EACCES);
    channel_client_free(master);
}

static void kill_app(struct channel_client *client, char *app_id)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT, *reply;
    Creel__KillApp body = CREEL__KILL_APP__INIT;

    body.app_id = app_id;
    request.body_case = CREEL__ENVELOPE__BODY_KILL_APP;
    request.kill_app = &body;
    reply = ask(client, &request);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_OK);
    wire_free(reply);
}

static void strangers_are_refused_and_users_are_not(void **state)
{
    struct fixture *fixture = *state;
    struct channel_client *user;
    struct key stranger;

    start(fixture);
    key_generate(&stranger);
    expect_no_entry(fixture, &stranger);
    expect_output(fixture, "is of no attempt that runs");
    user = connect_to(fixture, PORT_AM);
    expect_error(register_master(user, NULL), CREEL__ERROR_CODE__ERROR_NOT_PERMITTED, "token");
    channel_client_free(user);
    kill_daemon(fixture, SIGTERM);
}

static void am_is_admitted_until_its_attempt_ends(void **state)
{
    struct fixture *fixture = *state;
    struct channel_client *client, *agent, *master;
    scoped_free char *app_id = NULL;
    int64_t end_ms = now_ms() + PATIENCE_MS;
    Creel__Envelope *reply;
    struct order order;
    uint64_t seq = 0;

    start(fixture);
    client = connect_to(fixture, PORT_CLIENT);
    agent = connect_to(fixture, PORT_AGENT);
    app_id = submitted_id(submit(client, NULL));
    order = wait_for_order(agent, register_node(agent), &seq, NULL);
    master = connect_as(fixture, PORT_AM, &order.key);
    reply = register_master(master, &order);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_REGISTER_AM_REPLY);
    wire_free(reply);

    kill_app(client, app_id);
    while (channel_client_losses(master) == 0 && now_ms() < end_ms)
        ;
    assert_int_equal(channel_client_losses(master), 1);
    expect_no_entry(fixture, &order.key);
    channel_client_free(master);
    channel_client_free(agent);
    channel_client_free(client);
    free_order(&order);
    kill_daemon(fixture, SIGTERM);
}

/* Returns whether the RM lets an agent admit KEY. */
static bool is_known(struct channel_client *agent, const struct key *key)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT, *reply;
    Creel__FindKeys body = CREEL__FIND_KEYS__INIT;
    char text[KEY_TEXT], *texts[] = { text };
    bool known;

    memcpy(text, key->public_text, sizeof(text));
    body.public_keys = texts;
    body.n_public_keys = 1;
    request.body_case = CREEL__ENVELOPE__BODY_FIND_KEYS;
    request.find_keys = &body;
    reply = ask(agent, &request);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_FIND_KEYS_REPLY);
    known = reply->find_keys_reply->n_known_keys == 1;
    if (known)
        assert_string_equal(reply->find_keys_reply->known_keys[0], text);
    wire_free(reply);
    return known;
}

static void agents_look_up_admitted_keys(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *keys = mem_printf("%s/keys", fixture->directory);
    scoped_free char *user_file = mem_printf("%s/users/ann", keys);
    struct channel_client *client, *agent;
    scoped_free char *app_id = NULL;
    int64_t end_ms = now_ms() + PATIENCE_MS;
    struct key stranger, user, agent_key;
    uint64_t seq = 0;
    struct order order;

    start(fixture);
    client = connect_to(fixture, PORT_CLIENT);
    agent = connect_to(fixture, PORT_AGENT);
    app_id = submitted_id(submit(client, NULL));
    order = wait_for_order(agent, register_node(agent), &seq, NULL);
    key_generate(&stranger);
    assert_int_equal(key_load_for(keys, KEY_USER, "ann", false, &user, NULL), 0);
    assert_int_equal(key_load_for(keys, KEY_AGENT, "default", false, &agent_key, NULL), 0);
    assert_true(is_known(agent, &order.key));
    assert_true(is_known(agent, &user));
    assert_false(is_known(agent, &stranger));
    assert_false(is_known(agent, &agent_key));
    kill_app(client, app_id);
    while (is_known(agent, &order.key) && now_ms() < end_ms)
        ;
    assert_false(is_known(agent, &order.key));
    assert_int_equal(unlink(user_file), 0);
    assert_false(is_known(agent, &user));
    channel_client_free(agent);
    channel_client_free(client);
    free_order(&order);
    kill_daemon(fixture, SIGTERM);
}

static void am_is_admitted_after_a_restart(void **state)
{
    struct fixture *fixture = *state;
    struct channel_client *client, *agent, *master;
    Creel__Envelope *reply;
    struct order order;
    uint64_t seq = 0;

    start(fixture);
    client = connect_to(fixture, PORT_CLIENT);
    agent = connect_to(fixture, PORT_AGENT);
    free(submitted_id(submit(client, NULL)));
    order = wait_for_order(agent, register_node(agent), &seq, NULL);
    channel_client_free(agent);
    channel_client_free(client);
    kill_daemon(fixture, SIGKILL);
    start(fixture);
    master = connect_as(fixture, PORT_AM, &order.key);
    reply = register_master(master, &order);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_REGISTER_AM_REPLY);
    wire_free(reply);
    channel_client_free(master);
    free_order(&order);
    kill_daemon(fixture, SIGTERM);
}

static void am_may_only_use_the_token_of_its_own_attempt(void **state)
{
    struct fixture *fixture = *state;
    struct channel_client *client, *agent, *master;
    struct order first, second;
    uint64_t session, seq = 0;

    start(fixture);
    client = connect_to(fixture, PORT_CLIENT);
    agent = connect_to(fixture, PORT_AGENT);
    session = register_node(agent);
    free(submitted_id(submit(client, NULL)));
    first = wait_for_order(agent, session, &seq, NULL);
    free(submitted_id(submit(client, NULL)));
    second = wait_for_order(agent, session, &seq, &first);
    master = connect_as(fixture, PORT_AM, &first.key);
    expect_error(register_master(master, &second), CREEL__ERROR_CODE__ERROR_NOT_PERMITTED,
                 "its token is another attempt's");
    channel_client_free(master);
    channel_client_free(agent);
    channel_client_free(client);
    free_order(&first);
    free_order(&second);
    kill_daemon(fixture, SIGTERM);
}

/* --- announced keys ------------------------------------------------------------- */

#define QUESTION 1000000 /* request id of FindKeys */

struct listener { /* an agent that reads pushed messages */
    struct loop *loop;
    struct channel_client *agent;
    uint64_t session, seq;
    int64_t end_ms;
    bool answered;            /* there was a reply to a heartbeat */
    char announced[KEY_TEXT]; /* the key that the RM announced; "": none yet */
    char withdrawn[KEY_TEXT]; /* the key that the RM withdrew; "": none yet */
};

static void hear(void *context, const Creel__Envelope *envelope)
{
    struct listener *listener = context;

    if (envelope->body_case == CREEL__ENVELOPE__BODY_HEARTBEAT_REPLY && !listener->answered) {
        listener->answered = true;
        loop_stop(listener->loop);
    }
    if (envelope->body_case != CREEL__ENVELOPE__BODY_FIND_KEYS_REPLY)
        return;
    if (envelope->request_id == QUESTION) {
        assert_int_equal(envelope->find_keys_reply->n_known_keys, 1);
        loop_stop(listener->loop);
        return;
    }
    assert_int_equal(envelope->request_id, 0);
    if (envelope->find_keys_reply->n_withdrawn_keys == 1) {
        snprintf(listener->withdrawn, sizeof(listener->withdrawn), "%s",
                 envelope->find_keys_reply->withdrawn_keys[0]);
        loop_stop(listener->loop);
        return;
    }
    assert_int_equal(envelope->find_keys_reply->n_known_keys, 1);
    snprintf(listener->announced, sizeof(listener->announced), "%s",
             envelope->find_keys_reply->known_keys[0]);
    loop_stop(listener->loop);
}

static void send_heartbeat(void *context)
{
    struct listener *listener = context;
    Creel__Envelope request = CREEL__ENVELOPE__INIT;
    Creel__Heartbeat body = CREEL__HEARTBEAT__INIT;

    if (now_ms() > listener->end_ms) {
        loop_stop(listener->loop);
        return;
    }
    body.node_id = (char[]){ NODE };
    body.session = listener->session;
    body.seq = listener->seq + 1;
    request.request_id = body.seq;
    request.body_case = CREEL__ENVELOPE__BODY_HEARTBEAT;
    request.heartbeat = &body;
    listener->seq += channel_client_send(listener->agent, &request);
    loop_add_timer(listener->loop, 100, send_heartbeat, listener);
}

static void request_container(struct channel_client *master, const struct order *order)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT, *reply;
    Creel__Allocate body = CREEL__ALLOCATE__INIT;
    Creel__Ask container = CREEL__ASK__INIT, *asks = &container;
    Creel__Resource amount = CREEL__RESOURCE__INIT;

    amount.memory_mb = 1024;
    amount.vcores = 1;
    container.priority = container.count = 1;
    container.resource_name = (char[]){ "*" };
    container.capability = &amount;
    body.response_id = 1; /* of the reply to RegisterAm */
    body.asks = &asks;
    body.n_asks = 1;
    request.token = (ProtobufCBinaryData){ order->token_size, order->token };
    request.body_case = CREEL__ENVELOPE__BODY_ALLOCATE;
    request.allocate = &body;
    reply = ask(master, &request);
    if (reply->body_case == CREEL__ENVELOPE__BODY_ERROR)
        fail_msg("%s", reply->error->message);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_ALLOCATE_REPLY);
    wire_free(reply);
}

static void agent_gets_the_key_of_an_attempt_with_an_allocation(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *keys = mem_printf("%s/keys", fixture->directory);
    struct listener listener = { .seq = 0 };
    struct channel_client *client, *agent, *master;
    scoped_free char *address = NULL;
    struct key rm, own;
    struct order order;

    start(fixture);
    address = mem_printf("127.0.0.1:%d", fixture->ports[PORT_AGENT]);
    client = connect_to(fixture, PORT_CLIENT);
    agent = connect_to(fixture, PORT_AGENT);
    free(submitted_id(submit(client, NULL)));
    listener.session = register_node(agent);
    order = wait_for_order(agent, listener.session, &listener.seq, NULL);
    master = connect_as(fixture, PORT_AM, &order.key);
    wire_free(register_master(master, &order));
    assert_int_equal(key_load_for(keys, KEY_RM, NULL, false, &rm, NULL), 0);
    assert_int_equal(key_load_for(keys, KEY_AGENT, "default", true, &own, NULL), 0);
    assert_int_equal(loop_new(&listener.loop, NULL), 0);
    assert_int_equal(channel_client_new(listener.loop, address, rm.public_text, &own, hear, &listener,
                                        &listener.agent, NULL),
                     0);
    listener.end_ms = now_ms() + PATIENCE_MS;
    send_heartbeat(&listener);
    loop_run(listener.loop); /* the RM sends orders over this connection from now on */
    assert_true(listener.answered);
    request_container(master, &order);
    if (listener.announced[0] == '\0')
        loop_run(listener.loop);
    assert_string_equal(listener.announced, order.key.public_text);
    channel_client_free(listener.agent);
    loop_free(listener.loop);
    channel_client_free(master);
    channel_client_free(agent);
    channel_client_free(client);
    free_order(&order);
    kill_daemon(fixture, SIGTERM);
}

static void ask_about_key(struct listener *listener, char *public_text)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT;
    Creel__FindKeys body = CREEL__FIND_KEYS__INIT;

    body.public_keys = &public_text;
    body.n_public_keys = 1;
    request.request_id = QUESTION;
    request.body_case = CREEL__ENVELOPE__BODY_FIND_KEYS;
    request.find_keys = &body;
    assert_true(channel_client_send(listener->agent, &request));
    loop_run(listener->loop);
}

static void an_agent_gets_the_withdrawal_of_a_certificate(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *keys = mem_printf("%s/keys", fixture->directory), *address = NULL;
    scoped_free char *user_file = mem_printf("%s/keys/users/ann", fixture->directory);
    struct listener listener = { .seq = 0 };
    struct channel_client *agent;
    struct key rm, own, user;

    start(fixture);
    address = mem_printf("127.0.0.1:%d", fixture->ports[PORT_AGENT]);
    agent = connect_to(fixture, PORT_AGENT);
    listener.session = register_node(agent);
    assert_int_equal(key_load_for(keys, KEY_RM, NULL, false, &rm, NULL), 0);
    assert_int_equal(key_load_for(keys, KEY_AGENT, "default", true, &own, NULL), 0);
    assert_int_equal(key_load_for(keys, KEY_USER, "ann", false, &user, NULL), 0);
    assert_int_equal(loop_new(&listener.loop, NULL), 0);
    assert_int_equal(channel_client_new(listener.loop, address, rm.public_text, &own, hear, &listener,
                                        &listener.agent, NULL),
                     0);
    listener.end_ms = now_ms() + PATIENCE_MS;
    send_heartbeat(&listener);
    loop_run(listener.loop);
    assert_true(listener.answered);
    ask_about_key(&listener, user.public_text);
    assert_int_equal(unlink(user_file), 0);
    loop_run(listener.loop);
    assert_string_equal(listener.withdrawn, user.public_text);
    channel_client_free(listener.agent);
    loop_free(listener.loop);
    channel_client_free(agent);
    kill_daemon(fixture, SIGTERM);
}

/* --- the order of requests -------------------------------------------------------- */

#define LONG_ROWS 5000

struct replies { /* to an Allocate, and a FinishAm that is sent right behind it */
    struct loop *loop;
    struct channel_client *master;
    Creel__Envelope request; /* with the token */
    int64_t end_ms;
    unsigned count;
};

static void note_reply(void *context, const Creel__Envelope *envelope)
{
    struct replies *replies = context;

    if (envelope->request_id == 0) /* a wakeup */
        return;
    assert_int_equal(envelope->request_id, ++replies->count);
    if (replies->count == 1) {
        assert_int_equal(envelope->body_case, CREEL__ENVELOPE__BODY_ALLOCATE_REPLY);
        assert_int_equal(envelope->allocate_reply->action, CREEL__AM_ACTION__AM_NORMAL);
        return;
    }
    assert_int_equal(envelope->body_case, CREEL__ENVELOPE__BODY_FINISH_AM_REPLY);
    loop_stop(replies->loop);
}

/* Returns false if there is no connection yet. */
static bool send_long_allocate(struct replies *replies)
{
    static Creel__Ask asks[LONG_ROWS], *list[LONG_ROWS];
    static char any[] = "*";
    Creel__Allocate body = CREEL__ALLOCATE__INIT;
    Creel__Resource amount = CREEL__RESOURCE__INIT;

    amount.memory_mb = 1024;
    amount.vcores = 1;
    for (uint32_t i = 0; i < LONG_ROWS; i++) {
        list[i] = &asks[i];
        creel__ask__init(list[i]);
        asks[i].priority = i;
        asks[i].resource_name = any;
        asks[i].capability = &amount;
    }
    body.response_id = 1; /* of the reply to RegisterAm */
    body.asks = list;
    body.n_asks = LONG_ROWS;
    replies->request.request_id = 1;
    replies->request.body_case = CREEL__ENVELOPE__BODY_ALLOCATE;
    replies->request.allocate = &body;
    return channel_client_send(replies->master, &replies->request);
}

static void send_finish(struct replies *replies)
{
    Creel__FinishAm body = CREEL__FINISH_AM__INIT;

    body.status = CREEL__FINAL_STATUS__FINAL_SUCCEEDED;
    replies->request.request_id = 2;
    replies->request.body_case = CREEL__ENVELOPE__BODY_FINISH_AM;
    replies->request.finish_am = &body;
    assert_true(channel_client_send(replies->master, &replies->request));
}

static void send_all(void *context)
{
    struct replies *replies = context;

    if (now_ms() > replies->end_ms) {
        loop_stop(replies->loop);
    } else if (send_long_allocate(replies)) {
        send_finish(replies);
        loop_add_timer(replies->loop, replies->end_ms - now_ms(), send_all, replies);
    } else {
        loop_add_timer(replies->loop, 10, send_all, replies);
    }
}

/* An Allocate with many rows waits for the turn of its user; what the AM sends behind it does not overtake
 * it. */
static void requests_of_an_attempt_keep_their_order(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *keys = mem_printf("%s/keys", fixture->directory), *address = NULL;
    struct channel_client *client, *agent, *master;
    struct replies replies = { .request = CREEL__ENVELOPE__INIT };
    struct order order;
    uint64_t seq = 0;
    struct key rm;

    start(fixture);
    address = mem_printf("127.0.0.1:%d", fixture->ports[PORT_AM]);
    client = connect_to(fixture, PORT_CLIENT);
    agent = connect_to(fixture, PORT_AGENT);
    free(submitted_id(submit(client, NULL)));
    order = wait_for_order(agent, register_node(agent), &seq, NULL);
    master = connect_as(fixture, PORT_AM, &order.key);
    wire_free(register_master(master, &order));
    assert_int_equal(key_load_for(keys, KEY_RM, NULL, false, &rm, NULL), 0);
    assert_int_equal(loop_new(&replies.loop, NULL), 0);
    assert_int_equal(channel_client_new(replies.loop, address, rm.public_text, &order.key, note_reply,
                                        &replies, &replies.master, NULL),
                     0);
    replies.request.token = (ProtobufCBinaryData){ order.token_size, order.token };
    replies.end_ms = now_ms() + PATIENCE_MS;
    send_all(&replies);
    loop_run(replies.loop);
    assert_int_equal(replies.count, 2);
    channel_client_free(replies.master);
    loop_free(replies.loop);
    channel_client_free(master);
    channel_client_free(agent);
    channel_client_free(client);
    free_order(&order);
    kill_daemon(fixture, SIGTERM);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(strangers_are_refused_and_users_are_not),
        TEST(am_is_admitted_until_its_attempt_ends),
        TEST(agents_look_up_admitted_keys),
        TEST(am_is_admitted_after_a_restart),
        TEST(am_may_only_use_the_token_of_its_own_attempt),
        TEST(agent_gets_the_key_of_an_attempt_with_an_allocation),
        TEST(an_agent_gets_the_withdrawal_of_a_certificate),
        TEST(requests_of_an_attempt_keep_their_order),
    };

    loop_socket_prepare_process();
    return cmocka_run_group_tests_name("rm_masters", tests, NULL, NULL);
}
