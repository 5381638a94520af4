/* SPDX-License-Identifier: Apache-2.0 */
/* exec_service.c - handles signals to containers, and commands inside containers, requested by users */
#include "nm-agent/net/exec_service.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/wait.h>

#include "common/base/escaped_text.h"
#include "common/base/mem.h"
#include "common/base/shares.h"
#include "nm-agent/net/daemon.h"
#include "nm-agent/net/exec_session.h"

#define KEY_BYTES 16
#define TICK_MS 500
#define SHOWN_MAX 200 /* bytes of a command in the agent's log */

/* A client that waits for a reply. */
struct asker {
    uint64_t connection, request_id; /* REQUEST_ID 0: no client waits */
};

struct entry {
    struct exec_service *service;
    uint8_t key[KEY_BYTES];
    char container_id[ID_TEXT_MAX];
    char *user; /* owned; who runs the command */
    struct exec_session *session;
    struct asker starter, reader;
    int64_t until_ms;        /* deadline of the reply to the reader */
    int64_t last_message_ms; /* time of the last message of the owner's client */
    LIST_ENTRY(entry) link;
};

struct shim { /* a child that ends with the processes of its command, and must be reaped */
    pid_t pid;
    char *user; /* owned; the command counts as one of this user until then */
    LIST_ENTRY(shim) link;
};

struct exec_service {
    struct daemon *daemon;
    LIST_HEAD(, entry) entries;
    LIST_HEAD(, shim) shims;
    int timer; /* 0: no sessions or shims to check */
    struct log_limit refusals, without_place;
};

static void tick(void *context);

struct exec_service *exec_service_new(struct daemon *daemon)
{
    struct exec_service *service = mem_new0(struct exec_service);

    service->daemon = daemon;
    LIST_INIT(&service->entries);
    LIST_INIT(&service->shims);
    return service;
}

static void forget(struct entry *entry)
{
    struct exec_service *service = entry->service;
    struct shim *shim = mem_new0(struct shim);

    loop_remove_fd(service->daemon->loop, exec_session_fd(entry->session));
    shim->pid = exec_session_free(entry->session);
    shim->user = entry->user;
    LIST_INSERT_HEAD(&service->shims, shim, link);
    LIST_REMOVE(entry, link);
    free(entry);
}

static void forget_shim(struct exec_service *service, struct shim *shim)
{
    LIST_REMOVE(shim, link);
    shares_remove(service->daemon->exec_places, shim->user);
    free(shim->user);
    free(shim);
}

static void reap(struct exec_service *service)
{
    struct shim *shim, *next;

    for (shim = LIST_FIRST(&service->shims); shim != NULL; shim = next) {
        next = LIST_NEXT(shim, link);
        if (waitpid(shim->pid, NULL, WNOHANG) == 0)
            continue;
        forget_shim(service, shim);
    }
}

void exec_service_free(struct exec_service *service)
{
    struct shim *shim;

    if (service == NULL)
        return;
    while (!LIST_EMPTY(&service->entries))
        forget(LIST_FIRST(&service->entries));
    reap(service);
    while ((shim = LIST_FIRST(&service->shims)) != NULL)
        forget_shim(service, shim);
    loop_cancel_timer(service->daemon->loop, service->timer);
    free(service);
}

/* --- replies ------------------------------------------------------------------ */

static void send_ok(struct daemon *daemon, const struct asker *asker)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__Ok ok = CREEL__OK__INIT;

    envelope.request_id = asker->request_id;
    envelope.body_case = CREEL__ENVELOPE__BODY_OK;
    envelope.ok = &ok;
    channel_server_send(daemon->server, asker->connection, &envelope);
}

/* Sends the available output to the reader. Without output it replies only if NOW, or if the command has
 * ended. */
static void answer_reader(struct entry *entry, bool now)
{
    const struct exec_output *out = exec_session_output(entry->session, 0);
    const struct exec_output *err = exec_session_output(entry->session, 1);
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__ExecPiece piece = CREEL__EXEC_PIECE__INIT;
    const char *diagnostics;
    int status;

    piece.ended = exec_session_ended(entry->session, &status, &diagnostics);
    if (entry->reader.request_id == 0 || (!now && !piece.ended && out->size == 0 && err->size == 0))
        return;
    piece.out_offset = out->offset;
    piece.out = (ProtobufCBinaryData){ .len = out->size, .data = out->data };
    piece.err_offset = err->offset;
    piece.err = (ProtobufCBinaryData){ .len = err->size, .data = err->data };
    if (piece.ended) {
        piece.exit_status = status;
        piece.diagnostics = (char *)(uintptr_t)diagnostics;
    }
    envelope.request_id = entry->reader.request_id;
    envelope.body_case = CREEL__ENVELOPE__BODY_EXEC_PIECE;
    envelope.exec_piece = &piece;
    channel_server_send(entry->service->daemon->server, entry->reader.connection, &envelope);
    entry->reader.request_id = 0;
}

static void answer(struct entry *entry)
{
    if (entry->starter.request_id != 0 && exec_session_began(entry->session)) {
        send_ok(entry->service->daemon, &entry->starter);
        entry->starter.request_id = 0;
    }
    answer_reader(entry, false);
}

static void on_ready(void *context, int fd)
{
    struct entry *entry = context;

    (void)fd;
    exec_session_pump(entry->session);
    answer(entry);
}

/* --- timer -------------------------------------------------------------------- */

static void start_timer(struct exec_service *service)
{
    if (service->timer == 0)
        service->timer = loop_add_timer(service->daemon->loop, TICK_MS, tick, service);
}

static void tick(void *context)
{
    struct exec_service *service = context;
    int64_t now_ms = loop_monotonic_ms();
    struct entry *entry, *next;

    service->timer = 0;
    for (entry = LIST_FIRST(&service->entries); entry != NULL; entry = next) {
        next = LIST_NEXT(entry, link);
        if (entry->reader.request_id != 0 && now_ms >= entry->until_ms)
            answer_reader(entry, true);
        if (now_ms - entry->last_message_ms > EXEC_SILENCE_MS) {
            log_line(LOG_LEVEL_INFO,
                     "container %s: the client of a command in it is gone, so the "
                     "command ends",
                     entry->container_id);
            forget(entry);
        }
    }
    reap(service);
    if (!LIST_EMPTY(&service->entries) || !LIST_EMPTY(&service->shims))
        start_timer(service);
}

/* --- starting ----------------------------------------------------------------- */

static struct entry *find(struct exec_service *service, const ProtobufCBinaryData *key)
{
    struct entry *entry;

    LIST_FOREACH(entry, &service->entries, link)
        if (key->len == KEY_BYTES && memcmp(entry->key, key->data, KEY_BYTES) == 0)
            break;
    if (entry != NULL)
        entry->last_message_ms = loop_monotonic_ms();
    return entry;
}

/* Returns the arguments of BODY, in ARENA; ends with NULL. */
static const char **arguments_of(const Creel__StartExec *body, struct arena *arena)
{
    bool escaped = body->n_escaped_command > 0;
    size_t count = escaped ? body->n_escaped_command : body->n_command;
    const char **arguments = arena_array0(arena, count + 1, sizeof(*arguments));

    for (size_t i = 0; i < count; i++) {
        char *argument = arena_strdup(arena, escaped ? body->escaped_command[i] : body->command[i]);

        if (escaped)
            escaped_text_restore(argument);
        arguments[i] = argument;
    }
    return arguments;
}

/* -EINVAL: BODY has no command, or texts that are no escaped ones. */
static int judge_command(const Creel__StartExec *body, struct err *err)
{
    const char *first = body->n_escaped_command > 0 ? body->escaped_command[0]
                        : body->n_command > 0       ? body->command[0]
                                                    : "";

    if (*first == '\0')
        return err_set(err, EINVAL, "the command is empty");
    for (size_t i = 0; i < body->n_escaped_command; i++)
        if (!escaped_text_is_valid(body->escaped_command[i]))
            return err_set(err, EINVAL, "argument %zu is not escaped as it should be", i);
    return 0;
}

/* Starts the command in the container, with the parameters of the container's launch. Returns an error if the
 * container does not run. */
static int start_process(struct daemon *daemon, const Creel__StartExec *body, struct exec_process *process,
                         struct err *err)
{
    const struct launch *found =
        agent_container_launch(daemon->agent, daemon_now(), body->container_id, &daemon->effects);
    struct exec_terminal terminal = { body->rows, body->columns, body->term };
    struct arena *arena;
    struct launch launch;
    int r;

    if (found == NULL)
        return err_set(err, ESRCH, "container %s %s", body->container_id,
                       agent_container_state(daemon->agent, body->container_id) ==
                               CREEL__CONTAINER_STATE__CONTAINER_STOPPING
                           ? "is being stopped"
                           : "does not run");
    arena = arena_new();
    launch = *found;
    launch.argv = arguments_of(body, arena);
    r = runtime_exec(daemon->runtime, &launch, body->terminal ? &terminal : NULL, process, err);
    arena_free(arena);
    return r;
}

static void note_start(const struct daemon *daemon, const char *user, const Creel__StartExec *body)
{
    struct log_about about = { .container_id = body->container_id, .node = daemon->node_id };
    char *const *arguments = body->n_escaped_command > 0 ? body->escaped_command : body->command;
    size_t count = body->n_escaped_command > 0 ? body->n_escaped_command : body->n_command, used = 0;
    char text[SHOWN_MAX] = "";

    for (size_t i = 0; i < count && used < sizeof(text) - 1; i++) {
        int length = snprintf(text + used, sizeof(text) - used, "%s%s", i ? " " : "", arguments[i]);

        used += length > 0 ? (size_t)length : 0;
    }
    log_about(&about, LOG_LEVEL_INFO, "container %s: user %s runs a command in it: %s", body->container_id,
              user, text);
}

/* Writes the audit line of a signal or of the start of a command. USER: the user of the token; NULL: the
 * token is refused. */
static void audit(struct exec_service *service, const struct peer *peer, const Creel__Envelope *envelope,
                  const char *user, const char *refusal)
{
    bool is_signal = envelope->body_case == CREEL__ENVELOPE__BODY_SIGNAL_CONTAINER;
    const char *container =
        is_signal ? envelope->signal_container->container_id : envelope->start_exec->container_id;
    char app[ID_TEXT_MAX] = "", more[LOG_MORE_MAX] = "";
    scoped_free char *reason = NULL;
    struct container_id id;

    if (refusal != NULL && !log_limit_pass(&service->refusals, more))
        return;
    if (container_id_parse(container, &id))
        app_id_format(&id.attempt.app, app);
    reason = refusal != NULL ? mem_printf("%s%s", refusal, more) : mem_strdup("");
    log_audit(&(struct log_audit){
        .user = user != NULL ? user : "unknown",
        .ip = peer->address,
        .operation = is_signal ? "Signal Container Request" : "Run Command Request",
        .target = container,
        .success = refusal == NULL,
        .description = reason,
        .app_id = app,
    });
}

static void refuse(struct exec_service *service, const struct peer *peer, const Creel__Envelope *envelope,
                   Creel__ErrorCode code, const char *text)
{
    channel_server_refuse(service->daemon->server, peer->connection, envelope->request_id, code, "%s", text);
}

/* Refuses a request; the error code is NOT_FOUND for an unknown container, else BAD_STATE. */
static void refuse_state(struct exec_service *service, const struct peer *peer,
                         const Creel__Envelope *envelope, const char *container_id, const char *text)
{
    bool known = agent_container_state(service->daemon->agent, container_id) !=
                 CREEL__CONTAINER_STATE__CONTAINER_UNKNOWN;

    refuse(service, peer, envelope,
           known ? CREEL__ERROR_CODE__ERROR_BAD_STATE : CREEL__ERROR_CODE__ERROR_NOT_FOUND, text);
}

/* Returns whether USER may run one more command. If not, refuses the request. */
static bool has_place(struct exec_service *service, const struct peer *peer, const Creel__Envelope *envelope,
                      const char *user)
{
    struct log_about about = { .container_id = envelope->start_exec->container_id,
                               .node = service->daemon->node_id };
    enum shares_room room = shares_room(service->daemon->exec_places, user);
    char reason[256], more[LOG_MORE_MAX];

    if (room == SHARES_FREE)
        return true;
    if (room == SHARES_OWNER_FULL)
        snprintf(reason, sizeof(reason),
                 "user %.64s runs %d commands inside containers of this node, the most for one user: end one "
                 "of them, or try again when one has ended",
                 user, EXEC_SESSIONS_OF_USER_MAX);
    else
        snprintf(reason, sizeof(reason),
                 "%d commands run inside containers of this node, the most at the same time: try again when "
                 "one has ended",
                 EXEC_SESSIONS_MAX);
    shares_count_refused(service->daemon->exec_places, room);
    if (log_limit_pass(&service->without_place, more))
        log_about(&about, LOG_LEVEL_WARN, "container %s: a command of user %s is refused: %s%s",
                  envelope->start_exec->container_id, user, reason, more);
    refuse(service, peer, envelope, CREEL__ERROR_CODE__ERROR_UNAVAILABLE, reason);
    return false;
}

/* Takes ownership of USER. */
static void add_entry(struct exec_service *service, const struct peer *peer, const Creel__Envelope *envelope,
                      struct exec_process *process, char *user)
{
    struct entry *entry = mem_new0(struct entry);
    struct err err = { 0 };

    entry->service = service;
    memcpy(entry->key, envelope->start_exec->key.data, KEY_BYTES);
    snprintf(entry->container_id, sizeof(entry->container_id), "%s", envelope->start_exec->container_id);
    entry->session = exec_session_new(process);
    entry->starter = (struct asker){ peer->connection, envelope->request_id };
    entry->last_message_ms = loop_monotonic_ms();
    entry->user = user;
    LIST_INSERT_HEAD(&service->entries, entry, link);
    shares_add(service->daemon->exec_places, user);
    start_timer(service);
    if (loop_add_fd(service->daemon->loop, exec_session_fd(entry->session), false, on_ready, entry, &err) <
        0) {
        refuse(service, peer, envelope, CREEL__ERROR_CODE__ERROR_UNAVAILABLE, err.text);
        forget(entry);
    }
}

static void on_start(struct exec_service *service, const struct peer *peer, const Creel__Envelope *envelope)
{
    const Creel__StartExec *body = envelope->start_exec;
    struct entry *entry = find(service, &body->key);
    struct exec_process process;
    scoped_free char *user = NULL;
    struct err err = { 0 };
    int r;

    if (entry != NULL) { /* a repeated request: the reply was lost, or is still pending */
        entry->starter = (struct asker){ peer->connection, envelope->request_id };
        answer(entry);
        return;
    }
    r = log_service_judge(service->daemon, envelope, body->container_id, true, &user, &err);
    if (r < 0) {
        audit(service, peer, envelope, NULL, err.text);
        log_service_refuse(service->daemon, peer, envelope, r, &err);
        return;
    }
    if (judge_command(body, &err) < 0) {
        audit(service, peer, envelope, user, err.text);
        refuse(service, peer, envelope, CREEL__ERROR_CODE__ERROR_BAD_REQUEST, err.text);
        return;
    }
    if (!has_place(service, peer, envelope, user))
        return;
    r = start_process(service->daemon, body, &process, &err);
    audit(service, peer, envelope, user, r < 0 ? err.text : NULL);
    if (r == -ESRCH) {
        refuse_state(service, peer, envelope, body->container_id, err.text);
        return;
    }
    if (r < 0) {
        refuse(service, peer, envelope, wire_error_from_errno(r), err.text);
        return;
    }
    note_start(service->daemon, user, body);
    add_entry(service, peer, envelope, &process, user);
    user = NULL;
}

/* --- input and output ------------------------------------------------------------ */

static void on_read(struct exec_service *service, struct entry *entry, const struct peer *peer,
                    const Creel__Envelope *envelope)
{
    const Creel__ReadExec *body = envelope->read_exec;
    uint32_t wait_ms = body->wait_ms < EXEC_WAIT_MAX_MS ? body->wait_ms : EXEC_WAIT_MAX_MS;

    if (!exec_session_had(entry->session, 0, body->out_offset) ||
        !exec_session_had(entry->session, 1, body->err_offset)) {
        refuse(service, peer, envelope, CREEL__ERROR_CODE__ERROR_BAD_REQUEST, "more than it ever wrote");
        return;
    }
    entry->reader = (struct asker){ peer->connection, envelope->request_id };
    entry->until_ms = loop_monotonic_ms() + wait_ms;
    answer_reader(entry, wait_ms == 0);
}

static void on_write(struct exec_service *service, struct entry *entry, const struct peer *peer,
                     const Creel__Envelope *envelope)
{
    const Creel__WriteExec *body = envelope->write_exec;
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__WriteExecReply accepted = CREEL__WRITE_EXEC_REPLY__INIT;

    if (body->rows > 0 && body->columns > 0)
        exec_session_resize(entry->session, body->rows, body->columns);
    if (body->signal > 0)
        exec_session_signal(entry->session, (int)body->signal);
    accepted.accepted =
        exec_session_write(entry->session, body->offset, body->data.data, body->data.len, body->end);
    reply.request_id = envelope->request_id;
    reply.body_case = CREEL__ENVELOPE__BODY_WRITE_EXEC_REPLY;
    reply.write_exec_reply = &accepted;
    channel_server_send(service->daemon->server, peer->connection, &reply);
    answer(entry);
}

/* --- signals ---------------------------------------------------------------------- */

static void on_signal(struct exec_service *service, const struct peer *peer, const Creel__Envelope *envelope)
{
    static const enum runtime_scope scopes[] = {
        [CREEL__SIGNAL_SCOPE__SIGNAL_GROUP] = RUNTIME_SIGNAL_GROUP,
        [CREEL__SIGNAL_SCOPE__SIGNAL_MAIN] = RUNTIME_SIGNAL_MAIN,
        [CREEL__SIGNAL_SCOPE__SIGNAL_ALL] = RUNTIME_SIGNAL_ALL,
        [CREEL__SIGNAL_SCOPE__SIGNAL_OTHERS] = RUNTIME_SIGNAL_OTHERS,
        [CREEL__SIGNAL_SCOPE__SIGNAL_STEPS] = RUNTIME_SIGNAL_STEPS,
    };
    const Creel__SignalContainer *body = envelope->signal_container;
    struct asker asker = { peer->connection, envelope->request_id };
    struct log_about about = { .container_id = body->container_id, .node = service->daemon->node_id };
    size_t scope = (size_t)body->scope < sizeof(scopes) / sizeof(*scopes) ? (size_t)body->scope : 0;
    scoped_free char *user = NULL;
    struct err err = { 0 };
    int r = log_service_judge(service->daemon, envelope, body->container_id, true, &user, &err);

    if (r < 0) {
        audit(service, peer, envelope, NULL, err.text);
        log_service_refuse(service->daemon, peer, envelope, r, &err);
        return;
    }
    r = runtime_signal(service->daemon->runtime, body->container_id, scopes[scope], (int)body->signal, &err);
    audit(service, peer, envelope, user, r < 0 ? err.text : NULL);
    if (r == -ESRCH) {
        refuse_state(service, peer, envelope, body->container_id, err.text);
        return;
    }
    if (r < 0) {
        refuse(service, peer, envelope, CREEL__ERROR_CODE__ERROR_BAD_REQUEST, err.text);
        return;
    }
    log_about(&about, LOG_LEVEL_INFO, "container %s: user %s sent it signal %u", body->container_id, user,
              body->signal);
    send_ok(service->daemon, &asker);
}

/* --- dispatch ----------------------------------------------------------------------- */

static void on_end(struct exec_service *service, struct entry *entry, const struct peer *peer,
                   const Creel__Envelope *envelope)
{
    struct asker asker = { peer->connection, envelope->request_id };

    if (entry != NULL)
        forget(entry);
    start_timer(service);
    send_ok(service->daemon, &asker);
}

void exec_service_receive(struct exec_service *service, const struct peer *peer,
                          const Creel__Envelope *envelope)
{
    static const char unknown[] = "no such command runs here (any more)";
    struct entry *entry;

    switch (envelope->body_case) {
    case CREEL__ENVELOPE__BODY_SIGNAL_CONTAINER:
        on_signal(service, peer, envelope);
        return;
    case CREEL__ENVELOPE__BODY_START_EXEC:
        on_start(service, peer, envelope);
        return;
    case CREEL__ENVELOPE__BODY_END_EXEC:
        on_end(service, find(service, &envelope->end_exec->key), peer, envelope);
        return;
    case CREEL__ENVELOPE__BODY_WRITE_EXEC:
        entry = find(service, &envelope->write_exec->key);
        if (entry != NULL)
            on_write(service, entry, peer, envelope);
        else
            refuse(service, peer, envelope, CREEL__ERROR_CODE__ERROR_NOT_FOUND, unknown);
        return;
    default:
        entry = find(service, &envelope->read_exec->key);
        if (entry != NULL)
            on_read(service, entry, peer, envelope);
        else
            refuse(service, peer, envelope, CREEL__ERROR_CODE__ERROR_NOT_FOUND, unknown);
    }
}
