/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - main program of creel-archive, which reads and writes archives for the creel command
 *
 * It is a program of its own because libarchive needs many libraries, which most commands do not need. It
 * runs with the rights of the user. After an error, standard error has its errno and its text,
 * and the exit status is 1.
 */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "client/archive/log_entries.h"
#include "client/archive/pack.h"
#include "common/archive/unpack.h"
#include "common/base/text.h"

#define LIST_FD 3

static int pack(char **argv, struct err *err)
{
    return pack_directory(argv[0], STDOUT_FILENO, err);
}

static int unpack(char **argv, struct err *err)
{
    struct unpack_limits limits;

    if (!text_parse_int64(argv[0], &limits.entries) || !text_parse_int64(argv[1], &limits.bytes))
        return err_set(err, EINVAL, "unpack: the limits are not numbers");
    return unpack_here(STDIN_FILENO, &limits, err);
}

static int copy_logs(const char *only, struct err *err)
{
    FILE *list = fdopen(LIST_FD, "w");
    int r;

    if (list == NULL)
        return err_set_errno(err, errno, "logs: descriptor %d", LIST_FD);
    r = log_entries_copy(STDIN_FILENO, only, STDOUT_FILENO, list, err);
    fclose(list);
    return r;
}

static int all_logs(char **argv, struct err *err)
{
    (void)argv;
    return copy_logs(NULL, err);
}

static int logs_of_container(char **argv, struct err *err)
{
    return copy_logs(argv[0], err);
}

static const struct {
    const char *name;
    int argument_count;
    int (*run)(char **argv, struct err *err);
} operations[] = {
    { "pack", 1, pack },
    { "unpack", 2, unpack },
    { "logs", 0, all_logs },
    { "logs", 1, logs_of_container },
};

static int usage(void)
{
    fputs("usage: creel-archive pack DIRECTORY | unpack MAX-ENTRIES MAX-BYTES | logs [CONTAINER]\n"
          "Reads and writes archives on standard input and output. creel and creel-yarn run it.\n",
          stderr);
    return 2;
}

int main(int argc, char **argv)
{
    setlocale(LC_CTYPE, ""); /* libarchive converts names of entries */
    for (size_t i = 0; argc > 1 && i < sizeof(operations) / sizeof(*operations); i++) {
        struct err err = { 0 };

        if (strcmp(argv[1], operations[i].name) != 0 || argc - 2 != operations[i].argument_count)
            continue;
        if (operations[i].run(argv + 2, &err) == 0)
            return 0;
        fprintf(stderr, "%d %s", err.code, err.text);
        return 1;
    }
    return usage();
}
