/* SPDX-License-Identifier: Apache-2.0 */
/* web_passwords.c - test: creel-pam checks passwords by a PAM service in a temporary directory */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "web/net/passwords.h"

#ifdef HAVE_LIBPAM

struct scene {
    char directory[64];
    struct loop *loop;
    struct passwords *passwords;
    int replies, expected;
    char text[256]; /* "STATUS USER SCOPE, ..." of all replies */
};

static void write_file(const struct scene *scene, const char *name, const char *text)
{
    char path[128];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", scene->directory, name);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0755), 0);
}

static int set_up(void **state)
{
    struct scene *scene = mem_new0(struct scene);
    struct err err = { 0 };
    char text[512];

    snprintf(scene->directory, sizeof(scene->directory), "/tmp/creel-pam.XXXXXX");
    assert_non_null(mkdtemp(scene->directory));
    /* counts checks in the file "checks" */
    snprintf(text, sizeof(text),
             "#!/bin/sh\necho \"$PAM_USER\" >>%s/checks\n[ \"$(tr -d '\\000')\" = right ]\n",
             scene->directory);
    write_file(scene, "check", text);
    snprintf(text, sizeof(text),
             "auth sufficient pam_exec.so quiet expose_authtok %s/check\nauth required pam_deny.so\n"
             "account required pam_permit.so\n",
             scene->directory);
    write_file(scene, "exec", text);
    write_file(scene, "locked", "auth required pam_permit.so\naccount required pam_deny.so\n");
    write_file(scene, "broken", "auth required pam_no_such_module_of_creel.so\n");
    assert_int_equal(loop_new(&scene->loop, &err), 0);
    *state = scene;
    return 0;
}

static int tear_down(void **state)
{
    static const char *const names[] = { "check", "checks", "exec", "locked", "broken" };
    struct scene *scene = *state;
    char path[128];

    passwords_free(scene->passwords);
    loop_free(scene->loop);
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        snprintf(path, sizeof(path), "%s/%s", scene->directory, names[i]);
        unlink(path);
    }
    rmdir(scene->directory);
    free(scene);
    return 0;
}

static void take_reply(void *context, int status, const struct site_token *found)
{
    struct scene *scene = context;
    size_t used = strlen(scene->text);

    snprintf(scene->text + used, sizeof(scene->text) - used, "%s%d%s%s%s", used > 0 ? ", " : "", status,
             found != NULL ? " " : "", found != NULL ? found->user : "",
             found != NULL && found->scope == EXCHANGE_SUBMIT ? " submit" : "");
    if (++scene->replies == scene->expected)
        loop_stop(scene->loop);
}

static void serve(struct scene *scene, const char *service)
{
    struct err err = { 0 };

    assert_int_equal(
        passwords_new(scene->loop, service, scene->directory, EXCHANGE_SUBMIT, &scene->passwords, &err), 0);
}

static void ask_from(struct scene *scene, const char *address, const char *user, const char *password)
{
    passwords_find(scene->passwords, address, user, password, take_reply, scene);
}

static void ask(struct scene *scene, const char *user, const char *password)
{
    ask_from(scene, "10.0.0.1", user, password);
}

static void on_deadline(void *context)
{
    (void)context;
    fail_msg("no reply in time");
}

/* Runs the loop until COUNT replies were received, and returns their texts. */
static const char *replies(struct scene *scene, int count)
{
    static char text[sizeof(scene->text)];
    int timer = loop_add_timer(scene->loop, 60000, on_deadline, scene);

    scene->expected = count;
    if (scene->replies < count)
        loop_run(scene->loop);
    loop_cancel_timer(scene->loop, timer);
    assert_int_equal(scene->replies, count);
    snprintf(text, sizeof(text), "%s", scene->text);
    scene->replies = 0;
    scene->text[0] = '\0';
    return text;
}

static int checks(const struct scene *scene)
{
    char path[128], line[64];
    int count = 0;
    FILE *file;

    snprintf(path, sizeof(path), "%s/checks", scene->directory);
    file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL)
        count++;
    if (file != NULL)
        fclose(file);
    return count;
}

static void test_right_password_is_remembered(void **state)
{
    struct scene *scene = *state;

    serve(scene, "exec");
    ask(scene, "ann", "right");
    ask(scene, "ann", "right"); /* shares the check */
    assert_string_equal(replies(scene, 2), "0 ann submit, 0 ann submit");
    ask(scene, "ann", "right");
    assert_string_equal(replies(scene, 1), "0 ann submit");
    assert_int_equal(checks(scene), 1);
    ask(scene, "ben", "right");
    assert_string_equal(replies(scene, 1), "0 ben submit");
    assert_int_equal(checks(scene), 2);
}

static void test_wrong_passwords_are_limited(void **state)
{
    struct scene *scene = *state;

    serve(scene, "exec");
    ask(scene, "ann", "wrong1");
    ask(scene, "ann", "wrong2");
    ask(scene, "ann", "wrong3");
    ask(scene, "ann", "wrong4");
    ask(scene, "ann", "wrong5"); /* a fifth check of one address at a time */
    assert_string_equal(replies(scene, 5), "429, 401, 401, 401, 401");
    ask(scene, "ann", "wrong5");
    assert_string_equal(replies(scene, 1), "401");
    ask(scene, "ann", "right");
    assert_string_equal(replies(scene, 1), "429");
    assert_int_equal(checks(scene), 5);
}

static void test_addresses_of_an_ipv6_network_count_as_one(void **state)
{
    struct scene *scene = *state;

    serve(scene, "exec");
    ask_from(scene, "2001:db8::1", "ann", "wrong1");
    ask_from(scene, "2001:db8::2", "ben", "wrong2");
    ask_from(scene, "2001:db8::3", "ann", "wrong3");
    ask_from(scene, "2001:db8::4", "ben", "wrong4");
    ask_from(scene, "2001:db8::5", "ann", "wrong5");
    assert_string_equal(replies(scene, 5), "429, 401, 401, 401, 401");
    assert_int_equal(checks(scene), 4);
}

static void test_locked_account(void **state)
{
    struct scene *scene = *state;

    serve(scene, "locked");
    ask(scene, "ann", "right");
    assert_string_equal(replies(scene, 1), "401");
}

static void test_missing_module_or_service_accepts_no_user(void **state)
{
    struct scene *scene = *state;
    const char *text;

    serve(scene, "broken");
    ask(scene, "ann", "right");
    text = replies(scene, 1);
    assert_true(strcmp(text, "503") == 0 || strcmp(text, "401") == 0);
    passwords_free(scene->passwords);
    serve(scene, "missing");
    ask(scene, "ann", "right");
    text = replies(scene, 1);
    assert_true(strcmp(text, "503") == 0 || strcmp(text, "401") == 0);
}

static void test_long_texts_are_refused(void **state)
{
    struct scene *scene = *state;
    char text[1024];

    serve(scene, "exec");
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    ask(scene, text, "right");
    ask(scene, "ann", text);
    assert_string_equal(replies(scene, 2), "401, 401");
    assert_int_equal(checks(scene), 0);
}

static void test_end_answers_requests(void **state)
{
    struct scene *scene = *state;

    serve(scene, "exec");
    ask(scene, "ann", "right");
    passwords_free(scene->passwords);
    scene->passwords = NULL;
    assert_string_equal(replies(scene, 1), "503");
}

int main(void)
{
    setenv("CREEL_PAM", PAM_PATH, 1);
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_right_password_is_remembered),
        TEST(test_wrong_passwords_are_limited),
        TEST(test_addresses_of_an_ipv6_network_count_as_one),
        TEST(test_locked_account),
        TEST(test_missing_module_or_service_accepts_no_user),
        TEST(test_long_texts_are_refused),
        TEST(test_end_answers_requests),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    printf("1..0 # SKIP built without PAM\n");
    return 0;
}

#endif
