/* SPDX-License-Identifier: Apache-2.0 */
/* conf_files.c - test: Hadoop configuration files: syntax, layers, final properties, duplicates, invalid
 * files */
#include "tests/unit/conf/conf_fixture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"

#define HOSTNAME "yarn.resourcemanager.hostname"
#define NAME(text) "<name>" text "</name>"
#define VALUE(text) "<value>" text "</value>"

static void no_files_means_defaults(void **state)
{
    struct conf_fixture *fixture = *state;
    struct conf *conf = conf_expect(fixture);

    assert_int_equal(conf_file_count(conf), 0);
    assert_int_equal(conf_int(conf, CONF_MAX_ALLOCATION_MB), 8192);
    assert_string_equal(conf_loaded_from(conf), fixture->directory);
    assert_string_equal(fixture->warnings, "");
}

static void creel_site_over_yarn_site(void **state)
{
    struct conf_fixture *fixture = *state;
    struct conf *conf;

    conf_write_properties(fixture, "yarn-site.xml", P(HOSTNAME, "a") P("x.one", "1"));
    conf_write_properties(fixture, "creel-site.xml", P(HOSTNAME, "b") P("x.two", "2"));
    conf = conf_expect(fixture);
    assert_int_equal(conf_file_count(conf), 2);
    assert_string_equal(conf_text(conf, CONF_RM_HOSTNAME), "b");
    assert_string_equal(conf_raw(conf, "x.one"), "1");
    assert_string_equal(conf_raw(conf, "x.two"), "2");
    assert_null(conf_raw(conf, "x.three"));
    assert_string_equal(fixture->warnings, "");
}

static void either_file_alone(void **state)
{
    struct conf_fixture *fixture = *state;

    conf_write_properties(fixture, "creel-site.xml", P(HOSTNAME, "only-creel"));
    assert_string_equal(conf_text(conf_expect(fixture), CONF_RM_HOSTNAME), "only-creel");
    assert_int_equal(unlink(conf_path(fixture, "creel-site.xml")), 0);
    conf_write_properties(fixture, "yarn-site.xml", P(HOSTNAME, "only-yarn"));
    assert_string_equal(conf_text(conf_expect(fixture), CONF_RM_HOSTNAME), "only-yarn");
}

static void final_holds_against_later_ones(void **state)
{
    struct conf_fixture *fixture = *state;
    struct conf *conf;

    conf_write_properties(fixture, "yarn-site.xml",
                          P_FINAL(HOSTNAME, "a") P(HOSTNAME, "b") P_FINAL("x.same", "1"));
    conf_write_properties(fixture, "creel-site.xml", P(HOSTNAME, "c") P("x.same", "1"));
    conf = conf_expect(fixture);
    assert_string_equal(conf_text(conf, CONF_RM_HOSTNAME), "a");
    assert_string_equal(fixture->warnings,
                        "DIR/yarn-site.xml:3: " HOSTNAME ": is final in DIR/yarn-site.xml:2: ignored\n"
                        "DIR/creel-site.xml:2: " HOSTNAME ": is final in DIR/yarn-site.xml:2: ignored\n");
}

static void only_the_text_true_makes_a_property_final(void **state)
{
    static const struct {
        const char *text;
        bool final;
    } cases[] = {
        { "true", true },   { " true\n", true }, { "TRUE", true },
        { "false", false }, { "", false },       { "yes", false },
    };
    struct conf_fixture *fixture = *state;

    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[300];
        struct conf *conf;

        snprintf(text, sizeof(text), "<property>" NAME(HOSTNAME) VALUE("a") "<final>%s</final></property>",
                 cases[i].text);
        conf_write_properties(fixture, "yarn-site.xml", text);
        conf_write_properties(fixture, "creel-site.xml", P(HOSTNAME, "b"));
        conf = conf_expect(fixture);
        assert_string_equal(conf_text(conf, CONF_RM_HOSTNAME), cases[i].final ? "a" : "b");
    }
}

static void the_last_duplicate_wins(void **state)
{
    struct conf *conf = conf_expect_properties(*state, P(HOSTNAME, "a") P("x.y", "1") P(HOSTNAME, "b")
                                                           P("x.y", "2") P_FINAL(HOSTNAME, "c"));

    assert_string_equal(conf_text(conf, CONF_RM_HOSTNAME), "c");
    assert_string_equal(conf_raw(conf, "x.y"), "2");
}

static void names_and_values_are_trimmed(void **state)
{
    struct conf *conf =
        conf_expect_properties(*state, P("\n\t " HOSTNAME "\r\n  ", "\n  rm one \t") P("x.empty", " \n ")
                                           P("x.none", "") "<property>" NAME("x.void") "<value/></property>");

    assert_string_equal(conf_text(conf, CONF_RM_HOSTNAME), "rm one");
    assert_string_equal(conf_raw(conf, "x.empty"), "");
    assert_string_equal(conf_raw(conf, "x.none"), "");
    assert_string_equal(conf_raw(conf, "x.void"), "");
}

/* In each of these whole files HOSTNAME has the value "rm". */
static void ways_to_write_a_file(void **state)
{
    static const char *const files[] = {
        "<?xml version=\"1.0\"?>\n<?xml-stylesheet type=\"text/xsl\" href=\"x.xsl\"?>\n"
        "<!-- a comment -->\n<configuration>" P(HOSTNAME, "rm") "</configuration>\n",
        "\xef\xbb\xbf<configuration>" P(HOSTNAME, "rm") "</configuration>",
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\r\n<configuration>\r\n" P(
            HOSTNAME, "rm") "\r\n</configuration>\r\n",
        "<configuration><property>" VALUE(
            "rm") "<final>true</final>"
                  "<description>where <b>it</b> is &lt;</description><source>x</source>" NAME(
                      HOSTNAME) "</property></configuration>",
        "<configuration><property name=\"" HOSTNAME "\" value=\"rm\" final=\"true\"/>"
        "</configuration>",
        "<configuration><property name=\"" HOSTNAME "\" tag=\"x\">" VALUE("rm") "</property>"
                                                                                "</configuration>",
        "<configuration><configuration>" P(HOSTNAME, "rm") "</configuration></configuration>",
        "<configuration>" P(HOSTNAME, "<![CDATA[r]]>&#x6d;") "</configuration>",
        "<configuration>" P(HOSTNAME, "r<!-- in the middle -->m") "</configuration>",
        "<!DOCTYPE configuration [<!ENTITY host \"rm\">]>\n"
        "<configuration>" P(HOSTNAME, "&host;") "</configuration>",
        "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><configuration>"
        "<!-- \xe9t\xe9 -->" P(HOSTNAME, "rm") "</configuration>",
        "<configuration xmlns=\"urn:x\">" P(HOSTNAME, "rm") "</configuration>",
    };
    struct conf_fixture *fixture = *state;

    for (size_t i = 0; i < COUNT(files); i++) {
        conf_write(fixture, "yarn-site.xml", files[i]);
        assert_string_equal(conf_text(conf_expect(fixture), CONF_RM_HOSTNAME), "rm");
        assert_string_equal(fixture->warnings, "");
    }
}

/* Converts TEXT to little-endian UTF-16 with a byte order mark. Returns the size in bytes. */
static size_t to_utf16(const char *text, char *wide)
{
    size_t used = 0;

    wide[used++] = '\xff';
    wide[used++] = '\xfe';
    for (; *text; text++) {
        wide[used++] = *text;
        wide[used++] = '\0';
    }
    return used;
}

static void utf16(void **state)
{
    struct conf_fixture *fixture = *state;
    char wide[1000];
    size_t size = to_utf16("<?xml version=\"1.0\" encoding=\"UTF-16\"?>\n<configuration>\n" P(
                               HOSTNAME, "&#252;ber") "</configuration>",
                           wide);

    conf_write_bytes(fixture, "yarn-site.xml", wide, size);
    assert_string_equal(conf_text(conf_expect(fixture), CONF_RM_HOSTNAME), "\xc3\xbc"
                                                                           "ber");
    size = to_utf16("<configuration>\n<property></configuration>", wide);
    conf_write_bytes(fixture, "yarn-site.xml", wide, size);
    conf_expect_error(fixture, EINVAL, "DIR/yarn-site.xml:2:13: mismatched tag");
}

/* Elements that Hadoop ignores are ignored with a warning. */
static void unknown_elements_are_ignored(void **state)
{
    static const struct {
        const char *text, *warning;
    } cases[] = {
        { "<propety>" NAME("x") VALUE("y") "</propety>",
          "DIR/yarn-site.xml:2: unknown element <propety>: ignored\n" },
        { "<property>" NAME("x") VALUE("y") "\n<default>z</default></property>",
          "DIR/yarn-site.xml:3: unknown element <default>: ignored\n" },
        { "<property>" VALUE("y") "</property>",
          "DIR/yarn-site.xml:2: property without a <name>: ignored\n" },
        { "<property>" NAME(" ") VALUE("y") "</property>",
          "DIR/yarn-site.xml:2: property without a <name>: ignored\n" },
        { "<property>" NAME("x.y") "</property>",
          "DIR/yarn-site.xml:2: x.y: property without a <value>: ignored\n" },
        { "<property/>", "DIR/yarn-site.xml:2: property without a <name>: ignored\n" },
        { "<property>" NAME("x") VALUE("y") "\n" NAME("v") VALUE("w") "</property>",
          "DIR/yarn-site.xml:3: given twice in one property: the last is used\n"
          "DIR/yarn-site.xml:3: given twice in one property: the last is used\n" },
        { "\n=======\n>", "DIR/yarn-site.xml:3: text outside of <name> and <value>: ignored\n" },
        { "<property>" NAME("x") VALUE("y") "<final>maybe</final></property>",
          "DIR/yarn-site.xml:2: x: <final> is \"maybe\": counts as false\n" },
    };
    struct conf_fixture *fixture = *state;

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct conf *conf = conf_expect_properties(fixture, cases[i].text);

        assert_string_equal(fixture->warnings, cases[i].warning);
        assert_string_equal(conf_text(conf, CONF_RM_HOSTNAME), "0.0.0.0");
    }
}

/* Whole invalid files, and the complete error message for each. */
static void broken_files(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        { "", "DIR/yarn-site.xml:1:1: no element found" },
        { "\n\n", "DIR/yarn-site.xml:3:1: no element found" },
        { "hostname = rm\n", "DIR/yarn-site.xml:1:1: syntax error: hostname = rm" },
        { "<configuration>\n<!-- a -- b -->\n</configuration>",
          "DIR/yarn-site.xml:2:10: not well-formed (invalid token): <!-- a -- b -->" },
        { "<configuration>\n  <property>\n    <name>a</name>\n", "DIR/yarn-site.xml:4:1: no element found" },
        { "<configuration>\n  <property>\n    <na", "DIR/yarn-site.xml:3:5: unclosed token: <na" },
        { "<configuration>\n<property><name>a</nam></property>\n</configuration>",
          "DIR/yarn-site.xml:2:20: mismatched tag: <property><name>a</nam></property>" },
        { "<configuration>\n<property><name>a&b</name></property>\n</configuration>",
          "DIR/yarn-site.xml:2:20: not well-formed (invalid token): "
          "<property><name>a&b</name></property>" },
        { "<configuration>\n" P("a", "&nothing;") "</configuration>",
          "DIR/yarn-site.xml:2:32: undefined entity: "
          "<property><name>a</name><value>&nothing;</value></property>" },
        { "<configuration/>\n<configuration/>",
          "DIR/yarn-site.xml:2:1: junk after document element: <configuration/>" },
        { "<configuration>\n<a>\xe9</a></configuration>",
          "DIR/yarn-site.xml:2:4: not well-formed (invalid token): <a>?</a></configuration>" },
        { "<?xml version=\"1.0\" encoding=\"KOI8-R\"?>\n<configuration/>",
          "DIR/yarn-site.xml:1:31: unknown encoding: <?xml version=\"1.0\" encoding=\"KOI8-R\"?>" },
        { "<allocations><queue name=\"a\"/></allocations>",
          "DIR/yarn-site.xml:1: the root element is <allocations>, expected <configuration>: "
          "OLD FORMAT or another file, the pools of a fair scheduler or of Spark" },
        { "<configuration>\n<property><name>x</name><value>a<b>c</b>\n</value></property>\n"
          "</configuration>",
          "DIR/yarn-site.xml:2: <b> inside a property's text, expected text only" },
        { "<x:configuration/>", "DIR/yarn-site.xml:1:1: unbound prefix: <x:configuration/>" },
    };
    struct conf_fixture *fixture = *state;

    for (size_t i = 0; i < COUNT(cases); i++) {
        conf_write(fixture, "yarn-site.xml", cases[i].text);
        conf_expect_error(fixture, EINVAL, cases[i].message);
    }
}

static void a_nul_byte(void **state)
{
    conf_write_bytes(*state, "yarn-site.xml", "<configuration>\n<a>\0</a></configuration>", 40);
    conf_expect_error(*state, EINVAL, "DIR/yarn-site.xml:2:4: not well-formed (invalid token)");
}

/* A file truncated at any byte is an error with a line number, never half a configuration. */
static void a_file_cut_anywhere(void **state)
{
    static const char whole[] =
        "<?xml version=\"1.0\"?>\n<configuration>\n" P(HOSTNAME, "rm") "</configuration>";
    struct conf_fixture *fixture = *state;

    for (size_t size = 0; size < sizeof(whole) - 1; size++) {
        struct conf *conf = NULL;
        struct err err = { .code = 0 };

        conf_write_bytes(fixture, "yarn-site.xml", whole, size);
        assert_int_equal(conf_load(fixture->directory, NULL, NULL, &conf, &err), -EINVAL);
        assert_null(conf);
        assert_non_null(strstr(err.text, "/yarn-site.xml:"));
    }
}

static void entities_from_outside(void **state)
{
    static const char *const files[] = {
        "<!DOCTYPE c [<!ENTITY x SYSTEM \"/etc/hostname\">]>\n"
        "<configuration>\n" P(HOSTNAME, "&x;") "</configuration>",
        "<!DOCTYPE c SYSTEM \"c.dtd\">\n\n<configuration>" P(HOSTNAME, "&x;") "</configuration>",
    };
    struct conf_fixture *fixture = *state;

    for (size_t i = 0; i < COUNT(files); i++) {
        conf_write(fixture, "yarn-site.xml", files[i]);
        conf_expect_error(fixture, EINVAL,
                          "DIR/yarn-site.xml:3: an entity that is not in the file "
                          "itself: such are not read");
    }
}

/* Ten to the tenth: refused quickly, by expat's limits or by the limit on a value. */
static void an_entity_bomb(void **state)
{
    struct conf_fixture *fixture = *state;
    struct conf *conf = NULL;
    struct err err = { .code = 0 };
    char text[4000];
    size_t used = (size_t)snprintf(text, sizeof(text), "<!DOCTYPE c [\n<!ENTITY e0 \"ha\">\n");

    for (int i = 1; i <= 10; i++) {
        used += (size_t)snprintf(text + used, sizeof(text) - used, "<!ENTITY e%d \"", i);
        for (int j = 0; j < 10; j++)
            used += (size_t)snprintf(text + used, sizeof(text) - used, "&e%d;", i - 1);
        used += (size_t)snprintf(text + used, sizeof(text) - used, "\">\n");
    }
    snprintf(text + used, sizeof(text) - used, "]>\n<configuration>" P(HOSTNAME, "&e10;") "</configuration>");
    conf_write(fixture, "yarn-site.xml", text);
    assert_int_equal(conf_load(fixture->directory, NULL, NULL, &conf, &err), -EINVAL);
    assert_non_null(strstr(err.text, "limit on input amplification factor"));
}

static void a_large_value(void **state)
{
    struct conf_fixture *fixture = *state;
    size_t limit = (size_t)1 << 20;
    scoped_free char *value = mem_alloc(limit + 2);
    scoped_free char *fits = NULL;
    scoped_free char *too_long = NULL;

    memset(value, 'v', limit + 1);
    value[limit] = '\0';
    fits = mem_printf(P("x.large", "%s"), value);
    assert_int_equal(strlen(conf_raw(conf_expect_properties(fixture, fits), "x.large")), limit);
    value[limit] = 'v';
    value[limit + 1] = '\0';
    too_long = mem_printf(P("x.large", "%s"), value);
    conf_expect_properties_error(fixture, too_long, "DIR/yarn-site.xml:2: <value> is larger than 1 MiB");
}

static void a_large_file(void **state)
{
    struct conf_fixture *fixture = *state;

    conf_write(fixture, "yarn-site.xml", "<configuration/>");
    assert_int_equal(truncate(conf_path(fixture, "yarn-site.xml"), (16 << 20) + 1), 0);
    conf_expect_error(fixture, EFBIG, "DIR/yarn-site.xml: larger than 16 MiB");
}

static void deep_nesting(void **state)
{
    char text[4000] = "";
    size_t used = 0;

    for (int i = 0; i < 100; i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "<configuration>");
    for (int i = 0; i < 100; i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "</configuration>");
    conf_expect_properties_error(*state, text, "DIR/yarn-site.xml:2: elements are nested deeper than 64");
}

static void unreadable_files_are_errors(void **state)
{
    struct conf_fixture *fixture = *state;

    assert_int_equal(mkdir(conf_path(fixture, "yarn-site.xml"), 0755), 0);
    conf_expect_error(fixture, EISDIR, "DIR/yarn-site.xml: is a directory, not a file");
    assert_int_equal(rmdir(conf_path(fixture, "yarn-site.xml")), 0);
    assert_int_equal(mkfifo(conf_path(fixture, "yarn-site.xml"), 0644), 0);
    conf_expect_error(fixture, EINVAL, "DIR/yarn-site.xml: not a regular file");
    assert_int_equal(unlink(conf_path(fixture, "yarn-site.xml")), 0);
    assert_int_equal(symlink("yarn-site.xml", conf_path(fixture, "yarn-site.xml")), 0);
    conf_expect_error(fixture, ELOOP, "DIR/yarn-site.xml: Too many levels of symbolic links");
}

/* Root may read every file, so the test runs as another user meanwhile. */
static void an_unreadable_file(void **state)
{
    struct conf_fixture *fixture = *state;
    uid_t me = geteuid();

    conf_write(fixture, "yarn-site.xml", "<configuration/>");
    assert_int_equal(chmod(conf_path(fixture, "yarn-site.xml"), 0), 0);
    assert_int_equal(chmod(fixture->directory, 0755), 0);
    if (me == 0)
        assert_int_equal(seteuid(65534), 0);
    conf_expect_error(fixture, EACCES, "DIR/yarn-site.xml: Permission denied");
    if (me == 0)
        assert_int_equal(seteuid(0), 0);
}

/* Settings that a client loads: mistakes that concern the scheduler or a daemon do not stop it. */
static void only_needed_keys_are_checked(void **state)
{
    static const enum conf_key needed[] = { CONF_RM_CLIENT_ADDRESS, CONF_KEY_DIR };
    struct conf_fixture *fixture = *state;
    struct conf *conf = NULL;
    struct err err = { 0 };

    conf_write(fixture, "capacity-scheduler.xml", "<configuration><property>");
    conf_write_properties(fixture, "yarn-site.xml",
                          P("yarn.scheduler.minimum-allocation-mb", "abc") P("creel.no-such-key", "1")
                              P("creel.security.key-dir", "${site.keys}/x") P("site.keys", "/srv")
                                  P("yarn.scheduler.maximum-allocation-mb", "1"));
    assert_int_equal(conf_load(fixture->directory, NULL, NULL, &conf, &err), -EINVAL);
    assert_int_equal(
        conf_load_needed(fixture->directory, needed, sizeof(needed) / sizeof(needed[0]), &conf, &err), 0);
    assert_string_equal(conf_text(conf, CONF_KEY_DIR), "/srv/x");
    assert_int_equal(conf_int(conf, CONF_MIN_ALLOCATION_MB), 1024);
    conf_free(conf);

    for (size_t i = 0; i < COUNT(needed); i++) {
        const char *name = conf_key_info(needed[i])->name;
        scoped_free char *property =
            mem_printf("<property><name>%s</name><value>${%s}</value></property>", name, name);
        scoped_free char *message = mem_printf("%s: \"${%s}\": more than", name, name);

        conf_write_properties(fixture, "yarn-site.xml", property);
        assert_int_equal(conf_load_needed(fixture->directory, needed, COUNT(needed), &conf, &err), -EINVAL);
        assert_non_null(strstr(err.text, message));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        conf_test(no_files_means_defaults),
        conf_test(creel_site_over_yarn_site),
        conf_test(either_file_alone),
        conf_test(final_holds_against_later_ones),
        conf_test(only_the_text_true_makes_a_property_final),
        conf_test(the_last_duplicate_wins),
        conf_test(names_and_values_are_trimmed),
        conf_test(ways_to_write_a_file),
        conf_test(utf16),
        conf_test(unknown_elements_are_ignored),
        conf_test(broken_files),
        conf_test(a_nul_byte),
        conf_test(a_file_cut_anywhere),
        conf_test(entities_from_outside),
        conf_test(an_entity_bomb),
        conf_test(a_large_value),
        conf_test(a_large_file),
        conf_test(deep_nesting),
        conf_test(unreadable_files_are_errors),
        conf_test(an_unreadable_file),
        conf_test(only_needed_keys_are_checked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
