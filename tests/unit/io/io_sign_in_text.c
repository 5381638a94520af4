/* SPDX-License-Identifier: Apache-2.0 */
/* io_sign_in_text.c - test: the payload of a MUNGE credential */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

#include "common/io/keys/sign_in_text.h"

static void make(struct sign_in_text *content, char text[SIGN_IN_TEXT])
{
    struct key client, rm;

    key_generate(&client);
    key_generate(&rm);
    memcpy(content->key, client.public_text, KEY_TEXT);
    memcpy(content->rm_key, rm.public_text, KEY_TEXT);
    sign_in_text_write(content, text);
}

static void a_payload_is_read_as_it_was_written(void **state)
{
    struct sign_in_text written, read;
    char text[SIGN_IN_TEXT];

    (void)state;
    make(&written, text);
    assert_int_equal(strlen(text), SIGN_IN_TEXT - 1);
    assert_true(sign_in_text_read(text, strlen(text), &read));
    assert_string_equal(read.key, written.key);
    assert_string_equal(read.rm_key, written.rm_key);
}

static void a_changed_payload_is_refused(void **state)
{
    struct sign_in_text written, read = { .key = "unchanged" };
    char text[SIGN_IN_TEXT], changed[SIGN_IN_TEXT];

    (void)state;
    make(&written, text);
    assert_false(sign_in_text_read(text, 0, &read));
    for (size_t size = 1; size < SIGN_IN_TEXT - 1; size++)
        assert_false(sign_in_text_read(text, size, &read));
    assert_false(sign_in_text_read(text, SIGN_IN_TEXT, &read)); /* the terminator is a byte too many */
    for (size_t i = 0; i < SIGN_IN_TEXT - 1; i++) {
        memcpy(changed, text, SIGN_IN_TEXT);
        changed[i] = '~'; /* is in no Z85 */
        assert_false(sign_in_text_read(changed, SIGN_IN_TEXT - 1, &read));
    }
    assert_string_equal(read.key, "unchanged");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_payload_is_read_as_it_was_written),
        cmocka_unit_test(a_changed_payload_is_refused),
    };

    return cmocka_run_group_tests_name("io_sign_in_text", tests, NULL, NULL);
}
