/* SPDX-License-Identifier: Apache-2.0 */
/* job_list.c - applications as the rows of Slurm's commands */
#include "client/slurm-client/job_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "client/include/creel-history.h"
#include "client/slurm-client/waiting_tasks.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/io/loop/loop.h"

#define ONE_BY_ONE_MAX 16    /* ids that are requested one by one; more are found in the list of all */
#define OWN_START_MS 5000    /* longest wait for the report that the job of this command runs */
#define ENDED_ARRAYS_MAX 100 /* of which the indexes of failed and killed tasks are requested */

struct listing {
    struct tool *tool;
    const struct job_query *query;
    struct job_list *list;
    struct creel_app **apps; /* owned: all that were found, sorted by number, each once */
    size_t count, capacity;
    bool listed;    /* the list of all was requested */
    unsigned asked; /* ended arrays that were requested one by one */
    struct creel_error error;
};

/* --- lists of names ------------------------------------------------------------------------ */

const char *const *job_query_split(struct arena *arena, const char *value)
{
    const char **list = arena_array0(arena, strlen(value) + 2, sizeof(*list));
    char *rest = arena_strdup(arena, value);
    size_t count = 0;
    const char *word;

    while ((word = text_next_word(&rest)) != NULL)
        list[count++] = word;
    return list;
}

bool job_query_has(const char *const *list, const char *name)
{
    for (size_t i = 0; list && list[i]; i++)
        if (!strcmp(list[i], name))
            return true;
    return list == NULL;
}

void job_query_reset_states(struct job_query *query)
{
    memset(query->states, 0, sizeof(query->states));
    query->states_given = query->all_states = false;
}

bool job_query_read_states(const struct tool *tool, const char *value, struct job_query *query)
{
    const char *const *words = job_query_split(tool->arena, value);

    for (; *words; words++) {
        const struct slurm_state *state = slurm_state_find(*words);

        if (!strcasecmp(*words, "all")) {
            query->all_states = true;
            continue;
        }
        if (!state) {
            tool_fail(tool, "Invalid job state specified: %s", *words);
            return false;
        }
        query->states_given = true;
        query->states[slurm_state_number(state)] = true;
    }
    return true;
}

const char *job_partition(const char *queue)
{
    return text_has_prefix(queue, "root.") ? queue + strlen("root.") : queue;
}

static bool is_in_queues(const char *const *queues, const char *queue)
{
    const char *last = strrchr(queue, '.');

    return job_query_has(queues, queue) || job_query_has(queues, job_partition(queue)) ||
           (last && job_query_has(queues, last + 1));
}

/* --- requests ---------------------------------------------------------------------------------- */

static void keep(struct listing *listing, struct creel_apps *apps)
{
    struct job_list *list = listing->list;

    mem_grow(list->replies, list->reply_count, list->reply_capacity);
    list->replies[list->reply_count++] = apps;
    for (size_t i = 0; i < apps->count; i++) {
        mem_grow(listing->apps, listing->count, listing->capacity);
        listing->apps[listing->count++] = &apps->items[i];
    }
}

/* Returns whether rows of ended applications may be wanted. */
static bool wants_ended(const struct job_query *query)
{
    for (unsigned i = 0; i < SLURM_STATES; i++)
        if (query->states[i] && i != SLURM_STATE_PENDING && i != SLURM_STATE_RUNNING)
            return true;
    return query->all_states || (query->history && !query->states_given);
}

static bool list_live(struct listing *listing, const char *const *users)
{
    static const enum creel_app_state live[] = { CREEL_APP_NEW, CREEL_APP_NEW_SAVING, CREEL_APP_SUBMITTED,
                                                 CREEL_APP_ACCEPTED, CREEL_APP_RUNNING };
    struct creel_app_filter filter = {
        .users = users, .tasks = true, .no_long_commands = true, .launch = listing->query->launch
    };
    struct creel_apps *apps;

    if (listing->listed)
        return true;
    listing->listed = true;
    if (!wants_ended(listing->query)) {
        filter.states = live;
        filter.state_count = sizeof(live) / sizeof(live[0]);
    }
    if (creel_app_list(listing->tool->cli.client, &filter, &apps, &listing->error) < 0)
        return false;
    keep(listing, apps);
    return true;
}

static bool list_history(struct listing *listing, const char *const *users, int64_t since_ms)
{
    struct creel_history_filter filter = {
        .users = users, .since_ms = since_ms, .tasks = true, .with_nodes = true, .no_long_commands = true
    };
    struct creel_apps *apps;
    char *warning = NULL;
    bool more;

    if (creel_history_list(listing->tool->cli.client, &filter, &apps, &more, &warning, &listing->error) < 0)
        return false;
    if (warning)
        tool_note(listing->tool, "%s", warning);
    free(warning);
    keep(listing, apps);
    return true;
}

/* Gets the tasks of ARRAY, which was requested by its number. */
static bool list_tasks_of(struct listing *listing, const struct creel_app *array)
{
    const char *users[] = { array->user, NULL };

    if (!list_live(listing, users))
        return false;
    return !listing->query->history || !creel_app_is_over(array) ||
           list_history(listing, users, array->submitted_ms);
}

/* Gets the application with NUMBER. One that does not exist is no error. */
static bool get_one(struct listing *listing, uint32_t number)
{
    char id[16];
    struct creel_apps *apps;

    snprintf(id, sizeof(id), "%u", number);
    if (creel_app_get(listing->tool->cli.client, id, &apps, &listing->error) < 0)
        return listing->error.code == ENOENT;
    keep(listing, apps);
    return !*apps->items[0].array || list_tasks_of(listing, &apps->items[0]);
}

static bool has_number(const struct listing *listing, uint32_t number)
{
    for (size_t i = 0; i < listing->count; i++)
        if (tool_job_number(listing->apps[i]->id) == number)
            return true;
    return false;
}

/* Gets the applications of IDS that are not among those that were found. */
static bool get_missing(struct listing *listing, const struct job_ids *ids)
{
    scoped_free bool *found = mem_alloc0(ids->count);
    size_t count;

    for (size_t i = 0; i < listing->count; i++) {
        const struct job_id *id = job_ids_find(ids, tool_job_number(listing->apps[i]->id), &count);

        if (id)
            found[id - ids->items] = true;
    }
    for (size_t i = 0; i < ids->count; i += count) {
        job_ids_find(ids, ids->items[i].number, &count);
        if (!found[i] && !get_one(listing, ids->items[i].number))
            return false;
    }
    return true;
}

static bool get_all(struct listing *listing)
{
    const struct job_query *query = listing->query;
    const struct job_ids *ids = &query->ids;

    if (ids->given && ids->count == 0)
        return true;
    if (ids->count > 0 && ids->count <= ONE_BY_ONE_MAX) {
        for (size_t i = 0; i < ids->count; i++)
            if (!has_number(listing, ids->items[i].number) && !get_one(listing, ids->items[i].number))
                return false;
        return true;
    }
    if (!list_live(listing, query->users))
        return false;
    if (ids->count == 0)
        return !query->history || !wants_ended(query) || list_history(listing, query->users, query->since_ms);
    return !query->history || get_missing(listing, ids);
}

/* --- sorting --------------------------------------------------------------------------------------- */

/* Returns the number by which rows are sorted: that of the array of a task. */
static uint32_t base_number(const struct creel_app *app)
{
    return tool_job_number(*app->array_id ? app->array_id : app->id);
}

/* By number, then the array before its tasks, then by index; of two copies that of the history, which has
 * figures, is first. */
static int compare(const void *left, const void *right)
{
    const struct creel_app *a = *(const struct creel_app *const *)left;
    const struct creel_app *b = *(const struct creel_app *const *)right;
    uint32_t numbers[] = { base_number(a), base_number(b) };

    if (numbers[0] != numbers[1])
        return numbers[0] < numbers[1] ? -1 : 1;
    if (!*a->array_id != !*b->array_id)
        return *a->array_id ? 1 : -1;
    if (a->array_index != b->array_index)
        return a->array_index < b->array_index ? -1 : 1;
    return (b->used != NULL) - (a->used != NULL);
}

/* The copy that is kept gets the launch of the other: the history has none. */
static void sort(struct listing *listing)
{
    size_t kept = 0;

    if (listing->count > 0)
        qsort(listing->apps, listing->count, sizeof(*listing->apps), compare);
    for (size_t i = 0; i < listing->count; i++)
        if (kept == 0 || strcmp(listing->apps[kept - 1]->id, listing->apps[i]->id) != 0)
            listing->apps[kept++] = listing->apps[i];
        else if (!listing->apps[kept - 1]->launch)
            listing->apps[kept - 1]->launch = listing->apps[i]->launch;
    listing->count = kept;
}

/* Gives tasks that have no launch, as those that the resource manager has forgotten, that of their array,
 * which is before them. */
static void share_launches(struct listing *listing)
{
    const struct creel_app *array = NULL;

    for (size_t i = 0; i < listing->count; i++) {
        struct creel_app *app = listing->apps[i];

        if (*app->array)
            array = app;
        else if (array && !app->launch && !strcmp(app->array_id, array->id))
            app->launch = array->launch;
    }
}

/* --- rows -------------------------------------------------------------------------------------------- */

/* Returns whether IDS has ROW, by the number of its array or by the own number of a task that has begun.
 * Indexes name tasks of an array alone. */
static bool is_named(const struct job_ids *ids, const struct job_row *row)
{
    if (job_ids_name_whole(ids, row->number) || job_ids_name_whole(ids, tool_job_number(row->app->id)))
        return true;
    return (row->is_task || row->tasks) && job_ids_have(ids, row->number, row->is_task, row->index);
}

static bool is_wanted(const struct job_query *query, const struct job_row *row)
{
    const struct creel_app *app = row->app;

    if (!is_named(&query->ids, row))
        return false;
    if (query->states_given && !query->all_states && !query->states[slurm_state_number(row->state)])
        return false;
    if (!wants_ended(query) && slurm_state_number(row->state) > SLURM_STATE_RUNNING)
        return false;
    if (query->until_ms > 0 && app->submitted_ms > query->until_ms)
        return false;
    if (query->since_ms > 0 && app->finished_ms > 0 && app->finished_ms < query->since_ms)
        return false;
    return job_query_has(query->users, app->user) && job_query_has(query->names, app->name) &&
           is_in_queues(query->queues, app->queue);
}

static void add_row(struct listing *listing, struct job_row row)
{
    struct job_list *list = listing->list;

    row.now_ms = loop_now_ms();
    row.number = base_number(row.app);
    row.users = list->users;
    if (row.account_number == 0)
        row.account_number = tool_job_number(row.app->id);
    if (!is_wanted(listing->query, &row))
        return;
    mem_grow(list->rows, list->count, list->capacity);
    list->rows[list->count++] = row;
}

/* Returns ARRAY with the indexes of its failed and killed tasks, which lists lack, if some of them are not in
 * TASKS. */
static const struct creel_app *with_failed_tasks(struct listing *listing, const struct creel_app *array,
                                                 const struct creel_app *const *tasks, size_t count)
{
    struct job_list *list = listing->list;
    struct creel_apps *apps;

    if ((array->failed_tasks && *array->failed_tasks) || !waiting_tasks_lack_ends(array, tasks, count) ||
        (creel_app_is_over(array) &&
         (!wants_ended(listing->query) || listing->asked++ >= ENDED_ARRAYS_MAX)) ||
        creel_app_get(listing->tool->cli.client, array->id, &apps, NULL) < 0)
        return array;
    mem_grow(list->replies, list->reply_count, list->reply_capacity);
    list->replies[list->reply_count++] = apps;
    return &apps->items[0];
}

/* Adds a row for TASKS of an array, which are no applications, or one for each of them. AT_ONCE: see
 * waiting_tasks_text. */
static void add_tasks(struct listing *listing, struct job_row row, const struct waiting_tasks *tasks,
                      uint32_t at_once)
{
    const struct job_query *query = listing->query;
    bool each = query->each_task || job_ids_name_tasks(&query->ids, tool_job_number(row.app->id));

    for (size_t i = 0; each && i < tasks->count; i++) {
        row.tasks = "";
        row.is_task = true;
        row.index = tasks->indexes[i];
        add_row(listing, row);
    }
    if (!each && tasks->count > 0) {
        row.tasks = waiting_tasks_text(tasks, at_once, listing->list->arena);
        add_row(listing, row);
    }
}

/* Adds the rows of tasks of ARRAY that have not begun, and of those that were killed before they began; its
 * tasks are the COUNT applications at TASKS. Returns whether there are tasks that have not begun. */
static bool add_waiting(struct listing *listing, const struct creel_app *array,
                        const struct creel_app *const *tasks, size_t count)
{
    struct job_row row = { .state = slurm_state_of(array) };
    struct waiting_tasks found;
    bool waits;

    row.app = array = with_failed_tasks(listing, array, tasks, count);
    /* The state of an array with tasks is RUNNING; tasks that an array left when it ended were cancelled. */
    if (row.state == slurm_state_at(SLURM_STATE_RUNNING))
        row.state = slurm_state_at(SLURM_STATE_PENDING);
    else if (creel_app_is_over(array) && count > 0)
        row.state = slurm_state_at(SLURM_STATE_CANCELLED);
    waiting_tasks_find(&found, array, tasks, count);
    waits = found.count > 0 && !creel_app_is_over(array);
    add_tasks(listing, row, &found, array->array_at_once);
    waiting_tasks_done(&found);
    waiting_tasks_find_killed(&found, array, tasks, count);
    row.state = slurm_state_at(SLURM_STATE_CANCELLED);
    add_tasks(listing, row, &found, 0);
    waiting_tasks_done(&found);
    return waits;
}

/* Returns the task of TASKS, of an array without tasks that wait, that has the number of the array as
 * JobIDRaw, as one task has in Slurm: the last one that runs; if none runs, the last one that did not
 * succeed; else the last one. Tools that look for the number of the array find the state of its tasks. NULL:
 * there is no task. */
static const struct creel_app *find_task_with_array_number(const struct creel_app *const *tasks, size_t count)
{
    const struct creel_app *found = NULL;
    int best = -1;

    for (size_t i = count; i-- > 0;) {
        int rank = !creel_app_is_over(tasks[i]) ? 2 : tasks[i]->final_status != CREEL_FINAL_SUCCEEDED ? 1 : 0;

        if (rank > best) {
            best = rank;
            found = tasks[i];
        }
    }
    return found;
}

static void add_application(struct listing *listing, const struct creel_app *app, uint32_t account_number)
{
    add_row(listing, (struct job_row){ .app = app,
                                       .account_number = account_number,
                                       .state = slurm_state_of(app),
                                       .is_task = *app->array_id != '\0',
                                       .index = app->array_index });
}

/* Adds the rows of the application at I, and of its tasks if it is an array. Returns how many they are. */
static size_t add_app(struct listing *listing, size_t i)
{
    const struct creel_app *app = listing->apps[i], *chosen;
    const struct creel_app *const *first; /* task */
    size_t tasks = 0;
    bool waits;

    if (!*app->array) {
        add_application(listing, app, 0);
        return 1;
    }
    while (i + 1 + tasks < listing->count && !strcmp(listing->apps[i + 1 + tasks]->array_id, app->id))
        tasks++;
    first = (const struct creel_app *const *)&listing->apps[i + 1];
    waits = add_waiting(listing, app, first, tasks);
    chosen = waits ? NULL : find_task_with_array_number(first, tasks);
    for (size_t k = 1; k <= tasks; k++)
        if (!waiting_task_is(listing->apps[i + k]))
            add_application(listing, listing->apps[i + k],
                            listing->apps[i + k] == chosen ? tool_job_number(app->id) : 0);
    return 1 + tasks;
}

/* Returns the lifetime that a job without one of its own gets in the queue PATH; 0: no limit. */
static int64_t limit_of_queue(const struct creel_queues *queues, const char *path)
{
    for (size_t i = 0; i < queues->count; i++) {
        const struct creel_queue *queue = &queues->items[i];
        int64_t limit_s =
            queue->default_lifetime_s > 0 ? queue->default_lifetime_s : queue->maximum_lifetime_s;

        if (!strcmp(queue->path, path))
            return limit_s > 0 ? limit_s : 0;
    }
    return 0;
}

/* Sets the limits of queues in the rows. Returns false after an error. */
static bool set_limits(struct listing *listing)
{
    struct job_list *list = listing->list;
    struct creel_queues *queues;

    if (!listing->query->limits || list->count == 0)
        return true;
    if (creel_queue_list(listing->tool->cli.client, NULL, &queues, &listing->error) < 0) {
        tool_refused(listing->tool, &listing->error);
        return false;
    }
    for (size_t i = 0; i < list->count; i++)
        list->rows[i].queue_limit_s = limit_of_queue(queues, list->rows[i].app->queue);
    creel_queues_free(queues);
    return true;
}

/* A command of a job may ask before the agent has reported that the job runs. Then the report is waited for:
 * as in Slurm, a job sees itself running, with its start and its node. */
static bool await_own_start(struct listing *listing)
{
    const char *own = getenv("CREEL_APP_ID");
    struct creel_client *client = listing->tool->cli.client;
    struct creel_apps *apps;
    size_t i = 0;

    while (own && i < listing->count && strcmp(listing->apps[i]->id, own) != 0)
        i++;
    if (!own || i == listing->count || listing->apps[i]->state >= CREEL_APP_RUNNING)
        return true;
    if (creel_app_wait(client, own, CREEL_WAIT_RUNNING, OWN_START_MS, &apps, &listing->error) < 0)
        return listing->error.code == ETIMEDOUT;
    creel_apps_free(apps);
    if (creel_app_get(client, own, &apps, &listing->error) < 0)
        return false;
    keep(listing, apps);
    listing->apps[i] = listing->apps[--listing->count];
    return true;
}

bool job_list_get(struct tool *tool, const struct job_query *query, struct job_list *list, bool *missing)
{
    struct listing listing = { .tool = tool, .query = query, .list = list };
    bool done;

    *list = (struct job_list){ .arena = arena_new(), .users = job_users_new() };
    if (!tool_client(tool))
        return false;
    done = get_all(&listing) && await_own_start(&listing);
    if (!done)
        tool_refused(tool, &listing.error);
    if (missing)
        *missing = done && listing.count == 0 && query->ids.count > 0;
    sort(&listing);
    share_launches(&listing);
    for (size_t i = 0; done && i < listing.count;)
        i += add_app(&listing, i);
    free(listing.apps);
    return done && set_limits(&listing);
}

int job_list_fail_missing(void)
{
    fputs("slurm_load_jobs error: Invalid job id specified\n", stderr);
    return EXIT_FAILURE;
}

void job_list_done(struct job_list *list)
{
    for (size_t i = 0; i < list->reply_count; i++)
        creel_apps_free(list->replies[i]);
    free(list->replies);
    free(list->rows);
    job_users_free(list->users);
    arena_free(list->arena);
}
