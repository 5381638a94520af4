/* SPDX-License-Identifier: Apache-2.0 */
/* rm_health.c - the checks of the resource manager itself: each is broken, and repaired */
#include "tests/unit/store/store_support.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rm/net/health/health.h"

struct world {
    struct arena *arena;
    struct loop *loop;
    char *directory;
    struct free_space space;
    struct master_node_faults nodes;
    struct master_stopped_queues stopped;
    struct health_facts facts;
};

static void stop_when_measured(void *context)
{
    struct world *world = context;

    for (size_t i = 0; i < FREE_SPACE_DIRECTORIES; i++)
        if (world->space.directories[i].asked_ms != 0) {
            loop_add_timer(world->loop, 1, stop_when_measured, world);
            return;
        }
    loop_stop(world->loop);
}

/* Measures the free space again, as if FREE_SPACE_MS had passed, and waits for the threads. */
static void measure(struct world *world)
{
    free_space_measure(&world->space, world->space.due_ms + 1);
    loop_add_timer(world->loop, 0, stop_when_measured, world);
    loop_run(world->loop);
}

static void open_space(struct world *world, const char *directory, int64_t limit_bytes)
{
    struct err err = { 0 };

    free_space_init(&world->space, directory, limit_bytes);
    assert_ok(free_space_start(&world->space, world->loop, &err), err);
    measure(world);
}

static int set_up(void **state)
{
    struct world *world = mem_new0(struct world);

    assert_int_equal(loop_new(&world->loop, NULL), 0);
    world->arena = arena_new();
    world->directory = scratch_make();
    open_space(world, world->directory, 1);
    world->facts = (struct health_facts){ .space = &world->space,
                                          .nodes = &world->nodes,
                                          .stopped = &world->stopped,
                                          .history_problem = "",
                                          .backups.directory = "" };
    *state = world;
    return 0;
}

static int tear_down(void **state)
{
    struct world *world = *state;

    assert_true(free_space_done(&world->space));
    loop_free(world->loop);
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

static void expect_space_again(struct world *world)
{
    measure(world);
    expect_ok(world, "free-space");
}

static void expect_warning(struct world *world, const char *name, const char *part)
{
    expect(world, name, CREEL__HEALTH_RESULT__HEALTH_WARNING, part);
}

static void expect_failed(struct world *world, const char *name, const char *part)
{
    expect(world, name, CREEL__HEALTH_RESULT__HEALTH_FAILED, part);
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

    world->facts.store_fault = "/s/state.db-wal was removed";
    expect_failed(world, "state-store", "state.db-wal was removed: changes since then are lost at the");
    assert_contains(check(world, "state-store")->remedy,
                    "do not kill creel-rm; creel admin state backup FILE");
    assert_contains(check(world, "state-store")->remedy, "creel admin state restore");
    world->facts.store_fault = NULL;
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
    world->facts.store_fault = "/s/state.db-wal was removed";
    expect_warning(world, "backups",
                   "failed (the newest: 2023-11-14T22:13:20Z): /s/state.db-wal was removed");
}

static void a_backup_from_the_future(void **state)
{
    struct world *world = *state;
    struct backups_state *backups = &world->facts.backups;

    *backups = (struct backups_state){ .directory = "/srv/backup", .interval_ms = 1000, .newest_ms = NOW_MS };
    world->facts.wall_ms = NOW_MS;
    backups->future = "creel-state-20990101T000000Z.db";
    expect_warning(world, "backups",
                   "/srv/backup/creel-state-20990101T000000Z.db is a backup from the future");
    assert_contains(check(world, "backups")->remedy, "timedatectl");
    backups->future = NULL;
    expect_ok(world, "backups");
    world->facts.wall_ms = NOW_MS - BACKUPS_FUTURE_MS - 1; /* the clock was set back */
    expect_warning(world, "backups", "of 2023-11-14T22:13:20Z, is from the future");
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

static void uploads_without_any_room(void **state)
{
    struct world *world = *state;
    struct free_space_directory *uploads = &world->space.directories[FREE_SPACE_UPLOADS];

    uploads->shared = false; /* a disk of its own */
    uploads->error = 0;
    uploads->bytes = 100;
    uploads->reserve_bytes = 99;
    world->space.limit_bytes = 1000;
    expect_warning(world, "free-space", "uploads ");
    assert_null(strstr(check(world, "free-space")->text, "refused"));
    uploads->reserve_bytes = 100; /* uploads are refused before the disk is full */
    expect_failed(world, "free-space", "/blobs): submissions with files are refused");
    uploads->shared = true;
    world->space.limit_bytes = 0;
    expect_failed(world, "free-space", "/blobs): submissions with files are refused");
    uploads->bytes = 0;
    uploads->write_error = ENOSPC;
    expect_failed(world, "free-space", "/blobs): submissions with files are refused");
    uploads->no_inodes = true;
    expect_failed(world, "free-space", "no inodes are left for uploads (");
    assert_contains(check(world, "free-space")->remedy, "df -i shows the inodes: remove files");
    expect_space_again(world);
}

static void few_inodes(void **state)
{
    struct world *world = *state;
    struct free_space_directory *disk = &world->space.directories[0];

    disk->inodes = 1000000;
    disk->free_inodes = 9999;
    expect_warning(world, "free-space", "9999 of 1000000 inodes are free for state (");
    assert_contains(check(world, "free-space")->remedy, "df -i shows the inodes: remove files");
    disk->free_inodes = 10000;
    assert_null(strstr(check(world, "free-space")->text, "inodes"));
    disk->inodes = disk->free_inodes = 0; /* as on btrfs */
    expect_space_again(world);
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

    assert_true(free_space_done(&world->space));
    open_space(world, "/nowhere/at/all", 0);
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
    expect_space_again(world);
}

static void a_directory_of_uploads_that_was_removed_or_replaced(void **state)
{
    struct world *world = *state;
    scoped_free char *path = mem_printf("%s/blobs", world->directory);
    scoped_free char *aside = mem_printf("%s/aside", world->directory);
    scoped_fd int used = -1;

    assert_int_equal(mkdir(path, 0700), 0);
    used = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    world->space.directories[FREE_SPACE_UPLOADS].in_use = used;
    expect_space_again(world);
    assert_int_equal(rename(path, aside), 0);
    measure(world);
    expect_failed(world, "free-space", "the directory of uploads was removed, replaced or unmounted (");
    assert_contains(check(world, "free-space")->remedy, "install -d -m 700");
    assert_int_equal(mkdir(path, 0700), 0);
    measure(world);
    expect_failed(world, "free-space", "the directory of uploads was removed, replaced or unmounted (");
    assert_int_equal(rmdir(aside), 0); /* the new one will be used */
    expect_space_again(world);
}

static void space_is_measured_at_most_every_few_seconds(void **state)
{
    struct world *world = *state;

    world->space.directories[0].bytes = -1;
    free_space_measure(&world->space, world->space.due_ms - 1);
    assert_int_equal(world->space.directories[0].asked_ms, 0);
    measure(world);
    assert_true(world->space.directories[0].bytes > 0);
}

static void a_directory_that_is_not_measured_yet_is_no_fault(void **state)
{
    struct world *world = *state;

    assert_true(free_space_done(&world->space));
    free_space_init(&world->space, world->directory, 1);
    expect(world, "free-space", CREEL__HEALTH_RESULT__HEALTH_OK,
           "the free space of state, history and uploads is being measured");
    assert_true(free_space_done(&world->space));
    open_space(world, world->directory, 1);
}

static void a_directory_that_does_not_answer(void **state)
{
    struct world *world = *state;
    struct free_space_directory *uploads = &world->space.directories[2];

    uploads->asked_ms = NOW_MS; /* as if the thread had been measuring since then */
    free_space_measure(&world->space, NOW_MS + FREE_SPACE_SILENT_MS);
    expect_ok(world, "free-space");
    free_space_measure(&world->space, NOW_MS + 25000);
    expect_failed(world, "free-space", "uploads has not answered for 25 s (");
    expect_failed(world, "free-space", "/blobs)");
    assert_contains(check(world, "free-space")->remedy, "findmnt -T");
    uploads->asked_ms = 0;
    expect_space_again(world);
}

static void a_silent_directory_hides_no_other_fault(void **state)
{
    struct world *world = *state;

    world->space.directories[1].silent_ms = 25000;
    world->space.directories[2].write_error = EROFS;
    world->space.limit_bytes = INT64_MAX;
    expect_failed(world, "free-space", "history has not answered for 25 s (");
    expect_failed(world, "free-space", "; uploads cannot be written (");
    expect_failed(world, "free-space", "is free: state ");
    assert_contains(check(world, "free-space")->remedy, "findmnt -T DIRECTORY");
    assert_contains(check(world, "free-space")->remedy, "; let user creel write to the directory");
    world->space.directories[2].silent_ms = 25000; /* that it could not be written may not be true any more */
    assert_null(strstr(check(world, "free-space")->text, "uploads cannot be written"));
    world->space.directories[1].silent_ms = world->space.directories[2].silent_ms = 0;
    world->space.limit_bytes = 1;
    expect_space_again(world);
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

static void a_history_that_was_removed_or_replaced(void **state)
{
    struct world *world = *state;
    scoped_free char *path = mem_printf("%s/history", world->directory);
    scoped_free char *aside = mem_printf("%s/aside", world->directory);

    measure(world);
    expect_ok(world, "history"); /* it is made with the first row */
    assert_int_equal(mkdir(path, 0700), 0);
    measure(world);
    expect_ok(world, "history");
    assert_int_equal(rename(path, aside), 0);
    measure(world);
    expect_warning(world, "history", "the directory of the history was removed, replaced or unmounted (");
    expect_ok(world, "free-space");
    assert_int_equal(mkdir(path, 0700), 0); /* as the next row does */
    measure(world);
    expect_warning(world, "history", "/history): jobs that had ended before are missing");
    assert_contains(check(world, "history")->remedy, "creel admin state backup --all");
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rename(aside, path), 0);
    measure(world);
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

static void a_munged_that_does_not_answer(void **state)
{
    struct world *world = *state;

    expect(world, "munge", CREEL__HEALTH_RESULT__HEALTH_OK, "users do not sign in by MUNGE");
    world->facts.munge.used = true;
    expect_ok(world, "munge");
    world->facts.munge.problem = "munged has not answered for 7 s";
    world->facts.munge.since_ms = NOW_MS;
    expect_failed(world, "munge", "are refused: munged has not answered for 7 s");
    assert_int_equal(check(world, "munge")->since_ms, NOW_MS);
    assert_contains(check(world, "munge")->remedy, "systemctl restart munge");
    world->facts.munge.problem = NULL;
    expect_ok(world, "munge");
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
    expect_ok(world, "node-reports");
    world->nodes.reports = 1;
    world->nodes.reports_text =
        "n4:8041: logs cannot be moved to shared storage: /logs: No space left on device";
    expect_warning(world, "node-reports", "1 healthy node reports a problem: n4:8041: logs cannot be moved");
    assert_contains(check(world, "node-reports")->remedy, "shared storage of logs");
    world->nodes.expired = 1;
    expect_failed(world, "certificates", "have to be replaced: n3:8041");
}

static void queues_that_are_stopped(void **state)
{
    struct world *world = *state;

    expect_ok(world, "stopped-queues");
    world->stopped.fallback = true;
    expect_warning(world, "stopped-queues", "the queue default is stopped");
    world->stopped.every_leaf = true;
    expect_warning(world, "stopped-queues", "all leaf queues are stopped");
    world->stopped.root = true;
    expect_failed(world, "stopped-queues", "the root queue is stopped: every submission is refused");
    assert_string_equal(check(world, "stopped-queues")->remedy, "creel queue start root");
    world->stopped = (struct master_stopped_queues){ .root = false };
    expect_ok(world, "stopped-queues");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_store_that_fails),
        TEST(a_store_whose_file_was_removed),
        TEST(keys_of_hosts_that_are_in_the_state_alone),
        TEST(backups_that_are_older_than_configured),
        TEST(a_backup_from_the_future),
        TEST(a_backup_that_does_not_end),
        TEST(a_disk_with_too_little_space),
        TEST(few_inodes),
        TEST(uploads_without_any_room),
        TEST(a_directory_on_the_same_disk_is_not_named_again),
        TEST(a_directory_that_cannot_be_measured),
        TEST(a_directory_that_cannot_be_written),
        TEST(a_directory_of_uploads_that_was_removed_or_replaced),
        TEST(space_is_measured_at_most_every_few_seconds),
        TEST(a_directory_that_is_not_measured_yet_is_no_fault),
        TEST(a_directory_that_does_not_answer),
        TEST(a_silent_directory_hides_no_other_fault),
        TEST(an_incomplete_history),
        TEST(a_history_that_was_removed_or_replaced),
        TEST(a_history_that_lags),
        TEST(agents_that_are_refused),
        TEST(gateways_that_have_ended),
        TEST(connections_that_are_nearly_all_in_use),
        TEST(a_munged_that_does_not_answer),
        TEST(faults_that_agents_report),
        TEST(queues_that_are_stopped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
