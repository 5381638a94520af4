/* SPDX-License-Identifier: Apache-2.0 */
/* web_properties.c - test: the configuration that /conf shows, without secrets */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "web/net/properties.h"

static const struct web_property *find(const struct web_view *view, const char *name)
{
    for (size_t i = 0; i < view->property_count; i++)
        if (strcmp(view->properties[i].name, name) == 0)
            return &view->properties[i];
    fail_msg("%s is not shown", name);
    return NULL;
}

static void properties_have_their_origin(void **state)
{
    static const char text[] =
        "<configuration>"
        "<property><name>yarn.acl.enable</name><value>true</value><final>true</final></property>"
        "<property><name>site.ldap.Password</name><value>swordfish</value></property>"
        "<property><name>site.empty.secret</name><value></value></property>"
        "</configuration>";
    struct arena *arena = arena_new();
    struct web_view view = { .model = NULL };
    struct conf *conf = NULL;
    struct err err = { .code = 0 };
    const struct web_property *property;

    (void)state;
    assert_int_equal(
        conf_load_buffer("/etc/creel/yarn-site.xml", text, strlen(text), NULL, NULL, &conf, &err), 0);
    properties_show(conf, arena, &view);
    property = find(&view, "yarn.acl.enable");
    assert_string_equal(property->value, "true");
    assert_string_equal(property->source, "yarn-site.xml");
    assert_true(property->final);
    property = find(&view, "yarn.resourcemanager.hostname");
    assert_string_equal(property->source, "default");
    assert_false(property->final);
    assert_string_equal(find(&view, "site.ldap.Password")->value, "<redacted>");
    assert_string_equal(find(&view, "site.empty.secret")->value, "");
    for (size_t i = 1; i < view.property_count; i++)
        assert_true(strcmp(view.properties[i - 1].name, view.properties[i].name) < 0);
    conf_free(conf);
    arena_free(arena);
}

static void secrets_are_known_by_their_names(void **state)
{
    (void)state;
    assert_true(property_is_secret("ssl.server.keystore.password"));
    assert_true(property_is_secret("fs.s3a.secret.key"));
    assert_true(property_is_secret("dfs.adls.oauth2.credential"));
    assert_false(property_is_secret("creel.http.token-lifetime-ms"));
    assert_false(property_is_secret("yarn.resourcemanager.hostname"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(properties_have_their_origin),
        cmocka_unit_test(secrets_are_known_by_their_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
