/* SPDX-License-Identifier: Apache-2.0 */
/* health.c - the checks of the resource manager itself, for ClusterInfo */
#include "rm/net/health.h"

#include <stdio.h>
#include <string.h>

#include "common/base/text.h"
#include "common/base/text_builder.h"

#define MIB ((int64_t)1 << 20)

#define OK CREEL__HEALTH_RESULT__HEALTH_OK
#define WARNING CREEL__HEALTH_RESULT__HEALTH_WARNING
#define FAILED CREEL__HEALTH_RESULT__HEALTH_FAILED

/* Sets the result of a check that is not ok. SINCE_MS 0: not known. */
static void set_bad(Creel__HealthCheck *check, Creel__HealthResult result, int64_t since_ms, char *text)
{
    check->result = result;
    check->since_ms = since_ms;
    check->text = text;
}

/* --- checks ------------------------------------------------------------------- */

static void judge_store(const struct health_facts *facts, struct arena *arena, Creel__HealthCheck *check)
{
    if (facts->store_error != NULL)
        set_bad(
            check, FAILED, facts->store_failing_ms,
            arena_printf(arena, "the state is not written, submissions are refused: %s", facts->store_error));
    else if (facts->joined_keys_problem != NULL)
        set_bad(check, WARNING, 0,
                arena_printf(arena, "the keys of hosts that have joined are in the state alone: %s",
                             facts->joined_keys_problem));
    else
        check->text = arena_strdup(arena, "the state can be written");
}

static void judge_backups(const struct health_facts *facts, struct arena *arena, Creel__HealthCheck *check)
{
    const struct backups_state *backups = &facts->backups;
    int64_t age_ms = facts->wall_ms - backups->newest_ms;
    int64_t overdue_ms = backups_overdue_ms(backups, facts->wall_ms);
    char newest[TEXT_SIZE_MAX] = "never";

    if (backups->newest_ms > 0)
        text_format_utc(backups->newest_ms, newest);
    if (*backups->directory == '\0')
        check->text = arena_strdup(arena, "no automatic backups: creel.state.backup-directory is not set");
    else if (overdue_ms > 0)
        set_bad(check, WARNING, 0,
                arena_printf(arena,
                             "a backup of the state has run for %lld s: %s does not answer, or is very slow",
                             (long long)overdue_ms / 1000, backups->directory));
    else if (backups->problem != NULL)
        set_bad(check, WARNING, 0,
                arena_printf(arena, "the last backup of the state failed (the newest: %s): %s", newest,
                             backups->problem));
    else if (backups->newest_ms > 0 && age_ms > HEALTH_BACKUP_INTERVALS * backups->interval_ms)
        set_bad(
            check, WARNING, 0,
            arena_printf(arena, "the newest backup of the state, of %s, is older than configured", newest));
    else
        check->text = backups->newest_ms > 0
                          ? arena_printf(arena, "the newest backup of the state is of %s", newest)
                          : arena_strdup(arena, "the first backup of the state is being made");
}

static bool has_too_little(const struct free_space *space, const struct free_space_directory *directory)
{
    return !directory->shared && (directory->error != 0 || directory->bytes < space->limit_bytes);
}

/* Adds "uploads 412M (/var/lib/creel/rm/blobs)". */
static void add_directory(struct text_builder *text, const struct free_space_directory *directory)
{
    char amount[TEXT_SIZE_MAX];

    text_builder_separate(text, ", ");
    text_builder_printf(text, "%s ", directory->name);
    if (directory->error != 0)
        text_builder_printf(text, "cannot be measured (%s: %s)", directory->path, strerror(directory->error));
    else
        text_builder_printf(text, "%s (%s)", text_format_mb(directory->bytes / MIB, amount), directory->path);
}

static void judge_space(const struct health_facts *facts, struct arena *arena, Creel__HealthCheck *check)
{
    const struct free_space *space = facts->space;
    struct text_builder text = TEXT_BUILDER_IN(arena);
    char limit[TEXT_SIZE_MAX];

    text_format_mb(space->limit_bytes / MIB, limit);
    for (size_t i = 0; i < FREE_SPACE_DIRECTORIES; i++)
        if (has_too_little(space, &space->directories[i]))
            add_directory(&text, &space->directories[i]);
    if (*text_builder_text(&text) == '\0')
        check->text = arena_printf(arena, "state, history and uploads: at least %s is free", limit);
    else
        set_bad(check, WARNING, 0,
                arena_printf(arena, "less than %s is free: %s", limit, text_builder_finish(&text)));
}

static void judge_history(const struct health_facts *facts, struct arena *arena, Creel__HealthCheck *check)
{
    bool lags =
        facts->history_behind_ms != 0 && facts->now_ms - facts->history_behind_ms > HEALTH_HISTORY_BEHIND_MS;

    if (*facts->history_problem != '\0')
        set_bad(check, WARNING, facts->history_behind_ms, arena_strdup(arena, facts->history_problem));
    else if (lags)
        set_bad(check, WARNING, facts->history_behind_ms,
                arena_strdup(arena, "the history lags: it lacks jobs that have ended"));
    else
        check->text = arena_strdup(arena, "the history of jobs is complete");
}

/* Adds "n3 (10.0.0.3, key rq(4bK}N..., since 2026-11-24T14:22:47Z): the reason". */
static void add_agent(struct text_builder *text, const struct refused_agent *agent)
{
    char since[TEXT_SIZE_MAX];

    text_builder_separate(text, "; ");
    text_builder_printf(text, "%s (%s, key %.8s..., since %s): %s", *agent->name ? agent->name : "unknown",
                        agent->address, agent->key, text_format_utc(agent->since_ms, since),
                        agent->reason != NULL ? agent->reason : "its key has no certificate here");
}

#define RM_HOST "on the host of the resource manager: "

/* Returns what to do: an agent with an unknown key may be one that the state knew. */
static const char *agents_remedy(const struct health_facts *facts, size_t named)
{
    for (size_t i = 0; i < named; i++)
        if (facts->refused[i].reason == NULL)
            return "was the state lost? " RM_HOST
                   "creel admin state restore FILE; without a backup, copy keys/agents/NODE of each node to "
                   "its key directory, then creel admin state accept; if not, a new node: creel setup node";
    return "mend the reason; then, on the node: systemctl restart creel-nm";
}

static void judge_agents(const struct health_facts *facts, struct arena *arena, Creel__HealthCheck *check)
{
    size_t count = facts->refused_count, named = count < HEALTH_AGENTS_NAMED ? count : HEALTH_AGENTS_NAMED;
    struct text_builder text = TEXT_BUILDER_IN(arena);

    if (count == 0) {
        check->text = arena_strdup(arena, "no agent is refused");
        return;
    }
    for (size_t i = 0; i < named; i++)
        add_agent(&text, &facts->refused[i]);
    if (count > named)
        text_builder_printf(&text, "; and %zu more", count - named);
    set_bad(check, WARNING, 0,
            arena_printf(arena, "%zu agent%s refused: %s", count, count == 1 ? " is" : "s are",
                         text_builder_finish(&text)));
    check->remedy = arena_strdup(arena, agents_remedy(facts, named));
}

static void judge_gateways(const struct health_facts *facts, struct arena *arena, Creel__HealthCheck *check)
{
    const struct gateway_deaths *deaths = &facts->deaths;
    char last[TEXT_SIZE_MAX], hung[64] = "";

    if (deaths->last_hung_ms > 0)
        snprintf(hung, sizeof(hung), " (did not answer for %lld s, killed)",
                 (long long)(deaths->last_hung_ms / 1000));
    if (deaths->count == 0 || facts->now_ms - deaths->last_ms > HEALTH_DEATH_MS)
        check->text = arena_strdup(arena, "no gateway has ended in the last hour");
    else
        set_bad(check, WARNING, 0,
                arena_printf(arena,
                             "gateways have ended %llu time%s since the start of the resource manager, the "
                             "last at %s%s; their connections were closed",
                             (unsigned long long)deaths->count, deaths->count == 1 ? "" : "s",
                             text_format_utc(deaths->last_ms, last), hung));
}

static void judge_pools(const struct health_facts *facts, struct arena *arena, Creel__HealthCheck *check)
{
    const struct gateway_counts *connections = &facts->connections;

    if ((uint64_t)connections->used * 100 <= (uint64_t)connections->limit * HEALTH_POOL_PERCENT)
        check->text = arena_strdup(arena, "connections to the resource manager: there is room");
    else
        set_bad(check, WARNING, 0,
                arena_printf(arena, "%u of %u connections to the resource manager are in use",
                             connections->used, connections->limit));
}

/* --- the table ---------------------------------------------------------------- */

typedef void judge_fn(const struct health_facts *facts, struct arena *arena, Creel__HealthCheck *check);

static const struct {
    const char *name;
    judge_fn *judge;
    const char *remedy; /* NULL: JUDGE sets it */
} checks[] = {
    { "state-store", judge_store,
      RM_HOST "journalctl -u creel-rm; make room, or repair the disk of the state" },
    { "free-space", judge_space, RM_HOST "df -h; make room, or change creel.resourcemanager.free-space-min" },
    { "backups", judge_backups,
      RM_HOST "journalctl -u creel-rm; make room in creel.state.backup-directory, let user creel write to "
              "it, and mend its mount if it does not answer" },
    { "history", judge_history,
      RM_HOST "make room in history/ of its state directory; if there is room: journalctl -u creel-rm" },
    { "refused-agents", judge_agents, NULL },
    { "gateways", judge_gateways, RM_HOST "journalctl -u creel-rm names the reason" },
    { "pools", judge_pools,
      RM_HOST "ss -tn shows the addresses with the most connections; raise LimitNOFILE= of creel-rm" },
};

void health_fill(const struct health_facts *facts, struct arena *arena, Creel__ClusterInfo *info)
{
    size_t count = sizeof(checks) / sizeof(*checks);

    info->checks = arena_array0(arena, count, sizeof(*info->checks));
    for (size_t i = 0; i < count; i++) {
        Creel__HealthCheck *check = arena_new0(arena, Creel__HealthCheck);

        creel__health_check__init(check);
        check->name = arena_strdup(arena, checks[i].name);
        checks[i].judge(facts, arena, check);
        if (check->result != OK && checks[i].remedy != NULL)
            check->remedy = arena_strdup(arena, checks[i].remedy);
        info->checks[info->n_checks++] = check;
    }
}
