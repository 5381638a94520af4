/* SPDX-License-Identifier: Apache-2.0 */
/* task_book.c - the task master's tables of tasks and containers, and their invariants */
#include "client/am/task_book.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"

/* Permitted transitions between states; any other transition is a bug. */
static const bool may_follow[TASK_STATES][TASK_STATES] = {
    [TASK_WAITING] = { [TASK_STARTING] = true,
                       [TASK_RUNNING] = true,
                       [TASK_SUCCEEDED] = true,
                       [TASK_FAILED] = true },
    [TASK_RESTING] = { [TASK_WAITING] = true,
                       [TASK_RUNNING] = true,
                       [TASK_SUCCEEDED] = true,
                       [TASK_FAILED] = true },
    [TASK_STARTING] = { [TASK_RUNNING] = true,
                        [TASK_LEAVING] = true,
                        [TASK_WAITING] = true,
                        [TASK_SUCCEEDED] = true,
                        [TASK_FAILED] = true },
    [TASK_RUNNING] = { [TASK_LEAVING] = true,
                       [TASK_WAITING] = true,
                       [TASK_SUCCEEDED] = true,
                       [TASK_FAILED] = true },
    [TASK_LEAVING] = { [TASK_WAITING] = true,
                       [TASK_RESTING] = true,
                       [TASK_SUCCEEDED] = true,
                       [TASK_FAILED] = true },
};

static struct task_queue *queue_of(struct task_master *master, enum task_state state)
{
    switch (state) {
    case TASK_WAITING:
        return &master->waiting;
    case TASK_RESTING:
        return &master->resting;
    default:
        return NULL;
    }
}

void book_move(struct task_master *master, struct task *task, enum task_state state)
{
    struct task_queue *from = queue_of(master, task->state), *to = queue_of(master, state);

    assert(may_follow[task->state][state]);
    if (from)
        TAILQ_REMOVE(from, task, link);
    if (to)
        TAILQ_INSERT_TAIL(to, task, link);
    master->in_state[task->state]--;
    master->in_state[state]++;
    task->state = state;
}

struct held_container *book_find(const struct task_master *master, const char *container_id)
{
    struct held_container *held;

    HASH_FIND_STR(master->held, container_id, held);
    return held;
}

struct held_container *book_add(struct task_master *master, const Creel__Container *container)
{
    struct held_container *held = mem_new0(struct held_container);

    held->container_id = mem_strdup(container->container_id);
    held->node_id = mem_strdup(container->node_id);
    held->node_address = mem_strdup(container->node_address);
    held->agent_key = mem_strdup(container->agent_key);
    held->token.len = container->token.len;
    if (container->token.len)
        held->token.data = mem_dup(container->token.data, container->token.len);
    held->seen = master->registrations;
    HASH_ADD_KEYPTR(hh, master->held, held->container_id, strlen(held->container_id), held);
    TAILQ_INSERT_TAIL(&master->live, held, link);
    return held;
}

void book_add_ended(struct task_master *master, const char *container_id)
{
    struct held_container *held = mem_new0(struct held_container);

    held->container_id = mem_strdup(container_id);
    held->complete = true;
    HASH_ADD_KEYPTR(hh, master->held, held->container_id, strlen(held->container_id), held);
}

static void replace_text(char **text, const char *by)
{
    if (*by == '\0')
        return;
    free(*text);
    *text = mem_strdup(by);
}

void book_renew(struct held_container *held, const Creel__Container *container)
{
    free(held->token.data);
    held->token.data = mem_dup(container->token.data, container->token.len);
    held->token.len = container->token.len;
    replace_text(&held->node_address, container->node_address);
    replace_text(&held->agent_key, container->agent_key);
}

void book_bind(struct task_master *master, struct held_container *held, struct task *task,
               enum task_state state)
{
    assert(!held->task && !held->complete && !task->held);
    held->task = task;
    task->held = held;
    task->tries++;
    book_move(master, task, state);
}

void book_complete(struct task_master *master, struct held_container *held)
{
    assert(!held->complete);
    held->complete = true;
    TAILQ_REMOVE(&master->live, held, link);
    if (held->task)
        held->task->held = NULL;
    held->task = NULL;
}

void book_free(struct task_master *master)
{
    struct held_container *held, *next;

    HASH_ITER(hh, master->held, held, next) {
        HASH_DEL(master->held, held);
        free(held->container_id);
        free(held->node_id);
        free(held->node_address);
        free(held->agent_key);
        free(held->token.data);
        free(held);
    }
    free(master->tasks);
}

struct task *book_task_of_title(const struct task_master *master, const char *title)
{
    const char *prefix = master->options.title_prefix;
    int64_t index;

    if (!text_has_prefix(title, prefix))
        return NULL;
    title += strlen(prefix);
    if (title[0] < '0' || title[0] > '9' || !text_parse_int64(title, &index) || index < 0 ||
        index >= master->count)
        return NULL;
    return &master->tasks[index];
}

/* --- invariants ------------------------------------------------------------- */

static bool has_container(enum task_state state)
{
    return state == TASK_STARTING || state == TASK_RUNNING || state == TASK_LEAVING;
}

static int check_task(const struct task_master *master, const struct task *task, struct err *err)
{
    const struct held_container *held = task->held;

    if (task->state >= TASK_STATES)
        return err_set(err, EINVAL, "task %u: no state (%d)", task->index, (int)task->state);
    if (has_container(task->state) != (held != NULL))
        return err_set(err, EINVAL, "task %u: state %d, %s container", task->index, (int)task->state,
                       held ? "with a" : "without");
    if (held && (held->task != task || held->complete))
        return err_set(err, EINVAL, "task %u: %s is not bound to it", task->index, held->container_id);
    if (held && (task->state == TASK_STARTING) != am_starts_has(master->starts, held->container_id))
        return err_set(err, EINVAL, "task %u: state %d does not fit the start of %s", task->index,
                       (int)task->state, held->container_id);
    if (task->ends.lost > master->options.lost_retries + 1 ||
        task->ends.failures > master->options.task_attempts)
        return err_set(err, EINVAL, "task %u: tried too often", task->index);
    return 0;
}

static int check_held(const struct task_master *master, struct err *err)
{
    const struct held_container *held;
    size_t live = 0, listed = 0, untitled = 0;

    for (held = master->held; held; held = held->hh.next) {
        live += !held->complete;
        untitled += held->untitled_since_ms != 0;
        if (held->untitled_since_ms && (held->complete || held->task))
            return err_set(err, EINVAL, "%s: is untitled, and complete or bound", held->container_id);
        if (held->task && (held->complete || held->task->held != held))
            return err_set(err, EINVAL, "%s: bound to task %u one way only", held->container_id,
                           held->task->index);
    }
    TAILQ_FOREACH(held, &master->live, link)
        listed++;
    if (live != listed)
        return err_set(err, EINVAL, "%zu live containers, %zu listed", live, listed);
    if (untitled != master->untitled)
        return err_set(err, EINVAL, "%zu untitled containers, counted %u", untitled, master->untitled);
    return 0;
}

static int check_queue(const struct task_queue *queue, enum task_state state, uint32_t expected,
                       struct err *err)
{
    const struct task *task;
    uint32_t count = 0;

    TAILQ_FOREACH(task, queue, link) {
        if (task->state != state)
            return err_set(err, EINVAL, "task %u: state %d in the queue of %d", task->index, (int)task->state,
                           (int)state);
        count++;
    }
    if (count != expected)
        return err_set(err, EINVAL, "%u tasks in the queue of state %d, expected %u", count, (int)state,
                       expected);
    return 0;
}

int task_master_check(const struct task_master *master, struct err *err)
{
    uint32_t counted[TASK_STATES] = { 0 };
    int64_t outstanding = am_link_outstanding(master->link, ASK_PRIORITY);
    int r;

    for (uint32_t i = 0; i < master->count; i++) {
        r = check_task(master, &master->tasks[i], err);
        if (r < 0)
            return r;
        counted[master->tasks[i].state]++;
    }
    for (int i = 0; i < TASK_STATES; i++)
        if (counted[i] != master->in_state[i])
            return err_set(err, EINVAL, "%u tasks in state %d, counted %u", master->in_state[i], i,
                           counted[i]);
    if (outstanding > (int64_t)master->count)
        return err_set(err, EINVAL, "%lld containers asked for %u tasks", (long long)outstanding,
                       master->count);
    if (master->done && !master->stopped && !am_link_is_over(master->link))
        return err_set(err, EINVAL, "done before the RM agreed");
    r = check_held(master, err);
    if (r < 0)
        return r;
    r = check_queue(&master->waiting, TASK_WAITING, master->in_state[TASK_WAITING], err);
    if (r < 0)
        return r;
    return check_queue(&master->resting, TASK_RESTING, master->in_state[TASK_RESTING], err);
}
