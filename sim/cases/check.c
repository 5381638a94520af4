/* SPDX-License-Identifier: Apache-2.0 */
/* check.c - creel-sim check: runs conformance cases against the scheduler core, with TAP output */
#include "sim/cases/check.h"

#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "sim/commands.h"

/* --- files ------------------------------------------------------------------------------- */

struct files {
    char **paths;
    size_t count, capacity;
};

static void add_file(struct files *files, char *path)
{
    mem_grow(files->paths, files->count, files->capacity);
    files->paths[files->count++] = path;
}

static int is_listed(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Adds PATH, or the files below it that end in ".json". A path that cannot be read is added, too: reading it
 * reports the error. */
static void collect(struct files *files, const char *path, int depth)
{
    struct dirent **entries = NULL;
    struct stat status;
    int count;

    if (stat(path, &status) < 0 || !S_ISDIR(status.st_mode) || depth > 32 ||
        (count = scandir(path, &entries, is_listed, alphasort)) < 0) {
        if (depth == 0 || text_has_suffix(path, ".json"))
            add_file(files, mem_strdup(path));
        return;
    }
    for (int i = 0; i < count; i++) {
        scoped_free char *below = mem_printf("%s/%s", path, entries[i]->d_name);

        collect(files, below, depth + 1);
        free(entries[i]);
    }
    free(entries);
}

static void free_files(struct files *files)
{
    for (size_t i = 0; i < files->count; i++)
        free(files->paths[i]);
    free(files->paths);
}

/* --- running ------------------------------------------------------------------------------ */

static void run(const struct test_case *test, struct report *report)
{
    switch (test->kind) {
    case CASE_FAIR_SHARES:
        check_shares(test, report);
        return;
    case CASE_PREEMPTION:
        check_preemption(test, report);
        return;
    case CASE_SCHEDULER:
        check_script(test, report);
        return;
    }
}

/* Prints a text for a line of TAP: without line ends, and without "#", which begins a directive. */
static void print_name(const char *text)
{
    for (; *text != '\0'; text++)
        putchar(*text == '#' || (unsigned char)*text < ' ' ? '_' : *text);
}

static void print_lines(const char *text)
{
    fputs("# ", stdout);
    for (; *text != '\0'; text++) {
        putchar(*text);
        if (*text == '\n')
            fputs("# ", stdout);
    }
    putchar('\n');
}

static bool check_file(size_t number, const char *path)
{
    struct report report = { .count = 0 };
    struct test_case *test = NULL;
    struct err err = { .code = 0 };
    bool passed;

    if (case_read_file(path, &test, &err) < 0)
        report_append(&report, "%s", err.text);
    else
        run(test, &report);
    passed = report.count == 0;
    printf("%s %zu - ", passed ? "ok" : "not ok", number);
    print_name(test != NULL ? test->name : path);
    putchar('\n');
    if (!passed && test != NULL)
        print_lines(path);
    for (size_t i = 0; i < report.count; i++)
        print_lines(report.lines[i]);
    fflush(stdout);
    report_clear(&report);
    case_free(test);
    return passed;
}

static void print_help(void)
{
    puts("usage: creel-sim check PATH...\n"
         "Run conformance cases (files, or folders of *.json) against the scheduler core.\n"
         "Prints TAP; exit status 0 only if every case passes.\n"
         "  -h, --help  this");
}

int command_check(int argc, char **argv)
{
    static const struct option options[] = { { "help", no_argument, NULL, 'h' }, { NULL, 0, NULL, 0 } };
    struct files files = { .count = 0 };
    size_t failed = 0;
    int option;

    while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        if (option == 'h')
            print_help();
        return option == 'h' ? 0 : 2;
    }
    if (optind == argc) {
        fputs("creel-sim check: expected a case or a folder of them\n", stderr);
        return 2;
    }
    for (int i = optind; i < argc; i++)
        collect(&files, argv[i], 0);
    printf("TAP version 13\n1..%zu\n", files.count);
    for (size_t i = 0; i < files.count; i++)
        failed += !check_file(i + 1, files.paths[i]);
    if (failed > 0)
        printf("# %zu of %zu cases failed\n", failed, files.count);
    if (files.count == 0)
        fputs("creel-sim check: no cases there\n", stderr);
    option = files.count > 0 && failed == 0 ? 0 : 1;
    free_files(&files);
    return option;
}
