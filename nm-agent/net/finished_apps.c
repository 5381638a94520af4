/* SPDX-License-Identifier: Apache-2.0 */
/* finished_apps.c - list of ended applications, stored over restarts of the agent */
#include "nm-agent/net/finished_apps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "common/base/id.h"
#include "common/base/mem.h"
#include "nm-agent/core/agent.h"

struct finished_apps {
    int fd;
};

struct lines {
    char **text;
    size_t count, capacity;
};

static void read_lines(FILE *file, struct lines *lines)
{
    char line[ID_TEXT_MAX + 2];
    struct app_id id;

    while (fgets(line, sizeof(line), file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (!app_id_parse(line, &id))
            continue; /* an incomplete line, written when the disk was full */
        mem_grow(lines->text, lines->count, lines->capacity);
        lines->text[lines->count++] = mem_strdup(line);
    }
}

static void free_lines(struct lines *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        free(lines->text[i]);
    free(lines->text);
}

/* Rewrites the file atomically with the newest applications alone; if the disk is full the file is
 * unchanged. */
static void cut_short(const char *path, const struct lines *lines, size_t first)
{
    scoped_free char *fresh = mem_printf("%s.new", path);
    FILE *file = fopen(fresh, "we");
    bool whole = file != NULL;

    for (size_t i = first; i < lines->count && whole; i++)
        whole = fprintf(file, "%s\n", lines->text[i]) > 0;
    if (file != NULL && fclose(file) != 0)
        whole = false;
    if (!whole || rename(fresh, path) < 0)
        (void)unlink(fresh);
}

int finished_apps_open(const char *state_dir, void (*each)(void *context, const char *app_id), void *context,
                       struct finished_apps **ret, struct err *err)
{
    scoped_free char *path = mem_printf("%s/past-apps", state_dir);
    struct lines lines = { 0 };
    FILE *file = fopen(path, "re");
    size_t first;
    int fd;

    if (file == NULL && errno != ENOENT)
        return err_set_errno(err, errno, "%s: cannot read", path);
    if (file != NULL) {
        read_lines(file, &lines);
        fclose(file);
    }
    first = lines.count > AGENT_FINISHED_APPS_MAX ? lines.count - AGENT_FINISHED_APPS_MAX : 0;
    for (size_t i = first; i < lines.count; i++)
        each(context, lines.text[i]);
    if (first > 0)
        cut_short(path, &lines, first);
    free_lines(&lines);
    fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return err_set_errno(err, errno, "%s: cannot write", path);
    *ret = mem_new0(struct finished_apps);
    (*ret)->fd = fd;
    return 0;
}

void finished_apps_add(struct finished_apps *finished, const char *app_id)
{
    /* Ignore a full disk: the id matters only for a start that is delayed over a restart. */
    if (dprintf(finished->fd, "%s\n", app_id) < 0)
        return;
}

void finished_apps_close(struct finished_apps *finished)
{
    if (finished == NULL)
        return;
    close(finished->fd);
    free(finished);
}
