/* SPDX-License-Identifier: Apache-2.0 */
/*
 * am-load.c - load generator: many application masters of one user that send Allocate again and again
 *
 * Submits unmanaged applications, registers an application master for each, with a connection of its own,
 * and lets all of them send the next Allocate PAUSE-MS after the reply to the last one. They request nothing.
 * Up to 250 share a process.
 *   am-load KEY-DIR CLIENT-HOST:PORT AM-HOST:PORT MASTERS SECONDS [PAUSE-MS]
 * signs in as the user that `id -un` names, whose certificate must be below KEY-DIR/users. PAUSE-MS is 1000
 * by default. Prints "all are registered", then a line: replies per second, and the time to a reply.
 */
#include <errno.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/io/channel/channel.h"
#include "common/io/keys/derived_key.h"
#include "common/io/loop/loop_socket.h"

#define GROUP 250
#define MAKERS 20 /* processes that submit the applications */
#define CALL_MS 30000
#define TRIES 200
#define RETRY_MS 200
#define PATIENCE_MS 20000 /* time without a reply after which the master registers again */
#define TOOK_MAX 20000
#define TOKEN_MAX 1024

struct access { /* in memory that all processes share */
    uint8_t token[TOKEN_MAX];
    size_t size;
    uint64_t session;
};

struct results {
    uint64_t answered, lost;
    uint32_t took_ms[TOOK_MAX]; /* histogram: replies by time in ms; the last entry: or longer */
};

struct master {
    struct group *group;
    const struct access *access;
    struct channel_client *channel;
    uint64_t request, response_id;
    int64_t sent_ms; /* 0: no unanswered request */
    bool registered, counted;
};

struct group {
    struct loop *loop;
    struct master *masters;
    size_t count, registered;
    int ready_fd, results_fd;
    int64_t pause_ms;
    bool counting;
    struct results *results;
};

/* (exit() would end the sockets of the parent, too) */
static void fail(const char *what)
{
    fprintf(stderr, "am-load: %s\n", what);
    _exit(1);
}

/* --- the applications ----------------------------------------------------------- */

static Creel__Envelope *call(struct channel_client *channel, Creel__Envelope *request)
{
    Creel__Envelope *reply;
    struct err err = { 0 };

    if (channel_client_call(channel, request, CALL_MS, &reply, &err) < 0)
        fail(err.text);
    return reply;
}

static char *submit(struct channel_client *channel)
{
    static char name[] = "am-load", command[] = "true";
    char *commands[] = { command }, *id;
    Creel__Envelope request = CREEL__ENVELOPE__INIT, *reply;
    Creel__SubmitApp body = CREEL__SUBMIT_APP__INIT;
    Creel__JobSpec job = CREEL__JOB_SPEC__INIT;
    Creel__LaunchContext launch = CREEL__LAUNCH_CONTEXT__INIT;
    Creel__Resource resource = CREEL__RESOURCE__INIT;

    resource.memory_mb = resource.vcores = 1;
    launch.command = commands;
    launch.n_command = 1;
    job.name = name;
    job.kind = CREEL__APP_KIND__APP_MASTER;
    job.unmanaged = true;
    job.launch = &launch;
    job.resource = &resource;
    body.job = &job;
    request.body_case = CREEL__ENVELOPE__BODY_SUBMIT_APP;
    request.submit_app = &body;
    reply = call(channel, &request);
    if (reply->body_case != CREEL__ENVELOPE__BODY_SUBMIT_APP_REPLY)
        fail(reply->body_case == CREEL__ENVELOPE__BODY_ERROR ? reply->error->message : "no application");
    id = mem_strdup(reply->submit_app_reply->app_id);
    wire_free(reply);
    return id;
}

/* An application that was just submitted may not be in its queue yet. */
static void get_access(struct channel_client *channel, char *id, struct access *access)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT, *reply = NULL;
    Creel__GetAmAccess body = CREEL__GET_AM_ACCESS__INIT;

    body.app_id = id;
    request.body_case = CREEL__ENVELOPE__BODY_GET_AM_ACCESS;
    request.get_am_access = &body;
    for (int i = 0; i < TRIES; i++) {
        reply = call(channel, &request);
        if (reply->body_case == CREEL__ENVELOPE__BODY_AM_ACCESS)
            break;
        if (i == TRIES - 1)
            fail(reply->body_case == CREEL__ENVELOPE__BODY_ERROR ? reply->error->message : "no access");
        wire_free(reply);
        poll(NULL, 0, RETRY_MS);
    }
    access->size = reply->am_access->token.len;
    if (access->size > TOKEN_MAX)
        fail("a token is too long");
    memcpy(access->token, reply->am_access->token.data, access->size);
    access->session = reply->am_access->session;
    wire_free(reply);
}

static void make_all(char **argv, size_t count, struct access *list)
{
    const struct passwd *user = getpwuid(geteuid());
    char **ids = mem_array0(count, sizeof(*ids));
    struct channel_client *channel;
    struct key own, server;
    struct err err = { 0 };

    if (user == NULL || key_load_for(argv[1], KEY_RM, NULL, false, &server, &err) < 0 ||
        key_load_for(argv[1], KEY_USER, user->pw_name, true, &own, &err) < 0 ||
        channel_client_new(NULL, argv[2], server.public_text, &own, NULL, NULL, &channel, &err) < 0)
        fail(err.text);
    for (size_t i = 0; i < count; i++)
        ids[i] = submit(channel);
    for (size_t i = 0; i < count; i++) {
        get_access(channel, ids[i], &list[i]);
        free(ids[i]);
    }
    free(ids);
    channel_client_free(channel);
}

/* The applications are made in processes of their own: sockets do not survive a fork, and the resource
 * manager commits the submissions of several clients together. */
static struct access *make_apart(char **argv, size_t count)
{
    struct access *list =
        mmap(NULL, count * sizeof(*list), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    size_t share = (count + MAKERS - 1) / MAKERS;
    int status;

    if (list == MAP_FAILED)
        fail("no memory");
    for (size_t first = 0; first < count; first += share) {
        if (fork() != 0)
            continue;
        make_all(argv, first + share < count ? share : count - first, list + first);
        _exit(0);
    }
    while (wait(&status) > 0)
        if (status != 0)
            _exit(1);
    return list;
}

/* --- one master ----------------------------------------------------------------- */

static void turn(void *context);

static void send_next(struct master *master)
{
    static char host[] = "bench";
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__RegisterAm begin = CREEL__REGISTER_AM__INIT;
    Creel__Allocate allocate = CREEL__ALLOCATE__INIT;

    envelope.request_id = ++master->request;
    envelope.token.data = (uint8_t *)(uintptr_t)master->access->token;
    envelope.token.len = master->access->size;
    begin.host = host;
    begin.pieces = true;
    begin.session = allocate.session = master->access->session;
    allocate.response_id = master->response_id;
    envelope.body_case =
        master->registered ? CREEL__ENVELOPE__BODY_ALLOCATE : CREEL__ENVELOPE__BODY_REGISTER_AM;
    if (master->registered)
        envelope.allocate = &allocate;
    else
        envelope.register_am = &begin;
    master->sent_ms = channel_client_send(master->channel, &envelope) ? loop_monotonic_ms() : 0;
}

static void again(struct master *master, int64_t delay_ms)
{
    loop_add_timer(master->group->loop, delay_ms, turn, master);
}

/* The next request after the reply is sent in `hear`; this repeats what has no reply. */
static void turn(void *context)
{
    struct master *master = context;

    if (master->sent_ms > 0 && loop_monotonic_ms() - master->sent_ms >= PATIENCE_MS) {
        master->group->results->lost++;
        master->registered = false;
        master->sent_ms = 0;
    }
    if (master->sent_ms == 0)
        send_next(master);
    again(master, master->group->pause_ms > 0 && master->registered ? master->group->pause_ms : RETRY_MS);
}

static void count_answer(struct master *master)
{
    size_t took = (size_t)(loop_monotonic_ms() - master->sent_ms);

    if (!master->group->counting)
        return;
    master->group->results->answered++;
    master->group->results->took_ms[took < TOOK_MAX - 1 ? took : TOOK_MAX - 1]++;
}

static void registered(struct master *master, const Creel__RegisterAmReply *reply)
{
    master->registered = true;
    master->response_id = reply->response_id;
    if (master->counted)
        return;
    master->counted = true;
    if (++master->group->registered == master->group->count && write(master->group->ready_fd, "r", 1) != 1)
        _exit(1);
}

static void hear(void *context, const Creel__Envelope *envelope)
{
    struct master *master = context;

    if (envelope->request_id != master->request)
        return;
    if (envelope->body_case == CREEL__ENVELOPE__BODY_REGISTER_AM_REPLY) {
        registered(master, envelope->register_am_reply);
    } else if (envelope->body_case == CREEL__ENVELOPE__BODY_ALLOCATE_REPLY) {
        count_answer(master);
        master->response_id = envelope->allocate_reply->response_id;
        master->registered = envelope->allocate_reply->action == CREEL__AM_ACTION__AM_NORMAL;
    } else {
        fail(envelope->body_case == CREEL__ENVELOPE__BODY_ERROR ? envelope->error->message : "no reply");
    }
    master->sent_ms = 0;
    if (master->group->pause_ms == 0)
        send_next(master);
}

/* --- a process with several masters ------------------------------------------------ */

static void stop(void *context, int signal_number)
{
    struct group *group = context;
    const char *bytes = (const char *)group->results;
    size_t done = 0;
    ssize_t n;

    (void)signal_number;
    while (done < sizeof(*group->results) &&
           (n = write(group->results_fd, bytes + done, sizeof(*group->results) - done)) > 0)
        done += (size_t)n;
    _exit(done < sizeof(*group->results));
}

static void begin_counting(void *context, int signal_number)
{
    struct group *group = context;

    (void)signal_number;
    group->counting = true;
}

/* Does not return. */
static void run_group(char **argv, struct group *group, const struct access *access)
{
    struct key own, server;
    struct err err = { 0 };

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    group->masters = mem_array0(group->count, sizeof(*group->masters));
    group->results = mem_new0(struct results);
    if (loop_new(&group->loop, &err) < 0 ||
        loop_on_signal(group->loop, SIGUSR1, begin_counting, group, &err) < 0 ||
        loop_on_signal(group->loop, SIGTERM, stop, group, &err) < 0 ||
        key_load_for(argv[1], KEY_RM, NULL, false, &server, &err) < 0)
        fail(err.text);
    for (size_t i = 0; i < group->count; i++) {
        struct master *master = &group->masters[i];

        master->group = group;
        master->access = &access[i];
        derived_key_make(access[i].token, access[i].size, &own);
        if (channel_client_new(group->loop, argv[3], server.public_text, &own, hear, master, &master->channel,
                               &err) < 0)
            fail(err.text);
        again(master, (int64_t)i * 4);
    }
    loop_run(group->loop);
    _exit(1);
}

/* --- all processes ------------------------------------------------------------------ */

static uint32_t quantile(const struct results *results, uint64_t permille)
{
    uint64_t seen = 0;
    uint32_t ms = 0;

    while (ms < TOOK_MAX - 1 && (seen += results->took_ms[ms]) * 1000 < results->answered * permille)
        ms++;
    return ms;
}

/* Each process has a pipe of its own for its results. */
static bool read_results(int fd, struct results *sum)
{
    struct results *one = mem_new0(struct results);
    size_t done = 0;
    ssize_t n;

    while (done < sizeof(*one) && (n = read(fd, (char *)one + done, sizeof(*one) - done)) > 0)
        done += (size_t)n;
    sum->answered += one->answered;
    sum->lost += one->lost;
    for (size_t i = 0; i < TOOK_MAX; i++)
        sum->took_ms[i] += one->took_ms[i];
    free(one);
    return done == sizeof(*one);
}

struct child {
    pid_t pid;
    int results_fd;
};

static struct child start(char **argv, const struct access *access, size_t count, int64_t pause_ms,
                          int ready_fd)
{
    struct group group = { .count = count, .pause_ms = pause_ms, .ready_fd = ready_fd };
    struct child child;
    int fds[2];

    if (pipe(fds) < 0)
        fail("no pipe");
    group.results_fd = fds[1];
    child = (struct child){ fork(), fds[0] };
    if (child.pid == 0)
        run_group(argv, &group, access);
    close(fds[1]);
    return child;
}

static void measure(char **argv, size_t count, int64_t seconds, int64_t pause_ms)
{
    const struct access *access = make_apart(argv, count);
    size_t groups = (count + GROUP - 1) / GROUP, whole = 0;
    struct child *children = mem_array0(groups, sizeof(*children));
    struct results *sum = mem_new0(struct results);
    int ready[2];
    char byte;

    if (pipe(ready) < 0)
        fail("no pipe");
    for (size_t g = 0; g < groups; g++)
        children[g] =
            start(argv, access + g * GROUP, g + 1 < groups ? GROUP : count - g * GROUP, pause_ms, ready[1]);
    close(ready[1]);
    for (size_t g = 0; g < groups; g++)
        if (read(ready[0], &byte, 1) != 1)
            fail("a process has ended");
    puts("all are registered");
    fflush(stdout);
    for (size_t g = 0; g < groups; g++)
        kill(children[g].pid, SIGUSR1);
    poll(NULL, 0, (int)seconds * 1000);
    for (size_t g = 0; g < groups; g++)
        kill(children[g].pid, SIGTERM);
    for (size_t g = 0; g < groups; g++)
        whole += read_results(children[g].results_fd, sum);
    while (wait(NULL) > 0 || errno == EINTR)
        ;
    printf("%zu masters: %.0f replies to Allocate a second, median %u ms, 99 %% %u ms, %llu unanswered\n",
           count, (double)sum->answered / (double)seconds, quantile(sum, 500), quantile(sum, 990),
           (unsigned long long)sum->lost);
    free(sum);
    free(children);
    exit(whole == groups ? 0 : 1);
}

int main(int argc, char **argv)
{
    int64_t masters, seconds, pause_ms = 1000;

    if (argc < 6 || argc > 7 || !text_parse_int64(argv[4], &masters) || masters < 1 || masters > 100000 ||
        !text_parse_int64(argv[5], &seconds) || seconds < 1 || seconds > 100000 ||
        (argc > 6 && (!text_parse_int64(argv[6], &pause_ms) || pause_ms < 0))) {
        fputs("usage: am-load KEY-DIR CLIENT-HOST:PORT AM-HOST:PORT MASTERS SECONDS [PAUSE-MS]\n", stderr);
        return 2;
    }
    loop_socket_prepare_process();
    setvbuf(stdout, NULL, _IOLBF, 0);
    measure(argv, (size_t)masters, seconds, pause_ms);
}
