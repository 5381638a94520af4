/* SPDX-License-Identifier: Apache-2.0 */
/* linux_backends.c - test: each backend of cgroup_backend.h makes groups and sets values; needs root */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/mem.h"
#include "nm-agent/linux/cgroup/cgroup.h"
#include "nm-agent/linux/cgroup/cgroup_backend.h"

/* A group of the CPU controller, /creel-backends-PID/a below the test's own group. */
struct group {
    struct detect_controller *where;
    struct detect detect;
    char *relative, *directory, *parent;
};

static void group_open(struct group *group)
{
    struct err err;
    const char *own;

    assert_int_equal(detect_here(&group->detect, &err), 0);
    group->where = &group->detect.controller[LEAF_CPU];
    own = group->where->own[0] == '/' ? group->where->own + 1 : group->where->own;
    group->relative = mem_printf("%s%screel-backends-%d/a", own, *own ? "/" : "", (int)getpid());
    group->directory = mem_printf("%s/%s", group->where->mount, group->relative);
    group->parent = mem_strndup(group->directory, strlen(group->directory) - 2);
}

static void group_close(struct group *group)
{
    assert_int_equal(rmdir(group->directory), 0);
    assert_int_equal(rmdir(group->parent), 0);
    free(group->relative);
    free(group->directory);
    free(group->parent);
}

static bool is_directory(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static long value_of(const struct group *group, const char *file)
{
    scoped_free char *path = mem_printf("%s/%s", group->directory, file);
    FILE *stream = fopen(path, "re");
    long value = -1;

    assert_non_null(stream);
    assert_int_equal(fscanf(stream, "%ld", &value), 1);
    fclose(stream);
    return value;
}

static void test_v1(const struct cgroup_backend *backend, struct group *group)
{
    const char *cpu = leaf_controller_name(LEAF_CPU);
    scoped_free char *in_a_file = mem_printf("%s/tasks/x", group->relative);

    assert_int_equal(backend->make(group->where->mount, cpu, group->relative), 0);
    assert_true(is_directory(group->directory));
    assert_int_equal(backend->set(group->directory, cpu, group->relative, "cpu.shares", "512"), 0);
    assert_int_equal(value_of(group, "cpu.shares"), 512);
    /* What exists stays as it is. */
    assert_int_equal(backend->make(group->where->mount, cpu, group->relative), 0);
    assert_int_equal(value_of(group, "cpu.shares"), 512);
    assert_int_equal(backend->set(group->directory, cpu, group->relative, "cpu.nothing", "1"), -ENOENT);
    assert_true(backend->set(group->directory, cpu, group->relative, "cpu.shares", "many") < 0);
    assert_int_equal(value_of(group, "cpu.shares"), 512);
    assert_true(backend->make(group->where->mount, cpu, in_a_file) < 0);
}

/* v2: cgroup.c makes the groups. */
static void test_v2(const struct cgroup_backend *backend, struct group *group)
{
    const char *cpu = leaf_controller_name(LEAF_CPU);
    struct cgroups *groups;
    char root[64];
    struct err err;

    snprintf(root, sizeof(root), "/creel-backends-%d", (int)getpid());
    assert_int_equal(cgroups_new(root, "a", NULL, &groups, &err), 0);
    assert_int_equal(backend->set(group->directory, cpu, group->relative, "cpu.weight", "50"), 0);
    assert_int_equal(value_of(group, "cpu.weight"), 50);
    assert_int_equal(backend->set(group->directory, cpu, group->relative, "cpu.nothing", "1"), -ENOENT);
    cgroups_free(groups);
    assert_int_equal(mkdir(group->parent, 0755), 0);
    assert_int_equal(mkdir(group->directory, 0755), 0);
}

static void test_backend(const struct cgroup_backend *backend)
{
    struct group group;
    struct err err;

    group_open(&group);
    assert_int_equal(backend->open(&err), 0);
    if (group.where->version == 1)
        test_v1(backend, &group);
    else
        test_v2(backend, &group);
    group_close(&group);
}

static void test_files(void **state)
{
    (void)state;
    assert_string_equal(cgroup_backend_files.name, "files");
    test_backend(&cgroup_backend_files);
}

/* The backend of this build: libcgroup's, unless it was configured --without-libcgroup. */
static void test_usual(void **state)
{
    (void)state;
#ifdef HAVE_LIBCGROUP
    assert_string_equal(cgroup_backend_usual()->name, "libcgroup");
#else
    assert_string_equal(cgroup_backend_usual()->name, "files");
#endif
    test_backend(cgroup_backend_usual());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_usual),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
