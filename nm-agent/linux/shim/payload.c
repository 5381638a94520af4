/* SPDX-License-Identifier: Apache-2.0 */
/*
 * payload.c - forks and executes the container's command
 *
 * The order matters: cgroup first, so that all usage is charged to it; log files and directory with the
 * user's rights, so that root follows no link of the user; descriptors last.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/close_range.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/text_print.h"
#include "nm-agent/linux/shim/shim.h"

#define NO_FILE ENOSTR   /* an errno that open does not have */
#define INPUT_WAIT_S 300 /* time to wait for a writer to standard input */
#define OPEN_FILES 1024  /* usual soft limit of open files */

/* --- in the child ---------------------------------------------------------- */

static int set_limits(const struct plan *plan)
{
    struct rlimit limit;
    int fd;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return -errno;
    if (plan->open_files_max > 0 && limit.rlim_max > (rlim_t)plan->open_files_max)
        limit.rlim_max = (rlim_t)plan->open_files_max;
    limit.rlim_cur = limit.rlim_max < OPEN_FILES ? limit.rlim_max : OPEN_FILES;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        return -errno;
    /* The OOM protection of the agent must not be inherited. */
    fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd >= 0) {
        if (write(fd, "0", 1) < 0)
            errno = 0;
        close(fd);
    }
    return 0;
}

/* Sets the nice value, before root's rights are dropped: the agent's own value may be higher. */
static int set_nice(const struct plan *plan)
{
    if (plan->launch.nice == 0)
        return 0;
    if (plan->launch.nice < 0 && plan->uid != 0)
        return -EPERM;
    return setpriority(PRIO_PROCESS, 0, (int)plan->launch.nice) != 0 ? -errno : 0;
}

static int become_user(const struct plan *plan)
{
    if (geteuid() == 0 &&
        (setgroups(plan->group_count, plan->groups) != 0 || setresgid(plan->gid, plan->gid, plan->gid) != 0 ||
         setresuid(plan->uid, plan->uid, plan->uid) != 0))
        return -errno;
    if (geteuid() != plan->uid)
        return -EPERM;
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ? -errno : 0;
}

static void reset_signals(void);

int payload_enter(const struct plan *plan)
{
    int r = leaf_join(&plan->leaf);

    if (r == 0)
        r = set_limits(plan);
    if (r == 0)
        r = become_user(plan);
    reset_signals();
    return r;
}

static void reset_signals(void)
{
    sigset_t none;

    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static int move_to(int fd, int target)
{
    if (dup2(fd, target) < 0)
        return -errno;
    if (fd != target)
        close(fd);
    return 0;
}

static int redirect(const char *path, int flags, mode_t mode, int target)
{
    int fd = open(path, flags, mode);

    return fd < 0 ? -errno : move_to(fd, target);
}

/* Opens the input file of the job: a file or a device, as for output. */
static int redirect_input(const char *path)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    struct stat status;

    if (fd < 0)
        return -errno;
    if (fstat(fd, &status) != 0)
        return -errno;
    if (!S_ISREG(status.st_mode) && !S_ISCHR(status.st_mode))
        return -NO_FILE;
    return fcntl(fd, F_SETFL, 0) != 0 ? -errno : move_to(fd, STDIN_FILENO);
}

/* Opens an output file of the job. Only files and devices, such as /dev/null, are output files: to open a
 * FIFO would wait for a reader, and what is written to one can be lost. */
static int redirect_output(const char *path, int flags, int target)
{
    int fd = open(path, flags | O_NONBLOCK, 0666);
    struct stat status;

    if (fd < 0)
        return errno == ENXIO ? -NO_FILE : -errno;
    if (fstat(fd, &status) != 0)
        return -errno;
    if (!S_ISREG(status.st_mode) && !S_ISCHR(status.st_mode))
        return -NO_FILE;
    return fcntl(fd, F_SETFL, flags & O_APPEND) != 0 ? -errno : move_to(fd, target);
}

static int open_logs(const struct plan *plan)
{
    int result = redirect("/dev/null", O_RDONLY, 0, STDIN_FILENO);

    if (result == 0)
        result = redirect(plan->out_path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0640, STDOUT_FILENO);
    if (result == 0)
        result = redirect(plan->err_path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0640, STDERR_FILENO);
    return result;
}

static bool is_given(const char *text)
{
    return text != NULL && *text != '\0';
}

/* Opens the files that the job has chosen for its input and output. The process has become the user and is in
 * the directory of the command. *STEP: the step for the message about an error. */
static int open_files(const struct plan *plan, enum payload_step *step)
{
    const struct launch *launch = &plan->launch;
    bool append = is_given(launch->open_mode) && strcmp(launch->open_mode, "append") == 0;
    int flags = O_WRONLY | O_CREAT | O_APPEND | O_NOCTTY | (append ? 0 : O_TRUNC);
    bool has_out = is_given(launch->out_file), has_err = is_given(launch->err_file);
    int result = 0;

    *step = STEP_INPUT;
    if (is_given(launch->in_file) && (result = redirect_input(launch->in_file)) != 0)
        return result;
    *step = STEP_OUTPUT;
    if (has_out)
        result = redirect_output(launch->out_file, flags, STDOUT_FILENO);
    if (result == 0 && has_out && (!has_err || strcmp(launch->out_file, launch->err_file) == 0))
        return dup2(STDOUT_FILENO, STDERR_FILENO) < 0 ? -errno : 0;
    if (result == 0 && has_err) {
        *step = STEP_ERRORS;
        result = redirect_output(launch->err_file, flags, STDERR_FILENO);
    }
    return result;
}

static void make_input_path(const struct plan *plan, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/%s", plan->scratch, JOB_INPUT_FIFO);
}

static int make_input(const struct plan *plan)
{
    char path[PATH_MAX];

    make_input_path(plan, path);
    return mkfifo(path, 0600) != 0 ? -errno : 0;
}

static const char *container_path(const struct plan *plan);
static bool is_in_path(const char *path, const char *name);

/* Checks whether the command can probably be executed, since a failure after open_input cannot be reported to
 * the shim. */
static int check_command(const struct plan *plan)
{
    const char *name = plan->launch.argv[0];

    if (strchr(name, '/') != NULL)
        return faccessat(AT_FDCWD, name, X_OK, AT_EACCESS) != 0 ? -errno : 0;
    return is_in_path(container_path(plan), name) ? 0 : -ENOENT;
}

static void on_alarm(int number)
{
    (void)number;
}

/* Waits until the FIFO of standard input is opened for writing. The agent already regards the command as
 * running, because the writer is a command inside the container. Failures from here on are reported on
 * standard error. */
static void open_input(const struct plan *plan)
{
    struct sigaction action = { .sa_handler = on_alarm }; /* without SA_RESTART */
    char path[PATH_MAX];
    int fd;

    make_input_path(plan, path);
    sigaction(SIGALRM, &action, NULL);
    alarm(INPUT_WAIT_S);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    alarm(0);
    signal(SIGALRM, SIG_DFL);
    if (fd >= 0 && dup2(fd, STDIN_FILENO) >= 0)
        return;
    dprintf(STDERR_FILENO,
            "creel: the standard input of this command did not come within %d s; creel run is "
            "gone\n",
            INPUT_WAIT_S);
    _exit(125);
}

/* Replaces the variable of ENTRY, "NAME=value", in the environment of PLAN, if it is there. ENTRY is kept. */
static void replace_variable(const struct plan *plan, const char *entry)
{
    size_t length = strcspn(entry, "=") + 1;

    for (const char **at = (const char **)(uintptr_t)plan->launch.environment; *at; at++)
        if (strncmp(*at, entry, length) == 0)
            *at = entry;
}

/* Sets PWD in the environment of PLAN to DIRECTORY. */
static void set_pwd(const struct plan *plan, const char *directory)
{
    static char entry[PATH_MAX + 8];

    snprintf(entry, sizeof(entry), "PWD=%s", directory);
    replace_variable(plan, entry);
}

/* Sets SLURM_TASK_PID, which only Slurm scripts have, to this process. */
static void set_task_pid(const struct plan *plan)
{
    static char entry[40];

    snprintf(entry, sizeof(entry), "SLURM_TASK_PID=%ld", (long)getpid());
    replace_variable(plan, entry);
}

/* Returns true if a file of --out, --err or --in is below the directory of the command. */
static bool has_files_there(const struct launch *launch)
{
    const char *const files[] = { launch->out_file, launch->err_file, launch->in_file };

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        if (is_given(files[i]) && *files[i] != '/')
            return true;
    return false;
}

/* Enters the directory of the command. If that fails and PLAN allows it, and the job has no output files
 * there, which would be removed with the scratch directory, enters the scratch directory, sets
 * *ELSEWHERE to the errno, and reports it to the shim. */
static int enter_directory(const struct plan *plan, int status_fd, int *elsewhere)
{
    struct payload_failure notice = { .step = STEP_ELSEWHERE };

    if (chdir(plan->launch.directory) == 0)
        return 0;
    notice.error = *elsewhere = errno;
    if (!plan->may_fall_back || has_files_there(&plan->launch))
        return -*elsewhere;
    if (chdir(plan->scratch) != 0)
        return -errno;
    set_pwd(plan, plan->scratch);
    while (write(status_fd, &notice, sizeof(notice)) < 0 && errno == EINTR)
        ;
    return 0;
}

/* Sets the soft limits of the job. Reports those that are above the hard limits first: a limit of file sizes
 * may forbid output. */
static void set_soft_limits(const struct plan *plan, bool has_log, int status_fd)
{
    struct payload_failure notice = { .step = STEP_REDUCED };

    payload_find_reduced(plan, notice.text);
    while (*notice.text && write(status_fd, &notice, sizeof(notice)) < 0 && errno == EINTR)
        ;
    if (*notice.text && has_log)
        dprintf(STDERR_FILENO, "creel: soft limits are reduced to the hard ones of this node: %s\n",
                notice.text);
    payload_set_soft_limits(plan);
}

static int connect_io(const struct payload_io *io)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (dup2(io->fds[fd], fd) < 0)
            return -errno;
    return io->terminal && ioctl(STDIN_FILENO, TIOCSCTTY, 0) != 0 ? -errno : 0;
}

static __attribute__((noreturn)) void fail_with(int status_fd, const struct payload_failure *failure)
{
    while (write(status_fd, failure, sizeof(*failure)) < 0 && errno == EINTR)
        ;
    _exit(127);
}

static __attribute__((noreturn)) void fail(int status_fd, enum payload_step step, int error)
{
    fail_with(status_fd, &(struct payload_failure){ .step = step, .error = error });
}

static __attribute__((noreturn)) void become_command(const struct plan *plan, const struct payload_io *io,
                                                     pid_t shim, bool joined, int status_fd)
{
    struct payload_failure unpacking = { .step = STEP_UNPACK };
    enum payload_step step;
    int result, elsewhere = 0;

    /* If the shim dies now, this process must die, too: it is in no control group yet, and would not be
     * found. */
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != shim)
        _exit(127);
    if (io == NULL) /* only the shim keeps the lock on the container */
        for (int fd = SHIM_FD_PLAN; fd <= SHIM_FD_REPORT; fd++)
            close(fd);
    if (!joined && (result = leaf_join(&plan->leaf)) != 0)
        fail(status_fd, STEP_CGROUP, -result);
    prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0);
    setsid();
    if ((result = set_limits(plan)) != 0 || (result = set_nice(plan)) != 0)
        fail(status_fd, STEP_LIMITS, -result);
    if ((result = become_user(plan)) != 0)
        fail(status_fd, STEP_USER, -result);
    reset_signals();
    if ((result = io ? connect_io(io) : open_logs(plan)) != 0)
        fail(status_fd, STEP_LOGS, -result);
    /* Set after opening the log files, which the agent must be able to read. */
    if (plan->launch.umask != NULL && *plan->launch.umask != '\0')
        umask((mode_t)strtol(plan->launch.umask, NULL, 8));
    /* The directory of the command may be inside an archive. */
    if (io == NULL && (unpacking.error = -unpack_archives(plan, unpacking.text)) != 0)
        fail_with(status_fd, &unpacking);
    if ((result = enter_directory(plan, status_fd, &elsewhere)) != 0)
        fail(status_fd, STEP_DIRECTORY, -result);
    if (io == NULL && (result = open_files(plan, &step)) != 0)
        fail(status_fd, step, -result);
    if (io == NULL && plan->launch.input && (result = make_input(plan)) != 0)
        fail(status_fd, STEP_LOGS, -result);
    if (io == NULL && elsewhere != 0)
        dprintf(STDERR_FILENO,
                "creel: %s could not be entered on this node (%s): running in the scratch "
                "directory, %s\n",
                plan->launch.directory, strerror(elsewhere), plan->scratch);
    if (close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) != 0)
        fail(status_fd, STEP_LIMITS, errno);
    set_soft_limits(plan, io == NULL, status_fd);
    set_task_pid(plan);
    /* execvp searches the PATH of the command's environment; it does not modify the arrays. */
    environ = (char **)(uintptr_t)plan->launch.environment;
    if (io == NULL && plan->launch.input) {
        if ((result = check_command(plan)) != 0)
            fail(status_fd, STEP_COMMAND, -result);
        close(status_fd);
        open_input(plan);
    }
    execvp(plan->launch.argv[0], (char **)(uintptr_t)plan->launch.argv);
    if (io == NULL && plan->launch.input) {
        dprintf(STDERR_FILENO, "creel: cannot run \"%s\": %s\n", plan->launch.argv[0], strerror(errno));
        _exit(126);
    }
    fail(status_fd, STEP_COMMAND, errno);
}

/* --- in the shim ----------------------------------------------------------- */

/* Clones directly into the group, if all controllers share one v2 group. -1: not possible. */
static pid_t clone_into(const struct leaf *leaf)
{
    struct clone_args args = { .flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD };
    const char *directory = leaf->directory[LEAF_MEMORY];
    pid_t pid;
    int fd;

    for (int i = 0; i < LEAF_CONTROLLERS; i++)
        if (leaf->directory[i] != NULL &&
            (leaf->version[i] != 2 || strcmp(leaf->directory[i], directory) != 0))
            return -1;
    fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    args.cgroup = (unsigned)fd;
    pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
    if (pid != 0)
        close(fd);
    return pid;
}

void payload_begin(const struct plan *plan, const struct payload_io *io, struct payload *payload)
{
    bool joined = true;
    pid_t shim = getpid();
    int status[2];

    *payload = (struct payload){ .pid = -1, .status_fd = -1, .failure = { .step = STEP_FORK } };
    if (pipe2(status, O_CLOEXEC) != 0) {
        payload->failure.error = errno;
        return;
    }
    payload->pid = clone_into(&plan->leaf);
    if (payload->pid < 0) {
        joined = false;
        payload->pid = fork();
    }
    if (payload->pid == 0)
        become_command(plan, io, shim, joined, status[1]);
    payload->failure.error = payload->pid < 0 ? errno : 0;
    close(status[1]);
    payload->status_fd = status[0];
}

pid_t payload_await(struct payload *payload)
{
    ssize_t got = 0;

    /* The pipe closes when exec succeeds. */
    while (payload->pid > 0) {
        got = read(payload->status_fd, &payload->failure, sizeof(payload->failure));
        if (got == (ssize_t)sizeof(payload->failure) && payload->failure.step == STEP_ELSEWHERE)
            payload->elsewhere = payload->failure.error;
        else if (got == (ssize_t)sizeof(payload->failure) && payload->failure.step == STEP_REDUCED)
            memcpy(payload->reduced, payload->failure.text, sizeof(payload->reduced));
        else if (got >= 0 || errno != EINTR)
            break;
    }
    if (got == (ssize_t)sizeof(payload->failure)) {
        waitpid(payload->pid, NULL, 0);
        payload->pid = -1;
    }
    if (payload->status_fd >= 0)
        close(payload->status_fd);
    payload->status_fd = -1;
    return payload->pid;
}

static const char *container_path(const struct plan *plan)
{
    for (const char *const *entry = plan->launch.environment; *entry; entry++)
        if (strncmp(*entry, "PATH=", 5) == 0)
            return *entry + 5;
    return "";
}

/* Returns true if a directory of PATH has a file NAME. execvp fails with EACCES also for a directory that the
 * user may not search. */
static bool is_in_path(const char *path, const char *name)
{
    char file[PATH_MAX];
    struct stat status;

    for (const char *at = path; *at;) {
        int length = (int)strcspn(at, ":");

        if (snprintf(file, sizeof(file), "%.*s/%s", length, at, name) < (int)sizeof(file) &&
            stat(file, &status) == 0)
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

/* Sets the exit status as shells do: 127 if the command does not exist, 126 if it cannot be executed. */
static void explain_command(const struct plan *plan, int error, struct container_end *record)
{
    const char *name = plan->launch.argv[0];
    bool is_path = strchr(name, '/') != NULL;
    struct statvfs system;
    bool noexec = is_path && statvfs(name, &system) == 0 && (system.f_flag & ST_NOEXEC) != 0;
    struct stat status;

    if (error == EACCES && !is_path && !is_in_path(container_path(plan), name))
        error = ENOENT;
    record->exit_status = error == ENOENT ? 127 : 126;
    if (error == ENOENT && !is_path) {
        text_print(record->diagnostics, sizeof(record->diagnostics), "command not found: \"%s\" (PATH=%s)",
                   name, container_path(plan));
    } else if (error == ENOENT && name[0] == '/' && stat(name, &status) == 0) {
        record->exit_status = 126;
        text_print(record->diagnostics, sizeof(record->diagnostics),
                   "cannot run \"%s\": the interpreter of its first line is not there", name);
    } else if (error == ENOENT) {
        text_print(record->diagnostics, sizeof(record->diagnostics), "command not found: \"%s\" (in %s)",
                   name, plan->launch.directory);
    } else if (error == EACCES && is_path && stat(name, &status) == 0 && S_ISDIR(status.st_mode)) {
        text_print(record->diagnostics, sizeof(record->diagnostics), "cannot run \"%s\": it is a directory",
                   name);
    } else if (error == E2BIG) {
        text_print(record->diagnostics, sizeof(record->diagnostics),
                   "cannot run \"%s\": its arguments and environment are longer than this system "
                   "allows (see getconf ARG_MAX)",
                   name);
    } else if (error == EACCES) {
        text_print(record->diagnostics, sizeof(record->diagnostics), "cannot run \"%s\": %s", name,
                   noexec ? "its file system is mounted noexec" : "not executable by the container's user");
    } else {
        text_print(record->diagnostics, sizeof(record->diagnostics), "cannot run \"%s\": %s", name,
                   strerror(error));
    }
}

/* Returns the node of PLAN, for "on node NODE"; NULL: the plan does not name it. */
static const char *node_of(const struct plan *plan)
{
    static const char name[] = "CREEL_NODE_ID=";

    for (const char *const *at = plan->launch.environment; at != NULL && *at != NULL; at++)
        if (strncmp(*at, name, sizeof(name) - 1) == 0)
            return *at + sizeof(name) - 1;
    return NULL;
}

void payload_explain(const struct plan *plan, const struct payload_failure *failure,
                     struct container_end *record)
{
    static const char *const what[] = {
        [STEP_FORK] = "no process could be made",
        [STEP_CGROUP] = "its cgroup could not be joined",
        [STEP_LIMITS] = "its limits, or its nice value, could not be set",
        [STEP_USER] = "the user could not be taken on",
        [STEP_LOGS] = "its log files could not be opened",
        [STEP_UNPACK] = "its archives could not be unpacked",
        [STEP_DIRECTORY] = "its directory could not be entered",
        [STEP_INPUT] = "the file of --in could not be opened",
        [STEP_OUTPUT] = "the file of --out could not be opened",
        [STEP_ERRORS] = "the file of --err could not be opened",
    };
    const char *path = failure->step == STEP_DIRECTORY ? plan->launch.directory
                       : failure->step == STEP_INPUT   ? plan->launch.in_file
                       : failure->step == STEP_OUTPUT  ? plan->launch.out_file
                       : failure->step == STEP_ERRORS  ? plan->launch.err_file
                                                       : NULL;
    const char *node = node_of(plan);

    record->exit_status = CONTAINER_EXIT_NOT_STARTED;
    if (failure->step == STEP_DIRECTORY && plan->may_fall_back) {
        text_print(
            record->diagnostics, sizeof(record->diagnostics),
            "could not be started%s%s: the directory in which it was submitted, %s, could not be entered, "
            "and files of --out, --err or --in are to be there: %s",
            node ? " on node " : "", node ? node : "", path, strerror(failure->error));
        return;
    }
    if (failure->step == STEP_COMMAND) {
        explain_command(plan, failure->error, record);
        return;
    }
    if (failure->step == STEP_UNPACK && *failure->text) {
        if (failure->error == EINVAL)
            record->exit_status = 126; /* the archive is at fault, not the node */
        text_print(record->diagnostics, sizeof(record->diagnostics), "could not be started: %.*s",
                   PAYLOAD_TEXT_MAX - 1, failure->text);
        return;
    }
    text_print(record->diagnostics, sizeof(record->diagnostics), "could not be started%s%s: %s%s%s: %s",
               node ? " on node " : "", node ? node : "", what[failure->step], path ? ": " : "",
               path ? path : "",
               failure->error == NO_FILE ? "it is neither a file nor a device, such as /dev/null"
                                         : strerror(failure->error));
}
