/* SPDX-License-Identifier: Apache-2.0 */
/* scontrol_write.c - scontrol write batch_script: the script of a job, as it was submitted */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "client/slurm-client/job_ids.h"
#include "client/slurm-client/scontrol.h"
#include "common/base/mem.h"

static int print(const char *text, size_t size)
{
    return fwrite(text, 1, size, stdout) == size && fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int save(const struct tool *tool, const char *id, const char *path, const char *text, size_t size)
{
    scoped_fd int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);

    if (fd < 0)
        return tool_fail(tool, "failed to open file `%s`: %s", path, strerror(errno));
    for (size_t at = 0; at < size;) {
        ssize_t n = write(fd, text + at, size - at);

        if (n < 0 && errno != EINTR)
            return tool_fail(tool, "%s: cannot write: %s", path, strerror(errno));
        at += n > 0 ? (size_t)n : 0;
    }
    return printf("batch script for job %s written to %s\n", id, path) < 0;
}

static int write_script(struct tool *tool, const char *id, const char *path)
{
    const char *file = path ? path : arena_printf(tool->arena, "slurm-%s.sh", id);
    struct creel_error error;
    char *text;
    size_t size;
    int code;

    if (!tool_client(tool))
        return EXIT_FAILURE;
    if (creel_app_script(tool->cli.client, id, &text, &size, &error) < 0)
        return tool_fail(tool, "job script retrieval failed: %s", error.text);
    code = strcmp(file, "-") == 0 ? print(text, size) : save(tool, id, file, text, size);
    free(text);
    return code;
}

int scontrol_write(struct tool *tool, char *const *words)
{
    struct job_ids ids = { 0 };
    struct err err = { 0 };
    int code;

    if (!words[0] || strcasecmp(words[0], "batch_script") != 0)
        return tool_fail(tool, "invalid entity:%s for keyword:write; there is batch_script",
                         words[0] ? words[0] : "");
    if (!words[1])
        return tool_fail(tool, "too few arguments: expected the number of a job");
    if (words[2] && words[3])
        return tool_fail(tool, "too many arguments: expected write batch_script ID [FILE|-]");
    if (job_ids_read(&ids, words[1], tool->arena, &err) < 0)
        code = tool_fail(tool, "%s", err.text);
    else
        code = write_script(tool, words[1], words[2]);
    job_ids_done(&ids);
    return code;
}
