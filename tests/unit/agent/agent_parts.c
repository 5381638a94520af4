/* SPDX-License-Identifier: Apache-2.0 */
/* agent_parts.c - test: parts of the agent's daemon: resources offered, memory enforcement, state on disk */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "common/base/id.h"
#include "common/base/mem.h"
#include "nm-agent/core/agent.h"
#include "nm-agent/net/finished_apps.h"
#include "nm-agent/net/lock.h"
#include "nm-agent/net/log_waits.h"
#include "nm-agent/net/settings.h"

/* --- resources that a node offers -------------------------------------------------- */

static void node_offers_configured_or_detected_resources(void **state)
{
    static const struct {
        const char *detect, *memory_mb, *vcores, *reserved_mb;
        int64_t expected_mb, expected_vcores;
    } cases[] = {
        { "false", "-1", "-1", "-1", 8192, 8 }, /* YARN's defaults */
        { "true", "-1", "-1", "-1", 8000, 6 },  /* four fifths of the memory, every core */
        { "true", "-1", "-1", "2500", 7500, 6 }, { "true", "-1", "-1", "10000", 0, 6 },
        { "true", "3000", "5", "-1", 3000, 5 },  { "false", "3000", "-1", "-1", 3000, 8 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct conf *conf = conf_new_defaults();
        struct resource offer;

        conf_set(conf, conf_key_info(CONF_NM_DETECT)->name, cases[i].detect, NULL);
        conf_set(conf, conf_key_info(CONF_NM_MEMORY_MB)->name, cases[i].memory_mb, NULL);
        conf_set(conf, conf_key_info(CONF_NM_VCORES)->name, cases[i].vcores, NULL);
        conf_set(conf, conf_key_info(CONF_NM_RESERVED_MEMORY_MB)->name, cases[i].reserved_mb, NULL);
        offer = settings_offer(conf, 10000, 6);
        assert_int_equal(offer.value[RESOURCE_MEMORY_MB], cases[i].expected_mb);
        assert_int_equal(offer.value[RESOURCE_VCORES], cases[i].expected_vcores);
        conf_free(conf);
    }
}

static void set(struct conf *conf, enum conf_key key, const char *value)
{
    if (value != NULL)
        assert_int_equal(conf_set(conf, conf_key_info(key)->name, value, NULL), 0);
}

static void detected_vcores_are_a_part_of_the_cores(void **state)
{
    static const struct {
        const char *percent, *multiplier;
        int64_t cores, vcores;
    } cases[] = {
        { "100", "1.0", 6, 6 }, { "50", "1.0", 6, 3 }, { "50", "1.0", 7, 3 },
        { "100", "2.5", 3, 7 }, { "1", "1.0", 6, 1 },  { "100", "0", 6, 1 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct conf *conf = conf_new_defaults();

        set(conf, CONF_NM_DETECT, "true");
        set(conf, CONF_NM_CPU_PERCENT, cases[i].percent);
        set(conf, CONF_NM_CORES_MULTIPLIER, cases[i].multiplier);
        assert_int_equal(settings_offer(conf, 1000, cases[i].cores).value[RESOURCE_VCORES], cases[i].vcores);
        conf_free(conf);
    }
}

static void a_size_above_the_machine_is_warned_of(void **state)
{
    static const struct {
        int64_t memory_mb, vcores;
        double vcores_per_core;
        const char *text; /* part of the warning; NULL: none */
    } cases[] = {
        { 10000, 6, 1, NULL },
        { 10001, 6, 1, "lower yarn.nodemanager.resource.memory-mb" },
        { 10000, 7, 1, "lower yarn.nodemanager.resource.cpu-vcores" },
        { 10000, 12, 2, NULL },
        { 10000, 13, 2, "this machine has 10000 MiB and 6 processors" },
        { 1, 6, 0.5, NULL },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct resource offer = resource_of(cases[i].memory_mb, cases[i].vcores);
        char text[SETTINGS_WARNING_MAX] = "x";
        bool oversized = settings_is_oversized(&offer, 10000, 6, cases[i].vcores_per_core, text);

        assert_int_equal(oversized, cases[i].text != NULL);
        if (cases[i].text == NULL)
            assert_string_equal(text, "");
        else
            assert_non_null(strstr(text, cases[i].text));
    }
}

/* --- memory limits: by the kernel or by the monitor ------------------------------------ */

static void monitor_enforces_limits_that_the_kernel_does_not(void **state)
{
    static const struct {
        const char *enabled, *enforced, *pmem, *vmem; /* NULL: not set */
        bool kernel, physical, virtual;
    } cases[] = {
        { NULL, NULL, NULL, NULL, true, false, false },
        { NULL, "false", NULL, NULL, false, true, true },
        { "false", NULL, NULL, NULL, false, true, true },
        { NULL, "false", "false", NULL, false, false, true },
        { NULL, "false", NULL, "false", false, true, false },
        /* YARN's rule: if the configuration selects the kernel, the monitor checks nothing. */
        { "true", "true", "true", "true", true, false, false },
        { NULL, "true", NULL, "true", true, false, false },
        /* The configuration does not select the kernel, but switches on a check of the monitor. */
        { NULL, NULL, NULL, "true", true, false, true },
        { NULL, NULL, "true", NULL, true, true, false },
        { NULL, NULL, NULL, "false", true, false, false },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct conf *conf = conf_new_defaults();
        struct monitor_rules rules;
        struct err err;

        set(conf, CONF_NM_MEMORY_CGROUP, cases[i].enabled);
        set(conf, CONF_NM_MEMORY_ENFORCED, cases[i].enforced);
        set(conf, CONF_NM_PMEM_CHECK, cases[i].pmem);
        set(conf, CONF_NM_VMEM_CHECK, cases[i].vmem);
        assert_int_equal(settings_monitor(conf, &rules, &err), 0);
        assert_int_equal(settings_kernel_enforces(conf), cases[i].kernel);
        assert_int_equal(rules.physical, cases[i].physical);
        assert_int_equal(rules.virtual, cases[i].virtual);
        assert_true(rules.ratio > 2.09 && rules.ratio < 2.11);
        set(conf, CONF_NM_VMEM_RATIO, "0.99");
        assert_int_equal(settings_monitor(conf, &rules, &err), -EINVAL);
        assert_non_null(strstr(err.text, "yarn.nodemanager.vmem-pmem-ratio"));
        assert_non_null(strstr(err.text, "above 0.99"));
        conf_free(conf);
    }
}

static void advertised_address_is_reachable(void **state)
{
    struct conf *conf = conf_new_defaults();
    struct settings settings = { 0 };
    struct err err = { 0 };

    (void)state;
    assert_int_equal(settings_read(conf, &settings, &err), 0);
    assert_string_equal(settings.listen_address, "0.0.0.0:8041");
    assert_string_not_equal(settings.host, "0.0.0.0");
    assert_string_equal(settings.rm_agent_address, "127.0.0.1:8031");
    assert_string_equal(settings.rm_am_address, "127.0.0.1:8030");
    settings_done(&settings);
    settings = (struct settings){ 0 };
    conf_set(conf, "yarn.resourcemanager.hostname", "rm1", NULL);
    conf_set(conf, "yarn.nodemanager.address", "n7:0", NULL);
    assert_int_equal(settings_read(conf, &settings, &err), 0);
    assert_string_equal(settings.rm_client_address, "rm1:8032");
    assert_string_equal(settings.host, "n7");
    assert_int_equal(settings.port, 0);
    settings_done(&settings);
    settings = (struct settings){ 0 };
    conf_set(conf, "yarn.nodemanager.address", "n7:port", NULL);
    assert_int_equal(settings_read(conf, &settings, &err), -EINVAL);
    assert_non_null(strstr(err.text, "yarn.nodemanager.address"));
    settings_done(&settings);
    conf_free(conf);
}

/* --- state on disk ------------------------------------------------------------------- */

struct recalled {
    size_t count;
    char first[ID_TEXT_MAX], last[ID_TEXT_MAX];
};

static void recall(void *context, const char *app_id)
{
    struct recalled *recalled = context;

    if (recalled->count++ == 0)
        snprintf(recalled->first, sizeof(recalled->first), "%s", app_id);
    snprintf(recalled->last, sizeof(recalled->last), "%s", app_id);
}

static struct finished_apps *open_finished(const char *directory, struct recalled *recalled)
{
    struct finished_apps *finished = NULL;
    struct err err = { 0 };

    *recalled = (struct recalled){ 0 };
    assert_int_equal(finished_apps_open(directory, recall, recalled, &finished, &err), 0);
    return finished;
}

static void the_newest_applications_are_remembered(void **state)
{
    char directory[] = "/tmp/creel-finished.XXXXXX", path[100], id[ID_TEXT_MAX];
    struct recalled recalled;
    struct stat before, after;
    struct finished_apps *finished;
    FILE *file;

    (void)state;
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof(path), "%s/past-apps", directory);
    finished = open_finished(directory, &recalled);
    assert_int_equal(recalled.count, 0);
    for (int i = 1; i <= AGENT_FINISHED_APPS_MAX + 10; i++) {
        snprintf(id, sizeof(id), "application_1700000000000_%04d", i);
        finished_apps_add(finished, id);
    }
    assert_int_equal(stat(path, &before), 0);
    assert_int_equal(before.st_size, 0); /* the state directory may not answer now */
    finished_apps_write(finished);
    finished_apps_close(finished);
    file = fopen(path, "ae");
    assert_non_null(file);
    fputs("application_17", file); /* the machine crashed at this point of the write */
    fclose(file);
    assert_int_equal(stat(path, &before), 0);
    finished_apps_close(open_finished(directory, &recalled));
    assert_int_equal(recalled.count, AGENT_FINISHED_APPS_MAX);
    assert_string_equal(recalled.first, "application_1700000000000_0011");
    assert_string_equal(recalled.last, id);
    assert_int_equal(stat(path, &after), 0);
    assert_true(after.st_size < before.st_size);
    finished_apps_close(open_finished(directory, &recalled));
    assert_int_equal(recalled.count, AGENT_FINISHED_APPS_MAX);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(directory), 0);
}

static void locked_directory_error_names_the_process(void **state)
{
    char base[] = "/tmp/creel-lock.XXXXXX", directory[100], path[120], pid[40];
    struct err err = { 0 };
    int fd;

    (void)state;
    assert_non_null(mkdtemp(base));
    snprintf(directory, sizeof(directory), "%s/a/b", base);
    snprintf(path, sizeof(path), "%s/lock", directory);
    snprintf(pid, sizeof(pid), "pid %d", (int)getpid());
    fd = lock_acquire(directory, &err);
    assert_true(fd >= 0);
    assert_int_equal(lock_acquire(directory, &err), -EBUSY);
    assert_non_null(strstr(err.text, pid));
    close(fd);
    fd = lock_acquire(directory, &err);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(lock_acquire("relative", &err), -EINVAL);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(directory), 0);
    *strrchr(directory, '/') = '\0';
    assert_int_equal(rmdir(directory), 0);
    assert_int_equal(rmdir(base), 0);
}

static mode_t mode_of(const char *path)
{
    struct stat status;

    assert_int_equal(stat(path, &status), 0);
    return status.st_mode & 07777;
}

/* Also for a directory that an earlier version made world-readable: any user who can open the lock file
 * can hold the lock. */
static void the_state_directory_is_private(void **state)
{
    char directory[] = "/tmp/creel-private.XXXXXX", path[120];
    int fd;

    (void)state;
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof(path), "%s/lock", directory);
    assert_int_equal(chmod(directory, 0755), 0);
    fd = open(path, O_WRONLY | O_CREAT, 0644);
    assert_true(fd >= 0);
    close(fd);
    fd = lock_acquire(directory, NULL);
    assert_true(fd >= 0);
    assert_int_equal(mode_of(directory), 0711);
    assert_int_equal(mode_of(path), 0600);
    close(fd);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(directory), 0);
}

/* Also if the clock was set back, or did not advance. Without a stored number, the clock gives the number. */
static void each_start_has_a_larger_number(void **state)
{
    char directory[] = "/tmp/creel-starts.XXXXXX", path[120];

    (void)state;
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof(path), "%s/incarnation", directory);
    assert_int_equal(lock_next_incarnation(directory, 5000), 5000);
    assert_int_equal(lock_next_incarnation(directory, 5000), 5001);
    assert_int_equal(lock_next_incarnation(directory, 70), 5002);
    assert_int_equal(lock_next_incarnation(directory, 6000), 6000);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(lock_next_incarnation(directory, 6000), 6000);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(directory), 0);
    assert_int_equal(lock_next_incarnation(directory, 7000), 7000); /* cannot be stored; the agent
                                                                       starts nevertheless */
}

static enum log_look is_second(void *context, const struct log_wait *wait)
{
    ++*(int *)context;
    return wait->request_id == 2 ? LOG_LOOK_ANSWERED : LOG_LOOK_WAITS;
}

/* Answers two waits in each turn. */
static enum log_look answer_two(void *context, const struct log_wait *wait)
{
    (void)wait;
    return --*(int *)context < 0 ? LOG_LOOK_LATER : LOG_LOOK_ANSWERED;
}

static void waiting_readers_are_answered_in_turns(void **state)
{
    struct log_waits *waits = log_waits_new();
    struct log_wait wait = { .connection = 1 };
    int left = 2;

    (void)state;
    for (wait.request_id = 1; wait.request_id <= 3; wait.request_id++)
        assert_true(log_waits_add(waits, &wait, "ann"));
    assert_false(log_waits_check(waits, answer_two, &left));
    assert_int_equal(log_waits_count(waits), 1);
    left = 2;
    assert_true(log_waits_check(waits, answer_two, &left));
    assert_int_equal(log_waits_count(waits), 0);
    log_waits_free(waits);
}

static void number_of_waiting_readers_is_limited(void **state)
{
    struct log_waits *waits = log_waits_new();
    struct log_wait wait = { .connection = 1 };
    int looked = 0;

    (void)state;
    for (int i = 0; i < LOG_WAITS_MAX; i++) {
        char user[32];

        snprintf(user, sizeof(user), "user%d", i / LOG_WAITS_OF_USER_MAX);
        wait.request_id = (uint64_t)i;
        assert_true(log_waits_add(waits, &wait, user));
        if (i == LOG_WAITS_OF_USER_MAX - 1)
            assert_false(log_waits_add(waits, &wait, user)); /* others have room */
    }
    assert_false(log_waits_add(waits, &wait, "another"));
    assert_true(log_waits_check(waits, is_second, &looked));
    assert_int_equal(looked, LOG_WAITS_MAX);
    assert_int_equal(log_waits_count(waits), LOG_WAITS_MAX - 1);
    assert_true(log_waits_add(waits, &wait, "user0"));
    log_waits_free(waits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(node_offers_configured_or_detected_resources),
        cmocka_unit_test(detected_vcores_are_a_part_of_the_cores),
        cmocka_unit_test(a_size_above_the_machine_is_warned_of),
        cmocka_unit_test(monitor_enforces_limits_that_the_kernel_does_not),
        cmocka_unit_test(advertised_address_is_reachable),
        cmocka_unit_test(the_newest_applications_are_remembered),
        cmocka_unit_test(locked_directory_error_names_the_process),
        cmocka_unit_test(the_state_directory_is_private),
        cmocka_unit_test(each_start_has_a_larger_number),
        cmocka_unit_test(number_of_waiting_readers_is_limited),
        cmocka_unit_test(waiting_readers_are_answered_in_turns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
