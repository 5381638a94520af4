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

struct job_change {
    struct tool *tool;
    char *const *pairs; /* ends with NULL */
    const char *id;
};

static int finish(const struct job_change *change, int r, struct creel_apps *apps,
                  const struct creel_error *error)
{
    if (r < 0)
        return scontrol_job_refused(change->tool, change->id, error);
    creel_apps_free(apps);
    return EXIT_SUCCESS;
}

/* The limit counts from the last start of the job, as in Slurm; "+10" is ten minutes more. */
static int set_limit(const struct job_change *change, const char *value)
{
    struct creel_client *client = change->tool->cli.client;
    bool more = *value == '+';
    struct creel_apps *found, *apps;
    struct creel_error error;
    int64_t seconds;
    int r;

    if (!slurm_limit_read(more ? value + 1 : value, &seconds))
        return tool_fail(change->tool, "TimeLimit=%s: expected a time: 90 (minutes), 1:30:00, 1-12", value);
    if (creel_app_get(client, change->id, &found, &error) < 0)
        return finish(change, -1, NULL, &error);
    if (more && found->items[0].time_limit_s == 0) {
        creel_apps_free(found);
        return tool_fail(change->tool, "TimeLimit=%s: job %s has no limit", value, change->id);
    }
    if (more && seconds > 0)
        seconds += found->items[0].time_limit_s;
    r = creel_app_set_time_limit(client, &found->items[0], seconds > 0 ? seconds : 0, &apps, &error);
    creel_apps_free(found);
    return finish(change, r, apps, &error);
}

/* "-5" is five minutes less. */
static int shorten_limit(const struct job_change *change, const char *value)
{
    struct creel_client *client = change->tool->cli.client;
    struct creel_apps *apps;
    struct creel_error error;
    int64_t seconds = 0, started_ms, former_ms, expires_ms;
    int r;

    slurm_limit_read(value + 1, &seconds); /* is_limit has judged it */
    if (creel_app_get(client, change->id, &apps, &error) < 0)
        return finish(change, -1, NULL, &error);
    started_ms = apps->items[0].started_ms;
    former_ms = apps->items[0].expires_ms;
    creel_apps_free(apps);
    if (former_ms == 0)
        return tool_fail(change->tool, "TimeLimit=%s: job %s has no limit", value, change->id);
    expires_ms = former_ms - seconds * 1000;
    if (expires_ms <= started_ms)
        return tool_fail(change->tool, "TimeLimit=%s: the limit of job %s is not longer than that", value,
                         change->id);
    r = creel_app_set_expiry(client, change->id, expires_ms, &apps, &error);
    return finish(change, r, apps, &error);
}

static int change_limit(const struct job_change *change, const char *value)
{
    return *value == '-' ? shorten_limit(change, value) : set_limit(change, value);
}

/* Returns true if the first of APPS is held by a user. */
static bool is_held(const struct creel_apps *apps)
{
    return apps != NULL && apps->count > 0 && apps->items[0].hold_count > 0;
}

static int set_at_once(const struct job_change *change, const char *value)
{
    struct creel_apps *apps = NULL;
    struct creel_error error;
    int r = creel_app_set_at_once(change->tool->cli.client, change->id, (uint32_t)strtoul(value, NULL, 10),
                                  &apps, &error);

    return finish(change, r, apps, &error);
}

static int set_priority(const struct job_change *change, const char *value)
{
    struct creel_client *client = change->tool->cli.client;
    int number = (int)strtol(value, NULL, 10);
    struct creel_apps *apps = NULL;
    struct creel_error error;
    int r;

    if (number == 0) /* in Slurm that of a held job */
        r = creel_app_hold_next(client, change->id, NULL, &apps, &error);
    else if ((r = creel_app_set_priority(client, change->id, number, &apps, &error)) == 0 &&
             is_held(apps)) { /* Slurm releases a job whose priority is not 0 any more */
        creel_apps_free(apps);
        r = creel_app_release(client, change->id, &apps, &error);
    }
    return finish(change, r, apps, &error);
}

static int set_queue(const struct job_change *change, const char *value)
{
    struct creel_apps *apps = NULL;
    struct creel_error error;
    int r = creel_app_move(change->tool->cli.client, change->id, value, &apps, &error);

    return finish(change, r, apps, &error);
}

static int set_name(const struct job_change *change, const char *value)
{
    struct creel_apps *apps = NULL;
    struct creel_error error;
    int r = creel_app_set_name(change->tool->cli.client, change->id, value, &apps, &error);

    return finish(change, r, apps, &error);
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

/* In the order in which they are changed: first those that the resource manager refuses most often, so that
 * nothing has been changed then. */
static const struct property {
    const char *key, *other;
    const char *(*judge)(const char *value);
    int (*change)(const struct job_change *change, const char *value);
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

/* Changes the job ID by all pairs of the context, up to the first failure. */
static int change_pairs(void *context, const char *id)
{
    struct job_change *change = context;
    int code = EXIT_SUCCESS;

    change->id = id;
    for (size_t i = 0; i < PROPERTIES; i++)
        for (char *const *pair = change->pairs; *pair && code == EXIT_SUCCESS; pair++) {
            const char *value = value_of(*pair, properties[i].key, properties[i].other);

            code = value ? properties[i].change(change, value) : EXIT_SUCCESS;
        }
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
