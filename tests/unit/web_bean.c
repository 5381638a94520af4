/* SPDX-License-Identifier: Apache-2.0 */
/* web_bean.c - test: JMX beans are found by their names and written with line breaks */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "web/text/bean.h"
#include "web/text/pretty.h"

#define QUEUE "Hadoop:service=ResourceManager,name=QueueMetrics,q0=root,q1=a"

static void names_match_in_any_order(void **state)
{
    (void)state;
    assert_true(bean_name_matches(QUEUE, QUEUE));
    assert_true(bean_name_matches(QUEUE, "Hadoop:name=QueueMetrics,q1=a,q0=root,service=ResourceManager"));
    assert_true(bean_name_matches(QUEUE, "Hadoop:name=QueueMetrics,*"));
    assert_true(bean_name_matches(QUEUE, "Hadoop:*,name=Queue*"));
    assert_true(bean_name_matches(QUEUE, "*:*"));
    assert_true(bean_name_matches(QUEUE, "H?doop:service=*,name=QueueMetrics,q0=root,q1=?"));
    assert_true(bean_name_matches(QUEUE, "*name=QueueMetrics,q0=root,q1=*"));
    assert_false(bean_name_matches(QUEUE, "Hadoop:name=QueueMetrics")); /* it has more properties */
    assert_false(bean_name_matches(QUEUE, "Hadoop:name=QueueMetrics,q0=root,q1=b,*"));
    assert_false(bean_name_matches(QUEUE, "Hadoop:q0=*,q0=*,q0=*,q0=*,q0=*,*")); /* it has fewer properties */
    assert_false(bean_name_matches(QUEUE, "java.lang:*"));
    assert_false(bean_name_matches(QUEUE, "Hadoop"));
    assert_false(bean_name_matches(QUEUE, ""));
    assert_false(bean_name_matches("none", "Hadoop:*"));
}

static void check(const struct bean_question *question, int expected_status, const char *expected)
{
    struct arena *arena = arena_new();
    struct bean_list *list = bean_list_new(arena);
    struct bean *bean = bean_add(list, "java.lang:type=Memory", "a");
    int status;
    char *text;

    bean_memory(bean, "Heap", 5);
    bean = bean_add(list, "java.lang:type=Runtime", "b");
    bean_int(bean, "Uptime", 7);
    bean_double(bean, "Load", 1);
    bean_bool(bean, "On", true);
    bean_text(bean, "Text", "{\"a\":[1,2]}");
    text = bean_list_write(list, question, &status);
    assert_string_equal(text, expected);
    assert_int_equal(status, expected_status);
    free(text);
    arena_free(arena);
}

static void beans_are_written_line_by_line(void **state)
{
    (void)state;
    check(&(struct bean_question){ .pattern = NULL }, 200,
          "{\n"
          "  \"beans\" : [ {\n"
          "    \"name\" : \"java.lang:type=Memory\",\n"
          "    \"modelerType\" : \"a\",\n"
          "    \"Heap\" : {\n"
          "      \"committed\" : 5,\n"
          "      \"init\" : 5,\n"
          "      \"max\" : -1,\n"
          "      \"used\" : 5\n"
          "    }\n"
          "  }, {\n"
          "    \"name\" : \"java.lang:type=Runtime\",\n"
          "    \"modelerType\" : \"b\",\n"
          "    \"Uptime\" : 7,\n"
          "    \"Load\" : 1.0,\n"
          "    \"On\" : true,\n"
          "    \"Text\" : \"{\\\"a\\\":[1,2]}\"\n"
          "  } ]\n"
          "}");
}

static void one_attribute_is_written(void **state)
{
    (void)state;
    check(&(struct bean_question){ "java.lang:type=Runtime", "Uptime" }, 200,
          "{\n"
          "  \"beans\" : [ {\n"
          "    \"name\" : \"java.lang:type=Runtime\",\n"
          "    \"modelerType\" : \"b\",\n"
          "    \"Uptime\" : 7\n"
          "  } ]\n"
          "}");
    check(&(struct bean_question){ "java.lang:type=Runtime", "None" }, 404,
          "{\n"
          "  \"result\" : \"ERROR\",\n"
          "  \"message\" : \"No attribute with name None was found.\"\n"
          "}");
    check(&(struct bean_question){ "java.lang:type=None", "Uptime" }, 200, "{\n  \"beans\" : [ ]\n}");
}

static void other_json_keeps_its_content(void **state)
{
    static const struct {
        const char *compact, *pretty;
    } cases[] = {
        { "{}", "{ }" },
        { "[]", "[ ]" },
        { "[1,2]", "[ 1, 2 ]" },
        { "{\"a\":{},\"b\":[]}", "{\n  \"a\" : { },\n  \"b\" : [ ]\n}" },
        { "{\"a\\\"{\":\":,\\\\\"}", "{\n  \"a\\\"{\" : \":,\\\\\"\n}" },
        { "[[{}]]", "[ [ { } ] ]" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        size_t size;
        char *text = pretty_json(cases[i].compact, strlen(cases[i].compact), 0, &size);

        assert_string_equal(text, cases[i].pretty);
        free(text);
    }
}

static void a_process_has_the_beans_of_a_java_machine(void **state)
{
    struct arena *arena = arena_new();
    struct bean_list *list = bean_list_new(arena);
    struct bean_question question = { "Hadoop:service=NodeManager,name=JvmMetrics", "MemHeapUsedM" };
    int status;
    char *text;

    (void)state;
    bean_add_process(list, &(struct bean_process){ .service = "NodeManager",
                                                   .host = "n1",
                                                   .started_ms = 1000,
                                                   .now_ms = 3000,
                                                   .resident_bytes = 3 << 20 });
    text = bean_list_write(list, &question, &status);
    assert_non_null(strstr(text, "\"MemHeapUsedM\" : 3.0\n"));
    free(text);
    question = (struct bean_question){ "java.lang:type=Runtime", "Uptime" };
    text = bean_list_write(list, &question, &status);
    assert_non_null(strstr(text, "\"Uptime\" : 2000\n"));
    free(text);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_match_in_any_order),
        cmocka_unit_test(beans_are_written_line_by_line),
        cmocka_unit_test(one_attribute_is_written),
        cmocka_unit_test(other_json_keeps_its_content),
        cmocka_unit_test(a_process_has_the_beans_of_a_java_machine),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
