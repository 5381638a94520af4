/* SPDX-License-Identifier: Apache-2.0 */
/* term_note.c - sends SIGTERM to the processes of a container, or of one step of it, to each process once */
#include "nm-agent/linux/cgroup/term_note.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nm-agent/linux/parts/process.h"

#define PREFIX "term."
#define NAME_MAX_BYTES 32

static void name_of(pid_t shim, char name[NAME_MAX_BYTES])
{
    snprintf(name, NAME_MAX_BYTES, PREFIX "%d", (int)shim);
}

/* --- the shim of a step ------------------------------------------------------ */

struct step {
    pid_t shim;
    int fd; /* of its file; -1: nothing is noted */
};

static bool is_of_step(void *context, pid_t pid)
{
    const struct step *step = context;

    return process_is_below(pid, step->shim);
}

static bool note(void *context, pid_t pid)
{
    const struct step *step = context;
    struct process process = { .pid = 0 };
    char text[PROCESS_TEXT_MAX];

    if (!is_of_step(context, pid))
        return false;
    if (step->fd >= 0 && process_of(pid, &process) == 0) {
        process_format(&process, text);
        /* If the write fails, the process may get a second SIGTERM. */
        (void)!write(step->fd, text, strlen(text));
    }
    return true;
}

void term_note_step(const struct leaf *leaf, int state_fd, pid_t shim)
{
    struct step step = { .shim = shim };
    char name[NAME_MAX_BYTES];

    name_of(shim, name);
    step.fd = openat(state_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    leaf_signal_chosen(leaf, note, &step, SIGTERM);
    leaf_signal_chosen(leaf, is_of_step, &step, SIGCONT);
    if (step.fd >= 0)
        close(step.fd);
}

void term_note_forget(int state_fd, pid_t shim)
{
    char name[NAME_MAX_BYTES];

    name_of(shim, name);
    unlinkat(state_fd, name, 0);
}

/* --- a stop of the container --------------------------------------------------- */

struct noted {
    pid_t pid;
    uint64_t start_ticks;
};

struct stop {
    struct noted *noted; /* owned; by PID and START_TICKS */
    size_t count, room;
    int omitted;
};

static int compare_noted(const void *a, const void *b)
{
    const struct noted *one = a, *other = b;

    if (one->pid != other->pid)
        return one->pid < other->pid ? -1 : 1;
    if (one->start_ticks != other->start_ticks)
        return one->start_ticks < other->start_ticks ? -1 : 1;
    return 0;
}

/* Without memory, the process may get a second SIGTERM. */
static void add_noted(struct stop *stop, const struct process *process)
{
    if (stop->count == stop->room) {
        size_t room = stop->room > 0 ? 2 * stop->room : 64;
        struct noted *longer = reallocarray(stop->noted, room, sizeof(*longer));

        if (longer == NULL)
            return;
        stop->noted = longer;
        stop->room = room;
    }
    stop->noted[stop->count++] = (struct noted){ process->pid, process->start_ticks };
}

/* Adds the processes of this boot that are in the file NAME. */
static void read_notes(struct stop *stop, int state_fd, const char *name, const char *boot_id)
{
    int fd = openat(state_fd, name, O_RDONLY | O_CLOEXEC);
    FILE *stream = fd < 0 ? NULL : fdopen(fd, "re");
    char line[PROCESS_TEXT_MAX];
    struct process one;

    while (stream != NULL && fgets(line, sizeof(line), stream) != NULL)
        if (process_parse(line, &one) && strcmp(one.boot_id, boot_id) == 0)
            add_noted(stop, &one);
    if (stream != NULL)
        fclose(stream);
    else if (fd >= 0)
        close(fd);
}

/* Reads the files of all steps once: there may be thousands of processes to compare with them. */
static void read_all_notes(struct stop *stop, int state_fd)
{
    int fd = state_fd < 0 ? -1 : openat(state_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *files = fd < 0 ? NULL : fdopendir(fd);
    char boot_id[PROCESS_BOOT_ID_MAX];
    const struct dirent *entry;

    if (files != NULL && process_boot_id(boot_id) == 0)
        while ((entry = readdir(files)) != NULL)
            if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) == 0)
                read_notes(stop, dirfd(files), entry->d_name, boot_id);
    if (files != NULL)
        closedir(files);
    else if (fd >= 0)
        close(fd);
    if (stop->count > 1)
        qsort(stop->noted, stop->count, sizeof(*stop->noted), compare_noted);
}

static bool is_noted(const struct stop *stop, pid_t pid)
{
    struct process process = { .boot_id = "-" }; /* not read: only processes of this boot are noted */
    struct noted one;

    if (stop->count == 0 || process_of(pid, &process) != 0)
        return false;
    one = (struct noted){ pid, process.start_ticks };
    return bsearch(&one, stop->noted, stop->count, sizeof(one), compare_noted) != NULL;
}

static bool has_had_none(void *context, pid_t pid)
{
    struct stop *stop = context;

    if (!is_noted(stop, pid))
        return true;
    stop->omitted++;
    return false;
}

int term_note_container(const struct leaf *leaf, int state_fd)
{
    struct stop stop = { .noted = NULL };
    int count;

    read_all_notes(&stop, state_fd);
    count = leaf_signal_chosen(leaf, has_had_none, &stop, SIGTERM);
    leaf_signal(leaf, SIGCONT);
    free(stop.noted);
    return count + stop.omitted;
}
