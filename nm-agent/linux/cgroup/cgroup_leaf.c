/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup_leaf.c - operations on the existing cgroup of one container: join, signal, kill, read usage */
#include "nm-agent/linux/cgroup/cgroup_leaf.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DEPTH_MAX 32 /* maximum depth of groups that a container created in its own group */
#define BATCH_MAX 64

void leaf_put(struct leaf_setting *setting, const char *file, int64_t value, bool optional)
{
    setting->file = file;
    setting->optional = optional;
    snprintf(setting->value, sizeof(setting->value), "%" PRId64, value);
}

size_t leaf_settings(const struct leaf_backend *backend, enum leaf_controller controller,
                     const struct leaf_limits *limits, struct leaf_setting settings[LEAF_SETTINGS_MAX])
{
    switch (controller) {
    case LEAF_MEMORY:
        return backend->memory_settings(limits, settings);
    case LEAF_CPU:
        return backend->cpu_settings(limits, settings);
    case LEAF_PIDS:
        leaf_put(&settings[0], "pids.max", limits->pids_max, false);
        return 1;
    case LEAF_CPUACCT:
    case LEAF_CONTROLLERS:
        break;
    }
    return 0;
}

const char *leaf_controller_name(enum leaf_controller controller)
{
    static const char *const names[LEAF_CONTROLLERS] = {
        [LEAF_MEMORY] = "memory",
        [LEAF_CPU] = "cpu",
        [LEAF_PIDS] = "pids",
        [LEAF_CPUACCT] = "cpuacct",
    };

    return names[controller];
}

static int open_in(const char *directory, const char *file, int flags)
{
    char path[PATH_MAX];
    size_t head = strlen(directory), tail = strlen(file);

    if (head + 1 + tail >= sizeof(path))
        return -ENAMETOOLONG;
    memcpy(path, directory, head);
    path[head] = '/';
    memcpy(path + head + 1, file, tail + 1);
    int fd = open(path, flags | O_CLOEXEC);

    return fd < 0 ? -errno : fd;
}

int leaf_write(const char *directory, const char *file, const char *value)
{
    int fd = open_in(directory, file, O_WRONLY);
    int result = -EINTR;

    if (fd < 0)
        return fd;
    for (int tries = 0; result == -EINTR && tries < LEAF_INTERRUPTS_MAX; tries++)
        result = write(fd, value, strlen(value)) < 0 ? -errno : 0;
    close(fd);
    return result;
}

/* Reads a whole small file; returns the length, or -errno. */
static ssize_t read_text(const char *directory, const char *file, char *text, size_t room)
{
    int fd = open_in(directory, file, O_RDONLY);
    ssize_t got;

    if (fd < 0)
        return fd;
    got = read(fd, text, room - 1);
    if (got < 0)
        got = -errno;
    else
        text[got] = '\0';
    close(fd);
    return got;
}

uint64_t leaf_read_number(const char *directory, const char *file)
{
    char text[64];

    if (read_text(directory, file, text, sizeof(text)) <= 0)
        return 0;
    return strtoull(text, NULL, 10);
}

uint64_t leaf_read_keyed(const char *directory, const char *file, const char *key)
{
    char text[4096];
    size_t length = strlen(key);

    if (read_text(directory, file, text, sizeof(text)) <= 0)
        return 0;
    for (char *line = text; line != NULL && *line;) {
        if (strncmp(line, key, length) == 0 && line[length] == ' ')
            return strtoull(line + length, NULL, 10);
        line = strchr(line, '\n');
        if (line != NULL)
            line++;
    }
    return 0;
}

int leaf_join(const struct leaf *leaf)
{
    for (int i = 0; i < LEAF_CONTROLLERS; i++) {
        bool done = leaf->directory[i] == NULL;
        int result;

        for (int j = 0; j < i && !done; j++)
            done = leaf->directory[j] && strcmp(leaf->directory[i], leaf->directory[j]) == 0;
        if (done)
            continue;
        /* "0" is the writing process, in any pid namespace. */
        result = leaf_write(leaf->directory[i], "cgroup.procs", "0");
        if (result != 0)
            return result;
    }
    return 0;
}

struct batch {
    size_t count;
    int pid[BATCH_MAX], fd[BATCH_MAX];
    bool listed[BATCH_MAX];
};

static FILE *open_members(const char *directory)
{
    int fd = open_in(directory, "cgroup.procs", O_RDONLY);

    return fd < 0 ? NULL : fdopen(fd, "re");
}

static bool find_listed(const char *directory, struct batch *batch)
{
    FILE *stream = open_members(directory);
    int pid;

    if (stream == NULL)
        return false;
    while (fscanf(stream, "%d", &pid) == 1)
        for (size_t i = 0; i < batch->count; i++)
            batch->listed[i] = batch->listed[i] || batch->pid[i] == pid;
    fclose(stream);
    return true;
}

/* Signals the processes of BATCH. A pid read from the list may have been reused before its pidfd was opened.
 * If the pid is still in the list afterwards, a live process with this pid is a member: then the pidfd refers
 * to it, or to a dead process, which is harmless. */
static int signal_batch(const char *directory, int signal_number, struct batch *batch)
{
    int count = 0;
    bool known;

    if (batch->count == 0)
        return 0;
    known = find_listed(directory, batch);
    for (size_t i = 0; i < batch->count; i++) {
        /* If membership is uncertain, no process is signalled, and the caller repeats the round. */
        if (!known ||
            (batch->listed[i] && syscall(SYS_pidfd_send_signal, batch->fd[i], signal_number, NULL, 0) == 0))
            count++;
        close(batch->fd[i]);
    }
    *batch = (struct batch){ .count = 0 };
    return count;
}

struct choice {
    leaf_choose_fn *choose; /* NULL: all */
    void *context;
};

/* Signals the members of DIRECTORY that are chosen. */
static int signal_members(const char *directory, const struct choice *choice, int signal_number)
{
    FILE *stream = open_members(directory);
    struct batch batch = { .count = 0 };
    int count = 0, pid;

    if (stream == NULL)
        return 0;
    while (fscanf(stream, "%d", &pid) == 1) {
        int fd;

        if (pid <= 1) /* 0: outside this process's pid namespace; never signal a group or init */
            continue;
        if (choice->choose != NULL && !choice->choose(choice->context, pid))
            continue;
        fd = (int)syscall(SYS_pidfd_open, pid, 0);
        if (fd < 0) {
            count += errno != ESRCH;
            continue;
        }
        batch.pid[batch.count] = pid;
        batch.fd[batch.count++] = fd;
        if (batch.count == BATCH_MAX)
            count += signal_batch(directory, signal_number, &batch);
    }
    fclose(stream);
    return count + signal_batch(directory, signal_number, &batch);
}

static int signal_tree(const char *directory, const struct choice *choice, int signal_number, int depth)
{
    int count = signal_members(directory, choice, signal_number);
    DIR *stream = depth < DEPTH_MAX ? opendir(directory) : NULL;
    struct dirent *entry;
    char below[PATH_MAX];

    if (stream == NULL)
        return count;
    while ((entry = readdir(stream)) != NULL) {
        if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
            continue;
        if (snprintf(below, sizeof(below), "%s/%s", directory, entry->d_name) < (int)sizeof(below))
            count += signal_tree(below, choice, signal_number, depth + 1);
    }
    closedir(stream);
    return count;
}

int leaf_signal_directory(const char *directory, int signal_number)
{
    const struct choice all = { .choose = NULL };

    return signal_tree(directory, &all, signal_number, 0);
}

int leaf_kill_by_signal(const char *directory)
{
    leaf_write(directory, "pids.max", "0");
    return leaf_signal_directory(directory, SIGKILL);
}

int leaf_signal(const struct leaf *leaf, int signal_number)
{
    return leaf_signal_directory(leaf->directory[LEAF_PIDS], signal_number);
}

int leaf_terminate_directory(const char *directory)
{
    int count = leaf_signal_directory(directory, SIGTERM);

    leaf_signal_directory(directory, SIGCONT);
    return count;
}

int leaf_signal_chosen(const struct leaf *leaf, leaf_choose_fn *choose, void *context, int signal_number)
{
    const struct choice choice = { choose, context };

    return signal_tree(leaf->directory[LEAF_PIDS], &choice, signal_number, 0);
}

static bool is_in_group(void *context, pid_t pid)
{
    const pid_t *group = context;

    return getpgid(pid) == *group;
}

int leaf_signal_group(const struct leaf *leaf, pid_t group, int signal_number)
{
    return leaf_signal_chosen(leaf, is_in_group, &group, signal_number);
}

static bool is_other(void *context, pid_t pid)
{
    return pid != *(pid_t *)context;
}

int leaf_signal_others(const struct leaf *leaf, pid_t other, int signal_number)
{
    return leaf_signal_chosen(leaf, is_other, &other, signal_number);
}

int leaf_kill(const struct leaf *leaf)
{
    return leaf_backend_of(leaf->version[LEAF_PIDS])->kill(leaf->directory[LEAF_PIDS]);
}

uint64_t leaf_oom_kills(const struct leaf *leaf)
{
    return leaf_backend_of(leaf->version[LEAF_MEMORY])->oom_kills(leaf->directory[LEAF_MEMORY]);
}

enum leaf_controller leaf_cpu_source(const struct leaf *leaf)
{
    enum leaf_controller source = leaf->version[LEAF_CPU] == 2 ? LEAF_CPU : LEAF_CPUACCT;

    return leaf->directory[source] == NULL ? LEAF_CONTROLLERS : source;
}

uint64_t leaf_pids_current(const struct leaf *leaf)
{
    return leaf_read_number(leaf->directory[LEAF_PIDS], "pids.current");
}

uint64_t leaf_cpu_time_us(const struct leaf *leaf)
{
    enum leaf_controller source = leaf_cpu_source(leaf);

    if (source == LEAF_CONTROLLERS)
        return 0;
    return leaf_backend_of(leaf->version[source])->cpu_time_us(leaf->directory[source]);
}

void leaf_measure(const struct leaf *leaf, struct container_totals *totals)
{
    leaf_backend_of(leaf->version[LEAF_MEMORY])->measure_memory(leaf->directory[LEAF_MEMORY], totals);
    totals->cpu_time_us = leaf_cpu_time_us(leaf);
    totals->pids_peak = (uint32_t)leaf_read_number(leaf->directory[LEAF_PIDS], "pids.peak");
}
