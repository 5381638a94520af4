/* SPDX-License-Identifier: Apache-2.0 */
/* base_arena.c - test: arena allocator: disjoint, aligned, zeroed memory that is freed all at once and
 * reused */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdbool.h>
#include <string.h>

#include "common/base/arena.h"
#include "common/base/rng.h"

static bool all_zero(const unsigned char *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (data[i] != 0)
            return false;
    return true;
}

static void zeroed_aligned_and_apart(void **state)
{
    enum { PIECES = 2000 };
    static struct {
        unsigned char *data;
        size_t size;
    } pieces[PIECES];
    struct arena *arena = arena_new();
    struct rng rng;

    (void)state;
    rng_seed(&rng, 1);
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < PIECES; i++) {
            size_t size = rng_below(&rng, i % 50 == 0 ? 40000 : 200);

            pieces[i].size = size;
            pieces[i].data = arena_alloc0(arena, size);
            assert_non_null(pieces[i].data);
            assert_int_equal((uintptr_t)pieces[i].data % 16, 0);
            assert_true(all_zero(pieces[i].data, size));
            memset(pieces[i].data, (int)(i % 255) + 1, size);
        }
        for (size_t i = 0; i < PIECES; i++) /* no piece overlaps another */
            for (size_t j = 0; j < pieces[i].size; j++)
                assert_int_equal(pieces[i].data[j], i % 255 + 1);
        arena_reset(arena);
    }
    arena_free(arena);
}

static void copies(void **state)
{
    struct arena *arena = arena_new();
    char text[] = "abc";
    char *copy = arena_strdup(arena, text);
    char *bytes = arena_dup(arena, "x\0y", 3);

    (void)state;
    text[0] = 'X';
    assert_string_equal(copy, "abc");
    assert_memory_equal(bytes, "x\0y", 3);
    assert_null(arena_strdup(arena, NULL));
    assert_non_null(arena_dup(arena, NULL, 0));
    assert_string_equal(arena_strdup(arena, ""), "");
    arena_free(arena);
}

static void printing(void **state)
{
    struct arena *arena = arena_new();
    char *text = arena_printf(arena, "%s-%d", "a", 5);
    char *longer = arena_printf(arena, "%s%050000d", text, 1);

    (void)state;
    assert_string_equal(text, "a-5");
    assert_int_equal(strlen(longer), 50003);
    assert_string_equal(arena_printf(arena, "%s", ""), "");
    arena_free(arena);
}

static void nothing_and_arrays(void **state)
{
    struct arena *arena = arena_new();
    uint64_t *numbers = arena_array0(arena, 5000, sizeof(uint64_t));

    (void)state;
    assert_true(all_zero((unsigned char *)numbers, 5000 * sizeof(uint64_t)));
    numbers[4999] = 1;
    assert_in_range(arena_bytes(arena), 5000 * sizeof(uint64_t), 5000 * sizeof(uint64_t) + 1024);
    assert_ptr_not_equal(arena_alloc0(arena, 0), arena_alloc0(arena, 0));
    arena_reset(arena);
    arena_reset(arena); /* already empty */
    assert_true(arena_bytes(arena) < 5000 * sizeof(uint64_t));
    arena_free(arena);
    arena_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zeroed_aligned_and_apart),
        cmocka_unit_test(copies),
        cmocka_unit_test(printing),
        cmocka_unit_test(nothing_and_arrays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
