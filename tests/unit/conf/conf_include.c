/* SPDX-License-Identifier: Apache-2.0 */
/* conf_include.c - test: xi:include: relative paths, fallbacks, cycles, limits, origins of values */
#include "tests/unit/conf/conf_fixture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HOSTNAME "yarn.resourcemanager.hostname"
#define INCLUDE(href) "<xi:include href=\"" href "\"/>\n"
#define INCLUDE_OR(href, fallback) \
    "<xi:include href=\"" href "\"><xi:fallback>" fallback "</xi:fallback></xi:include>\n"

static void included_file_replaces_its_element(void **state)
{
    struct conf_fixture *fixture = *state;
    struct conf *conf;

    conf_write_properties(fixture, "inner.xml",
                          P("x.before", "inner") P("x.after", "inner") P_FINAL("x.final", "inner"));
    conf = conf_expect_properties(fixture, P("x.before", "outer") INCLUDE("inner.xml") P("x.after", "outer")
                                               P("x.final", "outer"));
    assert_string_equal(conf_raw(conf, "x.before"), "inner");
    assert_string_equal(conf_raw(conf, "x.after"), "outer");
    assert_string_equal(conf_raw(conf, "x.final"), "inner");
    assert_int_equal(conf_file_count(conf), 1);
}

static void relative_to_the_including_file(void **state)
{
    struct conf_fixture *fixture = *state;
    struct conf *conf;
    static const char *const schemes[] = { "", "file://", "file:" };
    char origin[CONF_ORIGIN_MAX], text[500];
    char *shown;

    assert_int_equal(mkdir(conf_path(fixture, "sub"), 0755), 0);
    conf_write_properties(fixture, "sub/one.xml", INCLUDE("two.xml") INCLUDE("../three.xml"));
    conf_write_properties(fixture, "sub/two.xml", P("x.two", "2"));
    conf_write_properties(fixture, "three.xml", "\n" P("x.three", "3"));
    conf = conf_expect_properties(fixture, INCLUDE("sub/one.xml"));
    assert_string_equal(conf_raw(conf, "x.two"), "2");
    shown = conf_with_dir(fixture, conf_origin(conf, "x.three", origin, sizeof(origin)));
    assert_string_equal(shown, "DIR/sub/../three.xml:3");
    free(shown);
    for (size_t i = 0; i < COUNT(schemes); i++) {
        snprintf(text, sizeof(text), "<xi:include href=\"%s%s\"/>", schemes[i],
                 conf_path(fixture, "three.xml"));
        conf = conf_expect_properties(fixture, text);
        assert_string_equal(conf_raw(conf, "x.three"), "3");
    }
    assert_int_equal(unlink(conf_path(fixture, "sub/one.xml")), 0);
    assert_int_equal(unlink(conf_path(fixture, "sub/two.xml")), 0);
}

static void fallbacks(void **state)
{
    struct conf_fixture *fixture = *state;
    struct conf *conf;

    conf = conf_expect_properties(
        fixture, "<xi:include href=\"none.xml\"><xi:fallback/></xi:include>" INCLUDE_OR(
                     "none.xml", P("x.one", "fallback"))
                     INCLUDE_OR("none.xml", INCLUDE_OR("none-either.xml", P("x.two", "inner fallback"))));
    assert_string_equal(conf_raw(conf, "x.one"), "fallback");
    assert_string_equal(conf_raw(conf, "x.two"), "inner fallback");
    conf_write_properties(fixture, "there.xml", P("x.one", "file"));
    conf = conf_expect_properties(fixture, INCLUDE_OR("there.xml", P("x.one", "fallback")));
    assert_string_equal(conf_raw(conf, "x.one"), "file");
    conf = conf_expect_properties(fixture,
                                  INCLUDE_OR("http://example.org/x.xml", P("x.one", "from the fallback")));
    assert_string_equal(conf_raw(conf, "x.one"), "from the fallback");
    assert_string_equal(fixture->warnings, "");
}

static void refused_includes(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        { INCLUDE("none.xml"), "DIR/yarn-site.xml:2: include of none.xml: No such file or "
                               "directory, and there is no fallback" },
        { INCLUDE("."), "DIR/yarn-site.xml:2: include of .: is a directory, not a file, and there "
                        "is no fallback" },
        { INCLUDE("http://example.org/x.xml"),
          "DIR/yarn-site.xml:2: include of "
          "http://example.org/x.xml: only files can be included, and there is no fallback" },
        { "<xi:include/>", "DIR/yarn-site.xml:2: include without href" },
        { INCLUDE(""), "DIR/yarn-site.xml:2: include without href" },
        { INCLUDE("yarn-site.xml"), "DIR/yarn-site.xml:2: include of DIR/yarn-site.xml: it includes "
                                    "itself" },
        { INCLUDE("../yarn-site.xml/../yarn-site.xml"),
          "DIR/yarn-site.xml:2: include of "
          "../yarn-site.xml/../yarn-site.xml: No such file or directory, and there is no fallback" },
    };

    for (size_t i = 0; i < COUNT(cases); i++)
        conf_expect_properties_error(*state, cases[i].text, cases[i].message);
}

/* A fallback applies to a missing file, not to an invalid file. */
static void a_broken_file_is_an_error_all_the_same(void **state)
{
    struct conf_fixture *fixture = *state;

    conf_write(fixture, "inner.xml", "<configuration>\n<property>\n</configuration>");
    conf_expect_properties_error(fixture, INCLUDE_OR("inner.xml", ""),
                                 "DIR/inner.xml:3:3: mismatched tag: </configuration>");
    conf_write(fixture, "inner.xml", "<properties/>");
    conf_expect_properties_error(fixture, INCLUDE_OR("inner.xml", ""),
                                 "DIR/inner.xml:1: the root "
                                 "element is <properties>, expected <configuration>");
    conf_write_properties(fixture, "inner.xml",
                          P("yarn.acl.enable", "true") P("yarn.scheduler.minimum-allocation-mb", "x"));
    conf_expect_properties_error(fixture, INCLUDE("inner.xml"),
                                 "DIR/inner.xml:3: yarn.scheduler."
                                 "minimum-allocation-mb: \"x\": expected a whole number of at "
                                 "least 0");
}

static void circles(void **state)
{
    struct conf_fixture *fixture = *state;

    conf_write_properties(fixture, "a.xml", INCLUDE("b.xml"));
    conf_write_properties(fixture, "b.xml", "\n" INCLUDE("a.xml"));
    conf_expect_properties_error(fixture, INCLUDE("a.xml"),
                                 "DIR/b.xml:3: include of DIR/a.xml: it includes itself");
    assert_int_equal(unlink(conf_path(fixture, "b.xml")), 0); /* another name for the same file */
    assert_int_equal(symlink("a.xml", conf_path(fixture, "b.xml")), 0);
    conf_expect_properties_error(fixture, INCLUDE("a.xml"),
                                 "DIR/a.xml:2: include of DIR/b.xml: it includes itself");
}

/* Including the same file twice, side by side, is no cycle. */
static void repeated_include_is_no_circle(void **state)
{
    struct conf_fixture *fixture = *state;

    conf_write_properties(fixture, "a.xml", P("x.y", "1"));
    conf_expect_properties(fixture, INCLUDE("a.xml") INCLUDE("a.xml"));
    assert_string_equal(fixture->warnings, "");
}

static void chain(struct conf_fixture *fixture, int files)
{
    for (int i = 1; i <= files; i++) {
        char name[32], text[200];

        snprintf(name, sizeof(name), "f%d.xml", i);
        if (i < files)
            snprintf(text, sizeof(text), "<xi:include href=\"f%d.xml\"/>", i + 1);
        else
            snprintf(text, sizeof(text), P("x.deep", "%d"), i);
        conf_write_properties(fixture, name, text);
    }
}

static void twenty_deep_and_no_deeper(void **state)
{
    struct conf_fixture *fixture = *state;

    chain(fixture, 20);
    assert_string_equal(conf_raw(conf_expect_properties(fixture, INCLUDE("f1.xml")), "x.deep"), "20");
    chain(fixture, 21);
    conf_expect_properties_error(fixture, INCLUDE("f1.xml"),
                                 "DIR/f20.xml:2: include of "
                                 "DIR/f21.xml: includes are nested deeper than 20");
}

/* Twelve files that each include the next one twice would be 8190 includes. */
static void a_thousand_and_no_more(void **state)
{
    struct conf_fixture *fixture = *state;
    struct conf *conf = NULL;
    struct err err = { .code = 0 };

    for (int i = 1; i <= 12; i++) {
        char name[32], text[200];

        snprintf(name, sizeof(name), "f%d.xml", i);
        snprintf(text, sizeof(text), "<xi:include href=\"f%d.xml\"/><xi:include href=\"f%d.xml\"/>", i + 1,
                 i + 1);
        conf_write_properties(fixture, name, i < 12 ? text : "");
    }
    conf_write_properties(fixture, "yarn-site.xml", INCLUDE("f1.xml"));
    assert_int_equal(conf_load(fixture->directory, NULL, NULL, &conf, &err), -EINVAL);
    assert_non_null(strstr(err.text, ": more than 1000 includes"));
}

static void attributes_that_mean_nothing_here(void **state)
{
    struct conf_fixture *fixture = *state;

    conf_write_properties(fixture, "a.xml", P("x.y", "1"));
    conf_expect_properties(fixture, "<xi:include href=\"a.xml\" parse=\"xml\"/>");
    assert_string_equal(fixture->warnings, "");
    conf_expect_properties(fixture, "<xi:include href=\"a.xml\" xpointer=\"p\" parse=\"text\"/>");
    assert_string_equal(fixture->warnings, "DIR/yarn-site.xml:2: include: attribute xpointer: ignored\n"
                                           "DIR/yarn-site.xml:2: include: attribute parse: ignored\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        conf_test(included_file_replaces_its_element),
        conf_test(relative_to_the_including_file),
        conf_test(fallbacks),
        conf_test(refused_includes),
        conf_test(a_broken_file_is_an_error_all_the_same),
        conf_test(circles),
        conf_test(repeated_include_is_no_circle),
        conf_test(twenty_deep_and_no_deeper),
        conf_test(a_thousand_and_no_more),
        conf_test(attributes_that_mean_nothing_here),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
