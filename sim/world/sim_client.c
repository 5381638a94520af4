/* SPDX-License-Identifier: Apache-2.0 */
/* sim_client.c - a client of a world: repeats submissions until they are answered, kills some jobs, and runs
 * the AMs of unmanaged applications */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/id.h"
#include "common/base/mem.h"
#include "sim/world/actors.h"

#define JOBS_MAX 8
#define ASK_AGAIN_MS 2000
#define TAKEOVERS_MAX 3

struct job {
    char key[32];
    Creel__AppKind kind;
    uint32_t tasks;
    int64_t memory_mb;
    char exit_text[8];
    char array[16];       /* indexes of the tasks of an array; "": the job is no array */
    bool depends;         /* the job depends on the previous one, if that has an id */
    int64_t begin_ms;     /* 0: at once */
    int corr;             /* number of the array for whose tasks its own wait; -1: none */
    bool corr_sent;       /* the submission names that array */
    const char *retry_on; /* "": never */
    uint32_t retries;
    unsigned requeues;     /* requests to requeue it that are left */
    unsigned resizes;      /* requests to resize its first container that are left */
    bool unmanaged;        /* its AM runs at the client */
    bool vanishes;         /* ... and ends without a word at some time */
    bool is_over;          /* the RM answered that the unmanaged application has ended */
    unsigned takeovers;    /* processes that take the AM's place, each at some time */
    unsigned access;       /* number of processes that asked for access before the one that asks now */
    struct sim_am *master; /* owned; NULL before the RM has answered GetAmAccess */
    struct sim_am *former[TAKEOVERS_MAX]; /* owned; the AMs before it, which may still run */
    unsigned former_count;
    bool to_kill;             /* the client kills the job some time after it was accepted */
    char app_id[ID_TEXT_MAX]; /* "" until the submission is accepted */
    bool refused, killed;     /* the RM answered this to the submission or the kill */
};

struct sim_client {
    struct world *world;
    unsigned index, count;
    struct job jobs[JOBS_MAX];
};

/* Request ids contain the kind of the request and the job's number, so that replies can be matched. For an
 * access it contains the number of the process that asks, too: another one ignores late replies. */
#define REQUEST_SUBMIT 100u
#define REQUEST_KILL 200u
#define REQUEST_REQUEUE 300u
#define REQUEST_RESIZE 350u
#define REQUEST_ACCESS 400u
#define REQUEST_ACCESS_NEXT 100u /* of the next process */

/* Returns the queue of a job. With the fair scheduler some queues are created by their first job, and removed
 * when they are empty. */
static const char *queue_of(const struct world *world, const struct job *job)
{
    static const char *const fair[] = { "root.a", "b", "made.by.need", "made.otherwise" };

    switch (world->plan.queues) {
    case WORLD_CAPACITY:
        return job->tasks % 2 == 0 ? "root.a" : "b";
    case WORLD_FAIR:
        return fair[job->tasks % 4];
    default:
        return NULL;
    }
}

/* A job as it is sent, or given to its AM, with the messages in it. */
struct job_message {
    Creel__JobSpec spec;
    Creel__LaunchContext launch;
    Creel__Resource resource;
    char command[8], name[8], *argv[2];
};

static void fill_message(struct job_message *message, struct job *job)
{
    *message = (struct job_message){
        .spec = CREEL__JOB_SPEC__INIT,
        .launch = CREEL__LAUNCH_CONTEXT__INIT,
        .resource = CREEL__RESOURCE__INIT,
        .command = "task",
        .name = "job",
    };
    message->argv[0] = message->command;
    message->argv[1] = job->exit_text;
    message->launch.command = message->argv;
    message->launch.n_command = 2;
    message->resource.memory_mb = job->memory_mb;
    message->resource.vcores = 1;
    message->spec.name = message->name;
    message->spec.kind = job->kind;
    message->spec.launch = &message->launch;
    message->spec.resource = &message->resource;
    message->spec.task_count = job->tasks;
    message->spec.max_attempts = 100;
}

/* One of: longer than most jobs run; over before the next report of the agent, so that the report of the end
 * is the first one of the start; no limit. */
static int64_t time_limit_s(unsigned number)
{
    switch (number % 5) {
    case 2:
        return 40;
    case 0:
    case 4:
        return 1;
    default:
        return 0;
    }
}

static void send_submit(struct sim_client *client, unsigned number)
{
    struct job *job = &client->jobs[number];
    struct sim_sender from = { SIM_CLIENT, client, 1 };
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__SubmitApp submit = CREEL__SUBMIT_APP__INIT;
    char depends_on[ID_TEXT_MAX + 8];
    struct job_message message;

    fill_message(&message, job);
    if (job->unmanaged) {
        message.spec.kind = CREEL__APP_KIND__APP_MASTER;
        message.spec.task_count = 0;
        message.spec.unmanaged = true;
        message.spec.max_attempts = 1;
    }
    message.spec.array = job->array;
    message.spec.begin_ms = job->begin_ms;
    message.spec.time_limit_s = time_limit_s(number);
    if (job->depends && number > 0 && job[-1].app_id[0] != '\0') {
        snprintf(depends_on, sizeof(depends_on), "any:%s", job[-1].app_id);
        message.spec.depends_on = depends_on;
    }
    if (job->corr >= 0) {
        job->corr_sent = true;
        snprintf(depends_on, sizeof(depends_on), "corr:%s", client->jobs[job->corr].app_id);
        message.spec.depends_on = depends_on;
    }
    message.spec.retry_on = (char *)(uintptr_t)job->retry_on;
    message.spec.retries = job->retries;
    /* One of: shorter than the expiry of nodes, but longer than replies may be late; longer than the expiry;
     * no limit. */
    message.spec.stop_after_ms = number % 3 == 1 ? 8000 : number % 3 == 2 ? 15000 : 0;
    submit.job = &message.spec;
    submit.submission_key = job->key;
    envelope.request_id = REQUEST_SUBMIT + number;
    message.spec.queue = (char *)(uintptr_t)queue_of(client->world, job);
    envelope.body_case = CREEL__ENVELOPE__BODY_SUBMIT_APP;
    envelope.submit_app = &submit;
    world_send(client->world, from, SIM_RM, client->world->rm, 0, &envelope);
}

static void send_kill(struct sim_client *client, unsigned number)
{
    struct sim_sender from = { SIM_CLIENT, client, 1 };
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__KillApp kill = CREEL__KILL_APP__INIT;

    kill.app_id = client->jobs[number].app_id;
    envelope.request_id = REQUEST_KILL + number;
    envelope.body_case = CREEL__ENVELOPE__BODY_KILL_APP;
    envelope.kill_app = &kill;
    world_send(client->world, from, SIM_RM, client->world->rm, 0, &envelope);
}

/* Sends RequeueApp for the job, also if it does not run. Repeats it until `requeues` of the job is 0. */
static void requeue(struct world *world, void *actor, void *data)
{
    struct sim_client *client = actor;
    unsigned number = *(const unsigned *)data;
    struct sim_sender from = { SIM_CLIENT, client, 1 };
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__RequeueApp body = CREEL__REQUEUE_APP__INIT;

    body.app_id = client->jobs[number].app_id;
    envelope.request_id = REQUEST_REQUEUE + number;
    envelope.body_case = CREEL__ENVELOPE__BODY_REQUEUE_APP;
    envelope.requeue_app = &body;
    world_send(world, from, SIM_RM, world->rm, 0, &envelope);
    if (--client->jobs[number].requeues > 0)
        world_after(world, rng_between(&world->rng, 1000, 20000), requeue, client,
                    mem_dup(&number, sizeof(number)));
}

/* Requests another size for the first container of the job, also if it does not run, a few times. */
static void resize(struct world *world, void *actor, void *data)
{
    struct sim_client *client = actor;
    unsigned number = *(const unsigned *)data;
    struct sim_sender from = { SIM_CLIENT, client, 1 };
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__ResizeContainer body = CREEL__RESIZE_CONTAINER__INIT;
    Creel__Resource resource = CREEL__RESOURCE__INIT;
    char container_id[2 * ID_TEXT_MAX];

    snprintf(container_id, sizeof(container_id), "%s_01_000001", strchr(client->jobs[number].app_id, '_'));
    resource.memory_mb = rng_between(&world->rng, 1, 16) * 64;
    body.container_id = container_id;
    body.resource = &resource;
    body.cancel = rng_chance(&world->rng, 100);
    envelope.request_id = REQUEST_RESIZE + number;
    envelope.body_case = CREEL__ENVELOPE__BODY_RESIZE_CONTAINER;
    envelope.resize_container = &body;
    world_send(world, from, SIM_RM, world->rm, 0, &envelope);
    if (--client->jobs[number].resizes > 0)
        world_after(world, rng_between(&world->rng, 500, 10000), resize, client,
                    mem_dup(&number, sizeof(number)));
}

static void submit_until_answered(struct world *world, void *actor, void *data)
{
    struct sim_client *client = actor;
    unsigned number = *(const unsigned *)data;
    struct job *job = &client->jobs[number];

    if (job->app_id[0] != '\0' || job->refused)
        return;
    if (job->corr < 0 || job->corr_sent || client->jobs[job->corr].app_id[0] != '\0')
        send_submit(client, number);
    world_after(world, ASK_AGAIN_MS, submit_until_answered, client, mem_dup(&number, sizeof(number)));
}

static void kill_until_answered(struct world *world, void *actor, void *data)
{
    struct sim_client *client = actor;
    unsigned number = *(const unsigned *)data;

    if (client->jobs[number].killed)
        return;
    send_kill(client, number);
    world_after(world, ASK_AGAIN_MS, kill_until_answered, client, mem_dup(&number, sizeof(number)));
}

/* --- unmanaged applications --------------------------------------------------- */

static void ask_access_until_answered(struct world *world, void *actor, void *data)
{
    struct sim_client *client = actor;
    unsigned number = *(const unsigned *)data;
    struct job *job = &client->jobs[number];
    struct sim_sender from = { SIM_CLIENT, client, 1 };
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__GetAmAccess body = CREEL__GET_AM_ACCESS__INIT;

    if (job->master || job->is_over)
        return;
    body.app_id = job->app_id;
    envelope.request_id = REQUEST_ACCESS + job->access * REQUEST_ACCESS_NEXT + number;
    envelope.body_case = CREEL__ENVELOPE__BODY_GET_AM_ACCESS;
    envelope.get_am_access = &body;
    world_send(world, from, SIM_RM, world->rm, 0, &envelope);
    world_after(world, ASK_AGAIN_MS, ask_access_until_answered, client, mem_dup(&number, sizeof(number)));
}

static void vanish(struct world *world, void *actor, void *data)
{
    (void)data;
    world_note(world, "the unmanaged AM %s vanishes", sim_am_attempt(actor));
    sim_am_kill(actor);
}

/* Another process becomes the AM. The former one is dead, or finds out later. */
static void take_over(struct world *world, void *actor, void *data)
{
    struct sim_client *client = actor;
    unsigned number = *(const unsigned *)data;
    struct job *job = &client->jobs[number];

    if (sim_am_life(job->master) == 0)
        return; /* it has ended */
    world_note(world, "another process takes over from the unmanaged AM %s", sim_am_attempt(job->master));
    if (rng_chance(&world->rng, 500))
        sim_am_kill(job->master);
    job->former[job->former_count++] = job->master;
    job->master = NULL;
    job->access++;
    ask_access_until_answered(world, client, &number);
}

static void plan_takeover(struct sim_client *client, unsigned number)
{
    struct job *job = &client->jobs[number];

    job->takeovers--;
    world_after(client->world, rng_between(&client->world->rng, 0, 15000), take_over, client,
                mem_dup(&number, sizeof(number)));
}

/* Starts the AM of JOB, with the session of REPLY. A late reply to a repeated request is ignored: its session
 * is another one. */
static void begin_master(struct sim_client *client, unsigned number, const Creel__AmAccess *reply)
{
    struct job *job = &client->jobs[number];
    struct job_message message;

    if (job->master)
        return;
    fill_message(&message, job);
    world_note(client->world, "the unmanaged AM of %s begins", job->app_id);
    job->master = sim_am_new_unmanaged(client->world, job->app_id, reply->session, &message.spec);
    if (job->takeovers > 0)
        plan_takeover(client, number);
    else if (job->vanishes)
        world_after(client->world, rng_between(&client->world->rng, 0, 30000), vanish, job->master, NULL);
}

static void on_access(struct sim_client *client, uint64_t id, const Creel__Envelope *envelope)
{
    unsigned number = (unsigned)(id % REQUEST_ACCESS_NEXT);
    struct job *job = &client->jobs[number];

    if ((id - REQUEST_ACCESS) / REQUEST_ACCESS_NEXT != job->access)
        return;
    if (envelope->body_case == CREEL__ENVELOPE__BODY_AM_ACCESS)
        begin_master(client, number, envelope->am_access);
    else if (envelope->body_case == CREEL__ENVELOPE__BODY_ERROR &&
             envelope->error->code == CREEL__ERROR_CODE__ERROR_BAD_STATE)
        job->is_over = true;
}

/* --- jobs --------------------------------------------------------------------- */

/* Makes JOB an array whose tasks wait for those of the array before it, which has number PARENT. */
static void wait_for_tasks(struct job *job, unsigned parent)
{
    job->kind = CREEL__APP_KIND__APP_COMMAND;
    job->tasks = 0;
    job->unmanaged = false;
    job->corr = (int)parent;
    memcpy(job->array, job[-1].array, sizeof(job->array));
}

struct sim_client *sim_client_new(struct world *world, unsigned index, unsigned jobs)
{
    struct sim_client *client = mem_new0(struct sim_client);
    struct rng *rng = &world->rng;

    client->world = world;
    client->index = index;
    client->count = jobs;
    for (unsigned i = 0; i < jobs; i++) {
        struct job *job = &client->jobs[i];

        snprintf(job->key, sizeof(job->key), "client-%u-job-%u", index, i);
        job->kind = rng_chance(rng, 700) ? CREEL__APP_KIND__APP_TASKS : CREEL__APP_KIND__APP_COMMAND;
        job->tasks = job->kind == CREEL__APP_KIND__APP_TASKS ? 1 + (uint32_t)rng_below(rng, 8) : 0;
        job->memory_mb = rng_between(rng, 1, 12) * 64;
        snprintf(job->exit_text, sizeof(job->exit_text), "%d",
                 rng_chance(rng, 800) ? 0 : (int)rng_between(rng, 1, 99));
        job->unmanaged = job->kind == CREEL__APP_KIND__APP_TASKS && rng_chance(rng, 250);
        job->vanishes = job->unmanaged && rng_chance(rng, 200);
        job->takeovers =
            job->unmanaged && rng_chance(rng, 500) ? 1 + (unsigned)rng_below(rng, TAKEOVERS_MAX) : 0;
        job->to_kill = rng_chance(rng, 150);
        job->requeues = rng_chance(rng, 200) ? 1 + (unsigned)rng_below(rng, 3) : 0;
        job->resizes = rng_chance(rng, 400) ? 1 + (unsigned)rng_below(rng, 5) : 0;
        job->retry_on = "";
        if (job->kind == CREEL__APP_KIND__APP_COMMAND && rng_chance(rng, 500)) {
            job->retry_on = rng_chance(rng, 500) ? "node,preempt,exit:75" : "exit:75";
            job->retries = (uint32_t)rng_between(rng, 1, 3);
            if (rng_chance(rng, 500))
                snprintf(job->exit_text, sizeof(job->exit_text), "75");
        }
        job->corr = -1;
        if (job->kind == CREEL__APP_KIND__APP_COMMAND && i % 3 == 0)
            snprintf(job->array, sizeof(job->array), "1-%u%%2", 2 + index % 4);
        if (i > 0 && *job[-1].array && rng_chance(rng, 600))
            wait_for_tasks(job, i - 1);
        job->depends = job->kind == CREEL__APP_KIND__APP_COMMAND && i % 3 == 1 && job->corr < 0;
        job->begin_ms = job->kind == CREEL__APP_KIND__APP_COMMAND && i % 3 == 2 ? world->now_ms + 30000 : 0;
        world_after(world, rng_between(rng, 0, 60000), submit_until_answered, client, mem_dup(&i, sizeof(i)));
    }
    return client;
}

void sim_client_free(struct sim_client *client)
{
    for (unsigned i = 0; i < client->count; i++) {
        struct job *job = &client->jobs[i];

        if (job->master)
            sim_am_free(job->master);
        for (unsigned k = 0; k < job->former_count; k++)
            sim_am_free(job->former[k]);
    }
    free(client);
}

static void on_submitted(struct sim_client *client, unsigned number, const char *app_id)
{
    struct job *job = &client->jobs[number];

    if (job->app_id[0] != '\0') {
        if (strcmp(job->app_id, app_id) != 0)
            world_fail(client->world, "one submission became two: %s and %s", job->app_id, app_id);
        return;
    }
    strncpy(job->app_id, app_id, sizeof(job->app_id) - 1);
    ledger_accepted(client->world->ledger, app_id);
    if (job->corr_sent)
        ledger_corr(client->world->ledger, app_id, client->jobs[job->corr].app_id,
                    strcmp(client->jobs[job->corr].exit_text, "0") == 0);
    if (job->unmanaged)
        ask_access_until_answered(client->world, client, &number);
    if (job->resizes > 0)
        world_after(client->world, rng_between(&client->world->rng, 0, 10000), resize, client,
                    mem_dup(&number, sizeof(number)));
    if (job->requeues > 0)
        world_after(client->world, rng_between(&client->world->rng, 0, 20000), requeue, client,
                    mem_dup(&number, sizeof(number)));
    if (job->to_kill)
        world_after(client->world, rng_between(&client->world->rng, 0, 20000), kill_until_answered, client,
                    mem_dup(&number, sizeof(number)));
}

static void on_refused(struct sim_client *client, unsigned number, const Creel__Error *error)
{
    struct job *job = &client->jobs[number];

    /* After a temporary refusal (because of the store, a restart, or nodes that are down) the client tries
     * again; a permanent refusal of one of these jobs would be an error. */
    if (error->code == CREEL__ERROR_CODE__ERROR_STORE ||
        error->code == CREEL__ERROR_CODE__ERROR_UNAVAILABLE ||
        error->code == CREEL__ERROR_CODE__ERROR_NEVER_RUNS)
        return;
    if (job->app_id[0] != '\0')
        return;
    job->refused = true;
    world_fail(client->world, "a good submission is refused: %s", error->message);
}

void sim_client_receive(struct sim_client *client, const Creel__Envelope *envelope)
{
    uint64_t id = envelope->request_id;

    if (id >= REQUEST_SUBMIT && id < REQUEST_SUBMIT + client->count) {
        unsigned number = (unsigned)(id - REQUEST_SUBMIT);

        if (envelope->body_case == CREEL__ENVELOPE__BODY_SUBMIT_APP_REPLY)
            on_submitted(client, number, envelope->submit_app_reply->app_id);
        else if (envelope->body_case == CREEL__ENVELOPE__BODY_ERROR)
            on_refused(client, number, envelope->error);
    } else if (id >= REQUEST_KILL && id < REQUEST_KILL + client->count) {
        unsigned number = (unsigned)(id - REQUEST_KILL);

        if (envelope->body_case == CREEL__ENVELOPE__BODY_ERROR &&
            envelope->error->code == CREEL__ERROR_CODE__ERROR_NOT_FOUND)
            world_fail(client->world, "%s was accepted, and cannot be killed: %s",
                       client->jobs[number].app_id, envelope->error->message);
        if (envelope->body_case == CREEL__ENVELOPE__BODY_OK ||
            (envelope->body_case == CREEL__ENVELOPE__BODY_ERROR &&
             envelope->error->code == CREEL__ERROR_CODE__ERROR_BAD_STATE))
            client->jobs[number].killed = true;
    } else if (id >= REQUEST_ACCESS && id % REQUEST_ACCESS_NEXT < client->count) {
        on_access(client, id, envelope);
    }
}

bool sim_client_done(const struct sim_client *client)
{
    for (unsigned i = 0; i < client->count; i++) {
        const struct job *job = &client->jobs[i];

        if (!job->refused && (job->app_id[0] == '\0' || (job->to_kill && !job->killed)))
            return false;
    }
    return true;
}
