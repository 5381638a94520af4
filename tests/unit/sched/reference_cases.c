/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reference_cases.c - test: the reference schedulers give the results that the conformance cases expect
 *
 * reference_cases          runs all cases of tests/conformance that the references support
 * reference_cases PATH...  runs these files and folders, and prints a line for each case
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/reference/script.h"

static int counts[3]; /* index: enum script_result */

static void run_file(const char *path, bool verbose)
{
    struct test_case *test = NULL;
    struct err err;
    enum script_result result;
    char why[128];

    if (case_read_file(path, &test, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        counts[SCRIPT_FAILED]++;
        return;
    }
    snprintf(why, sizeof(why), "its settings or steps");
    if (test->kind == CASE_SCHEDULER && strcmp(test->script.scheduler, "fair") == 0)
        result = script_run_fair(test, stderr);
    else
        result = script_run(test, stderr, why);
    counts[result]++;
    if (result == SCRIPT_FAILED)
        fprintf(stderr, "%s: the reference differs\n", path);
    else if (verbose)
        printf("%s: %s%s\n", path, result == SCRIPT_PASSED ? "passed" : "not for the reference: ",
               result == SCRIPT_PASSED ? "" : why);
    case_free(test);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_case(const struct dirent *entry)
{
    const char *end = strrchr(entry->d_name, '.');

    return end != NULL && strcmp(end, ".json") == 0;
}

static void run_path(const char *path, bool verbose)
{
    struct dirent **entries;
    int count = scandir(path, &entries, is_case, by_name);
    char file[4096];

    if (count < 0) {
        run_file(path, verbose);
        return;
    }
    for (int i = 0; i < count; i++) {
        snprintf(file, sizeof(file), "%s/%s", path, entries[i]->d_name);
        run_file(file, verbose);
        free(entries[i]);
    }
    free(entries);
}

static void run_folder(const char *name, int least)
{
    const char *top = getenv("srcdir");
    char folder[4096];

    memset(counts, 0, sizeof(counts));
    snprintf(folder, sizeof(folder), "%s/tests/conformance/%s", top ? top : ".", name);
    run_path(folder, false);
    assert_int_equal(counts[SCRIPT_FAILED], 0);
    assert_true(counts[SCRIPT_PASSED] >= least);
}

static void the_reference_is_yarn(void **state)
{
    (void)state;
    run_folder("capacity", 40);
}

static void the_fair_reference_is_yarn(void **state)
{
    (void)state;
    run_folder("fair", 55);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reference_is_yarn),
        cmocka_unit_test(the_fair_reference_is_yarn),
    };

    if (argc < 2)
        return cmocka_run_group_tests(tests, NULL, NULL);
    for (int i = 1; i < argc; i++)
        run_path(argv[i], true);
    printf("%d passed, %d failed, %d not for the reference\n", counts[SCRIPT_PASSED], counts[SCRIPT_FAILED],
           counts[SCRIPT_NOT_FOR_IT]);
    return counts[SCRIPT_FAILED] > 0;
}
