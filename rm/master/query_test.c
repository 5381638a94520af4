/* SPDX-License-Identifier: Apache-2.0 */
/* query_test.c - TestApp: predicts the result of a submission */
#include <errno.h>
#include <string.h>

#include "rm/master/amounts.h"
#include "rm/master/copy.h"
#include "rm/master/effects.h"
#include "rm/master/index.h"
#include "rm/master/job.h"
#include "rm/master/queues.h"
#include "rm/master/requests.h"
#include "rm/master/format.h"

static void count_nodes(struct master *m, const Creel__JobSpec *job, const struct resource *largest,
                        Creel__TestAppReply *reply)
{
    struct node *node;

    RB_FOREACH(node, rm_node_tree, &m->nodes) {
        struct resource total, left;

        if (node->sched == NULL || node->state != NODE_STATE_RUNNING ||
            (!rm_text_is_empty(job->label) && !text_equal(job->label, node->label)))
            continue;
        total = sched_node_total(node->sched);
        left = resource_subtract(total, sched_node_used(node->sched));
        reply->nodes_fitting += resource_fits(largest, &total) ? 1 : 0;
        reply->nodes_with_room += resource_fits(largest, &left) ? 1 : 0;
    }
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
 * wait for ever. The error is the same as if no node were large enough. */
static int judge_queue_size(struct master *m, const Creel__JobSpec *job, const char *path,
                            const struct resource *largest, struct err *err)
{
    struct sched_queue_figures full;

    if (!rm_text_is_empty(job->label) || !find_full(m, path, largest, true, &full))
        return 0;
    return err_set(err, ERANGE, "queue %s: may have %s at most, and it asks for %s", full.path,
                   rm_format_limit(m, &full.maximum), rm_format_limit(m, largest));
}

/* Predicts whether the job can start at once. PATH is the path of the leaf queue; the queue may not exist
 * yet. */
static void judge_start(struct master *m, const Creel__JobSpec *job, const char *path,
                        const struct resource *largest, Creel__TestAppReply *reply)
{
    struct sched_queue_figures figures = { .path = NULL }, full;
    struct arena *arena = m->out->arena;

    sched_queue_find_figures(m->sched, path, &figures);
    if (reply->nodes_with_room == 0) {
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
    int r;

    if (rm_job_judge(m, job, user, &err) < 0)
        return rm_error_envelope(m, in->request_id, &err);
    largest = rm_job_largest(m, job);
    r = rm_queues_test(m, user, job, &largest, &err);
    if (r == 0) {
        path = rm_queues_place(m, user, job);
        r = judge_queue_size(m, job, path, &largest, &err);
    }
    if (r < 0) {
        err.code = -r;
        return rm_error_envelope(m, in->request_id, &err);
    }
    reply = arena_new0(m->out->arena, Creel__TestAppReply);
    creel__test_app_reply__init(reply);
    reply->queue = rm_message_text(m->out->arena, path);
    count_nodes(m, job, &largest, reply);
    judge_start(m, job, path, &largest, reply);
    envelope = rm_envelope_new(m, in->request_id, CREEL__ENVELOPE__BODY_TEST_APP_REPLY);
    envelope->test_app_reply = reply;
    return envelope;
}
