/* SPDX-License-Identifier: Apache-2.0 */
/* rm_lists.c - test: creel-rm and clients that request lists and read the replies, or do not read them */
#include "tests/unit/rm_process.h"

#define APPS 4
#define ARGUMENT 60000 /* bytes per application: a page has two applications */
#define ASKED 600      /* number of lists: far more than fit into all buffers */

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

/* Reads the reply to request NUMBER. Returns true for a list; false if refused because earlier lists are
 * unread. */
static bool read_list(zsock_t *socket, uint64_t number)
{
    Creel__Envelope *reply;
    struct err err = { 0 };
    zmq_msg_t message;
    bool is_list;

    zmq_msg_init(&message);
    assert_true(zmq_msg_recv(&message, zsock_resolve(socket), 0) > 0);
    assert_ok(wire_decode(zmq_msg_data(&message), zmq_msg_size(&message), &reply, NULL, &err), err);
    zmq_msg_close(&message);
    assert_int_equal(reply->request_id, number);
    is_list = reply->body_case == CREEL__ENVELOPE__BODY_APP_LIST;
    if (is_list)
        assert_true(reply->app_list->n_apps > 0);
    else
        expect_error(reply, CREEL__ERROR_CODE__ERROR_UNAVAILABLE, "not read yet");
    if (is_list)
        wire_free(reply);
    return is_list;
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

static void a_client_that_does_not_read_is_refused_lists(void **state)
{
    struct fixture *fixture = *state;
    struct channel_client *other;
    uint64_t number = ASKED;
    int64_t deadline_ms;
    size_t lists = 0;
    zsock_t *silent;

    start(fixture);
    other = connect_to(fixture, PORT_CLIENT);
    for (int i = 0; i < APPS; i++)
        submit_large(other);
    silent = connect_silent(fixture);
    for (uint64_t i = 1; i <= ASKED; i++)
        send_list(silent, i);
    read_whole_list(other); /* another connection of the same user gets its lists */
    for (uint64_t i = 1; i <= ASKED; i++)
        lists += read_list(silent, i) ? 1 : 0;
    assert_in_range(lists, 1, ASKED / 2);
    deadline_ms = now_ms() + PATIENCE_MS;
    do { /* now reads the other replies */
        assert_true(now_ms() < deadline_ms);
        send_list(silent, ++number);
    } while (!read_list(silent, number));
    zsock_destroy(&silent);
    channel_client_free(other);
    kill_daemon(fixture, SIGTERM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_client_that_does_not_read_is_refused_lists, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
