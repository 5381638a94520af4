/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec.c - runs a command inside a container with the caller's input, output and terminal
 *
 * Two sequences of requests to the agent, with at most one unanswered request each: one starts the command
 * and then reads its output; the other sends input, terminal sizes and signals. Each request is repeated
 * until answered; offsets prevent that data is processed twice. Nothing is read from IN before the agent
 * acknowledged the previous input, so a command that does not read blocks the writer of IN.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <unistd.h>

#include "client/libcreel/client.h"
#include "client/libcreel/control_token.h"
#include "common/base/escaped_text.h"
#include "common/base/file.h"
#include "common/base/mem.h"
#include "common/base/text_print.h"
#include "common/io/loop/loop.h"
#include "common/io/wire/wire.h"

#define KEY_BYTES 16
#define WAIT_MS 2000   /* maximum time that the agent may delay an answer */
#define ANSWER_MS 3000 /* time after WAIT_MS until the request is repeated */
#define RETRY_MS 20    /* pause if there is no connection (yet), or no space */
#define BUSY_MS 500    /* pause if the agent sends no output, since earlier output is not read */
#define LOST_MS 30000  /* silence after which the agent is given up */
#define INPUT_BYTES 32768

enum phase { PHASE_START, PHASE_READ, PHASE_END, PHASE_OVER };

struct request {    /* one sequence of requests */
    uint64_t id;    /* of the unanswered request; 0: none */
    int64_t due_ms; /* time to send or repeat; 0: nothing to send */
};

struct exec {
    struct creel_client *client;
    const struct creel_container *container;
    const struct creel_exec *want;
    struct creel_exec_end *end;
    struct loop *loop;
    struct channel_client *channel;
    ProtobufCBinaryData token; /* owned bytes */
    uint8_t key[KEY_BYTES];
    enum phase phase;
    struct request main, typing;
    uint64_t last_id;
    unsigned losses;
    int timer;
    uint64_t had[2];            /* bytes received of stdout and stderr */
    uint8_t input[INPUT_BYTES]; /* read from IN and not yet acknowledged */
    size_t input_size;
    uint64_t input_offset;
    bool input_end, input_watched, resized;
    int signal_number; /* to be forwarded; 0: none */
    struct {           /* parts in the unanswered request TYPING; later changes are in the next request */
        bool input, end, size, signal;
    } sent;
    bool interrupted; /* a first interrupt was forwarded */
    int64_t last_reply_ms;
    int result;
    struct err err;
};

static void send_due(struct exec *exec);

/* --- the end ------------------------------------------------------------------- */

static void over(struct exec *exec)
{
    exec->phase = PHASE_OVER;
    loop_stop(exec->loop);
}

/* Makes the agent forget the session. RESULT does not depend on the answer. */
static void finish(struct exec *exec, int result)
{
    if (exec->phase >= PHASE_END)
        return;
    exec->result = result;
    exec->phase = PHASE_END;
    exec->main = (struct request){ .due_ms = loop_monotonic_ms() };
    exec->last_reply_ms = loop_monotonic_ms();
}

/* --- requests -------------------------------------------------------------------- */

/* Sets the command of BODY, escaped if an argument is not UTF-8. Texts are in ARENA, or borrowed. */
static void set_command(const struct exec *exec, Creel__StartExec *body, struct arena *arena)
{
    size_t count = 0;
    bool escaped = false;
    char **command;

    for (; exec->want->command[count] != NULL; count++)
        escaped = escaped || escaped_text_is_needed(exec->want->command[count]);
    command = arena_array0(arena, count + 1, sizeof(*command));
    for (size_t i = 0; i < count; i++)
        command[i] = escaped ? escaped_text_make(arena, exec->want->command[i])
                             : (char *)(uintptr_t)exec->want->command[i];
    body->command = body->escaped_command = command;
    body->n_command = escaped ? 0 : count;
    body->n_escaped_command = escaped ? count : 0;
}

static void find_size(const struct exec *exec, uint32_t *rows, uint32_t *columns)
{
    struct winsize size;

    if (exec->want->terminal &&
        ioctl(exec->want->in >= 0 ? exec->want->in : exec->want->out, TIOCGWINSZ, &size) == 0) {
        *rows = size.ws_row;
        *columns = size.ws_col;
    }
}

static bool send_start(struct exec *exec, Creel__Envelope *envelope)
{
    Creel__StartExec body = CREEL__START_EXEC__INIT;
    struct arena *arena = arena_new();
    bool sent;

    body.container_id = (char *)(uintptr_t)exec->container->id;
    body.key = (ProtobufCBinaryData){ KEY_BYTES, exec->key };
    set_command(exec, &body, arena);
    body.terminal = exec->want->terminal;
    find_size(exec, &body.rows, &body.columns);
    if (exec->want->terminal && exec->want->term)
        body.term = (char *)(uintptr_t)exec->want->term;
    envelope->token = exec->token;
    envelope->body_case = CREEL__ENVELOPE__BODY_START_EXEC;
    envelope->start_exec = &body;
    sent = channel_client_send(exec->channel, envelope);
    arena_free(arena);
    return sent;
}

static bool send_read(struct exec *exec, Creel__Envelope *envelope)
{
    Creel__ReadExec body = CREEL__READ_EXEC__INIT;

    body.key = (ProtobufCBinaryData){ KEY_BYTES, exec->key };
    body.out_offset = exec->had[0];
    body.err_offset = exec->had[1];
    body.wait_ms = WAIT_MS;
    envelope->body_case = CREEL__ENVELOPE__BODY_READ_EXEC;
    envelope->read_exec = &body;
    return channel_client_send(exec->channel, envelope);
}

static bool send_end(struct exec *exec, Creel__Envelope *envelope)
{
    Creel__EndExec body = CREEL__END_EXEC__INIT;

    body.key = (ProtobufCBinaryData){ KEY_BYTES, exec->key };
    envelope->body_case = CREEL__ENVELOPE__BODY_END_EXEC;
    envelope->end_exec = &body;
    return channel_client_send(exec->channel, envelope);
}

static bool send_typing(struct exec *exec, Creel__Envelope *envelope)
{
    Creel__WriteExec body = CREEL__WRITE_EXEC__INIT;

    body.key = (ProtobufCBinaryData){ KEY_BYTES, exec->key };
    body.offset = exec->input_offset;
    body.data = (ProtobufCBinaryData){ exec->input_size, exec->input };
    body.end = exec->input_end && !exec->want->terminal;
    body.signal = (uint32_t)exec->signal_number;
    if (exec->resized)
        find_size(exec, &body.rows, &body.columns);
    exec->sent.input = exec->input_size > 0;
    exec->sent.end = exec->input_end;
    exec->sent.size = exec->resized;
    exec->sent.signal = exec->signal_number != 0;
    envelope->body_case = CREEL__ENVELOPE__BODY_WRITE_EXEC;
    envelope->write_exec = &body;
    return channel_client_send(exec->channel, envelope);
}

static void send_one(struct exec *exec, struct request *request,
                     bool (*sender)(struct exec *exec, Creel__Envelope *envelope))
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    int64_t now_ms = loop_monotonic_ms();

    if (request->due_ms == 0 || now_ms < request->due_ms)
        return;
    envelope.request_id = ++exec->last_id;
    if (sender(exec, &envelope)) {
        request->id = envelope.request_id;
        request->due_ms = now_ms + WAIT_MS + ANSWER_MS;
    } else {
        request->due_ms = now_ms + RETRY_MS;
    }
}

static void timer_due(void *context)
{
    struct exec *exec = context;

    exec->timer = 0;
    send_due(exec);
}

/* Ends the session with an error: the agent does not answer. */
static void give_up(struct exec *exec)
{
    struct err why = { 0 };
    bool connected = channel_client_state(exec->channel, &why) == 0;

    if (exec->phase < PHASE_END)
        exec->result = err_set(&exec->err, EHOSTUNREACH, "the agent of node %s does not answer%s%s",
                               exec->container->node_id, connected ? "" : ": ", connected ? "" : why.text);
    over(exec);
}

static int64_t patience_ms(const struct exec *exec)
{
    if (exec->phase == PHASE_END)
        return 1000; /* the agent detects by itself that the client is gone */
    return exec->phase == PHASE_START ? exec->client->timeout_ms : LOST_MS;
}

static void send_due(struct exec *exec)
{
    static bool (*const senders[])(struct exec *, Creel__Envelope *) = {
        [PHASE_START] = send_start,
        [PHASE_READ] = send_read,
        [PHASE_END] = send_end,
    };
    int64_t now_ms = loop_monotonic_ms(), next_ms;
    unsigned losses = channel_client_losses(exec->channel);

    if (exec->phase == PHASE_OVER)
        return;
    client_renew(exec->client, false);
    if (now_ms - exec->last_reply_ms > patience_ms(exec)) {
        give_up(exec);
        return;
    }
    if (losses != exec->losses) { /* requests sent before are lost */
        exec->losses = losses;
        if (exec->main.due_ms != 0)
            exec->main.due_ms = now_ms;
        if (exec->typing.due_ms != 0)
            exec->typing.due_ms = now_ms;
    }
    send_one(exec, &exec->main, senders[exec->phase]);
    if (exec->phase == PHASE_READ)
        send_one(exec, &exec->typing, send_typing);
    next_ms = now_ms + 100;
    if (exec->main.due_ms != 0 && exec->main.due_ms < next_ms)
        next_ms = exec->main.due_ms;
    if (exec->typing.due_ms != 0 && exec->typing.due_ms < next_ms)
        next_ms = exec->typing.due_ms;
    loop_cancel_timer(exec->loop, exec->timer);
    exec->timer = loop_add_timer(exec->loop, next_ms > now_ms ? next_ms - now_ms : 0, timer_due, exec);
}

/* --- input -------------------------------------------------------------------------- */

/* Sends more input: at once, or after the unanswered request. */
static void type_soon(struct exec *exec)
{
    if (exec->phase == PHASE_READ && exec->typing.id == 0)
        exec->typing.due_ms = loop_monotonic_ms();
    send_due(exec);
}

static void on_input(void *context, int fd)
{
    struct exec *exec = context;
    ssize_t got = read(fd, exec->input, sizeof(exec->input));

    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    loop_remove_fd(exec->loop, fd);
    exec->input_watched = false;
    exec->input_size = got > 0 ? (size_t)got : 0;
    exec->input_end = got <= 0;
    type_soon(exec);
}

static void watch_input(struct exec *exec)
{
    struct err err = { 0 };

    if (exec->input_watched || exec->input_end || exec->input_size > 0)
        return;
    exec->input_watched = loop_add_fd(exec->loop, exec->want->in, false, on_input, exec, &err) == 0;
}

/* Handles an acknowledgement of input up to the offset ACCEPTED. Requests that the rest of the input is sent,
 * and the end, size or signal that the acknowledged request did not contain. */
static void on_taken(struct exec *exec, uint64_t accepted)
{
    uint64_t taken = accepted > exec->input_offset ? accepted - exec->input_offset : 0;
    bool slow; /* the command reads slowly */

    exec->typing = (struct request){ .id = 0 };
    if (exec->sent.signal)
        exec->signal_number = 0;
    if (exec->sent.size)
        exec->resized = false;
    if (taken > exec->input_size)
        taken = exec->input_size;
    exec->input_size -= (size_t)taken;
    exec->input_offset += taken;
    memmove(exec->input, exec->input + taken, exec->input_size);
    slow = exec->sent.input && exec->input_size > 0;
    if (exec->input_size > 0 || exec->input_end != exec->sent.end || exec->resized || exec->signal_number)
        exec->typing.due_ms = loop_monotonic_ms() + (slow ? RETRY_MS : 0);
    watch_input(exec);
}

/* --- signals -------------------------------------------------------------------------- */

static void on_signal(void *context, int signal_number)
{
    struct exec *exec = context;
    bool asks = signal_number == SIGINT || signal_number == SIGQUIT;

    if (!asks || exec->interrupted || exec->phase != PHASE_READ) {
        finish(exec, err_set(&exec->err, EINTR, "ended by a signal"));
        send_due(exec);
        return;
    }
    exec->interrupted = true;
    exec->signal_number = signal_number;
    exec->sent.signal = false;
    type_soon(exec);
}

static void on_resize(void *context, int signal_number)
{
    struct exec *exec = context;

    (void)signal_number;
    exec->resized = true;
    exec->sent.size = false; /* the unanswered request has another size */
    type_soon(exec);
}

static int watch_signals(struct exec *exec, struct err *err)
{
    static const int ending[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP };
    int r = 0;

    for (size_t i = 0; i < sizeof(ending) / sizeof(ending[0]) && r == 0; i++)
        r = loop_on_signal(exec->loop, ending[i], on_signal, exec, err);
    if (r == 0 && exec->want->terminal)
        r = loop_on_signal(exec->loop, SIGWINCH, on_resize, exec, err);
    return r;
}

/* --- answers ----------------------------------------------------------------------------- */

/* Writes those of BYTES that were not received before; the first one has OFFSET in the stream. Returns
 * false if the output cannot be written. */
static bool write_output(struct exec *exec, int stream, uint64_t offset, const ProtobufCBinaryData *bytes)
{
    int fd = stream == 0 ? exec->want->out : exec->want->err;
    uint64_t skip = exec->had[stream] - offset;

    if (offset > exec->had[stream] || skip >= bytes->len)
        return true;
    if (file_write(fd, bytes->data + skip, bytes->len - (size_t)skip) < 0)
        return false;
    exec->had[stream] = offset + bytes->len;
    return true;
}

static void on_piece(struct exec *exec, const Creel__ExecPiece *piece)
{
    if (!write_output(exec, 0, piece->out_offset, &piece->out) ||
        !write_output(exec, 1, piece->err_offset, &piece->err)) {
        /* as for a local command whose reader has closed the pipe */
        exec->end->exit_status = 128 + SIGPIPE;
        finish(exec, 0);
        return;
    }
    exec->main = (struct request){ .due_ms = loop_monotonic_ms() };
    if (!piece->ended)
        return;
    exec->end->exit_status = piece->exit_status & 255;
    text_print(exec->end->diagnostics, sizeof(exec->end->diagnostics), "%s", piece->diagnostics);
    finish(exec, 0);
}

static void on_error(struct exec *exec, bool of_main, const Creel__Error *error)
{
    int r;

    if (!of_main)
        return; /* the other sequence gets the same error */
    if (exec->phase == PHASE_END) {
        over(exec);
        return;
    }
    if (exec->phase == PHASE_READ && error->code == CREEL__ERROR_CODE__ERROR_UNAVAILABLE) {
        exec->main = (struct request){ .due_ms = loop_monotonic_ms() + BUSY_MS }; /* the command runs on */
        return;
    }
    r = client_error_from_reply(error, &exec->err);
    if (exec->phase == PHASE_READ && r == -ENOENT)
        r = err_set(&exec->err, ECONNRESET,
                    "the agent of node %s was restarted, and the command "
                    "ended with it",
                    exec->container->node_id);
    finish(exec, r);
    over(exec); /* no session exists that could be ended */
}

static void on_begun(struct exec *exec)
{
    exec->phase = PHASE_READ;
    exec->main = (struct request){ .due_ms = loop_monotonic_ms() };
    exec->resized = exec->want->terminal;
    if (exec->want->in >= 0)
        watch_input(exec);
    else
        exec->input_end = true;
    if (exec->input_end || exec->resized)
        exec->typing.due_ms = loop_monotonic_ms();
}

static void on_message(void *context, const Creel__Envelope *envelope)
{
    struct exec *exec = context;
    bool of_main = envelope->request_id == exec->main.id;

    if (envelope->request_id == 0 || exec->phase == PHASE_OVER ||
        (!of_main && envelope->request_id != exec->typing.id))
        return;
    exec->last_reply_ms = loop_monotonic_ms();
    switch (envelope->body_case) {
    case CREEL__ENVELOPE__BODY_ERROR:
        on_error(exec, of_main, envelope->error);
        break;
    case CREEL__ENVELOPE__BODY_WRITE_EXEC_REPLY:
        on_taken(exec, envelope->write_exec_reply->accepted);
        break;
    case CREEL__ENVELOPE__BODY_EXEC_PIECE:
        if (exec->phase == PHASE_READ)
            on_piece(exec, envelope->exec_piece);
        break;
    case CREEL__ENVELOPE__BODY_OK:
        if (exec->phase == PHASE_START)
            on_begun(exec);
        else if (exec->phase == PHASE_END)
            over(exec);
        break;
    default:
        break;
    }
    send_due(exec);
}

/* --- the public function -------------------------------------------------------------------- */

static int run(struct exec *exec)
{
    int r = control_token(exec->client, exec->container->app_id, exec->container->node_id, &exec->token,
                          &exec->err);

    if (r == 0 && getrandom(exec->key, sizeof(exec->key), 0) != (ssize_t)sizeof(exec->key))
        r = err_set_errno(&exec->err, errno, "cannot get random bytes");
    if (r == 0)
        r = loop_new(&exec->loop, &exec->err);
    if (r == 0)
        r = watch_signals(exec, &exec->err);
    if (r == 0)
        r = channel_client_new(exec->loop, exec->container->node_address, exec->container->node_key,
                               &exec->client->own, on_message, exec, &exec->channel, &exec->err);
    if (r < 0)
        return r;
    exec->last_reply_ms = exec->main.due_ms = loop_monotonic_ms();
    exec->losses = channel_client_losses(exec->channel);
    send_due(exec);
    loop_run(exec->loop);
    return exec->result;
}

/* An escaped byte, which is not UTF-8, has four bytes in a message. */
static int judge_argument(const char *argument, size_t number, struct err *err)
{
    struct arena *arena = arena_new();
    size_t bytes = strlen(escaped_text_is_needed(argument) ? escaped_text_make(arena, argument) : argument);

    arena_free(arena);
    if (bytes <= WIRE_ARGUMENT_BYTES_MAX)
        return 0;
    return err_set(
        err, EFBIG,
        "argument %zu (the command is argument 0) has %zu bytes, at most %d are allowed: put it into a "
        "file",
        number, bytes, WIRE_ARGUMENT_BYTES_MAX);
}

CREEL_EXPORT
int creel_container_exec(struct creel_client *client, const struct creel_container *container,
                         const struct creel_exec *want, struct creel_exec_end *end, struct creel_error *error)
{
    struct exec *exec = mem_new0(struct exec);
    struct err err = { 0 };
    int r = control_reachable(container, &err);

    exec->client = client;
    exec->container = container;
    exec->want = want;
    exec->end = end;
    *end = (struct creel_exec_end){ .exit_status = 0 };
    if (r == 0 && (want->command == NULL || want->command[0] == NULL || !*want->command[0]))
        r = err_set(&err, EINVAL, "there is no command");
    for (size_t i = 0; r == 0 && want->command[i]; i++)
        r = judge_argument(want->command[i], i, &err);
    if (r == 0) {
        r = run(exec);
        err = exec->err;
    }
    if (exec->input_watched)
        loop_remove_fd(exec->loop, want->in);
    channel_client_free(exec->channel);
    loop_free(exec->loop);
    free(exec->token.data);
    free(exec);
    return client_set_error(error, &err, r);
}
