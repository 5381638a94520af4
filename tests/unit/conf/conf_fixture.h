/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf_fixture.h - fixture: a configuration directory to write, load and compare
 *
 * In compared texts, DIR is replaced by the path of the directory. conf_write writes lines unchanged.
 * conf_write_properties writes lines between <configuration> (line 1) and </configuration>.
 */
#ifndef CREEL_TESTS_CONF_FIXTURE_H
#define CREEL_TESTS_CONF_FIXTURE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "common/conf/conf.h"

#define P(name, value) "<property><name>" name "</name><value>" value "</value></property>\n"
#define P_FINAL(name, value) \
    "<property><name>" name "</name><value>" value "</value><final>true</final></property>\n"
#define XI "xmlns:xi=\"http://www.w3.org/2001/XInclude\""

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct conf_fixture {
    char directory[64];
    enum conf_effect effect; /* of the last remark */
    char *warnings;          /* warnings of the last load, one per line, with DIR for the directory */
    struct conf *conf;       /* configuration of the last load, or NULL */
};

/* Set-up and tear-down for cmocka: *STATE is the fixture. */
int conf_fixture_setup(void **state);
int conf_fixture_teardown(void **state);

#define conf_test(function) \
    cmocka_unit_test_setup_teardown(function, conf_fixture_setup, conf_fixture_teardown)

void conf_write(struct conf_fixture *fixture, const char *name, const char *text);
void conf_write_bytes(struct conf_fixture *fixture, const char *name, const void *data, size_t size);
void conf_write_properties(struct conf_fixture *fixture, const char *name, const char *text);

/* Returns the path of NAME in the directory; valid until the next call. */
const char *conf_path(struct conf_fixture *fixture, const char *name);

/* Loads the configuration. The test fails if the load fails. */
struct conf *conf_expect(struct conf_fixture *fixture);

/* Loads the configuration. The test fails unless the load fails with -CODE and exactly TEXT. */
void conf_expect_error(struct conf_fixture *fixture, int code, const char *text);

/* Like conf_expect and conf_expect_error, with a yarn-site.xml that contains these properties. */
struct conf *conf_expect_properties(struct conf_fixture *fixture, const char *text);
void conf_expect_properties_error(struct conf_fixture *fixture, const char *properties, const char *text);

/* Returns TEXT with the directory's path replaced by DIR. The caller owns the text. */
char *conf_with_dir(struct conf_fixture *fixture, const char *text);

#endif
