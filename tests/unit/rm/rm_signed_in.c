/* SPDX-License-Identifier: Apache-2.0 */
/* rm_signed_in.c - test: the keys of users who have signed in, and their file */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/io/keys/z85.h"
#include "common/io/loop/loop.h"
#include "rm/net/keys/signed_in_file.h"

#define HOUR_MS 3600000

/* Writes a public key that differs for each NUMBER. */
static const char *key_of(unsigned number, char text[KEY_TEXT])
{
    uint8_t bytes[32] = { 0 };

    memcpy(bytes, &number, sizeof(number));
    z85_encode(bytes, sizeof(bytes), text);
    return text;
}

static void a_key_is_its_users_until_it_expires(void **state)
{
    struct signed_in *table = signed_in_new();
    char key[KEY_TEXT], other[KEY_TEXT];

    (void)state;
    assert_true(signed_in_put(table, key_of(1, key), "ann", 1000, 2000));
    assert_string_equal(signed_in_find(table, key, 1999), "ann");
    assert_int_equal(signed_in_left_ms(table, key, 1500), 500);
    assert_null(signed_in_find(table, key_of(2, other), 1500));
    assert_int_equal(signed_in_left_ms(table, other, 1500), 0);
    assert_true(signed_in_put(table, key, "ann", 1500, 3000));
    assert_string_equal(signed_in_find(table, key, 2500), "ann");
    assert_null(signed_in_find(table, key, 3000));
    assert_int_equal(signed_in_count(table), 0);
    signed_in_free(table);
}

static void a_key_never_changes_its_user(void **state)
{
    struct signed_in *table = signed_in_new();
    char key[KEY_TEXT];

    (void)state;
    assert_true(signed_in_put(table, key_of(1, key), "ann", 0, 1000));
    assert_false(signed_in_put(table, key, "bob", 10, 2000));
    assert_string_equal(signed_in_find(table, key, 20), "ann");
    assert_true(signed_in_put(table, key, "bob", 1000, 2000)); /* ann's time has passed */
    assert_string_equal(signed_in_find(table, key, 1500), "bob");
    assert_false(signed_in_put(table, "too short", "ann", 0, 1000));
    signed_in_free(table);
}

static void the_least_recently_used_key_of_a_user_is_replaced(void **state)
{
    struct signed_in *table = signed_in_new();
    char key[KEY_TEXT];

    (void)state;
    assert_true(signed_in_put(table, key_of(0, key), "bob", 0, HOUR_MS));
    for (unsigned i = 1; i <= SIGNED_IN_OF_USER_MAX; i++)
        assert_true(signed_in_put(table, key_of(i, key), "ann", i, HOUR_MS));
    assert_string_equal(signed_in_find(table, key_of(1, key), 2000), "ann"); /* it is in use */
    assert_true(signed_in_put(table, key_of(5000, key), "ann", 2000, HOUR_MS));
    assert_non_null(signed_in_find(table, key_of(1, key), 2000));
    assert_null(signed_in_find(table, key_of(2, key), 2000));
    assert_string_equal(signed_in_find(table, key_of(0, key), 2000), "bob");
    assert_int_equal(signed_in_count(table), SIGNED_IN_OF_USER_MAX + 1);
    signed_in_free(table);
}

static void all_keys_are_limited(void **state)
{
    struct signed_in *table = signed_in_new();
    char key[KEY_TEXT], user[32];

    (void)state;
    for (unsigned i = 0; i <= SIGNED_IN_MAX; i++) {
        snprintf(user, sizeof(user), "user%u", i / 100);
        assert_true(signed_in_put(table, key_of(i, key), user, 0, HOUR_MS));
    }
    assert_int_equal(signed_in_count(table), SIGNED_IN_MAX);
    assert_null(signed_in_find(table, key_of(0, key), 0));
    assert_non_null(signed_in_find(table, key_of(1, key), 0));
    signed_in_free(table);
}

/* --- the file ------------------------------------------------------------------- */

struct directory {
    char path[64];
    char *file;
};

static void open_directory(struct directory *directory)
{
    snprintf(directory->path, sizeof(directory->path), "/tmp/creel-signed-in-XXXXXX");
    assert_non_null(mkdtemp(directory->path));
    directory->file = mem_printf("%s/signed-in", directory->path);
}

static void close_directory(struct directory *directory)
{
    unlink(directory->file);
    rmdir(directory->path);
    free(directory->file);
}

static void keys_outlast_a_restart(void **state)
{
    struct signed_in *table = signed_in_new();
    int64_t now_ms = loop_monotonic_ms(), left_ms;
    struct signed_in_file *file;
    struct directory directory;
    char key[KEY_TEXT];
    struct err err;

    (void)state;
    open_directory(&directory);
    assert_int_equal(signed_in_file_open(directory.path, table, HOUR_MS, &file, &err), 0);
    signed_in_file_add(file, key_of(1, key), "ann", HOUR_MS);
    signed_in_file_add(file, key_of(2, key), "bob", -1000); /* has expired */
    signed_in_file_add(file, key_of(3, key), "eve mallory", HOUR_MS);
    signed_in_file_close(file);

    for (int i = 0; i < 2; i++) { /* the second time it reads the rewritten file */
        signed_in_free(table);
        table = signed_in_new();
        assert_int_equal(signed_in_file_open(directory.path, table, HOUR_MS / 2, &file, &err), 0);
        signed_in_file_close(file);
        assert_string_equal(signed_in_find(table, key_of(1, key), now_ms), "ann");
        left_ms = signed_in_left_ms(table, key, loop_monotonic_ms());
        assert_true(left_ms > 0 && left_ms <= HOUR_MS / 2);
        assert_int_equal(signed_in_count(table), 1);
    }
    signed_in_free(table);
    close_directory(&directory);
}

static void damaged_lines_are_skipped(void **state)
{
    static const char lines[] = "\n\nnothing\n:: 1 ann\n";
    struct signed_in *table = signed_in_new();
    struct signed_in_file *file;
    struct directory directory;
    char key[KEY_TEXT];
    struct err err;
    FILE *stream;

    (void)state;
    open_directory(&directory);
    stream = fopen(directory.file, "w");
    assert_non_null(stream);
    fputs(lines, stream);
    fprintf(stream, "%s 99999999999999 ann\n", key_of(1, key));
    fprintf(stream, "%s 99999999999999999999 bob\n", key_of(2, key));
    fprintf(stream, "%s 99999999999999 \n", key_of(3, key));
    fprintf(stream, "%s 99999999999999 cut", key_of(4, key));
    fclose(stream);
    assert_int_equal(signed_in_file_open(directory.path, table, HOUR_MS, &file, &err), 0);
    signed_in_file_close(file);
    assert_int_equal(signed_in_count(table), 1);
    assert_string_equal(signed_in_find(table, key_of(1, key), loop_monotonic_ms()), "ann");
    signed_in_free(table);
    close_directory(&directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_is_its_users_until_it_expires),
        cmocka_unit_test(a_key_never_changes_its_user),
        cmocka_unit_test(the_least_recently_used_key_of_a_user_is_replaced),
        cmocka_unit_test(all_keys_are_limited),
        cmocka_unit_test(keys_outlast_a_restart),
        cmocka_unit_test(damaged_lines_are_skipped),
    };

    return cmocka_run_group_tests_name("rm_signed_in", tests, NULL, NULL);
}
