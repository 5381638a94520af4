/* SPDX-License-Identifier: Apache-2.0 */
/* input_pipes.c - copies of standard input, one pipe for each task */
#include "client/cli/run/input_pipes.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/mem.h"

#define CHUNK_BYTES 32768

static void close_all(int *ends, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (ends[i] >= 0)
            close(ends[i]);
        ends[i] = -1;
    }
}

/* Copies standard input to all pipes until its end, or until no process reads them any more. */
static void fill(int *write_ends, uint32_t count)
{
    static char bytes[CHUNK_BYTES];
    uint32_t open_count = count;
    ssize_t got;

    while (open_count > 0) {
        got = read(STDIN_FILENO, bytes, sizeof(bytes));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return;
        for (uint32_t i = 0; i < count; i++) {
            if (write_ends[i] < 0 || file_write(write_ends[i], bytes, (size_t)got) == 0)
                continue;
            close(write_ends[i]);
            write_ends[i] = -1;
            open_count--;
        }
    }
}

static int make_pipes(int *read_ends, int *write_ends, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        read_ends[i] = write_ends[i] = -1;
    for (uint32_t i = 0; i < count; i++) {
        int ends[2];

        if (pipe2(ends, O_CLOEXEC) < 0)
            return -errno;
        read_ends[i] = ends[0];
        write_ends[i] = ends[1];
    }
    return 0;
}

static _Noreturn void be_filler(int *read_ends, int *write_ends, uint32_t count)
{
    sigset_t end;

    prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
    sigemptyset(&end);
    sigaddset(&end, SIGTERM);
    sigprocmask(SIG_UNBLOCK, &end, NULL);
    signal(SIGPIPE, SIG_IGN);
    close_all(read_ends, count);
    fill(write_ends, count);
    _exit(EXIT_SUCCESS);
}

/* Keys of the terminal are for the tasks: they may go on, and read more. */
static void block_terminal(sigset_t *before)
{
    sigset_t keys;

    sigemptyset(&keys);
    sigaddset(&keys, SIGINT);
    sigaddset(&keys, SIGQUIT);
    sigprocmask(SIG_BLOCK, &keys, before);
}

pid_t input_pipes_start(int *read_ends, uint32_t count)
{
    scoped_free int *write_ends = mem_array0(count, sizeof(*write_ends));
    pid_t filler = make_pipes(read_ends, write_ends, count);
    sigset_t before;

    if (filler == 0) {
        block_terminal(&before);
        filler = fork();
        if (filler == 0)
            be_filler(read_ends, write_ends, count);
        if (filler < 0)
            filler = -errno;
        sigprocmask(SIG_SETMASK, &before, NULL);
    }
    close_all(write_ends, count);
    if (filler < 0)
        close_all(read_ends, count);
    return filler;
}

void input_pipes_end(pid_t filler)
{
    if (filler <= 0)
        return;
    kill(filler, SIGTERM);
    while (waitpid(filler, NULL, 0) < 0 && errno == EINTR)
        ;
}
