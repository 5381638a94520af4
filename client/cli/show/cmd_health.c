/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_health.c - creel cluster health: checks of the cluster, and what to do about each failure */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/commands.h"
#include "client/cli/frame/listing.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/base/text_builder.h"

#define CHECKS_MAX 64 /* those of this file and of the resource manager */
#define START_MS \
    15000           /* after a start of the resource manager, nodes that it knows register, or are silent */
#define NAMED_MAX 3 /* maximum number of nodes that a check names */

const char cluster_health_help[] =
    "One line for each check: ok, warning or failed, the cause, and what to do. Exits with 0 if all are\n"
    "ok, with 1 if the worst result is a warning, with 9 if a check failed, and with 5 if the resource\n"
    "manager cannot be reached.\n\n"
    "examples:\n"
    "  creel cluster health\n"
    "  creel cluster health --json | jq -r '.items[] | select(.result != \"ok\").do'\n";

static const char *const result_names[] = {
    [CREEL_HEALTH_OK] = "ok",
    [CREEL_HEALTH_WARNING] = "warning",
    [CREEL_HEALTH_FAILED] = "failed",
};

static const int exit_codes[] = {
    [CREEL_HEALTH_OK] = EXIT_DONE,
    [CREEL_HEALTH_WARNING] = EXIT_FAILED,
    [CREEL_HEALTH_FAILED] = EXIT_UNHEALTHY,
};

struct check {
    const char *name;
    enum creel_health result;
    char *text;                /* owned */
    const char *remedy;        /* what to do; "" if the result is ok */
    const char *const *causes; /* as in struct creel_check; may be NULL */
};

struct health {
    const struct creel_cluster *cluster;
    const struct creel_nodes *nodes;
    struct check checks[CHECKS_MAX];
    size_t count;
};

/* Adds a check, which owns TEXT. REMEDY is dropped if RESULT is ok. */
static void add(struct health *health, const char *name, enum creel_health result, char *text,
                const char *remedy)
{
    assert(health->count < CHECKS_MAX);
    health->checks[health->count++] =
        (struct check){ name, result, text, result == CREEL_HEALTH_OK ? "" : remedy, NULL };
}

/* --- checks ------------------------------------------------------------------- */

typedef bool node_test(const struct health *health, const struct creel_node *node);

static bool is_lost(const struct health *health, const struct creel_node *node)
{
    (void)health;
    return node->state == CREEL_NODE_LOST;
}

static bool is_unhealthy(const struct health *health, const struct creel_node *node)
{
    (void)health;
    return node->state == CREEL_NODE_UNHEALTHY;
}

static bool is_waiting(const struct health *health, const struct creel_node *node)
{
    (void)health;
    return node->state == CREEL_NODE_WAITING;
}

static bool is_silent(const struct health *health, const struct creel_node *node)
{
    (void)health;
    return node->lost_in_ms > 0;
}

/* Returns for how many nodes TEST is true. Sets *RET to the names of the first ones, "n1:8041, n2:8041 and 4
 * more", those of unhealthy nodes with their reports; the caller frees it. */
static size_t find_nodes(const struct health *health, node_test *test, char **ret)
{
    struct text_builder names = TEXT_BUILDER_MALLOC;
    size_t count = 0;

    for (size_t i = 0; i < health->nodes->count; i++) {
        const struct creel_node *node = &health->nodes->items[i];

        if (!test(health, node) || count++ >= NAMED_MAX)
            continue;
        text_builder_printf(&names, "%s%s", count > 1 ? ", " : "", node->id);
        if (test == is_unhealthy && *node->health_report)
            text_builder_printf(&names, " (%s)", node->health_report);
    }
    if (count > NAMED_MAX)
        text_builder_printf(&names, " and %zu more", count - NAMED_MAX);
    *ret = text_builder_finish(&names);
    return count;
}

/* Adds a check with RESULT if TEST is true for a node, else with CREEL_HEALTH_OK. */
static void check_nodes(struct health *health, const char *name, node_test *test, enum creel_health result,
                        const char *word, const char *remedy)
{
    scoped_free char *names = NULL;
    size_t count = find_nodes(health, test, &names);

    if (count == 0)
        add(health, name, CREEL_HEALTH_OK, mem_printf("no node is %s", word), "");
    else
        add(health, name, result,
            mem_printf("%zu node%s %s: %s", count, count == 1 ? " is" : "s are", word, names), remedy);
}

static void check_manager(struct health *health)
{
    const struct creel_cluster *cluster = health->cluster;
    char up[TEXT_SIZE_MAX];

    add(health, "resource-manager", CREEL_HEALTH_OK,
        mem_printf("creel %s, up %s", cluster->version,
                   text_format_elapsed_ms(cluster->now_ms - cluster->started_ms, up)),
        "");
}

/* Returns true if the resource manager reports a fault of the check NAME. */
static bool is_reported(const struct health *health, const char *name)
{
    for (size_t i = 0; i < health->cluster->check_count; i++)
        if (strcmp(health->cluster->checks[i].name, name) == 0)
            return health->cluster->checks[i].result != CREEL_HEALTH_OK;
    return false;
}

static bool has_node(const struct health *health, enum creel_node_state state)
{
    for (size_t i = 0; i < health->nodes->count; i++)
        if (health->nodes->items[i].state == state)
            return true;
    return false;
}

/* Returns what to do if no node is running. */
static const char *running_remedy(const struct health *health)
{
    /* What to do if a node is in this state; the first row with a node counts. */
    static const struct {
        enum creel_node_state state;
        const char *remedy;
    } remedies[] = {
        { CREEL_NODE_WAITING, "see the check state" },
        { CREEL_NODE_DRAINED, "creel admin undrain-all, or for single nodes creel node undrain" },
        { CREEL_NODE_DRAINING, "creel admin undrain-all, or for single nodes creel node undrain" },
        { CREEL_NODE_UNHEALTHY, "see the check unhealthy-nodes" },
        { CREEL_NODE_LOST, "see the check lost-nodes" },
        { CREEL_NODE_DECOMMISSIONING, "creel node recommission returns nodes to service" },
        { CREEL_NODE_DECOMMISSIONED, "creel node recommission returns nodes to service" },
        { CREEL_NODE_SHUT_DOWN, "on a node: systemctl start creel-nm" },
    };

    for (size_t i = 0; i < sizeof(remedies) / sizeof(*remedies); i++)
        if (has_node(health, remedies[i].state))
            return remedies[i].remedy;
    if (health->cluster->now_ms - health->cluster->started_ms < START_MS)
        return "the resource manager was just started, and nodes that it knows register within some "
               "seconds: look again";
    return is_reported(health, "refused-agents")
               ? "see the check refused-agents; on a node: systemctl status creel-nm"
               : "on a node: systemctl status creel-nm; a new node: creel setup node";
}

static uint32_t count_running_silent(const struct health *health)
{
    uint32_t count = 0;

    for (size_t i = 0; i < health->nodes->count; i++)
        count += health->nodes->items[i].state == CREEL_NODE_RUNNING &&
                 is_silent(health, &health->nodes->items[i]);
    return count;
}

static void check_running(struct health *health)
{
    uint32_t running = health->cluster->nodes_running, silent = count_running_silent(health);

    if (running > 0 && silent >= running)
        add(health, "nodes", CREEL_HEALTH_FAILED,
            mem_printf("no node is heard of: %u count%s as running, and %s silent", running,
                       running == 1 ? "s" : "", running == 1 ? "is" : "all are"),
            "see the check silent-nodes; if all fell silent at once: look at power, and the network of the "
            "resource manager's host; on a node: systemctl status creel-nm");
    else
        add(health, "nodes", running > 0 ? CREEL_HEALTH_OK : CREEL_HEALTH_FAILED,
            mem_printf("%u node%s running", running, running == 1 ? " is" : "s are"), running_remedy(health));
}

static void check_queues(struct health *health)
{
    const struct creel_cluster *cluster = health->cluster;

    if (!*cluster->refresh_error)
        add(health, "queues", CREEL_HEALTH_OK,
            mem_strdup("the configuration of the queues and the lists of nodes are in force"), "");
    else
        add(health, "queues", CREEL_HEALTH_WARNING,
            mem_printf("the last refresh was refused: %s", cluster->refresh_error),
            "creel conf check, then creel admin refresh queues, and nodes");
}

/* Adds what the resource manager has checked. */
static void add_reported(struct health *health)
{
    const struct creel_cluster *cluster = health->cluster;

    for (size_t i = 0; i < cluster->check_count && health->count < CHECKS_MAX; i++) {
        const struct creel_check *check = &cluster->checks[i];
        char since[TEXT_SIZE_MAX];

        add(health, check->name, check->result,
            check->since_ms == 0
                ? mem_strdup(check->text)
                : mem_printf("for %s: %s", text_format_duration_ms(cluster->now_ms - check->since_ms, since),
                             check->text),
            check->remedy);
        health->checks[health->count - 1].causes = check->causes;
    }
}

static void check_clocks(struct health *health)
{
    const struct creel_cluster *cluster = health->cluster;

    if (cluster->nodes_skewed == 0)
        add(health, "clocks", CREEL_HEALTH_OK, mem_strdup("no clock differs"), "");
    else
        add(health, "clocks", CREEL_HEALTH_WARNING,
            mem_printf("the clock%s of %u node%s, most that of %s", cluster->nodes_skewed == 1 ? "" : "s",
                       cluster->nodes_skewed, cluster->nodes_skewed == 1 ? " differs" : "s differ",
                       cluster->clock_node),
            "set the clocks by NTP; if most nodes differ, that of the host of the resource manager");
}

static void run_checks(struct health *health)
{
    check_manager(health);
    check_running(health);
    check_nodes(health, "silent-nodes", is_silent, CREEL_HEALTH_WARNING, "silent",
                "creel node list has when they count as lost; on the node: systemctl status creel-nm");
    check_nodes(health, "lost-nodes", is_lost, CREEL_HEALTH_WARNING, "lost",
                "on the node: systemctl status creel-nm; if it is gone for good: creel node decommission");
    check_nodes(health, "unhealthy-nodes", is_unhealthy, CREEL_HEALTH_WARNING, "unhealthy",
                "on the node: repair what the report names; creel node list -R has the reports of all nodes");
    check_nodes(health, "state", is_waiting, CREEL_HEALTH_FAILED, "waiting for state that is missing here",
                "creel admin state restore FILE, or accept the loss: creel admin state accept");
    check_clocks(health);
    check_queues(health);
    add_reported(health);
}

/* --- output ------------------------------------------------------------------- */

static const struct table_column columns[] = {
    { "check", "CHECK", 0 },
    { "result", "RESULT", 0 },
    { "text", "TEXT", 0 },
    { "do", "DO", TABLE_CUT },
};

static void row(const void *item, struct table *table)
{
    const struct check *check = item;

    table_text(table, check->name);
    table_text(table, result_names[check->result]);
    table_text(table, check->text);
    table_text(table, check->remedy);
}

static void json(const void *item, struct json_writer *writer)
{
    const struct check *check = item;

    json_text(writer, "check", check->name);
    json_text(writer, "result", result_names[check->result]);
    json_text(writer, "text", check->text);
    json_text_if(writer, "do", check->remedy);
    if (check->causes != NULL && check->causes[0] != NULL)
        json_texts(writer, "causes", check->causes);
}

static const char *id_of(const void *item)
{
    return ((const struct check *)item)->name;
}

static const struct listing listing = {
    .kind = "HealthList",
    .columns = columns,
    .column_count = sizeof(columns) / sizeof(columns[0]),
    .row = row,
    .json = json,
    .id = id_of,
};

static int print(struct cli *cli, const struct health *health)
{
    const void *items[CHECKS_MAX];
    enum creel_health worst = CREEL_HEALTH_OK;

    for (size_t i = 0; i < health->count; i++) {
        items[i] = &health->checks[i];
        if (health->checks[i].result > worst)
            worst = health->checks[i].result;
    }
    if (!cli->quiet && listing_print(cli, &listing, items, health->count) != EXIT_DONE)
        return EXIT_FAILED;
    return exit_codes[worst];
}

int cmd_cluster_health(struct cli *cli)
{
    struct creel_cluster *cluster = NULL;
    struct creel_nodes *nodes = NULL;
    struct health health = { .count = 0 };
    struct creel_error error;
    int code;

    if (cli->options.argument_count > 0)
        return cli_usage(cli, "%s: creel cluster health takes no arguments", cli->options.arguments[0]);
    if (!cli_client(cli, &code))
        return code;
    if (creel_cluster_info(cli->client, &cluster, &error) < 0 ||
        creel_node_list(cli->client, NULL, &nodes, &error) < 0) {
        creel_cluster_free(cluster);
        return cli_fail(&error);
    }
    health.cluster = cluster;
    health.nodes = nodes;
    run_checks(&health);
    code = print(cli, &health);
    for (size_t i = 0; i < health.count; i++)
        free(health.checks[i].text);
    creel_nodes_free(nodes);
    creel_cluster_free(cluster);
    return code;
}
