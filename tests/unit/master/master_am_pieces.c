/* SPDX-License-Identifier: Apache-2.0 */
/*
 * master_am_pieces.c - test: an application master has more containers than a message has room for
 *
 * The cores of the application master and of the resource manager exchange messages, of which some get lost
 * or come twice.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "client/am/am_link.h"
#include "common/base/mem.h"
#include "tests/unit/master/master_harness.h"

#define CONTAINERS 16000u
#define MESSAGE_MAX (((size_t)1 << 20) + 65536)
#define CONNECTION 9000
#define RESEND_MS 2000
#define TOKEN_BYTES 250

struct seen { /* what the application master knows of a container */
    bool granted, running, completed;
};

struct scene {
    struct harness h;
    struct fake_agent agent;
    char app[80], attempt[80];
    struct am_link *link;
    struct arena *arena;
    int64_t am_ms; /* clock of the application master */
    Creel__Resource size;
    struct seen seen[2 * CONTAINERS];
    unsigned granted, running, completed; /* numbers of containers */
    unsigned messages, replies, pieces;
    unsigned lose_every; /* this reply is lost; 0: none */
    bool repeat;         /* each request comes twice */
    bool registered;
};

static ProtobufCBinaryData sign(void *context, struct arena *arena, Creel__TokenKind kind,
                                const char *node_id, const ProtobufCMessage *payload)
{
    ProtobufCBinaryData token = { .len = TOKEN_BYTES };

    (void)context;
    (void)kind;
    (void)node_id;
    (void)payload;
    token.data = arena_alloc0(arena, TOKEN_BYTES);
    return token;
}

static void begin_link(struct scene *s)
{
    am_link_free(s->link);
    s->link = am_link_new("n1", RESEND_MS);
    am_link_start(s->link, s->am_ms);
    s->registered = false;
    s->running = 0;
    for (size_t i = 0; i < 2 * CONTAINERS; i++)
        s->seen[i].running = false;
}

static int set_up(void **state)
{
    static struct scene scene;

    memset(&scene, 0, sizeof(scene));
    harness_init(&scene.h);
    scene.h.config.sign = sign;
    harness_start(&scene.h);
    agent_init(&scene.agent, "n1:8041", (int64_t)CONTAINERS * 300, CONTAINERS * 2);
    agent_register(&scene.h, &scene.agent);
    people_submit(&scene.h, job_of(CREEL__APP_KIND__APP_MASTER, 256, 0), "", scene.app, NULL);
    agent_heartbeat(&scene.h, &scene.agent);
    agent_heartbeat(&scene.h, &scene.agent);
    snprintf(scene.attempt, sizeof(scene.attempt), "appattempt%s_000001", strchr(scene.app, '_'));
    scene.arena = arena_new();
    creel__resource__init(&scene.size);
    scene.size.memory_mb = 256;
    scene.size.vcores = 1;
    begin_link(&scene);
    *state = &scene;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *s = *state;

    am_link_free(s->link);
    arena_free(s->arena);
    agent_done(&s->agent);
    harness_done(&s->h);
    return 0;
}

/* --- what the application master learns ---------------------------------------- */

static struct seen *seen_of(struct scene *s, const char *container_id)
{
    unsigned long number = strtoul(strrchr(container_id, '_') + 1, NULL, 10);

    assert_in_range(number, 1, 2 * CONTAINERS - 1);
    return &s->seen[number];
}

static void note_completed(struct scene *s, Creel__ContainerStatus **list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct seen *seen = seen_of(s, list[i]->container_id);

        am_link_released(s->link, list[i]->container_id);
        s->completed += !seen->completed;
        seen->completed = true;
    }
}

static void note_registered(struct scene *s, const Creel__RegisterAmReply *reply)
{
    s->registered = true;
    for (size_t i = 0; i < reply->n_running; i++) {
        struct seen *seen = seen_of(s, reply->running[i]->container_id);

        assert_false(seen->running); /* each container is listed once */
        assert_int_equal(reply->running[i]->token.len, TOKEN_BYTES);
        seen->running = true;
        s->running++;
    }
    note_completed(s, reply->completed, reply->n_completed);
}

static void note_allocated(struct scene *s, const Creel__AllocateReply *reply)
{
    for (size_t i = 0; i < reply->n_allocated; i++) {
        struct seen *seen = seen_of(s, reply->allocated[i]->container_id);

        assert_false(seen->granted);
        seen->granted = true;
        s->granted++;
    }
    note_completed(s, reply->completed, reply->n_completed);
}

static void hear(struct scene *s, const Creel__Envelope *reply)
{
    struct am_news news;

    assert_in_range(creel__envelope__get_packed_size(reply), 1, MESSAGE_MAX);
    s->pieces += reply->body_case == CREEL__ENVELOPE__BODY_REGISTER_AM_REPLY;
    news = am_link_receive(s->link, s->am_ms, reply);
    if (news.kind == AM_NEWS_REGISTERED)
        note_registered(s, news.registered);
    else if (news.kind == AM_NEWS_ALLOCATED)
        note_allocated(s, news.allocated);
    else
        assert_true(news.kind == AM_NEWS_NONE || news.kind == AM_NEWS_RESYNC);
}

/* --- the exchange --------------------------------------------------------------- */

static const Creel__Envelope *deliver(struct scene *s, const Creel__Envelope *envelope)
{
    Creel__Envelope *copy = mem_dup(envelope, sizeof(*envelope));

    return harness_ask(&s->h, MASTER_AM, CONNECTION, s->attempt, copy);
}

/* Carries the next message to the resource manager, and the reply back. */
static void exchange(struct scene *s)
{
    Creel__Envelope *sent = am_link_poll(s->link, s->am_ms, s->arena);
    const Creel__Envelope *reply;

    if (sent == NULL) {
        s->am_ms = am_link_next_deadline_ms(s->link);
        return;
    }
    assert_in_range(creel__envelope__get_packed_size(sent), 1, MESSAGE_MAX);
    harness_forget(&s->h);
    reply = deliver(s, sent);
    if (s->repeat)
        reply = deliver(s, sent);
    assert_non_null(reply);
    s->messages++;
    if (s->lose_every == 0 || s->messages % s->lose_every != 0)
        hear(s, reply);
    arena_reset(s->arena);
}

static void until_registered(struct scene *s)
{
    for (unsigned i = 0; !s->registered; i++) {
        assert_in_range(i, 0, 1000);
        exchange(s);
    }
}

/* Gets containers until there are COUNT. */
static void get_containers(struct scene *s, unsigned count)
{
    until_registered(s);
    am_link_set_demand(s->link, 1, &s->size, count - s->granted);
    for (unsigned i = 0; s->granted < count; i++) {
        assert_in_range(i, 0, 1000);
        exchange(s);
    }
}

/* --- tests ------------------------------------------------------------------------ */

static void a_large_grant_comes_in_several_replies(void **state)
{
    struct scene *s = *state;
    unsigned before;

    until_registered(s);
    before = s->messages;
    get_containers(s, CONTAINERS);
    assert_int_equal(s->granted, CONTAINERS);
    assert_in_range(s->messages - before, 4, 40);
}

static void an_application_master_registers_again_with_all_containers(void **state)
{
    struct scene *s = *state;

    get_containers(s, CONTAINERS);
    begin_link(s);
    s->pieces = 0;
    until_registered(s);
    assert_int_equal(s->running, CONTAINERS);
    assert_in_range(s->pieces, 4, 20);
}

static void lost_and_repeated_messages_change_nothing(void **state)
{
    struct scene *s = *state;

    s->lose_every = 3;
    s->repeat = true;
    get_containers(s, CONTAINERS);
    assert_int_equal(s->granted, CONTAINERS);
    begin_link(s);
    until_registered(s);
    assert_int_equal(s->running, CONTAINERS);
}

static void a_restart_between_two_pieces_begins_again(void **state)
{
    struct scene *s = *state;

    get_containers(s, CONTAINERS);
    begin_link(s);
    s->pieces = 0;
    while (s->pieces < 2)
        exchange(s);
    harness_restart(&s->h);
    until_registered(s);
    assert_int_equal(s->running, CONTAINERS);
}

/* A container of the first piece ends before the restart. The first reply after it is lost, and the request
 * for the third piece comes again. */
static void a_repeated_request_after_a_restart_begins_again(void **state)
{
    struct scene *s = *state;
    const ProtobufCBinaryData token = { .len = 0 };
    char id[80];

    get_containers(s, CONTAINERS);
    snprintf(id, sizeof(id), "container%s_01_%06u", strchr(s->app, '_'), 2);
    agent_start(&s->agent, id, &token);
    agent_heartbeat(&s->h, &s->agent);
    begin_link(s);
    s->pieces = 0;
    while (s->pieces < 2)
        exchange(s);
    agent_exit(&s->agent, id, 0);
    agent_heartbeat(&s->h, &s->agent);
    harness_restart(&s->h);
    s->repeat = true;
    exchange(s);
    s->repeat = false;
    until_registered(s);
    assert_int_equal(s->running, CONTAINERS - 1);
    assert_int_equal(s->completed, 1);
}

/* The answers to releases of containers that never existed are longer than the releases. */
static void all_releases_are_answered(void **state)
{
    struct scene *s = *state;
    char id[80];

    until_registered(s);
    for (unsigned i = 1; i <= CONTAINERS; i++) {
        snprintf(id, sizeof(id), "container%s_01_%06u", strchr(s->app, '_'), i + 1);
        am_link_release(s->link, id);
    }
    for (unsigned i = 0; s->completed < CONTAINERS; i++) {
        assert_in_range(i, 0, 200);
        exchange(s);
    }
}

/* A repetition of 100 bytes makes the resource manager send a long reply again: it counts as work, and
 * waits for the turn of its user. */
static void a_repetition_costs_what_its_reply_is_long(void **state)
{
    struct scene *s = *state;
    Creel__Envelope *sent;
    const Creel__Envelope *reply;
    uint64_t work;
    char id[80];

    until_registered(s);
    for (unsigned i = 1; i <= CONTAINERS; i++) {
        snprintf(id, sizeof(id), "container%s_01_%06u", strchr(s->app, '_'), i + 1);
        am_link_release(s->link, id);
    }
    while ((sent = am_link_poll(s->link, s->am_ms, s->arena)) == NULL)
        s->am_ms = am_link_next_deadline_ms(s->link);
    assert_false(master_answer_is_long(s->h.master, s->attempt, sent));
    assert_non_null(deliver(s, sent));
    sent->allocate->n_releases = 0;
    assert_true(master_answer_is_long(s->h.master, s->attempt, sent));
    harness_forget(&s->h);
    work = master_work(s->h.master);
    reply = deliver(s, sent);
    assert_in_range(creel__envelope__get_packed_size(reply), 100000, MESSAGE_MAX);
    assert_true(master_work(s->h.master) - work >= creel__envelope__get_packed_size(reply) / 5000);
}

static const Creel__Envelope *register_without_pieces(struct scene *s)
{
    struct fake_am am;

    am_init(&am, s->app, 1);
    return am_register(&s->h, &am);
}

/* An application master of version 0.2 gets everything in one message, or is asked to try again. */
static void without_pieces_a_list_is_whole_or_refused(void **state)
{
    struct scene *s = *state;
    const Creel__Envelope *reply;

    get_containers(s, 1000);
    reply = register_without_pieces(s);
    assert_int_equal(reply->register_am_reply->n_running, 1000);
    assert_int_equal(reply->register_am_reply->running[999]->token.len, TOKEN_BYTES);
    assert_string_equal(reply->register_am_reply->next, "");
    get_containers(s, 5000);
    reply = register_without_pieces(s);
    assert_int_equal(reply->register_am_reply->n_running, 5000);
    assert_int_equal(reply->register_am_reply->running[0]->token.len, 0);
    assert_in_range(creel__envelope__get_packed_size(reply), 1, MESSAGE_MAX);
    get_containers(s, CONTAINERS);
    reply = register_without_pieces(s);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_ERROR);
    assert_int_equal(reply->error->code, CREEL__ERROR_CODE__ERROR_UNAVAILABLE);
    assert_non_null(strstr(reply->error->message, "cannot receive them in pieces"));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_large_grant_comes_in_several_replies),
        TEST(an_application_master_registers_again_with_all_containers),
        TEST(lost_and_repeated_messages_change_nothing),
        TEST(a_restart_between_two_pieces_begins_again),
        TEST(a_repeated_request_after_a_restart_begins_again),
        TEST(all_releases_are_answered),
        TEST(a_repetition_costs_what_its_reply_is_long),
        TEST(without_pieces_a_list_is_whole_or_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
