/* SPDX-License-Identifier: Apache-2.0 */
/* client_library.c - test: libcreel against the fake resource manager (client_fake_rm.c) */
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <setjmp.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "client/cli/logs/log_copy.h"
#include "client/include/creel-admin.h"
#include "common/io/loop/loop.h"

#define APP "application_1790000000000_0001"

extern char **environ;

struct fixture {
    char dir[64];
    pid_t pid;
    int input; /* when closed, the fake RM exits */
    struct creel_client *client;
};

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *place)
{
    (void)info;
    (void)type;
    (void)place;
    return remove(path);
}

static void start_fake(struct fixture *fixture)
{
    char program[PATH_MAX], line[128] = "";
    char *argv[] = { program, fixture->dir, NULL };
    ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 32);
    posix_spawn_file_actions_t actions;
    int in[2], out[2];
    FILE *ready;

    assert_true(length > 0);
    program[length] = '\0';
    strcpy(strrchr(program, '/'), "/client_fake_rm");
    assert_int_equal(pipe(in), 0);
    assert_int_equal(pipe(out), 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    assert_int_equal(posix_spawn(&fixture->pid, program, &actions, NULL, argv, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    fixture->input = in[1];
    ready = fdopen(out[0], "r");
    assert_non_null(fgets(line, sizeof(line), ready));
    assert_int_equal(strncmp(line, "ready ", 6), 0);
    fclose(ready);
}

static void stop_fake(struct fixture *fixture)
{
    int status;

    if (fixture->pid <= 0)
        return;
    close(fixture->input);
    assert_int_equal(waitpid(fixture->pid, &status, 0), fixture->pid);
    assert_int_equal(status, 0);
    fixture->pid = 0;
}

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));
    struct creel_options options = { .timeout_ms = 5000 };
    struct creel_error error;

    strcpy(fixture->dir, "/tmp/creel-client-library.XXXXXX");
    assert_non_null(mkdtemp(fixture->dir));
    start_fake(fixture);
    options.conf_dir = fixture->dir;
    if (creel_connect(&options, &fixture->client, &error) < 0)
        fail_msg("%s", error.text);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;

    creel_disconnect(fixture->client);
    stop_fake(fixture);
    nftw(fixture->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(fixture);
    return 0;
}

/* --- reading --------------------------------------------------------------- */

static void pages_become_one_list(void **state)
{
    struct fixture *fixture = *state;
    const struct creel_app_filter no_commands = { .no_long_commands = true };
    struct creel_apps *apps;

    assert_int_equal(creel_app_list(fixture->client, NULL, &apps, NULL), 0);
    assert_int_equal(apps->count, 3);
    assert_string_equal(apps->items[0].id, APP);
    assert_string_equal(apps->items[0].command[2], "true");
    assert_null(apps->items[0].command[3]);
    assert_null(apps->items[0].tags[0]);
    assert_int_equal(apps->items[0].exit_status, CREEL_EXIT_NONE);
    assert_string_equal(apps->items[0].diagnostics, "");
    assert_int_equal(apps->items[1].exit_status, 137);
    assert_true(creel_app_is_over(&apps->items[1]));
    assert_string_equal(creel_app_state_name(apps->items[1].state), "FAILED");
    assert_string_equal(apps->items[2].id, "application_1790000000000_0003");
    assert_false(apps->items[1].command_left_out);
    creel_apps_free(apps);
    assert_int_equal(creel_app_list(fixture->client, &no_commands, &apps, NULL), 0);
    assert_true(apps->items[1].command_left_out);
    assert_null(apps->items[1].command[0]);
    creel_apps_free(apps);
}

static void lists_for_administrators_come_in_pages(void **state)
{
    struct fixture *fixture = *state;
    const char *const named[] = { "n7:8041", "n8:8041", "n9:8041" };
    const struct creel_log_order all = { .level = CREEL_LOG_LEVEL_DEBUG };
    const struct creel_log_order some = { .nodes = named, .node_count = 3 };
    struct creel_state_accepted *accepted;
    struct creel_conf_versions *versions;
    struct creel_log_levels *levels;
    struct creel_error error;

    assert_int_equal(creel_log_level(fixture->client, &all, &levels, &error), 0);
    assert_int_equal(levels->rm, CREEL_LOG_LEVEL_INFO);
    assert_int_equal(levels->node_count, 3);
    assert_string_equal(levels->nodes[2].node_id, "n3:8041");
    assert_int_equal(levels->nodes[0].wanted, CREEL_LOG_LEVEL_DEBUG);
    assert_int_equal(levels->nodes[2].wanted, CREEL_LOG_LEVEL_UNKNOWN); /* only the first request sets it */
    creel_log_levels_free(levels);
    assert_int_equal(creel_log_level(fixture->client, &some, &levels, &error), 0);
    assert_int_equal(levels->node_count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(levels->nodes[i].node_id, named[i]);
    creel_log_levels_free(levels);
    assert_int_equal(creel_state_accept(fixture->client, &accepted, &error), 0);
    assert_int_equal(accepted->node_count, 3);
    assert_string_equal(accepted->nodes[2], "n3");
    creel_state_accepted_free(accepted);
    assert_int_equal(creel_conf_version_list(fixture->client, &versions, &error), 0);
    assert_int_equal(versions->count, 2);
    assert_true(versions->items[1].in_force);
    assert_int_equal(versions->items[1].change_count, 2);
    assert_string_equal(versions->items[1].changes[1].key, "b");
    creel_conf_versions_free(versions);
}

static void one_application_by_a_suffix(void **state)
{
    struct fixture *fixture = *state;
    struct creel_error error = { 0 };
    struct creel_apps *apps = NULL;

    assert_int_equal(creel_app_get(fixture->client, "1", &apps, &error), 0);
    assert_string_equal(apps->items[0].id, APP);
    assert_int_equal(apps->items[0].requested.memory_mb, 1024);
    creel_apps_free(apps);
    apps = NULL;
    assert_int_equal(creel_app_get(fixture->client, "8", &apps, &error), -ENOENT);
    assert_int_equal(error.code, ENOENT);
    assert_string_equal(error.text, "application 8: not known");
    assert_null(apps);
    assert_int_equal(creel_app_get(fixture->client, "", &apps, &error), -EINVAL);
}

static void cluster_queries_return_replies(void **state)
{
    struct fixture *fixture = *state;
    struct creel_containers *containers;
    struct creel_cluster *cluster;
    struct creel_queues *queues;
    struct creel_nodes *nodes;

    assert_int_equal(creel_container_list(fixture->client, APP, NULL, NULL, false, &containers, NULL), 0);
    assert_int_equal(containers->items[0].exit_status, 3);
    assert_string_equal(creel_container_state_name(containers->items[0].state), "COMPLETE");
    creel_containers_free(containers);
    assert_int_equal(creel_node_list(fixture->client, NULL, &nodes, NULL), 0);
    assert_int_equal(nodes->items[0].total.vcores, 8);
    assert_string_equal(nodes->items[0].rack, "/default-rack");
    creel_nodes_free(nodes);
    assert_int_equal(creel_queue_list(fixture->client, NULL, &queues, NULL), 0);
    assert_int_equal(queues->count, 3);
    assert_string_equal(queues->items[1].path, "root.default");
    assert_null(queues->items[1].explanation[0]);
    creel_queues_free(queues);
    assert_int_equal(creel_cluster_info(fixture->client, &cluster, NULL), 0);
    assert_string_equal(cluster->user, "ann");
    creel_cluster_free(cluster);
}

static void reasons_queues_and_changes(void **state)
{
    struct creel_client *client = ((struct fixture *)*state)->client;
    struct creel_queue_access *access;
    struct creel_queue_users *users;
    struct creel_refresh *refresh;
    struct creel_queues *queues;
    struct creel_apps *apps;
    struct creel_why *why;

    assert_int_equal(creel_app_why(client, "1", &why, NULL), 0);
    assert_string_equal(why->apps->items[0].id, APP);
    assert_int_equal(why->item_count, 2);
    assert_string_equal(why->items[0].code, "QueueLimit");
    assert_int_equal(why->items[0].allowed.memory_mb, 65536);
    assert_string_equal(why->advice[1], "wait");
    assert_null(why->advice[2]);
    creel_why_free(why);
    assert_int_equal(creel_app_why(client, "8", &why, NULL), -ENOENT);
    assert_int_equal(creel_queue_list(client, "default", &queues, NULL), 0);
    assert_string_equal(queues->items[0].next[0], APP);
    assert_int_equal(queues->items[0].max_apps, 100);
    creel_queues_free(queues);
    assert_int_equal(creel_queue_user_list(client, "default", &users, NULL), 0);
    assert_int_equal(users->count, 1);
    assert_string_equal(users->items[0].user, "ann");
    assert_int_equal(users->items[0].used.memory_mb, 2048);
    assert_int_equal(users->items[0].active_apps, 2);
    creel_queue_users_free(users);
    assert_int_equal(creel_queue_access_get(client, "default", NULL, &access, NULL), 0);
    assert_string_equal(access->groups[1], "ops");
    assert_false(access->may_administer);
    creel_queue_access_free(access);
    assert_int_equal(creel_app_move(client, "1", "stopped", &apps, NULL), -EBUSY);
    assert_int_equal(creel_app_set_priority(client, "1", 11, &apps, NULL), 0);
    assert_int_equal(apps->items[0].priority, 10);
    creel_apps_free(apps);
    assert_int_equal(creel_refresh_queues(client, &refresh, NULL), 0);
    assert_int_equal(refresh->queues, 5);
    assert_non_null(refresh->warnings[0]);
    creel_refresh_free(refresh);
}

static void another_user_is_named_in_each_call(void **state)
{
    struct fixture *fixture = *state;
    struct creel_options options = { .conf_dir = fixture->dir, .as_user = "bob" };
    struct creel_cluster *cluster;
    struct creel_client *client;

    assert_int_equal(creel_connect(&options, &client, NULL), 0);
    assert_int_equal(creel_cluster_info(client, &cluster, NULL), 0);
    assert_string_equal(cluster->user, "bob");
    creel_cluster_free(cluster);
    creel_disconnect(client);
}

/* --- configuration of queues ----------------------------------------------- */

static void queues_are_changed_and_checked(void **state)
{
    struct fixture *fixture = *state;
    const struct creel_conf_setting settings[] = { { "capacity", "50" } }, none[] = { { "capacity", NULL } };
    struct creel_conf_edit edit = { CREEL_CONF_ADD_QUEUE, "root.new", settings, 1 };
    struct creel_scheduler_conf *conf;
    struct creel_error error = { 0 };

    assert_int_equal(creel_scheduler_conf_change(fixture->client, &edit, 1, false, &conf, &error), 0);
    assert_int_equal(conf->version, 8);
    assert_string_equal(conf->entries[0].key, "2 root.new capacity");
    assert_string_equal(conf->entries[0].value, "50");
    assert_string_equal(conf->warnings[0], "nobody needs this");
    assert_null(conf->warnings[1]);
    creel_scheduler_conf_free(conf);

    edit = (struct creel_conf_edit){ CREEL_CONF_SET_QUEUE, "root.dev", none, 1 };
    assert_int_equal(creel_scheduler_conf_change(fixture->client, &edit, 1, true, &conf, &error), 0);
    assert_int_equal(conf->version, 7);
    assert_string_equal(conf->entries[0].key, "1 root.dev capacity");
    assert_string_equal(conf->entries[0].value, "removed");
    creel_scheduler_conf_free(conf);

    edit.queue = "root.bad";
    assert_int_equal(creel_scheduler_conf_change(fixture->client, &edit, 1, false, &conf, &error), -EBADMSG);
    edit.queue = "root.files";
    assert_int_equal(creel_scheduler_conf_change(fixture->client, &edit, 1, false, &conf, &error),
                     -EOPNOTSUPP);
    assert_string_equal(error.text, "queues are in files alone");
    assert_int_equal(creel_scheduler_conf_get(fixture->client, &conf, &error), 0);
    assert_int_equal(conf->count, 1);
    creel_scheduler_conf_free(conf);
    creel_scheduler_conf_free(NULL);
}

/* --- invalid requests ------------------------------------------------------ */

static void refusals_keep_their_meaning(void **state)
{
    struct fixture *fixture = *state;
    struct creel_error error = { 0 };
    struct creel_queues *queues = NULL;

    assert_int_equal(creel_app_kill(fixture->client, APP, "enough", &error), 0);
    assert_int_equal(creel_app_kill(fixture->client, "application_1790000000000_0002", NULL, &error), -EBUSY);
    assert_int_equal(creel_app_kill(fixture->client, "application_1790000000000_0003", NULL, &error), -EPERM);
    assert_string_equal(error.text, "application_1790000000000_0003: is bob's");
    assert_int_equal(creel_queue_list(fixture->client, "old", &queues, &error), -EPROTO);
    assert_non_null(strstr(error.text, "speaks protocol 1"));
    assert_int_equal(creel_queue_list(fixture->client, "odd", &queues, &error), -EPROTO);
    assert_non_null(strstr(error.text, "answered with Ok where QueueList was expected"));
    assert_null(queues);
}

static void silence_ends_with_the_timeout(void **state)
{
    struct fixture *fixture = *state;
    struct creel_error error = { 0 };
    struct creel_nodes *nodes = NULL;

    creel_set_timeout(fixture->client, 300);
    assert_int_equal(creel_node_list(fixture->client, "silent", &nodes, &error), -EHOSTUNREACH);
    assert_non_null(strstr(error.text, "did not answer within 0.3 s"));
    assert_null(nodes);
}

static void absent_server_is_reported(void **state)
{
    struct fixture *fixture = *state;
    struct creel_options options = {
        .conf_dir = fixture->dir,
        .rm_address = "127.0.0.1:1",
        .timeout_ms = 500,
    };
    struct creel_error error = { 0 };
    struct creel_cluster *cluster;
    struct creel_client *client;

    assert_int_equal(creel_connect(&options, &client, &error), 0);
    assert_int_equal(creel_cluster_info(client, &cluster, &error), -EHOSTUNREACH);
    assert_non_null(strstr(error.text, "127.0.0.1:1"));
    assert_non_null(strstr(error.text, "refused"));
    creel_disconnect(client);
}

static void second_address_is_tried(void **state)
{
    struct fixture *fixture = *state;
    struct creel_options options = { .conf_dir = fixture->dir, .timeout_ms = 8000 };
    struct creel_cluster *cluster;
    struct creel_client *client;
    char addresses[160];

    snprintf(addresses, sizeof(addresses), "127.0.0.1:1, %s", creel_rm_address(fixture->client));
    options.rm_address = addresses;
    assert_int_equal(creel_connect(&options, &client, NULL), 0);
    assert_int_equal(creel_cluster_info(client, &cluster, NULL), 0);
    creel_cluster_free(cluster);
    creel_disconnect(client);
}

static void connection_error_names_the_missing_file(void **state)
{
    struct fixture *fixture = *state;
    struct creel_options options = { .conf_dir = "/no/such/directory" };
    struct creel_client *client = NULL;
    struct creel_error error = { 0 };

    assert_int_equal(creel_connect(&options, &client, &error), -EBADMSG);
    options = (struct creel_options){ .conf_dir = fixture->dir, .user_key = "/no/such/key" };
    assert_int_equal(creel_connect(&options, &client, &error), -ENOKEY);
    assert_non_null(strstr(error.text, "your certificate"));
    options = (struct creel_options){ .conf_dir = fixture->dir, .key_dir = "/no/such/keys" };
    assert_int_equal(creel_connect(&options, &client, &error), -EBADMSG);
    assert_non_null(strstr(error.text, "the resource manager's certificate"));
    options = (struct creel_options){ .conf_dir = fixture->dir, .rm_address = " , " };
    assert_int_equal(creel_connect(&options, &client, &error), -EINVAL);
    assert_null(client);
}

/* --- submitting ------------------------------------------------------------ */

static void write_file(const struct fixture *fixture, const char *name, size_t size, char path[128])
{
    FILE *file;

    snprintf(path, 128, "%s/%s", fixture->dir, name);
    file = fopen(path, "w");
    assert_non_null(file);
    for (size_t i = 0; i < size; i++)
        fputc((int)('a' + i % 26), file);
    assert_int_equal(fclose(file), 0);
}

static void a_job_is_submitted_once_with_its_files(void **state)
{
    struct fixture *fixture = *state;
    char large[128], empty[128], id[CREEL_ID_MAX] = "", expected[CREEL_ID_MAX];
    struct creel_file files[] = { { .source = large }, { .source = empty, .name = "nothing" } };
    struct creel_job job = {
        .command = (const char *const[]){ "sh", "-c", "true", NULL },
        .environment = (const char *const[]){ "A=b", NULL },
        .files = files,
        .file_count = 2,
    };
    struct creel_error error = { 0 };

    write_file(fixture, "large", 700000, large);
    write_file(fixture, "empty", 0, empty);
    if (creel_submit(fixture->client, &job, id, &error) < 0)
        fail_msg("%s", error.text);
    /* All bytes arrived, two files were completed, and there was one submission although the first try
     * failed. */
    snprintf(expected, sizeof(expected), "application_700001_1002");
    assert_string_equal(id, expected);
}

static void jobs_that_cannot_be_are_refused_here(void **state)
{
    struct fixture *fixture = *state;
    struct creel_file gone = { .source = "/no/such/file" }, folder = { .source = fixture->dir };
    struct creel_file named = { .source = "/etc/passwd", .name = "a/b" };
    struct creel_file tmp = { .source = "/etc/passwd", .name = "tmp" };
    struct creel_file twice[] = { { .source = "/etc/passwd" }, { .source = "/etc/passwd" } };
    const char *const command[] = { "true", NULL }, *const nothing[] = { NULL };
    const char *const latin[] = { "caf\xe9", NULL };
    const char *const broken[] = { "=x", NULL };
    const struct {
        struct creel_job job;
        int code;
        const char *message;
    } table[] = {
        { { .command = NULL }, -EINVAL, "needs a command" },
        { { .command = nothing }, -EINVAL, "needs a command" },
        { { .command = command, .memory_mb = -1 }, -EINVAL, "negative" },
        { { .command = command, .kind = CREEL_JOB_TASKS }, -EINVAL, "at least one" },
        { { .command = command, .environment = broken }, -EINVAL, "NAME=VALUE" },
        { { .command = command, .files = &gone, .file_count = 1 }, -ENOENT, "/no/such/file" },
        { { .command = command, .files = &folder, .file_count = 1 }, -EINVAL, "is a directory" },
        { { .command = command, .files = &named, .file_count = 1 }, -EINVAL, "plain file name" },
        { { .command = command, .files = &tmp, .file_count = 1 }, -EINVAL, "the agent makes tmp" },
        { { .command = command, .files = twice, .file_count = 2 }, -EINVAL, "both would be named" },
        { { .command = latin }, -EOPNOTSUPP, "the resource manager is older" },
        { { .command = command, .queue = "nowhere" }, -ERANGE, "too large" },
    };

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct creel_error error = { 0 };
        char id[CREEL_ID_MAX] = "untouched";

        assert_int_equal(creel_submit(fixture->client, &table[i].job, id, &error), table[i].code);
        if (!strstr(error.text, table[i].message))
            fail_msg("\"%s\" does not say \"%s\"", error.text, table[i].message);
        assert_string_equal(id, "untouched");
    }
}

/* --- waiting --------------------------------------------------------------- */

static void waiting_ends_when_it_is_over(void **state)
{
    struct fixture *fixture = *state;
    struct creel_apps *apps;

    assert_int_equal(creel_app_wait(fixture->client, APP, CREEL_WAIT_RUNNING, -1, &apps, NULL), 0);
    assert_int_equal(apps->items[0].state, CREEL_APP_RUNNING);
    creel_apps_free(apps);
    assert_int_equal(creel_app_wait(fixture->client, APP, CREEL_WAIT_FINISHED, -1, &apps, NULL), 0);
    assert_int_equal(apps->items[0].final_status, CREEL_FINAL_SUCCEEDED);
    creel_apps_free(apps);
}

static void waiting_has_a_limit(void **state)
{
    struct fixture *fixture = *state;
    struct creel_error error = { 0 };
    struct creel_apps *apps = NULL;

    assert_int_equal(creel_app_wait(fixture->client, "application_1790000000000_0002", CREEL_WAIT_FINISHED,
                                    100, &apps, &error),
                     -ETIMEDOUT);
    assert_non_null(strstr(error.text, "not finished after 0.1 s"));
    assert_null(apps);
}

/* The fake resource manager answers at once, without a change, as if too many requests of the user waited. */
static void an_early_answer_is_followed_by_a_pause(void **state)
{
    enum { WAIT_MS = 150 };
    struct fixture *fixture = *state;
    int64_t begun_ms = loop_monotonic_ms();
    struct creel_apps *apps;

    assert_int_equal(
        creel_app_watch(fixture->client, "application_1790000000000_0003", 1, WAIT_MS, &apps, NULL), 0);
    assert_int_equal(apps->items[0].version, 1);
    creel_apps_free(apps);
    assert_true(loop_monotonic_ms() - begun_ms >= WAIT_MS);
}

/* --- logs ------------------------------------------------------------------ */

static void expect_log(struct creel_log *log, struct log_tail tail, const char *prefix, const char *expected)
{
    struct creel_error error = { 0 };
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (log_copy(log, &tail, prefix, out, &error) < 0)
        fail_msg("%s", error.text);
    fclose(out);
    assert_string_equal(text, expected);
    free(text);
}

static void logs_are_read_whole_or_from_near_the_end(void **state)
{
    struct fixture *fixture = *state;
    struct creel_containers *containers;
    struct creel_error error = { 0 };
    struct creel_log *log;

    assert_int_equal(creel_container_list(fixture->client, APP, NULL, NULL, false, &containers, NULL), 0);
    assert_int_equal(creel_log_open(fixture->client, &containers->items[0], "stdout", &log, &error), 0);
    expect_log(log, (struct log_tail){ -1, -1 }, "", "one\ntwo\nthree\n");
    expect_log(log, (struct log_tail){ -1, -1 }, "[c01] ", "[c01] one\n[c01] two\n[c01] three\n");
    expect_log(log, (struct log_tail){ -1, 4 }, "", "ree\n");
    expect_log(log, (struct log_tail){ -1, 1000 }, "", "one\ntwo\nthree\n");
    expect_log(log, (struct log_tail){ 0, -1 }, "", "");
    expect_log(log, (struct log_tail){ 1, -1 }, "", "three\n");
    expect_log(log, (struct log_tail){ 2, -1 }, "", "two\nthree\n");
    expect_log(log, (struct log_tail){ 9, -1 }, "", "one\ntwo\nthree\n");
    creel_log_close(log);
    creel_containers_free(containers);
}

static void expired_log_is_reported(void **state)
{
    struct fixture *fixture = *state;
    struct creel_containers *containers;
    struct creel_error error = { 0 };
    struct creel_log_piece piece;
    struct creel_log *log;

    assert_int_equal(creel_container_list(fixture->client, APP, NULL, NULL, false, &containers, NULL), 0);
    assert_int_equal(creel_log_open(fixture->client, &containers->items[0], "stderr", &log, &error), 0);
    assert_int_equal(creel_log_read(log, 0, false, 0, 0, &piece, &error), -ENOENT);
    assert_string_equal(error.text, "the log has expired");
    creel_log_close(log);
    containers->items[0].node_key = "";
    assert_int_equal(creel_log_open(fixture->client, &containers->items[0], "stderr", &log, &error),
                     -EHOSTUNREACH);
    creel_containers_free(containers);
}

#define WITH_FAKE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        WITH_FAKE(pages_become_one_list),
        WITH_FAKE(lists_for_administrators_come_in_pages),
        WITH_FAKE(one_application_by_a_suffix),
        WITH_FAKE(cluster_queries_return_replies),
        WITH_FAKE(reasons_queues_and_changes),
        WITH_FAKE(another_user_is_named_in_each_call),
        WITH_FAKE(queues_are_changed_and_checked),
        WITH_FAKE(refusals_keep_their_meaning),
        WITH_FAKE(silence_ends_with_the_timeout),
        WITH_FAKE(absent_server_is_reported),
        WITH_FAKE(second_address_is_tried),
        WITH_FAKE(connection_error_names_the_missing_file),
        WITH_FAKE(a_job_is_submitted_once_with_its_files),
        WITH_FAKE(jobs_that_cannot_be_are_refused_here),
        WITH_FAKE(waiting_ends_when_it_is_over),
        WITH_FAKE(waiting_has_a_limit),
        WITH_FAKE(an_early_answer_is_followed_by_a_pause),
        WITH_FAKE(logs_are_read_whole_or_from_near_the_end),
        WITH_FAKE(expired_log_is_reported),
    };

    return cmocka_run_group_tests_name("client_library", tests, NULL, NULL);
}
