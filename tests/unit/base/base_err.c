/* SPDX-License-Identifier: Apache-2.0 */
/* base_err.c - test: error texts, and the truncation of long texts */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "common/base/err.h"

static void message_has_the_formatted_text(void **state)
{
    struct err err = { .code = 0 };

    (void)state;
    assert_int_equal(err_set(&err, ENOENT, "queue %s: not defined", "root.a"), -ENOENT);
    assert_int_equal(err.code, ENOENT);
    assert_string_equal(err.text, "queue root.a: not defined");
    err_prefix(&err, "app %d", 7);
    assert_int_equal(err.code, ENOENT);
    assert_string_equal(err.text, "app 7: queue root.a: not defined");
}

static void message_ends_with_the_text_of_errno(void **state)
{
    struct err err;

    (void)state;
    assert_int_equal(err_set_errno(&err, EACCES, "open %s", "/x"), -EACCES);
    assert_int_equal(err.code, EACCES);
    assert_string_equal(err.text, "open /x: Permission denied");
}

static void an_error_without_receiver_is_dropped(void **state)
{
    (void)state;
    assert_int_equal(err_set(NULL, EINVAL, "x"), -EINVAL);
    assert_int_equal(err_set_errno(NULL, EIO, "x"), -EIO);
    err_prefix(NULL, "x");
}

static void fill(char *text, size_t length, char with)
{
    memset(text, with, length);
    text[length] = '\0';
}

static void too_long_is_cut_and_marked(void **state)
{
    char text[3 * ERR_TEXT_MAX];
    struct err err;

    (void)state;
    fill(text, ERR_TEXT_MAX - 1, 'a'); /* fits exactly */
    err_set(&err, EINVAL, "%s", text);
    assert_string_equal(err.text, text);
    fill(text, ERR_TEXT_MAX, 'a'); /* one byte too long */
    err_set(&err, EINVAL, "%s", text);
    assert_int_equal(strlen(err.text), ERR_TEXT_MAX - 1);
    assert_string_equal(err.text + ERR_TEXT_MAX - 5, "a...");
    err_set_errno(&err, EINVAL, "%s", text);
    assert_string_equal(err.text + ERR_TEXT_MAX - 5, "a...");
    err_set(&err, EINVAL, "short");
    err_prefix(&err, "%s", text);
    assert_int_equal(strlen(err.text), ERR_TEXT_MAX - 1);
    assert_string_equal(err.text + ERR_TEXT_MAX - 5, "a...");
    assert_int_equal(err.code, EINVAL);
}

/* JSON must not contain half a UTF-8 character: tries each possible place of the cut. */
static void cut_between_characters(void **state)
{
    static const char *const characters[] = { "\xc3\xa9", "\xe4\xbd\xa0", "\xf0\x9f\x98\x80" };
    char text[3 * ERR_TEXT_MAX];
    struct err err;

    (void)state;
    for (size_t c = 0; c < 3; c++)
        for (size_t shift = 0; shift < 4; shift++) {
            size_t width = strlen(characters[c]), used = shift, kept;

            fill(text, shift, 'a');
            for (; used < ERR_TEXT_MAX + 8; used += width)
                memcpy(text + used, characters[c], width + 1);
            err_set(&err, EINVAL, "%s", text);
            kept = strlen(err.text) - 3;
            assert_string_equal(err.text + kept, "...");
            assert_int_equal((kept - shift) % width, 0);
            assert_memory_equal(err.text, text, kept);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(message_has_the_formatted_text),
        cmocka_unit_test(message_ends_with_the_text_of_errno),
        cmocka_unit_test(an_error_without_receiver_is_dropped),
        cmocka_unit_test(too_long_is_cut_and_marked),
        cmocka_unit_test(cut_between_characters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
