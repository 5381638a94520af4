/* SPDX-License-Identifier: Apache-2.0 */
/* am_public.c - implements creel-am.h on the pure parts of the protocol (am_link, am_start) */
#include <errno.h>
#include <string.h>
#include <uthash.h>

#include "client/am/am_link.h"
#include "client/am/am_start.h"
#include "client/include/creel-am.h"
#include "client/libcreel/am.h"
#include "client/libcreel/am_capability.h"
#include "client/libcreel/am_launch.h"
#include "client/libcreel/am_open.h"
#include "client/libcreel/client.h"
#include "client/libcreel/reports.h"
#include "common/base/job/am_state.h"
#include "common/base/mem.h"
#include "common/base/text.h"

#define RM_RESEND_MS 2000
#define AGENT_RESEND_MS 3000
#define TURN_MAX_MS 5000

_Static_assert(CREEL_AM_STATE_MAX == AM_STATE_BYTES_MAX, "the limit of the resource manager");

struct held_container {
    char *id, *node_id, *address, *key;
    ProtobufCBinaryData token;
    Creel__LaunchContext *launch; /* owned; NULL: not started */
    uint32_t version;             /* how often its size has changed */
    bool restores, complete;      /* RESTORES: its agent restores escaped texts */
    UT_hash_handle hh;
};

struct wanted { /* requests of one priority; am_link borrows CAPABILITY */
    uint32_t priority;
    Creel__Resource *capability; /* owned */
    struct wanted *next;
};

struct later {
    struct creel_am *am;
    void (*fn)(void *context, struct creel_am *am);
    int timer;
    struct later *next;
};

struct creel_am {
    struct creel_am_calls calls;
    void *context;
    struct am_environment environment;
    struct loop *loop;
    struct am_shell *shell;
    struct am_link *link;
    struct am_starts *starts;
    struct arena *arena;
    struct held_container *held; /* by id: all containers ever granted, also complete ones */
    struct wanted *wanted;
    struct later *later;
    ProtobufCBinaryData state;       /* owned: to be stored */
    ProtobufCBinaryData found_state; /* owned: as it was at the first registration */
    int timer;
    bool running, over, registered;
    bool unmanaged; /* no agent ends this process when its attempt has ended and its key is refused */
    bool busy;      /* in callbacks: their changes are sent afterwards */
    int result;
    struct err err;
};

/* --- containers ------------------------------------------------------------- */

static struct held_container *find(const struct creel_am *am, const char *id)
{
    struct held_container *held;

    HASH_FIND_STR(am->held, id, held);
    return held;
}

static void free_launch(struct held_container *held)
{
    if (held->launch)
        creel__launch_context__free_unpacked(held->launch, NULL);
    held->launch = NULL;
}

static struct held_container *add(struct creel_am *am, const Creel__Container *container)
{
    struct held_container *held = mem_new0(struct held_container);

    held->id = mem_strdup(container->container_id);
    held->version = container->version;
    held->restores = container->restores;
    held->node_id = mem_strdup(container->node_id);
    held->address = mem_strdup(container->node_address);
    held->key = mem_strdup(container->agent_key);
    held->token.len = container->token.len;
    if (container->token.len)
        held->token.data = mem_dup(container->token.data, container->token.len);
    HASH_ADD_KEYPTR(hh, am->held, held->id, strlen(held->id), held);
    return held;
}

static struct creel_am_container view(const Creel__Container *container)
{
    return (struct creel_am_container){
        .id = container->container_id,
        .node_id = container->node_id,
        .title = container->title,
        .priority = container->priority,
        .memory_mb = container->resource ? container->resource->memory_mb : 0,
        .vcores = container->resource ? container->resource->vcores : 0,
        .resource = reports_resource(container->resource),
    };
}

static void on_completed(struct creel_am *am, const Creel__ContainerStatus *status)
{
    struct held_container *held = find(am, status->container_id);

    am_link_note_end(am->link, status, held ? held->node_id : NULL, loop_monotonic_ms());
    if (!held || held->complete)
        return;
    am_starts_drop(am->starts, held->id);
    held->complete = true;
    free_launch(held);
    if (am->calls.completed)
        am->calls.completed(am->context, am, held->id, status->exit_status, status->diagnostics);
}

static void release_container(struct creel_am *am, struct held_container *held)
{
    am_starts_drop(am->starts, held->id);
    am_link_release(am->link, held->id);
}

static Creel__LaunchContext *launch_of(void *context, void *owner, struct arena *arena)
{
    const struct held_container *held = owner;
    const struct creel_am *am = context;
    Creel__LaunchContext *launch = am_launch_escape(held->launch, arena);

    launch->job_token.data = am->environment.job_token;
    launch->job_token.len = am->environment.job_token_size;
    return launch;
}

static void on_start_answered(void *context, void *owner, const Creel__Error *error, bool silent)
{
    struct creel_am *am = context;
    struct held_container *held = owner;

    (void)silent; /* libcreel repeats without limit */
    if (error)
        release_container(am, held);
    if (am->calls.started)
        am->calls.started(am->context, am, held->id, error ? error->message : NULL);
}

/* --- messages of the RM ----------------------------------------------------- */

static void set_bytes(ProtobufCBinaryData *owned, const void *data, size_t size)
{
    free(owned->data);
    owned->data = size > 0 ? mem_dup(data, size) : NULL;
    owned->len = size;
}

/* Calls `updated` if CONTAINER has another version than before. It is lower if the resource manager has lost
 * the last change. */
static void note_version(struct creel_am *am, const Creel__Container *container)
{
    struct held_container *held = find(am, container->container_id);
    struct creel_am_container shown = view(container);

    if (held == NULL || held->complete || container->version == held->version)
        return;
    held->version = container->version;
    if (am->calls.updated)
        am->calls.updated(am->context, am, &shown);
}

static void on_registered(struct creel_am *am, const Creel__RegisterAmReply *reply)
{
    if (!am->registered)
        set_bytes(&am->found_state, reply->am_state.data, reply->am_state.len);
    am->registered = true;
    for (size_t i = 0; i < reply->n_completed; i++)
        on_completed(am, reply->completed[i]);
    for (size_t i = 0; i < reply->n_running; i++) {
        struct creel_am_container container = view(reply->running[i]);

        note_version(am, reply->running[i]);
        if (text_equal(container.id, am->environment.container_id) || find(am, container.id))
            continue;
        add(am, reply->running[i])->launch = mem_new0(Creel__LaunchContext);
        creel__launch_context__init(find(am, container.id)->launch);
        if (am->calls.found)
            am->calls.found(am->context, am, &container);
    }
    if (am->calls.registered)
        am->calls.registered(am->context, am);
}

static void on_preempted(struct creel_am *am, Creel__PreemptedContainer **list, size_t count, bool negotiable)
{
    for (size_t i = 0; i < count; i++)
        if (find(am, list[i]->container_id))
            am->calls.preempted(am->context, am, list[i]->container_id, list[i]->deadline_ms, negotiable);
}

static void on_updated(struct creel_am *am, const Creel__AllocateReply *reply)
{
    for (size_t i = 0; i < reply->n_updated; i++)
        note_version(am, reply->updated[i]);
    for (size_t i = 0; i < reply->n_update_errors; i++) {
        const Creel__ContainerUpdateError *error = reply->update_errors[i];

        if (find(am, error->container_id) && am->calls.update_refused)
            am->calls.update_refused(am->context, am, error->container_id, error->reason, error->message);
    }
}

static void on_allocated(struct creel_am *am, const Creel__AllocateReply *reply)
{
    for (size_t i = 0; i < reply->n_allocated; i++) {
        struct creel_am_container container = view(reply->allocated[i]);

        if (find(am, container.id))
            continue;
        add(am, reply->allocated[i]);
        if (am->calls.granted)
            am->calls.granted(am->context, am, &container);
        else
            release_container(am, find(am, container.id));
    }
    on_updated(am, reply);
    for (size_t i = 0; i < reply->n_completed; i++)
        on_completed(am, reply->completed[i]);
    for (size_t i = 0; reply->preemption && am->calls.spared && i < reply->preemption->n_spared; i++)
        if (find(am, reply->preemption->spared[i]->container_id))
            am->calls.spared(am->context, am, reply->preemption->spared[i]->container_id);
    if (reply->preemption && am->calls.preempted) {
        on_preempted(am, reply->preemption->strict, reply->preemption->n_strict, false);
        on_preempted(am, reply->preemption->negotiable, reply->preemption->n_negotiable, true);
    }
}

static void stop(struct creel_am *am, int result)
{
    am->over = true;
    am->result = result;
    loop_stop(am->loop);
}

static void on_rm(struct creel_am *am, const Creel__Envelope *envelope)
{
    struct am_news news = am_link_receive(am->link, loop_monotonic_ms(), envelope);

    switch (news.kind) {
    case AM_NEWS_NONE:
    case AM_NEWS_RESYNC:
        break;
    case AM_NEWS_REGISTERED:
        on_registered(am, news.registered);
        break;
    case AM_NEWS_ALLOCATED:
        on_allocated(am, news.allocated);
        break;
    case AM_NEWS_FINISHED:
        stop(am, 0);
        break;
    case AM_NEWS_REFUSED:
    case AM_NEWS_OVER:
        stop(am, err_set(&am->err, EBUSY, "%s: %s", am->environment.app_id, news.text));
        break;
    }
}

/* --- the loop --------------------------------------------------------------- */

static void on_timer(void *context);

static void send_all(struct creel_am *am, int64_t now_ms)
{
    struct am_start_batch batch;
    Creel__Envelope *envelope;

    while (am_starts_next(am->starts, now_ms, am->arena, &batch))
        (void)am_shell_send_agent(am->shell, batch.address, batch.agent_key, batch.envelope, NULL);
    while ((envelope = am_link_poll(am->link, now_ms, am->arena)))
        if (am_shell_send_rm(am->shell, envelope, &am->err) < 0)
            stop(am, -am->err.code);
    arena_reset(am->arena);
}

static void turn(struct creel_am *am)
{
    int64_t now_ms = loop_monotonic_ms(), next_ms, starts_ms;

    if (!am->running || am->over || am->busy)
        return;
    if (am->unmanaged && am_shell_rm_refuses(am->shell)) {
        stop(am, err_set(&am->err, EBUSY, "%s: is over, or the resource manager does not know it",
                         am->environment.app_id));
        return;
    }
    send_all(am, now_ms);
    next_ms = am_link_next_deadline_ms(am->link);
    starts_ms = am_starts_next_deadline_ms(am->starts);
    if (starts_ms < next_ms)
        next_ms = starts_ms;
    if (next_ms > now_ms + TURN_MAX_MS)
        next_ms = now_ms + TURN_MAX_MS;
    loop_cancel_timer(am->loop, am->timer);
    am->timer = loop_add_timer(am->loop, next_ms > now_ms ? next_ms - now_ms : 0, on_timer, am);
}

static void on_timer(void *context)
{
    struct creel_am *am = context;

    am->timer = 0;
    turn(am);
}

static void on_message(void *context, const char *address, const Creel__Envelope *envelope)
{
    struct creel_am *am = context;

    if (am->over)
        return;
    am->busy = true;
    if (address)
        am_starts_receive(am->starts, address, envelope);
    else
        on_rm(am, envelope);
    am->busy = false;
    turn(am);
}

/* --- public functions ------------------------------------------------------- */

static ProtobufCBinaryData state_to_store(void *context, struct arena *arena)
{
    const struct creel_am *am = context;

    (void)arena;
    return am->state;
}

static int set_up(struct creel_am *am, struct err *err)
{
    int r = loop_new(&am->loop, err);

    if (r < 0)
        return r;
    am->shell = am_shell_new(am->loop, &am->environment, on_message, am);
    am->link = am_link_new(am->environment.host, RM_RESEND_MS);
    am_link_set_state(am->link, state_to_store, am);
    am->starts = am_starts_new(AGENT_RESEND_MS, 0, launch_of, on_start_answered, am);
    am->arena = arena_new();
    return 0;
}

int am_open_with(const struct am_open *open, struct creel_am **ret, struct err *err)
{
    struct creel_am *am = mem_new0(struct creel_am);
    int r;

    am->calls = *open->calls;
    am->context = open->context;
    am->environment = *open->environment;
    *open->environment = (struct am_environment){ .lock_fd = -1 };
    r = set_up(am, err);
    if (r < 0) {
        creel_am_close(am);
        return r;
    }
    am_link_set_session(am->link, open->session);
    am->unmanaged = open->session != 0;
    *ret = am;
    return 0;
}

struct loop *am_loop(struct creel_am *am)
{
    return am->loop;
}

static void free_lists(struct creel_am *am)
{
    struct held_container *held, *next;

    HASH_ITER(hh, am->held, held, next) {
        HASH_DEL(am->held, held);
        free_launch(held);
        free(held->id);
        free(held->node_id);
        free(held->address);
        free(held->key);
        free(held->token.data);
        free(held);
    }
    while (am->wanted) {
        struct wanted *wanted = am->wanted;

        am->wanted = wanted->next;
        creel__resource__free_unpacked(wanted->capability, NULL);
        free(wanted);
    }
    while (am->later) {
        struct later *later = am->later;

        am->later = later->next;
        loop_cancel_timer(am->loop, later->timer);
        free(later);
    }
}

CREEL_EXPORT
void creel_am_close(struct creel_am *am)
{
    if (!am)
        return;
    am_starts_free(am->starts);
    am_link_free(am->link);
    free_lists(am);
    am_shell_free(am->shell);
    if (am->loop)
        loop_cancel_timer(am->loop, am->timer);
    loop_free(am->loop);
    arena_free(am->arena);
    free(am->state.data);
    free(am->found_state.data);
    am_environment_done(&am->environment);
    free(am);
}

CREEL_EXPORT
const char *creel_am_app_id(const struct creel_am *am)
{
    return am->environment.app_id;
}

CREEL_EXPORT
void creel_am_ask_resource(struct creel_am *am, uint32_t priority, const struct creel_resource *each,
                           uint32_t count)
{
    struct wanted *wanted = am->wanted;

    while (wanted && (wanted->priority != priority || !am_capability_is(wanted->capability, each)))
        wanted = wanted->next;
    if (!wanted) {
        wanted = mem_new0(struct wanted);
        wanted->priority = priority;
        wanted->capability = am_capability_new(each);
        wanted->next = am->wanted;
        am->wanted = wanted;
    }
    am_link_set_demand(am->link, priority, wanted->capability, count);
    turn(am);
}

CREEL_EXPORT
void creel_am_ask(struct creel_am *am, uint32_t priority, int64_t memory_mb, int64_t vcores, uint32_t count)
{
    struct creel_resource each = { .memory_mb = memory_mb, .vcores = vcores };

    creel_am_ask_resource(am, priority, &each, count);
}

CREEL_EXPORT
int creel_am_start(struct creel_am *am, const char *id, const struct creel_am_launch *launch)
{
    struct held_container *held = find(am, id);

    if (!held || held->complete)
        return -ENOENT;
    if (held->launch)
        return -EBUSY;
    if (!launch->command || !launch->command[0])
        return -EINVAL;
    held->launch = am_launch_new(launch, held->restores);
    if (!held->launch)
        return -EOPNOTSUPP;
    am_starts_add(am->starts, &(struct am_start_place){ held->id, held->address, held->key, held->token },
                  held);
    turn(am);
    return 0;
}

CREEL_EXPORT
int creel_am_update(struct creel_am *am, const char *id, enum creel_am_update type,
                    const struct creel_resource *size)
{
    struct held_container *held = find(am, id);

    if (!held || held->complete)
        return -ENOENT;
    am_link_update(am->link, held->id, held->version, (Creel__ContainerUpdateType)type,
                   am_capability_new(size));
    turn(am);
    return 0;
}

CREEL_EXPORT
int creel_am_release(struct creel_am *am, const char *id)
{
    struct held_container *held = find(am, id);

    if (!held || held->complete)
        return -ENOENT;
    release_container(am, held);
    turn(am);
    return 0;
}

CREEL_EXPORT
void creel_am_progress(struct creel_am *am, double progress, uint32_t tasks_total, uint32_t tasks_running,
                       uint32_t tasks_succeeded, uint32_t tasks_failed)
{
    Creel__TaskCounts counts = CREEL__TASK_COUNTS__INIT;

    counts.total = tasks_total;
    counts.running = tasks_running;
    counts.succeeded = tasks_succeeded;
    counts.failed = tasks_failed;
    am_link_progress(am->link, (float)(progress < 0 ? 0 : progress > 1 ? 1 : progress), &counts);
}

CREEL_EXPORT
int creel_am_set_state(struct creel_am *am, const void *data, size_t size)
{
    if (size > CREEL_AM_STATE_MAX)
        return -EMSGSIZE;
    set_bytes(&am->state, data, size);
    am_link_state_changed(am->link);
    am_link_hurry(am->link);
    turn(am);
    return 0;
}

CREEL_EXPORT
const void *creel_am_state(const struct creel_am *am, size_t *size)
{
    *size = am->found_state.len;
    return am->found_state.data;
}

CREEL_EXPORT
void creel_am_finish(struct creel_am *am, enum creel_final_status status, int exit_status,
                     const char *diagnostics)
{
    struct held_container *held;

    for (held = am->held; held; held = held->hh.next)
        if (!held->complete)
            release_container(am, held);
    am_link_finish(am->link, (Creel__FinalStatus)status, exit_status, diagnostics ? diagnostics : "");
    turn(am);
}

CREEL_EXPORT
int creel_am_run(struct creel_am *am, struct creel_error *error)
{
    am->running = true;
    am_link_start(am->link, loop_monotonic_ms());
    turn(am);
    if (!am->over)
        loop_run(am->loop);
    am->running = false;
    return client_set_error(error, &am->err, am->result);
}

static void run_later(void *context)
{
    struct later *later = context, **link;
    struct creel_am *am = later->am;
    void (*fn)(void *, struct creel_am *) = later->fn;

    for (link = &am->later; *link != later; link = &(*link)->next)
        continue;
    *link = later->next;
    free(later);
    fn(am->context, am);
    turn(am);
}

CREEL_EXPORT
void creel_am_after(struct creel_am *am, int64_t delay_ms, void (*fn)(void *context, struct creel_am *am))
{
    struct later *later = mem_new0(struct later);

    later->am = am;
    later->fn = fn;
    later->next = am->later;
    am->later = later;
    later->timer = loop_add_timer(am->loop, delay_ms, run_later, later);
}
