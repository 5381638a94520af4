/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_admin.c - creel admin refresh: reloads the cluster's lists of hosts and queues */
#include <errno.h>
#include <string.h>

#include "client/cli/admin/wait_nodes.h"
#include "client/cli/commands.h"
#include "client/cli/conf/cmd_conf.h"
#include "client/cli/frame/listing.h"
#include "client/include/creel-admin.h"
#include "common/base/text.h"

static void change_lines(const char *const *changes, const struct cli *cli)
{
    for (const char *const *at = changes; *at; at++)
        cli_print(cli, "%s", *at);
}

static const char *nothing_text(const char *const *changes, bool compared)
{
    return compared && *changes == NULL ? "; nothing changed" : "";
}

static void texts_json(const char *key, const char *const *texts, struct json_writer *writer)
{
    json_begin_array(writer, key);
    for (const char *const *at = texts; *at; at++)
        json_text(writer, NULL, *at);
    json_end_array(writer);
}

static void lines(const void *item, const struct cli *cli)
{
    const struct creel_refresh *refresh = item;

    for (const char *const *at = refresh->warnings; *at; at++)
        fprintf(stderr, "creel: warning: %s\n", *at);
    change_lines(refresh->changes, cli);
    cli_print(cli, "queues refreshed: there are %u%s", refresh->queues,
              nothing_text(refresh->changes, refresh->compared));
}

static void json(const void *item, struct json_writer *writer)
{
    const struct creel_refresh *refresh = item;

    json_text(writer, "what", "queues");
    json_uint(writer, "queues", refresh->queues);
    texts_json("warnings", refresh->warnings, writer);
    texts_json("changes", refresh->changes, writer);
}

static const struct record record = { .kind = "RefreshList", .lines = lines, .json = json };

const struct option_spec refresh_options[] = {
    { 'g', "graceful", NULL, "nodes: running containers of excluded nodes may finish" },
    { 0, "client", NULL, "nodes: wait here for that, at most TIME, then decommission them" },
    { 0, "server", NULL, "nodes: the resource manager waits for that (default)" },
    { 0 },
};

static int refresh_queues(struct cli *cli)
{
    struct creel_refresh *refresh;
    struct creel_error error;
    int code;

    if (!cli_client(cli, &code))
        return code;
    if (creel_refresh_queues(cli->client, &refresh, &error) < 0)
        return cli_fail(&error);
    code = record_print(cli, &record, refresh);
    creel_refresh_free(refresh);
    return code;
}

/* --- nodes ----------------------------------------------------------------- */

static void node_lines(const void *item, const struct cli *cli)
{
    const struct creel_host_refresh *refresh = item;
    const struct creel_node_refresh *counts = &refresh->counts;

    change_lines(refresh->changes, cli);
    cli_print(cli,
              "nodes refreshed: %u hosts included, %u excluded; of the nodes %u leave%s, %u left, "
              "%u may come back%s",
              counts->included, counts->excluded, counts->leaving, counts->leaving == 1 ? "s" : "",
              counts->left, counts->returned, nothing_text(refresh->changes, refresh->compared));
}

static void node_json(const void *item, struct json_writer *writer)
{
    const struct creel_host_refresh *refresh = item;

    json_text(writer, "what", "nodes");
    json_uint(writer, "included", refresh->counts.included);
    json_uint(writer, "excluded", refresh->counts.excluded);
    json_uint(writer, "decommissioning", refresh->counts.leaving);
    json_uint(writer, "decommissioned", refresh->counts.left);
    json_uint(writer, "recommissioned", refresh->counts.returned);
    json_begin_array(writer, "warnings");
    json_end_array(writer);
    texts_json("changes", refresh->changes, writer);
}

static const struct record node_record = {
    .kind = "RefreshList",
    .lines = node_lines,
    .json = node_json,
};

/* Waits for excluded nodes; after TIMEOUT_MS, decommissions the rest at once. The counts of REFRESH are then
 * those of the second refresh. */
static int force_late(struct cli *cli, int64_t timeout_ms, struct creel_host_refresh *refresh,
                      struct creel_error *error)
{
    int r = wait_excluded(cli, timeout_ms, error);

    if (r != -ETIMEDOUT)
        return r;
    cli_print(cli, "their time is over: they leave now");
    r = creel_refresh_nodes(cli->client, CREEL_REFRESH_NORMAL, NULL, &refresh->counts, error);
    return r < 0 ? r : wait_excluded(cli, -1, error);
}

static int refresh_nodes(struct cli *cli, const int64_t *timeout_ms)
{
    bool client = options_has(&cli->options, "client");
    enum creel_refresh_kind kind = client                                   ? CREEL_REFRESH_CLIENT
                                   : options_has(&cli->options, "graceful") ? CREEL_REFRESH_GRACEFUL
                                                                            : CREEL_REFRESH_NORMAL;
    struct creel_host_refresh *refresh;
    struct creel_error error;
    int code;

    if (!cli_client(cli, &code))
        return code;
    if (creel_refresh_hosts(cli->client, kind, timeout_ms, &refresh, &error) < 0)
        return cli_fail(&error);
    code = client && refresh->counts.leaving > 0 &&
                   force_late(cli, timeout_ms ? *timeout_ms : -1, refresh, &error) < 0
               ? cli_fail(&error)
               : record_print(cli, &node_record, refresh);
    creel_host_refresh_free(refresh);
    return code;
}

/* --- rights ---------------------------------------------------------------- */

struct access_refresh {
    enum creel_access_part part;
    struct creel_conf *conf; /* the keys in force */
};

static const char *part_name(enum creel_access_part part)
{
    return part == CREEL_ACCESS_ACLS ? "acls" : "groups";
}

static void access_lines(const void *item, const struct cli *cli)
{
    const struct access_refresh *refresh = item;

    bool changed = false;

    for (size_t i = 0; i < refresh->conf->count; i++) {
        const struct creel_conf_entry *entry = &refresh->conf->entries[i];

        if (entry->before == NULL)
            continue;
        changed = true;
        cli_print(cli, "%s: \"%s\" -> \"%s\" (%s)", entry->key, entry->before, entry->value, entry->origin);
    }
    cli_print(cli, "%s refreshed%s", part_name(refresh->part), changed ? "" : "; nothing changed");
}

static void access_json(const void *item, struct json_writer *writer)
{
    const struct access_refresh *refresh = item;

    json_text(writer, "what", part_name(refresh->part));
    json_begin_array(writer, "entries");
    for (size_t i = 0; i < refresh->conf->count; i++) {
        json_begin_object(writer, NULL);
        json_text(writer, "key", refresh->conf->entries[i].key);
        json_text(writer, "value", refresh->conf->entries[i].value);
        json_text(writer, "origin", refresh->conf->entries[i].origin);
        if (refresh->conf->entries[i].before != NULL)
            json_text(writer, "before", refresh->conf->entries[i].before);
        json_end_object(writer);
    }
    json_end_array(writer);
    json_begin_array(writer, "warnings");
    json_end_array(writer);
}

static const struct record access_record = {
    .kind = "RefreshList",
    .lines = access_lines,
    .json = access_json,
};

static int refresh_access(struct cli *cli, enum creel_access_part part)
{
    struct access_refresh refresh = { .part = part };
    struct creel_error error;
    int code;

    if (!cli_client(cli, &code))
        return code;
    if (creel_refresh_access(cli->client, part, &refresh.conf, &error) < 0)
        return cli_fail(&error);
    code = record_print(cli, &access_record, &refresh);
    creel_conf_free(refresh.conf);
    return code;
}

/* --- all reloads ------------------------------------------------------------- */

static int print_all(struct cli *cli, const struct creel_refresh *queues,
                     const struct creel_host_refresh *nodes, const struct access_refresh access[2])
{
    struct items_writer writer;

    if (cli->format != FORMAT_JSON && cli->format != FORMAT_JSONL) {
        lines(queues, cli);
        node_lines(nodes, cli);
        for (size_t i = 0; i < 2 && access[i].conf != NULL; i++)
            access_lines(&access[i], cli);
        return EXIT_DONE;
    }
    items_begin(&writer, cli, record.kind);
    json(queues, items_open(&writer));
    items_close(&writer);
    node_json(nodes, items_open(&writer));
    items_close(&writer);
    for (size_t i = 0; i < 2 && access[i].conf != NULL; i++) {
        access_json(&access[i], items_open(&writer));
        items_close(&writer);
    }
    items_end(&writer);
    return EXIT_DONE;
}

/* Reloads the parts of the rights. A resource manager of an earlier version cannot: their CONF stays NULL. */
static int get_access(struct cli *cli, struct access_refresh access[2], struct creel_error *error)
{
    for (size_t i = 0; i < 2; i++) {
        int r = creel_refresh_access(cli->client, access[i].part, &access[i].conf, error);

        if (r < 0)
            return r == -EOPNOTSUPP ? 0 : r;
    }
    return 0;
}

/* Reloads queues, hosts and rights. Each reload is complete or refused by itself: a refused one does not
 * undo the others. */
int refresh_all(struct cli *cli)
{
    struct access_refresh access[2] = { { .part = CREEL_ACCESS_ACLS }, { .part = CREEL_ACCESS_GROUPS } };
    struct creel_host_refresh *nodes = NULL;
    struct creel_refresh *queues = NULL;
    struct creel_error error;
    int code;

    if (!cli_client(cli, &code))
        return code;
    /* The rights come first: the reload of the queues lists changes that are not in force then. */
    code = get_access(cli, access, &error) < 0 || creel_refresh_queues(cli->client, &queues, &error) < 0 ||
                   creel_refresh_hosts(cli->client, CREEL_REFRESH_NORMAL, NULL, &nodes, &error) < 0
               ? cli_fail(&error)
               : print_all(cli, queues, nodes, access);
    creel_conf_free(access[0].conf);
    creel_conf_free(access[1].conf);
    creel_refresh_free(queues);
    creel_host_refresh_free(nodes);
    return code;
}

int cmd_admin_refresh(struct cli *cli)
{
    size_t count = cli->options.argument_count;
    const char *what = count > 0 ? cli->options.arguments[0] : "";
    bool nodes = strcmp(what, "nodes") == 0, all = strcmp(what, "all") == 0;
    bool acls = strcmp(what, "acls") == 0, groups = strcmp(what, "groups") == 0;
    bool graceful = options_has(&cli->options, "graceful");
    int64_t timeout_ms;

    if (!nodes && !((strcmp(what, "queues") == 0 || all || acls || groups) && count == 1))
        return cli_usage(cli, "what is to be refreshed? creel admin refresh queues|nodes|acls|groups|all");
    if (!graceful &&
        (count > 1 || options_has(&cli->options, "client") || options_has(&cli->options, "server")))
        return cli_usage(cli, "a time, --client and --server are for creel admin refresh nodes -g");
    if (!nodes)
        return graceful ? cli_usage(cli, "--graceful is for creel admin refresh nodes")
               : all    ? refresh_all(cli)
               : acls   ? refresh_access(cli, CREEL_ACCESS_ACLS)
               : groups ? refresh_access(cli, CREEL_ACCESS_GROUPS)
                        : refresh_queues(cli);
    if (options_has(&cli->options, "client") && options_has(&cli->options, "server"))
        return cli_usage(cli, "--client and --server: one of them");
    if (count > 2)
        return cli_usage(cli, "one time: creel admin refresh nodes -g [TIME]");
    if (count == 2 && (!text_parse_duration_ms(cli->options.arguments[1], 1000, &timeout_ms) ||
                       timeout_ms < 0 || timeout_ms > (int64_t)100 * 365 * 86400 * 1000))
        return cli_usage(cli, "%s: expected a time, in seconds or as 30m", cli->options.arguments[1]);
    return refresh_nodes(cli, count == 2 ? &timeout_ms : NULL);
}
