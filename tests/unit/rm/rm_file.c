/* SPDX-License-Identifier: Apache-2.0 */
/* rm_file.c - test: configuration files that administrators edit: reading, change detection, required
 * owner */
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
#include "common/conf/file_text.h"
#include "rm/sched/fair/config.h"
#include "rm/schedconf/schedconf.h"

#define QUIET_MS 5000
#define SECOND_NS INT64_C(1000000000)

struct place {
    char directory[64], path[128];
};

static int setup(void **state)
{
    static struct place place;

    snprintf(place.directory, sizeof(place.directory), "/tmp/rm-file.XXXXXX");
    assert_non_null(mkdtemp(place.directory));
    snprintf(place.path, sizeof(place.path), "%s/fair-scheduler.xml", place.directory);
    *state = &place;
    return 0;
}

static int teardown(void **state)
{
    struct place *place = *state;
    char site[128];

    snprintf(site, sizeof(site), "%s/yarn-site.xml", place->directory);
    unlink(site);
    if (unlink(place->path) < 0)
        rmdir(place->path);
    rmdir(place->directory);
    return 0;
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    fclose(file);
}

/* --- reading ---------------------------------------------------------------- */

static void expect_unreadable(const struct place *place, size_t most, int error, const char *message)
{
    struct err err = { .text = "" };
    char *text = NULL;
    size_t size = 0;

    assert_int_equal(file_text_read(place->path, most, &text, &size, &err), -error);
    assert_ptr_equal(strstr(err.text, place->path), err.text);
    assert_non_null(strstr(err.text, message));
}

static void only_regular_files_are_read(void **state)
{
    const struct place *place = *state;

    expect_unreadable(place, 100, ENOENT, "cannot be read");
    assert_int_equal(mkdir(place->path, 0700), 0);
    expect_unreadable(place, 100, EINVAL, "is a directory");
    rmdir(place->path);
    assert_int_equal(mkfifo(place->path, 0600), 0);
    expect_unreadable(place, 100, EINVAL, "expected a plain file");
    unlink(place->path);
    put(place->path, "four");
    expect_unreadable(place, 3, EINVAL, "has 4 bytes: expected at most 3");
}

static void a_file_is_read_whole(void **state)
{
    const struct place *place = *state;
    struct err err = { .text = "" };
    scoped_free char *text = NULL;
    size_t size = 7;

    put(place->path, "some text");
    assert_int_equal(file_text_read(place->path, 100, &text, &size, &err), 0);
    assert_int_equal(size, 9);
    assert_string_equal(text, "some text");
    put(place->path, "");
    free(text);
    assert_int_equal(file_text_read(place->path, 100, &text, &size, &err), 0);
    assert_int_equal(size, 0);
}

/* --- change detection ------------------------------------------------------- */

static struct file_mark mark(uint64_t inode, int64_t touched_s)
{
    return (struct file_mark){ .there = true,
                               .inode = inode,
                               .modified_ns = touched_s * SECOND_NS,
                               .changed_ns = touched_s * SECOND_NS };
}

static struct file_watch begin(void)
{
    struct file_mark first = mark(1, 100);
    struct file_watch watch;

    file_watch_note_read(&watch, &first);
    watch.seen_ms = 0;
    return watch;
}

static void expect(struct file_watch *watch, struct file_mark now, int64_t now_s,
                   enum file_watch_verdict verdict)
{
    assert_int_equal(file_watch_check(watch, &now, now_s * 1000, QUIET_MS), verdict);
}

static void changed_file_is_read_when_it_is_stable(void **state)
{
    struct file_watch watch = begin();

    (void)state;
    expect(&watch, mark(1, 100), 200, FILE_WATCH_REST);
    expect(&watch, mark(1, 208), 210, FILE_WATCH_REST);
    expect(&watch, mark(1, 208), 213, FILE_WATCH_READ);
    expect(&watch, mark(1, 208), 220, FILE_WATCH_REST);
    /* A file that was moved into place long after it was written: its times say that it is complete. */
    expect(&watch, mark(2, 150), 230, FILE_WATCH_READ);
}

static void constantly_changing_file_is_not_read(void **state)
{
    struct file_watch watch = begin();

    (void)state;
    for (int64_t s = 200; s < 300; s++)
        expect(&watch, mark((uint64_t)s, s), s, FILE_WATCH_REST);
    expect(&watch, mark(299, 299), 303, FILE_WATCH_REST);
    expect(&watch, mark(299, 299), 304, FILE_WATCH_READ);
}

static void a_clock_that_differs_does_not_matter(void **state)
{
    struct file_watch watch = begin();

    (void)state;
    expect(&watch, mark(1, 9999), 200, FILE_WATCH_REST);
    expect(&watch, mark(1, 9999), 204, FILE_WATCH_REST);
    expect(&watch, mark(1, 9999), 205, FILE_WATCH_READ);
}

static void one_that_vanishes_is_missed_once(void **state)
{
    struct file_watch watch = begin();
    struct file_mark none = { .there = false };

    (void)state;
    expect(&watch, none, 200, FILE_WATCH_REST);
    expect(&watch, mark(1, 100), 203, FILE_WATCH_REST); /* replaced by the same content */
    expect(&watch, none, 204, FILE_WATCH_REST);
    expect(&watch, none, 208, FILE_WATCH_REST);
    expect(&watch, none, 209, FILE_WATCH_GONE);
    expect(&watch, none, 220, FILE_WATCH_REST);
    expect(&watch, mark(1, 100), 230, FILE_WATCH_READ);
}

/* --- owner and mode --------------------------------------------------------- */

static int build_of(const struct place *place, const char *scheduler, const char *more,
                    struct sched_config *config, struct err *err)
{
    scoped_free char *site = mem_printf("%s/yarn-site.xml", place->directory);
    scoped_free char *text =
        mem_printf("<configuration><property><name>yarn.resourcemanager.scheduler.class</name>"
                   "<value>x.%s</value></property>%s</configuration>",
                   scheduler, more);
    struct conf *conf = NULL;
    int r;

    put(site, text);
    r = conf_load(place->directory, NULL, NULL, &conf, err);
    if (r == 0)
        r = schedconf_build(conf, NULL, NULL, config, err);
    conf_free(conf);
    return r;
}

static int build(const struct place *place, const char *more, struct sched_config *config, struct err *err)
{
    return build_of(place, "FairScheduler", more, config, err);
}

#define KEY(name, value) "<property><name>" name "</name><value>" value "</value></property>"

static void file_is_searched_in_the_directory_of_the_others(void **state)
{
    const struct place *place = *state;
    struct sched_config config;
    struct err err = { .text = "" };

    if (build(place, KEY("yarn.scheduler.fair.continuous-scheduling-enabled", "true"), &config, &err) < 0)
        fail_msg("%s", err.text);
    assert_string_equal(config.policy, "fair");
    assert_false(config.assign_on_demand);
    assert_null(fair_allocations_find(config.fair->allocations, "root.x"));
    schedconf_free(&config);
    put(place->path, "<allocations><queue name='x'/></allocations>");
    assert_int_equal(build(place, "", &config, &err), 0);
    assert_true(config.assign_on_demand);
    assert_non_null(fair_allocations_find(config.fair->allocations, "root.x"));
    assert_int_equal(config.step.value[0], 1024);
    schedconf_free(&config);
    put(place->path, "<allocations>\n<queue/></allocations>");
    assert_int_equal(build(place, "", &config, &err), -EINVAL);
    assert_non_null(strstr(err.text, "fair-scheduler.xml:2: "));
    assert_null(config.fair);
}

static void a_whole_path_must_lead_somewhere(void **state)
{
    const struct place *place = *state;
    struct sched_config config;
    struct err err = { .text = "" };

    assert_int_equal(
        build(place, KEY("yarn.scheduler.fair.allocation.file", "/nowhere/x.xml"), &config, &err), -EINVAL);
    assert_non_null(strstr(err.text, "/nowhere/x.xml: cannot be read"));
    assert_non_null(strstr(err.text, "yarn-site.xml:1"));
    assert_int_equal(
        build(place, KEY("yarn.scheduler.fair.allocation.file", "hdfs://nn/x.xml"), &config, &err), -EINVAL);
    assert_non_null(strstr(err.text, "expected the name of a file of this machine"));
    assert_int_equal(build(place, KEY("yarn.scheduler.fair.allocation.file", "other.xml"), &config, &err), 0);
    schedconf_free(&config);
}

static void a_file_of_mapping_rules_must_be_there(void **state)
{
    const struct place *place = *state;
    scoped_free char *more = mem_printf(
        KEY("yarn.scheduler.capacity.root.queues", "a") KEY("yarn.scheduler.capacity.root.a.capacity", "100")
            KEY("yarn.scheduler.capacity.mapping-rule-format", "json")
                KEY("yarn.scheduler.capacity.mapping-rule-json-file", "%s"),
        place->path);
    struct sched_config config;
    struct err err = { .text = "" };

    assert_int_equal(build_of(place, "CapacityScheduler", more, &config, &err), -EINVAL);
    assert_non_null(strstr(err.text, place->path));
    assert_non_null(strstr(err.text, "yarn.scheduler.capacity.mapping-rule-json-file"));
    assert_null(config.capacity);
    put(place->path, "{\"rules\": []}");
    if (build_of(place, "CapacityScheduler", more, &config, &err) < 0)
        fail_msg("%s", err.text);
    assert_non_null(config.placement);
    schedconf_free(&config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(only_regular_files_are_read, setup, teardown),
        cmocka_unit_test_setup_teardown(a_file_is_read_whole, setup, teardown),
        cmocka_unit_test(changed_file_is_read_when_it_is_stable),
        cmocka_unit_test(constantly_changing_file_is_not_read),
        cmocka_unit_test(a_clock_that_differs_does_not_matter),
        cmocka_unit_test(one_that_vanishes_is_missed_once),
        cmocka_unit_test_setup_teardown(file_is_searched_in_the_directory_of_the_others, setup, teardown),
        cmocka_unit_test_setup_teardown(a_whole_path_must_lead_somewhere, setup, teardown),
        cmocka_unit_test_setup_teardown(a_file_of_mapping_rules_must_be_there, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
