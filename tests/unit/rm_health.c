/* SPDX-License-Identifier: Apache-2.0 */
/* rm_health.c - the checks of the resource manager itself: each is broken, and mended */
#include "tests/unit/store_support.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rm/net/health.h"

struct world {
    struct arena *arena;
    char *directory;
    struct free_space space;
    struct master_node_faults nodes;
    struct health_facts facts;
};

static int set_up(void **state)
{
    struct world *world = mem_new0(struct world);

    world->arena = arena_new();
    world->directory = scratch_make();
    free_space_init(&world->space, world->directory, 1);
    free_space_measure(&world->space, FREE_SPACE_MS);
    world->facts = (struct health_facts){
        .space = &world->space, .nodes = &world->nodes, .history_problem = "", .backups.directory = ""
    };
    *state = world;
    return 0;
}

static int tear_down(void **state)
{
    struct world *world = *state;

    free_space_done(&world->space);
    scratch_remove(world->directory);
    arena_free(world->arena);
    free(world);
    return 0;
}

/* Returns the check NAME of the present facts. */
static const Creel__HealthCheck *check(struct world *world, const char *name)
{
    Creel__ClusterInfo info = CREEL__CLUSTER_INFO__INIT;

    health_fill(&world->facts, world->arena, &info);
    for (size_t i = 0; i < info.n_checks; i++)
        if (strcmp(info.checks[i]->name, name) == 0)
            return info.checks[i];
    fail_msg("there is no check %s", name);
    return NULL;
}

static void expect(struct world *world, const char *name, Creel__HealthResult result, const char *part)
{
    const Creel__HealthCheck *found = check(world, name);

    assert_int_equal(found->result, result);
    assert_contains(found->text, part);
    assert_int_equal(*found->remedy != '\0', result != CREEL__HEALTH_RESULT__HEALTH_OK);
}

static void expect_ok(struct world *world, const char *name)
{
    expect(world, name, CREEL__HEALTH_RESULT__HEALTH_OK, "");
    assert_int_equal(check(world, name)->since_ms, 0);
}

static void expect_warning(struct world *world, const char *name, const char *part)
{
    expect(world, name, CREEL__HEALTH_RESULT__HEALTH_WARNING, part);
}

static void expect_failed(struct world *world, const char *name, const char *part)
{
    expect(world, name, CREEL__HEALTH_RESULT__HEALTH_FAILED, part);
}

/* Measures the free space again, as if FREE_SPACE_MS had passed. */
static void measure(struct world *world)
{
    free_space_measure(&world->space, world->space.due_ms);
}

static void a_store_that_fails(void **state)
{
    struct world *world = *state;

    expect_ok(world, "state-store");
    world->facts.store_error = "state.db: database or disk is full";
    world->facts.store_failing_ms = 1000;
    expect_failed(world, "state-store", "submissions are refused: state.db: database or disk is full");
    assert_int_equal(check(world, "state-store")->since_ms, 1000);
    world->facts.store_error = NULL;
    expect_ok(world, "state-store");
}

static void a_store_whose_file_was_removed(void **state)
{
    struct world *world = *state;

    world->facts.store_moved = true;
    expect_failed(world, "state-store", "state.db, was removed or replaced");
    assert_contains(check(world, "state-store")->remedy, "creel admin state restore");
    world->facts.store_moved = false;
    expect_ok(world, "state-store");
}

static void keys_of_hosts_that_are_in_the_state_alone(void **state)
{
    struct world *world = *state;

    world->facts.joined_keys_problem = "keys/joined: Read-only file system";
    expect_warning(world, "state-store", "in the state alone: keys/joined: Read-only file system");
    world->facts.joined_keys_problem = NULL;
    expect_ok(world, "state-store");
}

static void backups_that_are_older_than_configured(void **state)
{
    struct world *world = *state;
    struct backups_state *backups = &world->facts.backups;

    expect(world, "backups", CREEL__HEALTH_RESULT__HEALTH_OK, "creel.state.backup-directory is not set");
    *backups = (struct backups_state){ .directory = "/srv/backup", .interval_ms = 1000 };
    world->facts.wall_ms = NOW_MS;
    expect_ok(world, "backups");
    backups->newest_ms = NOW_MS - 2000;
    expect(world, "backups", CREEL__HEALTH_RESULT__HEALTH_OK, "is of 2023-11-14T22:13:18Z");
    backups->newest_ms--;
    expect_warning(world, "backups", "is older than configured");
    backups->newest_ms = NOW_MS;
    backups->problem = "/srv/backup: Read-only file system";
    expect_warning(world, "backups", "failed (the newest: 2023-11-14T22:13:20Z): /srv/backup: Read-only");
}

static void a_backup_that_does_not_end(void **state)
{
    struct world *world = *state;
    struct backups_state *backups = &world->facts.backups;

    *backups = (struct backups_state){ .directory = "/srv/backup",
                                       .interval_ms = 2 * BACKUPS_LONG_MS,
                                       .newest_ms = NOW_MS - 1000,
                                       .started_ms = NOW_MS };
    world->facts.wall_ms = NOW_MS + BACKUPS_LONG_MS;
    expect_ok(world, "backups");
    world->facts.wall_ms++;
    expect_warning(world, "backups", "a backup of the state has run for 300 s: /srv/backup does not answer");
    backups->started_ms = 0;
    expect(world, "backups", CREEL__HEALTH_RESULT__HEALTH_OK, "is of 2023");
    backups->started_ms = NOW_MS;
    backups->interval_ms = BACKUPS_LONG_MS / 2; /* the next one is due */
    world->facts.wall_ms = NOW_MS + backups->interval_ms + 1;
    expect_warning(world, "backups", "has run for 150 s");
}

static void a_disk_with_too_little_space(void **state)
{
    struct world *world = *state;

    expect_ok(world, "free-space");
    world->space.limit_bytes = INT64_MAX;
    expect_warning(world, "free-space", world->directory);
    world->space.limit_bytes = 1;
    expect_ok(world, "free-space");
}

static void a_directory_on_the_same_disk_is_not_named_again(void **state)
{
    struct world *world = *state;
    scoped_free char *uploads = mem_printf("%s/blobs", world->directory);

    assert_int_equal(mkdir(uploads, 0700), 0);
    measure(world);
    world->space.limit_bytes = INT64_MAX;
    expect_warning(world, "free-space", "state ");
    assert_null(strstr(check(world, "free-space")->text, "uploads "));
    assert_null(strstr(check(world, "free-space")->text, "history "));
}

static void a_directory_that_cannot_be_measured(void **state)
{
    struct world *world = *state;

    free_space_done(&world->space);
    free_space_init(&world->space, "/nowhere/at/all", 0);
    measure(world);
    expect_warning(world, "free-space", "cannot be measured (/nowhere/at/all: No such file or directory)");
}

static void a_directory_that_cannot_be_written(void **state)
{
    struct world *world = *state;
    scoped_free char *path = mem_printf("%s/blobs", world->directory);

    assert_int_equal(close(creat(path, 0600)), 0); /* a file: root, too, can make none in it */
    measure(world);
    expect_failed(world, "free-space", "uploads cannot be written (");
    expect_failed(world, "free-space", "/blobs: Not a directory)");
    assert_int_equal(unlink(path), 0);
    measure(world);
    expect_ok(world, "free-space");
}

static void space_is_measured_at_most_every_few_seconds(void **state)
{
    struct world *world = *state;
    int64_t now_ms = world->space.due_ms - 1;

    world->space.directories[0].bytes = -1;
    free_space_measure(&world->space, now_ms);
    assert_int_equal(world->space.directories[0].bytes, -1);
    free_space_measure(&world->space, now_ms + 1);
    assert_true(world->space.directories[0].bytes > 0);
}

static void an_incomplete_history(void **state)
{
    struct world *world = *state;

    expect_ok(world, "history");
    world->facts.history_problem = "the history is not written: disk is full";
    expect_warning(world, "history", "the history is not written: disk is full");
    world->facts.history_problem = "";
    expect_ok(world, "history");
}

static void a_history_that_lags(void **state)
{
    struct world *world = *state;

    world->facts.now_ms = NOW_MS;
    world->facts.history_behind_ms = NOW_MS - HEALTH_HISTORY_BEHIND_MS;
    expect_ok(world, "history");
    world->facts.now_ms++;
    expect_warning(world, "history", "lags");
    assert_int_equal(check(world, "history")->since_ms, world->facts.history_behind_ms);
    world->facts.history_behind_ms = 0;
    expect_ok(world, "history");
}

static void agents_that_are_refused(void **state)
{
    struct world *world = *state;
    struct refused_agent agents[5] = { { .name = "n3", .key = "0123456789", .address = "10.0.0.3" } };

    expect_ok(world, "refused-agents");
    world->facts.refused = agents;
    world->facts.refused_room = 5;
    world->facts.refused_count = 1;
    agents[0].since_ms = NOW_MS;
    expect_warning(world, "refused-agents", "1 agent is refused");
    expect_warning(
        world, "refused-agents",
        "n3 (10.0.0.3, key 01234567..., since 2023-11-14T22:13:20Z): its key has no certificate here");
    assert_contains(check(world, "refused-agents")->remedy, "was the state lost?");
    assert_contains(check(world, "refused-agents")->remedy, "a new node: creel setup node");
    agents[0].reason = "host excluded";
    assert_null(strstr(check(world, "refused-agents")->remedy, "setup node"));
    expect_warning(world, "refused-agents", "2023-11-14T22:13:20Z): host excluded");
    world->facts.refused_count = 5;
    expect_warning(world, "refused-agents", "5 agents are refused");
    expect_warning(world, "refused-agents", "; and 2 more");
    assert_int_equal(check(world, "refused-agents")->n_causes, 5);
    assert_contains(check(world, "refused-agents")->causes[4], "since ");
    world->facts.refused_count = 0;
    expect_ok(world, "refused-agents");
}

static void gateways_that_have_ended(void **state)
{
    struct world *world = *state;

    expect_ok(world, "gateways");
    world->facts.deaths = (struct gateway_deaths){ .count = 2, .last_ms = NOW_MS };
    world->facts.now_ms = NOW_MS + HEALTH_DEATH_MS;
    expect_warning(world, "gateways", "ended 2 times");
    expect_warning(world, "gateways", "the last at 2023-11-14T22:13:20Z; their connections");
    world->facts.deaths.last_hung_ms = 8999;
    expect_warning(world, "gateways",
                   "the last at 2023-11-14T22:13:20Z (did not answer for 8 s, killed); their");
    world->facts.now_ms++;
    expect_ok(world, "gateways");
}

static void connections_that_are_nearly_all_in_use(void **state)
{
    struct world *world = *state;

    expect_ok(world, "pools");
    world->facts.connections = (struct gateway_counts){ .used = 90, .limit = 100 };
    expect_ok(world, "pools");
    world->facts.connections.used = 91;
    expect_warning(world, "pools", "91 of 100 connections");
    world->facts.connections.used = 0;
    expect_ok(world, "pools");
}

static void faults_that_agents_report(void **state)
{
    struct world *world = *state;

    expect_ok(world, "stuck-containers");
    expect_ok(world, "versions");
    expect_ok(world, "certificates");
    world->nodes = (struct master_node_faults){
        .stuck = 2,
        .stuck_text = "on n1:8041, c1: process 7",
        .versions = 1,
        .versions_text = "n2:8041 (0.1.0)",
        .expiring = 1,
        .certificates_text = "n3:8041 expires on 2026-12-01T00:00:00Z",
    };
    expect_warning(world, "stuck-containers", "2 containers do not end; on n1:8041, c1: process 7");
    expect_warning(world, "versions", "1 node is of another version than the resource manager: n2:8041");
    expect_warning(world, "certificates", "n3:8041 expires on 2026-12-01T00:00:00Z");
    world->nodes.expired = 1;
    expect_failed(world, "certificates", "have to be replaced: n3:8041");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_store_that_fails),
        TEST(a_store_whose_file_was_removed),
        TEST(keys_of_hosts_that_are_in_the_state_alone),
        TEST(backups_that_are_older_than_configured),
        TEST(a_backup_that_does_not_end),
        TEST(a_disk_with_too_little_space),
        TEST(a_directory_on_the_same_disk_is_not_named_again),
        TEST(a_directory_that_cannot_be_measured),
        TEST(a_directory_that_cannot_be_written),
        TEST(space_is_measured_at_most_every_few_seconds),
        TEST(an_incomplete_history),
        TEST(a_history_that_lags),
        TEST(agents_that_are_refused),
        TEST(gateways_that_have_ended),
        TEST(connections_that_are_nearly_all_in_use),
        TEST(faults_that_agents_report),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
