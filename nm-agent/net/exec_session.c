/* SPDX-License-Identifier: Apache-2.0 */
/* exec_session.c - moves input and output of one command inside a container, and reports its exit */
#include "nm-agent/net/exec_session.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/mem.h"

#define LOST_STATUS 125 /* exit status if the real one is unknown */

struct exec_session {
    struct exec_process process;
    int epoll_fd;
    struct exec_output outputs[2];
    uint8_t *input; /* owned; NULL: no input is stored */
    size_t input_size;
    uint64_t input_taken; /* total bytes accepted */
    bool on_terminal;
    bool input_end;   /* the stored input is the last */
    bool began, over; /* as reported by the shim; OVER also if the shim has ended */
    int status;
    char diagnostics[512];
};

static void drop(int *fd)
{
    mem_close_fd(fd);
    *fd = -1;
}

/* --- watched descriptors ----------------------------------------------------- */

static void watch(const struct exec_session *session, int fd, uint32_t events)
{
    struct epoll_event event = { .events = events, .data.fd = fd };

    if (fd < 0)
        return;
    /* A descriptor without wanted events is removed from the set: otherwise a hang-up would be reported all
     * the time. */
    if (events == 0)
        epoll_ctl(session->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
    else if (epoll_ctl(session->epoll_fd, EPOLL_CTL_MOD, fd, &event) != 0)
        epoll_ctl(session->epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

static int *stream_fd(struct exec_session *session, int stream)
{
    return stream == 0 ? &session->process.out : &session->process.err;
}

static void watch_all(struct exec_session *session)
{
    for (int stream = 0; stream < 2; stream++)
        watch(session, *stream_fd(session, stream),
              session->outputs[stream].size < EXEC_OUTPUT_MAX ? EPOLLIN : 0);
    watch(session, session->process.in, session->input_size > 0 ? EPOLLOUT : 0);
    watch(session, session->process.control, EPOLLIN);
}

struct exec_session *exec_session_new(struct exec_process *process)
{
    struct exec_session *session = mem_new0(struct exec_session);

    session->process = *process;
    *process = (struct exec_process){ -1, -1, -1, -1, 0 };
    session->on_terminal = session->outputs[1].closed = session->process.err < 0;
    session->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    watch_all(session);
    return session;
}

pid_t exec_session_free(struct exec_session *session)
{
    pid_t shim = session->process.shim;

    mem_close_fd(&session->epoll_fd);
    exec_close(&session->process);
    free(session->outputs[0].data);
    free(session->outputs[1].data);
    free(session->input);
    free(session);
    return shim;
}

int exec_session_fd(const struct exec_session *session)
{
    return session->epoll_fd;
}

/* --- its output ------------------------------------------------------------- */

static void close_output(struct exec_session *session, int stream)
{
    watch(session, *stream_fd(session, stream), 0);
    drop(stream_fd(session, stream));
    session->outputs[stream].closed = true;
}

static void pump_output(struct exec_session *session, int stream)
{
    struct exec_output *output = &session->outputs[stream];
    int fd = *stream_fd(session, stream);
    ssize_t got = 1;

    if (output->closed)
        return;
    if (output->data == NULL)
        output->data = mem_alloc(EXEC_OUTPUT_MAX);
    while (got > 0 && output->size < EXEC_OUTPUT_MAX) {
        got = read(fd, output->data + output->size, EXEC_OUTPUT_MAX - output->size);
        if (got > 0)
            output->size += (size_t)got;
        else if (got < 0 && errno == EINTR)
            got = 1;
    }
    /* When the command has ended, all its output is in the pipe. A process that still has the pipe open was
     * left by the command. A terminal that no process has open returns EIO. */
    if (output->size < EXEC_OUTPUT_MAX && (got == 0 || (got < 0 && errno != EAGAIN) || session->over))
        close_output(session, stream);
}

static void pump_input(struct exec_session *session)
{
    ssize_t put = 1;

    while (session->input_size > 0 && put > 0 && session->process.in >= 0) {
        put = write(session->process.in, session->input, session->input_size);
        if (put > 0) {
            session->input_size -= (size_t)put;
            memmove(session->input, session->input + put, session->input_size);
        } else if (put < 0 && errno != EAGAIN && errno != EINTR) {
            session->input_size = 0; /* the command has closed its input */
            session->input_end = true;
        }
    }
    /* A terminal cannot be closed for input: Ctrl-D marks the end. */
    if (session->input_size == 0 && session->input_end && !session->on_terminal) {
        watch(session, session->process.in, 0);
        drop(&session->process.in);
    }
}

static void pump_control(struct exec_session *session)
{
    struct exec_message message;
    ssize_t got = recv(session->process.control, &message, sizeof(message), MSG_DONTWAIT);

    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got == (ssize_t)sizeof(message) && message.kind == EXEC_STARTED) {
        session->began = true;
        return;
    }
    session->began = session->over = true;
    session->status = LOST_STATUS;
    if (got == (ssize_t)sizeof(message)) {
        message.diagnostics[sizeof(message.diagnostics) - 1] = '\0';
        session->status = message.status;
        memcpy(session->diagnostics, message.diagnostics, sizeof(session->diagnostics));
    } else {
        snprintf(session->diagnostics, sizeof(session->diagnostics),
                 "how it ended is not known: its shim was killed");
    }
    watch(session, session->process.control, 0);
    drop(&session->process.control);
}

void exec_session_pump(struct exec_session *session)
{
    if (session->process.control >= 0)
        pump_control(session);
    for (int stream = 0; stream < 2; stream++)
        pump_output(session, stream);
    pump_input(session);
    watch_all(session);
}

/* --- functions of the interface ------------------------------------------------- */

const struct exec_output *exec_session_output(const struct exec_session *session, int stream)
{
    return &session->outputs[stream];
}

bool exec_session_had(struct exec_session *session, int stream, uint64_t offset)
{
    struct exec_output *output = &session->outputs[stream];
    size_t had;

    if (offset > output->offset + output->size)
        return false;
    if (offset <= output->offset)
        return true;
    had = (size_t)(offset - output->offset);
    output->size -= had;
    output->offset = offset;
    memmove(output->data, output->data + had, output->size);
    exec_session_pump(session);
    return true;
}

uint64_t exec_session_write(struct exec_session *session, uint64_t offset, const void *data, size_t size,
                            bool end)
{
    uint64_t skip = session->input_taken - offset;
    size_t room = EXEC_INPUT_MAX - session->input_size, count;

    if (offset > session->input_taken || skip > size)
        return session->input_taken;
    count = size - (size_t)skip;
    if (count > room) {
        count = room;
        end = false;
    }
    if (session->input_end) /* the command has closed its input: accept and discard */
        count = 0, session->input_taken += size - skip;
    if (count > 0) {
        if (session->input == NULL)
            session->input = mem_alloc(EXEC_INPUT_MAX);
        memcpy(session->input + session->input_size, (const uint8_t *)data + skip, count);
        session->input_size += count;
        session->input_taken += count;
    }
    session->input_end = session->input_end || end;
    exec_session_pump(session);
    return session->input_taken;
}

void exec_session_resize(struct exec_session *session, unsigned rows, unsigned columns)
{
    exec_resize(&session->process, rows, columns);
}

void exec_session_signal(struct exec_session *session, int signal_number)
{
    if (session->process.control >= 0)
        (void)send(session->process.control, &signal_number, sizeof(signal_number),
                   MSG_NOSIGNAL | MSG_DONTWAIT);
}

bool exec_session_began(const struct exec_session *session)
{
    return session->began;
}

bool exec_session_ended(const struct exec_session *session, int *status, const char **diagnostics)
{
    *status = session->status;
    *diagnostics = session->diagnostics;
    return session->over && session->outputs[0].closed && session->outputs[1].closed;
}
