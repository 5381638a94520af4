/* SPDX-License-Identifier: Apache-2.0 */
/* health.c - the checks of the resource manager itself, for ClusterInfo */
#include "rm/net/health.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/text.h"
#include "common/base/text_builder.h"

#define MIB ((int64_t)1 << 20)

#define RM_HOST "on the host of the resource manager: "

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

static void set_moved(struct arena *arena, Creel__HealthCheck *check)
{
    set_bad(check, FAILED, 0,
            arena_strdup(arena,
                         "the file of the state, state.db, was removed or replaced: all that is accepted "
                         "since then is lost at the next start"));
    check->remedy =
        arena_strdup(arena, RM_HOST "systemctl stop creel-rm, which writes the state to " HEALTH_RESCUED
                                    "-TIME.db in its state directory; creel admin state restore that file; "
                                    "systemctl start creel-rm");
}

static void judge_store(const struct health_facts *facts, struct arena *arena, Creel__HealthCheck *check)
{
    if (facts->store_error != NULL)
        set_bad(
            check, FAILED, facts->store_failing_ms,
            arena_printf(arena, "the state is not written, submissions are refused: %s", facts->store_error));
    else if (facts->store_moved)
        set_moved(arena, check);
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

    text_builder_printf(text, "%s ", directory->name);
    if (directory->error != 0)
        text_builder_printf(text, "cannot be measured (%s: %s)", directory->path, strerror(directory->error));
    else
        text_builder_printf(text, "%s (%s)", text_format_mb(directory->bytes / MIB, amount), directory->path);
}

/* Returns the directories with too little space, "" if there is none. */
static const char *list_full(const struct free_space *space, struct arena *arena)
{
    struct text_builder text = TEXT_BUILDER_IN(arena);
    char limit[TEXT_SIZE_MAX];

    for (size_t i = 0; i < FREE_SPACE_DIRECTORIES; i++) {
        if (!has_too_little(space, &space->directories[i]))
            continue;
        if (*text_builder_text(&text) == '\0')
            text_builder_printf(&text,
                                "less than %s is free: ", text_format_mb(space->limit_bytes / MIB, limit));
        else
            text_builder_add(&text, ", ");
        add_directory(&text, &space->directories[i]);
    }
    return text_builder_finish(&text);
}

/* That there is no space is no other fault of a directory with too little of it. */
static bool is_unwritable(const struct free_space *space, const struct free_space_directory *directory)
{
    return directory->write_error != 0 &&
           (directory->write_error != ENOSPC || directory->bytes >= space->limit_bytes);
}

/* Returns the directories that cannot be written, "" if there is none. */
static const char *list_unwritable(const struct free_space *space, struct arena *arena)
{
    struct text_builder text = TEXT_BUILDER_IN(arena);

    for (size_t i = 0; i < FREE_SPACE_DIRECTORIES; i++) {
        const struct free_space_directory *directory = &space->directories[i];

        if (!is_unwritable(space, directory))
            continue;
        text_builder_separate(&text, "; ");
        text_builder_printf(&text, "%s cannot be written (%s: %s)", directory->name, directory->path,
                            strerror(directory->write_error));
    }
    return text_builder_finish(&text);
}

static bool is_refusing(const struct free_space *space)
{
    for (size_t i = 0; i < FREE_SPACE_DIRECTORIES; i++)
        if (space->directories[i].required && is_unwritable(space, &space->directories[i]))
            return true;
    return false;
}

static void judge_space(const struct health_facts *facts, struct arena *arena, Creel__HealthCheck *check)
{
    const char *full = list_full(facts->space, arena), *unwritable = list_unwritable(facts->space, arena);
    char limit[TEXT_SIZE_MAX];

    if (*full == '\0' && *unwritable == '\0')
        check->text = arena_printf(arena, "state, history and uploads: at least %s is free",
                                   text_format_mb(facts->space->limit_bytes / MIB, limit));
    else
        set_bad(check, is_refusing(facts->space) ? FAILED : WARNING, 0,
                arena_printf(arena, "%s%s%s", unwritable, *full && *unwritable ? "; " : "", full));
    if (*unwritable != '\0')
        check->remedy =
            arena_strdup(arena, RM_HOST "let user creel write to the directory: ls -ld, findmnt -T; "
                                        "dmesg has errors of the disk");
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

/* Returns "n3 (10.0.0.3, key rq(4bK}N..., since 2026-11-24T14:22:47Z): the reason". */
static char *describe_agent(struct arena *arena, const struct refused_agent *agent)
{
    char since[TEXT_SIZE_MAX];

    return arena_printf(arena, "%s (%s, key %.8s..., since %s): %s", *agent->name ? agent->name : "unknown",
                        agent->address, agent->key, text_format_utc(agent->since_ms, since),
                        agent->reason != NULL ? agent->reason : "its key has no certificate here");
}

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
    size_t known = count < facts->refused_room ? count : facts->refused_room;
    struct text_builder text = TEXT_BUILDER_IN(arena);

    if (count == 0) {
        check->text = arena_strdup(arena, "no agent is refused");
        return;
    }
    check->causes = arena_array0(arena, known, sizeof(*check->causes));
    for (; check->n_causes < known; check->n_causes++)
        check->causes[check->n_causes] = describe_agent(arena, &facts->refused[check->n_causes]);
    for (size_t i = 0; i < named; i++) {
        text_builder_separate(&text, "; ");
        text_builder_add(&text, check->causes[i]);
    }
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

static void judge_stuck(const struct health_facts *facts, struct arena *arena, Creel__HealthCheck *check)
{
    uint32_t count = facts->nodes->stuck;

    if (count == 0)
        check->text = arena_strdup(arena, "every killed container has ended");
    else
        set_bad(check, WARNING, 0,
                arena_printf(arena, "%u container%s not end; %s", count, count == 1 ? " does" : "s do",
                             facts->nodes->stuck_text));
}

static void judge_versions(const struct health_facts *facts, struct arena *arena, Creel__HealthCheck *check)
{
    uint32_t count = facts->nodes->versions;

    if (count == 0)
        check->text = arena_strdup(arena, "no node is of another version than the resource manager");
    else
        set_bad(check, WARNING, 0,
                arena_printf(arena, "%u node%s of another version than the resource manager: %s", count,
                             count == 1 ? " is" : "s are", facts->nodes->versions_text));
}

static void judge_certificates(const struct health_facts *facts, struct arena *arena,
                               Creel__HealthCheck *check)
{
    const struct master_node_faults *nodes = facts->nodes;

    if (nodes->expiring == 0)
        check->text = arena_strdup(arena, "no TLS certificate of an agent expires within 30 days");
    else
        set_bad(check, nodes->expired > 0 ? FAILED : WARNING, 0,
                arena_printf(arena, "TLS certificates of agents have to be replaced: %s",
                             nodes->certificates_text));
}

/* --- the table ---------------------------------------------------------------- */

typedef void judge_fn(const struct health_facts *facts, struct arena *arena, Creel__HealthCheck *check);

static const struct {
    const char *name;
    judge_fn *judge;
    const char *remedy; /* unless JUDGE sets another one; NULL: it always does */
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
    { "stuck-containers", judge_stuck,
      "on the node: look at the disk or file system for which the process waits; creel node show NODE" },
    { "versions", judge_versions, "upgrade these nodes" },
    { "certificates", judge_certificates,
      "on the node: replace creel.http.tls-certificate, then systemctl restart creel-nm" },
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
        if (check->result != OK && *check->remedy == '\0')
            check->remedy = arena_strdup(arena, checks[i].remedy);
        info->checks[info->n_checks++] = check;
    }
}
