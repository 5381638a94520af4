/* SPDX-License-Identifier: Apache-2.0 */
/* scontrol_update.c - scontrol update: what it changes of a job, and the state of nodes */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "client/include/creel-admin.h"
#include "client/script/slurm_moment.h"
#include "client/slurm-client/scontrol.h"
#include "common/base/host_range.h"
#include "common/base/text.h"

/* Returns the value of PAIR if its key is KEY or OTHER (upper or lower case); else NULL. */
static const char *value_of(const char *pair, const char *key, const char *other)
{
    size_t length = strcspn(pair, "=");

    if (!pair[length])
        return NULL;
    if ((strlen(key) == length && !strncasecmp(pair, key, length)) ||
        (other && strlen(other) == length && !strncasecmp(pair, other, length)))
        return pair + length + 1;
    return NULL;
}

static const char *find_value(char *const *pairs, const char *key, const char *other)
{
    const char *value = NULL;

    for (; *pairs && !value; pairs++)
        value = value_of(*pairs, key, other);
    return value;
}

/* --- jobs --------------------------------------------------------------------------------- */

/* What scontrol changes of one job. */
struct job_change {
    struct tool *tool;
    char *const *pairs; /* ends with NULL */
    const char *id;
    const struct creel_app *app;
    struct creel_app_change wanted;
};

/* The limit counts from the last start of the job, as in Slurm; "+10" is ten minutes more. */
static int want_limit(struct job_change *change, const char *value)
{
    bool more = *value == '+';
    int64_t seconds = 0;

    slurm_limit_read(more ? value + 1 : value, &seconds); /* judge_limit has judged it */
    if (more && change->app->time_limit_s == 0)
        return tool_fail(change->tool, "TimeLimit=%s: job %s has no limit", value, change->id);
    if (more && seconds > 0)
        seconds += change->app->time_limit_s;
    change->wanted.set_time_limit = true;
    change->wanted.time_limit_s = seconds > 0 ? seconds : 0;
    change->wanted.expires_ms = 0;
    return EXIT_SUCCESS;
}

/* "-5" is five minutes less. */
static int want_shorter_limit(struct job_change *change, const char *value)
{
    const struct creel_app *app = change->app;
    int64_t seconds = 0, left_s;

    slurm_limit_read(value + 1, &seconds);
    if (app->expires_ms == 0 && app->time_limit_s == 0)
        return tool_fail(change->tool, "TimeLimit=%s: job %s has no limit", value, change->id);
    left_s = app->expires_ms > 0 ? (app->expires_ms - app->started_ms) / 1000 : app->time_limit_s;
    if (left_s <= seconds)
        return tool_fail(change->tool, "TimeLimit=%s: the limit of job %s is not longer than that", value,
                         change->id);
    change->wanted.set_time_limit = app->expires_ms == 0; /* it has not begun: nothing ends it yet */
    change->wanted.time_limit_s = left_s - seconds;
    change->wanted.expires_ms = app->expires_ms > 0 ? app->expires_ms - seconds * 1000 : 0;
    return EXIT_SUCCESS;
}

static int change_limit(struct job_change *change, const char *value)
{
    if ((*value == '+' || *value == '-') && *change->app->array)
        return tool_fail(change->tool,
                         "TimeLimit=%s: TimeLimit increment/decrement not supported for job arrays: give the "
                         "limit, or one of the tasks, as %s_%lu",
                         value, change->id, strtoul(change->app->array, NULL, 10));
    return *value == '-' ? want_shorter_limit(change, value) : want_limit(change, value);
}

static int set_at_once(struct job_change *change, const char *value)
{
    change->wanted.set_at_once = true;
    change->wanted.at_once = (uint32_t)strtoul(value, NULL, 10);
    return EXIT_SUCCESS;
}

/* In Slurm 0 is the priority of a held job. Another one does not release it, and is refused. */
static int set_priority(struct job_change *change, const char *value)
{
    int number = (int)strtol(value, NULL, 10);

    if (number != 0 && change->app->hold_count > 0)
        return tool_fail(change->tool,
                         "Priority=%s: job %s: Job is in held state, pending scheduler release; release it "
                         "first: scontrol release %s",
                         value, change->id, change->id);
    change->wanted.hold_next = number == 0;
    change->wanted.set_priority = number != 0;
    change->wanted.priority = number;
    return EXIT_SUCCESS;
}

static int set_queue(struct job_change *change, const char *value)
{
    change->wanted.queue = value;
    return EXIT_SUCCESS;
}

static int set_name(struct job_change *change, const char *value)
{
    change->wanted.name = value;
    return EXIT_SUCCESS;
}

/* --- the line ---------------------------------------------------------------------------------- */

/* Return what a value must be if VALUE is not; else NULL. */
static const char *judge_limit(const char *value)
{
    bool is_difference = *value == '+' || *value == '-';
    int64_t seconds;

    if (slurm_limit_read(is_difference ? value + 1 : value, &seconds) && (!is_difference || seconds > 0))
        return NULL;
    return "a time: 90 (minutes), 1:30:00, 1-12, or a difference: +90, -90";
}

static const char *judge_number(const char *value)
{
    int64_t number;

    return text_parse_int64(value, &number) && number >= 0 && number <= INT32_MAX ? NULL : "a number";
}

static const char *judge_text(const char *value)
{
    return *value ? NULL : "a name";
}

static const struct property {
    const char *key, *other;
    const char *(*judge)(const char *value);
    int (*change)(struct job_change *change, const char *value);
} properties[] = {
    { "Partition", NULL, judge_text, set_queue },
    { "TimeLimit", NULL, judge_limit, change_limit },
    { "ArrayTaskThrottle", NULL, judge_number, set_at_once },
    { "Priority", NULL, judge_number, set_priority },
    { "Name", "JobName", judge_text, set_name },
};

#define PROPERTIES (sizeof(properties) / sizeof(properties[0]))

static bool judge_pair(const struct tool *tool, const char *pair)
{
    for (size_t i = 0; i < PROPERTIES; i++) {
        const char *value = value_of(pair, properties[i].key, properties[i].other);
        const char *expected = value ? properties[i].judge(value) : NULL;

        if (expected)
            tool_fail(tool, "%s: expected %s", pair, expected);
        if (value)
            return !expected;
    }
    tool_fail(tool, "%s: creel changes Name, TimeLimit, Partition, Priority and ArrayTaskThrottle of a job",
              pair);
    return false;
}

/* Judges PAIRS, all of which are those of jobs, before the first change. */
static bool judge_pairs(const struct tool *tool, char *const *pairs)
{
    bool valid = true, some = false;

    for (; *pairs && valid; pairs++) {
        if (value_of(*pairs, "JobId", "Job"))
            continue;
        some = true;
        valid = judge_pair(tool, *pairs);
    }
    if (!valid)
        fputs("Request aborted\n", stderr);
    else if (!some)
        fputs("No changes specified\n", stderr);
    return valid && some;
}

/* Collects the pairs of CHANGE. An error is printed. */
static int collect(struct job_change *change)
{
    int code = EXIT_SUCCESS;

    for (char *const *pair = change->pairs; *pair && code == EXIT_SUCCESS; pair++)
        for (size_t i = 0; i < PROPERTIES && code == EXIT_SUCCESS; i++) {
            const char *value = value_of(*pair, properties[i].key, properties[i].other);

            code = value ? properties[i].change(change, value) : EXIT_SUCCESS;
        }
    return code;
}

/* Names what is less than was wanted in CHANGED, and frees it. */
static void finish_change(const struct job_change *change, struct creel_apps *changed)
{
    const struct creel_app *app = &changed->items[0];

    if (change->wanted.set_priority && app->priority != change->wanted.priority)
        tool_note(change->tool, "Priority=%d: this cluster allows priority %d at most",
                  change->wanted.priority, app->priority);
    creel_apps_free(changed);
}

/* Makes all changes of the job ID, or none. */
static int change_pairs(void *context, const char *id)
{
    struct job_change *change = context;
    struct creel_client *client = change->tool->cli.client;
    struct creel_apps *found, *changed;
    struct creel_error error;
    int code;

    if (creel_app_get(client, id, &found, &error) < 0)
        return scontrol_job_refused(change->tool, id, &error);
    change->id = id;
    change->app = &found->items[0];
    change->wanted = (struct creel_app_change){ 0 };
    code = collect(change);
    if (code == EXIT_SUCCESS && creel_app_change(client, change->app, &change->wanted, &changed, &error) < 0)
        code = scontrol_job_refused(change->tool, id, &error);
    else if (code == EXIT_SUCCESS)
        finish_change(change, changed);
    creel_apps_free(found);
    return code;
}

/* Returns PAIRS with "TimeLimit=+30" for "TimeLimit+=30": both are those of scontrol. */
static char *const *join_signs(struct arena *arena, char *const *pairs)
{
    char **joined;
    size_t count = 0;

    while (pairs[count])
        count++;
    joined = arena_array0(arena, count + 1, sizeof(*joined));
    for (size_t i = 0; i < count; i++) {
        const char *more = value_of(pairs[i], "TimeLimit+", NULL);
        const char *less = value_of(pairs[i], "TimeLimit-", NULL);

        joined[i] = more   ? arena_printf(arena, "TimeLimit=+%s", more)
                    : less ? arena_printf(arena, "TimeLimit=-%s", less)
                           : pairs[i];
    }
    return joined;
}

/* --- nodes ----------------------------------------------------------------------------------- */

static int change_nodes(struct tool *tool, const char *names, const struct creel_node_order *order)
{
    struct host_names hosts = { 0 };
    struct creel_nodes *nodes = NULL;
    struct creel_error error;
    struct err err = { 0 };
    int code = EXIT_SUCCESS;

    if (host_range_expand(names, &hosts, &err) < 0)
        code = tool_fail(tool, "%s", err.text);
    else if (creel_node_change(tool->cli.client, (const char *const *)hosts.items, hosts.count, order, &nodes,
                               &error) < 0)
        code = tool_refused(tool, &error);
    creel_nodes_free(nodes);
    host_names_done(&hosts);
    return code;
}

static int update_nodes(struct tool *tool, const char *names, char *const *pairs)
{
    const char *state = find_value(pairs, "State", NULL), *reason = find_value(pairs, "Reason", NULL);
    struct creel_node_order order = { .reason = reason };

    for (char *const *pair = pairs; *pair; pair++)
        if (!value_of(*pair, "NodeName", "State") && !value_of(*pair, "Reason", NULL))
            return tool_fail(tool, "%s: creel changes State and Reason of a node", *pair);
    if (state && !strcasecmp(state, "DRAIN"))
        order.change = CREEL_NODE_DRAIN;
    else if (state && (!strcasecmp(state, "RESUME") || !strcasecmp(state, "UNDRAIN")))
        order.change = CREEL_NODE_UNDRAIN;
    else
        return tool_fail(tool, "State=%s: expected DRAIN or RESUME", state ? state : "");
    if (order.change == CREEL_NODE_DRAIN && !reason)
        return tool_fail(tool, "You must specify a reason when DRAINING a node: Reason=TEXT");
    return change_nodes(tool, names, &order);
}

/* Returns the id of "job 42", without "=", which scontrol takes, too, and moves *PAIRS behind it; NULL: there
 * is none. */
static const char *take_id(char *const **pairs)
{
    const char *word = (*pairs)[0], *id = word ? (*pairs)[1] : NULL;

    if (!id || (strcasecmp(word, "job") != 0 && strcasecmp(word, "jobid") != 0))
        return NULL;
    *pairs += 2;
    return id;
}

int scontrol_update(struct tool *tool, char *const *pairs)
{
    const char *id = take_id(&pairs);
    const char *nodes = find_value(pairs, "NodeName", NULL);
    char *lists[] = { (char *)(uintptr_t)(id ? id : find_value(pairs, "JobId", "Job")), NULL };
    struct job_change change = { .tool = tool, .pairs = join_signs(tool->arena, pairs) };

    if (lists[0])
        return judge_pairs(tool, change.pairs) ? scontrol_change_list(tool, lists, change_pairs, &change)
                                               : EXIT_FAILURE;
    if (!nodes)
        return tool_fail(tool, "No valid entity in update command: expected JobId=ID or NodeName=HOSTS");
    return tool_client(tool) ? update_nodes(tool, nodes, pairs) : EXIT_FAILURE;
}
