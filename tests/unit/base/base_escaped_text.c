/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/escaped_text.h"
#include "common/base/utf8.h"

static bool is_utf8(const char *text)
{
    while (*text != '\0') {
        size_t length = utf8_length((const unsigned char *)text);

        if (length == 0)
            return false;
        text += length;
    }
    return true;
}

static void any_bytes_are_restored(void **state)
{
    static const struct {
        const char *text, *escaped, *shown;
    } cases[] = {
        { "", "", "" },
        { "plain /=\n\x1b", "plain /=\n\x1b", "plain /=\n\x1b" },
        { "caf\xc3\xa9 \xf0\x9f\x90\x9f", "caf\xc3\xa9 \xf0\x9f\x90\x9f", "caf\xc3\xa9 \xf0\x9f\x90\x9f" },
        { "caf\xe9", "caf\xf4\x8f\xbb\xa9", "caf?" },
        { "\xff\x80z", "\xf4\x8f\xbb\xbf\xf4\x8f\xba\x80z", "??z" },
        { "cut \xf0\x9f\x90", "cut \xf4\x8f\xbb\xb0\xf4\x8f\xba\x9f\xf4\x8f\xba\x90", "cut ???" },
        /* the escape of 0xe9 as the original text */
        { "\xf4\x8f\xbb\xa9", "\xf4\x8f\xbb\xb4\xf4\x8f\xba\x8f\xf4\x8f\xba\xbb\xf4\x8f\xba\xa9", "????" },
    };
    struct arena *arena = arena_new();

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char *escaped = escaped_text_make(arena, cases[i].text);
        char *shown = arena_strdup(arena, escaped);

        assert_string_equal(escaped, cases[i].escaped);
        assert_true(is_utf8(escaped));
        assert_true(escaped_text_is_valid(escaped));
        assert_int_equal(escaped_text_is_needed(cases[i].text), strcmp(cases[i].text, escaped) != 0);
        escaped_text_restore(escaped);
        assert_string_equal(escaped, cases[i].text);
        escaped_text_show(shown);
        assert_string_equal(shown, cases[i].shown);
    }
    arena_free(arena);
}

static void each_byte_has_an_escape(void **state)
{
    struct arena *arena = arena_new();

    (void)state;
    for (unsigned byte = 0x80; byte <= 0xff; byte++) {
        char text[] = { 'a', (char)byte, '\0' };
        char *escaped = escaped_text_make(arena, text);

        assert_true(is_utf8(escaped));
        assert_true(escaped_text_is_valid(escaped));
        escaped_text_restore(escaped);
        assert_string_equal(escaped, text);
    }
    arena_free(arena);
}

/* Else "a/b" could be the name of a file. */
static void escape_of_an_ascii_character_is_refused(void **state)
{
    (void)state;
    assert_false(escaped_text_is_valid("a\xf4\x8f\xb8\xaf"
                                       "b"));                /* '/' */
    assert_false(escaped_text_is_valid("\xf4\x8f\xb8\x80")); /* NUL */
    assert_false(escaped_text_is_valid("\xf4\x8f\xb9\xbf")); /* DEL */
}

static const char *escape_of(const char *bytes, char *out)
{
    size_t length = 0;

    for (const unsigned char *at = (const unsigned char *)bytes; *at != '\0'; at++, length += 4) {
        const unsigned char escape[] = { 0xf4, 0x8f, (unsigned char)(0xb8 | *at >> 6),
                                         (unsigned char)(0x80 | (*at & 0x3f)) };

        memcpy(out + length, escape, sizeof(escape));
    }
    out[length] = '\0';
    return out;
}

/* Else two names of files that differ would be restored to the same one, and names could have controls. */
static void escapes_of_a_character_are_refused(void **state)
{
    static const char *const characters[] = { "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x90\x9f",
                                              "\xc2\x85", "\xff\xc3\xa9", "\xf4\x8f\xc3\xa9" };
    static const char *const others[] = { "\xa9\xc3", "\xe2\x82", "\xf4\x8f\xbb\xa9", "\xed\xa0\x80",
                                          "\xc0\xaf" };
    char text[64];

    (void)state;
    for (size_t i = 0; i < sizeof(characters) / sizeof(characters[0]); i++)
        assert_false(escaped_text_is_valid(escape_of(characters[i], text)));
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        assert_true(escaped_text_is_valid(escape_of(others[i], text)));
    escape_of("\xc3", text);
    assert_true(escaped_text_is_valid(strcat(text, "\xc3\xa9"))); /* half a character before a whole one */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_bytes_are_restored),
        cmocka_unit_test(each_byte_has_an_escape),
        cmocka_unit_test(escape_of_an_ascii_character_is_refused),
        cmocka_unit_test(escapes_of_a_character_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
