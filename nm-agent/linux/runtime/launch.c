/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch.c - creates the directories and the plan of a container, and passes them to a shim
 *
 * The container's state directory is locked by the agent, and the lock is passed to the shim with the
 * descriptor: while it exists, no other shim can start the container, even if the agent was killed and
 * restarted meanwhile.
 */
#include "nm-agent/linux/runtime/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "common/base/job/job_field.h"
#include "common/base/mem.h"
#include "common/base/text_builder.h"
#include "nm-agent/linux/disks/workdir.h"
#include "nm-agent/linux/parts/environment.h"
#include "nm-agent/linux/parts/paths.h"
#include "nm-agent/linux/runtime/cleanup.h"
#include "nm-agent/linux/runtime/shim_pool.h"
#include "nm-agent/linux/runtime_state.h"
#include "nm-agent/linux/shim/plan.h"

#define DEFAULT_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
#define FDS_KEPT_BACK 128

/* --- checks ---------------------------------------------------------------- */

static int check_launch(const struct launch *launch, struct err *err)
{
    if (!paths_is_name(launch->container_id))
        return err_set(err, EINVAL, "\"%.80s\" is not a container id", launch->container_id);
    if (!paths_is_name(launch->app_id))
        return err_set(err, EINVAL, "\"%.80s\" is not an application id", launch->app_id);
    if (launch->argv == NULL || launch->argv[0] == NULL || launch->argv[0][0] == '\0')
        return err_set(err, EINVAL, "container %s: the command is empty", launch->container_id);
    if (launch->resource.value[RESOURCE_MEMORY_MB] <= 0)
        return err_set(err, EINVAL, "container %s: memory must be above 0", launch->container_id);
    return 0;
}

/* Locks the container as starting or running. -EEXIST: it is starting, or was started before. */
static int claim(struct runtime *runtime, const char *id, int state_fd, struct err *err)
{
    struct container *known = container_find(runtime, id);

    if (container_has(state_fd, "acked") || container_has(state_fd, "started") ||
        container_has(state_fd, "exit"))
        return err_set(err, EEXIST, "container %s was started before; it never runs twice", id);
    if (flock(state_fd, LOCK_EX | LOCK_NB) != 0 || (known != NULL && known->state != CONTAINER_ENDED))
        return err_set(err, EEXIST, "container %s is being started already", id);
    if (known != NULL)
        container_forget(runtime, known);
    return 0;
}

/* Returns true if the file system of FD guarantees that written blocks can be overwritten when the disk is
 * full. A write only reserves blocks. fallocate also chooses them, which costs much more for a file that may
 * be deleted within a second. */
static bool keeps_written_blocks(int fd)
{
    struct statfs status;

    return fstatfs(fd, &status) == 0 && (status.f_type == EXT4_SUPER_MAGIC ||
                                         status.f_type == XFS_SUPER_MAGIC || status.f_type == TMPFS_MAGIC);
}

static int write_room(int fd, bool sync)
{
    static const char zeros[EXIT_RECORD_SIZE];
    ssize_t put = write(fd, zeros, sizeof(zeros));

    if (put < (ssize_t)sizeof(zeros))
        return put < 0 ? errno : ENOSPC;
    return sync && fsync(fd) != 0 ? errno : 0;
}

/* Reserves space for the exit record, at a time when a failure can still be reported. */
static int reserve_exit(int state_fd, struct err *err)
{
    scoped_fd int fd = openat(state_fd, "exit.tmp", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    int code = fd < 0 ? errno : 0;

    if (code == 0 && keeps_written_blocks(fd))
        code = write_room(fd, false);
    else if (code == 0 && fallocate(fd, 0, 0, EXIT_RECORD_SIZE) != 0)
        code = errno != EOPNOTSUPP ? errno : write_room(fd, true); /* only synced data is safe */
    if (code != 0)
        return err_set_errno(err, code,
                             "cannot reserve room for the exit record in the state "
                             "directory");
    return 0;
}

/* --- environment ----------------------------------------------------------- */

/* Returns the path of NAME, a program or a directory next to creel-shim. The caller frees it. */
static char *path_beside_shim(const struct runtime *runtime, const char *name)
{
    const char *slash = strrchr(runtime->shim_path, '/');

    return mem_printf("%.*s%s", slash ? (int)(slash + 1 - runtime->shim_path) : 0, runtime->shim_path, name);
}

static void set_number(struct environment *environment, const char *name, long long number)
{
    scoped_free char *text = mem_printf("%lld", number);

    environment_set(environment, name, text);
}

/* Returns PATH with FIRST as its first directory, and not further behind: a job that a job submits inherits
 * the path. The caller frees it. */
static char *path_with_first(const char *first, const char *path)
{
    scoped_text_builder struct text_builder joined = TEXT_BUILDER_MALLOC;

    text_builder_add(&joined, first);
    for (size_t length; *path; path += length + (path[length] == ':')) {
        length = strcspn(path, ":");
        if (strlen(first) == length && !memcmp(path, first, length))
            continue;
        text_builder_add(&joined, ":");
        text_builder_add_bytes(&joined, path, length);
    }
    return mem_strdup(text_builder_text(&joined));
}

/* Adds the directory of Slurm's commands before the path that the submission may have set, and the variables
 * of Slurm that depend on the account of USER. The shim replaces the value of SLURM_TASK_PID. */
static void add_slurm(const struct runtime *runtime, const struct user *user, struct environment *environment)
{
    scoped_free char *commands = path_beside_shim(runtime, "slurm");
    const char *path = environment_get(environment, "PATH");
    scoped_free char *longer = path_with_first(commands, path ? path : DEFAULT_PATH);

    environment_set(environment, "PATH", longer);
    set_number(environment, "SLURM_JOB_UID", (long long)user->uid);
    set_number(environment, "SLURM_JOB_GID", (long long)user->gid);
    environment_set(environment, "SLURM_TASK_PID", "0");
}

/* Returns whether LAUNCH has the variable NAME; VALUE (may be NULL): with this value. */
static bool has_variable(const struct launch *launch, const char *name, const char *value)
{
    size_t length = strlen(name);

    for (const char *const *entry = launch->environment; entry && *entry; entry++)
        if (strncmp(*entry, name, length) == 0 && (*entry)[length] == '=' &&
            (value == NULL || strcmp(*entry + length + 1, value) == 0))
            return true;
    return false;
}

/* A job of --export=NONE or --get-user-env has the environment of a login, as in Slurm: its command is
 * started by creel-slurm (client/slurm/login_environment.h). */
static bool wants_login(const struct launch *launch)
{
    return launch->slurm_commands && has_variable(launch, "SLURM_GET_USER_ENV", "1");
}

static void build_environment(const struct runtime *runtime, const struct launch *launch,
                              const struct user *user, const struct meta *meta, const char *directory,
                              struct environment *environment)
{
    scoped_free char *local_dirs = workdir_local_dirs(runtime, launch);
    scoped_free char *tmp = mem_printf("%s/tmp", meta->work);
    scoped_free char *notice = mem_printf("%s/" JOB_NOTICE_FILE, meta->work);
    scoped_free char *path = NULL;
    const struct {
        const char *name, *value;
    } defaults[] = {
        { "HOME", user->home },
        { "USER", user->name },
        { "LOGNAME", user->name },
        { "SHELL", user->shell },
        { "PWD", directory },
        { "TMPDIR", tmp },
        { "CONTAINER_ID", launch->container_id },
        { "LOCAL_DIRS", local_dirs },
        { "LOG_DIRS", meta->logs },
        { "CREEL_APP_ID", launch->app_id },
        { "CREEL_CONTAINER_ID", launch->container_id },
        { "CREEL_PREEMPT_FILE", notice },
        { "CREEL_SCRATCH", meta->work },
    };
    const char *passed;

    if (!wants_login(launch))
        environment_pass(environment, runtime->env_whitelist, environ);
    passed = environment_get(environment, "PATH");
    path = mem_printf("%s%s%s", runtime->creel_dir ? runtime->creel_dir : "", runtime->creel_dir ? ":" : "",
                      passed ? passed : DEFAULT_PATH);
    environment_set(environment, "PATH", path);
    for (size_t i = 0; i < sizeof(defaults) / sizeof(defaults[0]); i++)
        environment_set(environment, defaults[i].name, defaults[i].value);
    for (const char *const *entry = launch->environment; entry && *entry; entry++)
        environment_put(environment, *entry);
    if (launch->slurm_commands)
        add_slurm(runtime, user, environment);
    if (launch->job_token_size > 0) {
        scoped_free char *file = paths_job_token(meta->work);

        environment_set(environment, "CREEL_JOB_TOKEN_FILE", file);
    }
    for (size_t i = 0; i < launch->secret_count; i++) {
        const struct launch_secret *secret = &launch->secrets[i];
        scoped_free char *file = mem_printf("%s/%s", meta->work, secret->name);

        if (secret->variable != NULL)
            environment_set(environment, secret->variable, file);
    }
}

/* --- the place --------------------------------------------------------------- */

/* Returns the directory of the command; the caller frees it. *MAY_FALL_BACK: if the directory cannot be
 * entered, the command runs in its working directory. */
static char *choose_directory(const struct launch *launch, const struct meta *meta, bool *may_fall_back)
{
    *may_fall_back = launch->directory == NULL && launch->submit_directory != NULL;
    if (*may_fall_back)
        return mem_strdup(launch->submit_directory);
    if (launch->directory == NULL)
        return mem_strdup(meta->work);
    if (launch->directory[0] == '/')
        return mem_strdup(launch->directory);
    return mem_printf("%s/%s", meta->work, launch->directory);
}

static bool is_sent(const struct launch *launch, const char *name)
{
    for (size_t i = 0; i < launch->file_count; i++)
        if (strcmp(launch->files[i].name, name) == 0)
            return true;
    return false;
}

/* Returns the path of a command "./NAME" if NAME is a file of the job, which is in the working directory
 * wherever the command runs; else NULL. The caller frees it. */
static char *sent_command(const struct launch *launch, const struct meta *meta)
{
    const char *command = launch->argv[0];

    if (strncmp(command, "./", 2) != 0 || !is_sent(launch, command + 2))
        return NULL;
    return mem_printf("%s/%s", meta->work, command + 2);
}

/* Words before a command. */
struct prefix {
    const char *words[3];
    size_t count;
    char *program, *path; /* owned */
};

static void prefix_login(const struct runtime *runtime, const struct launch *launch, struct prefix *prefix)
{
    scoped_free char *commands = path_beside_shim(runtime, "slurm");

    *prefix = (struct prefix){ .count = 0 };
    if (!wants_login(launch))
        return;
    prefix->program = path_beside_shim(runtime, "creel-slurm");
    if (!has_variable(launch, "PATH", NULL))
        prefix->path = mem_printf("%s%s%s", commands, runtime->creel_dir ? ":" : "",
                                  runtime->creel_dir ? runtime->creel_dir : "");
    prefix->words[prefix->count++] = prefix->program;
    prefix->words[prefix->count++] = "login";
    prefix->words[prefix->count++] = prefix->path ? prefix->path : "";
}

/* Returns a copy of the command behind PREFIX. FIRST, unless NULL, replaces its first word. The caller frees
 * the array, not the words. */
static const char **copy_command(const struct launch *launch, const struct prefix *prefix, const char *first)
{
    const char **copy;
    size_t count = 0;

    while (launch->argv[count] != NULL)
        count++;
    copy = mem_array0(prefix->count + count + 1, sizeof(*copy));
    memcpy(copy, prefix->words, prefix->count * sizeof(*copy));
    memcpy(copy + prefix->count, launch->argv, count * sizeof(*copy));
    if (first)
        copy[prefix->count] = first;
    return copy;
}

/* Returns the names that the agent itself puts into the working directory. The caller frees the array. */
static const char **own_names(const struct launch *launch)
{
    const char **names = mem_array0(launch->file_count + launch->secret_count + 4, sizeof(*names));
    size_t count = 0;

    for (size_t i = 0; i < launch->file_count; i++)
        names[count++] = launch->files[i].name;
    for (size_t i = 0; i < launch->secret_count; i++)
        names[count++] = launch->secrets[i].name;
    names[count++] = JOB_TMP_DIRECTORY;
    names[count++] = JOB_NOTICE_FILE;
    names[count++] = JOB_INPUT_FIFO;
    return names;
}

/* Returns the names of the archives to unpack before the command, ended by NULL. The caller frees the
 * array. */
static const char **archive_names(const struct launch *launch)
{
    const char **names = mem_array0(launch->file_count + 1, sizeof(*names));
    size_t count = 0;

    for (size_t i = 0; i < launch->file_count; i++)
        if (launch->files[i].unpack)
            names[count++] = launch->files[i].name;
    return names;
}

/* --- the shim -------------------------------------------------------------- */

int launch_write_plan(const struct runtime *runtime, const struct launch *launch, const struct user *user,
                      const struct meta *meta, int64_t memory_bytes, struct err *err)
{
    scoped_free char *out_path = mem_printf("%s/stdout", meta->logs);
    scoped_free char *err_path = mem_printf("%s/stderr", meta->logs);
    scoped_free char *contact_file = mem_printf("%s/contact", runtime->state_dir);
    bool may_fall_back;
    scoped_free char *directory = choose_directory(launch, meta, &may_fall_back);
    scoped_free char *sent = strcmp(directory, meta->work) != 0 ? sent_command(launch, meta) : NULL;
    struct prefix prefix;
    scoped_free const char **argv = NULL;
    scoped_free const char **own = own_names(launch);
    scoped_free const char **archives = archive_names(launch);
    scoped_free char *unpack_program = path_beside_shim(runtime, "creel-unpack");
    scoped_free char *pack_program = path_beside_shim(runtime, "creel-pack");
    bool has_results = launch->fetch != NULL && *launch->fetch != '\0';
    struct environment environment = { .entries = NULL };
    struct plan plan = {
        .launch = *launch,
        .out_path = out_path,
        .err_path = err_path,
        .uid = user->uid,
        .gid = user->gid,
        .groups = user->groups,
        .group_count = user->group_count,
        .memory_bytes = memory_bytes,
        .memory_kills_container = runtime->limits.memory_kills_container,
        .kill_delay_ms = runtime->kill_delay_ms,
        .open_files_max = runtime->open_files_max,
        .leaf = meta->leaf,
        .scratch = meta->work,
        .may_fall_back = may_fall_back,
        .own_names = own,
        .archives = archives,
        .unpack_program = archives[0] ? unpack_program : NULL,
        .pack_program = has_results ? pack_program : NULL,
        .results_bytes_max = runtime->results_max_bytes,
        .keeper_file = runtime->keeper.file,
    };
    int fd = memfd_create("creel-plan", MFD_CLOEXEC), result;

    if (fd < 0)
        return err_set_errno(err, errno, "cannot make a memory file");
    prefix_login(runtime, launch, &prefix);
    argv = copy_command(launch, &prefix, sent);
    build_environment(runtime, launch, user, meta, directory, &environment);
    plan.launch.directory = directory;
    plan.launch.argv = argv;
    plan.contact_file = launch->stop_after_ms > 0 ? contact_file : NULL;
    plan.launch.environment = (const char *const *)environment.entries;
    result = plan_write(fd, &plan);
    free(prefix.program);
    free(prefix.path);
    environment_clear(&environment);
    if (result == 0)
        return fd;
    close(fd);
    return err_set_errno(err, -result, "cannot hand the plan over");
}

/* Returns true if descriptors are short. Containers need two descriptors each; some are reserved for the
 * agent's other work. */
static bool is_crowded(int newest_fd)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
           (rlim_t)newest_fd + FDS_KEPT_BACK >= limit.rlim_cur;
}

/* Passes plan and lock to a shim; returns its pidfd and the read end of the report pipe. */
static int start_shim(struct runtime *runtime, const char *id, int plan_fd, int state_fd, pid_t *pid,
                      int *shim_fd, int *report_fd, struct err *err)
{
    int report[2], result;

    if (pipe2(report, O_CLOEXEC | O_NONBLOCK) != 0)
        return err_set_errno(err, errno, "cannot make a pipe");
    if (is_crowded(report[1]))
        result = err_set(err, EMFILE,
                         "the agent has too many open files (LimitNOFILE in its "
                         "systemd unit, or ulimit -n, is the limit)");
    else
        result = shim_pool_pop(&runtime->shim_pool, id, (int[]){ plan_fd, state_fd, report[1] }, pid, shim_fd,
                               err);
    close(report[1]);
    if (result != 0)
        close(report[0]);
    else
        *report_fd = report[0];
    return result;
}

/* --- the whole launch ------------------------------------------------------ */

static int start(struct runtime *runtime, const struct launch *launch, int state_fd, const struct user *user,
                 struct meta *meta, struct err *err)
{
    struct leaf_limits limits = limits_of(&launch->resource, &runtime->limits);
    int result, plan_fd, shim_fd = -1, report_fd = -1;
    struct container *container;
    pid_t pid = 0;

    meta->memory_bytes = limits.memory_bytes;
    result = workdir_make(runtime, launch, user, meta, err);
    if (result == 0)
        result = meta_write(state_fd, meta, err);
    if (result == 0)
        result = reserve_exit(state_fd, err);
    if (result == 0)
        result = cgroups_create(runtime->cgroups, launch->container_id, &limits, err);
    if (result != 0)
        return result;
    plan_fd = launch_write_plan(runtime, launch, user, meta, limits.memory_bytes, err);
    if (plan_fd < 0)
        return plan_fd;
    result = start_shim(runtime, launch->container_id, plan_fd, state_fd, &pid, &shim_fd, &report_fd, err);
    close(plan_fd);
    if (result != 0)
        return result;
    container = container_add(runtime, launch->container_id, meta);
    container->state = CONTAINER_LAUNCHED;
    container->shim = pid;
    container_watch(runtime, container, shim_fd, report_fd);
    return 0;
}

int runtime_resize(struct runtime *runtime, const char *container_id, const struct resource *resource,
                   struct err *err)
{
    struct leaf_limits limits = limits_of(resource, &runtime->limits);
    struct container *container = container_find(runtime, container_id);
    scoped_fd int state_fd = -1;
    int result;

    if (container == NULL)
        return err_set(err, ESRCH, "it does not run");
    state_fd = container_open(runtime, container_id, err);
    if (state_fd < 0)
        return state_fd;
    result = cgroups_resize(runtime->cgroups, container_id, &limits, err);
    if (result != 0)
        return result;
    container->meta.memory_bytes = limits.memory_bytes;
    return meta_replace(state_fd, &container->meta, err);
}

static void undo(struct runtime *runtime, const char *id, int state_fd, struct meta *meta)
{
    static const char *const made[] = { "meta",
                                        "exit.tmp",
                                        STOP_ORDER_FILE,
                                        STOP_ORDER_TERM_FILE,
                                        STOP_ORDER_STUCK_FILE,
                                        STOP_ORDER_STUCK_STEPS_FILE,
                                        COMMAND_END_FILE };

    if (meta->work != NULL)
        cleanup_work(runtime, meta, id);
    leaf_remove(&meta->leaf);
    for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++)
        unlinkat(state_fd, made[i], 0);
    unlinkat(runtime->containers_fd, id, AT_REMOVEDIR); /* fails if it has a record */
    meta_clear(meta);
}

int runtime_launch(struct runtime *runtime, const struct launch *launch, struct err *err)
{
    struct meta meta = { .app_id = NULL };
    const struct user *user = NULL;
    scoped_fd int state_fd = -1;
    bool made;
    int result = check_launch(launch, err);

    if (result != 0)
        return result;
    state_fd = container_make(runtime, launch->container_id, &made, err);
    if (state_fd < 0)
        return state_fd;
    result = claim(runtime, launch->container_id, state_fd, err);
    if (result != 0)
        return result;
    meta.app_id = mem_strdup(launch->app_id);
    meta.user = mem_strdup(launch->user);
    meta.leaf = cgroups_leaf(runtime->cgroups, launch->container_id);
    result = users_recall(&runtime->users_known, launch->user, &runtime->users, monotonic_ms(), &user, err);
    if (result == 0) {
        meta.uid = user->uid;
        result = start(runtime, launch, state_fd, user, &meta, err);
    }
    if (result != 0)
        undo(runtime, launch->container_id, state_fd, &meta);
    return result;
}
