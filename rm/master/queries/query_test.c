/* SPDX-License-Identifier: Apache-2.0 */
/* query_test.c - TestApp: predicts the result of a submission */
#include <errno.h>
#include <string.h>

#include "rm/master/state/amounts.h"
#include "rm/master/state/copy.h"
#include "rm/master/jobs/depend.h"
#include "rm/master/state/effects.h"
#include "rm/master/state/index.h"
#include "rm/master/services/job.h"
#include "rm/master/jobs/job_wait.h"
#include "rm/master/services/queues.h"
#include "rm/master/requests.h"
#include "rm/master/parts/format.h"
#include "rm/master/services/user_limits.h"

/* Nodes that are large enough and get no containers now. */
struct away {
    uint32_t count;  /* drained, lost, unhealthy or silent */
    uint32_t silent; /* of these */
};

/* Counts nodes that are large enough. */
static struct away count_nodes(struct master *m, const Creel__JobSpec *job, const struct resource *largest,
                               Creel__TestAppReply *reply)
{
    struct away away = { .count = 0 };
    struct node *node;

    RB_FOREACH(node, rm_node_tree, &m->nodes) {
        struct resource total, left;

        if (!rm_text_is_empty(job->label) && !text_equal(job->label, node->label))
            continue;
        if (node->sched == NULL || node->state != NODE_STATE_RUNNING || !rm_node_serves(node) ||
            node->silent) {
            away.count += resource_fits(largest, &node->total) ? 1 : 0;
            away.silent += resource_fits(largest, &node->total) && node->silent ? 1 : 0;
            continue;
        }
        total = sched_node_total(node->sched);
        left = resource_subtract(total, sched_node_used(node->sched));
        reply->nodes_fitting += resource_fits(largest, &total) ? 1 : 0;
        reply->nodes_with_room += resource_fits(largest, &left) ? 1 : 0;
    }
    return away;
}

static bool exceeds(const struct master *m, const struct resource *used, const struct resource *asked,
                    const struct resource *most)
{
    int types = rm_limits_memory_only(m) ? 1 : RESOURCE_TYPES_MAX;

    for (int t = 0; t < types; t++)
        if (asked->value[t] > 0 && used->value[t] + asked->value[t] > most->value[t])
            return true;
    return false;
}

/* Finds the first queue, from PATH upwards but without root, whose maximum is exceeded by ASKED and its
 * present usage; EVER: by ASKED alone. */
static bool find_full(struct master *m, const char *path, const struct resource *asked, bool ever,
                      struct sched_queue_figures *ret)
{
    struct resource none = resource_of(0, 0);
    char *at = arena_strdup(m->out->arena, path), *dot;

    for (; m->features.queues != SCHED_QUEUES_PLAIN && (dot = strrchr(at, '.')) != NULL; *dot = '\0')
        if (sched_queue_find_figures(m->sched, at, ret) &&
            exceeds(m, ever ? &none : &ret->used, asked, &ret->maximum))
            return true;
    return false;
}

/* Refuses a job whose largest container exceeds the maximum of a queue: with the present cluster it would
 * never start. The error is the same as if no node were large enough. */
static int judge_queue_size(struct master *m, const Creel__JobSpec *job, const char *path,
                            const struct resource *largest, struct err *err)
{
    struct sched_queue_figures full;

    if (!rm_text_is_empty(job->label) || !find_full(m, path, largest, true, &full))
        return 0;
    return err_set(err, ERANGE, "queue %s: may have %s at most, and it asks for %s", full.path,
                   rm_format_limit(m, &full.maximum), rm_format_limit(m, largest));
}

/* Returns whether the job does not enter its queue at its submission. DEPENDS: it waits for dependencies. */
static bool waits_outside(const struct master *m, const Creel__JobSpec *job, bool depends)
{
    return job->hold || job->begin_ms > rm_job_wall_ms(m) || depends || !rm_text_is_empty(job->array);
}

/* Returns whether the job would wait outside its queue, and why. DEPENDS: it waits for dependencies. */
static bool judge_wait(struct master *m, const Creel__JobSpec *job, bool depends, Creel__TestAppReply *reply)
{
    struct arena *arena = m->out->arena;

    if (job->hold) {
        reply->reason_code = rm_message_text(arena, "Held");
        reply->reason = rm_message_text(arena, "it is held until creel release");
    } else if (job->begin_ms > rm_job_wall_ms(m)) {
        reply->reason_code = rm_message_text(arena, "BeginTime");
        reply->reason =
            arena_printf(arena, "it begins in %s", format_duration(arena, job->begin_ms - rm_job_wall_ms(m)));
    } else if (depends) {
        reply->reason_code = rm_message_text(arena, "Dependency");
        reply->reason = arena_printf(arena, "it begins when its dependencies allow it: %s", job->depends_on);
    }
    return *reply->reason_code != '\0';
}

static const char *silent_text(struct arena *arena, const struct away *away)
{
    if (away->silent == 0)
        return "";
    return arena_printf(arena, ", of which %u %s silent", away->silent, away->silent == 1 ? "is" : "are");
}

/* Predicts whether the job can start at once. PATH is the path of the leaf queue, which may not exist yet. */
static void judge_start(struct master *m, const Creel__JobSpec *job, const char *path,
                        const struct resource *largest, const struct away *away, Creel__TestAppReply *reply)
{
    struct sched_queue_figures figures = { .path = NULL }, full;
    struct arena *arena = m->out->arena;

    sched_queue_find_figures(m->sched, path, &figures);
    if (reply->nodes_fitting == 0) {
        reply->reason_code = rm_message_text(arena, sched_reason_name(SCHED_REASON_NO_NODES));
        reply->reason =
            arena_printf(arena,
                         "no node in service could run it, and %u out of service could%s (creel node "
                         "list)",
                         away->count, silent_text(arena, away));
    } else if (reply->nodes_with_room == 0) {
        reply->reason_code = rm_message_text(arena, sched_reason_name(SCHED_REASON_CLUSTER_FULL));
        reply->reason = arena_printf(arena,
                                     "none of the %u nodes that are large enough has %s free "
                                     "now",
                                     reply->nodes_fitting, rm_format_amount(m, largest));
    } else if (rm_text_is_empty(job->label) && find_full(m, path, largest, false, &full)) {
        reply->reason_code = rm_message_text(arena, sched_reason_name(text_equal(full.path, path)
                                                                          ? SCHED_REASON_QUEUE_LIMIT
                                                                          : SCHED_REASON_PARENT_LIMIT));
        reply->reason = arena_printf(arena, "%s uses %s and may have %s at most", format_queue(full.path),
                                     rm_format_limit(m, &full.used), rm_format_limit(m, &full.maximum));
    } else if (figures.path && figures.waiting_apps > 0) {
        reply->reason_code = rm_message_text(arena, sched_reason_name(SCHED_REASON_AM_LIMIT));
        reply->reason = arena_printf(arena, "%u application%s of %s wait%s to begin already",
                                     figures.waiting_apps, figures.waiting_apps == 1 ? "" : "s",
                                     format_queue(figures.path), figures.waiting_apps == 1 ? "s" : "");
    }
}

Creel__Envelope *rm_query_test(struct master *m, const char *user, const Creel__Envelope *in)
{
    const Creel__JobSpec *job = in->test_app->job;
    const char *path = "";
    Creel__TestAppReply *reply;
    Creel__Envelope *envelope;
    struct resource largest;
    struct err err = { .text = "" };
    struct away away;
    bool depends;
    int r;

    if (rm_job_judge(m, job, user, &err) < 0 || rm_user_limits_judge_job(m, user, job, &err) < 0 ||
        (r = rm_depend_judge(m, job, &depends, &err)) < 0)
        return rm_error_envelope(m, in->request_id, &err);
    largest = rm_job_largest(m, job);
    r = rm_queues_test(m, user, job, &largest, &err);
    reply = arena_new0(m->out->arena, Creel__TestAppReply);
    creel__test_app_reply__init(reply);
    away = count_nodes(m, job, &largest, reply);
    if (r == -EDQUOT && waits_outside(m, job, depends)) /* the queue may have room when the wait ends */
        r = 0;
    if (r == 0) {
        path = rm_queues_place(m, user, job);
        if (!in->test_app->submission_only && away.count == 0)
            r = judge_queue_size(m, job, path, &largest, &err);
    }
    if (r < 0) {
        err.code = -r;
        return rm_error_envelope(m, in->request_id, &err);
    }
    reply->queue = rm_message_text(m->out->arena, path);
    if (!in->test_app->submission_only && !judge_wait(m, job, depends, reply))
        judge_start(m, job, path, &largest, &away, reply);
    envelope = rm_envelope_new(m, in->request_id, CREEL__ENVELOPE__BODY_TEST_APP_REPLY);
    envelope->test_app_reply = reply;
    return envelope;
}
