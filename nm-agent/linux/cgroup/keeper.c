/* SPDX-License-Identifier: Apache-2.0 */
/* keeper.c - reads and writes the file that has the paths of the keeper's tree, for the agent */
#include "nm-agent/linux/cgroup/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "nm-agent/linux/parts/record.h"

#define HOME "shims"

int keeper_write(const struct keeper *keeper, const char *file, struct err *err)
{
    scoped_free char *copy = mem_strdup(file), *text = NULL;
    const char *slash = strrchr(file, '/');
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    scoped_fd int fd = -1;

    for (int i = 0; i < LEAF_CONTROLLERS && stream != NULL; i++)
        if (keeper->own[i] != NULL)
            fprintf(stream, "%s %s/\n", leaf_controller_name((enum leaf_controller)i), keeper->own[i]);
    for (int i = 0; i < KEEPER_HOMES_MAX && stream != NULL && keeper->homes[i] != NULL; i++)
        fprintf(stream, HOME " %s\n", keeper->homes[i]);
    if (stream == NULL || fclose(stream) != 0)
        return err_set_errno(err, errno, "%s: cannot write it", file);
    if (slash == NULL)
        return err_set(err, EINVAL, "%s: has to begin at /", file);
    fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return err_set_errno(err, errno, "%s: cannot open the directory", file);
    return record_write(fd, slash + 1, text, size, err);
}

/* Parses a line such as "memory /a/b/"; stores the path without the slash at the end. */
static int parse_line(char *line, struct keeper *keeper)
{
    char *value = strchr(line, ' ');
    size_t length;

    if (value == NULL || value[1] != '/' || strstr(value, "/../") != NULL)
        return -EPROTO;
    *value++ = '\0';
    length = strlen(value);
    for (int i = 0; strcmp(line, HOME) == 0 && i < KEEPER_HOMES_MAX; i++) {
        if (keeper->homes[i] != NULL)
            continue;
        keeper->homes[i] = mem_strdup(value);
        return 0;
    }
    for (int i = 0; i < LEAF_CONTROLLERS; i++) {
        if (strcmp(line, leaf_controller_name((enum leaf_controller)i)) != 0)
            continue;
        if (keeper->own[i] != NULL || value[length - 1] != '/')
            return -EPROTO;
        keeper->own[i] = mem_strndup(value, length - 1);
        return 0;
    }
    return -EPROTO;
}

int keeper_read(const char *file, struct keeper *keeper, struct err *err)
{
    scoped_free char *text = NULL;
    char *save = NULL;
    int result = record_read(AT_FDCWD, file, &text, NULL, err);

    *keeper = (struct keeper){ .file = NULL };
    if (result == -ENOENT)
        return err_set(err, ENOENT,
                       "%s is missing: creel-keeper.service, which keeps the control "
                       "groups of containers, does not run; systemctl start creel-keeper",
                       file);
    if (result < 0)
        return result;
    for (char *line = strtok_r(text, "\n", &save); line != NULL && result == 0;
         line = strtok_r(NULL, "\n", &save))
        result = parse_line(line, keeper);
    if (result == 0 && keeper->homes[0] == NULL)
        result = -EPROTO;
    if (result < 0) {
        keeper_clear(keeper);
        return err_set(err, -result, "%s: not what creel-keeper writes", file);
    }
    keeper->file = mem_strdup(file);
    return 0;
}

void keeper_clear(struct keeper *keeper)
{
    for (int i = 0; i < LEAF_CONTROLLERS; i++)
        free(keeper->own[i]);
    for (int i = 0; i < KEEPER_HOMES_MAX; i++)
        free(keeper->homes[i]);
    free(keeper->file);
    *keeper = (struct keeper){ .file = NULL };
}

int keeper_check(const struct keeper *keeper, struct err *err)
{
    if (keeper->file == NULL || (access(keeper->file, F_OK) == 0 && access(keeper->homes[0], F_OK) == 0))
        return 0;
    return err_set(err, EIO,
                   "creel-keeper.service, which keeps the control groups of "
                   "containers, was stopped: systemctl start creel-keeper");
}
