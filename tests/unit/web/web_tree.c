/* SPDX-License-Identifier: Apache-2.0 */
/* web_tree.c - test: JSON and XML of clients are read into the same form, or refused */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "web/text/tree.h"

typedef int read_fn(struct arena *arena, const char *bytes, size_t size, const char *root, struct tree **ret,
                    struct err *err);

static const struct tree *read_good(struct arena *arena, read_fn *read, const char *text, const char *root)
{
    struct err err = { .code = 0 };
    struct tree *tree = NULL;

    if (read(arena, text, strlen(text), root, &tree, &err) < 0)
        fail_msg("%s: %s", text, err.text);
    assert_string_equal(tree->name, root);
    return tree;
}

/* {"nodeId":"h:1","labels":["a","b"]}, and of a second one without labels */
static void check_nodes(const struct tree *tree)
{
    const struct tree *node = tree_find(tree, "node"), *label = tree_find(node, "labels");

    assert_string_equal(tree_text(node, "nodeId"), "h:1");
    assert_string_equal(label->text, "a");
    assert_string_equal(tree_next(label)->text, "b");
    assert_null(tree_next(tree_next(label)));
    node = tree_next(node);
    assert_string_equal(tree_text(node, "nodeId"), "h:2");
    assert_null(tree_find(node, "labels"));
    assert_null(tree_text(node, "nosuch"));
    assert_null(tree_next(node));
}

static void both_formats_give_the_same(void **state)
{
    struct arena *arena = arena_new();

    (void)state;
    check_nodes(read_good(arena, tree_read_json,
                          "{\"node\":[{\"nodeId\":\"h:1\",\"labels\":[\"a\",\"b\"]},"
                          "{\"nodeId\":\"h:2\"}]}",
                          "nodes"));
    check_nodes(read_good(arena, tree_read_xml,
                          "<?xml version='1.0'?>\n<nodes>\n <node><nodeId>h:1</nodeId> "
                          "<labels>a</labels><labels>b</labels></node>\n <node x='1'>"
                          "<nodeId>h:2</nodeId></node>"
                          "</nodes>",
                          "nodes"));
    arena_free(arena);
}

static void the_root_may_be_named(void **state)
{
    struct arena *arena = arena_new();

    (void)state;
    assert_string_equal(
        tree_text(read_good(arena, tree_read_json, "{\"state\":\"KILLED\"}", "appstate"), "state"), "KILLED");
    assert_string_equal(
        tree_text(read_good(arena, tree_read_json, "{\"appstate\":{\"state\":\"KILLED\"}}", "appstate"),
                  "state"),
        "KILLED");
    assert_string_equal(
        tree_text(read_good(arena, tree_read_json, "{\"p\":7,\"q\":true,\"r\":null,\"s\":1.5}", "x"), "p"),
        "7");
    assert_null(tree_find(read_good(arena, tree_read_json, "{}", "x"), "p"));
    assert_string_equal(
        tree_text(read_good(arena, tree_read_xml, "<x><a>&lt;&#65;<![CDATA[<b>]]></a></x>", "x"), "a"),
        "<A<b>");
    arena_free(arena);
}

static void check_refused(struct arena *arena, read_fn *read, const char *text, const char *problem)
{
    struct err err = { .code = 0 };
    struct tree *tree = NULL;

    assert_int_equal(read(arena, text, strlen(text), "x", &tree, &err), -EINVAL);
    if (strstr(err.text, problem) == NULL)
        fail_msg("%.60s: %s, not \"%s\"", text, err.text, problem);
}

static void deep(char *text, size_t size, const char *open, int levels)
{
    *text = '\0';
    for (int i = 0; i < levels; i++)
        snprintf(text + strlen(text), size - strlen(text), "%s", open);
}

static void malformed_or_too_large_documents_are_refused(void **state)
{
    struct arena *arena = arena_new();
    char text[2000];

    (void)state;
    check_refused(arena, tree_read_json, "", "line 1");
    check_refused(arena, tree_read_json, "garbage", "line 1");
    check_refused(arena, tree_read_json, "[]", "no object");
    check_refused(arena, tree_read_json, "{\"a\":1,\"a\":2}", "duplicate");
    check_refused(arena, tree_read_json, "{\"a\":[[1]]}", "a list in a list");
    check_refused(arena, tree_read_xml, "", "line 1");
    check_refused(arena, tree_read_xml, "<x>", "line 1");
    check_refused(arena, tree_read_xml, "<y/>", "<y> instead of <x>");
    check_refused(arena, tree_read_xml, "<!DOCTYPE x [<!ENTITY a \"b\">]><x>&a;</x>", "DTD");
    deep(text, sizeof(text), "{\"a\":", 40);
    snprintf(text + strlen(text), sizeof(text) - strlen(text), "1");
    for (int i = 0; i < 40; i++)
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "}");
    check_refused(arena, tree_read_json, text, "deeper than");
    deep(text, sizeof(text), "<x>", 40);
    check_refused(arena, tree_read_xml, text, "deeper than");
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_formats_give_the_same),
        cmocka_unit_test(the_root_may_be_named),
        cmocka_unit_test(malformed_or_too_large_documents_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
