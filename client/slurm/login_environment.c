/* SPDX-License-Identifier: Apache-2.0 */
/* login_environment.c - the environment of a login, for jobs with --export=NONE or --get-user-env */
#include "client/slurm/login_environment.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/spawn.h"
#include "common/base/text_builder.h"

#define BYTES_MAX ((size_t)4 << 20)
#define MARKER_BYTES 16
#define PATH_OF_LOGIN "/usr/local/bin:/usr/bin:/bin" /* the files of the shell extend it */

/* --- in the login shell ----------------------------------------------------------- */

int login_print(const char *const *arguments)
{
    const char *marker = arguments[0] ? arguments[0] : "";

    fputs(marker, stdout);
    for (char **entry = environ; *entry; entry++)
        fwrite(*entry, 1, strlen(*entry) + 1, stdout);
    fputs(marker, stdout);
    return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

static void make_marker(char marker[2 * MARKER_BYTES + 1])
{
    uint8_t bytes[MARKER_BYTES] = { 0 };

    if (getrandom(bytes, sizeof(bytes), 0) < 0)
        memset(bytes, 'm', sizeof(bytes));
    for (size_t i = 0; i < sizeof(bytes); i++)
        snprintf(marker + 2 * i, 3, "%02x", bytes[i]);
}

/* --- the job ------------------------------------------------------------------------ */

/* Returns a descriptor of the directory in which a login of USER begins, or -errno. */
static int open_home(const struct passwd *user)
{
    int fd = access(user->pw_dir, X_OK) == 0 ? open(user->pw_dir, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;

    if (fd < 0)
        fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

/* Starts the login shell of USER, whose standard output is FD, in a process group of its own. Returns its
 * process, or -errno. */
static pid_t start_shell(const struct passwd *user, const char *marker, int fd)
{
    const char *shell = *user->pw_shell ? user->pw_shell : "/bin/sh", *slash = strrchr(shell, '/');
    char self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    scoped_free char *home = mem_printf("HOME=%s", user->pw_dir);
    scoped_free char *name = mem_printf("USER=%s", user->pw_name);
    scoped_free char *login = mem_printf("LOGNAME=%s", user->pw_name);
    scoped_free char *own = mem_printf("SHELL=%s", shell);
    scoped_free char *title = mem_printf("-%s", slash ? slash + 1 : shell);
    scoped_free char *script = NULL;
    const char *variables[] = { home, name, login, own, "PATH=" PATH_OF_LOGIN, NULL };
    const char *words[] = { title, "-c", NULL, NULL };
    const int fds[] = { SPAWN_NULL, fd, SPAWN_NULL };
    scoped_fd int directory = open_home(user);
    const struct spawn program = {
        .program = shell,
        .arguments = words,
        .environment = variables,
        .fds = fds,
        .fd_count = 3,
        .directory = directory,
        .new_group = true,
    };
    pid_t pid;
    int r;

    if (length < 0 || memchr(self, '\'', (size_t)length))
        return -ENOEXEC;
    if (directory < 0)
        return directory;
    words[2] = script = mem_printf("exec '%.*s' environment %s", (int)length, self, marker);
    r = spawn_start(&program, &pid);
    return r < 0 ? r : pid;
}

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

struct output {
    char *bytes; /* owned */
    size_t size, capacity;
};

/* Returns the beginning of the variables between the two markers, and sets *TO to their end; NULL: there are
 * not both. */
static const char *find(const struct output *output, const char *marker, const char **to)
{
    size_t length = strlen(marker);
    const char *from = output->size > 0 ? memmem(output->bytes, output->size, marker, length) : NULL;

    from = from ? from + length : NULL;
    *to = from ? memmem(from, (size_t)(output->bytes + output->size - from), marker, length) : NULL;
    return *to ? from : NULL;
}

/* Reads FD until it has both markers. Returns why it has not; NULL: it has. */
static const char *read_output(int fd, const char *marker, struct output *output)
{
    int64_t end_ms = now_ms() + LOGIN_WAIT_MS;
    const char *to;

    while (!find(output, marker, &to)) {
        struct pollfd wait = { .fd = fd, .events = POLLIN };
        int64_t left_ms = end_ms - now_ms();
        char block[16384];
        ssize_t n;

        if (left_ms <= 0)
            return "the files of the shell take too long";
        if (poll(&wait, 1, (int)left_ms) <= 0)
            continue;
        n = read(fd, block, sizeof(block));
        if (n == 0)
            return "the shell printed no environment";
        if (n < 0 && errno != EINTR)
            return strerror(errno);
        if (n > 0 && output->size + (size_t)n > BYTES_MAX)
            return "the shell prints too much";
        for (ssize_t i = 0; i < n; i++) {
            mem_grow(output->bytes, output->size, output->capacity);
            output->bytes[output->size++] = block[i];
        }
    }
    return NULL;
}

/* Runs the login shell, and reads what it prints into OUTPUT. Returns why there is none; NULL: it was
 * read. */
static const char *run_shell(const char *marker, struct output *output)
{
    const struct passwd *user = getpwuid(geteuid());
    const char *problem;
    int ends[2];
    pid_t child;
    int status;

    if (!user)
        return "the user is not known on this node";
    if (pipe2(ends, O_CLOEXEC) < 0)
        return strerror(errno);
    child = start_shell(user, marker, ends[1]);
    close(ends[1]);
    problem = child < 0 ? strerror(-child) : read_output(ends[0], marker, output);
    close(ends[0]);
    if (child > 0 && problem) {
        kill(-child, SIGKILL);
        kill(child, SIGKILL);
    }
    if (child > 0)
        (void)spawn_wait(child, &status);
    return problem;
}

/* Sets the variables of the login from FROM to TO that the job does not have. */
static void set_variables(const char *from, const char *to, const char *first)
{
    static const char *const of_shell[] = { "_", "SHLVL", "OLDPWD", "PWD" };
    size_t length;

    for (; from < to; from += length + 1) {
        scoped_free char *name = mem_strdup(from);
        char *value = strchr(name, '=');
        bool is_of_shell = false;

        length = strlen(name);
        if (!value || value == name)
            continue;
        *value++ = '\0';
        for (size_t i = 0; i < sizeof(of_shell) / sizeof(of_shell[0]); i++)
            is_of_shell = is_of_shell || !strcmp(name, of_shell[i]);
        if (!strcmp(name, "PATH") && *first) {
            scoped_free char *path = mem_printf("%s:%s", first, value);

            setenv("PATH", path, 1);
        } else if (!is_of_shell) {
            setenv(name, value, 0);
        }
    }
}

int login_main(const char *const *arguments)
{
    char marker[2 * MARKER_BYTES + 1];
    struct output output = { NULL, 0, 0 };
    const char *problem, *from, *to;

    if (!arguments[0] || !arguments[1]) {
        fputs("creel-slurm: login: expected FIRST COMMAND\n", stderr);
        return 1;
    }
    make_marker(marker);
    problem = run_shell(marker, &output);
    from = find(&output, marker, &to);
    if (problem)
        fprintf(stderr, "creel-slurm: the job runs without the environment of a login: %s\n", problem);
    else if (from)
        set_variables(from, to, arguments[0]);
    free(output.bytes);
    execvp(arguments[1], (char *const *)(uintptr_t)(arguments + 1));
    fprintf(stderr, "creel-slurm: %s: %s\n", arguments[1], strerror(errno));
    return errno == ENOENT ? 127 : 126;
}
