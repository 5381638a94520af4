/* SPDX-License-Identifier: Apache-2.0 */
/* rm_lists.c - test: creel-rm and clients that request lists and read the replies, or do not read them */
#include "tests/unit/rm/rm_process.h"

#define APPS 4
#define ARGUMENT 60000 /* bytes per application: a page has two applications */
#define ASKED 600      /* number of lists: more than fit into all buffers */

static void submit_large(struct channel_client *client)
{
    scoped_free char *argument = mem_alloc(ARGUMENT + 1);
    char *command[] = { (char[]){ "true" }, argument };

    memset(argument, 'a', ARGUMENT);
    argument[ARGUMENT] = '\0';
    free(submitted_id(submit_command(client, command, 2, NULL)));
}

/* Opens a connection of ann with small buffers. */
static zsock_t *connect_silent(const struct fixture *fixture)
{
    scoped_free char *keys = mem_printf("%s/keys", fixture->directory);
    zsock_t *socket = zsock_new(ZMQ_DEALER);
    struct err err = { 0 };
    struct key rm, own;

    assert_ok(key_load_for(keys, KEY_RM, NULL, false, &rm, &err), err);
    assert_ok(key_load_for(keys, KEY_USER, "ann", true, &own, &err), err);
    zsock_set_curve_serverkey(socket, rm.public_text);
    zsock_set_curve_publickey(socket, own.public_text);
    zsock_set_curve_secretkey(socket, own.secret_text);
    zsock_set_rcvhwm(socket, 10);
    zsock_set_rcvbuf(socket, 65536);
    zsock_set_linger(socket, 0);
    zsock_set_sndtimeo(socket, PATIENCE_MS);
    zsock_set_rcvtimeo(socket, PATIENCE_MS);
    assert_int_equal(zsock_connect(socket, "tcp://127.0.0.1:%d", fixture->ports[PORT_CLIENT]), 0);
    return socket;
}

static void send_list(zsock_t *socket, uint64_t number)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT;
    Creel__ListApps body = CREEL__LIST_APPS__INIT;
    uint8_t *bytes;
    size_t size;

    request.request_id = number;
    request.body_case = CREEL__ENVELOPE__BODY_LIST_APPS;
    request.list_apps = &body;
    wire_encode(&request, &bytes, &size);
    assert_true(zmq_send(zsock_resolve(socket), bytes, size, 0) >= 0);
    free(bytes);
}

/* Reads one reply: a list, which is counted in LISTS, or a refusal because earlier lists are unread. Returns
 * the number of its request. A refusal may come before replies to earlier requests, which wait for their
 * turn. */
static uint64_t read_reply(zsock_t *socket, size_t *lists)
{
    Creel__Envelope *reply;
    struct err err = { 0 };
    uint64_t number;
    zmq_msg_t message;

    zmq_msg_init(&message);
    assert_true(zmq_msg_recv(&message, zsock_resolve(socket), 0) > 0);
    assert_ok(wire_decode(zmq_msg_data(&message), zmq_msg_size(&message), &reply, NULL, &err), err);
    zmq_msg_close(&message);
    number = reply->request_id;
    if (reply->body_case == CREEL__ENVELOPE__BODY_APP_LIST) {
        assert_true(reply->app_list->n_apps > 0);
        ++*lists;
        wire_free(reply);
    } else {
        expect_error(reply, CREEL__ERROR_CODE__ERROR_UNAVAILABLE, "not read yet");
    }
    return number;
}

/* Reads the replies to requests 1 to COUNT, each of which has one. Returns the number of lists. */
static size_t read_replies(zsock_t *socket, uint64_t count)
{
    scoped_free bool *answered = mem_array0(count + 1, sizeof(*answered));
    size_t lists = 0;

    for (uint64_t i = 0; i < count; i++) {
        uint64_t number = read_reply(socket, &lists);

        assert_in_range(number, 1, count);
        assert_false(answered[number]);
        answered[number] = true;
    }
    return lists;
}

/* Reads all applications, page by page. */
static void read_whole_list(struct channel_client *client)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT;
    Creel__ListApps body = CREEL__LIST_APPS__INIT;
    Creel__Envelope *reply;
    size_t rows = 0;
    char after[80] = "";

    request.body_case = CREEL__ENVELOPE__BODY_LIST_APPS;
    request.list_apps = &body;
    do {
        body.after = after;
        reply = ask(client, &request);
        assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_APP_LIST);
        assert_in_range(reply->app_list->n_apps, 1, APPS - 1);
        rows += reply->app_list->n_apps;
        snprintf(after, sizeof(after), "%s", reply->app_list->next);
        wire_free(reply);
    } while (after[0] != '\0');
    assert_int_equal(rows, APPS);
}

/* Returns a connection of bob, who gets a certificate. */
static struct channel_client *connect_bob(struct fixture *fixture)
{
    scoped_free char *keys = mem_printf("%s/keys", fixture->directory);
    struct err err = { 0 };
    struct key own;

    assert_ok(key_make(keys, KEY_USER, "bob", &err), err);
    assert_ok(key_load_for(keys, KEY_USER, "bob", true, &own, &err), err);
    return connect_as(fixture, PORT_CLIENT, &own);
}

static void a_client_that_does_not_read_is_refused_lists(void **state)
{
    struct fixture *fixture = *state;
    struct channel_client *ann, *bob;
    uint64_t number = ASKED;
    int64_t deadline_ms;
    size_t lists;
    zsock_t *silent;

    start(fixture);
    ann = connect_to(fixture, PORT_CLIENT);
    for (int i = 0; i < APPS; i++)
        submit_large(ann);
    bob = connect_bob(fixture);
    silent = connect_silent(fixture);
    for (uint64_t i = 1; i <= ASKED; i++)
        send_list(silent, i);
    read_whole_list(bob); /* another user gets lists */
    assert_in_range(read_replies(silent, ASKED), 1, ASKED - 1);
    deadline_ms = now_ms() + PATIENCE_MS;
    do { /* now reads the other replies */
        assert_true(now_ms() < deadline_ms);
        lists = 0;
        send_list(silent, ++number);
        assert_int_equal(read_reply(silent, &lists), number);
    } while (lists == 0);
    zsock_destroy(&silent);
    read_whole_list(ann); /* and so do other connections of the same user now */
    channel_client_free(ann);
    channel_client_free(bob);
    kill_daemon(fixture, SIGTERM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_client_that_does_not_read_is_refused_lists, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
