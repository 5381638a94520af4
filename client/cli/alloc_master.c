/* SPDX-License-Identifier: Apache-2.0 */
/* alloc_master.c - the application master of `creel alloc` and `creel attach`: this process */
#include "client/cli/alloc_master.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "client/cli/alloc_places.h"
#include "client/libcreel/am_open.h"
#include "common/base/mem.h"
#include "common/base/text.h"

#define PRIORITY 1
#define HANG_UP_AGAIN_MS 1000
#define LOOK_QUEUE_MS 500  /* maximum time until a signal is noticed before the application is in its queue */
#define LOOK_MS 100        /* interval of looks whether all containers run */
#define FAILURES_MAX 3     /* containers that end before all run, in addition to the number wanted */
#define STATE_TEXT "alloc" /* of the stored state: "alloc 4" */

/* Runs in each container until it is stopped. */
static const char *const holder[] = { "/bin/sh", "-c",
                                      "trap 'exit 0' TERM; while :; do sleep 86400 & wait; done", NULL };

struct place { /* a container */
    char *id, *host;
    uint32_t number; /* its title: the smallest that is free */
    bool started, ended;
    UT_hash_handle hh, hh_number;
};

enum phase { PHASE_WAIT, PHASE_SHELL, PHASE_END };

struct alloc {
    struct cli *cli;
    const struct alloc_request *request;
    struct creel_am *am;
    struct place *places;    /* owned, by id: all containers that this process got */
    struct place *by_number; /* those that have not ended */
    uint32_t free_from;      /* smaller numbers are in use */
    uint32_t wanted;
    enum phase phase;
    bool known;        /* it has registered once */
    bool looking;      /* a look is due */
    unsigned failures; /* containers that ended before all ran */
    char *failure;     /* owned: why the last one ended; NULL: none */
    char *locks;       /* owned: directory of the locks; NULL: not made */
    int hang_up_timer; /* of the next SIGHUP to the shell; 0: none */
    int cancelled;     /* signal that ended the wait; 0: none */
    bool lost;         /* the terminal is gone: the application stays */
    int exit_status;   /* of the command */
};

/* --- containers ----------------------------------------------------------------- */

static struct place *find(const struct alloc *alloc, const char *id)
{
    struct place *place;

    HASH_FIND_STR(alloc->places, id, place);
    return place;
}

static uint32_t live_count(const struct alloc *alloc)
{
    return HASH_CNT(hh_number, alloc->by_number);
}

static uint32_t find_free_number(const struct alloc *alloc)
{
    const struct place *other;

    for (uint32_t number = alloc->free_from;; number++) {
        HASH_FIND(hh_number, alloc->by_number, &number, sizeof(number), other);
        if (!other)
            return number;
    }
}

static struct place *add(struct alloc *alloc, const struct creel_am_container *container, uint32_t number)
{
    struct place *place = mem_new0(struct place);

    place->id = mem_strdup(container->id);
    place->host = mem_strndup(container->node_id, strcspn(container->node_id, ":"));
    place->number = number;
    HASH_ADD_KEYPTR(hh, alloc->places, place->id, strlen(place->id), place);
    HASH_ADD(hh_number, alloc->by_number, number, sizeof(place->number), place);
    if (number == alloc->free_from)
        alloc->free_from++;
    return place;
}

static void end(struct alloc *alloc, struct place *place)
{
    place->ended = true;
    HASH_DELETE(hh_number, alloc->by_number, place);
    if (place->number < alloc->free_from)
        alloc->free_from = place->number;
}

static void ask(struct alloc *alloc)
{
    uint32_t live = live_count(alloc);

    creel_am_ask_resource(alloc->am, PRIORITY, &alloc->request->each,
                          alloc->wanted > live ? alloc->wanted - live : 0);
}

/* --- the command ------------------------------------------------------------------ */

static void finish(struct alloc *alloc, int exit_status, const char *diagnostics)
{
    alloc->phase = PHASE_END;
    alloc->exit_status = exit_status;
    creel_am_finish(alloc->am, exit_status == 0 ? CREEL_FINAL_SUCCEEDED : CREEL_FINAL_FAILED, exit_status,
                    diagnostics);
}

/* Returns the hosts of the live containers, each once: "n1,n2". */
static char *host_list(const struct alloc *alloc)
{
    struct named_host {
        const char *name;
        UT_hash_handle hh;
    } *hosts = NULL, *host, *next;
    char *list = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&list, &size);

    if (!stream)
        abort(); /* out of memory */
    for (const struct place *place = alloc->places; place; place = place->hh.next) {
        HASH_FIND_STR(hosts, place->host, host);
        if (place->ended || host)
            continue;
        fprintf(stream, "%s%s", hosts ? "," : "", place->host);
        host = mem_new0(struct named_host);
        host->name = place->host;
        HASH_ADD_KEYPTR(hh, hosts, host->name, strlen(host->name), host);
    }
    fclose(stream);
    HASH_ITER(hh, hosts, host, next) {
        HASH_DEL(hosts, host);
        free(host);
    }
    return list;
}

static int start_shell(struct alloc *alloc, const char *hosts, struct err *err)
{
    const struct alloc_request *request = alloc->request;
    scoped_free char *app = mem_printf("CREEL_APP_ID=%s", request->app_id);
    scoped_free char *count = mem_printf("CREEL_ALLOC_COUNT=%u", live_count(alloc));
    scoped_free char *nodes = mem_printf("CREEL_NODELIST=%s", hosts);
    scoped_free char *locks = NULL;
    scoped_free char *conf = mem_printf("CREEL_CONF_DIR=%s", cli_conf_dir(alloc->cli));
    scoped_free char *rm = alloc->cli->rm_address ? mem_printf("CREEL_RM=%s", alloc->cli->rm_address) : NULL;
    int r = alloc_places_make(&alloc->locks, err);

    if (r < 0)
        return r;
    locks = mem_printf("CREEL_ALLOC_DIR=%s", alloc->locks);
    return alloc_shell_start(request->shell, request->command,
                             (const char *const[]){ app, count, nodes, locks, conf, rm, NULL }, err);
}

static void begin_command(struct alloc *alloc)
{
    scoped_free char *hosts = host_list(alloc);
    struct err err = { 0 };

    cli_print(alloc->cli, "creel: %s has %u container%s on %s", alloc->request->app_id, live_count(alloc),
              live_count(alloc) == 1 ? "" : "s", hosts);
    alloc->phase = PHASE_SHELL;
    if (start_shell(alloc, hosts, &err) < 0) {
        cli_print(alloc->cli, "creel: %s", err.text);
        finish(alloc, EXIT_SELF_FAILED, err.text);
    }
}

/* Returns whether all containers of the allocation run. */
static bool all_run(struct alloc *alloc)
{
    struct creel_containers *list;
    struct creel_error error;
    uint32_t running = 0;

    if (creel_container_list(alloc->cli->client, alloc->request->app_id, NULL, NULL, true, &list, &error) < 0)
        return false; /* the resource manager is restarted, perhaps */
    for (size_t i = 0; i < list->count; i++) {
        const struct place *place = find(alloc, list->items[i].id);

        running += place && !place->ended && list->items[i].state == CREEL_CONTAINER_RUNNING;
    }
    creel_containers_free(list);
    return running >= alloc->wanted;
}

static void check_places(void *context, struct creel_am *am);

/* Begins the command when all containers run, or looks again later. */
static void check_later(struct alloc *alloc)
{
    uint32_t started = 0;

    for (const struct place *place = alloc->places; place; place = place->hh.next)
        started += place->started && !place->ended;
    if (alloc->phase != PHASE_WAIT || alloc->looking || started < alloc->wanted)
        return;
    alloc->looking = true;
    creel_am_after(alloc->am, LOOK_MS, check_places);
}

static void check_places(void *context, struct creel_am *am)
{
    struct alloc *alloc = context;

    (void)am;
    alloc->looking = false;
    if (alloc->phase != PHASE_WAIT)
        return;
    if (live_count(alloc) >= alloc->wanted && all_run(alloc))
        begin_command(alloc);
    else
        check_later(alloc);
}

/* --- callbacks of the application master -------------------------------------------- */

static void on_granted(void *context, struct creel_am *am, const struct creel_am_container *container)
{
    struct alloc *alloc = context;
    const struct place *place = add(alloc, container, find_free_number(alloc));
    scoped_free char *title = mem_printf("%u", place->number);
    struct creel_am_launch launch = { .title = title, .command = holder };

    (void)creel_am_start(am, container->id, &launch);
}

/* A container of the former process. One that it had not started is exchanged for another. */
static void on_found(void *context, struct creel_am *am, const struct creel_am_container *container)
{
    struct alloc *alloc = context;
    struct place *place;
    int64_t number;

    if (find(alloc, container->id)) /* it has registered again */
        return;
    if (!text_parse_int64(container->title, &number) || number < 0 || number > UINT32_MAX) {
        (void)creel_am_release(am, container->id);
        return;
    }
    place = add(alloc, container, (uint32_t)number);
    place->started = true;
}

static void set_failure(struct alloc *alloc, const char *id, const char *why)
{
    free(alloc->failure);
    alloc->failure = mem_printf("container %s: %s", id, *why ? why : "it ended");
}

static void on_started(void *context, struct creel_am *am, const char *id, const char *error)
{
    struct alloc *alloc = context;
    struct place *place = find(alloc, id);

    (void)am;
    if (place && !error)
        place->started = true;
    else
        set_failure(alloc, id, error ? error : "");
    check_later(alloc);
}

/* A container ended before all of them ran: asks for another. */
static void replace(struct alloc *alloc, const char *id, const char *diagnostics)
{
    if (!alloc->failure || *diagnostics)
        set_failure(alloc, id, diagnostics);
    if (++alloc->failures <= alloc->wanted + FAILURES_MAX) {
        ask(alloc);
        return;
    }
    cli_print(alloc->cli, "creel: %s is given up: %s", alloc->request->app_id, alloc->failure);
    finish(alloc, EXIT_FAILED, alloc->failure);
}

static void on_completed(void *context, struct creel_am *am, const char *id, int exit_status,
                         const char *diagnostics)
{
    struct alloc *alloc = context;
    struct place *place = find(alloc, id);

    (void)am;
    (void)exit_status;
    if (!place || place->ended)
        return;
    end(alloc, place);
    if (alloc->phase == PHASE_WAIT)
        replace(alloc, id, diagnostics);
    else if (alloc->phase == PHASE_SHELL)
        cli_print(alloc->cli, "creel: container %s on %s ended%s%s; %u are left", id, place->host,
                  *diagnostics ? ": " : "", diagnostics, live_count(alloc));
}

/* Returns the number of containers that the former process asked for; 0: there was none. */
static uint32_t former_count(const struct creel_am *am)
{
    size_t size;
    const char *state = creel_am_state(am, &size);
    scoped_free char *text = state ? mem_strndup(state, size) : NULL;
    int64_t count;

    if (!text || strncmp(text, STATE_TEXT " ", sizeof(STATE_TEXT)) != 0 ||
        !text_parse_int64(text + sizeof(STATE_TEXT), &count) || count < 1 || count > UINT32_MAX)
        return 0;
    return (uint32_t)count;
}

static void on_registered(void *context, struct creel_am *am)
{
    struct alloc *alloc = context;
    scoped_free char *state = NULL;

    if (alloc->known)
        return;
    alloc->known = true;
    alloc->wanted = alloc->request->count;
    if (alloc->wanted == 0)
        alloc->wanted = former_count(am);
    if (alloc->wanted == 0)
        alloc->wanted = live_count(alloc) > 0 ? live_count(alloc) : 1;
    state = mem_printf(STATE_TEXT " %u", alloc->wanted);
    (void)creel_am_set_state(am, state, strlen(state));
    ask(alloc);
    check_later(alloc);
}

/* --- signals --------------------------------------------------------------------------- */

static void on_child(void *context, int signal_number)
{
    struct alloc *alloc = context;
    int exit_status;

    (void)signal_number;
    if (alloc_shell_has_ended(alloc->request->shell, &exit_status))
        finish(alloc, exit_status, "");
}

/* A shell on a terminal ignores SIGTERM. bash 5.2 was seen to miss a SIGHUP that arrived while it printed its
 * prompt, so the signal is repeated until the shell has ended. */
static void hang_up(void *context)
{
    struct alloc *alloc = context;

    alloc_shell_signal(alloc->request->shell, SIGHUP);
    loop_cancel_timer(am_loop(alloc->am), alloc->hang_up_timer); /* of an earlier SIGTERM */
    alloc->hang_up_timer = loop_add_timer(am_loop(alloc->am), HANG_UP_AGAIN_MS, hang_up, alloc);
}

/* Ctrl-C and SIGTERM cancel an allocation that waits. The command gets Ctrl-C from the terminal. */
static void on_signal(void *context, int signal_number)
{
    struct alloc *alloc = context;

    if (signal_number == SIGHUP)
        alloc->lost = true;
    else if (alloc->phase == PHASE_WAIT)
        alloc->cancelled = signal_number;
    else if (signal_number == SIGTERM && alloc->request->shell->terminal)
        hang_up(alloc);
    else if (signal_number == SIGTERM)
        alloc_shell_signal(alloc->request->shell, SIGTERM);
    if (alloc->lost || alloc->cancelled)
        loop_stop(am_loop(alloc->am));
}

static const int ending_signals[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP };

static int watch_signals(struct alloc *alloc, struct err *err)
{
    struct loop *loop = am_loop(alloc->am);
    int r = loop_on_signal(loop, SIGCHLD, on_child, alloc, err);

    for (size_t i = 0; i < sizeof(ending_signals) / sizeof(ending_signals[0]) && r == 0; i++)
        r = loop_on_signal(loop, ending_signals[i], on_signal, alloc, err);
    return r;
}

/* --- the whole ---------------------------------------------------------------------------- */

/* Reports why the resource manager ended the attempt. */
static int explain(struct alloc *alloc, const struct creel_error *error)
{
    struct creel_apps *apps = NULL;
    struct creel_error ignored;
    int code = EXIT_SELF_FAILED;

    if (creel_app_get(alloc->cli->client, alloc->request->app_id, &apps, &ignored) == 0 &&
        creel_app_is_over(&apps->items[0])) {
        cli_explain_end(alloc->cli, &apps->items[0]);
        code = cli_app_exit(&apps->items[0]);
    } else {
        fprintf(stderr, "creel: %s\n", error->text);
    }
    creel_apps_free(apps);
    return code;
}

static int ended(struct alloc *alloc, int result, const struct creel_error *error)
{
    struct alloc_shell *shell = alloc->request->shell;
    struct creel_error failed;

    if (alloc->cancelled) {
        if (creel_app_kill(alloc->cli->client, alloc->request->app_id, "cancelled while it waited", &failed) <
            0)
            return cli_fail(&failed);
        cli_print(alloc->cli, "creel: %s is cancelled", alloc->request->app_id);
        return 128 + alloc->cancelled;
    }
    if (shell->pid > 0)
        alloc_shell_hang_up(shell);
    alloc_shell_restore(shell);
    if (alloc->lost)
        return 128 + SIGHUP;
    return result < 0 ? explain(alloc, error) : alloc->exit_status;
}

static void free_places(struct alloc *alloc)
{
    struct place *place, *next;

    HASH_CLEAR(hh_number, alloc->by_number);
    HASH_ITER(hh, alloc->places, place, next) {
        HASH_DEL(alloc->places, place);
        free(place->id);
        free(place->host);
        free(place);
    }
}

static void block_signals(void)
{
    sigset_t ending;

    sigemptyset(&ending);
    for (size_t i = 0; i < sizeof(ending_signals) / sizeof(ending_signals[0]); i++)
        sigaddset(&ending, ending_signals[i]);
    sigprocmask(SIG_BLOCK, &ending, NULL);
}

/* Returns a signal that has arrived while signals were blocked; 0: none. */
static int pending_signal(void)
{
    sigset_t pending;

    if (sigpending(&pending) == 0)
        for (size_t i = 0; i < sizeof(ending_signals) / sizeof(ending_signals[0]); i++)
            if (sigismember(&pending, ending_signals[i]))
                return ending_signals[i];
    return 0;
}

/* Waits until the application is in its queue, has ended, or a signal arrives. */
static int wait_for_queue(struct alloc *alloc, struct creel_error *error)
{
    uint64_t version = 0;
    bool waits = true;

    while (waits && (alloc->cancelled = pending_signal()) == 0) {
        struct creel_apps *apps;
        int r =
            creel_app_watch(alloc->cli->client, alloc->request->app_id, version, LOOK_QUEUE_MS, &apps, error);

        if (r < 0)
            return r;
        version = apps->items[0].version;
        waits = apps->items[0].state < CREEL_APP_ACCEPTED;
        creel_apps_free(apps);
    }
    return 0;
}

static int open_master(struct alloc *alloc, struct creel_error *error)
{
    static const struct creel_am_calls calls = {
        .granted = on_granted,
        .found = on_found,
        .started = on_started,
        .completed = on_completed,
        .registered = on_registered,
    };

    return creel_am_open_unmanaged(alloc->cli->client, alloc->request->app_id, &calls, alloc, &alloc->am,
                                   error);
}

/* An application that this process has submitted and cannot be the master of is killed. An RM of version
 * 0.2.0 expects a master in the cluster. */
static int give_up(struct alloc *alloc, const struct creel_error *error)
{
    if (alloc->request->count > 0 && error->code != EHOSTUNREACH)
        (void)creel_app_kill(alloc->cli->client, alloc->request->app_id, "its client could not be its master",
                             NULL);
    return cli_fail(error);
}

int alloc_master_run(struct cli *cli, const struct alloc_request *request)
{
    struct alloc alloc = { .cli = cli, .request = request };
    struct creel_error error = { 0 };
    struct err err = { 0 };
    int code, r;

    block_signals();
    r = wait_for_queue(&alloc, &error);
    if (r == 0 && alloc.cancelled)
        return ended(&alloc, 0, &error);
    if (r == 0)
        r = open_master(&alloc, &error);
    if (r < 0)
        return give_up(&alloc, &error);
    r = watch_signals(&alloc, &err);
    if (r < 0) {
        code = cli_fail_err(&err);
    } else {
        r = creel_am_run(alloc.am, &error);
        code = ended(&alloc, r, &error);
    }
    creel_am_close(alloc.am);
    alloc_places_remove(alloc.locks);
    free_places(&alloc);
    free(alloc.locks);
    free(alloc.failure);
    return code;
}
