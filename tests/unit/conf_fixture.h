/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf_fixture.h - a configuration directory to write into, load and compare
 *
 * In texts that are compared, DIR is the directory. Lines written by
 * conf_write stand as they are; by conf_write_properties between
 * <configuration> (line 1) and </configuration>.
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
    char *warnings;             /* of the last load, one per line, DIR for the directory */
    struct conf *conf;          /* of the last load, or NULL */
};

/* cmocka's setup and teardown: *STATE is the fixture. */
int conf_fixture_setup(void **state);
int conf_fixture_teardown(void **state);

#define conf_test(function) \
    cmocka_unit_test_setup_teardown(function, conf_fixture_setup, conf_fixture_teardown)

void conf_write(struct conf_fixture *fixture, const char *name, const char *text);
void conf_write_bytes(struct conf_fixture *fixture, const char *name, const void *data,
                      size_t size);
void conf_write_properties(struct conf_fixture *fixture, const char *name, const char *text);

/* The path of NAME in the directory; valid until the next call. */
const char *conf_path(struct conf_fixture *fixture, const char *name);

/* Load; the test fails unless that succeeds. */
struct conf *conf_expect(struct conf_fixture *fixture);

/* Load; the test fails unless that fails with -CODE and just this TEXT. */
void conf_expect_error(struct conf_fixture *fixture, int code, const char *text);

/* conf_expect or conf_expect_error with yarn-site.xml of these properties. */
struct conf *conf_expect_properties(struct conf_fixture *fixture, const char *text);
void conf_expect_properties_error(struct conf_fixture *fixture, const char *properties,
                                  const char *text);

/* TEXT with the directory replaced by DIR; owned by the caller. */
char *conf_with_dir(struct conf_fixture *fixture, const char *text);

#endif
