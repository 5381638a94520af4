/* SPDX-License-Identifier: Apache-2.0 */
/* linux_fixture.c - fixture: the agent's Linux runtime with directories, cgroups and containers of its own */
#include "tests/unit/linux/linux_fixture.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/monotonic.h"
#include "nm-agent/linux/cgroup/cgroup.h"
#include "nm-agent/linux/parts/process.h"
#include "nm-agent/linux/parts/record.h"
#include "nm-agent/linux/parts/tree.h"
#include "nm-agent/linux/runtime_state.h"
#include "nm-agent/linux/state/disk_io.h"

#define PATIENCE_MS 20000

static const char *const whitelist = "PATH,LANG,TZ,CREEL_TEST_PASSED";

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int fixture_open(void **state)
{
    static int number;
    struct fixture *fixture = mem_new0(struct fixture);
    struct err err = { .code = 0 };

    snprintf(fixture->base, sizeof(fixture->base), "/tmp/creel-test-%d-%d", (int)getpid(), number++);
    snprintf(fixture->state, sizeof(fixture->state), "%s/state", fixture->base);
    snprintf(fixture->local, sizeof(fixture->local), "%s/local", fixture->base);
    snprintf(fixture->logs, sizeof(fixture->logs), "%s/logs", fixture->base);
    snprintf(fixture->root, sizeof(fixture->root), "/creel-test-%d", (int)getpid());
    fixture->config = (struct runtime_config){
        .state_dir = fixture->state,
        .local_dirs = fixture->local,
        .log_dirs = fixture->logs,
        .cgroup_root = fixture->root,
        .shim_path = SHIM_PATH,
        .creel_dir = "/opt/creel-test/bin",
        .node_vcores = 4,
        .pids_max = 200,
        .kill_delay_ms = 300,
        .min_user_id = 1000,
        .allowed_users = "nobody,daemon",
        .banned_users = "bin",
        .env_whitelist = whitelist,
        .cache_size_mb = 1,
    };
    if (mkdir(fixture->base, 0755) != 0)
        return -1;
    if (runtime_new(&fixture->config, &fixture->runtime, &err) != 0) {
        print_error("runtime_new: %s\n", err.text);
        return -1;
    }
    *state = fixture;
    return 0;
}

/* --- cleanup and its check ------------------------------------------------- */

static void each_group(const struct fixture *fixture, void (*fn)(void *context, const char *path),
                       void *context)
{
    static struct detect detect;

    if (detect_here(&detect, NULL) != 0)
        return;
    for (int i = 0; i < LEAF_CONTROLLERS; i++) {
        char root[2 * PATH_MAX], agent[3 * PATH_MAX];
        struct dirent *entry;
        DIR *stream;

        if (detect.controller[i].version == 0)
            continue;
        snprintf(root, sizeof(root), "%s%s%s", detect.controller[i].mount, detect.controller[i].own,
                 fixture->root);
        stream = opendir(root);
        while (stream != NULL && (entry = readdir(stream)) != NULL) {
            if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
                continue;
            snprintf(agent, sizeof(agent), "%s/%s", root, entry->d_name);
            fn(context, agent);
        }
        if (stream != NULL)
            closedir(stream);
        fn(context, root);
    }
}

static void count_below(void *context, const char *path)
{
    DIR *stream = strstr(path, "/agent-") ? opendir(path) : NULL;
    struct dirent *entry;

    while (stream != NULL && (entry = readdir(stream)) != NULL)
        if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
            ++*(int *)context;
    if (stream != NULL)
        closedir(stream);
}

int fixture_groups(const struct fixture *fixture)
{
    int count = 0;

    each_group(fixture, count_below, &count);
    return count;
}

static void kill_below(void *context, const char *path)
{
    (void)context;
    /* Needed only after a failed test: kills processes until the group can be removed. */
    for (int i = 0; i < 1000 && access(path, F_OK) == 0; i++) {
        struct leaf leaf = { .directory = { path, path, path, NULL }, .version = { 1, 1, 1, 1 } };

        leaf_signal_directory(path, SIGKILL);
        if (leaf_remove(&leaf) == 0)
            break;
        usleep(10000);
    }
}

static bool nothing_runs(struct fixture *fixture)
{
    return fixture_groups(fixture) == 0 && fixture_processes(fixture->base) == 0;
}

int fixture_close(void **state)
{
    struct fixture *fixture = *state;
    int64_t until_ms = now_ms() + 60000;
    int groups, processes;
    bool clean;

    while (fixture->runtime && !nothing_runs(fixture) && now_ms() < until_ms) {
        struct pollfd poll_fd = { .fd = runtime_fd(fixture->runtime), .events = POLLIN };
        struct runtime_event event;

        poll(&poll_fd, 1, 20);
        runtime_poll(fixture->runtime, &event);
    }
    groups = fixture_groups(fixture);
    processes = fixture_processes(fixture->base);
    clean = groups == 0 && processes == 0;
    runtime_free(fixture->runtime);
    each_group(fixture, kill_below, NULL);
    tree_remove(fixture->base);
    if (!clean)
        print_error("%s: a cgroup or process was left (%d groups, %d processes)\n", fixture->base, groups,
                    processes);
    free(fixture);
    return clean ? 0 : -1;
}

void fixture_restart(struct fixture *fixture)
{
    struct err err = { .code = 0 };

    runtime_free(fixture->runtime);
    fixture->runtime = NULL;
    if (runtime_new(&fixture->config, &fixture->runtime, &err) != 0)
        fail_msg("runtime_new: %s", err.text);
}

/* --- containers ------------------------------------------------------------ */

struct launch fixture_plan(const char *id, const char *const argv[])
{
    return (struct launch){
        .container_id = id,
        .app_id = "application_1700000000000_0001",
        .user = "nobody",
        .resource = resource_of(64, 1),
        .argv = argv,
    };
}

void fixture_launch(struct fixture *fixture, const struct launch *plan)
{
    struct err err = { .code = 0 };

    if (runtime_save(fixture->runtime, plan->container_id, "grant", 5, &err) != 0)
        fail_msg("runtime_save: %s", err.text);
    if (runtime_launch(fixture->runtime, plan, &err) != 0)
        fail_msg("runtime_launch: %s", err.text);
}

struct runtime_event fixture_event(struct fixture *fixture)
{
    int64_t until_ms = now_ms() + PATIENCE_MS;
    struct runtime_event event;

    while (!runtime_poll(fixture->runtime, &event)) {
        struct pollfd poll_fd = { .fd = runtime_fd(fixture->runtime), .events = POLLIN };
        int64_t left_ms = until_ms - now_ms();

        /* Waits for the descriptor only: an event that the descriptor does not signal would be lost in the
         * agent. */
        if (left_ms <= 0 || poll(&poll_fd, 1, (int)left_ms) != 1)
            fail_msg("no event came");
    }
    return event;
}

struct runtime_event fixture_wait(struct fixture *fixture, const char *id, enum runtime_event_kind kind)
{
    struct runtime_event event;

    do
        event = fixture_event(fixture);
    while (strcmp(event.container_id, id) != 0 || event.kind != kind);
    return event;
}

struct runtime_event fixture_run(struct fixture *fixture, const struct launch *plan)
{
    struct runtime_event event;

    fixture_launch(fixture, plan);
    event = fixture_wait(fixture, plan->container_id, RUNTIME_EXITED);
    runtime_cleanup(fixture->runtime, plan->container_id);
    return event;
}

void fixture_until(struct fixture *fixture, bool (*condition)(struct fixture *))
{
    int64_t until_ms = now_ms() + PATIENCE_MS;

    while (!condition(fixture)) {
        struct pollfd poll_fd = { .fd = runtime_fd(fixture->runtime), .events = POLLIN };

        if (now_ms() > until_ms)
            fail_msg("what was waited for did not come");
        poll(&poll_fd, 1, 5);
    }
}

char *fixture_group(const struct fixture *fixture, const char *id, bool above, const char *file)
{
    scoped_free char *meta = mem_printf("%s/containers/%s/meta", fixture->state, id), *text = NULL;
    char *save = NULL, *found = NULL;

    assert_int_equal(record_read(AT_FDCWD, meta, &text, NULL, NULL), 0);
    for (char *line = strtok_r(text, "\n", &save); line && !found; line = strtok_r(NULL, "\n", &save)) {
        scoped_free char *group = NULL, *path = NULL;

        if (strncmp(line, "cgroup ", 7) != 0)
            continue;
        group = mem_strdup(strchr(line, '/'));
        if (above)
            *strrchr(group, '/') = '\0';
        path = mem_printf("%s/%s", group, file);
        if (access(path, F_OK) != 0)
            continue;
        found = group;
        group = NULL;
    }
    return found;
}

char *fixture_log(struct fixture *fixture, const char *id, const char *file)
{
    char *text = mem_alloc0(65536);
    struct err err = { .code = 0 };
    uint64_t size = 0;
    size_t got = 0;

    if (runtime_read_log(fixture->runtime, id, file, 0, text, 65535, &got, &size, &err) != 0)
        print_message("log %s: %s\n", file, err.text);
    return text;
}

/* --- inspection ------------------------------------------------------------ */

int fixture_processes(const char *text)
{
    DIR *stream = opendir("/proc");
    struct dirent *entry;
    int count = 0;

    while (stream != NULL && (entry = readdir(stream)) != NULL) {
        char path[300], line[4096];
        ssize_t got;
        int fd;

        if (entry->d_name[0] < '1' || entry->d_name[0] > '9' || atoi(entry->d_name) == getpid())
            continue;
        snprintf(path, sizeof(path), "/proc/%s/cmdline", entry->d_name);
        fd = open(path, O_RDONLY | O_CLOEXEC);
        got = fd < 0 ? -1 : read(fd, line, sizeof(line));
        if (fd >= 0)
            close(fd);
        if (got > 0 && memmem(line, (size_t)got, text, strlen(text)) != NULL)
            count++;
    }
    if (stream != NULL)
        closedir(stream);
    return count;
}

bool fixture_has(const struct fixture *fixture, const char *path)
{
    scoped_free char *full = mem_printf("%s/%s", fixture->base, path);

    return access(full, F_OK) == 0;
}

/* LIST: a shell command that prints the process ids. */
static bool freeze(const struct fixture *fixture, const char *list, bool frozen)
{
    int64_t until_ms = monotonic_ms() + 10000;
    scoped_free char *command = mem_printf("g=/sys/fs/cgroup/freezer%s-frozen; mkdir -p $g && "
                                           "%s | while read p; do echo $p >$g/cgroup.procs; done && "
                                           "echo %s >$g/freezer.state",
                                           fixture->root, list, frozen ? "FROZEN" : "THAWED");
    bool done;

    do
        done = system(command) == 0;
    while (!done && monotonic_ms() < until_ms);
    return done;
}

bool fixture_freeze(const struct fixture *fixture, const char *id, bool frozen)
{
    scoped_free char *list = mem_printf("cat /sys/fs/cgroup/pids$(sed -n 's/.*pids://p' /proc/self/cgroup | "
                                        "sed 's|^/$||')%s/agent-*/%s/cgroup.procs",
                                        fixture->root, id);

    return freeze(fixture, list, frozen);
}

bool fixture_freeze_process(const struct fixture *fixture, int pid, bool frozen)
{
    scoped_free char *list = mem_printf("echo %d", pid);

    return freeze(fixture, list, frozen);
}

/* --- disks that do not answer ---------------------------------------------- */

struct blockade {
    struct worker_job job; /* first member */
    struct worker *worker;
    sem_t end;
};

static void run_blockade(struct worker_job *job)
{
    while (sem_wait(&((struct blockade *)job)->end) != 0)
        ;
}

static void end_blockade(struct worker_job *job)
{
    sem_destroy(&((struct blockade *)job)->end);
    free(job);
}

struct blockade *fixture_block(struct fixture *fixture, const char *path)
{
    struct blockade *blockade = mem_new0(struct blockade);
    struct disk *disk = disk_of(fixture->runtime, path);

    blockade->job = (struct worker_job){ .run = run_blockade, .done = end_blockade };
    blockade->worker = disk->worker;
    assert_int_equal(sem_init(&blockade->end, 0, 0), 0);
    worker_add(disk->worker, &blockade->job);
    disk->answered_ms = 0; /* the next use waits for an answer */
    return blockade;
}

void fixture_unblock(struct blockade *blockade)
{
    struct worker *worker = blockade->worker;

    sem_post(&blockade->end);
    assert_true(worker_wait(worker, PATIENCE_MS));
}
