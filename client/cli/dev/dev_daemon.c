/* SPDX-License-Identifier: Apache-2.0 */
/* dev_daemon.c - starts, examines and stops the processes of a local cluster */
#include "client/cli/dev/dev.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/spawn.h"

#define TERM_WAIT_MS 5000
#define KILL_WAIT_MS 5000

extern char **environ;

const char *dev_state_name(enum dev_state state)
{
    static const char *const names[] = {
        [DEV_STOPPED] = "stopped",
        [DEV_STARTING] = "starting",
        [DEV_RUNNING] = "running",
    };

    return names[state];
}

/* --- state of a process ---------------------------------------------------- */

/* Returns the start time of PID in ticks since boot; 0 if the process is gone or a zombie. */
static uint64_t start_time(pid_t pid)
{
    char path[64], line[1024];
    scoped_fd int fd = -1;
    const char *at;
    ssize_t got;
    char state;
    uint64_t ticks;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    got = fd < 0 ? -1 : read(fd, line, sizeof(line) - 1);
    if (got <= 0)
        return 0;
    line[got] = '\0';
    /* The name, in parentheses, may contain any characters; the fields after it may not contain
     * parentheses. */
    at = strrchr(line, ')');
    if (!at || sscanf(at + 1,
                      " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                      "%*s %*s %*s %" SCNu64,
                      &state, &ticks) != 2)
        return 0;
    return state == 'Z' || state == 'X' ? 0 : ticks;
}

static pid_t read_pid(const struct dev *dev, int agent)
{
    scoped_free char *path = dev_daemon_path(dev, agent, "pid");
    FILE *file = fopen(path, "re");
    uint64_t ticks = 0;
    int pid = 0;

    if (!file)
        return 0;
    if (fscanf(file, "%d %" SCNu64, &pid, &ticks) != 2)
        pid = 0;
    fclose(file);
    return pid > 1 && ticks && start_time(pid) == ticks ? pid : 0;
}

static int write_pid(const struct dev *dev, int agent, pid_t pid, struct err *err)
{
    scoped_free char *path = dev_daemon_path(dev, agent, "pid");
    scoped_free char *text = mem_printf("%d %" PRIu64 "\n", (int)pid, start_time(pid));

    return dev_write_file(path, text, err);
}

static bool answers(int port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons((uint16_t)port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    scoped_fd int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    return fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0;
}

void dev_daemon_inspect(const struct dev *dev, int agent, struct dev_daemon *ret)
{
    scoped_free char *dir = dev_daemon_path(dev, agent, "");

    *ret = (struct dev_daemon){
        .agent = agent,
        .pid = read_pid(dev, agent),
        .port_count = dev_ports_count(agent),
    };
    snprintf(ret->dir, sizeof(ret->dir), "%s", dir);
    dev_ports_read(dev, agent, ret->ports);
    ret->state = ret->pid ? DEV_RUNNING : DEV_STOPPED;
    /* (an agent works without its REST interface) */
    for (int i = 0; ret->pid && i < (agent > DEV_RM ? 1 : ret->port_count); i++) {
        if (!answers(ret->ports[i]))
            ret->state = DEV_STARTING;
    }
}

char *dev_running_conf_dir(void)
{
    struct dev_daemon rm;
    struct dev dev;
    char *conf = NULL;

    if (dev_open(NULL, &dev, NULL) < 0)
        return NULL;
    if (dev_exists(&dev)) {
        dev_daemon_inspect(&dev, 0, &rm);
        if (rm.pid)
            conf = dev_path(&dev, "conf");
    }
    dev_done(&dev);
    return conf;
}

/* --- starting -------------------------------------------------------------- */

/* The daemons are in the same directory as this program in a build tree, or in sbin next to its bin if
 * installed. */
char *dev_find_program(const char *name, struct err *err)
{
    static const char *const places[] = { "", "/../sbin", "/../libexec/creel" };
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

    if (length > 0) {
        self[length] = '\0';
        *strrchr(self, '/') = '\0';
        for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
            char *path = mem_printf("%s%s/%s", self, places[i], name);

            if (access(path, X_OK) == 0)
                return path;
            free(path);
        }
    }
    err_set(err, ENOENT, "%s: not found beside %s; build or install it", name,
            length > 0 ? self : "this program");
    return NULL;
}

/* Copies the environment without the variables that would select another configuration or the journal. */
static const char **clean_environment(void)
{
    static const char *const dropped[] = {
        "CREEL_", "YARN_CONF_DIR=", "HADOOP_CONF_DIR=", "JOURNAL_STREAM=", "NOTIFY_SOCKET=",
    };
    size_t count = 0, kept = 0;
    const char **list;

    while (environ[count])
        count++;
    list = mem_array0(count + 1, sizeof(*list));
    for (size_t i = 0; i < count; i++) {
        bool drop = false;

        for (size_t k = 0; k < sizeof(dropped) / sizeof(dropped[0]); k++)
            drop = drop || !strncmp(environ[i], dropped[k], strlen(dropped[k]));
        if (!drop)
            list[kept++] = environ[i];
    }
    return list;
}

static int spawn_detached(const char *program, const char *conf, const char *log, pid_t *pid)
{
    const char *words[] = { program, "--conf", conf, NULL };
    scoped_free const char **environment = clean_environment();
    scoped_fd int output = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    const int fds[] = { SPAWN_NULL, output, output };
    const struct spawn daemon = {
        .program = program,
        .arguments = words,
        .environment = environment,
        .fds = fds,
        .fd_count = 3,
        .closes_others = true,
        .new_session = true,
        .usual_signals = true,
    };

    return output < 0 ? -errno : spawn_start(&daemon, pid);
}

int dev_daemon_start(const struct dev *dev, int agent, pid_t *pid, struct err *err)
{
    static const char *const programs[] = { "creel-nm", "creel-rm", "creel-web" };
    scoped_free char *program = dev_find_program(programs[agent == DEV_WEB ? 2 : agent == DEV_RM], err);
    scoped_free char *log = dev_daemon_path(dev, agent, "log");
    scoped_free char *conf = dev_daemon_conf(dev, agent);
    int r;

    if (!program)
        return -ENOENT;
    r = spawn_detached(program, conf, log, pid);
    if (r < 0)
        return err_set_errno(err, -r, "%s: cannot be started", program);
    return write_pid(dev, agent, *pid, err);
}

void dev_daemon_last_words(const struct dev *dev, int agent, char *text, size_t size)
{
    scoped_free char *path = dev_daemon_path(dev, agent, "log");
    scoped_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
    char tail[2048];
    off_t end = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
    ssize_t got = end <= 0 ? 0
                           : pread(fd, tail, sizeof(tail) - 1,
                                   end > (off_t)sizeof(tail) - 1 ? end - (off_t)sizeof(tail) + 1 : 0);
    char *start;
    int lines = 0;

    if (fd < 0) {
        snprintf(text, size, "its log %s cannot be read: %s", path, strerror(errno));
        return;
    }
    if (got <= 0) {
        snprintf(text, size, "its log %s is empty", path);
        return;
    }
    while (got > 0 && tail[got - 1] == '\n')
        got--;
    tail[got] = '\0';
    for (start = tail + got; start > tail; start--) {
        if (start[-1] == '\n' && ++lines == 8)
            break;
    }
    snprintf(text, size, "the end of its log %s:\n%s", path, start);
}

/* --- stopping -------------------------------------------------------------- */

/* Waits until PID has ended, through a pidfd, which cannot refer to another process with a reused pid. */
static bool gone_within(int pid_fd, int timeout_ms)
{
    struct pollfd poll_fd = { .fd = pid_fd, .events = POLLIN };

    return poll(&poll_fd, 1, timeout_ms) > 0;
}

void dev_daemon_stop(const struct dev *dev, int agent)
{
    scoped_free char *path = dev_daemon_path(dev, agent, "pid");
    pid_t pid = read_pid(dev, agent);
    scoped_fd int pid_fd = pid ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;

    /* Checks the pid again, now that the pidfd is open. */
    if (pid_fd >= 0 && read_pid(dev, agent) == pid) {
        syscall(SYS_pidfd_send_signal, pid_fd, SIGTERM, NULL, 0);
        if (!gone_within(pid_fd, TERM_WAIT_MS)) {
            syscall(SYS_pidfd_send_signal, pid_fd, SIGKILL, NULL, 0);
            gone_within(pid_fd, KILL_WAIT_MS);
        }
        waitpid(pid, NULL, WNOHANG); /* reaps the daemon if this process is its parent */
    }
    unlink(path);
}
