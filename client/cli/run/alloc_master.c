/* SPDX-License-Identifier: Apache-2.0 */
/* alloc_master.c - the application master of `creel alloc` and `creel attach`: this process */
#include "client/cli/run/alloc_master.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>

#include "client/cli/run/alloc_containers.h"
#include "client/cli/run/alloc_places.h"
#include "client/libcreel/am_open.h"
#include "client/libcreel/client.h"
#include "common/base/mem.h"
#include "common/base/text.h"

#define PRIORITY 1
#define HANG_UP_AGAIN_MS 1000
#define SIGNAL_CHECK_MS 500 /* interval of checks for signals before the application is in its queue */
#define KILL_MS 3000        /* for the answer to the kill of Ctrl-C */
#define CHECK_MS 100        /* interval at which containers are checked */
#define UNTITLED_MS 15000   /* for which untitled containers are kept; agents report a start sooner */
#define FAILURES_MAX 3      /* containers that end before all run, in addition to the number wanted */
#define STATE_TEXT "alloc"  /* of the stored state: "alloc 4" */

/* Runs in each container until it is stopped. */
static const char *const holder[] = { "/bin/sh", "-c",
                                      "trap 'exit 0' TERM; while :; do sleep 86400 & wait; done", NULL };

enum phase { PHASE_WAIT, PHASE_SHELL, PHASE_END };

struct alloc {
    struct cli *cli;
    const struct alloc_request *request;
    struct creel_am *am;
    struct alloc_containers containers;
    int64_t untitled_until_ms; /* monotonic clock: when those are released; 0: none was found */
    uint32_t wanted;
    enum phase phase;
    bool known; /* it has registered once */
    bool check_due;
    unsigned failures; /* containers that ended before all ran */
    char *failure;     /* owned: why the last one ended; NULL: none */
    char *locks;       /* owned: directory of the locks; NULL: not made */
    int hang_up_timer; /* of the next SIGHUP to the shell; 0: none */
    int cancelled;     /* signal that ended the wait; 0: none */
    bool lost;         /* the terminal is gone: the application stays */
    int exit_status;   /* of the command */
};

/* --- containers ----------------------------------------------------------------- */

static void ask(struct alloc *alloc)
{
    uint32_t live = alloc_containers_live(&alloc->containers) + alloc->containers.untitled;

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

static int start_shell(struct alloc *alloc, const char *hosts, struct err *err)
{
    const struct alloc_request *request = alloc->request;
    scoped_free char *app = mem_printf("CREEL_APP_ID=%s", request->app_id);
    scoped_free char *count = mem_printf("CREEL_ALLOC_COUNT=%u", alloc_containers_live(&alloc->containers));
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
    scoped_free char *hosts = alloc_containers_hosts(&alloc->containers);
    struct err err = { 0 };

    cli_print(alloc->cli, "creel: %s has %u container%s on %s", alloc->request->app_id,
              alloc_containers_live(&alloc->containers),
              alloc_containers_live(&alloc->containers) == 1 ? "" : "s", hosts);
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
        const struct alloc_container *container =
            alloc_containers_find(&alloc->containers, list->items[i].id);

        running += container && !container->ended && list->items[i].state == CREEL_CONTAINER_RUNNING;
    }
    creel_containers_free(list);
    return running >= alloc->wanted;
}

static void check_running(void *context, struct creel_am *am);

/* Begins the command when all containers run, or checks again later. */
static void check_later(struct alloc *alloc)
{
    uint32_t started = 0;

    for (const struct alloc_container *container = alloc->containers.all; container;
         container = container->hh.next)
        started += container->started && !container->ended;
    if (alloc->phase != PHASE_WAIT || alloc->check_due || started < alloc->wanted)
        return;
    alloc->check_due = true;
    creel_am_after(alloc->am, CHECK_MS, check_running);
}

static void check_running(void *context, struct creel_am *am)
{
    struct alloc *alloc = context;

    (void)am;
    alloc->check_due = false;
    if (alloc->phase != PHASE_WAIT)
        return;
    if (alloc_containers_live(&alloc->containers) >= alloc->wanted && all_run(alloc))
        begin_command(alloc);
    else
        check_later(alloc);
}

/* --- callbacks of the application master -------------------------------------------- */

static void on_granted(void *context, struct creel_am *am, const struct creel_am_container *granted)
{
    struct alloc *alloc = context;
    struct alloc_container *container =
        alloc_containers_add(&alloc->containers, granted->id, granted->node_id);
    scoped_free char *title = NULL;
    struct creel_am_launch launch = { .command = holder };

    alloc_containers_number(&alloc->containers, container, alloc_containers_free_number(&alloc->containers));
    launch.title = title = mem_printf("%u", container->number);
    (void)creel_am_start(am, granted->id, &launch);
}

/* --- containers of the former process ------------------------------------------------- */

/* Sets the number of an untitled container, if TITLE is one; else releases the container. */
static void adopt(struct alloc *alloc, struct alloc_container *container, const char *title)
{
    int64_t number;

    if (!text_parse_int64(title, &number) || number < 0 || number > UINT32_MAX) {
        (void)creel_am_release(alloc->am, container->id);
        return;
    }
    container->started = true;
    alloc_containers_number(&alloc->containers, container, (uint32_t)number);
}

/* Adopts the containers whose nodes have reported their start. */
static void adopt_titled(struct alloc *alloc)
{
    struct creel_containers *list;
    struct creel_error error;

    if (creel_container_list(alloc->cli->client, alloc->request->app_id, NULL, NULL, true, &list, &error) < 0)
        return; /* the resource manager is restarted, perhaps */
    for (size_t i = 0; i < list->count; i++) {
        struct alloc_container *container = alloc_containers_find(&alloc->containers, list->items[i].id);

        if (container && container->untitled && !container->ended && *list->items[i].title)
            adopt(alloc, container, list->items[i].title);
    }
    creel_containers_free(list);
}

/* Releases those that have no title for too long: they are exchanged for others. */
static void check_untitled(void *context, struct creel_am *am)
{
    struct alloc *alloc = context;

    if (alloc->containers.untitled > 0)
        adopt_titled(alloc);
    check_later(alloc);
    if (alloc->containers.untitled > 0 && loop_monotonic_ms() < alloc->untitled_until_ms) {
        creel_am_after(am, CHECK_MS, check_untitled);
        return;
    }
    alloc->untitled_until_ms = 0;
    for (struct alloc_container *container = alloc->containers.all; container; container = container->hh.next)
        if (container->untitled && !container->ended)
            (void)creel_am_release(am, container->id);
}

static void on_found(void *context, struct creel_am *am, const struct creel_am_container *found)
{
    struct alloc *alloc = context;
    struct alloc_container *container;

    if (alloc_containers_find(&alloc->containers, found->id)) /* it has registered again */
        return;
    container = alloc_containers_add(&alloc->containers, found->id, found->node_id);
    if (*found->title) {
        adopt(alloc, container, found->title);
    } else if (alloc->untitled_until_ms == 0) {
        alloc->untitled_until_ms = loop_monotonic_ms() + UNTITLED_MS;
        creel_am_after(am, CHECK_MS, check_untitled);
    }
}

/* --- ends ------------------------------------------------------------------------------ */

static void set_failure(struct alloc *alloc, const char *id, const char *why)
{
    free(alloc->failure);
    alloc->failure = mem_printf("container %s: %s", id, *why ? why : "it ended");
}

static void on_started(void *context, struct creel_am *am, const char *id, const char *error)
{
    struct alloc *alloc = context;
    struct alloc_container *container = alloc_containers_find(&alloc->containers, id);

    (void)am;
    if (container && !error)
        container->started = true;
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
    struct alloc_container *container = alloc_containers_find(&alloc->containers, id);

    (void)am;
    (void)exit_status;
    if (!container || container->ended)
        return;
    alloc_containers_end(&alloc->containers, container);
    if (container->untitled)
        ask(alloc);
    else if (alloc->phase == PHASE_WAIT)
        replace(alloc, id, diagnostics);
    else if (alloc->phase == PHASE_SHELL)
        cli_print(alloc->cli, "creel: container %s on %s ended%s%s; %u are left", id, container->host,
                  *diagnostics ? ": " : "", diagnostics, alloc_containers_live(&alloc->containers));
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
        alloc->wanted = alloc_containers_live(&alloc->containers) + alloc->containers.untitled > 0
                            ? alloc_containers_live(&alloc->containers) + alloc->containers.untitled
                            : 1;
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

static sigset_t set_of_ending(void)
{
    sigset_t ending;

    sigemptyset(&ending);
    for (size_t i = 0; i < sizeof(ending_signals) / sizeof(ending_signals[0]); i++)
        sigaddset(&ending, ending_signals[i]);
    return ending;
}

/* Blocks the ending signals: now they end calls of CLIENT with -EINTR. Returns the signalfd, or -1. */
static int block_signals(struct creel_client *client)
{
    sigset_t ending = set_of_ending();

    sigprocmask(SIG_BLOCK, &ending, NULL);
    client->interrupt_fd = signalfd(-1, &ending, SFD_CLOEXEC);
    return client->interrupt_fd;
}

static void discard_signals(void)
{
    const struct timespec now = { .tv_sec = 0 };
    sigset_t ending = set_of_ending();

    while (sigtimedwait(&ending, NULL, &now) > 0)
        ;
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
        discard_signals(); /* the next one ends the wait for the answer */
        cli_print(alloc->cli, "creel: killing %s (Ctrl-C again does not wait for its end)",
                  alloc->request->app_id);
        creel_set_timeout(alloc->cli->client, KILL_MS);
        if (creel_app_kill(alloc->cli->client, alloc->request->app_id, "cancelled while it waited", &failed) <
            0) {
            int code = cli_fail(&failed);

            fprintf(stderr, "creel: %s may be running; to end it: creel kill %s\n", alloc->request->app_id,
                    alloc->request->app_id);
            return code;
        }
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
        int r = creel_app_watch(alloc->cli->client, alloc->request->app_id, version, SIGNAL_CHECK_MS, &apps,
                                error);

        if (r == -EINTR)
            continue;
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

static int run(struct cli *cli, const struct alloc_request *request)
{
    struct alloc alloc = { .cli = cli, .request = request };
    struct creel_error error = { 0 };
    struct err err = { 0 };
    int code, r;

    r = wait_for_queue(&alloc, &error);
    if (r == 0 && !alloc.cancelled)
        r = open_master(&alloc, &error);
    if (r == -EINTR)
        alloc.cancelled = pending_signal();
    if (alloc.cancelled)
        return ended(&alloc, 0, &error);
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
    alloc_containers_done(&alloc.containers);
    free(alloc.locks);
    free(alloc.failure);
    return code;
}

int alloc_master_run(struct cli *cli, const struct alloc_request *request)
{
    int fd = block_signals(cli->client), code = run(cli, request);

    cli->client->interrupt_fd = -1;
    mem_close_fd(&fd);
    return code;
}
