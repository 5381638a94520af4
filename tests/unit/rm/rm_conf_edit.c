/* SPDX-License-Identifier: Apache-2.0 */
/* rm_conf_edit.c - test: edits of the configuration of queues, and their versions over the files */
#include <errno.h>
#include <sys/stat.h>

#include "common/io/wire/wire.h"
#include "rm/net/conf/conf_edit.h"
#include "rm/net/conf/scheduler_conf.h"
#include "tests/unit/store/store_support.h"

#define KEY(name) CONF_EDIT_PREFIX name
#define GLOBAL CREEL__SCHEDULER_CONF_PART__SCHEDULER_CONF_GLOBAL
#define UPDATE CREEL__SCHEDULER_CONF_PART__SCHEDULER_CONF_UPDATE_QUEUE
#define ADD CREEL__SCHEDULER_CONF_PART__SCHEDULER_CONF_ADD_QUEUE
#define REMOVE CREEL__SCHEDULER_CONF_PART__SCHEDULER_CONF_REMOVE_QUEUE

struct step { /* an edit of at most one key */
    Creel__SchedulerConfPart part;
    const char *queue, *key, *value;
};

struct scene {
    char *directory;
    Creel__StoredSchedulerConf *row; /* in force */
    struct err err;
};

static void write_file(const struct scene *scene, const char *name, const char *text)
{
    scoped_free char *path = mem_printf("%s/%s", scene->directory, name);
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

#define P(name, value) "<property><name>" name "</name><value>" value "</value></property>"

static void write_site(const struct scene *scene, const char *store)
{
    scoped_free char *text = mem_printf(
        "<configuration>" P("yarn.scheduler.configuration.store.class", "%s") "</configuration>", store);

    write_file(scene, "yarn-site.xml", text);
}

static int set_up(void **state)
{
    struct scene *scene = mem_new0(struct scene);

    scene->directory = scratch_make();
    write_site(scene, "memory");
    write_file(scene, "capacity-scheduler.xml",
               "<configuration>" P(KEY("root.queues"), "a, b") P(KEY("root.a.capacity"), "50")
                   P(KEY("root.b.capacity"), "50") P(KEY("root.b.state"), "RUNNING") "</configuration>");
    *state = scene;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *scene = *state;

    if (scene->row != NULL)
        creel__stored_scheduler_conf__free_unpacked(scene->row, NULL);
    scratch_remove(scene->directory);
    free(scene);
    return 0;
}

static struct conf *read_conf(struct scene *scene)
{
    struct conf *conf = NULL;

    assert_ok(scheduler_conf_read(scene->directory, scene->row, &conf, &scene->err), scene->err);
    return conf;
}

/* Applies COUNT steps in one change. Returns the result of conf_edit_apply. */
static int change(struct scene *scene, const struct step *steps, size_t count)
{
    Creel__ChangeSchedulerConf request = CREEL__CHANGE_SCHEDULER_CONF__INIT;
    Creel__SchedulerConfEdit edits[8], *edit_list[8];
    Creel__ConfOverride keys[8], *key_list[8];
    Creel__StoredSchedulerConf *row = NULL;
    struct conf *conf = read_conf(scene);
    int r;

    for (size_t i = 0; i < count; i++) {
        creel__scheduler_conf_edit__init(&edits[i]);
        creel__conf_override__init(&keys[i]);
        edits[i].part = steps[i].part;
        edits[i].queue = (char *)(uintptr_t)(steps[i].queue ? steps[i].queue : "");
        keys[i].key = (char *)(uintptr_t)(steps[i].key ? steps[i].key : "");
        keys[i].value = (char *)(uintptr_t)(steps[i].value ? steps[i].value : "");
        key_list[i] = &keys[i];
        edits[i].keys = &key_list[i];
        edits[i].n_keys = steps[i].key ? 1 : 0;
        edit_list[i] = &edits[i];
    }
    request.edits = edit_list;
    request.n_edits = count;
    r = conf_edit_apply(conf, scene->row, &request, "ann", NOW_MS, &row, &scene->err);
    conf_free(conf);
    if (r < 0)
        return r;
    if (scene->row != NULL)
        creel__stored_scheduler_conf__free_unpacked(scene->row, NULL);
    scene->row = row;
    return 0;
}

#define change_ok(scene, ...) \
    do { \
        const struct step steps_[] = { __VA_ARGS__ }; \
        assert_ok(change(scene, steps_, sizeof(steps_) / sizeof(steps_[0])), (scene)->err); \
    } while (0)

static void refused(struct scene *scene, struct step step, int code, const char *text)
{
    assert_int_equal(change(scene, &step, 1), -code);
    assert_contains(scene->err.text, text);
}

/* Checks the value in force; NULL: there is no such property. */
static void has(struct scene *scene, const char *key, const char *value)
{
    struct conf *conf = read_conf(scene);

    if (value == NULL)
        assert_null(conf_raw(conf, key));
    else if (conf_raw(conf, key) == NULL || strcmp(conf_raw(conf, key), value) != 0)
        fail_msg("%s: %s, expected %s", key, conf_raw(conf, key), value);
    conf_free(conf);
}

/* --- edits -------------------------------------------------------------------- */

static void properties_are_set_and_removed(void **state)
{
    struct scene *scene = *state;

    change_ok(scene, { UPDATE, "root.a", "capacity", "30" }, { UPDATE, "root.b", "state", "" },
              { GLOBAL, NULL, KEY("maximum-applications"), "77" });
    has(scene, KEY("root.a.capacity"), "30");
    has(scene, KEY("root.b.state"), NULL);
    has(scene, KEY("maximum-applications"), "77");
    has(scene, KEY("root.b.capacity"), "50");
    assert_int_equal(scene->row->version, 2);
    assert_string_equal(scene->row->by, "ann");
    assert_string_equal(scene->row->summary, "update-queue root.a, update-queue root.b, global-updates");
    change_ok(scene, { UPDATE, "root.nosuch", "capacity", "0" });
    assert_int_equal(scene->row->version, 3);
    has(scene, KEY("root.nosuch.capacity"), "0");
    has(scene, KEY("root.a.capacity"), "30");
}

static void queues_are_added_and_removed(void **state)
{
    struct scene *scene = *state;

    change_ok(scene, { ADD, "root.c", "capacity", "0" }, { ADD, "root.c.d", NULL, NULL });
    has(scene, KEY("root.queues"), "a,b,c");
    has(scene, KEY("root.c.capacity"), "0");
    has(scene, KEY("root.c.queues"), "d");
    refused(scene, (struct step){ ADD, "root.c", "capacity", "5" }, EEXIST,
            "Can't add existing queue root.c");
    has(scene, KEY("root.c.capacity"), "0");
    refused(scene, (struct step){ REMOVE, "root.x", NULL, NULL }, ENOENT, "Queue root.x not found");
    refused(scene, (struct step){ REMOVE, "root", NULL, NULL }, EINVAL, "has no parent");
    change_ok(scene, { REMOVE, "root.b", NULL, NULL }, { REMOVE, "root.c", NULL, NULL });
    has(scene, KEY("root.queues"), "a");
    has(scene, KEY("root.b.capacity"), NULL);
    has(scene, KEY("root.b.state"), NULL);
    has(scene, KEY("root.c.capacity"), NULL);
    has(scene, KEY("root.c.queues"), NULL);
    change_ok(scene, { REMOVE, "root.a", NULL, NULL });
    has(scene, KEY("root.queues"), NULL);
}

static void a_refused_edit_changes_nothing(void **state)
{
    struct scene *scene = *state;
    const struct step steps[] = { { UPDATE, "root.a", "capacity", "30" }, { REMOVE, "root.x", NULL, NULL } };

    assert_int_equal(change(scene, steps, 2), -ENOENT);
    assert_null(scene->row);
    refused(scene, (struct step){ GLOBAL, NULL, "yarn.admin.acl", "ann" }, EINVAL, "only properties of");
    refused(scene, (struct step){ GLOBAL, NULL, "yarn.scheduler.configuration.store.class", "file" }, EINVAL,
            "only properties of");
    refused(scene, (struct step){ GLOBAL, NULL, KEY("mapping-rule-json-file"), "/etc/shadow" }, EINVAL,
            "set it in a file");
    refused(scene, (struct step){ UPDATE, "root.a", "capacity", "${env.HOME}" }, EINVAL, "are for files");
    refused(scene, (struct step){ UPDATE, "root.a", "a key", "1" }, EINVAL, "the name of a property");
    refused(scene, (struct step){ UPDATE, "root.a\n", "capacity", "1" }, EINVAL, "the path of a queue");
    refused(scene, (struct step){ ADD, "root.${env.HOME}", "capacity", "5" }, EINVAL, "the path of a queue");
    refused(scene, (struct step){ ADD, "root..a", NULL, NULL }, EINVAL, "the path of a queue");
    refused(scene, (struct step){ ADD, "root.a,b", NULL, NULL }, EINVAL, "the path of a queue");
    refused(scene, (struct step){ UPDATE, "", "capacity", "1" }, EINVAL, "the path of a queue");
}

static void the_store_class_decides(void **state)
{
    struct scene *scene = *state;

    change_ok(scene, { UPDATE, "root.a", "capacity", "30" });
    write_site(scene, "file");
    has(scene, KEY("root.a.capacity"), "50");
    write_site(scene, "leveldb");
    has(scene, KEY("root.a.capacity"), "30");
}

static void the_origin_names_user_and_time(void **state)
{
    struct scene *scene = *state;
    char origin[CONF_ORIGIN_MAX];
    struct conf *conf;

    change_ok(scene, { UPDATE, "root.a", "capacity", "30" });
    conf = read_conf(scene);
    assert_string_equal(conf_origin(conf, KEY("root.a.capacity"), origin, sizeof(origin)),
                        "scheduler-conf of ann, 2023-11-14T22:13:20Z");
    conf_free(conf);
}

/* --- versions ------------------------------------------------------------------ */

static void a_version_lists_its_changes(void **state)
{
    struct scene *scene = *state;
    Creel__StoredSchedulerConf *first, *back;
    Creel__SchedulerConfVersion *version;

    change_ok(scene, { UPDATE, "root.a", "capacity", "30" }, { UPDATE, "root.b", "capacity", "70" });
    first = (Creel__StoredSchedulerConf *)wire_copy(&scene->row->base);
    change_ok(scene, { UPDATE, "root.b", "capacity", "" });
    version = conf_edit_version(first, scene->row);
    assert_int_equal(version->version, 3);
    assert_int_equal(version->n_changed, 1);
    assert_string_equal(version->changed[0]->key, KEY("root.b.capacity"));
    assert_true(version->changed[0]->removed);
    creel__scheduler_conf_version__free_unpacked(version, NULL);

    back = conf_edit_roll_back(NULL, scene->row, "bob", NOW_MS);
    assert_string_equal(back->summary, "rollback to 1");
    assert_int_equal(back->version, 4);
    version = conf_edit_version(scene->row, back);
    assert_int_equal(version->n_changed, 2);
    assert_true(version->changed[0]->as_file && version->changed[1]->as_file);
    creel__scheduler_conf_version__free_unpacked(version, NULL);
    creel__stored_scheduler_conf__free_unpacked(back, NULL);

    back = conf_edit_roll_back(first, scene->row, "bob", NOW_MS);
    assert_string_equal(back->by, "bob");
    assert_string_equal(back->overrides[1]->value, "70");
    assert_string_equal(back->overrides[1]->by, "ann");
    creel__stored_scheduler_conf__free_unpacked(back, NULL);
    creel__stored_scheduler_conf__free_unpacked(first, NULL);
}

static void the_newest_hundred_are_kept(void **state)
{
    struct scene *scene = *state;
    struct scheduler_confs confs = { .count = 0 };

    for (int i = 0; i < 130; i++)
        scheduler_confs_add(&confs, conf_edit_roll_back(NULL, scheduler_confs_newest(&confs), "ann", NOW_MS));
    assert_int_equal(confs.count, STORE_SCHEDULER_CONFS_KEPT);
    assert_int_equal(scheduler_confs_newest(&confs)->version, 131);
    assert_null(scheduler_confs_find(&confs, 31));
    assert_non_null(scheduler_confs_find(&confs, 32));
    scheduler_confs_done(&confs);
    (void)scene;
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(properties_are_set_and_removed), TEST(queues_are_added_and_removed),
        TEST(a_refused_edit_changes_nothing), TEST(the_store_class_decides),
        TEST(the_origin_names_user_and_time), TEST(a_version_lists_its_changes),
        TEST(the_newest_hundred_are_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
