/* SPDX-License-Identifier: Apache-2.0 */
/* conf_access_text.c - test: the sentences about who may act on a cluster */
#include "conf_fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/conf/access_text.h"

/* ACL NULL: neither key is set. */
static void describes(struct conf_fixture *fixture, const char *enable, const char *acl, bool expected_open,
                      const char *expected)
{
    char text[512];
    char *sentence;
    bool open = !expected_open;

    snprintf(text, sizeof(text),
             acl == NULL
                 ? "<configuration/>"
                 : "<configuration><property><name>yarn.acl.enable</name><value>%s</value></property>"
                   "<property><name>yarn.admin.acl</name><value>%s</value></property></configuration>",
             enable, acl);
    conf_write(fixture, "yarn-site.xml", text);
    conf_free(fixture->conf);
    fixture->conf = NULL;
    assert_int_equal(conf_load(fixture->directory, NULL, NULL, &fixture->conf, NULL), 0);
    sentence = access_text(fixture->conf, &open);
    assert_string_equal(sentence, expected);
    assert_int_equal(open, expected_open);
    free(sentence);
}

static void open_clusters_are_named(void **state)
{
    describes(*state, "", NULL, true,
              "every user may change all applications, queues and nodes: yarn.acl.enable is false, and "
              "yarn.admin.acl is *");
    describes(*state, "true", "*", true,
              "every user is an administrator of applications, queues and nodes: yarn.admin.acl is *");
    describes(*state, "false", "root ops", true,
              "every user may change all applications and queues: yarn.acl.enable is false; nodes: root ops "
              "(yarn.admin.acl)");
}

static void administrators_are_named(void **state)
{
    describes(*state, "true", "root,ann", false,
              "users change their own applications; administrators: root,ann (yarn.admin.acl)");
    describes(*state, "true", " ", false,
              "users change their own applications; administrators: nobody (yarn.admin.acl)");
}

static void simple_authentication_is_named(void **state)
{
    struct conf_fixture *fixture = *state;
    char *sentence;

    conf_write(fixture, "creel-site.xml",
               "<configuration><property><name>creel.http.auth</name><value>Simple</value></property>"
               "<property><name>creel.http.proxy-addresses</name><value>10.0.0.7</value></property>"
               "</configuration>");
    assert_int_equal(conf_load(fixture->directory, NULL, NULL, &fixture->conf, NULL), 0);
    sentence = access_text_of_rest(fixture->conf);
    assert_string_equal(sentence,
                        "creel.http.auth is simple: every program on the hosts 10.0.0.7 may act as any user "
                        "over REST, administrators included, and so may the clients of a web proxy there "
                        "(creel.http.proxy-addresses)");
    free(sentence);
}

static void others_authenticate_users(void **state)
{
    struct conf_fixture *fixture = *state;

    conf_write(fixture, "yarn-site.xml", "<configuration/>");
    assert_int_equal(conf_load(fixture->directory, NULL, NULL, &fixture->conf, NULL), 0);
    assert_null(access_text_of_rest(fixture->conf));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        conf_test(open_clusters_are_named),
        conf_test(administrators_are_named),
        conf_test(simple_authentication_is_named),
        conf_test(others_authenticate_users),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
