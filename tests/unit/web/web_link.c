/* SPDX-License-Identifier: Apache-2.0 */
/* web_link.c - test: a peer that keeps its connection and does not answer */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/upstream/link.h"

#define SILENCE_MS 200 /* two checks */

/* The peer: takes the place of common/io/channel/channel_client.c. */
static struct {
    struct loop *loop;
    channel_client_fn *on_message;
    void *context;
    bool connected, answers_probes, answers_requests, refuses_key;
    unsigned losses;
    size_t requests, probes; /* received */
    uint64_t request_id, probe_id;
    size_t stop_at; /* the loop stops with this number of probes; 0: never */
} peer;

static Creel__Envelope probe, request;
static Creel__GetClusterInfo probe_body;
static Creel__ListNodes request_body;

static void answer(uint64_t id)
{
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__ClusterInfo info = CREEL__CLUSTER_INFO__INIT;

    reply.request_id = id;
    reply.body_case = CREEL__ENVELOPE__BODY_CLUSTER_INFO;
    reply.cluster_info = &info;
    peer.on_message(peer.context, &reply);
}

static void answer_request(void *context)
{
    (void)context;
    answer(peer.request_id);
}

static void answer_probe(void *context)
{
    (void)context;
    answer(peer.probe_id);
}

int channel_client_new(struct loop *loop, const char *address, const char *peer_key, const struct key *own,
                       channel_client_fn *fn, void *context, struct channel_client **ret, struct err *err)
{
    (void)address;
    (void)peer_key;
    (void)own;
    (void)err;
    peer.loop = loop;
    peer.on_message = fn;
    peer.context = context;
    *ret = (struct channel_client *)&peer;
    return 0;
}

void channel_client_free(struct channel_client *client)
{
    (void)client;
}

void channel_client_name_peer(struct channel_client *client, const char *program, const char *hint)
{
    (void)client;
    (void)program;
    (void)hint;
}

unsigned channel_client_losses(struct channel_client *client)
{
    (void)client;
    return peer.losses;
}

bool channel_client_key_is_refused(struct channel_client *client)
{
    (void)client;
    return peer.refuses_key;
}

int channel_client_state(struct channel_client *client, struct err *err)
{
    (void)client;
    return peer.refuses_key ? err_set(err, EACCES, "n1:8032: creel-rm refused our key") : 0;
}

bool channel_client_send(struct channel_client *client, Creel__Envelope *envelope)
{
    (void)client;
    if (!peer.connected)
        return false;
    if (envelope->body_case != CREEL__ENVELOPE__BODY_GET_CLUSTER_INFO) {
        peer.requests++;
        peer.request_id = envelope->request_id;
        if (peer.answers_requests)
            loop_add_timer(peer.loop, 0, answer_request, NULL);
        return true;
    }
    peer.probes++;
    peer.probe_id = envelope->request_id;
    if (peer.answers_probes)
        loop_add_timer(peer.loop, 0, answer_probe, NULL);
    if (peer.probes == peer.stop_at)
        loop_stop(peer.loop);
    return true;
}

/* --- requests ------------------------------------------------------------------ */

struct asked { /* one request */
    size_t answers;
    char error[128]; /* "": none */
};

static void note(void *context, const Creel__Envelope *reply)
{
    struct asked *asked = context;

    asked->answers++;
    if (reply->body_case == CREEL__ENVELOPE__BODY_ERROR)
        snprintf(asked->error, sizeof(asked->error), "%s", reply->error->message);
}

static void note_and_stop(void *context, const Creel__Envelope *reply)
{
    note(context, reply);
    loop_stop(peer.loop);
}

static int begin(void **state, int64_t patience_ms)
{
    const struct link_peer to = {
        .address = "rm:8032",
        .key = "",
        .program = "creel-rm",
        .patience_ms = patience_ms,
        .silence_ms = SILENCE_MS,
        .probe = &probe,
    };
    struct key own = { .public_text = "" };
    struct link *link;
    struct loop *loop;
    struct err err;

    memset(&peer, 0, sizeof(peer));
    peer.connected = true;
    creel__envelope__init(&probe);
    creel__get_cluster_info__init(&probe_body);
    probe.body_case = CREEL__ENVELOPE__BODY_GET_CLUSTER_INFO;
    probe.get_cluster_info = &probe_body;
    creel__envelope__init(&request);
    creel__list_nodes__init(&request_body);
    request.body_case = CREEL__ENVELOPE__BODY_LIST_NODES;
    request.list_nodes = &request_body;
    if (loop_new(&loop, &err) < 0 || link_new(loop, &to, &own, &link, &err) < 0)
        return -1;
    *state = link;
    return 0;
}

static int set_up(void **state)
{
    return begin(state, 0);
}

static int set_up_patient(void **state)
{
    return begin(state, 60000);
}

static int tear_down(void **state)
{
    link_free(*state);
    loop_free(peer.loop);
    return 0;
}

/* Asks something, and waits until the peer counts as silent. */
static void make_silent(struct link *link)
{
    struct asked asked = { 0 };

    assert_true(link_ask(link, &request, false, note_and_stop, &asked));
    loop_run(peer.loop);
    assert_int_equal(asked.answers, 1);
    assert_string_equal(asked.error, "creel-rm at rm:8032 does not answer");
}

/* --- tests ---------------------------------------------------------------------- */

static void requests_to_a_silent_peer_fail_at_once(void **state)
{
    struct asked asked = { 0 };

    make_silent(*state);
    assert_int_equal(peer.requests, 1);
    assert_true(link_ask(*state, &request, true, note, &asked));
    assert_string_equal(asked.error, "creel-rm at rm:8032 does not answer");
    assert_int_equal(peer.requests, 1); /* a change that was refused is not carried out later */
}

static void a_change_waits_for_the_peer(void **state)
{
    struct asked change = { 0 };

    assert_true(link_ask(*state, &request, true, note, &change));
    make_silent(*state);
    assert_int_equal(change.answers, 0);
    answer(peer.request_id - 1); /* (the change came before the request of make_silent) */
    assert_int_equal(change.answers, 1);
    assert_string_equal(change.error, "");
}

static void any_message_ends_the_silence(void **state)
{
    struct asked asked = { 0 };

    make_silent(*state);
    answer(peer.request_id); /* too late, but it shows that the peer works */
    assert_true(link_ask(*state, &request, false, note, &asked));
    assert_int_equal(peer.requests, 2);
    answer(peer.request_id);
    assert_int_equal(asked.answers, 1);
    assert_string_equal(asked.error, "");
}

static void a_silent_peer_is_probed(void **state)
{
    struct asked asked = { 0 };

    make_silent(*state);
    if (peer.probes == 0) {
        peer.stop_at = 1;
        loop_run(peer.loop);
    }
    answer(peer.probe_id);
    assert_true(link_ask(*state, &request, false, note, &asked));
    assert_int_equal(peer.requests, 2);
    answer(peer.request_id);
    assert_string_equal(asked.error, "");
}

static void a_request_that_takes_long_is_no_silence(void **state)
{
    struct asked asked = { 0 };

    peer.answers_probes = true;
    peer.stop_at = 8; /* after more than twice SILENCE_MS */
    assert_true(link_ask(*state, &request, false, note, &asked));
    loop_run(peer.loop);
    assert_int_equal(asked.answers, 0);
    answer(peer.request_id);
    assert_int_equal(asked.answers, 1);
    assert_string_equal(asked.error, "");
}

static void a_lost_connection_ends_the_silence(void **state)
{
    struct asked change = { 0 }, later = { 0 };

    assert_true(link_ask(*state, &request, true, note_and_stop, &change));
    make_silent(*state);
    peer.losses++;
    peer.connected = false;
    loop_run(peer.loop);
    assert_string_equal(change.error, "the connection was lost: try again");
    assert_false(link_ask(*state, &request, false, note, &later));
    peer.connected = true;
    assert_true(link_ask(*state, &request, false, note, &later));
    answer(peer.request_id);
    assert_string_equal(later.error, "");
}

static void connect_peer(void *context)
{
    (void)context;
    peer.connected = true;
}

static void a_request_waits_for_the_connection(void **state)
{
    struct asked asked = { 0 };

    peer.connected = false;
    peer.answers_requests = true;
    assert_true(link_ask(*state, &request, false, note_and_stop, &asked));
    assert_int_equal(peer.requests, 0);
    loop_add_timer(peer.loop, SILENCE_MS / 4, connect_peer, NULL);
    loop_run(peer.loop);
    assert_int_equal(peer.requests, 1); /* sent once */
    assert_int_equal(asked.answers, 1);
    assert_string_equal(asked.error, "");
}

static void a_key_that_is_refused_is_the_reason_of_a_lost_connection(void **state)
{
    struct asked first = { 0 };
    struct err err;

    assert_string_equal(link_refusal(*state, "no connection", &err), "no connection");
    assert_true(link_ask(*state, &request, false, note_and_stop, &first));
    peer.losses++;
    peer.refuses_key = true;
    loop_run(peer.loop);
    assert_int_equal(first.answers, 1);
    assert_string_equal(first.error, "n1:8032: creel-rm refused our key");
    assert_string_equal(link_refusal(*state, "no connection", &err), "n1:8032: creel-rm refused our key");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(requests_to_a_silent_peer_fail_at_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_change_waits_for_the_peer, set_up, tear_down),
        cmocka_unit_test_setup_teardown(any_message_ends_the_silence, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_silent_peer_is_probed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_request_that_takes_long_is_no_silence, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_lost_connection_ends_the_silence, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_request_waits_for_the_connection, set_up_patient, tear_down),
        cmocka_unit_test_setup_teardown(a_key_that_is_refused_is_the_reason_of_a_lost_connection, set_up,
                                        tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
