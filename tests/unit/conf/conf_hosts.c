/* SPDX-License-Identifier: Apache-2.0 */
/* conf_hosts.c - test: parsing of the include and exclude lists of hosts, and their error messages */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/conf/hosts.h"

struct scratch {
    char directory[64], plain[96], xml[96];
    struct hosts_lists lists;
    struct err err;
};

static int set_up(void **state)
{
    struct scratch *s = calloc(1, sizeof(*s));

    assert_non_null(s);
    strcpy(s->directory, "/tmp/creel-hosts.XXXXXX");
    assert_non_null(mkdtemp(s->directory));
    snprintf(s->plain, sizeof(s->plain), "%s/list", s->directory);
    snprintf(s->xml, sizeof(s->xml), "%s/list.xml", s->directory);
    *state = s;
    return 0;
}

static int tear_down(void **state)
{
    struct scratch *s = *state;

    hosts_done(&s->lists);
    unlink(s->plain);
    unlink(s->xml);
    rmdir(s->directory);
    free(s);
    return 0;
}

/* Reads TEXT as the exclude list in PATH. */
static int read_list(struct scratch *s, const char *path, const char *text, size_t size)
{
    struct conf *conf = conf_new_defaults();
    FILE *file = fopen(path, "w");
    int r;

    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(conf_set(conf, "yarn.resourcemanager.nodes.exclude-path", path, &s->err), 0);
    hosts_done(&s->lists);
    r = hosts_load(conf, &s->lists, &s->err);
    conf_free(conf);
    return r;
}

static void reads(struct scratch *s, const char *path, const char *text, const char *names)
{
    char all[256] = "";

    if (read_list(s, path, text, strlen(text)) < 0)
        fail_msg("%s", s->err.text);
    for (size_t i = 0; i < s->lists.exclude.count; i++) {
        const struct hosts_entry *entry = &s->lists.exclude.items[i];
        size_t used = strlen(all);

        if (entry->timed)
            snprintf(all + used, sizeof(all) - used, "%s=%lld ", entry->name, (long long)entry->timeout_ms);
        else
            snprintf(all + used, sizeof(all) - used, "%s ", entry->name);
    }
    assert_string_equal(all, names);
    assert_int_equal(s->lists.include.count, 0);
}

static void refuses(struct scratch *s, const char *path, const char *text, const char *part)
{
    assert_int_equal(read_list(s, path, text, strlen(text)), -22);
    assert_int_equal(s->lists.exclude.count, 0);
    if (strstr(s->err.text, part) == NULL)
        fail_msg("no \"%s\" in \"%s\"", part, s->err.text);
}

static void plain_files_have_names_and_comments(void **state)
{
    struct scratch *s = *state;

    reads(s, s->plain, "", "");
    reads(s, s->plain, "n1\n  n2\tn3 \r\n\n# n4\nn5 # n6 n7\nn8:8041", "n1 n2 n3 n5 n8:8041 ");
    refuses(s, s->plain, "n1\nn2,n3\n", "list:2: \"n2,n3\": expected the name of a host");
    refuses(s, s->plain, "<hosts>\n", "list:1: \"<hosts>\"");
    assert_int_equal(read_list(s, s->plain, "n1\0n2", 5), -22);
    assert_non_null(strstr(s->err.text, "NUL byte"));
}

static void xml_files_have_times(void **state)
{
    struct scratch *s = *state;

    reads(s, s->xml,
          "<?xml version='1.0'?><hosts><host><name>n1</name></host>"
          "<host><name>n2, n3</name>\n<timeout> 600 </timeout></host>"
          "<host><name>n4</name><timeout>-1</timeout></host></hosts>",
          "n1 n2=600000 n3=600000 n4=-1 ");
    reads(s, s->xml, "<hosts/>", "");
    refuses(s, s->xml, "<hosts>\n<host><name>n1</name>\n<timeout>soon</timeout></host></hosts>",
            "list.xml:3: timeout: \"soon\": expected a whole number of seconds");
    refuses(s, s->xml, "<configuration/>", "list.xml:1: <configuration>: expected <hosts>");
    refuses(s, s->xml, "<hosts>\n<name>n1</name></hosts>", "list.xml:2: <name>: expected <host>");
    refuses(s, s->xml, "<hosts><host>", "list.xml:1");
}

static void a_file_that_is_not_there_is_an_error(void **state)
{
    struct scratch *s = *state;
    struct conf *conf = conf_new_defaults();

    assert_int_equal(hosts_load(conf, &s->lists, &s->err), 0);
    assert_int_equal(conf_set(conf, "yarn.resourcemanager.nodes.include-path", "/nowhere/list", &s->err), 0);
    assert_int_equal(hosts_load(conf, &s->lists, &s->err), -22);
    assert_non_null(strstr(s->err.text, "yarn.resourcemanager.nodes.include-path: /nowhere/list"));
    conf_free(conf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(plain_files_have_names_and_comments, set_up, tear_down),
        cmocka_unit_test_setup_teardown(xml_files_have_times, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_that_is_not_there_is_an_error, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
