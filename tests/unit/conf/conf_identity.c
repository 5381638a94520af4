/* SPDX-License-Identifier: Apache-2.0 */
/* conf_identity.c - test: the key creel.security.identity */
#include "conf_fixture.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/conf/identity.h"

static int read_value(struct conf_fixture *fixture, const char *value, struct identity *ret, struct err *err)
{
    char text[512];

    snprintf(text, sizeof(text),
             "<configuration><property><name>creel.security.identity</name><value>%s</value>"
             "</property></configuration>",
             value);
    conf_write(fixture, "creel-site.xml", text);
    conf_free(fixture->conf);
    fixture->conf = NULL;
    assert_int_equal(conf_load(fixture->directory, NULL, NULL, &fixture->conf, err), 0);
    return identity_read(fixture->conf, ret, err);
}

static void methods_are_read_in_their_order(void **state)
{
    struct conf_fixture *fixture = *state;
    struct identity identity;
    struct err err;
    char text[64];

    assert_int_equal(read_value(fixture, "certificate", &identity, &err), 0);
    assert_int_equal(identity.count, 1);
    assert_true(identity_has(&identity, IDENTITY_CERTIFICATE));
    assert_false(identity_has(&identity, IDENTITY_MUNGE));
    assert_string_equal(identity_describe(&identity, text), "certificate");
    assert_int_equal(read_value(fixture, " Munge, certificate", &identity, &err), 0);
    assert_int_equal(identity.count, 2);
    assert_int_equal(identity.methods[0], IDENTITY_MUNGE);
    assert_string_equal(identity_describe(&identity, text), "munge and certificate");
}

static void other_words_are_refused(void **state)
{
    static const char *const wrong[] = {
        "kerberos", "munge munge", "certificate,none", ",", "mung", "munges"
    };
    struct conf_fixture *fixture = *state;
    struct identity identity = { .count = 7 };
    struct err err;

    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_int_equal(read_value(fixture, wrong[i], &identity, &err), -EINVAL);
        assert_non_null(strstr(err.text, "creel.security.identity: "));
        assert_non_null(strstr(err.text, "expected certificate, munge, or both"));
    }
    assert_int_equal(identity.count, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        conf_test(methods_are_read_in_their_order),
        conf_test(other_words_are_refused),
    };

    return cmocka_run_group_tests_name("conf_identity", tests, NULL, NULL);
}
