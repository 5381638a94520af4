/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sampler.c - samples the resource usage of each container
 *
 * Each second a thousand containers may be sampled: descriptors are kept open, and each is read by one call.
 * For a container that used no CPU time since the last sample only the CPU time is read. Values that change
 * rarely or cost more (peak, I/O, number of processes) are read every DETAIL_MS.
 *
 * A descriptor of /proc/PID/statm belongs to one process: when the process has ended, reading fails with
 * ESRCH, even if the pid was reused.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/text_print.h"
#include "nm-agent/linux/parts/process.h"
#include "nm-agent/linux/runtime_state.h"
#include "nm-agent/linux/state/disk_io.h"

#define DETAIL_MS 10000
#define NOT_THERE \
    (-2)                     /* value of a descriptor whose file does not exist: do not try
                                again */
#define IO_PROCESSES_MAX 256 /* with more processes, I/O is not summed while they run */
#define IDLE_ROUNDS 10       /* rounds between two complete samples of an idle container */
#define LINE_ROOM 32         /* bytes; more than a line of cgroup.procs needs */
#define LOG_FILES_MAX 10000  /* maximum number of files counted in one directory */
#define LOG_DEPTH_MAX 4

struct sampled_process { /* a process in the samples */
    int pid, fd;         /* -1: descriptors are short */
    uint32_t age;
    uint64_t physical_bytes, virtual_bytes;
};

struct sampler {
    int cpu_fd, procs_fd;
    uint32_t rounds, process_samples; /* ROUNDS: all samples; PROCESS_SAMPLES: samples of processes */
    uint64_t cpu_number;              /* number in the CPU time file at the last sample */
    int64_t detailed_ms;              /* time of the last detailed sample; monotonic; 0: never */
    uint64_t detailed_cpu_us, detailed_memory;
    uint64_t rated_cpu_us; /* CPU time at RATED_MS, the time of the last rate; monotonic; 0: never */
    int64_t rated_ms;
    uint32_t cpu_millicores; /* mean between the last two samples */
    struct runtime_sample figures;
    struct sampled_process *processes; /* owned; sorted by pid */
    size_t count;
    int *pids; /* owned; temporary list */
    size_t pid_capacity;
};

static struct sampler *sampler_of(struct container *container)
{
    struct sampler *sampler = container->sampler;

    if (sampler != NULL)
        return sampler;
    sampler = container->sampler = mem_new0(struct sampler);
    sampler->cpu_fd = sampler->procs_fd = -1;
    return sampler;
}

static void forget_processes(struct sampler *sampler)
{
    for (size_t i = 0; i < sampler->count; i++)
        container_close_fd(&sampler->processes[i].fd);
    free(sampler->processes);
    sampler->processes = NULL;
    sampler->count = 0;
}

void sampler_free(struct sampler *sampler)
{
    if (sampler == NULL)
        return;
    forget_processes(sampler);
    container_close_fd(&sampler->cpu_fd);
    container_close_fd(&sampler->procs_fd);
    free(sampler->pids);
    free(sampler);
}

/* --- descriptors ------------------------------------------------------------- */

/* Opens FILE in DIRECTORY as *FD, if that was not tried before. */
static void open_kept(int *fd, const char *directory, const char *file)
{
    char path[PATH_MAX];

    if (*fd != -1)
        return;
    if (directory != NULL && snprintf(path, sizeof(path), "%s/%s", directory, file) < (int)sizeof(path))
        *fd = open(path, O_RDONLY | O_CLOEXEC);
    if (*fd < 0)
        *fd = NOT_THERE;
}

/* Reads the current content of FD; returns its length, or -errno. */
static ssize_t read_kept(int fd, char *text, size_t room)
{
    ssize_t got = fd < 0 ? -1 : pread(fd, text, room - 1, 0);

    if (got < 0)
        return fd < 0 ? -EBADF : -errno;
    text[got] = '\0';
    return got;
}

/* Reads the first number in the file, after any words. */
static bool read_number(int fd, uint64_t *number, int *error)
{
    char text[256];
    ssize_t got = read_kept(fd, text, sizeof(text));
    const char *digit = text;

    *error = got < 0 ? (int)-got : 0;
    if (got <= 0)
        return false;
    while (*digit && (*digit < '0' || *digit > '9'))
        digit++;
    *number = strtoull(digit, NULL, 10);
    return true;
}

/* --- processes --------------------------------------------------------------- */

static int compare_pids(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;

    return (x > y) - (x < y);
}

/* Reads the pids of the container's group, sorted; returns false if they cannot be read. */
static bool list_pids(struct sampler *sampler, size_t *count)
{
    char text[4096];
    off_t at = 0;
    ssize_t got;
    int pid = 0;

    *count = 0;
    while ((got = pread(sampler->procs_fd, text, sizeof(text), at)) > 0) {
        for (ssize_t i = 0; i < got; i++) {
            if (text[i] != '\n') {
                pid = pid * 10 + (text[i] - '0');
                continue;
            }
            mem_grow(sampler->pids, *count, sampler->pid_capacity);
            sampler->pids[(*count)++] = pid;
            pid = 0;
        }
        at += got;
        /* Another read would make the kernel list all processes again. It is not needed: the kernel leaves no
         * room for a line unless the list has ended. */
        if (got + LINE_ROOM < (ssize_t)sizeof(text)) {
            got = 0;
            break;
        }
    }
    if (*count > 1)
        qsort(sampler->pids, *count, sizeof(*sampler->pids), compare_pids);
    return got == 0;
}

/* Returns true if FD may be kept for a process: half of the descriptors are for processes, half for all other
 * uses. */
static bool may_keep(int fd)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
           (limit.rlim_cur == RLIM_INFINITY || (rlim_t)fd < limit.rlim_cur / 2);
}

/* Reads the memory of PROCESS in pages; returns false if it has ended. */
static bool measure(struct sampled_process *process, uint64_t page_bytes)
{
    char path[64], text[128], *rest;
    int fd = process->fd;
    ssize_t got;

    if (fd < 0) {
        snprintf(path, sizeof(path), "/proc/%d/statm", process->pid);
        fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
            return false;
    }
    got = read_kept(fd, text, sizeof(text));
    if (process->fd < 0 && may_keep(fd))
        process->fd = fd;
    else if (process->fd < 0)
        close(fd);
    if (got <= 0)
        return false;
    process->virtual_bytes = strtoull(text, &rest, 10) * page_bytes;
    process->physical_bytes = strtoull(rest, NULL, 10) * page_bytes;
    return true;
}

/* Fills PROCESS for PID, with the data of OLD if it is the same process: a reused pid is a new process. */
static bool fill_process(struct sampled_process *process, struct sampled_process *old, int pid,
                         uint64_t page_bytes)
{
    *process = (struct sampled_process){ .pid = pid, .fd = -1, .age = 1 };
    if (old != NULL) {
        *process = *old;
        process->age++;
        if (measure(process, page_bytes))
            return true;
        container_close_fd(&process->fd);
        *process = (struct sampled_process){ .pid = pid, .fd = -1, .age = 1 };
    }
    return measure(process, page_bytes);
}

static void sample_processes(struct container *container, struct sampler *sampler)
{
    uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    struct sampled_process *fresh;
    size_t count, old = 0, kept = 0;

    open_kept(&sampler->procs_fd, container->meta.leaf.directory[LEAF_PIDS], "cgroup.procs");
    if (sampler->procs_fd < 0 || !list_pids(sampler, &count))
        return;
    fresh = mem_array0(count + 1, sizeof(*fresh));
    for (size_t i = 0; i < count; i++) {
        struct sampled_process *same = NULL;

        while (old < sampler->count && sampler->processes[old].pid < sampler->pids[i])
            container_close_fd(&sampler->processes[old++].fd);
        if (old < sampler->count && sampler->processes[old].pid == sampler->pids[i])
            same = &sampler->processes[old++];
        kept += fill_process(&fresh[kept], same, sampler->pids[i], page_bytes);
    }
    while (old < sampler->count)
        container_close_fd(&sampler->processes[old++].fd);
    free(sampler->processes);
    sampler->processes = fresh;
    sampler->count = kept;
    sampler->process_samples++;
}

/* Increments the age of all processes, which did not run since the last sample. */
static void age_processes(struct sampler *sampler)
{
    for (size_t i = 0; i < sampler->count; i++)
        sampler->processes[i].age++;
    sampler->process_samples++;
}

/* --- mappings ------------------------------------------------------------------ */

struct mapping {
    bool counts; /* the mapping is writable */
    uint64_t pss, shared_dirty, private_clean, private_dirty;
};

static uint64_t size_of(const struct mapping *mapping)
{
    uint64_t shared = mapping->shared_dirty < mapping->pss ? mapping->shared_dirty : mapping->pss;

    return mapping->counts ? (shared + mapping->private_clean + mapping->private_dirty) * 1024 : 0;
}

/* Parses a line: "7f..-7f.. r-xp ..." begins a mapping, "Pss:   4 kB" is one of its values. */
static void parse_mapping_line(const char *line, struct mapping *mapping, uint64_t *sum)
{
    static const struct {
        const char *name;
        size_t at;
    } fields[] = {
        { "Pss:", offsetof(struct mapping, pss) },
        { "Shared_Dirty:", offsetof(struct mapping, shared_dirty) },
        { "Private_Clean:", offsetof(struct mapping, private_clean) },
        { "Private_Dirty:", offsetof(struct mapping, private_dirty) },
    };
    unsigned long long from, to;
    char rights[8];

    if (sscanf(line, "%llx-%llx %7s", &from, &to, rights) == 3) {
        *sum += size_of(mapping);
        *mapping = (struct mapping){ .counts = strchr(rights, 'w') != NULL };
        return;
    }
    for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
        uint64_t value;

        if (strncmp(line, fields[i].name, strlen(fields[i].name)) != 0)
            continue;
        value = strtoull(line + strlen(fields[i].name), NULL, 10);
        memcpy((char *)mapping + fields[i].at, &value, sizeof(value));
    }
}

/* Measures memory by smaps, as YARN does (yarn-behaviour 13.2): read-only mappings are not counted, dirty
 * shared pages are counted in part. */
static void measure_mappings(struct sampled_process *process)
{
    struct mapping mapping = { .counts = false };
    char path[64], *line = NULL;
    uint64_t sum = 0;
    size_t room = 0;
    FILE *stream;

    snprintf(path, sizeof(path), "/proc/%d/smaps", process->pid);
    stream = fopen(path, "re");
    if (stream == NULL)
        return;
    while (getline(&line, &room, stream) > 0)
        parse_mapping_line(line, &mapping, &sum);
    fclose(stream);
    free(line);
    process->physical_bytes = sum + size_of(&mapping);
}

/* --- figures -------------------------------------------------------------------- */

/* Sums the I/O of the container's processes. The counts of a reaped process are added to its parent, in the
 * end to the shim. */
static void sample_io(struct container *container, struct sampler *sampler)
{
    uint64_t read_bytes = 0, written_bytes = 0, one_read, one_written;
    size_t count;

    open_kept(&sampler->procs_fd, container->meta.leaf.directory[LEAF_PIDS], "cgroup.procs");
    if (sampler->procs_fd < 0 || !list_pids(sampler, &count) || count > IO_PROCESSES_MAX)
        return;
    if (container->shim > 0 && process_read_io(container->shim, &read_bytes, &written_bytes) != 0)
        return;
    for (size_t i = 0; i < count; i++) {
        if (process_read_io(sampler->pids[i], &one_read, &one_written) != 0)
            continue;
        read_bytes += one_read;
        written_bytes += one_written;
    }
    /* A process that ended meanwhile may be missing in the sum: the next sample includes it. */
    if (read_bytes > sampler->figures.totals.read_bytes)
        sampler->figures.totals.read_bytes = read_bytes;
    if (written_bytes > sampler->figures.totals.written_bytes)
        sampler->figures.totals.written_bytes = written_bytes;
}

static bool needs_detail(const struct sampler *sampler, int64_t now_ms)
{
    const struct runtime_sample *figures = &sampler->figures;

    if (sampler->detailed_ms == 0)
        return true;
    return now_ms - sampler->detailed_ms >= DETAIL_MS &&
           (figures->totals.cpu_time_us != sampler->detailed_cpu_us ||
            figures->memory_bytes != sampler->detailed_memory);
}

/* Checks the memory limit. A process with root rights in a container can write to the control files: then the
 * limit is restored, and the operator is informed. */
static void sample_limit(struct runtime *runtime, struct container *container)
{
    const struct meta *meta = &container->meta;
    const struct leaf_backend *backend = leaf_backend_of(meta->leaf.version[LEAF_MEMORY]);
    const char *directory = meta->leaf.directory[LEAF_MEMORY];
    struct runtime_event event = { .kind = RUNTIME_CHANGED };
    char value[32];

    if (meta->memory_bytes <= 0 || access(directory, F_OK) != 0 ||
        leaf_read_number(directory, backend->memory_limit) == (uint64_t)meta->memory_bytes)
        return;
    snprintf(value, sizeof(value), "%" PRId64, meta->memory_bytes);
    leaf_write(directory, backend->memory_limit, value);
    if (backend->memory_sum != NULL && runtime->limits.swappiness == 0)
        leaf_write(directory, backend->memory_sum, value);
    if (container->changed_reported)
        return;
    container->changed_reported = true;
    memcpy(event.container_id, container->id, sizeof(event.container_id));
    text_print(event.end.diagnostics, sizeof(event.end.diagnostics),
               "%s/%s was not the limit of the container: a process with root's rights, perhaps its own, "
               "had changed it; set back to %s",
               directory, backend->memory_limit, value);
    container_push_event(runtime, &event);
}

static void sample_details(struct runtime *runtime, struct container *container, struct sampler *sampler,
                           int64_t now_ms)
{
    struct runtime_sample *figures = &sampler->figures;
    struct container_totals totals = { 0 };

    leaf_measure(&container->meta.leaf, &totals);
    container_totals_raise(&figures->totals, &totals);
    figures->pids = (uint32_t)leaf_pids_current(&container->meta.leaf);
    sample_io(container, sampler);
    sample_limit(runtime, container);
    figures->memory_killed = counters_memory_killed(runtime, container, figures->totals.memory_peak_bytes);
    sampler->detailed_ms = now_ms;
    sampler->detailed_cpu_us = figures->totals.cpu_time_us;
    sampler->detailed_memory = figures->memory_bytes;
}

/* Returns true if the container used CPU time since the last sample, and stores the CPU time. A container
 * that has not run has neither allocated memory nor forked. */
static bool has_run(struct container *container, struct sampler *sampler)
{
    const struct leaf *leaf = &container->meta.leaf;
    enum leaf_controller source = leaf_cpu_source(leaf);
    const struct leaf_backend *backend;
    uint64_t number, before = sampler->cpu_number;
    int error;

    if (source == LEAF_CONTROLLERS)
        return true;
    backend = leaf_backend_of(leaf->version[source]);
    open_kept(&sampler->cpu_fd, leaf->directory[source], backend->cpu_time);
    if (!read_number(sampler->cpu_fd, &number, &error))
        return true;
    sampler->cpu_number = number;
    sampler->figures.totals.cpu_time_us = backend->cpu_time_unit_ns == 1000 ? number : number / 1000;
    return number != before;
}

static void rate_cpu(struct sampler *sampler, int64_t now_ms)
{
    uint64_t cpu_us = sampler->figures.totals.cpu_time_us;
    int64_t passed_ms = now_ms - sampler->rated_ms;

    if (sampler->rated_ms > 0 && passed_ms <= 0)
        return;
    if (sampler->rated_ms > 0 && cpu_us >= sampler->rated_cpu_us)
        sampler->cpu_millicores = (uint32_t)((cpu_us - sampler->rated_cpu_us) / (uint64_t)passed_ms);
    sampler->rated_cpu_us = cpu_us;
    sampler->rated_ms = now_ms;
}

static void sample_figures(struct runtime *runtime, struct container *container, struct sampler *sampler,
                           int64_t now_ms)
{
    struct runtime_sample *figures = &sampler->figures;
    uint64_t number;
    int error;

    if (read_number(container->memory_fd, &number, &error))
        figures->memory_bytes = number;
    figures->group_gone = error == ENODEV;
    if (figures->memory_bytes > figures->totals.memory_peak_bytes)
        figures->totals.memory_peak_bytes = figures->memory_bytes;
    if (needs_detail(sampler, now_ms))
        sample_details(runtime, container, sampler, now_ms);
}

static void sample_container(struct runtime *runtime, struct container *container,
                             enum runtime_sample_depth at, int64_t now_ms, runtime_sample_fn *fn,
                             void *context)
{
    struct sampler *sampler = sampler_of(container);
    struct runtime_process *processes = NULL;
    struct runtime_sample sample;
    bool fresh = has_run(container, sampler) || sampler->rounds % IDLE_ROUNDS == 0;

    sampler->rounds++;
    rate_cpu(sampler, now_ms);
    if (fresh)
        sample_figures(runtime, container, sampler, now_ms);
    if (at != RUNTIME_SAMPLE_FIGURES && (fresh || sampler->process_samples == 0))
        sample_processes(container, sampler);
    else if (at != RUNTIME_SAMPLE_FIGURES)
        age_processes(sampler);
    sample = sampler->figures;
    sample.container_id = container->id;
    if (at != RUNTIME_SAMPLE_FIGURES) {
        sample.number = sampler->process_samples;
        sample.process_count = sampler->count;
        sample.processes = processes = mem_array0(sampler->count + 1, sizeof(*processes));
    }
    for (size_t i = 0; i < sample.process_count; i++) {
        struct sampled_process *process = &sampler->processes[i];

        if (at == RUNTIME_SAMPLE_MAPPINGS && fresh)
            measure_mappings(process);
        processes[i] = (struct runtime_process){ process->pid, process->age, process->physical_bytes,
                                                 process->virtual_bytes };
    }
    fn(context, &sample);
    free(processes);
}

void runtime_sample(struct runtime *runtime, enum runtime_sample_depth at, runtime_sample_fn *fn,
                    void *context)
{
    int64_t now_ms = monotonic_ms();
    struct container *container, *next;

    HASH_ITER(hh, runtime->containers, container, next) {
        if (container->state == CONTAINER_RUNNING)
            sample_container(runtime, container, at, now_ms, fn, context);
    }
    runtime_arm(runtime); /* there may be a new event */
}

uint32_t runtime_cpu_millicores(struct runtime *runtime)
{
    const struct container *container;
    uint64_t sum = 0;

    for (container = runtime->containers; container; container = container->hh.next)
        if (container->sampler != NULL && container->state == CONTAINER_RUNNING)
            sum += container->sampler->cpu_millicores;
    return sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
}

uint64_t runtime_used_memory_bytes(struct runtime *runtime)
{
    const struct container *container;
    uint64_t sum = 0;

    for (container = runtime->containers; container; container = container->hh.next)
        if (container->sampler != NULL)
            sum += container->sampler->figures.memory_bytes;
    return sum;
}

void runtime_command_line(int pid, char *text, size_t size)
{
    char path[64];
    ssize_t got;
    int fd;

    text[0] = '\0';
    snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    got = read(fd, text, size - 1);
    close(fd);
    if (got < 0)
        got = 0;
    text[got] = '\0';
    /* Arguments are NUL-terminated; the last NUL is not replaced by a blank. */
    for (ssize_t i = 0; i + 1 < got; i++)
        if (text[i] == '\0' || text[i] == '\n')
            text[i] = ' ';
}

/* --- logs ----------------------------------------------------------------------- */

/* Returns the bytes on disk below the directory FD, and closes FD. */
static uint64_t directory_bytes(int fd, int depth, size_t *files)
{
    DIR *stream = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *entry;
    uint64_t sum = 0;

    if (stream == NULL)
        return 0;
    while ((entry = readdir(stream)) != NULL && (*files)++ < LOG_FILES_MAX) {
        struct stat status;

        if (entry->d_name[0] == '.' &&
            (entry->d_name[1] == '\0' || (entry->d_name[1] == '.' && entry->d_name[2] == '\0')))
            continue;
        if (fstatat(dirfd(stream), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (S_ISREG(status.st_mode))
            sum += (uint64_t)status.st_blocks * 512;
        else if (S_ISDIR(status.st_mode) && depth < LOG_DEPTH_MAX)
            sum += directory_bytes(
                openat(dirfd(stream), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
                depth + 1, files);
    }
    closedir(stream);
    return sum;
}

void runtime_measure_logs(struct runtime *runtime, runtime_logs_fn *fn, void *context)
{
    struct container *container, *next;

    HASH_ITER(hh, runtime->containers, container, next) {
        size_t files = 0;
        int fd;

        if (container->state != CONTAINER_RUNNING || container->meta.logs == NULL ||
            !disk_path_answers(runtime, container->meta.logs))
            continue;
        fd = open(container->meta.logs, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        fn(context, container->id, directory_bytes(fd, 0, &files));
    }
}
