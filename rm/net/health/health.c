/* SPDX-License-Identifier: Apache-2.0 */
/* health.c - the checks of the resource manager itself, for ClusterInfo */
#include "rm/net/health/health.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/text.h"
#include "common/base/text_builder.h"
#include "rm/net/health/health_parts.h"
#include "rm/net/history/history_loss.h"
#include "rm/net/rescue/state_rescue.h"

/* --- checks ------------------------------------------------------------------- */

/* The state directory is the first of the directories whose space is measured. */
static void set_fault(const struct health_facts *facts, struct arena *arena, Creel__HealthCheck *check)
{
    const struct free_space_directory *state = &facts->space->directories[FREE_SPACE_STATE];
    const char *make = "";

    if (state->error == ENOENT)
        make = arena_printf(arena, "install -d -m 700 -o creel -g creel %s (or mount it again); then ",
                            state->path);
    health_set_bad(check, FAILED, 0,
                   arena_printf(arena,
                                "%s: changes since then are lost at the next start, and submissions are "
                                "refused",
                                facts->store_fault));
    check->remedy =
        arena_printf(arena,
                     RM_HOST "do not kill creel-rm; %screel admin state backup FILE saves the state that "
                             "creel-rm has; then systemctl stop creel-rm, which writes the newest state "
                             "to " STATE_RESCUED "-TIME.db in its state directory; creel admin state "
                             "restore that file; systemctl start creel-rm",
                     make);
}

static void judge_store(const struct health_facts *facts, struct arena *arena, Creel__HealthCheck *check)
{
    if (facts->store_error != NULL)
        health_set_bad(
            check, FAILED, facts->store_failing_ms,
            arena_printf(arena, "the state is not written, submissions are refused: %s", facts->store_error));
    else if (facts->store_fault != NULL)
        set_fault(facts, arena, check);
    else if (facts->guard_fault != NULL)
        health_set_bad(check, WARNING, 0,
                       arena_printf(arena,
                                    "the state is written, but the file that marks its directory as used "
                                    "was removed and cannot be made again: %s",
                                    facts->guard_fault));
    else if (facts->joined_keys_problem != NULL)
        health_set_bad(check, WARNING, 0,
                       arena_printf(arena, "the keys of hosts that have joined are in the state alone: %s",
                                    facts->joined_keys_problem));
    else
        check->text = arena_strdup(arena, "the state can be written");
}

static void judge_keys(const struct health_facts *facts, struct arena *arena, Creel__HealthCheck *check)
{
    if (facts->key_problem == NULL) {
        check->text = arena_strdup(arena, "the key files of the resource manager are those that it uses");
        return;
    }
    health_set_bad(check, FAILED, facts->key_problem_ms, arena_strdup(arena, facts->key_problem));
    check->remedy =
        arena_printf(arena,
                     RM_HOST "do not restart creel-rm before its key files are back, with FILE an archive of "
                             "creel admin state backup --all: tar -xpf FILE -C %s --strip-components=1 "
                             "keys/rm keys/rm_secret; a pair that was replaced on purpose: systemctl restart "
                             "creel-rm",
                     facts->key_directory);
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
        health_set_bad(
            check, WARNING, 0,
            arena_printf(arena,
                         "a backup of the state has run for %lld s: %s does not answer, or is very slow",
                         (long long)overdue_ms / 1000, backups->directory));
    else if (backups->problem != NULL && facts->store_fault != NULL) {
        health_set_bad(check, WARNING, 0,
                       arena_printf(arena, "the last backup of the state failed (the newest: %s): %s", newest,
                                    facts->store_fault));
        check->remedy = arena_strdup(arena, "follow the remedy of the check state-store");
    } else if (backups->problem != NULL)
        health_set_bad(check, WARNING, 0,
                       arena_printf(arena, "the last backup of the state failed (the newest: %s): %s", newest,
                                    backups->problem));
    else if (backups->newest_ms > 0 && age_ms > HEALTH_BACKUP_INTERVALS * backups->interval_ms)
        health_set_bad(
            check, WARNING, 0,
            arena_printf(arena, "the newest backup of the state, of %s, is older than configured", newest));
    else if (backups->future != NULL || age_ms < -BACKUPS_FUTURE_MS) {
        health_set_bad(
            check, WARNING, 0,
            backups->future != NULL
                ? arena_printf(arena,
                               "%s/%s is a backup from the future: it is neither counted nor removed (the "
                               "newest: %s)",
                               backups->directory, backups->future, newest)
                : arena_printf(arena, "the newest backup of the state, of %s, is from the future", newest));
        check->remedy =
            arena_strdup(arena, RM_HOST "timedatectl shows whether its clock is right; then remove or "
                                        "rename the file");
    } else
        check->text = backups->newest_ms > 0
                          ? arena_printf(arena, "the newest backup of the state is of %s", newest)
                          : arena_strdup(arena, "the first backup of the state is being made");
}

static void set_history_moved(const struct health_facts *facts, struct arena *arena,
                              Creel__HealthCheck *check)
{
    health_set_bad(
        check, WARNING, 0,
        arena_printf(
            arena,
            "the directory of the history was removed, replaced or unmounted (%s): jobs that had ended "
            "before are missing in the one that is written now",
            facts->space->directories[FREE_SPACE_HISTORY].path));
    check->remedy = arena_strdup(
        arena, RM_HOST "put the directory back, or mount it again; if it is lost, stop creel-rm, unpack "
                       "history/ of an archive of creel admin state backup --all there, and start it; "
                       "remove " HISTORY_LOSS_FILE " in the state directory when the history is complete, "
                       "or its loss is accepted");
}

static void judge_history(const struct health_facts *facts, struct arena *arena, Creel__HealthCheck *check)
{
    bool lags =
        facts->history_behind_ms != 0 && facts->now_ms - facts->history_behind_ms > HEALTH_HISTORY_BEHIND_MS;

    if (*facts->history_problem != '\0')
        health_set_bad(check, WARNING, facts->history_behind_ms, arena_strdup(arena, facts->history_problem));
    else if (lags)
        health_set_bad(check, WARNING, facts->history_behind_ms,
                       arena_strdup(arena, "the history lags: it lacks jobs that have ended"));
    else if (facts->space->directories[FREE_SPACE_HISTORY].moved)
        set_history_moved(facts, arena, check);
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
                   "creel admin state restore FILE; without a backup, install -d -m 755 agents in its key "
                   "directory, copy keys/agents/NODE of each node into it, then creel admin state accept; if "
                   "not, a new node: creel setup node";
    return "repair what the reason names; then, on the node: systemctl restart creel-nm";
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
    health_set_bad(check, WARNING, 0,
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
        health_set_bad(
            check, WARNING, 0,
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
        health_set_bad(check, WARNING, 0,
                       arena_printf(arena, "%u of %u connections to the resource manager are in use",
                                    connections->used, connections->limit));
}

static void judge_crashes(const struct health_facts *facts, struct arena *arena, Creel__HealthCheck *check)
{
    if (facts->crashes < HEALTH_CRASHES)
        check->text = arena_strdup(arena, "the resource manager does not end by itself");
    else
        health_set_bad(
            check, FAILED, 0,
            arena_printf(arena,
                         "the resource manager has ended %zu times in the last hour without being stopped",
                         facts->crashes));
}

static void judge_munge(const struct health_facts *facts, struct arena *arena, Creel__HealthCheck *check)
{
    const struct sign_in_state *munge = &facts->munge;

    if (!munge->used)
        check->text = arena_strdup(arena, "users do not sign in by MUNGE");
    else if (munge->problem == NULL)
        check->text = arena_strdup(arena, "munged on the host of the resource manager answers");
    else
        health_set_bad(
            check, FAILED, munge->since_ms,
            arena_printf(arena, "users who have not signed in yet are refused: %s", munge->problem));
}

static void judge_notify(const struct health_facts *facts, struct arena *arena, Creel__HealthCheck *check)
{
    const struct notifier_state *notify = &facts->notify;
    char last[TEXT_SIZE_MAX];

    if (notify->command == NULL)
        check->text = arena_strdup(arena, "there is no notify command");
    else if (notify->problem != NULL)
        health_set_bad(check, WARNING, notify->failing_ms,
                       arena_printf(arena, "the notify command %s fails, and events of jobs are lost: %s",
                                    notify->command, notify->problem));
    else if (notify->dropped > 0 && facts->wall_ms - notify->dropped_ms <= HEALTH_DROPPED_MS)
        health_set_bad(
            check, WARNING, 0,
            arena_printf(arena,
                         "%llu events of jobs were lost since the start, the last at %s: too many waited "
                         "for the notify command %s",
                         (unsigned long long)notify->dropped, text_format_utc(notify->dropped_ms, last),
                         notify->command));
    else if (notify->waiting > 0 && notify->running_for_ms > HEALTH_NOTIFY_MS)
        health_set_bad(
            check, WARNING, 0,
            arena_printf(arena, "%zu events of jobs wait: the notify command %s has run for %lld s",
                         notify->waiting, notify->command, (long long)notify->running_for_ms / 1000));
    else
        check->text = arena_printf(arena, "the notify command %s does not fail", notify->command);
}

static void judge_stuck(const struct health_facts *facts, struct arena *arena, Creel__HealthCheck *check)
{
    uint32_t count = facts->nodes->stuck;

    if (count == 0)
        check->text = arena_strdup(arena, "every killed container has ended");
    else
        health_set_bad(check, WARNING, 0,
                       arena_printf(arena, "%u container%s not end; %s", count, count == 1 ? " does" : "s do",
                                    facts->nodes->stuck_text));
}

static void judge_flapping(const struct health_facts *facts, struct arena *arena, Creel__HealthCheck *check)
{
    uint32_t count = facts->nodes->flapping;

    if (count == 0)
        check->text = arena_strdup(arena, "no node becomes silent again and again");
    else
        health_set_bad(check, WARNING, 0,
                       arena_printf(arena, "%u node%s silent again and again: %s", count,
                                    count == 1 ? " becomes" : "s become", facts->nodes->flapping_text));
}

static void judge_starts(const struct health_facts *facts, struct arena *arena, Creel__HealthCheck *check)
{
    uint32_t count = facts->nodes->starting;

    if (count == 0)
        check->text = arena_strdup(arena, "no start of a container takes long");
    else
        health_set_bad(check, WARNING, 0,
                       arena_printf(arena, "%u container%s been starting for long: %s", count,
                                    count == 1 ? " has" : "s have", facts->nodes->starting_text));
}

static void judge_failing(const struct health_facts *facts, struct arena *arena, Creel__HealthCheck *check)
{
    uint32_t count = facts->nodes->failing;

    if (count == 0)
        check->text = arena_strdup(arena, "on no node most containers fail soon after their start");
    else
        health_set_bad(check, WARNING, 0,
                       arena_printf(arena, "on %u node%s most containers fail soon after their start: %s",
                                    count, count == 1 ? "" : "s", facts->nodes->failing_text));
}

static void judge_web(const struct health_facts *facts, struct arena *arena, Creel__HealthCheck *check)
{
    const struct master_node_faults *faults = facts->nodes;

    if (faults->web_silent > 0)
        health_set_bad(check, WARNING, 0, arena_printf(arena, "not heard of: %s", faults->web_silent_text));
    else if (faults->web_services > 0)
        check->text = arena_strdup(arena, "creel-web reports to the resource manager");
    else
        check->text = arena_strdup(arena, "no creel-web is known");
}

static void judge_common(const struct health_facts *facts, struct arena *arena, Creel__HealthCheck *check)
{
    if (facts->nodes->common == 0)
        check->text = arena_strdup(arena, "most nodes have no fault in common");
    else
        health_set_bad(check, facts->nodes->common_everywhere ? FAILED : WARNING, 0,
                       arena_strdup(arena, facts->nodes->common_text));
}

static void judge_reports(const struct health_facts *facts, struct arena *arena, Creel__HealthCheck *check)
{
    uint32_t count = facts->nodes->reports;

    if (count == 0)
        check->text = arena_strdup(arena, "no healthy node reports a problem");
    else
        health_set_bad(check, WARNING, 0,
                       arena_printf(arena, "%u healthy node%s a problem: %s", count,
                                    count == 1 ? " reports" : "s report", facts->nodes->reports_text));
}

static void judge_versions(const struct health_facts *facts, struct arena *arena, Creel__HealthCheck *check)
{
    uint32_t count = facts->nodes->versions;

    if (count == 0)
        check->text = arena_strdup(arena, "no node is of another version than the resource manager");
    else
        health_set_bad(check, WARNING, 0,
                       arena_printf(arena, "%u node%s of another version than the resource manager: %s",
                                    count, count == 1 ? " is" : "s are", facts->nodes->versions_text));
}

static void judge_agent_crashes(const struct health_facts *facts, struct arena *arena,
                                Creel__HealthCheck *check)
{
    uint32_t count = facts->nodes->crashing;

    if (count == 0)
        check->text = arena_strdup(arena, "no agent ends again and again");
    else
        health_set_bad(check, WARNING, 0,
                       arena_printf(arena,
                                    "the agent%s of %u node%s again and again without being stopped: %s",
                                    count == 1 ? "" : "s", count, count == 1 ? " ends" : "s end",
                                    facts->nodes->crashing_text));
}

static void judge_certificates(const struct health_facts *facts, struct arena *arena,
                               Creel__HealthCheck *check)
{
    const struct master_node_faults *nodes = facts->nodes;

    if (nodes->expiring == 0)
        check->text =
            arena_strdup(arena, "no TLS certificate of an agent or of creel-web expires within 30 days");
    else
        health_set_bad(
            check, nodes->expired > 0 ? FAILED : WARNING, 0,
            arena_printf(arena, "TLS certificates have to be replaced: %s", nodes->certificates_text));
}

/* After the clock of the host was set, NOW_MS follows it by a tenth of the time that passes (clock.h). */
static void judge_clock(const struct health_facts *facts, struct arena *arena, Creel__HealthCheck *check)
{
    int64_t ahead_ms = facts->wall_ms - facts->now_ms, set_ms = ahead_ms < 0 ? -ahead_ms : ahead_ms;
    char set[TEXT_SIZE_MAX], followed[TEXT_SIZE_MAX];

    if (set_ms <= facts->clock_limit_ms)
        check->text = arena_strdup(arena, "the clock of the host of the resource manager runs evenly");
    else
        health_set_bad(
            check, WARNING, 0,
            arena_printf(arena,
                         "the clock of the host of the resource manager was set %s while it runs: by %s; "
                         "if it is right now, this ends within %s",
                         ahead_ms < 0 ? "back" : "forward", text_format_duration_ms(set_ms, set),
                         text_format_duration_ms(10 * set_ms, followed)));
}

static void set_stopped(struct arena *arena, Creel__HealthCheck *check, Creel__HealthResult result,
                        const char *text, const char *remedy)
{
    health_set_bad(check, result, 0, arena_strdup(arena, text));
    check->remedy = arena_strdup(arena, remedy);
}

static void judge_stopped(const struct health_facts *facts, struct arena *arena, Creel__HealthCheck *check)
{
    const struct master_stopped_queues *stopped = facts->stopped;

    if (stopped->root)
        set_stopped(arena, check, FAILED, "the root queue is stopped: every submission is refused",
                    "creel queue start root");
    else if (stopped->every_leaf)
        set_stopped(arena, check, WARNING, "all leaf queues are stopped: every submission is refused",
                    "creel queue list has their states; creel queue start QUEUE");
    else if (stopped->fallback)
        set_stopped(arena, check, WARNING,
                    "the queue default is stopped: jobs that name no queue may be refused",
                    "creel queue start default");
    else
        check->text = arena_strdup(arena, "the queues accept applications");
}

/* --- the table ---------------------------------------------------------------- */

typedef void judge_fn(const struct health_facts *facts, struct arena *arena, Creel__HealthCheck *check);

static const struct {
    const char *name;
    judge_fn *judge;
    const char *remedy; /* unless JUDGE sets another one; NULL: it always does */
} checks[] = {
    { "state-store", judge_store,
      RM_HOST "journalctl -u creel-rm; make room, repair the disk of the state, or move away what is in "
              "place of its file" },
    { "crashes", judge_crashes,
      RM_HOST "journalctl -u creel-rm has the reason before each start; coredumpctl list creel-rm" },
    { "keys", judge_keys, NULL },
    { "free-space", health_judge_space,
      RM_HOST "df -h; make room, or change creel.resourcemanager.free-space-min" },
    { "backups", judge_backups,
      RM_HOST "journalctl -u creel-rm; make room in creel.state.backup-directory, let user creel write to "
              "it, and repair its mount if it does not answer" },
    { "clock", judge_clock,
      RM_HOST
      "timedatectl shows whether its clock is right; set it by NTP; nodes whose clocks differ from it "
      "may be right" },
    { "stopped-queues", judge_stopped, NULL },
    { "history", judge_history,
      RM_HOST "make room in history/ of its state directory; if there is room: journalctl -u creel-rm; what "
              "is missing: restore history/ from an archive of creel admin state backup --all, or accept the "
              "loss, then remove " HISTORY_LOSS_FILE " in its state directory" },
    { "refused-agents", judge_agents, NULL },
    { "gateways", judge_gateways, RM_HOST "journalctl -u creel-rm names the reason" },
    { "pools", judge_pools,
      RM_HOST "ss -tn shows the addresses with the most connections; raise LimitNOFILE= of creel-rm" },
    { "munge", judge_munge, RM_HOST "systemctl status munge; systemctl restart munge" },
    { "notify", judge_notify,
      RM_HOST "journalctl -u creel-rm has the application; run the command by hand as its user; "
              "creel.jobs.notify-command, creel.jobs.notify-user" },
    { "flapping-nodes", judge_flapping,
      "on the node: journalctl -u creel-nm, and ping the host of the resource manager; a node that cannot be "
      "repaired now: creel node drain NODE --reason TEXT" },
    { "stuck-containers", judge_stuck,
      "on the node: look at the disk or file system for which the process waits; one in state T is stopped: "
      "kill -CONT PROCESS; creel node show NODE" },
    { "slow-starts", judge_starts,
      "large files take their time; else, on the node: look at the mount of the directory of the job, and at "
      "a process in state T: kill -CONT PROCESS; journalctl -u creel-nm" },
    { "failing-nodes", judge_failing,
      "creel logs CONTAINER-ID of the container that is named has its reason; if other nodes run the same "
      "job: creel node drain NODE --reason TEXT, and look there at the limit of processes (pids.max, "
      "TasksMax=) and at the file systems" },
    { "web", judge_web,
      "on its host: systemctl status creel-web; journalctl -u creel-web; one that is gone for good is "
      "forgotten after a day" },
    { "common-fault", judge_common,
      "look at what all nodes share: a directory on NFS, a package or configuration that was rolled out, the "
      "directory service; creel node list -R has the reports, and creel logs CONTAINER-ID the end of a "
      "container" },
    { "node-reports", judge_reports,
      "repair what the report names, as room on shared storage of logs; creel node list -R has all reports" },
    { "agent-crashes", judge_agent_crashes,
      "on the node: journalctl -u creel-nm has the reason before each start; coredumpctl list creel-nm" },
    { "versions", judge_versions, "upgrade these nodes" },
    { "certificates", judge_certificates,
      "on that host: replace creel.http.tls-certificate, or the file that is named, then systemctl restart "
      "creel-nm, or creel-web; "
      "users replace their own" },
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
