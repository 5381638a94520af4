/* SPDX-License-Identifier: Apache-2.0 */
/* archive_program.c - runs creel-archive */
#include "client/cli/frame/archive_program.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/io/server/helper_process.h"

#define LIST_FD 3

/* Adds FD as descriptor NUMBER of the program; -1: /dev/null. */
static void add_fd(posix_spawn_file_actions_t *files, int fd, int number)
{
    if (fd < 0)
        posix_spawn_file_actions_addopen(files, number, "/dev/null", O_RDWR, 0);
    else
        posix_spawn_file_actions_adddup2(files, fd, number);
}

/* The descriptors of REQUEST and ERRORS are above LIST_FD. Returns 0 or an errno. */
static int spawn(const char *path, const struct archive_request *request, int errors, pid_t *pid)
{
    char *argv[] = { (char[]){ "creel-archive" }, (char *)(uintptr_t)request->words[0],
                     (char *)(uintptr_t)request->words[1], (char *)(uintptr_t)request->words[2], NULL };
    posix_spawn_file_actions_t files;
    int rc;

    posix_spawn_file_actions_init(&files);
    if (request->directory >= 0)
        posix_spawn_file_actions_addfchdir_np(&files, request->directory);
    add_fd(&files, request->in, STDIN_FILENO);
    add_fd(&files, request->out, STDOUT_FILENO);
    add_fd(&files, errors, STDERR_FILENO);
    if (request->list >= 0)
        add_fd(&files, request->list, LIST_FD);
    posix_spawn_file_actions_addclosefrom_np(&files, request->list >= 0 ? LIST_FD + 1 : LIST_FD);
    rc = posix_spawn(pid, path, &files, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    return rc;
}

/* Sets *RET to a copy of FD above LIST_FD; to -1 for -1. Returns false if FD cannot be copied. */
static bool move(int fd, int *ret)
{
    *ret = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, LIST_FD + 1);
    return fd < 0 || *ret >= 0;
}

int archive_program_start(const struct archive_request *request, struct archive_program *ret, struct err *err)
{
    scoped_free char *path = helper_find_program("creel-archive", "CREEL_ARCHIVE");
    scoped_fd int in = -1, out = -1, list = -1, directory = -1, errors = -1, their_errors = -1;
    struct archive_request own = *request;
    int ends[2], rc;
    bool moved;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return err_set_errno(err, errno, "cannot make a pipe");
    errors = ends[0];
    moved = move(ends[1], &their_errors);
    close(ends[1]);
    if (!moved || !move(request->in, &in) || !move(request->out, &out) || !move(request->list, &list) ||
        !move(request->directory, &directory))
        return err_set_errno(err, errno, "cannot run %s, which reads and writes archives", path);
    own.in = in;
    own.out = out;
    own.list = list;
    own.directory = directory;
    rc = spawn(path, &own, their_errors, &ret->pid);
    if (rc != 0)
        return err_set_errno(err, rc, "cannot run %s, which reads and writes archives", path);
    ret->errors = fd_take(&errors);
    return 0;
}

int archive_program_wait(struct archive_program *program, struct err *err)
{
    char text[ERR_TEXT_MAX + 16];
    size_t length = 0;
    ssize_t got;
    int status = 0;
    char *end;
    long code;

    while (length < sizeof(text) - 1 &&
           ((got = read(program->errors, text + length, sizeof(text) - 1 - length)) > 0 ||
            (got < 0 && errno == EINTR)))
        length += got > 0 ? (size_t)got : 0;
    text[length] = '\0';
    close(program->errors);
    while (waitpid(program->pid, &status, 0) < 0)
        if (errno != EINTR)
            return err_set_errno(err, errno, "the exit status of creel-archive is not known");
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    code = strtol(text, &end, 10);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 1 && code > 0 && *end == ' ')
        return err_set(err, (int)code, "%s", end + 1);
    if (WIFSIGNALED(status))
        return err_set(err, EIO, "creel-archive was ended by signal %d", WTERMSIG(status));
    return err_set(err, EIO, "creel-archive failed: %s", length > 0 ? text : "it reported no reason");
}

int archive_program_run(const struct archive_request *request, struct err *err)
{
    struct archive_program program;
    int r = archive_program_start(request, &program, err);

    return r < 0 ? r : archive_program_wait(&program, err);
}

int archive_program_temporary(struct err *err)
{
    const char *directory = getenv("TMPDIR");
    scoped_free char *path = NULL;
    int fd;

    if (directory == NULL || *directory == '\0')
        directory = "/tmp";
    fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0)
        return fd;
    path = mem_printf("%s/creel.XXXXXX", directory);
    fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0)
        return err_set_errno(err, errno, "a temporary file cannot be made in %s (TMPDIR names the directory)",
                             directory);
    (void)unlink(path);
    return fd;
}
