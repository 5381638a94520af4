/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch.c - benchmark: cost of starting a container, compared with the kernel's minimum
 *
 * Three ways, measured alternately so that all have the same conditions:
 *   bare    make the cgroups, write limits, fork, join, exec, wait, remove the cgroups
 *   creel   the same by the agent's runtime: record, directories, cgroups, shim
 *   crun    `crun run` of a bundle with the same limits, where that works
 * The bare loop makes groups in the same hierarchies as the agent on this machine, at the same depth, writes
 * the same settings and joins all groups. The bare loop omits everything that the kernel does not need: a
 * user, directories and log files, files on disk, and a shim that waits in place of an agent that may die.
 *
 * Measures the time from the order to the command's first instruction, which reads the clock: for starts one
 * after another, and after pauses, when the kernel takes about 10 ms to let the first process join a group.
 * Also measures the starts per second on one host, with the CPU time per start in all processes: the bare
 * loop once on each core, the agent with TOGETHER unfinished starts.
 *   launch SHIM [ROUNDS [DIRECTORY]]
 * Needs root. Makes cgroups below /creel-bench-PID, and files below DIRECTORY (/var/tmp).
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "nm-agent/linux/cgroup/cgroup.h"
#include "nm-agent/linux/parts/tree.h"
#include "nm-agent/linux/runtime.h"

#define TOGETHER 16 /* unfinished starts at a time, when the rate is measured */
#define TURNS 5     /* the rate of each way is measured in this number of parts */
#define PAUSE_MS 50 /* pause before a single start */

struct bench {
    char *self, *base, *root;
    struct runtime *runtime;
    struct cgroups *cgroups; /* cgroup settings of the bare loop */
    unsigned number;         /* number of containers so far */
};

static _Noreturn void die(const char *what, const char *why)
{
    fprintf(stderr, "launch: %s: %s\n", what, why);
    exit(1);
}

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Code of the command: writes the time of its first instruction. */
static int stamp(void)
{
    char text[32];
    int length = snprintf(text, sizeof(text), "%" PRId64 "\n", now_ns());

    return write(STDOUT_FILENO, text, (size_t)length) == length ? 0 : 1;
}

/* --- the bare loop -------------------------------------------------------------- */

static const struct leaf_limits limits = {
    .memory_bytes = (int64_t)64 << 20,
    .vcores = 1,
    .cpu_quota_us = -1,
    .cpu_period_us = 100000,
    .pids_max = 1000,
};

static bool is_first(const struct leaf *leaf, int controller)
{
    for (int i = 0; i < controller; i++)
        if (leaf->directory[i] && !strcmp(leaf->directory[i], leaf->directory[controller]))
            return false;
    return leaf->directory[controller] != NULL;
}

static void bare_groups(const struct leaf *leaf, bool make)
{
    for (int i = 0; i < LEAF_CONTROLLERS; i++) {
        if (!is_first(leaf, i))
            continue;
        if (make ? mkdir(leaf->directory[i], 0755) != 0 : rmdir(leaf->directory[i]) != 0)
            die(leaf->directory[i], strerror(errno));
    }
}

static void bare_limits(const struct leaf *leaf)
{
    struct leaf_setting settings[LEAF_SETTINGS_MAX];

    for (int i = 0; i < LEAF_CONTROLLERS; i++) {
        size_t count = leaf->directory[i] == NULL ? 0
                                                  : leaf_settings(leaf_backend_of(leaf->version[i]),
                                                                  (enum leaf_controller)i, &limits, settings);

        for (size_t k = 0; k < count; k++)
            (void)leaf_write(leaf->directory[i], settings[k].file, settings[k].value);
    }
}

/* Makes one start in the bare loop, with the end of the process and of its cgroups. Returns the time of the
 * command's first instruction. */
static int64_t bare(struct bench *bench)
{
    scoped_free char *id = mem_printf("bare-%u", bench->number++);
    struct leaf leaf = cgroups_leaf(bench->cgroups, id);
    char text[32] = "";
    int fds[2];
    pid_t pid;

    bare_groups(&leaf, true);
    bare_limits(&leaf);
    if (pipe2(fds, O_CLOEXEC) != 0)
        die("pipe", strerror(errno));
    pid = fork();
    if (pid == 0) {
        if (leaf_join(&leaf) == 0 && dup2(fds[1], STDOUT_FILENO) >= 0)
            execl(bench->self, bench->self, "--stamp", NULL);
        _exit(127);
    }
    close(fds[1]);
    if (waitpid(pid, NULL, 0) != pid || read(fds[0], text, sizeof(text) - 1) <= 0)
        die("the bare loop", "its command printed nothing");
    close(fds[0]);
    bare_groups(&leaf, false);
    leaf_clear(&leaf);
    return strtoll(text, NULL, 10);
}

/* --- creel ------------------------------------------------------------------------ */

static void order(struct bench *bench, char id[80])
{
    struct err err = { 0 };
    const char *const argv[] = { bench->self, "--stamp", NULL };
    struct launch plan = {
        .container_id = id, .app_id = "application_1700000000000_0001", .user = "root", .argv = argv
    };

    snprintf(id, 80, "container_1700000000000_0001_01_%06u", ++bench->number);
    plan.resource = resource_of(64, 1);
    if (runtime_save(bench->runtime, id, "bench", 5, &err) != 0 ||
        runtime_launch(bench->runtime, &plan, &err) != 0)
        die(id, err.text);
}

/* Returns the next exit event. */
static struct runtime_event await(struct bench *bench)
{
    struct pollfd item = { .fd = runtime_fd(bench->runtime), .events = POLLIN };
    struct runtime_event event;

    for (;;) {
        while (runtime_poll(bench->runtime, &event)) {
            if (event.kind != RUNTIME_EXITED)
                continue;
            if (event.end.exit_status != 0)
                die(event.container_id, event.end.diagnostics);
            return event;
        }
        poll(&item, 1, -1);
    }
}

static void clean(struct bench *bench, const char *id)
{
    runtime_acknowledge(bench->runtime, id);
    runtime_cleanup(bench->runtime, id);
}

static int64_t creel(struct bench *bench)
{
    char id[80], text[32] = "";
    struct err err = { 0 };
    uint64_t size;
    size_t got = 0;

    order(bench, id);
    (void)await(bench);
    if (runtime_read_log(bench->runtime, id, "stdout", 0, text, sizeof(text) - 1, &got, &size, &err) != 0 ||
        got == 0)
        die(id, "its command printed nothing");
    clean(bench, id);
    return strtoll(text, NULL, 10);
}

/* --- crun ------------------------------------------------------------------------- */

static const char bundle[] =
    "{\"ociVersion\":\"1.0.0\",\"process\":{\"user\":{\"uid\":0,\"gid\":0},\"args\":[\"%s\","
    "\"--stamp\"],\"cwd\":\"/\",\"noNewPrivileges\":true},\"root\":{\"path\":\"/\"},\"linux\":{"
    "\"namespaces\":[{\"type\":\"mount\"}],\"cgroupsPath\":\"%s/crun\",\"resources\":{\"memory\":{"
    "\"limit\":67108864},\"pids\":{\"limit\":1000},\"cpu\":{\"shares\":1024}}}}\n";

static bool write_bundle(const struct bench *bench)
{
    scoped_free char *path = mem_printf("%s/config.json", bench->base);
    FILE *file = fopen(path, "we");

    return file != NULL && fprintf(file, bundle, bench->self, bench->root) > 0 && fclose(file) == 0;
}

/* Runs a container with crun. Returns the time of the command's first instruction; -1: crun does not work. */
static int64_t crun(struct bench *bench)
{
    scoped_free char *command = mem_printf("crun --cgroup-manager=cgroupfs run -b %s b%u 2>%s/crun",
                                           bench->base, bench->number++, bench->base);
    FILE *output = popen(command, "re");
    char text[32] = "";
    bool has_output = output != NULL && fgets(text, sizeof(text), output) != NULL;

    if (output == NULL || pclose(output) != 0 || !has_output)
        return -1;
    return strtoll(text, NULL, 10);
}

/* --- results ---------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const int64_t *left = a, *right = b;

    return (*left > *right) - (*left < *right);
}

struct way {
    const char *name;
    int64_t (*start)(struct bench *bench);
    int64_t *took_ns;
    bool works;
    void (*run)(struct bench *bench, unsigned rounds); /* makes ROUNDS starts, several at a time */
    int64_t run_ns;
    double run_us, runs; /* CPU time of all processes in µs; number of starts */
};

static void print_way(const struct way *way, const struct way *bare_way, unsigned rounds)
{
    double rate = way->runs * 1e9 / (double)way->run_ns, cpu = way->run_us / way->runs;

    if (!way->works) {
        printf("%-6s does not work here\n", way->name);
        return;
    }
    qsort(way->took_ns, rounds, sizeof(int64_t), compare);
    printf("%-6s to the first instruction: median %6.0f us, p90 %6.0f, p99 %6.0f (%.2f of bare);"
           " %5.0f starts a second (%.2f of bare), %4.0f us of CPU each (%.2f)\n",
           way->name, (double)way->took_ns[rounds / 2] / 1e3, (double)way->took_ns[rounds * 9 / 10] / 1e3,
           (double)way->took_ns[rounds * 99 / 100] / 1e3,
           (double)way->took_ns[rounds / 2] / (double)bare_way->took_ns[rounds / 2], rate,
           rate * (double)bare_way->run_ns / 1e9 / bare_way->runs, cpu,
           cpu * bare_way->runs / bare_way->run_us);
}

/* Returns the CPU time of this process and of all waited-for descendants. */
static double cpu_us(void)
{
    static const int whose[] = { RUSAGE_SELF, RUSAGE_CHILDREN };
    double sum = 0;

    for (size_t i = 0; i < 2; i++) {
        struct rusage usage;

        if (getrusage(whose[i], &usage) != 0)
            die("getrusage", strerror(errno));
        sum += (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6 +
               (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    }
    return sum;
}

static void measure_lone(struct bench *bench, struct way *ways, size_t count, unsigned rounds, int pause_ms)
{
    for (unsigned round = 0; round < rounds; round++) {
        for (size_t i = 0; i < count; i++) {
            struct timespec pause = { .tv_nsec = (long)pause_ms * 1000000 };
            int64_t begin, first;

            if (!ways[i].works)
                continue;
            if (pause_ms > 0)
                nanosleep(&pause, NULL);
            begin = now_ns();
            first = ways[i].start(bench);
            ways[i].works = first >= begin;
            ways[i].took_ns[round] = first - begin;
        }
    }
}

/* Runs the bare loop in one child per core. */
static void run_bare(struct bench *bench, unsigned rounds)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    scoped_free pid_t *pids = mem_array0((size_t)cores, sizeof(*pids));

    for (long core = 0; core < cores; core++) {
        pids[core] = fork();
        if (pids[core] != 0)
            continue;
        bench->number += 1000000 * ((unsigned)core + 1);
        for (unsigned i = 0; i < rounds; i++)
            (void)bare(bench);
        _exit(0);
    }
    for (long core = 0; core < cores; core++) /* these only: the agent's runtime has a child of its own */
        waitpid(pids[core], NULL, 0);
    bench->number += rounds; /* each child has counted in its own copy of BENCH */
}

static void run_creel(struct bench *bench, unsigned rounds)
{
    unsigned under_way = 0, done = 0, ordered = 0;
    char id[80];

    while (done < rounds) {
        struct runtime_event event;

        for (; under_way < TOGETHER && ordered < rounds; under_way++, ordered++)
            order(bench, id);
        event = await(bench);
        clean(bench, event.container_id);
        under_way--;
        done++;
    }
}

static void run_crun(struct bench *bench, unsigned rounds)
{
    for (unsigned i = 0; i < rounds; i++)
        (void)crun(bench);
}

/* Measures the rate of each way in TURNS parts, alternating between the ways. */
static void measure_rates(struct bench *bench, struct way *ways, size_t count, unsigned rounds)
{
    unsigned cores = (unsigned)sysconf(_SC_NPROCESSORS_ONLN), some = rounds / TURNS + 1;

    for (int turn = 0; turn < TURNS; turn++) {
        for (size_t i = 0; i < count; i++) {
            unsigned starts = i == 2 ? some : some * cores;
            int64_t begin = now_ns();
            double before = cpu_us();

            if (!ways[i].works)
                continue;
            ways[i].run(bench, i == 1 ? starts : some);
            ways[i].run_ns += now_ns() - begin;
            ways[i].run_us += cpu_us() - before;
            ways[i].runs += starts;
        }
    }
}

/* --- program --------------------------------------------------------------------- */

static void open_bench(struct bench *bench, const char *shim, const char *directory)
{
    scoped_free char *state = NULL, *local = NULL, *logs = NULL;
    struct runtime_config config = { .shim_path = shim,
                                     .node_vcores = 8,
                                     .kill_delay_ms = 250,
                                     .allowed_users = "root",
                                     .cache_size_mb = 16 };
    struct err err = { 0 };

    bench->base = mem_printf("%s/creel-bench-%d", directory, (int)getpid());
    bench->root = mem_printf("/creel-bench-%d", (int)getpid());
    config.state_dir = state = mem_printf("%s/state", bench->base);
    config.local_dirs = local = mem_printf("%s/local", bench->base);
    config.log_dirs = logs = mem_printf("%s/logs", bench->base);
    config.cgroup_root = bench->root;
    if (mkdir(bench->base, 0755) != 0)
        die(bench->base, strerror(errno));
    if (runtime_new(&config, &bench->runtime, &err) != 0 ||
        cgroups_new(bench->root, "bare", NULL, &bench->cgroups, &err) != 0)
        die("cannot begin", err.text);
}

static bool shell(const char *command)
{
    FILE *stream = popen(command, "re");

    return stream != NULL && pclose(stream) == 0;
}

static void remove_groups(const char *path)
{
    scoped_free char *command = mem_printf("find /sys/fs/cgroup -depth -type d -path '*%s*' "
                                           "-exec rmdir {} + 2>/dev/null",
                                           path);

    if (!shell(command))
        fprintf(stderr, "launch: some control groups of %s are left\n", path);
}

int main(int argc, char **argv)
{
    unsigned rounds = argc > 2 ? (unsigned)atoi(argv[2]) : 100;
    struct bench bench = { .self = NULL };
    struct way ways[] = {
        { .name = "bare", .start = bare, .run = run_bare, .works = true },
        { .name = "creel", .start = creel, .run = run_creel, .works = true },
        { .name = "crun", .start = crun, .run = run_crun, .works = false },
    };

    if (argc == 2 && strcmp(argv[1], "--stamp") == 0)
        return stamp();
    if (argc < 2 || rounds == 0 || geteuid() != 0) {
        fputs("usage, as root: launch SHIM [ROUNDS [DIRECTORY]]\n", stderr);
        return 2;
    }
    bench.self = realpath("/proc/self/exe", NULL);
    open_bench(&bench, argv[1], argc > 3 ? argv[3] : "/var/tmp");
    ways[2].works = shell("command -v crun >/dev/null") && write_bundle(&bench) && crun(&bench) > 0;
    for (size_t i = 0; i < 3; i++)
        ways[i].took_ns = mem_array0(rounds, sizeof(int64_t));
    measure_lone(&bench, ways, 3, rounds > 10 ? 10 : rounds, 0); /* warm-up */
    measure_rates(&bench, ways, 3, rounds);
    for (int quiet = 0; quiet < 2; quiet++) {
        measure_lone(&bench, ways, 3, rounds, quiet ? PAUSE_MS : 0);
        printf("%s\n", quiet ? "one by one, with a pause before each:" : "one after another:");
        for (size_t i = 0; i < 3; i++)
            print_way(&ways[i], &ways[0], rounds);
    }
    runtime_cleanup_app(bench.runtime, "application_1700000000000_0001", 0);
    runtime_free(bench.runtime);
    cgroups_free(bench.cgroups);
    remove_groups(bench.root);
    tree_remove(bench.base);
    for (size_t i = 0; i < 3; i++)
        free(ways[i].took_ns);
    free(bench.base);
    free(bench.root);
    free(bench.self);
    return 0;
}
