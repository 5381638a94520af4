/* SPDX-License-Identifier: Apache-2.0 */
/* process.c - identifies a process by pid, start time and boot id */
#include "nm-agent/linux/parts/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int read_file(const char *path, char *text, size_t room)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got;

    if (fd < 0)
        return -errno;
    got = read(fd, text, room - 1);
    close(fd);
    if (got <= 0)
        return got < 0 ? -errno : -ESRCH;
    text[got] = '\0';
    return 0;
}

/* Reads state letter, parent and start time; the name before them may contain blanks and parentheses. */
static int read_stat(pid_t pid, char *state, pid_t *parent, uint64_t *start_ticks)
{
    char path[64], text[1024], *field;
    int result;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    result = read_file(path, text, sizeof(text));
    if (result != 0)
        return result;
    field = strrchr(text, ')');
    if (field == NULL || field[1] != ' ')
        return -EINVAL;
    field += 2;
    *state = *field;
    *parent = (pid_t)strtol(field + 1, NULL, 10);
    for (int number = 3; number < 22; number++) {
        field = strchr(field, ' ');
        if (field == NULL)
            return -EINVAL;
        field++;
    }
    *start_ticks = strtoull(field, NULL, 10);
    return 0;
}

int process_boot_id(char boot_id[PROCESS_BOOT_ID_MAX])
{
    int result = read_file("/proc/sys/kernel/random/boot_id", boot_id, PROCESS_BOOT_ID_MAX);

    if (result == 0)
        boot_id[strcspn(boot_id, "\n")] = '\0';
    return result;
}

int process_of(pid_t pid, struct process *process)
{
    char state;
    pid_t parent;
    int result = read_stat(pid, &state, &parent, &process->start_ticks);

    if (result == 0 && process->boot_id[0] == '\0')
        result = process_boot_id(process->boot_id);
    process->pid = pid;
    return result;
}

char process_state(pid_t pid)
{
    uint64_t start_ticks;
    pid_t parent;
    char state;

    return read_stat(pid, &state, &parent, &start_ticks) == 0 ? state : '\0';
}

pid_t process_of_fd(int pidfd)
{
    char path[64], line[64];
    int pid = 0;
    FILE *stream;

    snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", pidfd);
    stream = fopen(path, "re");
    while (stream != NULL && pid == 0 && fgets(line, sizeof(line), stream) != NULL)
        if (sscanf(line, "Pid: %d", &pid) == 1 && pid < 0)
            break;
    if (stream != NULL)
        fclose(stream);
    return pid > 0 ? pid : 0;
}

int process_open(const struct process *process)
{
    char boot_id[PROCESS_BOOT_ID_MAX], state;
    uint64_t start_ticks;
    pid_t parent;
    int fd;

    if (process->pid <= 1 || process_boot_id(boot_id) != 0 || strcmp(boot_id, process->boot_id) != 0)
        return -ESRCH;
    fd = (int)syscall(SYS_pidfd_open, process->pid, 0);
    if (fd < 0)
        return -ESRCH;
    /* The pidfd refers to the current process with this pid, so its identity is checked after the open. */
    if (read_stat(process->pid, &state, &parent, &start_ticks) != 0 || state == 'Z' ||
        start_ticks != process->start_ticks) {
        close(fd);
        return -ESRCH;
    }
    return fd;
}

static uint64_t number_behind(const char *text, const char *key)
{
    const char *found = strstr(text, key);

    return found == NULL ? 0 : strtoull(found + strlen(key), NULL, 10);
}

int process_read_io(pid_t pid, uint64_t *read_bytes, uint64_t *written_bytes)
{
    char path[64], text[512];
    int result;

    snprintf(path, sizeof(path), "/proc/%d/io", (int)pid);
    result = read_file(path, text, sizeof(text));
    if (result != 0)
        return result;
    *read_bytes = number_behind(text, "\nread_bytes: ");
    *written_bytes = number_behind(text, "\nwrite_bytes: ");
    return 0;
}

bool process_is_below(pid_t pid, pid_t ancestor)
{
    uint64_t start_ticks;
    char state;

    while (pid > 1 && read_stat(pid, &state, &pid, &start_ticks) == 0)
        if (pid == ancestor)
            return true;
    return false;
}

#define DEPTH_MAX 64
#define CHILDREN_TEXT_MAX 4096 /* more children are found by the next call, when these have ended */

/* Reads the children of PID, which has one thread, as "1 2 3 ". */
static bool read_children(pid_t pid, char text[CHILDREN_TEXT_MAX])
{
    char path[80];

    snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
    return read_file(path, text, CHILDREN_TEXT_MAX) == 0;
}

static bool is_child(pid_t parent, pid_t pid)
{
    char text[CHILDREN_TEXT_MAX], *at = text, *rest;

    if (!read_children(parent, text))
        return false;
    for (long one = strtol(at, &rest, 10); rest != at; one = strtol(at, &rest, 10)) {
        if (one == pid)
            return true;
        at = rest;
    }
    return false;
}

/* Makes PID *FIRST if it was started before. */
static void take_older(pid_t pid, struct process *first)
{
    struct process found = { .pid = 0 };

    if (process_of(pid, &found) == 0 && (first->pid == 0 || found.start_ticks < first->start_ticks))
        *first = found;
}

bool process_first_child(pid_t parent, struct process *child)
{
    char text[CHILDREN_TEXT_MAX], *at = text, *rest;

    *child = (struct process){ .pid = 0 };
    if (!read_children(parent, text))
        return false;
    for (long one = strtol(at, &rest, 10); rest != at; one = strtol(at, &rest, 10)) {
        at = rest;
        take_older((pid_t)one, child);
    }
    return child->pid > 0;
}

/* NAME is that of an entry of PROC_FD, the directory /proc. */
static bool holds(int proc_fd, const char *name, int fd, const struct stat *status)
{
    struct stat found;
    char path[64];

    snprintf(path, sizeof(path), "%.20s/fd/%d", name, fd);
    return fstatat(proc_fd, path, &found, 0) == 0 && found.st_dev == status->st_dev &&
           found.st_ino == status->st_ino;
}

static bool has_name(pid_t pid, const char *name)
{
    char path[64], found[64];

    snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
    if (read_file(path, found, sizeof(found)) != 0)
        return false;
    found[strcspn(found, "\n")] = '\0';
    return strcmp(found, name) == 0;
}

bool process_find_holder(const char *name, int fd, const struct stat *status, struct process *holder)
{
    DIR *proc = opendir("/proc");
    const struct dirent *entry;

    *holder = (struct process){ .pid = 0 };
    while (proc != NULL && (entry = readdir(proc)) != NULL) {
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

        if (pid > 1 && holds(dirfd(proc), entry->d_name, fd, status) && has_name(pid, name))
            take_older(pid, holder);
    }
    if (proc != NULL)
        closedir(proc);
    return holder->pid > 0;
}

static int64_t clock_ms(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t process_start_ms(const struct process *process)
{
    int64_t start_ms = (int64_t)process->start_ticks * 1000 / sysconf(_SC_CLK_TCK);

    return process_now_ms() - clock_ms(CLOCK_BOOTTIME) + start_ms;
}

static int kill_below(pid_t pid, int depth)
{
    char text[CHILDREN_TEXT_MAX], *at = text, *rest;
    int count = 0;

    if (depth == DEPTH_MAX || !read_children(pid, text))
        return 0;
    for (long one = strtol(at, &rest, 10); rest != at; one = strtol(at, &rest, 10)) {
        int fd = (int)syscall(SYS_pidfd_open, (pid_t)one, 0);

        at = rest;
        count++;
        /* The pidfd refers to the current process with this pid, so its parent is checked after the open. */
        if (fd >= 0 && is_child(pid, (pid_t)one)) {
            count += kill_below((pid_t)one, depth + 1);
            syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0);
        }
        if (fd >= 0)
            close(fd);
    }
    return count;
}

int process_kill_below(pid_t pid)
{
    return kill_below(pid, 0);
}

void process_format(const struct process *process, char text[PROCESS_TEXT_MAX])
{
    snprintf(text, PROCESS_TEXT_MAX, "%d %" PRIu64 " %s\n", (int)process->pid, process->start_ticks,
             process->boot_id);
}

bool process_parse(const char *text, struct process *process)
{
    struct process found = { .pid = 0 };

    if (sscanf(text, "%d %" SCNu64 " %39s", &found.pid, &found.start_ticks, found.boot_id) != 3)
        return false;
    *process = found;
    return true;
}

int64_t process_now_ms(void)
{
    return clock_ms(CLOCK_REALTIME);
}
