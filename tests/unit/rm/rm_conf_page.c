/* SPDX-License-Identifier: Apache-2.0 */
/* rm_conf_page.c - test: a configuration of queues, and versions of it, that are longer than a message; which
 * keys a refresh applies */
#include "rm/net/conf/conf_page.h"
#include "rm/net/conf_report.h"
#include "tests/unit/store/store_support.h"

#define MESSAGE_MAX (((size_t)1 << 20) + 65536)
#define KEYS 60u
#define VALUE_BYTES 30000
#define PREFIX "yarn.scheduler.capacity."

struct scene {
    char *directory;
    char value[VALUE_BYTES + 1];
    struct conf *conf;
    struct scheduler_confs confs;
};

static void write_file(const struct scene *scene)
{
    scoped_free char *path = mem_printf("%s/capacity-scheduler.xml", scene->directory);
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs("<configuration>", file);
    for (unsigned i = 0; i < KEYS; i++)
        fprintf(file, "<property><name>" PREFIX "key%02u</name><value>%s</value></property>", i,
                scene->value);
    fputs("</configuration>", file);
    assert_int_equal(fclose(file), 0);
}

static int set_up(void **state)
{
    struct scene *scene = mem_new0(struct scene);
    struct err err = { 0 };

    scene->directory = scratch_make();
    memset(scene->value, 'v', VALUE_BYTES);
    write_file(scene);
    assert_ok(scheduler_conf_read(scene->directory, NULL, &scene->conf, &err), err);
    *state = scene;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *scene = *state;

    conf_free(scene->conf);
    scheduler_confs_done(&scene->confs);
    scratch_remove(scene->directory);
    free(scene);
    return 0;
}

/* Adds VERSION, which sets COUNT keys that the file does not have. */
static void add_version(struct scene *scene, uint64_t version, size_t count)
{
    Creel__StoredSchedulerConf *row = mem_new0(Creel__StoredSchedulerConf);

    creel__stored_scheduler_conf__init(row);
    row->version = version;
    row->by = mem_strdup("ann");
    row->summary = mem_strdup("global-updates");
    row->overrides = mem_array0(count + 1, sizeof(*row->overrides));
    for (; row->n_overrides < count; row->n_overrides++) {
        Creel__ConfOverride *override = mem_new0(Creel__ConfOverride);

        creel__conf_override__init(override);
        override->key = mem_printf(PREFIX "v%llu-%02zu", (unsigned long long)version, row->n_overrides);
        override->value = mem_strdup(scene->value);
        override->by = mem_strdup("ann");
        row->overrides[row->n_overrides] = override;
    }
    scheduler_confs_add(&scene->confs, row);
}

static void free_page(Creel__SchedulerConf *page)
{
    assert_in_range(creel__scheduler_conf__get_packed_size(page), 1, MESSAGE_MAX);
    creel__scheduler_conf__free_unpacked(page, NULL);
}

static void properties_come_in_pages(void **state)
{
    struct scene *scene = *state;
    char *texts[] = { scene->value };
    const struct conf_warnings warnings = { .texts = texts, .count = 1 };
    unsigned pages = 0, listed = 0;
    uint32_t first = 0;

    do {
        Creel__SchedulerConf *page = conf_page_properties(&scene->confs, scene->conf, &warnings, first);

        assert_int_equal(page->version, 1);
        assert_int_equal(page->n_warnings, pages == 0 ? 1 : 0);
        for (size_t i = 0; i < page->n_entries; i++) {
            char key[80];

            snprintf(key, sizeof(key), PREFIX "key%02u", listed++);
            assert_string_equal(page->entries[i]->key, key);
            assert_string_equal(page->entries[i]->value, scene->value);
        }
        first = page->next;
        pages++;
        free_page(page);
    } while (first != 0);
    assert_int_equal(listed, KEYS);
    assert_int_equal(pages, 2);
}

static void a_page_behind_the_last_row_is_empty(void **state)
{
    struct scene *scene = *state;
    Creel__SchedulerConf *page = conf_page_properties(&scene->confs, scene->conf, NULL, 1000);

    assert_int_equal(page->n_entries, 0);
    assert_int_equal(page->next, 0);
    free_page(page);
}

/* Version 1, the files, has no changes; version 2 has 50, with one of which the first page ends. */
static void changes_of_a_version_continue_in_the_next_page(void **state)
{
    struct scene *scene = *state;
    Creel__SchedulerConf *page;
    size_t changes;
    uint32_t next;

    add_version(scene, 2, 50);
    add_version(scene, 3, 2); /* the 50 keys are as in the file again: changes without a value */
    page = conf_page_versions(&scene->confs, 0);
    assert_int_equal(page->version, 3);
    assert_int_equal(page->n_versions, 2);
    assert_int_equal(page->versions[0]->version, 1);
    assert_int_equal(page->versions[0]->n_changed, 0);
    assert_int_equal(page->versions[1]->version, 2);
    changes = page->versions[1]->n_changed;
    assert_in_range(changes, 30, 40);
    next = page->next;
    assert_int_not_equal(next, 0);
    free_page(page);
    page = conf_page_versions(&scene->confs, next);
    assert_int_equal(page->next, 0);
    assert_int_equal(page->n_versions, 2);
    assert_int_equal(page->versions[0]->version, 2);
    assert_string_equal(page->versions[0]->by, "ann");
    assert_int_equal(page->versions[0]->n_changed, 50 - changes);
    assert_int_equal(page->versions[1]->version, 3);
    assert_int_equal(page->versions[1]->n_changed, 52);
    free_page(page);
}

/* Loads a configuration with KEY=VALUE. Returns whether its report marks KEY as refreshed. */
static bool is_refreshed(const struct scene *scene, const char *key, const char *value)
{
    scoped_free char *path = mem_printf("%s/yarn-site.xml", scene->directory);
    FILE *file = fopen(path, "w");
    struct conf *conf = NULL;
    struct conf_report *report;
    const Creel__Configuration *page;
    struct err err = { 0 };
    int refreshed = -1;

    assert_non_null(file);
    fprintf(file, "<configuration><property><name>%s</name><value>%s</value></property></configuration>", key,
            value);
    assert_int_equal(fclose(file), 0);
    assert_ok(conf_load(scene->directory, NULL, NULL, &conf, &err), err);
    report = conf_report_new(conf, conf);
    page = conf_report_page(report, 0);
    for (size_t i = 0; i < page->n_entries; i++)
        if (strcmp(page->entries[i]->key, key) == 0)
            refreshed = page->entries[i]->refreshed;
    conf_report_free(report);
    conf_free(conf);
    assert_int_not_equal(refreshed, -1); /* the page has the key */
    return refreshed;
}

static void the_report_has_the_keys_that_a_refresh_applies(void **state)
{
    assert_true(is_refreshed(*state, "yarn.scheduler.minimum-allocation-mb", "64"));
    assert_true(
        is_refreshed(*state, "yarn.resourcemanager.node-labels.am.allow-non-exclusive-allocation", "true"));
    assert_true(is_refreshed(*state, "yarn.resource-types.gpu.maximum-allocation", "4"));
    assert_false(is_refreshed(*state, "yarn.resourcemanager.scheduler.class", "CapacityScheduler"));
    assert_false(is_refreshed(*state, "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", "500"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(properties_come_in_pages),
        TEST(a_page_behind_the_last_row_is_empty),
        TEST(changes_of_a_version_continue_in_the_next_page),
        TEST(the_report_has_the_keys_that_a_refresh_applies),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
