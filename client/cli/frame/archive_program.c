/* SPDX-License-Identifier: Apache-2.0 */
/* archive_program.c - runs creel-archive */
#include "client/cli/frame/archive_program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/spawn.h"
#include "common/io/server/helper_process.h"

int archive_program_start(const struct archive_request *request, struct archive_program *ret, struct err *err)
{
    scoped_free char *path = helper_find_program("creel-archive", "CREEL_ARCHIVE");
    const char *words[] = { "creel-archive", request->words[0], request->words[1], request->words[2], NULL };
    struct spawn program = {
        .program = path,
        .arguments = words,
        .fd_count = request->list >= 0 ? 4 : 3,
        .closes_others = true,
        .directory = request->directory,
    };
    int ends[2], r;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return err_set_errno(err, errno, "cannot make a pipe");
    program.fds = (const int[]){ request->in, request->out, ends[1], request->list };
    r = spawn_start(&program, &ret->pid);
    close(ends[1]);
    if (r < 0) {
        close(ends[0]);
        return err_set_errno(err, -r, "cannot run %s, which reads and writes archives", path);
    }
    ret->errors = ends[0];
    return 0;
}

int archive_program_wait(struct archive_program *program, struct err *err)
{
    char text[ERR_TEXT_MAX + 16];
    size_t length = 0;
    ssize_t got;
    int status = 0, r;
    char *end;
    long code;

    while (length < sizeof(text) - 1 &&
           ((got = read(program->errors, text + length, sizeof(text) - 1 - length)) > 0 ||
            (got < 0 && errno == EINTR)))
        length += got > 0 ? (size_t)got : 0;
    text[length] = '\0';
    close(program->errors);
    r = spawn_wait(program->pid, &status);
    if (r < 0)
        return err_set_errno(err, -r, "the exit status of creel-archive is not known");
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
