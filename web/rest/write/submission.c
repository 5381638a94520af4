/* SPDX-License-Identifier: Apache-2.0 */
/* submission.c - reads YARN's application submission context as a job of creel */
#include "web/rest/write/submission.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "common/base/text.h"
#include "web/rest/write/submission_launch.h"
#include "yarn/resource.h"

/* --- single members ---------------------------------------------------------------- */

/* Sets *FIELD to a copy of the text of member NAME, if BODY has the member. */
static void read_text(struct arena *arena, const struct tree *body, const char *name, char **field)
{
    const char *text = tree_text(body, name);

    if (text != NULL)
        *field = arena_strdup(arena, text);
}

/* Sets *VALUE to the integer in member NAME, if BODY has the member and it is not empty. */
static int read_int(const struct tree *body, const char *name, int64_t low, int64_t high, int64_t *value,
                    struct err *err)
{
    const char *text = tree_text(body, name);
    int64_t number;

    if (text == NULL || *text == '\0')
        return 0;
    if (!text_parse_int64(text, &number) || number < low || number > high)
        return err_set(err, EINVAL, "%s: '%s' is no whole number from %" PRId64 " to %" PRId64, name, text,
                       low, high);
    *value = number;
    return 0;
}

static bool is_true(const struct tree *body, const char *name)
{
    const char *text = tree_text(body, name);

    return text != NULL && strcasecmp(text, "true") == 0;
}

/* --- resource ------------------------------------------------------------------------ */

static int below_zero(const char *type, int64_t memory_mb, int64_t vcores, struct err *err)
{
    return err_set(err, EINVAL,
                   "Invalid resource request! Cannot allocate containers as requested resource "
                   "is less than 0! Requested resource type=[%s], Requested resource=<memory:%" PRId64
                   ", vCores:%" PRId64 ">",
                   type, memory_mb, vcores);
}

/* Reads the resource types other than memory and vcores, from resourceInformations. */
static int read_others(struct arena *arena, const struct tree *resource, Creel__Resource *ret,
                       struct err *err)
{
    const struct tree *each = tree_find(tree_find(resource, "resourceInformations"), "resourceInformation");
    size_t room = 0;

    for (const struct tree *one = each; one != NULL; one = tree_next(one))
        room++;
    ret->others = arena_array0(arena, room, sizeof(*ret->others));
    for (; each != NULL; each = tree_next(each)) {
        const char *name = tree_text(each, "name");
        Creel__NamedAmount *amount;
        int64_t value = 0;

        if (name == NULL || text_equal(name, "memory-mb") || text_equal(name, "vcores"))
            continue;
        if (read_int(each, "value", 0, INT64_MAX, &value, err) < 0)
            return err_prefix(err, "resource %s", name), -EINVAL;
        amount = arena_new0(arena, Creel__NamedAmount);
        creel__named_amount__init(amount);
        amount->name = arena_strdup(arena, name);
        amount->amount = value;
        read_text(arena, each, "units", &amount->unit);
        ret->others[ret->n_others++] = amount;
    }
    return 0;
}

static int read_resource(struct arena *arena, const struct tree *resource, const Creel__ClusterInfo *cluster,
                         Creel__JobSpec *job, struct err *err)
{
    Creel__Resource *ret = arena_new0(arena, Creel__Resource);

    if (resource == NULL)
        return 0;
    creel__resource__init(ret);
    if (read_int(resource, "memory", INT64_MIN, INT64_MAX, &ret->memory_mb, err) < 0 ||
        read_int(resource, "vCores", INT64_MIN, INT64_MAX, &ret->vcores, err) < 0)
        return err_prefix(err, "resource"), -EINVAL;
    if (ret->memory_mb < 0 || ret->vcores < 0)
        return below_zero(ret->memory_mb < 0 ? "memory-mb" : "vcores", ret->memory_mb, ret->vcores, err);
    if (ret->memory_mb > yarn_memory_mb(cluster->maximum_allocation))
        return err_set(err, EINVAL, "Requested more memory than configured max");
    if (ret->vcores > yarn_vcores(cluster->maximum_allocation))
        return err_set(err, EINVAL, "Requested more vcores than configured max");
    job->resource = ret;
    return read_others(arena, resource, ret, err);
}

/* --- the rest ---------------------------------------------------------------------- */

static void read_tags(struct arena *arena, const struct tree *body, Creel__JobSpec *job)
{
    const struct tree *first = tree_find(tree_find(body, "application-tags"), "tag");
    size_t count = 0;

    for (const struct tree *each = first; each != NULL; each = tree_next(each))
        count++;
    job->tags = arena_array0(arena, count, sizeof(*job->tags));
    for (const struct tree *each = first; each != NULL; each = tree_next(each))
        job->tags[job->n_tags++] = arena_strdup(arena, each->text);
}

/* Reads the label of the application. The label of the master must be the same, since creel has one label per
 * job. */
static int read_labels(struct arena *arena, const struct tree *body, Creel__JobSpec *job, struct err *err)
{
    const char *of_app = tree_text(body, "app-node-label-expression");
    const char *of_am = tree_text(body, "am-container-node-label-expression");

    if (of_app == NULL || *of_app == '\0') {
        read_text(arena, body, "am-container-node-label-expression", &job->label);
        return 0;
    }
    if (of_am != NULL && *of_am != '\0' && strcmp(of_app, of_am) != 0)
        return err_set(err, EINVAL, "am-container-node-label-expression: must be that of the application, %s",
                       of_app);
    read_text(arena, body, "app-node-label-expression", &job->label);
    return 0;
}

/* YARN's documentation has timeouts, a map from LIFETIME to seconds. Differs: YARN does not read it. */
static int read_timeouts(const struct tree *body, Creel__JobSpec *job, struct err *err)
{
    const struct tree *each = tree_find(tree_find(body, "timeouts"), "entry");

    for (; each != NULL; each = tree_next(each)) {
        const char *type = tree_text(each, "key");

        if (type == NULL || strcasecmp(type, "LIFETIME") != 0)
            return err_set(err, EINVAL, "timeouts: %s: the type must be LIFETIME", type != NULL ? type : "");
        if (read_int(each, "value", 1, INT64_C(3155760000), &job->lifetime_s, err) < 0)
            return err_prefix(err, "timeouts: LIFETIME"), -EINVAL;
    }
    return 0;
}

/* Refuses members that a user may rely on, and that creel does not support. */
static int refuse_others(const struct tree *body, bool is_master, struct err *err)
{
    const char *reservation = tree_text(body, "reservation-id");
    int64_t interval = 0;

    if (is_master && is_true(body, "keep-containers-across-application-attempts"))
        return err_set(err, EINVAL,
                       "keep-containers-across-application-attempts: a new attempt begins "
                       "without containers here");
    if (reservation != NULL && *reservation != '\0')
        return err_set(err, EINVAL, "reservation-id: creel has no reservations");
    if (read_int(body, "attempt-failures-validity-interval", INT64_MIN, INT64_MAX, &interval, err) < 0)
        return -EINVAL;
    if (interval > 0)
        return err_set(err, EINVAL,
                       "attempt-failures-validity-interval: all failures count here: leave "
                       "it out");
    return 0;
}

static int read_numbers(const struct tree *body, Creel__JobSpec *job, struct err *err)
{
    int64_t priority = 0, attempts = 0;

    if (read_int(body, "priority", INT32_MIN, INT32_MAX, &priority, err) < 0 ||
        read_int(body, "max-app-attempts", INT32_MIN, INT32_MAX, &attempts, err) < 0)
        return -EINVAL;
    job->priority = priority > 0 ? (int32_t)priority : 0;      /* as in YARN, -1 means not set */
    job->max_attempts = attempts > 0 ? (uint32_t)attempts : 0; /* as in YARN */
    return 0;
}

/* Its command runs nowhere: lists show it. */
static int read_launch(struct arena *arena, const struct tree *body, Creel__JobSpec *job, struct err *err)
{
    if (!job->unmanaged)
        return submission_read_launch(arena, tree_find(body, "am-container-spec"), job->launch, err);
    job->launch->command = arena_array0(arena, 1, sizeof(char *));
    job->launch->command[0] = arena_strdup(arena, "unmanaged");
    job->launch->n_command = 1;
    return 0;
}

int submission_read(struct arena *arena, const struct tree *body, const Creel__ClusterInfo *cluster,
                    Creel__JobSpec **ret, struct err *err)
{
    Creel__JobSpec *job = arena_new0(arena, Creel__JobSpec);
    bool unmanaged = is_true(body, "unmanaged-AM"), is_master = unmanaged || is_true(body, "creel-am");
    int r;

    creel__job_spec__init(job);
    job->launch = arena_new0(arena, Creel__LaunchContext);
    creel__launch_context__init(job->launch);
    job->kind = is_master ? CREEL__APP_KIND__APP_MASTER : CREEL__APP_KIND__APP_COMMAND;
    job->unmanaged = unmanaged;
    read_text(arena, body, "application-name", &job->name);
    read_text(arena, body, "queue", &job->queue);
    read_text(arena, body, "application-type", &job->type);
    read_tags(arena, body, job);
    if ((r = read_resource(arena, tree_find(body, "resource"), cluster, job, err)) < 0 ||
        (r = read_numbers(body, job, err)) < 0 || (r = read_labels(arena, body, job, err)) < 0 ||
        (r = read_timeouts(body, job, err)) < 0 || (r = refuse_others(body, is_master, err)) < 0)
        return r;
    *ret = job;
    return read_launch(arena, body, job, err);
}
