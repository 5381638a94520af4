/* SPDX-License-Identifier: Apache-2.0 */
/* conf_fixture.c - fixture: a configuration directory to write, load and compare */
#include "tests/unit/conf/conf_fixture.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/text_builder.h"

int conf_fixture_setup(void **state)
{
    struct conf_fixture *fixture = mem_new0(struct conf_fixture);

    snprintf(fixture->directory, sizeof(fixture->directory), "/tmp/creel-conf-XXXXXX");
    if (mkdtemp(fixture->directory) == NULL)
        return -1;
    *state = fixture;
    return 0;
}

static void forget(struct conf_fixture *fixture)
{
    conf_free(fixture->conf);
    free(fixture->warnings);
    fixture->conf = NULL;
    fixture->warnings = mem_strdup("");
}

int conf_fixture_teardown(void **state)
{
    struct conf_fixture *fixture = *state;
    DIR *directory = opendir(fixture->directory);
    struct dirent *entry;

    while (directory && (entry = readdir(directory))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (unlink(conf_path(fixture, entry->d_name)) < 0)
            rmdir(conf_path(fixture, entry->d_name));
    }
    if (directory)
        closedir(directory);
    rmdir(fixture->directory);
    forget(fixture);
    free(fixture->warnings);
    free(fixture);
    return 0;
}

const char *conf_path(struct conf_fixture *fixture, const char *name)
{
    static char path[400]; /* tests are single-threaded */

    snprintf(path, sizeof(path), "%s/%s", fixture->directory, name);
    return path;
}

void conf_write_bytes(struct conf_fixture *fixture, const char *name, const void *data, size_t size)
{
    FILE *file = fopen(conf_path(fixture, name), "w");

    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

void conf_write(struct conf_fixture *fixture, const char *name, const char *text)
{
    conf_write_bytes(fixture, name, text, strlen(text));
}

void conf_write_properties(struct conf_fixture *fixture, const char *name, const char *text)
{
    scoped_free char *whole = mem_printf("<configuration " XI ">\n%s</configuration>\n", text);

    conf_write(fixture, name, whole);
}

char *conf_with_dir(struct conf_fixture *fixture, const char *text)
{
    size_t length = strlen(fixture->directory);
    struct text_builder result = TEXT_BUILDER_MALLOC;

    while (*text) {
        const char *found = strstr(text, fixture->directory);
        size_t plain = found ? (size_t)(found - text) : strlen(text);

        text_builder_printf(&result, "%.*s%s", (int)plain, text, found ? "DIR" : "");
        text += found ? plain + length : plain;
    }
    return text_builder_finish(&result);
}

static void gather_warning(void *context, enum conf_effect effect, const char *text)
{
    struct conf_fixture *fixture = context;
    scoped_free char *line = conf_with_dir(fixture, text);
    char *longer = mem_printf("%s%s\n", fixture->warnings, line);

    fixture->effect = effect;
    free(fixture->warnings);
    fixture->warnings = longer;
}

struct conf *conf_expect(struct conf_fixture *fixture)
{
    struct err err = { .code = 0 };

    forget(fixture);
    if (conf_load(fixture->directory, gather_warning, fixture, &fixture->conf, &err) != 0)
        fail_msg("does not load: %s", err.text);
    return fixture->conf;
}

void conf_expect_error(struct conf_fixture *fixture, int code, const char *text)
{
    struct err err = { .code = 0 };
    scoped_free char *got = NULL;
    int result;

    forget(fixture);
    result = conf_load(fixture->directory, gather_warning, fixture, &fixture->conf, &err);
    got = conf_with_dir(fixture, err.text);
    assert_string_equal(got, text);
    assert_int_equal(result, -code);
    assert_int_equal(err.code, code);
    assert_null(fixture->conf);
}

struct conf *conf_expect_properties(struct conf_fixture *fixture, const char *text)
{
    conf_write_properties(fixture, "yarn-site.xml", text);
    return conf_expect(fixture);
}

void conf_expect_properties_error(struct conf_fixture *fixture, const char *properties, const char *text)
{
    conf_write_properties(fixture, "yarn-site.xml", properties);
    conf_expect_error(fixture, EINVAL, text);
}
