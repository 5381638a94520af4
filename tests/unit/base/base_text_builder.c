/* SPDX-License-Identifier: Apache-2.0 */
/* base_text_builder.c - tests: texts of many parts, in an arena and in memory of malloc */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text_builder.h"

static void an_empty_text(void **state)
{
    struct arena *arena = arena_new();
    struct text_builder in_arena = TEXT_BUILDER_IN(arena), by_malloc = TEXT_BUILDER_MALLOC;
    char *text;

    (void)state;
    assert_string_equal(text_builder_text(&in_arena), "");
    assert_string_equal(text_builder_finish(&in_arena), "");
    text = text_builder_finish(&by_malloc);
    assert_string_equal(text, "");
    free(text);
    text_builder_separate(&in_arena, ", ");
    assert_string_equal(text_builder_finish(&in_arena), "");
    arena_free(arena);
}

static void parts_follow_each_other(void **state)
{
    static const char *const words[] = { "one", "", "three" };
    struct arena *arena = arena_new();
    struct text_builder text = TEXT_BUILDER_IN(arena);
    scoped_free char *joined = text_builder_join(NULL, words, 3, "-");

    (void)state;
    for (int i = 0; i < 3; i++) {
        text_builder_separate(&text, ", ");
        text_builder_printf(&text, "%d", i);
        text_builder_add_bytes(&text, "abc", 2);
    }
    assert_int_equal(text.length, strlen("0ab, 1ab, 2ab"));
    assert_string_equal(text_builder_text(&text), "0ab, 1ab, 2ab");
    assert_string_equal(text_builder_finish(&text), "0ab, 1ab, 2ab");
    text_builder_add(&text, "again"); /* a builder that was finished is empty */
    assert_string_equal(text_builder_finish(&text), "again");
    assert_string_equal(joined, "one--three");
    assert_string_equal(text_builder_join(arena, words, 0, "-"), "");
    arena_free(arena);
}

static void every_length_is_kept_whole(void **state)
{
    scoped_text_builder struct text_builder text = TEXT_BUILDER_MALLOC;
    char part[300];

    (void)state;
    memset(part, 'x', sizeof(part));
    for (size_t length = 0; length < sizeof(part); length++) {
        text_builder_clear(&text);
        text_builder_add_bytes(&text, part, length);
        text_builder_printf(&text, "%.*s.", (int)length, part);
        assert_int_equal(strlen(text_builder_text(&text)), 2 * length + 1);
        assert_int_equal(text.length, 2 * length + 1);
    }
}

static void memory_is_proportional_to_the_text(void **state)
{
    enum { PARTS = 100000 };
    struct arena *arena = arena_new();
    struct text_builder text = TEXT_BUILDER_IN(arena);
    size_t before = mallinfo2().uordblks + mallinfo2().hblkhd, used;

    (void)state;
    for (int i = 0; i < PARTS; i++)
        text_builder_add(&text, "0123456789");
    used = mallinfo2().uordblks + mallinfo2().hblkhd - before;
    assert_int_equal(text.length, 10 * PARTS);
    assert_true(used <= 4 * text.length + 65536); /* the sanitizers' malloc reports nothing: 0 */
    arena_free(arena);
}

static void a_text_of_malloc_is_taken_over(void **state)
{
    struct arena *arena = arena_new();
    struct text_builder in_arena = TEXT_BUILDER_IN(arena), by_malloc = TEXT_BUILDER_MALLOC;
    char *text;

    (void)state;
    text_builder_adopt(&by_malloc, mem_strdup("one"), 3);
    text_builder_adopt(&by_malloc, mem_strdup(" and a longer one"), 17);
    text_builder_adopt(&by_malloc, mem_strdup("."), 1);
    text_builder_adopt(&by_malloc, mem_strdup(""), 0);
    text_builder_add(&by_malloc, "!");
    text = text_builder_finish(&by_malloc);
    assert_string_equal(text, "one and a longer one.!");
    free(text);
    text_builder_adopt(&in_arena, mem_strdup("one"), 3);
    text_builder_adopt(&in_arena, mem_strdup(" two"), 4);
    assert_string_equal(text_builder_finish(&in_arena), "one two");
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_text),
        cmocka_unit_test(parts_follow_each_other),
        cmocka_unit_test(every_length_is_kept_whole),
        cmocka_unit_test(memory_is_proportional_to_the_text),
        cmocka_unit_test(a_text_of_malloc_is_taken_over),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
