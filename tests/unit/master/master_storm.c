/* SPDX-License-Identifier: Apache-2.0 */
/*
 * master_storm.c - test: random events of a small cluster against the resource manager's core
 *
 * Jobs arrive, tasks end, orders and replies get lost, nodes lose contact and return, agents and the RM are
 * restarted, the store is slow. After every event the test audits the accounting and checks that no node runs
 * more than its size. When events stop, every job must end, and nothing of any job may be left.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/rng.h"
#include "tests/unit/master/master_harness.h"

#define AGENTS 3
#define JOBS 8
#define HELD_MAX 200
#define SEEDS \
    30 /* number of seeds; the environment variable of this name overrides it:
          scripts/test --all */

struct storm_container { /* one container that an AM holds */
    char id[80], node[64];
    bool started, complete, given_back;
    uint8_t *token;
    size_t token_size;
};

struct job {
    char id[80];
    Creel__AppKind kind;
    int tasks;
    /* the AM, while its container runs */
    bool am_alive, registered, finished;
    char am_container[80];
    struct fake_am am;
    int done, asked;
    struct storm_container held[HELD_MAX];
    size_t held_count;
};

struct storm {
    struct harness h;
    struct rng rng;
    struct fake_agent agents[AGENTS];
    bool silent[AGENTS];
    struct job jobs[JOBS];
    int job_count;
    bool calm;
};

/* --- application masters: start the allocated containers, count the successful ones --- */

static void drop_held(struct job *job)
{
    for (size_t i = 0; i < job->held_count; i++)
        free(job->held[i].token);
    job->held_count = 0;
}

static struct fake_agent *agent_called(struct storm *s, const char *node)
{
    for (int i = 0; i < AGENTS; i++)
        if (strcmp(s->agents[i].node_id, node) == 0)
            return &s->agents[i];
    return NULL;
}

static struct storm_container *find_held(struct job *job, const char *id)
{
    for (size_t i = 0; i < job->held_count; i++)
        if (strcmp(job->held[i].id, id) == 0)
            return &job->held[i];
    return NULL;
}

static void handle_container(struct job *job, const Creel__Container *container)
{
    struct storm_container *held = find_held(job, container->container_id);

    if (held)
        return;
    assert_true(job->held_count < HELD_MAX);
    held = &job->held[job->held_count++];
    *held = (struct storm_container){ .started = false };
    snprintf(held->id, sizeof(held->id), "%s", container->container_id);
    snprintf(held->node, sizeof(held->node), "%s", container->node_id);
    held->token_size = container->token.len;
    held->token = malloc(held->token_size + 1);
    memcpy(held->token, container->token.data, held->token_size);
}

static void handle_completed(struct job *job, Creel__ContainerStatus **statuses, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct storm_container *held = find_held(job, statuses[i]->container_id);

        if (held == NULL || held->complete)
            continue;
        held->complete = true;
        if (statuses[i]->exit_status == 0)
            job->done++;
    }
}

static int wanted(const struct job *job)
{
    int live = 0;

    for (size_t i = 0; i < job->held_count; i++)
        live += !job->held[i].complete && !job->held[i].given_back;
    return job->tasks - job->done - live > 0 ? job->tasks - job->done - live : 0;
}

static void am_registers(struct storm *s, struct job *job)
{
    const Creel__Envelope *reply = am_register(&s->h, &job->am);

    if (reply->body_case != CREEL__ENVELOPE__BODY_REGISTER_AM_REPLY)
        return;
    job->registered = true;
    for (size_t i = 0; i < reply->register_am_reply->n_running; i++)
        handle_container(job, reply->register_am_reply->running[i]);
    handle_completed(job, reply->register_am_reply->completed, reply->register_am_reply->n_completed);
}

static void am_works(struct storm *s, struct job *job)
{
    const Creel__AllocateReply *reply;
    const char *release = NULL;
    uint64_t last = job->am.response_id;

    if (job->held_count > 0 && rng_chance(&s->rng, 100)) {
        struct storm_container *held = &job->held[rng_below(&s->rng, job->held_count)];

        if (!held->complete) {
            held->given_back = true;
            release = held->id;
        }
    }
    reply = am_allocate(&s->h, &job->am, wanted(job), 256, release);
    if (reply == NULL)
        return; /* not answered until stored: repeated later */
    if (reply->action == CREEL__AM_ACTION__AM_RESYNC) {
        job->registered = false;
        return;
    }
    if (reply->action == CREEL__AM_ACTION__AM_SHUTDOWN)
        return;
    if (!s->calm && rng_chance(&s->rng, 100)) {
        job->am.response_id = last; /* this reply was lost */
        return;
    }
    for (size_t i = 0; i < reply->n_allocated; i++)
        handle_container(job, reply->allocated[i]);
    handle_completed(job, reply->completed, reply->n_completed);
}

static void am_starts(struct storm *s, struct job *job)
{
    for (size_t i = 0; i < job->held_count; i++) {
        struct storm_container *held = &job->held[i];
        ProtobufCBinaryData token = { held->token_size, held->token };

        if (held->started || held->complete || held->given_back)
            continue;
        if (!s->calm && rng_chance(&s->rng, 300))
            continue;
        held->started = true;
        agent_start(agent_called(s, held->node), held->id, &token);
    }
}

static void am_turn(struct storm *s, struct job *job)
{
    struct fake_agent *at;
    const Creel__Envelope *reply;

    if (!job->am_alive)
        return;
    if (!job->registered)
        am_registers(s, job);
    if (!job->registered)
        return;
    if (job->done < job->tasks) {
        am_works(s, job);
        am_starts(s, job);
        return;
    }
    if (!job->finished) {
        reply = am_finish(&s->h, &job->am, CREEL__FINAL_STATUS__FINAL_SUCCEEDED, 0);
        job->finished = reply && reply->body_case == CREEL__ENVELOPE__BODY_FINISH_AM_REPLY;
    }
    for (int i = 0; i < AGENTS && job->finished; i++) {
        at = &s->agents[i];
        if (agent_find(at, job->am_container)) {
            agent_exit(at, job->am_container, 0);
            job->am_alive = false;
        }
    }
}

/* Finds the running AMs: those whose container runs. */
static void find_masters(struct storm *s)
{
    for (int j = 0; j < s->job_count; j++) {
        struct job *job = &s->jobs[j];

        if (job->kind != CREEL__APP_KIND__APP_TASKS)
            continue;
        for (unsigned attempt = 9; attempt > 0; attempt--) {
            char end[80];
            bool found = false;

            snprintf(end, sizeof(end), "%s_%02u_000001", strchr(job->id, '_'), attempt);
            for (int i = 0; i < AGENTS && !found; i++)
                for (size_t c = 0; c < s->agents[i].count && !found; c++) {
                    struct fake_container *at = &s->agents[i].containers[c];

                    if (!strstr(at->id, end) || at->state != CREEL__CONTAINER_STATE__CONTAINER_RUNNING)
                        continue;
                    found = true;
                    if (job->am_alive && strcmp(job->am_container, at->id) == 0)
                        continue;
                    drop_held(job);
                    snprintf(job->am_container, sizeof(job->am_container), "%s", at->id);
                    am_init(&job->am, job->id, attempt);
                    job->am_alive = true;
                    job->registered = job->finished = false;
                    job->done = 0;
                }
            if (found)
                break;
            if (attempt == 1)
                job->am_alive = false;
        }
    }
}

/* --- agents ---------------------------------------------------------------- */

static void no_node_runs_more_than_it_has(struct storm *s)
{
    for (int i = 0; i < AGENTS; i++) {
        const struct fake_agent *a = &s->agents[i];
        int64_t memory_mb = 0, vcores = 0;

        for (size_t c = 0; c < a->count; c++) {
            const struct fake_container *at = &a->containers[c];
            Creel__ContainerGrant *grant;

            if (at->state != CREEL__CONTAINER_STATE__CONTAINER_RUNNING)
                continue;
            grant = creel__container_grant__unpack(NULL, at->grant_size, at->grant);
            memory_mb += grant->resource->memory_mb;
            vcores += grant->resource->vcores;
            creel__container_grant__free_unpacked(grant, NULL);
        }
        if (memory_mb > a->memory_mb || vcores > a->vcores)
            fail_msg("%s runs %lld MB, has %lld", a->node_id, (long long)memory_mb, (long long)a->memory_mb);
    }
}

static void forget_tombstones(struct storm *s)
{
    for (int i = 0; i < AGENTS; i++) {
        struct fake_agent *a = &s->agents[i];

        /* A real agent forgets ended containers when their app ends; this one removes the oldest when the
         * list is long. */
        while (a->count > 300) {
            size_t c = 0;

            while (c < a->count && !a->containers[c].acked)
                c++;
            assert_true(c < a->count);
            free(a->containers[c].grant);
            memmove(&a->containers[c], &a->containers[c + 1], (a->count - c - 1) * sizeof(a->containers[0]));
            a->count--;
        }
    }
}

static void something_exits(struct storm *s)
{
    struct fake_agent *a = &s->agents[rng_below(&s->rng, AGENTS)];
    int64_t dice = rng_between(&s->rng, 0, 9);

    for (size_t c = 0; c < a->count; c++) {
        struct fake_container *at = &a->containers[c];
        bool master = false;

        if (at->state != CREEL__CONTAINER_STATE__CONTAINER_RUNNING || !rng_chance(&s->rng, 300))
            continue;
        for (int j = 0; j < s->job_count; j++)
            master = master || (s->jobs[j].am_alive && strcmp(s->jobs[j].am_container, at->id) == 0);
        if (master && (s->calm || dice > 0))
            continue;
        agent_exit(a, at->id, s->calm || dice > 1 ? 0 : (int)rng_between(&s->rng, 1, 3));
        return;
    }
}

static void agent_turn(struct storm *s)
{
    int i = (int)rng_below(&s->rng, AGENTS);

    if (s->silent[i])
        return;
    if (s->agents[i].session == 0 || (!s->calm && rng_chance(&s->rng, 20))) {
        agent_register(&s->h, &s->agents[i]);
        return;
    }
    s->agents[i].lose_reply = !s->calm && rng_chance(&s->rng, 100);
    if (!s->calm && rng_chance(&s->rng, 100))
        s->agents[i].next_sent = s->h.sent_count; /* the pushed orders were lost */
    agent_heartbeat(&s->h, &s->agents[i]);
}

/* --- the random test ------------------------------------------------------- */

static void submit(struct storm *s)
{
    struct job *job = &s->jobs[s->job_count];
    bool tasks = rng_chance(&s->rng, 600);
    char key[16];

    if (s->job_count == JOBS)
        return;
    *job = (struct job){ .kind = tasks ? CREEL__APP_KIND__APP_TASKS : CREEL__APP_KIND__APP_COMMAND,
                         .tasks = (int)rng_between(&s->rng, 1, 6) };
    snprintf(key, sizeof(key), "job%d", s->job_count);
    people_submit(&s->h,
                  job_of(job->kind, 256 * rng_between(&s->rng, 1, 4), tasks ? (uint32_t)job->tasks : 0), key,
                  job->id, NULL);
    if (job->id[0]) /* no id yet: repeated later with the same key */
        s->job_count++;
}

static void disaster(struct storm *s)
{
    int i = (int)rng_below(&s->rng, AGENTS);

    switch (rng_below(&s->rng, 6)) {
    case 0:
        harness_restart(&s->h);
        break;
    case 1:
        s->silent[i] = !s->silent[i];
        break;
    case 2:
        s->agents[i].incarnation++;
        s->agents[i].session = 0;
        break;
    case 3:
        s->h.hold_store = !s->h.hold_store;
        break;
    case 4:
        if (s->job_count > 0 && rng_chance(&s->rng, 200))
            people_kill(&s->h, s->jobs[rng_below(&s->rng, (uint64_t)s->job_count)].id);
        break;
    default:
        s->agents[i].unhealthy = !s->agents[i].unhealthy;
        break;
    }
}

static void turn(struct storm *s)
{
    uint64_t dice = rng_below(&s->rng, 100);

    if (dice < 4)
        submit(s);
    else if (dice < 45)
        agent_turn(s);
    else if (dice < 60)
        something_exits(s);
    else if (dice < 85 && s->job_count > 0)
        am_turn(s, &s->jobs[rng_below(&s->rng, (uint64_t)s->job_count)]);
    else if (dice < 88 && !s->calm)
        disaster(s);
    else if (dice < 91)
        harness_commit(&s->h);
    else
        harness_tick(&s->h, rng_between(&s->rng, 0, s->calm ? 100 : 1500));
    find_masters(s);
    no_node_runs_more_than_it_has(s);
    forget_tombstones(s);
    if (s->h.sent_count > 500) {
        for (int i = 0; i < AGENTS; i++)
            if (!s->silent[i] && s->agents[i].session)
                agent_listen(&s->h, &s->agents[i]);
        harness_forget(&s->h);
        for (int i = 0; i < AGENTS; i++)
            s->agents[i].next_sent = 0;
    }
}

static void become_calm(struct storm *s)
{
    s->calm = true;
    s->h.hold_store = false;
    harness_commit(&s->h);
    for (int i = 0; i < AGENTS; i++)
        s->silent[i] = s->agents[i].unhealthy = false;
}

static bool all_over(struct storm *s)
{
    for (int j = 0; j < s->job_count; j++) {
        const Creel__AppReport *report = people_show(&s->h, s->jobs[j].id);

        assert_non_null(report); /* an acknowledged application is never lost */
        if (report->state < CREEL__APP_STATE__APP_FINISHED || report->running_containers > 0)
            return false;
    }
    for (int i = 0; i < AGENTS; i++)
        if (agent_running(&s->agents[i]) > 0 || agent_unacked(&s->agents[i]) > 0)
            return false;
    return s->job_count == JOBS;
}

static void run_seed(uint64_t seed)
{
    static struct storm s;
    int turns = 0;

    s = (struct storm){ .job_count = 0 };
    rng_seed(&s.rng, seed);
    harness_init(&s.h);
    harness_start(&s.h);
    for (int i = 0; i < AGENTS; i++) {
        char id[32];

        snprintf(id, sizeof(id), "n%d:8041", i);
        agent_init(&s.agents[i], id, 1536, 4);
    }
    for (int i = 0; i < 1500; i++)
        turn(&s);
    become_calm(&s);
    while (!all_over(&s) && turns++ < 20000)
        turn(&s);
    if (turns >= 20000)
        fail_msg("seed %llu: it does not come to an end", (unsigned long long)seed);
    for (int j = 0; j < JOBS; j++)
        drop_held(&s.jobs[j]);
    for (int i = 0; i < AGENTS; i++)
        agent_done(&s.agents[i]);
    harness_done(&s.h);
}

static void every_job_ends_and_nothing_is_left(void **state)
{
    const char *from = getenv("SEED"), *many = getenv("SEEDS");
    uint64_t first = from ? strtoull(from, NULL, 10) : 1;
    uint64_t count = many ? strtoull(many, NULL, 10) : from ? 1 : SEEDS;

    (void)state;
    for (uint64_t i = first; i < first + count; i++) {
        print_message("seed %llu\n", (unsigned long long)i);
        run_seed(i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_job_ends_and_nothing_is_left),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
