/* SPDX-License-Identifier: Apache-2.0 */
/* finished_apps.c - list of ended applications, stored over restarts of the agent */
#include "nm-agent/net/finished_apps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/id.h"
#include "common/base/mem.h"
#include "common/base/text_builder.h"
#include "nm-agent/core/agent.h"

struct finished_apps {
    int fd;
    struct text_builder waiting; /* lines that are not written yet */
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
    scoped_text_builder struct text_builder text = TEXT_BUILDER_MALLOC;

    for (size_t i = first; i < lines->count; i++)
        text_builder_printf(&text, "%s\n", lines->text[i]);
    (void)file_replace(
        AT_FDCWD, path,
        &(struct file_content){ .data = text_builder_text(&text), .size = text.length, .mode = 0600 });
}

int finished_apps_open(const char *state_dir, void (*each)(void *context, const char *app_id), void *context,
                       struct finished_apps **ret, struct err *err)
{
    scoped_free char *path = mem_printf("%s/past-apps", state_dir);
    struct lines lines = { 0 };
    FILE *file = file_stream(path, err);
    size_t first;
    int fd;

    if (file == NULL && errno != ENOENT)
        return -errno;
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
    fd = file_open(AT_FDCWD, path, O_WRONLY | O_APPEND | O_CREAT, 0600, err);
    if (fd < 0)
        return fd;
    *ret = mem_new0(struct finished_apps);
    (*ret)->fd = fd;
    (*ret)->waiting = (struct text_builder)TEXT_BUILDER_MALLOC;
    return 0;
}

void finished_apps_add(struct finished_apps *finished, const char *app_id)
{
    text_builder_printf(&finished->waiting, "%s\n", app_id);
}

void finished_apps_write(struct finished_apps *finished)
{
    scoped_free char *lines = NULL;

    if (finished->waiting.length == 0)
        return;
    lines = text_builder_finish(&finished->waiting);
    finished->waiting = (struct text_builder)TEXT_BUILDER_MALLOC;
    /* Ignore a full disk: the ids matter only for a start that is delayed over a restart. */
    if (write(finished->fd, lines, strlen(lines)) < 0)
        return;
}

void finished_apps_close(struct finished_apps *finished)
{
    if (finished == NULL)
        return;
    close(finished->fd);
    free(text_builder_finish(&finished->waiting));
    free(finished);
}
