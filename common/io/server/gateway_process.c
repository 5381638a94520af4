/* SPDX-License-Identifier: Apache-2.0 */
/* gateway_process.c - starts one gateway process of a daemon, and restarts the process when it ends */
#include "common/io/server/gateway_process.h"

#include <errno.h>
#include <poll.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "common/base/mem.h"
#include "common/io/loop/log.h"
#include "common/io/server/gateway_link.h"
#include "common/io/server/helper_process.h"

#define RESTART_MS 100
#define RESTART_MS_MOST 5000
#define NOBODY 65534
#define LAST_WORDS_MAX 200 /* bytes of the gateway's standard error that are logged */
#define END_MS 1000        /* time for a gateway to exit after the daemon has closed its side */
#define PING_MS 2000       /* interval of PING */
#define UNANSWERED_MAX 4   /* intervals without a frame after PING: the gateway hangs */

const struct gateway_program gateway_program = {
    .name = "creel-gateway",
    .variable = "CREEL_GATEWAY",
    .label = "gateway",
    .descriptors_min = GATEWAY_DESCRIPTORS_MIN,
    .descriptors_max = GATEWAY_DESCRIPTORS_MAX,
    .memory_max_bytes = GATEWAY_MEMORY_MAX,
};

struct gateway_process {
    struct loop *loop;
    const struct gateway_program *kind;
    unsigned number;
    struct gateway_limits limits;
    const struct gateway_events *events;
    void *context;
    char *program;
    uid_t user;
    gid_t group;
    pid_t pid;
    struct gateway_link *link; /* NULL: the gateway does not run */
    int errors;                /* pipe from the gateway's standard error */
    bool ready;                /* HELLO was received */
    int64_t started_ms;
    unsigned deaths, failures; /* DEATHS: all exits; FAILURES: consecutive exits before HELLO */
    int timer;                 /* timer of the next start */
    int ping_timer;
    bool asked; /* PING was sent, and no frame was received since */
    int64_t asked_ms;
    unsigned unanswered; /* intervals since then */
    int64_t hung_ms;     /* killed because it did not answer for so long; 0: not killed */
};

/* --- the process ---------------------------------------------------------------- */

/* Finds the user of the gateway. The fallback is a number, since the name of the user nobody varies between
 * systems. */
static void find_user(struct gateway_process *process)
{
    const struct passwd *found = getpwnam(GATEWAY_USER);

    process->user = found != NULL ? found->pw_uid : NOBODY;
    process->group = found != NULL ? found->pw_gid : NOBODY;
}

static void on_ready(void *context, int fd);

/* Kills the gateway. Its end is noticed as any other: a process that the kernel cannot end yet does not delay
 * the daemon. */
static void kill_hung(struct gateway_process *process)
{
    process->hung_ms = loop_monotonic_ms() - process->asked_ms;
    log_line(LOG_LEVEL_ERROR, "%s %u: process %d did not answer for %lld.%03lld s: it is killed",
             process->kind->label, process->number, (int)process->pid, (long long)process->hung_ms / 1000,
             (long long)process->hung_ms % 1000);
    kill(process->pid, SIGKILL);
}

/* Counts intervals, not time: between two calls the loop has read what the gateway sent, however late the
 * calls are. */
static void ping(void *context)
{
    struct gateway_process *process = context;

    process->ping_timer = 0;
    if (process->asked && ++process->unanswered >= UNANSWERED_MAX) {
        kill_hung(process);
        return;
    }
    if (!process->asked) {
        process->asked = true;
        process->asked_ms = loop_monotonic_ms();
        process->unanswered = 0;
        gateway_process_put(process, (struct gateway_header){ .type = GATEWAY_PING }, NULL, 0, -1);
    }
    process->ping_timer = loop_add_timer(process->loop, PING_MS, ping, process);
}

_Static_assert(GATEWAY_FD == HELPER_FD, "the gateway finds its socket");

static int start(struct gateway_process *process, struct err *err)
{
    const struct gateway_setup setup = {
        .protocol = GATEWAY_PROTOCOL,
        .user = process->user,
        .group = process->group,
        .descriptors_max = process->kind->descriptors_max,
        .memory_max_bytes = process->kind->memory_max_bytes,
        .limits = process->limits,
    };
    const char *const arguments[] = { process->kind->name, NULL };
    const struct helper_program program = {
        .path = process->program,
        .purpose = "which serves the ports; reinstall creel, or run make if this is a build folder",
        .arguments = arguments,
        .socket_type = SOCK_STREAM,
    };
    struct helper_process started;
    int rc = helper_process_start(&program, true, &started, err);

    if (rc < 0)
        return rc;
    process->pid = started.pid;
    process->link = gateway_link_new(started.fd, false);
    process->errors = started.errors;
    process->started_ms = loop_monotonic_ms();
    process->ready = process->asked = false;
    process->hung_ms = 0;
    rc = loop_add_fd(process->loop, started.fd, false, on_ready, process, err);
    if (rc < 0)
        return rc;
    process->ping_timer = loop_add_timer(process->loop, PING_MS, ping, process);
    gateway_process_put(process, (struct gateway_header){ .type = GATEWAY_SETUP }, &setup, sizeof(setup), -1);
    process->events->started(process->context, process->number);
    return 0;
}

static void start_again(void *context)
{
    struct gateway_process *process = context;
    struct err err = { 0 };

    process->timer = 0;
    if (start(process, &err) == 0)
        return;
    log_line(LOG_LEVEL_ERROR, "%s %u: %s; tries again", process->kind->label, process->number, err.text);
    process->timer = loop_add_timer(process->loop, RESTART_MS_MOST, start_again, process);
}

/* --- the end of a gateway -------------------------------------------------------- */

/* Kills the gateway process and waits for its exit. Writes to TEXT its exit status and the first line of its
 * standard error. */
static void reap(struct gateway_process *process, char *text, size_t size)
{
    char errors[LAST_WORDS_MAX + 1];
    ssize_t length;
    int status = helper_process_end(process->pid); /* the gateway may have closed only its socket */

    loop_cancel_timer(process->loop, process->ping_timer);
    loop_remove_fd(process->loop, gateway_link_fd(process->link));
    gateway_link_free(process->link);
    process->link = NULL;
    length = read(process->errors, errors, LAST_WORDS_MAX);
    errors[length > 0 ? length : 0] = '\0';
    errors[strcspn(errors, "\n")] = '\0';
    close(process->errors);
    if (WIFSIGNALED(status))
        snprintf(text, size, "ended by signal %d (%s)%s%s", WTERMSIG(status), strsignal(WTERMSIG(status)),
                 errors[0] != '\0' ? ", " : "", errors);
    else
        snprintf(text, size, "ended with status %d%s%s", WEXITSTATUS(status), errors[0] != '\0' ? ", " : "",
                 errors);
}

static int64_t delay_of_restart(const struct gateway_process *process)
{
    int64_t ran_ms = loop_monotonic_ms() - process->started_ms;
    int64_t delay_ms = RESTART_MS;

    if (process->ready)
        return ran_ms < RESTART_MS ? RESTART_MS - ran_ms : 0;
    for (unsigned i = 1; i < process->failures && delay_ms < RESTART_MS_MOST; i++)
        delay_ms *= 2;
    return delay_ms < RESTART_MS_MOST ? delay_ms : RESTART_MS_MOST;
}

static void on_end(struct gateway_process *process, bool broke_rules)
{
    int64_t ran_ms = loop_monotonic_ms() - process->started_ms;
    char text[LAST_WORDS_MAX + 96];

    reap(process, text, sizeof(text));
    process->deaths++;
    process->failures = process->ready ? 0 : process->failures + 1;
    log_line(LOG_LEVEL_ERROR,
             "%s %u: %s%s; it ran for %lld.%03lld s, this is death %u: its connections "
             "are lost, it starts again",
             process->kind->label, process->number, broke_rules ? "broke the protocol, " : "", text,
             (long long)ran_ms / 1000, (long long)ran_ms % 1000, process->deaths);
    process->events->ended(process->context, process->number, process->hung_ms);
    process->timer = loop_add_timer(process->loop, delay_of_restart(process), start_again, process);
}

/* --- frames ----------------------------------------------------------------------- */

static bool on_hello(struct gateway_process *process, const struct gateway_header *header,
                     const uint8_t *payload)
{
    struct gateway_hello hello;

    if (process->ready || header->size != sizeof(hello))
        return false;
    memcpy(&hello, payload, sizeof(hello));
    process->ready = hello.protocol == GATEWAY_PROTOCOL;
    return process->ready;
}

static bool on_frame(void *context, const struct gateway_header *header, const uint8_t *payload)
{
    struct gateway_process *process = context;

    process->asked = false;
    if (header->type == GATEWAY_HELLO)
        return on_hello(process, header, payload);
    if (header->type == GATEWAY_PONG)
        return process->ready && header->size == 0;
    return process->ready && process->events->frame(process->context, process->number, header, payload);
}

static void flush(struct gateway_process *process)
{
    /* Ignore an error: it means that the gateway has ended, which the next read detects. */
    loop_set_writable(process->loop, gateway_link_fd(process->link),
                      gateway_link_flush(process->link) == -EAGAIN);
}

static void on_ready(void *context, int fd)
{
    struct gateway_process *process = context;
    int r;

    (void)fd;
    flush(process);
    r = gateway_link_read(process->link, on_frame, process);
    if (r < 0)
        on_end(process, r == -EBADMSG);
}

void gateway_process_put(struct gateway_process *process, struct gateway_header header, const void *bytes,
                         size_t size, int fd)
{
    if (process == NULL || process->link == NULL)
        return;
    if (fd >= 0)
        gateway_link_put_fd(process->link, header, bytes, size, fd);
    else
        gateway_link_put(process->link, header, bytes, size);
    /* Frames queued in one turn of the loop are sent together. */
    loop_set_writable(process->loop, gateway_link_fd(process->link), true);
}

void gateway_process_flush(struct gateway_process *process)
{
    if (process->link != NULL)
        flush(process);
}

size_t gateway_process_queued(const struct gateway_process *process)
{
    return process != NULL && process->link != NULL ? gateway_link_queued(process->link) : 0;
}

/* --- creation and destruction ----------------------------------------------------- */

static int check_descriptors(const struct gateway_program *program, struct err *err)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_max >= program->descriptors_min)
        return 0;
    return err_set(
        err, EMFILE,
        "%s needs %u open files, and the limit of this process is %llu: raise LimitNOFILE= of the unit, or "
        "ulimit -n",
        program->name, program->descriptors_min, (unsigned long long)limit.rlim_max);
}

int gateway_process_new(struct loop *loop, const struct gateway_program *program, unsigned number,
                        const struct gateway_limits *limits, const struct gateway_events *events,
                        void *context, struct gateway_process **ret, struct err *err)
{
    struct gateway_process *process;
    int r = check_descriptors(program, err);

    if (r < 0)
        return r;
    process = mem_new0(struct gateway_process);
    process->loop = loop;
    process->kind = program;
    process->number = number;
    process->limits = *limits;
    process->events = events;
    process->context = context;
    process->program = helper_find_program(program->name, program->variable);
    find_user(process);
    *ret = process; /* `started` needs this pointer */
    r = start(process, err);
    if (r < 0) {
        *ret = NULL;
        free(process->program);
        free(process);
    }
    return r;
}

/* Reads and discards frames of the gateway until the gateway has closed its end of the socketpair. */
static void wait_for_end(int fd)
{
    int64_t end_ms = loop_monotonic_ms() + END_MS, left_ms;
    char buffer[4096];

    while ((left_ms = end_ms - loop_monotonic_ms()) > 0) {
        struct pollfd item = { .fd = fd, .events = POLLIN };

        if (poll(&item, 1, (int)left_ms) > 0 && read(fd, buffer, sizeof(buffer)) == 0)
            return;
    }
}

void gateway_process_free(struct gateway_process *process)
{
    char text[LAST_WORDS_MAX];

    if (process == NULL)
        return;
    loop_cancel_timer(process->loop, process->timer);
    if (process->link != NULL) {
        gateway_link_finish(process->link, GATEWAY_LINGER_MS);
        wait_for_end(gateway_link_fd(process->link));
        reap(process, text, sizeof(text));
    }
    free(process->program);
    free(process);
}
