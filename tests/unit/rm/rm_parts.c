/* SPDX-License-Identifier: Apache-2.0 */
/* rm_parts.c - test: small parts of the daemon: uncommitted rows, token keys, clock, settings */
#include "tests/unit/store/store_support.h"

#include <errno.h>
#include <sys/stat.h>

#include "common/io/loop/loop.h"
#include "rm/net/parts/clock.h"
#include "rm/net/parts/clock_record.h"
#include "common/io/loop/run_record.h"
#include "rm/net/requests/pending.h"
#include "rm/net/conf/settings.h"
#include "rm/net/keys/signing_keys.h"
#include "rm/net/rescue/state_dir.h"

/* --- uncommitted rows ------------------------------------------------------ */

static void add_app(struct pending *pending, unsigned seq, Creel__AppState state)
{
    struct master_effect effect = { .kind = MASTER_STORE_APP };
    Creel__StoredApp row = CREEL__STORED_APP__INIT;
    struct row_texts texts;

    row_ids(&texts, seq, 1, 1);
    row.app_id = texts.app;
    row.state = state;
    effect.app_id = row.app_id;
    effect.app.len = creel__stored_app__get_packed_size(&row);
    effect.app.data = mem_alloc(effect.app.len);
    creel__stored_app__pack(&row, effect.app.data);
    effect.store_seq = pending_last_seq(pending) + 1;
    pending_add(pending, &effect);
    free(effect.app.data);
}

static void add_attempt(struct pending *pending, unsigned seq)
{
    struct master_effect effect = { .kind = MASTER_STORE_ATTEMPT };
    Creel__StoredAttempt row = CREEL__STORED_ATTEMPT__INIT;
    struct row_texts texts;

    row_ids(&texts, seq, 1, 1);
    row.attempt_id = texts.attempt;
    effect.attempt = &row;
    effect.store_seq = pending_last_seq(pending) + 1;
    pending_add(pending, &effect);
}

static void add_container(struct pending *pending, unsigned seq)
{
    struct master_effect effect = { .kind = MASTER_STORE_CONTAINER };
    Creel__StoredContainer row = CREEL__STORED_CONTAINER__INIT;
    Creel__ContainerReport report = CREEL__CONTAINER_REPORT__INIT;
    struct row_texts texts;

    row_ids(&texts, seq, 1, 1);
    report.container_id = texts.container;
    row.report = &report;
    effect.container = &row;
    effect.store_seq = pending_last_seq(pending) + 1;
    pending_add(pending, &effect);
}

static void add_forget(struct pending *pending, unsigned seq, bool ended)
{
    struct master_effect effect = { .kind = MASTER_FORGET_APP, .ended = ended };
    struct row_texts texts;

    row_ids(&texts, seq, 1, 1);
    effect.app_id = texts.app;
    effect.store_seq = pending_last_seq(pending) + 1;
    pending_add(pending, &effect);
}

static void add_forget_container(struct pending *pending, unsigned seq)
{
    struct master_effect effect = { .kind = MASTER_FORGET_CONTAINER };
    struct row_texts texts;

    row_ids(&texts, seq, 1, 1);
    effect.container_id = texts.container;
    effect.store_seq = pending_last_seq(pending) + 1;
    pending_add(pending, &effect);
}

static void loads(struct store *store, const char *expected)
{
    struct loaded loaded;
    struct err err = { 0 };

    assert_ok(load_all(store, &loaded, NULL, &err), err);
    assert_string_equal(loaded.order, expected);
    loaded_free(&loaded);
}

static void count_written(void *context, const Creel__StoredApp *app, const Creel__StoredContainer *container,
                          const char *forgotten)
{
    assert_int_equal((app != NULL) + (container != NULL) + (forgotten != NULL), 1);
    if (app != NULL)
        assert_non_null(app->app_id);
    ++*(int *)context;
}

static void keep_forgotten(void *context, const Creel__StoredApp *app,
                           const Creel__StoredContainer *container, const char *forgotten)
{
    (void)app, (void)container;
    if (forgotten != NULL)
        snprintf(context, ID_TEXT_MAX, "%s", forgotten);
}

/* The row of a container is deleted when the history has it, as that of an application is. */
static void a_forgotten_container_is_deleted_later(void **state)
{
    struct store *store = open_store(*state);
    struct pending *pending = pending_new();
    char forgotten[ID_TEXT_MAX] = "";
    struct err err = { 0 };

    add_app(pending, 1, CREEL__APP_STATE__APP_RUNNING);
    add_attempt(pending, 1);
    add_container(pending, 1);
    add_forget_container(pending, 1);
    assert_ok(pending_write(pending, store, keep_forgotten, forgotten, &err), err);
    assert_string_equal(forgotten, "container_1700000000000_0001_01_000001");
    loads(store, "application_1700000000000_0001 appattempt_1700000000000_0001_000001 "
                 "container_1700000000000_0001_01_000001");
    pending_delete(pending, forgotten);
    assert_ok(pending_write(pending, store, NULL, NULL, &err), err);
    loads(store, "application_1700000000000_0001 appattempt_1700000000000_0001_000001");
    pending_free(pending);
    store_close(store);
}

static void rows_reach_the_disk_in_order(void **state)
{
    struct store *store = open_store(*state);
    struct pending *pending = pending_new();
    struct err err = { 0 };
    int written = 0;

    add_app(pending, 1, CREEL__APP_STATE__APP_NEW_SAVING);
    add_app(pending, 2, CREEL__APP_STATE__APP_NEW_SAVING);
    add_attempt(pending, 1);
    add_container(pending, 1);
    add_forget(pending, 2, false);
    assert_int_equal(pending_count(pending), 5);
    assert_ok(pending_write(pending, store, count_written, &written, &err), err);
    assert_int_equal(pending_count(pending), 0);
    assert_int_equal(pending_last_seq(pending), 5);
    assert_int_equal(written, 3); /* two applications, one container */
    loads(store, "application_1700000000000_0001 appattempt_1700000000000_0001_000001 "
                 "container_1700000000000_0001_01_000001");
    pending_free(pending);
    store_close(store);
}

/* The disk fails (simulated by a foreign lock): refused submissions are dropped with all their rows; the
 * other rows are written later, in order. */
static void refused_submissions_are_dropped_and_others_kept(void **state)
{
    struct store *store = open_store(*state);
    struct pending *pending = pending_new();
    sqlite3 *shell = scratch_open(*state);
    struct err err = { 0 };
    int written = 0;

    add_app(pending, 1, CREEL__APP_STATE__APP_NEW_SAVING);
    assert_ok(pending_write(pending, store, NULL, NULL, &err), err);
    assert_int_equal(sqlite3_exec(shell, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    add_app(pending, 1, CREEL__APP_STATE__APP_RUNNING);
    add_app(pending, 2, CREEL__APP_STATE__APP_NEW_SAVING);
    add_app(pending, 3, CREEL__APP_STATE__APP_NEW_SAVING);
    add_app(pending, 4, CREEL__APP_STATE__APP_NEW_SAVING);
    add_app(pending, 4, CREEL__APP_STATE__APP_KILLED);
    add_attempt(pending, 2);
    add_attempt(pending, 1);
    assert_int_equal(pending_write(pending, store, count_written, &written, &err), -EBUSY);
    assert_int_equal(pending_count(pending), 7);
    assert_int_equal(pending_drop_refused(pending), 0);
    add_forget(pending, 2, false);
    add_forget(pending, 3, false);
    assert_int_equal(pending_drop_refused(pending), 2);
    assert_int_equal(pending_count(pending), 4);
    assert_int_equal(pending_last_seq(pending), 10);
    assert_int_equal(written, 0);
    assert_int_equal(pending_write(pending, store, NULL, NULL, &err), -EBUSY);
    assert_int_equal(sqlite3_exec(shell, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(shell);
    assert_ok(pending_write(pending, store, count_written, &written, &err), err);
    assert_int_equal(written, 3);
    loads(store, "application_1700000000000_0001 appattempt_1700000000000_0001_000001 "
                 "application_1700000000000_0004");
    pending_free(pending);
    store_close(store);
}

/* The history may not have it yet. */
static void an_ended_application_is_deleted_later(void **state)
{
    struct store *store = open_store(*state);
    struct pending *pending = pending_new();
    struct err err = { 0 };
    int written = 0;

    add_app(pending, 1, CREEL__APP_STATE__APP_FINISHED);
    add_forget(pending, 1, true);
    assert_ok(pending_write(pending, store, count_written, &written, &err), err);
    assert_int_equal(written, 2);
    loads(store, "application_1700000000000_0001");
    pending_delete(pending, "application_1700000000000_0001");
    assert_int_equal(pending_count(pending), 1);
    assert_int_equal(pending_last_seq(pending), 2);
    assert_ok(pending_write(pending, store, count_written, &written, &err), err);
    assert_int_equal(written, 2);
    loads(store, "");
    pending_free(pending);
    store_close(store);
}

static void nothing_to_write_still_tries_the_disk(void **state)
{
    struct store *store = open_store(*state);
    struct pending *pending = pending_new();
    sqlite3 *shell = scratch_open(*state);
    struct err err = { 0 };

    assert_int_equal(sqlite3_exec(shell, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(pending_write(pending, store, NULL, NULL, &err), -EBUSY);
    sqlite3_close(shell);
    assert_ok(pending_write(pending, store, NULL, NULL, &err), err);
    pending_free(pending);
    store_close(store);
}

/* --- keys ------------------------------------------------------------------ */

static bool opens(const struct token_ring *ring, Creel__TokenKind kind, const ProtobufCBinaryData *token)
{
    ProtobufCMessage *payload = NULL;

    if (token_open(ring, kind, &creel__am_grant__descriptor, token->data, token->len, &payload, NULL) < 0)
        return false;
    protobuf_c_message_free_unpacked(payload, NULL);
    return true;
}

#define NODE "n1.example:8041"

/* The ring of an agent that has received the keys of NODE_ID. */
static struct token_ring agent_ring(struct signing_keys *signing, struct arena *arena, const char *node_id)
{
    struct token_ring ring = { 0 };
    Creel__TokenKey keys[4], *list[4] = { &keys[0], &keys[1], &keys[2], &keys[3] };

    token_ring_replace(&ring, list, signing_keys_token_keys(signing, arena, node_id, keys, 4));
    return ring;
}

static bool opens_on(struct signing_keys *signing, struct arena *arena, const char *node_id,
                     const ProtobufCBinaryData *token)
{
    struct token_ring ring = agent_ring(signing, arena, node_id);

    return opens(&ring, CREEL__TOKEN_KIND__TOKEN_CONTAINER, token);
}

static void tokens_survive_restarts_and_one_roll(void **state)
{
    struct store *store = open_store(*state);
    struct arena *arena = arena_new();
    Creel__AmGrant grant = CREEL__AM_GRANT__INIT;
    ProtobufCBinaryData am, container;
    struct signing_keys signing = { 0 }, again = { 0 };
    Creel__TokenKey keys[4];
    struct err err = { 0 };

    grant.attempt_id = (char[]){ "appattempt_1700000000000_0001_000001" };
    assert_ok(signing_keys_load(&signing, store, NOW_MS, &err), err);
    assert_int_equal(signing_keys_token_keys(&signing, arena, NODE, keys, 4), 1);
    am = signing_keys_sign(&signing, arena, CREEL__TOKEN_KIND__TOKEN_AM, NULL, &grant.base);
    container = signing_keys_sign(&signing, arena, CREEL__TOKEN_KIND__TOKEN_CONTAINER, NODE, &grant.base);
    store_close(store);

    store = open_store(*state);
    assert_ok(signing_keys_load(&again, store, NOW_MS + 5, &err), err);
    assert_int_equal(again.node_rolled_ms, NOW_MS);
    assert_true(opens(&again.am, CREEL__TOKEN_KIND__TOKEN_AM, &am));
    assert_true(opens_on(&again, arena, NODE, &container));
    assert_false(opens_on(&again, arena, "n2.example:8041", &container));
    /* A token signed with one key ring is not valid with the other. */
    assert_false(opens_on(&again, arena, NODE, &am));

    assert_int_equal(signing_keys_due_ms(&again, 1000), NOW_MS + 1000);
    assert_int_equal(signing_keys_due_ms(&again, INT64_MAX), INT64_MAX);
    assert_ok(signing_keys_roll(&again, store, NOW_MS + 1000, &err), err);
    assert_true(opens_on(&again, arena, NODE, &container));
    assert_int_equal(signing_keys_token_keys(&again, arena, NODE, keys, 4), 2);
    assert_int_equal(signing_keys_token_keys(&again, arena, NODE, keys, 1), 1);
    assert_int_equal(keys[0].key_id, again.node.keys[0].id);
    assert_ok(signing_keys_roll(&again, store, NOW_MS + 2000, &err), err);
    assert_false(opens_on(&again, arena, NODE, &container));
    assert_true(opens(&again.am, CREEL__TOKEN_KIND__TOKEN_AM, &am));
    store_close(store);

    store = open_store(*state);
    assert_ok(signing_keys_load(&signing, store, NOW_MS + 3000, &err), err);
    assert_memory_equal(&signing.node, &again.node, sizeof(signing.node));
    arena_free(arena);
    store_close(store);
}

/* An upgrade: tokens of the former release, which all agents verify with one key, stay valid until the first
 * roll, and so do new ones for its clients. No restart lengthens that time. */
static void the_shared_key_of_a_former_release_ends_with_the_first_roll(void **state)
{
    struct store *store = open_store(*state);
    struct arena *arena = arena_new();
    Creel__AmGrant grant = CREEL__AM_GRANT__INIT;
    ProtobufCBinaryData former = { 0 }, client, node;
    struct token_ring shared = { 0 };
    struct signing_keys signing = { 0 };
    struct err err = { 0 };

    grant.attempt_id = (char[]){ "appattempt_1700000000000_0001_000001" };
    token_ring_roll(&shared);
    token_ring_roll(&shared);
    assert_ok(store_put_ring(store, "container", &shared, NOW_MS - 10, &err), err);
    token_sign(&shared, CREEL__TOKEN_KIND__TOKEN_CONTAINER, &grant.base, &former.data, &former.len);

    for (int starts = 0; starts < 2; starts++) {
        assert_ok(signing_keys_load(&signing, store, NOW_MS + starts, &err), err);
        assert_int_equal(signing.node_rolled_ms, NOW_MS);
        client = signing_keys_sign(&signing, arena, CREEL__TOKEN_KIND__TOKEN_CONTAINER, NULL, &grant.base);
        node = signing_keys_sign(&signing, arena, CREEL__TOKEN_KIND__TOKEN_CONTAINER, NODE, &grant.base);
        assert_true(opens_on(&signing, arena, NODE, &former));
        assert_true(opens_on(&signing, arena, "n2.example:8041", &client));
        assert_true(opens_on(&signing, arena, NODE, &node));
        assert_false(opens(&shared, CREEL__TOKEN_KIND__TOKEN_CONTAINER, &node));
    }
    assert_ok(signing_keys_roll(&signing, store, NOW_MS + 1000, &err), err);
    for (int starts = 0; starts < 2; starts++) {
        assert_false(opens_on(&signing, arena, NODE, &former));
        assert_true(opens_on(&signing, arena, NODE, &node));
        client = signing_keys_sign(&signing, arena, CREEL__TOKEN_KIND__TOKEN_CONTAINER, NULL, &grant.base);
        assert_int_equal(client.len, 0);
        assert_ok(signing_keys_load(&signing, store, NOW_MS + 1001, &err), err);
    }
    free(former.data);
    arena_free(arena);
    store_close(store);
}

static void a_roll_that_is_not_on_disk_does_not_count(void **state)
{
    struct store *store = open_store(*state);
    sqlite3 *shell = scratch_open(*state);
    struct signing_keys signing = { 0 }, before;
    struct err err = { 0 };

    assert_ok(signing_keys_load(&signing, store, NOW_MS, &err), err);
    before = signing;
    assert_int_equal(sqlite3_exec(shell, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(signing_keys_roll(&signing, store, NOW_MS + 1, &err), -EBUSY);
    assert_memory_equal(&signing, &before, sizeof(signing));
    sqlite3_close(shell);
    store_close(store);
}

/* --- the clock ------------------------------------------------------------- */

static void the_clock_follows_jumps_slowly(void **state)
{
    static const struct {
        const char *name;
        int64_t jump_ms;
    } cases[] = {
        { "set forward by an hour", 3600000 },
        { "set back by an hour", -3600000 },
        { "not set", 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int64_t wall_ms = NOW_MS, monotonic_ms = 5000, last_ms = NOW_MS, now_ms = NOW_MS;
        struct clock clock;

        clock_start(&clock, wall_ms, monotonic_ms);
        wall_ms += cases[i].jump_ms;
        for (int tick = 0; tick < 400000; tick++) {
            monotonic_ms += 100;
            wall_ms += 100;
            now_ms = clock_tick(&clock, wall_ms, monotonic_ms);
            if (now_ms - last_ms < 90 || now_ms - last_ms > 110)
                fail_msg("%s: a step of %lld ms", cases[i].name, (long long)(now_ms - last_ms));
            last_ms = now_ms;
        }
        assert_in_range(now_ms, wall_ms - 1000, wall_ms + 1000);
    }
}

static void a_clock_that_was_set_between_two_runs_is_noticed(void **state)
{
    struct clock_record record = { 0 };
    struct err err = { 0 };
    int64_t now_ms = loop_now_ms(), set_ms;
    scoped_free char *missing = NULL;
    const char *scratch = *state;

    assert_int_equal(clock_record_read(scratch, now_ms), 0); /* there is no file */
    assert_ok(clock_record_write(&record, scratch, now_ms, true, &err), err);
    assert_int_equal(clock_record_read(scratch, now_ms + 1000), 0);
    set_ms = clock_record_read(scratch, now_ms + 86400000);
    assert_in_range(set_ms, 86400000 - 60000, 86400000);
    set_ms = clock_record_read(scratch, now_ms - 86400000);
    assert_in_range(-set_ms, 86400000, 86400000 + 60000);
    /* An hour later by the master's clock: the file follows. */
    assert_ok(clock_record_write(&record, scratch, now_ms + 3600000, false, &err), err);
    assert_int_equal(clock_record_read(scratch, now_ms + 3600000), 0);
    /* Of failures in a row only the first is reported. */
    missing = mem_printf("%s/missing", scratch);
    assert_int_equal(clock_record_write(&record, missing, now_ms, false, &err), -ENOENT);
    assert_int_equal(clock_record_write(&record, missing, now_ms, false, &err), 0);
    assert_ok(clock_record_write(&record, scratch, now_ms + 3600000 - 5000, false, &err), err);
    assert_int_equal(clock_record_read(scratch, now_ms + 3600000), 0);
    assert_int_equal(clock_record_write(&record, missing, now_ms, false, &err), -ENOENT);
    /* After another start of the host nothing is known. */
    assert_int_equal(setenv("CREEL_BOOT_ID", "another", 1), 0);
    assert_int_equal(clock_record_read(scratch, now_ms), 0);
    assert_int_equal(unsetenv("CREEL_BOOT_ID"), 0);
}

static void ends_without_a_stop_are_counted_for_an_hour(void **state)
{
    const char *scratch = *state;
    struct run_record record;

    run_record_begin(&record, scratch, NOW_MS);
    assert_int_equal(run_record_recent(&record, NOW_MS), 0); /* the first start */
    for (int i = 1; i <= 3; i++) {                           /* killed three times */
        run_record_begin(&record, scratch, NOW_MS + i * 20000);
        assert_int_equal(run_record_recent(&record, NOW_MS + i * 20000), i);
    }
    run_record_end(&record, scratch);
    run_record_begin(&record, scratch, NOW_MS + 80000); /* after a stop */
    assert_int_equal(run_record_recent(&record, NOW_MS + 80000), 3);
    assert_int_equal(run_record_recent(&record, NOW_MS + 40000 + RUN_RECORD_MS), 2);
    run_record_end(&record, scratch);
    run_record_begin(&record, scratch, NOW_MS + 80000 + RUN_RECORD_MS);
    assert_int_equal(record.count, 0);
    for (int i = 1; i <= 2 * RUN_RECORD_STARTS; i++)
        run_record_begin(&record, scratch, NOW_MS + 80000 + RUN_RECORD_MS + i * 1000);
    assert_int_equal(record.count, RUN_RECORD_STARTS);
}

static void a_fifo_in_place_of_the_runs_is_replaced(void **state)
{
    const char *scratch = *state;
    scoped_free char *path = mem_printf("%s/runs", scratch);
    struct run_record record;
    struct stat st;

    (void)unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    alarm(60); /* ends the test if it waits for a writer */
    run_record_begin(&record, scratch, NOW_MS);
    alarm(0);
    assert_int_equal(record.count, 0);
    assert_true(stat(path, &st) == 0 && S_ISREG(st.st_mode));
}

/* --- settings -------------------------------------------------------------- */

static void schedulers_go_by_their_last_component(void **state)
{
    static const struct {
        const char *value, *name; /* NAME NULL: refused */
    } cases[] = {
        { "FifoScheduler", "fifo" },
        { "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fifo.FifoScheduler", "fifo" },
        { "org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler", "capacity" },
        { "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler", "fair" },
        { "fifo", NULL },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct conf *conf = conf_new_defaults();
        struct settings settings = { 0 };
        struct err err = { 0 };
        int r;

        assert_ok(conf_set(conf, "yarn.resourcemanager.scheduler.class", cases[i].value, &err), err);
        r = settings_read(conf, &settings, &err);
        if (cases[i].name) {
            assert_ok(r, err);
            assert_string_equal(settings.master.scheduler, cases[i].name);
        } else {
            assert_int_equal(r, -EINVAL);
            assert_contains(err.text, cases[i].value);
            assert_contains(err.text, "FifoScheduler");
            assert_contains(err.text, "yarn.resourcemanager.scheduler.class");
        }
        settings_done(&settings);
        conf_free(conf);
    }
}

static void administrators_are_users_and_members(void **state)
{
    static const struct {
        const char *acl, *users;
    } cases[] = {
        { "*", "*" },
        { " *", "*" },
        { "ann,bob", "ann bob " },
        { "ann no-such-group-here", "ann " },
        { " no-such-group-here", "" },
        { "", "" },
        /* "*" means every user only if it is alone. */
        { "ann,*", "ann " },
        { "ann *", "ann " },
        { "a*", "a* " },
        { "* no-such-group-here", "" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct conf *conf = conf_new_defaults();
        struct settings settings = { 0 };
        struct err err = { 0 };

        assert_ok(conf_set(conf, "yarn.admin.acl", cases[i].acl, &err), err);
        assert_ok(settings_read(conf, &settings, &err), err);
        assert_string_equal(settings.master.admin_users, cases[i].users);
        settings_done(&settings);
        conf_free(conf);
    }
}

/* --- the state directory --------------------------------------------------- */

static void state_directory_is_created(void **state)
{
    scoped_free char *directory = mem_printf("%s/a/b", (char *)*state);
    scoped_free char *file = mem_printf("%s/ports", directory);
    static const int ports[RM_CHANNELS] = {
        [MASTER_AGENT] = 3,
        [MASTER_AM] = 2,
        [MASTER_CLIENT] = 1,
        [MASTER_ADMIN] = 4,
    };
    struct stat status;
    struct err err = { 0 };
    char text[200] = "";
    FILE *stream;

    assert_ok(state_dir_make(directory, &err), err);
    assert_int_equal(chmod(directory, 0755), 0); /* as another user may have made it */
    assert_ok(state_dir_make(directory, &err), err);
    assert_int_equal(stat(directory, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0700);
    assert_ok(state_dir_write_ports(directory, ports, &err), err);
    stream = fopen(file, "r");
    assert_non_null(stream);
    assert_non_null(fgets(text, sizeof(text), stream));
    fclose(stream);
    assert_string_equal(text, "{\"client\": 1, \"am\": 2, \"agent\": 3, \"admin\": 4}\n");
    assert_int_equal(state_dir_make(file, &err), -ENOTDIR);
    assert_contains(err.text, file);
    state_dir_remove_ports(directory);
    assert_int_equal(access(file, F_OK), -1);
    assert_int_equal(state_dir_make("relative", &err), -EINVAL);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_set_up, scratch_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(rows_reach_the_disk_in_order),
        TEST(a_forgotten_container_is_deleted_later),
        TEST(refused_submissions_are_dropped_and_others_kept),
        TEST(an_ended_application_is_deleted_later),
        TEST(nothing_to_write_still_tries_the_disk),
        TEST(tokens_survive_restarts_and_one_roll),
        TEST(the_shared_key_of_a_former_release_ends_with_the_first_roll),
        TEST(a_roll_that_is_not_on_disk_does_not_count),
        cmocka_unit_test(the_clock_follows_jumps_slowly),
        TEST(a_clock_that_was_set_between_two_runs_is_noticed),
        TEST(ends_without_a_stop_are_counted_for_an_hour),
        TEST(a_fifo_in_place_of_the_runs_is_replaced),
        cmocka_unit_test(schedulers_go_by_their_last_component),
        cmocka_unit_test(administrators_are_users_and_members),
        TEST(state_directory_is_created),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
