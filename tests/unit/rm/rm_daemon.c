/* SPDX-License-Identifier: Apache-2.0 */
/* rm_daemon.c - test: the creel-rm process: start, refused start, stop */
#include "tests/unit/rm/rm_process.h"

/* --- start-up -------------------------------------------------------------- */

static void wrong_usage_is_status_two(void **state)
{
    REFUSES(*state, "--no-such-option", 2, "no-such-option", "--help");
    REFUSES(*state, "argument", 2, "argument", "--help");
}

static void help_and_version_are_given(void **state)
{
    REFUSES(*state, "--help", 0, "Usage: creel-rm", "--conf DIR", "Exit status");
    REFUSES(*state, "--version", 0, "creel-rm ");
}

#define CAPACITY \
    "<property><name>yarn.resourcemanager.scheduler.class</name>" \
    "<value>CapacityScheduler</value></property>"

/* Writes a configuration of queues a and b with these percentages. */
static void write_queues(const struct fixture *fixture, int a, int b)
{
    scoped_free char *text = mem_printf(
        "<configuration>\n"
        "<property><name>yarn.scheduler.capacity.root.queues</name><value>a,b</value></property>\n"
        "<property><name>yarn.scheduler.capacity.root.a.capacity</name><value>%d</value></property>\n"
        "<property><name>yarn.scheduler.capacity.root.b.capacity</name><value>%d</value></property>\n"
        "</configuration>\n",
        a, b);

    write_file(fixture->directory, "conf/capacity-scheduler.xml", text);
}

static void a_wrong_configuration_is_status_seven(void **state)
{
    struct fixture *fixture = *state;

    configure(fixture, "<property><name>yarn.scheduler.minimum-allocation-mb</name>"
                       "<value>plenty</value></property>");
    REFUSES(fixture, NULL, 7, "creel-site.xml:10", "yarn.scheduler.minimum-allocation-mb", "plenty");
    configure(fixture, "<property><name>yarn.resourcemanager.scheduler.class</name>"
                       "<value>org.example.LotteryScheduler</value></property>");
    REFUSES(fixture, NULL, 7, "creel-site.xml:10", "org.example.LotteryScheduler", "FifoScheduler");
    configure(fixture, CAPACITY);
    write_queues(fixture, 50, 49);
    REFUSES(fixture, NULL, 7, "capacity-scheduler.xml", "yarn.scheduler.capacity.root.queues", "99");
    configure(fixture, "<property>");
    REFUSES(fixture, NULL, 7, "creel-site.xml");
}

static void missing_keys_are_reported(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *file = mem_printf("%s/keys/rm_secret", fixture->directory);

    assert_int_equal(unlink(file), 0);
    REFUSES(fixture, NULL, 7, file, "creel admin state restore FILE", "creel keygen");
}

static void invalid_state_directory_is_reported(void **state)
{
    struct fixture *fixture = *state;

    configure(fixture, "<property><name>creel.resourcemanager.state-dir</name>"
                       "<value>/dev/null/creel</value></property>");
    REFUSES(fixture, NULL, 1, "/dev/null/creel", "creel.resourcemanager.state-dir");
}

static void state_directory_in_use_is_reported(void **state)
{
    struct fixture *fixture = *state;
    struct fixture *second = mem_new0(struct fixture);

    start(fixture);
    second->directory = fixture->directory;
    REFUSES(second, NULL, 1, "another resource manager", fixture->directory);
    free(second);
    kill_daemon(fixture, SIGTERM);
}

static void damaged_state_is_reported(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *noise = mem_alloc0(8192);

    memset(noise, 'n', 8191);
    write_file(fixture->directory, "state/state.db", noise);
    REFUSES(fixture, NULL, 9, "state.db", "creel admin state check");
}

static int listen_somewhere(struct sockaddr_in *address)
{
    socklen_t size = sizeof(*address);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    memset(address, 0, sizeof(*address));
    address->sin_family = AF_INET;
    address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)address, sizeof(*address)), 0);
    assert_int_equal(listen(fd, 1), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)address, &size), 0);
    return fd;
}

static void port_in_use_is_reported(void **state)
{
    struct fixture *fixture = *state;
    struct sockaddr_in address;
    scoped_fd int fd = listen_somewhere(&address);
    scoped_free char *text = mem_printf("127.0.0.1:%d", ntohs(address.sin_port));
    scoped_free char *property = mem_printf(
        "<property><name>yarn.resourcemanager.admin.address</name><value>%s</value></property>", text);

    assert_true(fd >= 0);
    configure(fixture, property);
    REFUSES(fixture, NULL, 1, "yarn.resourcemanager.admin.address", text);
}

static void stopping_is_orderly(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *file = mem_printf("%s/state/ports", fixture->directory);

    for (int i = 0; i < 2; i++) {
        start(fixture);
        for (int port = 0; port < PORTS; port++)
            assert_in_range(fixture->ports[port], 1, 65535);
        kill_daemon(fixture, i == 0 ? SIGTERM : SIGINT);
        assert_int_equal(access(file, F_OK), -1);
    }
}

static void a_hangup_reads_the_log_level_again(void **state)
{
    struct fixture *fixture = *state;

    start(fixture);
    configure(fixture, "<property><name>creel.log.level</name><value>debug</value></property>");
    assert_int_equal(kill(fixture->pid, SIGHUP), 0);
    expect_output(fixture, "log level debug");
    configure(fixture, "<property><name>creel.log.level</name><value>loud</value></property>");
    assert_int_equal(kill(fixture->pid, SIGHUP), 0);
    expect_output(fixture, "not read again");
    expect_output(fixture, "loud");
    kill_daemon(fixture, SIGTERM);
}

static void queues_are_refreshed_whole_or_not_at_all(void **state)
{
    struct fixture *fixture = *state;

    configure(fixture, CAPACITY);
    write_queues(fixture, 50, 50);
    start(fixture);
    write_queues(fixture, 30, 80);
    assert_int_equal(kill(fixture->pid, SIGHUP), 0);
    expect_output(fixture, "queues not refreshed for SIGHUP, all stays as it was");
    expect_output(fixture, "110");
    write_queues(fixture, 30, 70);
    assert_int_equal(kill(fixture->pid, SIGHUP), 0);
    expect_output(fixture, "queues refreshed for SIGHUP");
    /* A second reload, after the configuration of the first reload was freed. */
    write_queues(fixture, 40, 60);
    assert_int_equal(kill(fixture->pid, SIGHUP), 0);
    expect_output(fixture, "queues refreshed for SIGHUP");
    kill_daemon(fixture, SIGTERM);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(wrong_usage_is_status_two),
        TEST(help_and_version_are_given),
        TEST(a_wrong_configuration_is_status_seven),
        TEST(missing_keys_are_reported),
        TEST(invalid_state_directory_is_reported),
        TEST(state_directory_in_use_is_reported),
        TEST(damaged_state_is_reported),
        TEST(port_in_use_is_reported),
        TEST(stopping_is_orderly),
        TEST(a_hangup_reads_the_log_level_again),
        TEST(queues_are_refreshed_whole_or_not_at_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
