/* SPDX-License-Identifier: Apache-2.0 */
/* step_files.c - standard input, output and error of the tasks of a step */
#include "client/slurm/step_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/cli/run/input_pipes.h"
#include "common/base/text_builder.h"

#define WIDTH_MAX 10

/* --- names of files ------------------------------------------------------------------- */

static const char *item_of(char letter, const struct step_place *place, uint32_t task, struct arena *arena)
{
    switch (letter) {
    case '%':
        return "%";
    case 'j':
        return place->job;
    case 'A':
        return place->array_job;
    case 'a':
        return place->array_index;
    case 'J':
        return arena_printf(arena, "%s.%u", place->job, place->step);
    case 's':
        return arena_printf(arena, "%u", place->step);
    case 't':
        return arena_printf(arena, "%u", task);
    case 'n':
        return "0";
    case 'N':
        return place->host;
    case 'u':
        return place->user;
    case 'x':
        return place->name;
    default:
        return NULL;
    }
}

static void add_padded(struct text_builder *name, const char *value, size_t width)
{
    if (value[strspn(value, "0123456789")] == '\0')
        for (size_t digits = strlen(value); digits < width; digits++)
            text_builder_add(name, "0");
    text_builder_add(name, value);
}

const char *step_file_name(const char *pattern, const struct step_place *place, uint32_t task,
                           struct arena *arena)
{
    struct text_builder name = TEXT_BUILDER_IN(arena);

    while (*pattern != '\0') {
        size_t length = strcspn(pattern, "%"), digits, width;
        const char *value;

        text_builder_add_bytes(&name, pattern, length);
        pattern += length;
        if (*pattern == '\0')
            break;
        digits = strspn(pattern + 1, "0123456789");
        width = digits > 0 ? (size_t)strtoul(pattern + 1, NULL, 10) : 0;
        value = item_of(pattern[1 + digits], place, task, arena);
        if (!value) {
            text_builder_add_bytes(&name, pattern, 1);
            pattern++;
            continue;
        }
        add_padded(&name, value, width < WIDTH_MAX ? width : WIDTH_MAX);
        pattern += digits + 2;
    }
    return text_builder_finish(&name);
}

/* --- descriptors ------------------------------------------------------------------------ */

struct opening {
    const struct step_place *place;
    struct arena *arena;
    struct err *err;
    int nothing; /* /dev/null; -1: not open */
};

static int open_path(struct opening *opening, const char *path, int flags)
{
    int fd = open(path, flags | O_CLOEXEC, 0666);

    return fd < 0 ? err_set_errno(opening->err, errno, "%s", path) : fd;
}

static int open_nothing(struct opening *opening)
{
    if (opening->nothing < 0)
        opening->nothing = open_path(opening, "/dev/null", O_RDWR);
    return opening->nothing;
}

static bool is_number(const char *text)
{
    return *text != '\0' && text[strspn(text, "0123456789")] == '\0';
}

/* Opens the file or stream WHERE of an option for TASK. OWN: the descriptor of srun. PREVIOUS: that of the
 * task before, which is shared if both have the same file; -1: each task opens the file, to read it from the
 * beginning. */
static int open_for(struct opening *opening, const char *where, int own, int flags, uint32_t task,
                    int previous)
{
    const char *path;

    if (!where || !strcmp(where, "all"))
        return own;
    if (!strcmp(where, "none"))
        return open_nothing(opening);
    if (is_number(where))
        return strtoul(where, NULL, 10) == task ? own : open_nothing(opening);
    path = step_file_name(where, opening->place, task, opening->arena);
    if (task > 0 && previous >= 0 &&
        !strcmp(path, step_file_name(where, opening->place, task - 1, opening->arena)))
        return previous;
    return open_path(opening, path, flags);
}

/* Gives each task a copy of standard input. */
static int copy_input(uint32_t count, struct step_descriptors *descriptors, int *filler,
                      struct opening *opening)
{
    int *inputs = arena_array0(opening->arena, count, sizeof(*inputs));

    *filler = input_pipes_start(inputs, count);
    if (*filler < 0)
        return err_set_errno(opening->err, -*filler, "copies of standard input");
    for (uint32_t i = 0; i < count; i++)
        descriptors[i].input = inputs[i];
    return 0;
}

static int open_task(struct opening *opening, const struct step_files *files, uint32_t task,
                     struct step_descriptors *descriptors)
{
    int write_flags = O_WRONLY | O_CREAT | O_APPEND | (files->append ? 0 : O_TRUNC);
    struct step_descriptors *own = &descriptors[task];
    const struct step_descriptors *before = task > 0 ? &descriptors[task - 1] : own;
    bool together = files->output && (!files->error || !strcmp(files->error, files->output));

    own->input = open_for(opening, files->input, STDIN_FILENO, O_RDONLY, task, -1);
    own->output = open_for(opening, files->output, STDOUT_FILENO, write_flags, task, before->output);
    own->error = together && own->output != STDOUT_FILENO
                     ? own->output
                     : open_for(opening, files->error, STDERR_FILENO, write_flags, task, before->error);
    if (own->input < 0)
        return own->input;
    return own->output < 0 ? own->output : own->error < 0 ? own->error : 0;
}

int step_files_open(const struct step_files *files, const struct step_place *place, uint32_t count,
                    struct step_descriptors *descriptors, int *filler, struct arena *arena, struct err *err)
{
    struct opening opening = { .place = place, .arena = arena, .err = err, .nothing = -1 };
    bool all = !files->input || !strcmp(files->input, "all");
    int r = 0;

    *filler = 0;
    for (uint32_t i = 0; i < count && r == 0; i++)
        r = open_task(&opening, files, i, descriptors);
    if (r == 0 && all && count > 1)
        r = copy_input(count, descriptors, filler, &opening);
    return r;
}
