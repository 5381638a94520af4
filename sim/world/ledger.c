/* SPDX-License-Identifier: Apache-2.0 */
/* ledger.c - independent record of all processes of a world, against which the cores are checked */
#include "sim/world/ledger.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bsd/sys/queue.h>

#include "common/base/id.h"
#include "common/base/job/exit_status.h"
#include "common/base/mem.h"
#include "sim/world/world.h"

#include <uthash.h>

struct process {
    char container_id[ID_TEXT_MAX]; /* key */
    struct attempt_id attempt;
    int task; /* index; -1: a first container */
    unsigned node;
    struct resource resource;
    bool running;
    bool by_itself; /* it exited, and was not stopped */
    bool reported;
    int reported_status;
    UT_hash_handle hh;
};

struct array_task {              /* a task that has started, and its application */
    char name[ID_TEXT_MAX + 16]; /* key: "ARRAY_INDEX" */
    struct app_id app;
    UT_hash_handle hh;
};

struct corr { /* tasks of CHILD wait for those of PARENT */
    char child[ID_TEXT_MAX], parent[ID_TEXT_MAX];
    bool parent_succeeds;
    STAILQ_ENTRY(corr) link;
};

struct accepted {
    char app_id[ID_TEXT_MAX];
    STAILQ_ENTRY(accepted) link;
};

struct ledger {
    struct process *processes;        /* owned */
    struct array_task *array_tasks;   /* owned */
    STAILQ_HEAD(, accepted) accepted; /* owned */
    STAILQ_HEAD(, corr) corrs;        /* owned */
    struct resource used[WORLD_NODES_MAX];
    unsigned running_on[WORLD_NODES_MAX];
    unsigned running, starts;
};

struct ledger *ledger_new(void)
{
    struct ledger *ledger = mem_new0(struct ledger);

    STAILQ_INIT(&ledger->accepted);
    STAILQ_INIT(&ledger->corrs);
    return ledger;
}

void ledger_free(struct ledger *ledger)
{
    struct process *process, *next;
    struct array_task *task, *next_task;

    if (ledger == NULL)
        return;
    HASH_ITER(hh, ledger->processes, process, next) {
        HASH_DEL(ledger->processes, process);
        free(process);
    }
    HASH_ITER(hh, ledger->array_tasks, task, next_task) {
        HASH_DEL(ledger->array_tasks, task);
        free(task);
    }
    while (!STAILQ_EMPTY(&ledger->accepted)) {
        struct accepted *first = STAILQ_FIRST(&ledger->accepted);

        STAILQ_REMOVE_HEAD(&ledger->accepted, link);
        free(first);
    }
    while (!STAILQ_EMPTY(&ledger->corrs)) {
        struct corr *first = STAILQ_FIRST(&ledger->corrs);

        STAILQ_REMOVE_HEAD(&ledger->corrs, link);
        free(first);
    }
    free(ledger);
}

static struct process *find(const struct ledger *ledger, const char *container_id)
{
    struct process *process;

    HASH_FIND_STR(ledger->processes, container_id, process);
    return process;
}

/* Checks whether the task of FRESH may run, given an earlier process OTHER of the same task. A process of an
 * earlier attempt whose end was not reported does not prevent it. */
static int check_rerun(const struct process *fresh, const struct process *other, struct err *err)
{
    if (!other->reported && other->attempt.attempt == fresh->attempt.attempt)
        return err_set(err, EINVAL, "task %d starts in %s, though its AM has no report that %s is over",
                       fresh->task, fresh->container_id, other->container_id);
    if (other->reported && other->reported_status >= 0 && other->reported_status < CONTAINER_EXIT_LOST)
        return err_set(err, EINVAL, "task %d starts again in %s, though %s was reported as ended with %d",
                       fresh->task, fresh->container_id, other->container_id, other->reported_status);
    return 0;
}

static int check_alone(const struct ledger *ledger, const struct process *fresh, struct err *err)
{
    for (const struct process *other = ledger->processes; other; other = other->hh.next)
        if (other->running && other->task == fresh->task &&
            app_id_compare(&other->attempt.app, &fresh->attempt.app) == 0)
            return err_set(err, EINVAL,
                           "task %d starts in %s while %s runs, and must never run twice at a "
                           "time",
                           fresh->task, fresh->container_id, other->container_id);
    return 0;
}

int ledger_started(struct ledger *ledger, const char *container_id, int task, unsigned node,
                   struct resource resource, bool alone, struct resource node_total, struct err *err)
{
    struct process *process, *other;
    struct container_id id;

    if (find(ledger, container_id))
        return err_set(err, EINVAL, "%s starts a second time", container_id);
    if (!container_id_parse(container_id, &id))
        return err_set(err, EINVAL, "%s is no container id", container_id);
    process = mem_new0(struct process);
    strncpy(process->container_id, container_id, sizeof(process->container_id) - 1);
    process->attempt = id.attempt;
    process->task = task;
    process->node = node;
    process->resource = resource;
    process->running = true;
    if (alone && check_alone(ledger, process, err) < 0) {
        free(process);
        return -EINVAL;
    }
    if (task >= 0) {
        for (other = ledger->processes; other; other = other->hh.next) {
            int r = 0;

            if (other->task == task && app_id_compare(&other->attempt.app, &id.attempt.app) == 0)
                r = check_rerun(process, other, err);
            if (r < 0) {
                free(process);
                return r;
            }
        }
    }
    HASH_ADD_STR(ledger->processes, container_id, process);
    ledger->running++;
    ledger->running_on[node]++;
    ledger->starts++;
    ledger->used[node] = resource_add(ledger->used[node], resource);
    /* Only memory is checked: containers share the CPUs, whatever the sum of their vcores. */
    if (ledger->used[node].value[RESOURCE_MEMORY_MB] > node_total.value[RESOURCE_MEMORY_MB])
        return err_set(err, EINVAL, "node %u runs more than it has once %s started", node, container_id);
    return 0;
}

int ledger_resized(struct ledger *ledger, const char *container_id, struct resource resource,
                   struct resource node_total, struct err *err)
{
    struct process *process = find(ledger, container_id);
    struct resource *used;
    bool grows;

    if (process == NULL || !process->running)
        return 0; /* it has just ended, and its agent does not know that yet */
    used = &ledger->used[process->node];
    grows = resource.value[RESOURCE_MEMORY_MB] > process->resource.value[RESOURCE_MEMORY_MB];
    *used = resource_add(resource_subtract(*used, process->resource), resource);
    process->resource = resource;
    if (grows && used->value[RESOURCE_MEMORY_MB] > node_total.value[RESOURCE_MEMORY_MB])
        return err_set(err, EINVAL, "node %u runs more than it has once %s is resized", process->node,
                       container_id);
    return 0;
}

void ledger_corr(struct ledger *ledger, const char *child, const char *parent, bool parent_succeeds)
{
    struct corr *corr = mem_new0(struct corr);

    strncpy(corr->child, child, sizeof(corr->child) - 1);
    strncpy(corr->parent, parent, sizeof(corr->parent) - 1);
    corr->parent_succeeds = parent_succeeds;
    STAILQ_INSERT_TAIL(&ledger->corrs, corr, link);
}

/* Returns true if a process of the array task NAME has ended by itself. */
static bool has_ended(const struct ledger *ledger, const char *name)
{
    struct array_task *task;

    HASH_FIND_STR(ledger->array_tasks, name, task);
    for (const struct process *process = task ? ledger->processes : NULL; process; process = process->hh.next)
        if (!process->running && process->by_itself && app_id_compare(&process->attempt.app, &task->app) == 0)
            return true;
    return false;
}

/* Checks that the array task NAME may start: those that it waits for have succeeded. */
static int check_corr(const struct ledger *ledger, const char *name, struct err *err)
{
    const char *index = strrchr(name, '_');
    const struct corr *corr;

    STAILQ_FOREACH(corr, &ledger->corrs, link) {
        char parent[ID_TEXT_MAX + 16];

        if (strlen(corr->child) != (size_t)(index - name) ||
            strncmp(corr->child, name, strlen(corr->child)) != 0)
            continue;
        snprintf(parent, sizeof(parent), "%s%s", corr->parent, index);
        if (!corr->parent_succeeds || !has_ended(ledger, parent))
            return err_set(err, EINVAL, "task %s starts, and task %s has not succeeded", name, parent);
    }
    return 0;
}

int ledger_array_task(struct ledger *ledger, const char *container_id, const char *name, struct err *err)
{
    struct array_task *task;
    struct container_id id;

    if (!container_id_parse(container_id, &id))
        return err_set(err, EINVAL, "%s is no container id", container_id);
    if (check_corr(ledger, name, err) < 0)
        return -EINVAL;
    HASH_FIND_STR(ledger->array_tasks, name, task);
    if (task && app_id_compare(&task->app, &id.attempt.app) != 0)
        return err_set(err, EINVAL, "task %s starts in %s, and started in application %u before", name,
                       container_id, task->app.seq);
    if (task)
        return 0;
    task = mem_new0(struct array_task);
    strncpy(task->name, name, sizeof(task->name) - 1);
    task->app = id.attempt.app;
    HASH_ADD_STR(ledger->array_tasks, name, task);
    return 0;
}

void ledger_ended(struct ledger *ledger, const char *container_id, bool by_itself)
{
    struct process *process = find(ledger, container_id);

    if (process == NULL || !process->running)
        return;
    process->running = false;
    process->by_itself = by_itself;
    ledger->running--;
    ledger->running_on[process->node]--;
    ledger->used[process->node] = resource_subtract(ledger->used[process->node], process->resource);
}

int ledger_reported(struct ledger *ledger, const char *container_id, int exit_status, struct err *err)
{
    struct process *process = find(ledger, container_id);

    if (process == NULL)
        return 0; /* never started: the allocation expired, was refused or released */
    if (exit_status >= 0 && exit_status < CONTAINER_EXIT_LOST && process->running)
        return err_set(err, EINVAL, "%s is reported as ended with %d, and still runs", container_id,
                       exit_status);
    if (exit_status >= 0 && exit_status < 128 && !process->by_itself)
        return err_set(err, EINVAL, "%s is reported as ended with %d, but was stopped", container_id,
                       exit_status);
    if (process->reported && process->reported_status != exit_status)
        return err_set(err, EINVAL, "%s is reported with %d after it was with %d", container_id, exit_status,
                       process->reported_status);
    process->reported = true;
    process->reported_status = exit_status;
    return 0;
}

void ledger_accepted(struct ledger *ledger, const char *app_id)
{
    struct accepted *accepted = mem_new0(struct accepted);

    strncpy(accepted->app_id, app_id, sizeof(accepted->app_id) - 1);
    STAILQ_INSERT_TAIL(&ledger->accepted, accepted, link);
}

void ledger_each_accepted(const struct ledger *ledger, bool (*each)(void *context, const char *app_id),
                          void *context)
{
    struct accepted *accepted;

    STAILQ_FOREACH(accepted, &ledger->accepted, link)
        if (!each(context, accepted->app_id))
            return;
}

unsigned ledger_running(const struct ledger *ledger)
{
    return ledger->running;
}

unsigned ledger_running_on(const struct ledger *ledger, unsigned node)
{
    return ledger->running_on[node];
}

unsigned ledger_starts(const struct ledger *ledger)
{
    return ledger->starts;
}
