/* SPDX-License-Identifier: Apache-2.0 */
/* agent_daemon.c - test: the real creel-nm on real cgroups, with a fake RM and fake AMs */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/mem.h"
#include "tests/unit/agent/agent_cluster.h"

#define APP "application_1700000000000_0001"
#define CONTAINER(n) "container_1700000000000_0001_01_00000" #n

/* Returns a script that waits for the file BASE/go, then exits with 7. */
static char *waiting_script(const struct cluster *cluster)
{
    return mem_printf("echo started; while [ ! -e %s/go ]; do sleep 0.02; done; exit 7", cluster->base);
}

static void let_go(const struct cluster *cluster)
{
    scoped_free char *path = mem_printf("%s/go", cluster->base);
    FILE *file = fopen(path, "we");

    assert_non_null(file);
    fclose(file);
}

/* The RM's order to start SCRIPT as the first container, with a token and a job. Valid until
 * cluster_close. */
struct order {
    Creel__StartOrder start, *starts[1];
    Creel__LaunchContext launch;
    Creel__JobSpec job;
    Creel__LaunchContext job_launch;
    char *command[3];
};

static void order_start(struct cluster *cluster, struct order *order, char *script)
{
    static char shell[] = "/bin/sh", option[] = "-c", name[] = "the job", directory[] = "/tmp";
    static uint8_t token[] = "the token";

    creel__start_order__init(&order->start);
    creel__launch_context__init(&order->launch);
    creel__launch_context__init(&order->job_launch);
    creel__job_spec__init(&order->job);
    order->command[0] = shell;
    order->command[1] = option;
    order->command[2] = script;
    order->launch.command = order->job_launch.command = order->command;
    order->launch.n_command = order->job_launch.n_command = 3;
    order->launch.directory = directory;
    order->job.name = name;
    order->job.launch = &order->job_launch;
    order->start.grant = cluster_grant(cluster, CONTAINER(1));
    order->start.grant->master = true;
    order->start.launch = &order->launch;
    order->start.am_token = (ProtobufCBinaryData){ sizeof(token) - 1, token };
    order->start.job = &order->job;
    order->starts[0] = &order->start;
    cluster->orders.start = order->starts;
    cluster->orders.n_start = 1;
}

/* --- tests ------------------------------------------------------------------------ */

static void a_first_container_outlives_its_agent(void **state)
{
    struct cluster *cluster = *state;
    scoped_free char *wait = waiting_script(cluster);
    scoped_free char *script = mem_printf("cat $CREEL_TOKEN_FILE; "
                                          "grep -aq 'the job' $CREEL_JOB_FILE && echo; "
                                          "pwd; echo $CREEL_RM_AM; "
                                          "stat -c %%a $CREEL_TOKEN_FILE; %s",
                                          wait);
    static const char expected[] = "the token\n/tmp\n127.0.0.1:8030\n400\nstarted\n";
    char app[] = APP, *apps[] = { app };
    Creel__Envelope *reply;
    struct order order;
    int status;

    cluster_start_agent(cluster);
    assert_int_equal(cluster->node->total->memory_mb, 1000);
    order_start(cluster, &order, script);
    cluster_until(cluster, "it runs", cluster_is_running, CONTAINER(1));
    reply = cluster_read_log(cluster, CONTAINER(1), 0, 10000);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_LOG_CHUNK);
    assert_memory_equal(reply->log_chunk->data.data, "the token", 9);
    wire_free(reply);

    status = cluster_end_agent(cluster, SIGKILL);
    assert_true(WIFSIGNALED(status));
    let_go(cluster);
    cluster_start_agent(cluster);
    cluster_until(cluster, "its end is reported", cluster_is_complete, CONTAINER(1));
    assert_int_equal(cluster_seen(cluster, CONTAINER(1))->exit_status, 7);
    reply = cluster_read_log(cluster, CONTAINER(1), 0, 0);
    assert_int_equal(reply->log_chunk->data.len, sizeof(expected) - 1);
    assert_memory_equal(reply->log_chunk->data.data, expected, sizeof(expected) - 1);
    assert_true(reply->log_chunk->finished);
    wire_free(reply);

    cluster->orders.n_start = 0;
    cluster->orders.finished_apps = apps;
    cluster->orders.n_finished_apps = 1;
    cluster_until(cluster, "the application is cleaned up", cluster_is_cleaned, APP);
    cluster_until(cluster, "nothing of it is left", cluster_is_gone, "state/containers/" CONTAINER(1));
    assert_true(cluster_is_gone(cluster, "state/local/usercache/root/appcache/" APP));
    assert_int_equal(cluster_end_agent(cluster, SIGTERM), 0);
}

static void containers_that_ended_without_an_agent_are_reported(void **state)
{
    struct cluster *cluster = *state;
    scoped_free char *script = waiting_script(cluster);

    cluster_start_agent(cluster);
    assert_int_equal(cluster_ask_start(cluster, CONTAINER(2), script, NULL).code, 0);
    cluster_until(cluster, "it runs", cluster_is_running, CONTAINER(2));
    assert_int_equal(cluster_end_agent(cluster, SIGTERM), 0);
    let_go(cluster);
    cluster_until(cluster, "it ends", cluster_is_there, "state/containers/" CONTAINER(2) "/exit");
    cluster_start_agent(cluster);
    cluster_until(cluster, "its end is reported", cluster_is_complete, CONTAINER(2));
    assert_int_equal(cluster_seen(cluster, CONTAINER(2))->exit_status, 7);
}

static void an_am_starts_reads_and_stops(void **state)
{
    struct cluster *cluster = *state;
    scoped_free char *script = waiting_script(cluster);
    Creel__Envelope request = CREEL__ENVELOPE__INIT, *reply;
    Creel__StopContainers stop = CREEL__STOP_CONTAINERS__INIT;
    ProtobufCBinaryData token;

    cluster_start_agent(cluster);
    assert_int_equal(cluster_ask_start(cluster, CONTAINER(2), script, NULL).code, 0);
    assert_int_equal(cluster_ask_start(cluster, CONTAINER(2), script, NULL).code, 0);
    cluster_until(cluster, "it runs", cluster_is_running, CONTAINER(2));
    reply = cluster_read_log(cluster, CONTAINER(2), 0, 10000);
    assert_int_equal(reply->log_chunk->data.len, 8);
    assert_false(reply->log_chunk->finished);
    wire_free(reply);
    reply = cluster_read_log(cluster, CONTAINER(2), 8, 100); /* no new output within the wait */
    assert_int_equal(reply->log_chunk->data.len, 0);
    assert_int_equal(reply->log_chunk->offset, 8);
    wire_free(reply);
    token = cluster_sign(cluster, CREEL__TOKEN_KIND__TOKEN_CONTAINER,
                         &cluster_grant(cluster, CONTAINER(2))->base);
    stop.tokens = &token;
    stop.n_tokens = 1;
    request.body_case = CREEL__ENVELOPE__BODY_STOP_CONTAINERS;
    request.stop_containers = &stop;
    reply = cluster_ask(cluster, &request);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_OK);
    wire_free(reply);
    free(token.data);
    cluster_until(cluster, "it ends", cluster_is_complete, CONTAINER(2));
    assert_int_equal(cluster_seen(cluster, CONTAINER(2))->exit_status, -105);
    reply = cluster_read_log(cluster, CONTAINER(2), 8, 10000);
    assert_true(reply->log_chunk->finished);
    wire_free(reply);
}

/* The container ignores SIGTERM. The agent must kill it in time, although no other event wakes the agent. */
static void a_stubborn_container_is_killed(void **state)
{
    struct cluster *cluster = *state;
    Creel__StopOrder stop = CREEL__STOP_ORDER__INIT, *stops[] = { &stop };
    char id[] = CONTAINER(2), reason[] = "the test demands it";

    cluster_start_agent(cluster);
    assert_int_equal(
        cluster_ask_start(cluster, CONTAINER(2), "trap '' TERM; while :; do sleep 1; done", NULL).code, 0);
    cluster_until(cluster, "it runs", cluster_is_running, CONTAINER(2));
    stop.container_id = id;
    stop.exit_status = -106;
    stop.reason = reason;
    cluster->orders.stop = stops;
    cluster->orders.n_stop = 1;
    cluster_until(cluster, "it ends", cluster_is_complete, CONTAINER(2));
    assert_int_equal(cluster_seen(cluster, CONTAINER(2))->exit_status, -106);
    assert_non_null(strstr(cluster_seen(cluster, CONTAINER(2))->diagnostics, "the test demands it"));
    cluster->orders.n_stop = 0;
}

static void unsigned_requests_are_refused(void **state)
{
    struct cluster *cluster = *state;
    struct token_ring good = { 0 };
    Creel__Envelope request = CREEL__ENVELOPE__INIT, *reply;
    Creel__AmWakeup wakeup = CREEL__AM_WAKEUP__INIT;
    struct err err;

    cluster_start_agent(cluster);
    good = cluster->ring;
    cluster->ring.keys[0].bytes[5] ^= 1;
    err = cluster_ask_start(cluster, CONTAINER(2), "true", NULL);
    assert_int_equal(err.code, CREEL__ERROR_CODE__ERROR_NOT_PERMITTED);
    cluster->ring = good;
    token_ring_roll(&cluster->ring); /* the agent does not have the new key yet */
    err = cluster_ask_start(cluster, CONTAINER(2), "true", NULL);
    assert_int_equal(err.code, CREEL__ERROR_CODE__ERROR_UNAVAILABLE);
    reply = cluster_read_log(cluster, CONTAINER(2), 0, 0);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_ERROR);
    wire_free(reply);
    cluster->ring = good;
    reply = cluster_read_log(cluster, "container_1700000000000_0002_01_000001", 0, 0);
    assert_int_equal(reply->error->code, CREEL__ERROR_CODE__ERROR_NOT_PERMITTED);
    wire_free(reply);
    reply = cluster_read_log(cluster, CONTAINER(9), 0, 10000);
    assert_int_equal(reply->error->code, CREEL__ERROR_CODE__ERROR_NOT_FOUND);
    wire_free(reply);
    request.body_case = CREEL__ENVELOPE__BODY_AM_WAKEUP;
    request.am_wakeup = &wakeup;
    reply = cluster_ask(cluster, &request);
    assert_int_equal(reply->error->code, CREEL__ERROR_CODE__ERROR_BAD_REQUEST);
    wire_free(reply);
    assert_int_equal(cluster->seen_count, 0);
}

static void files_are_fetched_once(void **state)
{
    struct cluster *cluster = *state;
    size_t size = (size_t)2 << 20 | 77;
    scoped_free uint8_t *blob = mem_alloc(size);
    uint8_t hash[32], other[32];
    int requests;

    memset(blob, 'x', size);
    crypto_generichash(hash, sizeof(hash), blob, size, NULL, 0);
    memset(other, 5, sizeof(other));
    cluster->blob = blob;
    cluster->blob_size = size;
    cluster_start_agent(cluster);
    assert_int_equal(
        cluster_ask_start(cluster, CONTAINER(2), "exit $(stat -Lc %s data | tail -c 3)", hash).code, 0);
    assert_int_equal(cluster_ask_start(cluster, CONTAINER(3), "cmp -n 9 data /dev/zero; exit $?", hash).code,
                     0);
    cluster_until(cluster, "the first ends", cluster_is_complete, CONTAINER(2));
    cluster_until(cluster, "the second ends", cluster_is_complete, CONTAINER(3));
    assert_int_equal(cluster_seen(cluster, CONTAINER(2))->exit_status, 29); /* 2097229 mod 256 */
    assert_int_equal(cluster_seen(cluster, CONTAINER(3))->exit_status, 1);
    assert_int_equal(cluster->blob_requests, 3);
    requests = cluster->blob_requests;
    assert_int_equal(cluster_ask_start(cluster, CONTAINER(4), "exit 3", other).code, 0);
    cluster_until(cluster, "a damaged file fails it", cluster_is_complete, CONTAINER(4));
    assert_int_equal(cluster_seen(cluster, CONTAINER(4))->exit_status, -1);
    assert_true(cluster->blob_requests > requests);
    cluster->blob = NULL;
    assert_int_equal(cluster_ask_start(cluster, CONTAINER(5), "exit 3", other).code, 0);
    cluster_until(cluster, "a missing file fails it", cluster_is_complete, CONTAINER(5));
    assert_non_null(strstr(cluster_seen(cluster, CONTAINER(5))->diagnostics, "there is no such file"));
}

/* Returns whether there were more registrations than ARGUMENT has bytes. */
static bool has_come_back(struct cluster *cluster, const char *argument)
{
    return cluster->registrations > (int)strlen(argument) && cluster->seq > 1;
}

static void an_rm_that_was_started_again_finds_its_node(void **state)
{
    struct cluster *cluster = *state;
    scoped_free char *script = waiting_script(cluster);

    cluster_start_agent(cluster);
    assert_int_equal(cluster_ask_start(cluster, CONTAINER(2), script, NULL).code, 0);
    cluster_until(cluster, "it runs", cluster_is_running, CONTAINER(2));
    cluster->session += 100; /* the RM has restarted and knows no session */
    cluster_until(cluster, "the node is back", has_come_back, "1");
    cluster->session += 100;
    cluster_until(cluster, "the node is back again", has_come_back, "12");
    assert_int_equal(cluster->node->n_containers, 1);
    assert_string_equal(cluster->node->containers[0]->grant->user, "root");
    let_go(cluster);
    cluster_until(cluster, "it ends", cluster_is_complete, CONTAINER(2));
}

static void missing_command_is_reported(void **state)
{
    static char missing[] = "/no/such/program";
    struct cluster *cluster = *state;
    struct order order;

    cluster_start_agent(cluster);
    order_start(cluster, &order, missing);
    order.command[0] = missing;
    cluster_until(cluster, "it ends", cluster_is_complete, CONTAINER(1));
    assert_int_not_equal(cluster_seen(cluster, CONTAINER(1))->exit_status, 0);
    assert_non_null(strstr(cluster_seen(cluster, CONTAINER(1))->diagnostics, "/no/such/program"));
    cluster->orders.n_start = 0;
}

static void refused_agent_logs_the_reason_and_exits(void **state)
{
    struct cluster *cluster = *state;
    int status = 0;

    cluster_start_agent(cluster);
    cluster->refuse = true;
    cluster->session += 100;
    cluster_until(cluster, "it reports why", cluster_logged, "refuses this node: it is too small");
    assert_int_equal(waitpid(cluster->agent, &status, 0), cluster->agent);
    cluster->agent = 0;
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 4); /* an exit status after which systemd does not restart the
                                                 agent */
}

static void hang_up_reads_the_log_level(void **state)
{
    struct cluster *cluster = *state;

    cluster_start_agent(cluster);
    cluster_configure(cluster, "<property><name>creel.log.level</name><value>debug</value>"
                               "</property>\n");
    assert_int_equal(kill(cluster->agent, SIGHUP), 0);
    cluster_until(cluster, "it reports so", cluster_logged, "SIGHUP: log level is debug");
    cluster_configure(cluster, "<property><name>creel.no.such.key</name><value>1</value>"
                               "</property>\n");
    assert_int_equal(kill(cluster->agent, SIGHUP), 0);
    cluster_until(cluster, "it goes on", cluster_logged, "the log level stays");
}

static bool has_gone_quiet(struct cluster *cluster, const char *argument)
{
    (void)argument;
    cluster->deaf = !cluster_logged(cluster, "is silent; registering again");
    return !cluster->deaf;
}

static void request_to_a_silent_rm_is_repeated(void **state)
{
    struct cluster *cluster = *state;

    cluster_start_agent(cluster);
    cluster->deaf = true;
    cluster_until(cluster, "it notices", has_gone_quiet, NULL);
    cluster_until(cluster, "it is back", has_come_back, "1");
}

/* --- who may connect ---------------------------------------------------------- */

/* The agent refuses the request, which has no token; but the agent answers. */
static void expect_answer(struct cluster *cluster, struct channel_client *client)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT, *reply;
    Creel__StopContainers body = CREEL__STOP_CONTAINERS__INIT;
    uint8_t bytes[] = "none";
    ProtobufCBinaryData token = { sizeof(bytes), bytes };

    body.n_tokens = 1;
    body.tokens = &token;
    request.body_case = CREEL__ENVELOPE__BODY_STOP_CONTAINERS;
    request.stop_containers = &body;
    reply = cluster_ask_over(cluster, client, &request);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_ERROR);
    wire_free(reply);
}

static bool is_refused(struct cluster *cluster, const char *argument)
{
    (void)argument;
    return channel_client_state(cluster->client, NULL) == -EACCES;
}

static bool is_cut(struct cluster *cluster, const char *argument)
{
    (void)argument;
    return channel_client_losses(cluster->client) > 0;
}

static struct channel_client *connect_new(struct cluster *cluster, struct key *own)
{
    key_generate(own);
    cluster->client = cluster_connect(cluster, own);
    return cluster->client;
}

static void key_unknown_to_the_rm_is_refused(void **state)
{
    struct cluster *cluster = *state;
    struct channel_client *client;
    struct key own;

    cluster->no_keys = true;
    cluster_start_agent(cluster);
    client = connect_new(cluster, &own);
    cluster_until(cluster, "the stranger is refused", is_refused, NULL);
    cluster_until(cluster, "the log has it", cluster_logged, "is unknown to the resource manager");
    channel_client_free(client);
}

static void the_connection_of_a_withdrawn_key_is_closed(void **state)
{
    struct cluster *cluster = *state;
    struct channel_client *client;
    struct key own;

    cluster_start_agent(cluster);
    client = connect_new(cluster, &own);
    expect_answer(cluster, client);
    cluster->no_keys = true;
    cluster_until(cluster, "its connection is closed", is_cut, NULL);
    cluster_until(cluster, "it is refused from then on", is_refused, NULL);
    channel_client_free(client);
}

/* The replies to the agent's requests have the key, so only the notice can be the reason. */
static void a_notice_of_withdrawal_closes_the_connection(void **state)
{
    struct cluster *cluster = *state;
    Creel__Envelope notice = CREEL__ENVELOPE__INIT;
    Creel__FindKeysReply body = CREEL__FIND_KEYS_REPLY__INIT;
    struct channel_client *client;
    char *texts[1];
    struct key own;

    cluster_start_agent(cluster);
    client = connect_new(cluster, &own);
    expect_answer(cluster, client);
    texts[0] = own.public_text;
    body.withdrawn_keys = texts;
    body.n_withdrawn_keys = 1;
    notice.body_case = CREEL__ENVELOPE__BODY_FIND_KEYS_REPLY;
    notice.find_keys_reply = &body;
    assert_true(channel_server_send(cluster->rm, cluster->connection, &notice));
    cluster_until(cluster, "its connection is closed", is_cut, NULL);
    channel_client_free(client);
}

static void only_known_keys_are_admitted_while_the_rm_is_silent(void **state)
{
    struct cluster *cluster = *state;
    struct channel_client *known, *again, *other;
    struct key own, new;

    cluster_start_agent(cluster);
    known = connect_new(cluster, &own);
    expect_answer(cluster, known);
    cluster->deaf = true;
    other = connect_new(cluster, &new);
    cluster_until(cluster, "a new key is refused", is_refused, NULL);
    assert_int_equal(channel_client_losses(known), 0);
    expect_answer(cluster, known);
    again = cluster_connect(cluster, &own);
    expect_answer(cluster, again);
    cluster->deaf = false;
    expect_answer(cluster, other);
    channel_client_free(known);
    channel_client_free(again);
    channel_client_free(other);
}

/* Sends what the RM sends when it allocates a container on the node to the attempt with the key KEY. */
static void announce(struct cluster *cluster, struct key *key)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__FindKeysReply body = CREEL__FIND_KEYS_REPLY__INIT;
    char *text = key->public_text;

    body.known_keys = &text;
    body.n_known_keys = 1;
    envelope.body_case = CREEL__ENVELOPE__BODY_FIND_KEYS_REPLY;
    envelope.find_keys_reply = &body;
    assert_true(channel_server_send(cluster->rm, cluster->connection, &envelope));
}

static void announced_key_is_admitted_while_the_rm_is_silent(void **state)
{
    struct cluster *cluster = *state;
    struct channel_client *announced, *other;
    struct key own, unknown;

    cluster_start_agent(cluster);
    key_generate(&own);
    announce(cluster, &own);
    cluster->deaf = true;
    other = connect_new(cluster, &unknown);
    cluster_until(cluster, "another key is refused", is_refused, NULL);
    announced = cluster_connect(cluster, &own);
    expect_answer(cluster, announced);
    channel_client_free(announced);
    channel_client_free(other);
}

static void rm_without_find_keys_admits_any_key(void **state)
{
    struct cluster *cluster = *state;
    struct channel_client *client;
    struct key own;

    cluster->old_rm = true;
    cluster_start_agent(cluster);
    client = connect_new(cluster, &own);
    expect_answer(cluster, client);
    cluster_until(cluster, "the log has it", cluster_logged, "any key is admitted until it is upgraded");
    channel_client_free(client);
}

static void start_up_errors_are_clear(void **state)
{
    struct cluster *cluster = *state;
    scoped_free char *keys = mem_printf("%s/keys", cluster->base);
    scoped_free char *moved = mem_printf("%s/keys-away", cluster->base);
    char output[4096];

    assert_int_equal(cluster_run_agent(cluster, (const char *[]){ "--help", NULL }, output), 0);
    assert_non_null(strstr(output, "Usage: creel-nm"));
    assert_int_equal(cluster_run_agent(cluster, (const char *[]){ "--version", NULL }, output), 0);
    assert_int_equal(cluster_run_agent(cluster, (const char *[]){ "--nonsense", NULL }, output), 2);
    assert_int_equal(cluster_run_agent(cluster, (const char *[]){ "word", NULL }, output), 2);
    assert_non_null(strstr(output, "word: takes no arguments"));

    cluster_configure(cluster, "<property><name>yarn.nodemanager.resource.cpu-vcores</name>"
                               "<value>many</value></property>\n");
    assert_int_equal(cluster_run_agent(cluster, NULL, output), 7);
    assert_non_null(strstr(output, "creel-site.xml:"));
    assert_non_null(strstr(output, "cpu-vcores"));
    assert_non_null(strstr(output, "many"));
    cluster_configure(cluster, "<property><name>creel.nodemanager.state-dir</name>"
                               "<value>state</value></property>\n");
    assert_int_equal(cluster_run_agent(cluster, NULL, output), 7);
    assert_non_null(strstr(output, "has to begin at /"));
    cluster_configure(cluster, "");

    assert_int_equal(rename(keys, moved), 0);
    assert_int_equal(cluster_run_agent(cluster, NULL, output), 7);
    assert_non_null(strstr(output, keys));
    assert_int_equal(rename(moved, keys), 0);

    cluster_start_agent(cluster);
    assert_int_equal(cluster_run_agent(cluster, NULL, output), 1);
    assert_non_null(strstr(output, "another agent (pid "));
}

static void a_taken_port_is_named(void **state)
{
    struct cluster *cluster = *state;
    char output[4096];

    cluster->port = channel_server_port(cluster->rm);
    cluster_configure(cluster, "");
    assert_int_equal(cluster_run_agent(cluster, NULL, output), 1);
    assert_non_null(strstr(output, "yarn.nodemanager.address"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, cluster_open, cluster_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_first_container_outlives_its_agent),
        TEST(containers_that_ended_without_an_agent_are_reported),
        TEST(an_am_starts_reads_and_stops),
        TEST(a_stubborn_container_is_killed),
        TEST(unsigned_requests_are_refused),
        TEST(files_are_fetched_once),
        TEST(an_rm_that_was_started_again_finds_its_node),
        TEST(missing_command_is_reported),
        TEST(refused_agent_logs_the_reason_and_exits),
        TEST(hang_up_reads_the_log_level),
        TEST(request_to_a_silent_rm_is_repeated),
        TEST(key_unknown_to_the_rm_is_refused),
        TEST(the_connection_of_a_withdrawn_key_is_closed),
        TEST(a_notice_of_withdrawal_closes_the_connection),
        TEST(only_known_keys_are_admitted_while_the_rm_is_silent),
        TEST(announced_key_is_admitted_while_the_rm_is_silent),
        TEST(rm_without_find_keys_admits_any_key),
        TEST(start_up_errors_are_clear),
        TEST(a_taken_port_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
