/* SPDX-License-Identifier: Apache-2.0 */
/* web_document.c - test: one sequence of calls as both JSON dialects and as XML */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "web/text/document.h"

#define XML "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>"

typedef void write_fn(struct document *document);

/* The document is the same if it is taken a piece at a time. */
static void check(write_fn *write, enum document_form form, const char *expected)
{
    struct document *document = document_new(form, "root");
    scoped_text_builder struct text_builder taken = TEXT_BUILDER_MALLOC;
    size_t size;
    char *text;

    write(document);
    text = document_finish(document, &size);
    assert_string_equal(text, expected);
    assert_int_equal(size, strlen(expected));
    free(text);
    document = document_new(form, "root");
    document_take(document, &taken);
    write(document);
    document_take(document, &taken);
    document_take(document, &taken);
    text = document_finish(document, &size);
    text_builder_add_bytes(&taken, text, size);
    assert_string_equal(text_builder_text(&taken), expected);
    free(text);
}

static void check_all(write_fn *write, const char *natural, const char *mapped, const char *xml)
{
    check(write, DOCUMENT_NATURAL, natural);
    check(write, DOCUMENT_MAPPED, mapped);
    check(write, DOCUMENT_XML, xml);
}

static void write_values(struct document *document)
{
    document_text(document, "text", "a \"b\" <c> & d");
    document_text(document, "none", NULL);
    document_int(document, "int", INT64_MIN);
    document_uint(document, "uint", UINT64_MAX);
    document_float(document, "whole", 100);
    document_float(document, "float", 7.500519f);
    document_double(document, "double", 1.9675389528274536);
    document_float(document, "infinite", INFINITY);
    document_bool(document, "bool", true);
}

static void values_of_each_type(void **state)
{
    (void)state;
    check_all(write_values,
              "{\"root\":{\"text\":\"a \\\"b\\\" <c> & d\",\"none\":\"\",\"int\":-9223372036854775808,"
              "\"uint\":18446744073709551615,\"whole\":100.0,\"float\":7.500519,"
              "\"double\":1.9675389528274536,"
              "\"infinite\":0.0,\"bool\":true}}",
              "{\"text\":\"a \\\"b\\\" <c> & d\",\"none\":\"\",\"int\":\"-9223372036854775808\","
              "\"uint\":\"18446744073709551615\",\"whole\":\"100.0\",\"float\":\"7.500519\","
              "\"double\":\"1.9675389528274536\",\"infinite\":\"0.0\",\"bool\":\"true\"}",
              XML "<root><text>a &quot;b&quot; &lt;c&gt; &amp; d</text><none></none>"
                  "<int>-9223372036854775808</int><uint>18446744073709551615</uint><whole>100.0</whole>"
                  "<float>7.500519</float><double>1.9675389528274536</double><infinite>0.0</infinite>"
                  "<bool>true</bool></root>");
}

static void write_lists(struct document *document)
{
    document_begin_list(document, "none", 0);
    document_end_list(document);
    document_begin_list(document, "one", 1);
    document_int(document, NULL, 1);
    document_end_list(document);
    document_begin_list(document, "two", 2);
    document_begin(document, NULL);
    document_text(document, "a", "x");
    document_end(document);
    document_begin_as(document, NULL, "kind");
    document_text(document, "a", "y");
    document_end(document);
    document_end_list(document);
}

static void lists_of_no_one_and_two_elements(void **state)
{
    (void)state;
    check_all(write_lists, "{\"root\":{\"one\":[1],\"two\":[{\"a\":\"x\"},{\"type\":\"kind\",\"a\":\"y\"}]}}",
              "{\"one\":\"1\",\"two\":[{\"a\":\"x\"},{\"type\":\"kind\",\"a\":\"y\"}]}",
              XML "<root><one>1</one><two><a>x</a></two>"
                  "<two xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:type=\"kind\"><a>"
                  "y</a></two></root>");
}

static void write_maps(struct document *document)
{
    document_begin_map(document, "none", 0);
    document_end_map(document);
    document_begin_map(document, "one", 1);
    document_entry(document, "k", "v");
    document_end_map(document);
    document_begin_map(document, "two", 2);
    document_entry(document, "k", "1");
    document_entry(document, "l", "2");
    document_end_map(document);
    document_empty(document, "empty");
}

static void maps_and_empty_objects(void **state)
{
    (void)state;
    check_all(write_maps,
              "{\"root\":{\"none\":{},\"one\":{\"entry\":[{\"key\":\"k\",\"value\":\"v\"}]},"
              "\"two\":{\"entry\":[{\"key\":\"k\",\"value\":\"1\"},{\"key\":\"l\","
              "\"value\":\"2\"}]},\"empty\":{}}}",
              "{\"none\":null,\"one\":{\"entry\":{\"key\":\"k\",\"value\":\"v\"}},"
              "\"two\":{\"entry\":[{\"key\":\"k\",\"value\":\"1\"},{\"key\":\"l\","
              "\"value\":\"2\"}]},\"empty\":null}",
              XML "<root><none/><one><entry><key>k</key><value>v</value></entry></one>"
                  "<two><entry><key>k</key><value>1</value></entry><entry><key>l</key><value>2</value>"
                  "</entry></two>"
                  "<empty/></root>");
}

static void write_nothing(struct document *document)
{
    (void)document;
}

static void the_root_alone(void **state)
{
    (void)state;
    check(write_nothing, DOCUMENT_BARE, "{}");
    check_all(write_nothing, "{\"root\":{}}", "{}", XML "<root></root>");
}

static void write_hostile(struct document *document)
{
    document_text(document, "a", "]]>\x01\x1f\xff\xc3(\r\n\t\xef\xbf\xbf</a>");
}

static void hostile_texts_are_escaped(void **state)
{
    (void)state;
    check(write_hostile, DOCUMENT_BARE,
          "{\"a\":\"]]>\\u0001\\u001f\xef\xbf\xbd\xef\xbf\xbd(\\r\\n\\t\xef\xbf\xbf</a>\"}");
    check(write_hostile, DOCUMENT_XML,
          XML "<root><a>"
              "]]&gt;\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd(&#13;\n\t\xef\xbf\xbd&lt;/a&gt;</a>"
              "</root>");
}

static void write_deep(struct document *document)
{
    for (int i = 0; i < 400; i++)
        document_begin(document, "d");
    for (int i = 0; i < 400; i++)
        document_end(document);
}

static void queues_may_be_deep(void **state)
{
    struct document *document = document_new(DOCUMENT_NATURAL, "root");
    size_t size;

    (void)state;
    write_deep(document);
    free(document_finish(document, &size));
    assert_true(size > 400 * 6);
    document_free(document_new(DOCUMENT_XML, "root"));
    document_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_each_type),       cmocka_unit_test(lists_of_no_one_and_two_elements),
        cmocka_unit_test(maps_and_empty_objects),    cmocka_unit_test(the_root_alone),
        cmocka_unit_test(hostile_texts_are_escaped), cmocka_unit_test(queues_may_be_deep),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
