/* SPDX-License-Identifier: Apache-2.0 */
/* io_wire_fit.c - tests: rows that an earlier version stored are fitted to lower limits */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/job/job_field.h"
#include "common/base/mem.h"
#include "common/io/wire/wire.h"
#include "common/io/wire/wire_check.h"
#include "common/io/wire/wire_fit.h"
#include "tests/unit/io/io_sample.h"

static char *text_of(size_t length)
{
    char *text = mem_alloc(length + 1);

    memset(text, 'a', length);
    text[length] = '\0';
    return text;
}

static void a_row_with_longer_texts_becomes_valid(void **state)
{
    Creel__StoredApp *row = (Creel__StoredApp *)sample_message(&creel__stored_app__descriptor);
    Creel__LaunchContext *launch = row->job->launch;
    struct err err;

    (void)state;
    free(launch->out_file);
    launch->out_file = text_of(JOB_PATH_MAX + 1);
    free(launch->directory);
    launch->directory = text_of(JOB_PATH_MAX);
    row->job->tags = mem_resize(row->job->tags, row->job->n_tags + 1000, sizeof(char *));
    for (int i = 0; i < 1000; i++)
        row->job->tags[row->job->n_tags++] = text_of(200);
    assert_true(wire_check(&row->base, &err) < 0);
    wire_fit(&row->base);
    assert_int_equal(wire_check(&row->base, &err), 0);
    assert_string_equal(launch->out_file, ""); /* a part of a path is another path */
    assert_int_equal(strlen(launch->directory), JOB_PATH_MAX);
    assert_int_equal(row->job->n_tags, 2 + (WIRE_TAGS_MAX - 2 * strlen(row->job->tags[0])) / 200);
    creel__stored_app__free_unpacked(row, NULL);
}

static void a_valid_message_stays_as_it_is(void **state)
{
    Creel__AppReport *one = (Creel__AppReport *)sample_message(&creel__app_report__descriptor);
    Creel__AppReport *other = (Creel__AppReport *)wire_copy(&one->base);
    size_t size = creel__app_report__get_packed_size(one);
    uint8_t *before = mem_alloc(size), *after = mem_alloc(size);

    (void)state;
    wire_fit(&other->base);
    assert_int_equal(creel__app_report__get_packed_size(other), size);
    creel__app_report__pack(one, before);
    creel__app_report__pack(other, after);
    assert_memory_equal(before, after, size);
    free(before);
    free(after);
    creel__app_report__free_unpacked(one, NULL);
    creel__app_report__free_unpacked(other, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_with_longer_texts_becomes_valid),
        cmocka_unit_test(a_valid_message_stays_as_it_is),
    };

    return cmocka_run_group_tests_name("io_wire_fit", tests, NULL, NULL);
}
