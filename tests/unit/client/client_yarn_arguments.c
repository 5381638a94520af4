/* SPDX-License-Identifier: Apache-2.0 */
/* client_yarn_arguments.c - test: options of the command yarn, and what they select */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "client/yarn/app_select.h"
#include "client/yarn/conf_arguments.h"
#include "client/yarn/log_select.h"
#include "client/yarn/node_arguments.h"

#define APP_ID "application_1790000000000_0007"
#define CONTAINER_ID "container_1790000000000_0007_01_000001"

/* --- options ------------------------------------------------------------------ */

static const struct yarn_option table[] = {
    { "list", NULL, false, "Lists." },
    { "appId", "ID", false, "The id." },
    { "appStates", "States", true, "S" },
    { "appTypes", "Types", true, "T" },
    { "appTags", "Tags", true, "The tags" },
    { "applicationId", "ID", false, "The id." },
    { "containerId", "ID", false, "C" },
    { "log_files", "Names", true, "F" },
    { "log_files_pattern", "P", false, "P" },
    { "size", "N", false, "S" },
    { "am", "A", false, "A" },
    { 0 },
};

static struct yarn_options parse(const char *const *words)
{
    struct yarn_options options;
    struct err err = { 0 };

    assert_int_equal(yarn_options_parse(words, table, &options, &err), 0);
    return options;
}

static void options_have_one_dash_or_two(void **state)
{
    const char *words[] = { "-list",  "--appId", "x",   "-size=-5", "-appStates", "RUNNING",
                            "FAILED", "-D",      "a=b", "-Dc=d",    NULL };
    struct yarn_options options = parse(words);

    (void)state;
    assert_true(yarn_options_has(&options, "list"));
    assert_string_equal(yarn_options_get(&options, "appId"), "x");
    assert_string_equal(yarn_options_get(&options, "size"), "-5");
    assert_string_equal(yarn_options_get(&options, "appStates"), "FAILED");
    assert_string_equal(yarn_options_property(&options, "a"), "b");
    assert_string_equal(yarn_options_property(&options, "c"), "d");
    assert_int_equal(options.count, 7);
    assert_int_equal(options.argument_count, 0);
    yarn_options_done(&options);
}

static void a_value_may_be_a_negative_number(void **state)
{
    const char *words[] = { "-size", "-1024", "rest", NULL };
    struct yarn_options options = parse(words);

    (void)state;
    assert_string_equal(yarn_options_get(&options, "size"), "-1024");
    assert_int_equal(options.argument_count, 1);
    yarn_options_done(&options);
}

static void wrong_options_are_refused(void **state)
{
    const char *unknown[] = { "-nosuch", NULL }, *missing[] = { "-appId", NULL };
    const char *followed[] = { "-appId", "-list", NULL }, *flag[] = { "-list=x", NULL },
               *property[] = { "-D", NULL };
    struct yarn_options options;
    struct err err = { 0 };

    (void)state;
    assert_int_equal(yarn_options_parse(unknown, table, &options, &err), -EINVAL);
    assert_non_null(strstr(err.text, "-nosuch"));
    assert_int_equal(yarn_options_parse(missing, table, &options, &err), -ENODATA);
    assert_int_equal(yarn_options_parse(followed, table, &options, &err), -ENODATA);
    assert_int_equal(yarn_options_parse(flag, table, &options, &err), -EINVAL);
    assert_int_equal(yarn_options_parse(property, table, &options, &err), -ENODATA);
    assert_int_equal(options.count, 0);
}

/* --- selection --------------------------------------------------------------------- */

static const char *const no_texts[] = { NULL };
static const char *const tags[] = { "Night", "etl", NULL };

static struct creel_app sample_app(void)
{
    return (struct creel_app){
        .id = APP_ID, .type = "CREEL", .state = CREEL_APP_RUNNING, .attempt = 2, .tags = tags
    };
}

static struct creel_container sample_container(void)
{
    return (
        struct creel_container){ .id = CONTAINER_ID, .node_id = "n1:8041", .started_ms = 1, .master = true };
}

static void applications_are_selected_by_state_type_and_tag(void **state)
{
    const char *words[] = { "-appStates", "running,Finished", "-appTypes", "spark,creel", "-appTags", "NIGHT",
                            NULL };
    struct creel_app app = sample_app();
    struct yarn_options options = parse(words);
    struct app_select select;

    (void)state;
    assert_int_equal(app_select_read(&options, &select), 0);
    assert_string_equal(select.states_text, "RUNNING, FINISHED");
    assert_string_equal(select.types, "SPARK, CREEL");
    assert_int_equal(select.state_count, 2);
    assert_true(app_select_has(&select, &app));
    app.tags = no_texts;
    assert_false(app_select_has(&select, &app));
    app.tags = tags;
    app.type = "MAPREDUCE";
    assert_false(app_select_has(&select, &app));
    app_select_done(&select);
    yarn_options_done(&options);
}

static void the_usual_states_are_those_of_yarn(void **state)
{
    const char *none[] = { NULL }, *all[] = { "-appStates", "ALL", NULL },
               *wrong[] = { "-appStates", "x", NULL };
    struct yarn_options options = parse(none);
    struct app_select select;

    (void)state;
    assert_int_equal(app_select_read(&options, &select), 0);
    assert_string_equal(select.states_text, "SUBMITTED, ACCEPTED, RUNNING");
    app_select_done(&select);
    yarn_options_done(&options);

    options = parse(all);
    assert_int_equal(app_select_read(&options, &select), 0);
    assert_string_equal(select.states_text,
                        "NEW, NEW_SAVING, SUBMITTED, ACCEPTED, RUNNING, FINISHED, FAILED, KILLED");
    app_select_done(&select);
    yarn_options_done(&options);

    options = parse(wrong);
    assert_int_equal(app_select_read(&options, &select), -1);
    assert_string_equal(select.wrong, "X");
    app_select_done(&select);
    yarn_options_done(&options);
}

static void logs_are_selected_by_container_and_file(void **state)
{
    const char *words[] = {
        "-containerId", CONTAINER_ID, "-log_files_pattern", "std.*r", "-size", "-10", NULL
    };
    struct creel_app app = sample_app();
    struct creel_container container = sample_container();
    struct yarn_options options = parse(words);
    struct log_select select;
    struct err err = { 0 };

    (void)state;
    assert_int_equal(log_select_read(&options, &select, &err), 0);
    assert_string_equal(select.app_id, APP_ID);
    assert_false(select.files[0]);
    assert_true(select.files[1]);
    assert_int_equal(select.size, -10);
    assert_true(log_select_has(&select, &app, &container));
    container.started_ms = 0;
    assert_false(log_select_has(&select, &app, &container));
    yarn_options_done(&options);
}

static void logs_of_masters_are_selected_by_attempt(void **state)
{
    const char *words[] = { "-applicationId", APP_ID, "-am", "-1", NULL };
    struct creel_app app = sample_app();
    struct creel_container container = sample_container();
    struct yarn_options options = parse(words);
    struct log_select select;
    struct err err = { 0 };

    (void)state;
    assert_int_equal(log_select_read(&options, &select, &err), 0);
    assert_true(select.files[0] && select.files[1]);
    assert_false(log_select_has(&select, &app, &container)); /* of the attempt before */
    app.attempt = 1;
    assert_true(log_select_has(&select, &app, &container));
    yarn_options_done(&options);
}

static void logs_need_a_valid_id(void **state)
{
    const char *none[] = { NULL }, *wrong[] = { "-applicationId", "x", NULL };
    const char *size[] = { "-applicationId", APP_ID, "-size", "ten", NULL };
    const char *const *lines[] = { none, wrong, size };

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct yarn_options options = parse(lines[i]);
        struct log_select select;
        struct err err = { 0 };

        assert_int_equal(log_select_read(&options, &select, &err), -EINVAL);
        yarn_options_done(&options);
    }
}

/* --- arguments of rmadmin ------------------------------------------------------------ */

static void labels_may_be_shared(void **state)
{
    static struct creel_label_spec specs[NODE_ARGUMENTS_MAX];
    char good[] = "gpu, fast(exclusive=false),slow( exclusive=TRUE )";
    char wrong[] = "gpu(shared)", open[] = "gpu(exclusive=true", empty[] = " , ",
         unnamed[] = "(exclusive=true)";
    char *const bad[] = { wrong, open, empty, unnamed };
    struct err err = { 0 };
    size_t count;

    (void)state;
    assert_int_equal(node_arguments_labels(good, specs, &count, &err), 0);
    assert_int_equal(count, 3);
    assert_string_equal(specs[1].name, "fast");
    assert_true(specs[1].shared);
    assert_string_equal(specs[2].name, "slow");
    assert_false(specs[0].shared || specs[2].shared);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(node_arguments_labels(bad[i], specs, &count, &err), -EINVAL);
}

static void a_node_has_one_label_or_none(void **state)
{
    static struct node_label_change changes[NODE_ARGUMENTS_MAX];
    char good[] = " n1:8041=gpu  n2,fast n3 n4= ", two[] = "n1=gpu,fast", unnamed[] = "=gpu", empty[] = "";
    char *const bad[] = { two, unnamed, empty };
    struct err err = { 0 };
    size_t count;

    (void)state;
    assert_int_equal(node_arguments_changes(good, changes, &count, &err), 0);
    assert_int_equal(count, 4);
    assert_string_equal(changes[0].node, "n1:8041");
    assert_string_equal(changes[0].label, "gpu");
    assert_string_equal(changes[1].label, "fast");
    assert_string_equal(changes[2].label, "");
    assert_string_equal(changes[3].label, "");
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(node_arguments_changes(bad[i], changes, &count, &err), -EINVAL);
}

static void sizes_of_nodes_are_amounts(void **state)
{
    char good[] = "memory-mb=8Gi,vcores=4", plain[] = "memory-mb=512";
    char other[] = "gpu=1", zero[] = "vcores=0", word[] = "lots", empty[] = "";
    char *const bad[] = { other, zero, word, empty };
    struct creel_resource total;
    struct err err = { 0 };

    (void)state;
    assert_int_equal(node_arguments_amounts(good, &total, &err), 0);
    assert_int_equal(total.memory_mb, 8192);
    assert_int_equal(total.vcores, 4);
    assert_int_equal(node_arguments_amounts(plain, &total, &err), 0);
    assert_int_equal(total.memory_mb, 512);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(node_arguments_amounts(bad[i], &total, &err), -EINVAL);
}

/* --- schedulerconf --------------------------------------------------------------- */

static void has_setting(const struct conf_edits *edits, size_t edit, size_t at, const char *key,
                        const char *value)
{
    assert_true(at < edits->items[edit].setting_count);
    assert_string_equal(edits->items[edit].settings[at].key, key);
    assert_string_equal(edits->items[edit].settings[at].value, value);
}

static void queues_have_settings(void **state)
{
    struct conf_edits edits = { 0 };
    struct err err = { 0 };

    (void)state;
    assert_int_equal(conf_arguments_queues(&edits, CREEL_CONF_ADD_QUEUE,
                                           "root.a:capacity=50,maximum-capacity=80;root.b;root.c:state=;",
                                           &err),
                     0);
    assert_int_equal(edits.count, 3);
    assert_int_equal(edits.items[0].kind, CREEL_CONF_ADD_QUEUE);
    assert_string_equal(edits.items[0].queue, "root.a");
    has_setting(&edits, 0, 0, "capacity", "50");
    has_setting(&edits, 0, 1, "maximum-capacity", "80");
    assert_string_equal(edits.items[1].queue, "root.b");
    assert_int_equal(edits.items[1].setting_count, 0);
    has_setting(&edits, 2, 0, "state", "");
    conf_edits_done(&edits);
}

static void a_backslash_keeps_a_comma(void **state)
{
    struct conf_edits edits = { 0 };
    struct err err = { 0 };

    (void)state;
    assert_int_equal(conf_arguments_global(&edits, "q.m=u:ann:a\\,g:x:b\\,\\c,k=2\\", &err), 0);
    assert_int_equal(edits.items[0].kind, CREEL_CONF_SET_SCHEDULER);
    has_setting(&edits, 0, 0, "q.m", "u:ann:a,g:x:b,c");
    has_setting(&edits, 0, 1, "k", "2");
    conf_arguments_removed(&edits, "root.a;root.b;");
    assert_int_equal(edits.count, 3);
    assert_string_equal(edits.items[2].queue, "root.b");
    conf_edits_done(&edits);
}

static void settings_have_a_key_and_one_equals_sign(void **state)
{
    static const char *const bad[] = { "a", "=1", "a=1=2", "", "a=1,", "a=1,,b=2" };

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct conf_edits edits = { 0 };
        struct err err = { 0 };

        assert_int_equal(conf_arguments_global(&edits, bad[i], &err), -EINVAL);
        assert_non_null(strstr(err.text, "Specify configuration key value as confKey=confVal."));
        conf_edits_done(&edits);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_have_one_dash_or_two),
        cmocka_unit_test(a_value_may_be_a_negative_number),
        cmocka_unit_test(wrong_options_are_refused),
        cmocka_unit_test(applications_are_selected_by_state_type_and_tag),
        cmocka_unit_test(the_usual_states_are_those_of_yarn),
        cmocka_unit_test(logs_are_selected_by_container_and_file),
        cmocka_unit_test(logs_of_masters_are_selected_by_attempt),
        cmocka_unit_test(logs_need_a_valid_id),
        cmocka_unit_test(labels_may_be_shared),
        cmocka_unit_test(a_node_has_one_label_or_none),
        cmocka_unit_test(sizes_of_nodes_are_amounts),
        cmocka_unit_test(queues_have_settings),
        cmocka_unit_test(a_backslash_keeps_a_comma),
        cmocka_unit_test(settings_have_a_key_and_one_equals_sign),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
