/* SPDX-License-Identifier: Apache-2.0 */
/* step_process.c - recognizes the processes of the steps of srun */
#include "nm-agent/linux/parts/step_process.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"

#define MARK "SLURM_STEP_ID="
#define MARK_LENGTH (sizeof(MARK) - 1)

/* Finds MARK at the start of a variable, in pieces of any size. */
struct search {
    size_t matched; /* bytes of MARK */
    bool skips;     /* to the end of a variable that is another */
};

static bool search_in(struct search *search, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] == '\0') {
            *search = (struct search){ 0 };
        } else if (search->skips || bytes[i] != MARK[search->matched]) {
            search->skips = true;
        } else if (++search->matched == MARK_LENGTH) {
            return true;
        }
    }
    return false;
}

bool step_process_is(pid_t pid, size_t *bytes)
{
    struct search search = { 0 };
    char path[40], piece[16384];
    bool found = false;
    ssize_t size;

    snprintf(path, sizeof(path), "/proc/%ld/environ", (long)pid);
    scoped_fd int fd = open(path, O_RDONLY | O_CLOEXEC);

    while (fd >= 0 && !found && *bytes > 0 && (size = read(fd, piece, sizeof(piece))) > 0) {
        found = search_in(&search, piece, (size_t)size);
        *bytes -= (size_t)size < *bytes ? (size_t)size : *bytes;
    }
    return found;
}
