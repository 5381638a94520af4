/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linux_keeper.c - test: the cgroup tree that another systemd unit (the keeper) holds for the agent
 *
 * The first tests run anywhere. The last two need root: a real cgroup of this machine acts as the keeper's
 * unit.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/linux/linux_fixture.h"
#include "common/base/mem.h"
#include "nm-agent/linux/cgroup/cgroup_detect.h"
#include "nm-agent/linux/cgroup/keeper.h"
#include "nm-agent/linux/shim/plan.h"
#include "nm-agent/linux/parts/record.h"

#define ID "container_1700000000000_0001_01_000001"
#define OTHER "container_1700000000000_0001_01_000002"

static char *temporary(void)
{
    char path[] = "/tmp/creel-test-keeper-XXXXXX";

    assert_non_null(mkdtemp(path));
    return mem_strdup(path);
}

static void put(const char *path, const char *text)
{
    FILE *stream = fopen(path, "we");

    assert_non_null(stream);
    fputs(text, stream);
    assert_int_equal(fclose(stream), 0);
}

static void test_file(void **state)
{
    char own[] = "/system.slice/creel-keeper.service", top[] = "", home[] = "/sys/fs/cgroup/k/shims";
    struct keeper written = { .own = { own, own, top, NULL }, .homes = { home } }, read;
    scoped_free char *directory = temporary(), *file = mem_printf("%s/tree", directory);
    struct err err = { .code = 0 };

    (void)state;
    assert_int_equal(keeper_read(file, &read, &err), -ENOENT);
    assert_non_null(strstr(err.text, "systemctl start creel-keeper"));
    assert_int_equal(keeper_write(&written, file, &err), 0);
    assert_int_equal(keeper_read(file, &read, &err), 0);
    assert_string_equal(read.own[LEAF_MEMORY], own);
    assert_string_equal(read.own[LEAF_CPU], own);
    assert_string_equal(read.own[LEAF_PIDS], "");
    assert_null(read.own[LEAF_CPUACCT]);
    assert_string_equal(read.homes[0], home);
    assert_null(read.homes[1]);
    keeper_clear(&read);
    unlink(file);
    rmdir(directory);
}

static void test_other_files(void **state)
{
    static const char *const texts[] = {
        "",
        "memory /a/\n",
        "shims\n",
        "shims home\n",
        "shims /h\nmemory /a\n",
        "shims /h\nmemory a/\n",
        "shims /h\nmemory /a/\nmemory /a/\n",
        "shims /h\nnonsense /a/\n",
        "shims /../h\n",
        "shims /h\nshims /h\nshims /h\n",
        ("\x7f"
         "ELF"),
    };
    scoped_free char *directory = temporary(), *file = mem_printf("%s/tree", directory);

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct err err = { .code = 0 };
        struct keeper keeper;

        put(file, texts[i]);
        if (keeper_read(file, &keeper, &err) != -EPROTO)
            fail_msg("taken: %s", texts[i]);
        assert_non_null(strstr(err.text, file));
        assert_null(keeper.file);
    }
    unlink(file);
    rmdir(directory);
}

static void test_own(void **state)
{
    static const char mounts[] =
        "31 25 0:27 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
        "32 25 0:28 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,xattr,name=systemd\n"
        "33 25 0:29 /outer /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n";
    static const char self[] = "5:memory:/outer/system.slice/k.service\n"
                               "1:name=systemd:/system.slice/k.service\n0::/system.slice/k.service\n";
    char mount[PATH_MAX], own[PATH_MAX];

    (void)state;
    assert_true(detect_own(mounts, self, NULL, mount, own));
    assert_string_equal(mount, "/sys/fs/cgroup/unified");
    assert_string_equal(own, "/system.slice/k.service");
    assert_true(detect_own(mounts, self, "name=systemd", mount, own));
    assert_string_equal(mount, "/sys/fs/cgroup/systemd");
    assert_string_equal(own, "/system.slice/k.service");
    assert_true(detect_own(mounts, self, "memory", mount, own));
    assert_string_equal(own, "/system.slice/k.service");
    assert_false(detect_own(mounts, self, "pids", mount, own));
    assert_true(detect_own(mounts, "0::/../..\n", NULL, mount, own));
    assert_string_equal(own, "");
}

static void test_plan_names_the_keeper(void **state)
{
    char word[] = "true";
    const char *argv[] = { word, NULL }, *environment[] = { NULL };
    struct plan plan = {
        .launch.argv = argv,
        .launch.environment = environment,
        .launch.directory = "/d",
        .out_path = "/o",
        .err_path = "/e",
        .leaf = { .directory = { "/m", "/c", "/p", NULL }, .version = { 2, 2, 2, 0 } },
        .keeper_file = "/run/k",
    };
    struct plan found;
    char path[] = "/tmp/creel-test-plan-XXXXXX";
    int fd = mkstemp(path);

    (void)state;
    assert_true(fd >= 0);
    unlink(path);
    assert_int_equal(plan_write(fd, &plan), 0);
    assert_int_equal(plan_read(fd, &found), 0);
    assert_string_equal(found.keeper_file, "/run/k");
    plan_clear(&found);
    close(fd);
}

/* --- on this machine -------------------------------------------------------- */

/* Makes the unit's group in every hierarchy, below the fixture's root, and the file that announces the
 * unit. */
static void make_unit(const struct fixture *fixture, const char *file)
{
    static struct detect detect;
    struct keeper keeper = { .file = NULL };

    assert_int_equal(detect_here(&detect, NULL), 0);
    for (int i = 0; i < LEAF_CONTROLLERS; i++) {
        const struct detect_controller *at = &detect.controller[i];
        scoped_free char *root = mem_printf("%s%s%s", at->mount, at->own, fixture->root);
        scoped_free char *unit = mem_printf("%s/unit", root);
        scoped_free char *wish = mem_printf("+%s", leaf_controller_name((enum leaf_controller)i));

        if (at->version == 0)
            continue;
        mkdir(root, 0755);
        mkdir(unit, 0755);
        if (at->version == 2) {
            leaf_write(root, "cgroup.subtree_control", wish);
            leaf_write(unit, "cgroup.subtree_control", wish);
        }
        keeper.own[i] = mem_printf("%s%s/unit", at->own, fixture->root);
        if (i == LEAF_MEMORY) {
            keeper.homes[0] = mem_printf("%s/shims", unit);
            mkdir(keeper.homes[0], 0755);
        }
    }
    assert_int_equal(keeper_write(&keeper, file, NULL), 0);
    keeper_clear(&keeper);
}

static char *cgroup_of_shim(const struct fixture *fixture, const char *id)
{
    scoped_free char *note = mem_printf("%s/containers/%s/started", fixture->state, id), *text = NULL;
    scoped_free char *path = NULL;
    char *cgroup = NULL;
    long pid = 0;

    assert_int_equal(record_read(AT_FDCWD, note, &text, NULL, NULL), 0);
    assert_int_equal(sscanf(text, "%ld", &pid), 1);
    path = mem_printf("/proc/%ld/cgroup", pid);
    assert_int_equal(record_read(AT_FDCWD, path, &cgroup, NULL, NULL), 0);
    return cgroup;
}

static bool shim_is_home(struct fixture *fixture)
{
    scoped_free char *cgroup = cgroup_of_shim(fixture, ID);

    return strstr(cgroup, "/unit/shims") != NULL;
}

static bool has_printed(struct fixture *fixture)
{
    scoped_free char *log = fixture_log(fixture, ID, "stdout");

    return strstr(log, "/unit") != NULL && strstr(log, "/" ID) != NULL;
}

/* The CPU limit of all containers: its file, and its group. */
static const char *find_limit(const struct fixture *fixture, char **group)
{
    const char *file = "cpu.cfs_quota_us";

    *group = fixture_group(fixture, ID, true, file);
    if (*group == NULL)
        *group = fixture_group(fixture, ID, true, file = "cpu.max");
    return file;
}

/* A new keeper takes over groups that remained: its predecessor has disabled the controllers. Returns false
 * if this kernel does not limit CPUs. */
static bool check_new_keeper(struct fixture *fixture)
{
    scoped_free char *file = mem_printf("%s/tree", fixture->base), *group = NULL;
    struct launch first = fixture_plan(ID, SHELL("true")), second = fixture_plan(OTHER, SHELL("true"));
    scoped_free char *before = NULL, *path = NULL, *after = NULL;
    const char *name;

    make_unit(fixture, file);
    fixture->config.keeper_file = file;
    fixture->config.cpu_percent = 50;
    fixture_restart(fixture);
    assert_int_equal(fixture_run(fixture, &first).end.exit_status, 0);
    name = find_limit(fixture, &group);
    if (group == NULL)
        return false;
    path = mem_printf("%s/%s", group, name);
    assert_int_equal(record_read(AT_FDCWD, path, &before, NULL, NULL), 0);

    assert_int_equal(unlink(file), 0);
    assert_int_equal(leaf_write(group, name, strcmp(name, "cpu.max") == 0 ? "max" : "-1"), 0);
    make_unit(fixture, file);
    assert_int_equal(fixture_run(fixture, &second).end.exit_status, 0);
    assert_int_equal(record_read(AT_FDCWD, path, &after, NULL, NULL), 0);
    assert_string_equal(after, before);
    return true;
}

static void test_a_new_keeper_has_the_limits(void **state)
{
    if (!check_new_keeper(*state))
        skip();
}

static void test_below_the_unit(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *file = mem_printf("%s/tree", fixture->base);
    struct launch plan = fixture_plan(ID, SHELL("cat /proc/self/cgroup; sleep 100"));
    struct launch other = fixture_plan(OTHER, SHELL("true"));
    struct runtime_event event;
    struct err err = { .code = 0 };
    char report[512];

    make_unit(fixture, file);
    fixture->config.keeper_file = file;
    fixture_restart(fixture);
    fixture_launch(fixture, &plan);
    fixture_wait(fixture, ID, RUNTIME_RUNNING);
    fixture_until(fixture, shim_is_home);
    assert_true(runtime_healthy(fixture->runtime, report, sizeof(report)));
    fixture_until(fixture, has_printed);

    /* The unit was stopped: this explains the container's end, and the agent launches nothing until the
     * unit is started again. */
    assert_int_equal(unlink(file), 0);
    assert_int_equal(runtime_signal(fixture->runtime, ID, RUNTIME_SIGNAL_GROUP, SIGTERM, NULL), 0);
    event = fixture_wait(fixture, ID, RUNTIME_EXITED);
    assert_int_equal(event.end.exit_status, -100);
    assert_non_null(strstr(event.end.diagnostics, "creel-keeper.service was stopped"));
    runtime_cleanup(fixture->runtime, ID);
    assert_false(runtime_healthy(fixture->runtime, report, sizeof(report)));
    assert_non_null(strstr(report, "systemctl start creel-keeper"));
    assert_int_equal(runtime_launch(fixture->runtime, &other, &err), -EIO);
    assert_non_null(strstr(err.text, "systemctl start creel-keeper"));
    make_unit(fixture, file);
    assert_true(runtime_healthy(fixture->runtime, report, sizeof(report)));
    assert_int_equal(fixture_run(fixture, &other).end.exit_status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_other_files),
        cmocka_unit_test(test_own),
        cmocka_unit_test(test_plan_names_the_keeper),
        cmocka_unit_test_setup_teardown(test_below_the_unit, fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(test_a_new_keeper_has_the_limits, fixture_open, fixture_close),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
