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

static const char process_beans[] =
    "{\n"
    "  \"beans\" : [ {\n"
    "    \"name\" : \"Hadoop:service=NodeManager,name=JvmMetrics\",\n"
    "    \"modelerType\" : \"JvmMetrics\",\n"
    "    \"tag.Context\" : \"jvm\",\n"
    "    \"tag.ProcessName\" : \"NodeManager\",\n"
    "    \"tag.SessionId\" : \"\",\n"
    "    \"tag.Hostname\" : \"n1\",\n"
    "    \"MemNonHeapUsedM\" : 0.0,\n"
    "    \"MemNonHeapCommittedM\" : 0.0,\n"
    "    \"MemNonHeapMaxM\" : -1.0,\n"
    "    \"MemHeapUsedM\" : 3.0,\n"
    "    \"MemHeapCommittedM\" : 3.0,\n"
    "    \"MemHeapMaxM\" : 3.0,\n"
    "    \"MemMaxM\" : 3.0,\n"
    "    \"GcCount\" : 0,\n"
    "    \"GcTimeMillis\" : 0,\n"
    "    \"ThreadsNew\" : 0,\n"
    "    \"ThreadsRunnable\" : 10,\n"
    "    \"ThreadsBlocked\" : 0,\n"
    "    \"ThreadsWaiting\" : 0,\n"
    "    \"ThreadsTimedWaiting\" : 0,\n"
    "    \"ThreadsTerminated\" : 0\n"
    "  }, {\n"
    "    \"name\" : \"java.lang:type=Memory\",\n"
    "    \"modelerType\" : \"sun.management.MemoryImpl\",\n"
    "    \"Verbose\" : false,\n"
    "    \"HeapMemoryUsage\" : {\n"
    "      \"committed\" : 3145728,\n"
    "      \"init\" : 3145728,\n"
    "      \"max\" : -1,\n"
    "      \"used\" : 3145728\n"
    "    },\n"
    "    \"NonHeapMemoryUsage\" : {\n"
    "      \"committed\" : 0,\n"
    "      \"init\" : 0,\n"
    "      \"max\" : -1,\n"
    "      \"used\" : 0\n"
    "    },\n"
    "    \"ObjectPendingFinalizationCount\" : 0\n"
    "  }, {\n"
    "    \"name\" : \"java.lang:type=OperatingSystem\",\n"
    "    \"modelerType\" : \"com.sun.management.internal.OperatingSystemImpl\",\n"
    "    \"OpenFileDescriptorCount\" : 6,\n"
    "    \"MaxFileDescriptorCount\" : 7,\n"
    "    \"CommittedVirtualMemorySize\" : 4,\n"
    "    \"ProcessCpuTime\" : 5000,\n"
    "    \"AvailableProcessors\" : 8,\n"
    "    \"SystemLoadAverage\" : 9.5,\n"
    "    \"Name\" : \"Linux\"\n"
    "  }, {\n"
    "    \"name\" : \"java.lang:type=Runtime\",\n"
    "    \"modelerType\" : \"sun.management.RuntimeImpl\",\n"
    "    \"VmName\" : \"creel\",\n"
    "    \"Name\" : \"NodeManager@n1\",\n"
    "    \"StartTime\" : 1000,\n"
    "    \"Uptime\" : 2001\n"
    "  }, {\n"
    "    \"name\" : \"java.lang:type=Threading\",\n"
    "    \"modelerType\" : \"com.sun.management.internal.HotSpotThreadImpl\",\n"
    "    \"ThreadCount\" : 10,\n"
    "    \"DaemonThreadCount\" : 0\n"
    "  } ]\n"
    "}";

static void a_process_has_the_beans_of_a_java_machine(void **state)
{
    struct arena *arena = arena_new();
    struct bean_list *list = bean_list_new(arena);
    int status;
    char *text;

    (void)state;
    bean_add_process(list, &(struct bean_process){ .service = "NodeManager",
                                                   .host = "n1",
                                                   .started_ms = 1000,
                                                   .now_ms = 3001,
                                                   .resident_bytes = 3 << 20,
                                                   .virtual_bytes = 4,
                                                   .cpu_us = 5,
                                                   .open_files = 6,
                                                   .open_files_max = 7,
                                                   .processors = 8,
                                                   .load = 9.5,
                                                   .threads = 10 });
    text = bean_list_write(list, &(struct bean_question){ .pattern = NULL }, &status);
    assert_string_equal(text, process_beans);
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
