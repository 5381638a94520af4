/* SPDX-License-Identifier: Apache-2.0 */
/* conf_log_storage.c - test: keys that name the storage of logs of ended applications */
#include "tests/unit/conf/conf_fixture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/mem.h"
#include "common/conf/log_storage.h"

#define ENABLE P("yarn.log-aggregation-enable", "true")
#define DIR_KEY "yarn.nodemanager.remote-app-log-dir"

static void without_the_key_logs_stay(void **state)
{
    struct log_storage storage;

    assert_int_equal(
        log_storage_read(conf_expect_properties(*state, P(DIR_KEY, "hdfs://nn/logs")), &storage, NULL), 0);
    assert_null(storage.dir);
}

static void paths_and_uris(void **state)
{
    static const char *const texts[] = {
        P(DIR_KEY, "/s/logs"),
        P(DIR_KEY, "/s/logs//"),
        P(DIR_KEY, "file:/s/logs"),
        P(DIR_KEY, "file:///s/logs"),
        P(DIR_KEY, "FILE://localhost/s/logs/"),
    };

    for (size_t i = 0; i < COUNT(texts); i++) {
        scoped_free char *all = mem_printf("%s%s", ENABLE, texts[i]);
        scoped_free char *app = NULL;
        struct log_storage storage;

        assert_int_equal(log_storage_read(conf_expect_properties(*state, all), &storage, NULL), 0);
        assert_string_equal(storage.dir, "/s/logs");
        app = log_storage_app(&storage, "ann", "application_1_0001");
        assert_string_equal(app, "/s/logs/ann/logs/application_1_0001");
        log_storage_clear(&storage);
    }
}

static void expect_refusal(void **state, const char *properties, const char *key)
{
    struct err err = { 0 };
    struct log_storage storage;

    assert_int_equal(log_storage_read(conf_expect_properties(*state, properties), &storage, &err), -EINVAL);
    assert_null(storage.dir);
    assert_non_null(strstr(err.text, key));
    assert_non_null(strstr(err.text, "yarn-site.xml:"));
}

static void other_file_systems_are_refused(void **state)
{
    expect_refusal(state, ENABLE P(DIR_KEY, "hdfs://nn/logs"), DIR_KEY);
    expect_refusal(state, ENABLE P(DIR_KEY, "logs"), DIR_KEY);
    expect_refusal(state, ENABLE P(DIR_KEY, "file://nn/logs"), DIR_KEY);
    expect_refusal(state, ENABLE P(DIR_KEY "-suffix", "a/b"), DIR_KEY "-suffix");
    expect_refusal(state, ENABLE P(DIR_KEY "-suffix", ".."), DIR_KEY "-suffix");
}

static void the_directory_needs_mode_1777(void **state)
{
    struct conf_fixture *fixture = *state;
    struct log_storage storage = { .dir = fixture->directory };
    struct err err = { 0 };

    assert_int_equal(chmod(fixture->directory, 0777), 0);
    assert_int_equal(log_storage_check(&storage, &err), -EACCES);
    assert_non_null(strstr(err.text, "1777"));
    assert_int_equal(chmod(fixture->directory, 01777), 0);
    assert_int_equal(log_storage_check(&storage, &err), 0);
    storage.dir = (char *)(uintptr_t) "/nonexistent";
    assert_int_equal(log_storage_check(&storage, &err), -ENOENT);
    assert_non_null(strstr(err.text, DIR_KEY));
}

static void names_of_files(void **state)
{
    static const struct {
        const char *node, *file;
    } cases[] = {
        { "n1.example.org:8041", "n1.example.org_8041.tar.gz" },
        { "[::1]:8041", "___1__8041.tar.gz" },
        { "../x:1", "_._x_1.tar.gz" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        scoped_free char *file = log_storage_file(cases[i].node);

        assert_string_equal(file, cases[i].file);
    }
}

/* --- the log server ---------------------------------------------------------------- */

#define URL_KEY "yarn.log.server.url"

static const char *server(void **state, const char *properties, int result)
{
    struct err err = { 0 };
    const char *url = NULL;

    assert_int_equal(
        log_server_read(conf_expect_properties(*state, properties), CONF_LOG_SERVER_URL, &url, &err), result);
    if (result < 0) {
        assert_non_null(strstr(err.text, URL_KEY));
        assert_non_null(strstr(err.text, "yarn-site.xml:"));
    }
    return url;
}

static void address_of_the_log_server(void **state)
{
    assert_string_equal(server(state, ENABLE, 0), "");
    assert_string_equal(server(state, P(URL_KEY, "http://h/logs"), 0), ""); /* logs do not move */
    assert_string_equal(server(state, ENABLE P(URL_KEY, "http://h:19888/jobhistory/logs"), 0),
                        "http://h:19888/jobhistory/logs");
    assert_string_equal(server(state, ENABLE P(URL_KEY, "https://h/"), 0), "https://h/");
    assert_string_equal(server(state, ENABLE P(URL_KEY, "h:19888/logs"), -EINVAL), "");
    assert_string_equal(server(state, ENABLE P(URL_KEY, "javascript:alert(1)"), -EINVAL), "");
    assert_string_equal(server(state, ENABLE P(URL_KEY, "http:///logs"), -EINVAL), "");
    assert_string_equal(server(state, ENABLE P(URL_KEY, "http://h/a b"), -EINVAL), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        conf_test(without_the_key_logs_stay),
        conf_test(paths_and_uris),
        conf_test(other_file_systems_are_refused),
        conf_test(the_directory_needs_mode_1777),
        conf_test(names_of_files),
        conf_test(address_of_the_log_server),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
