/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_conf_versions.c - creel conf versions, rollback: changes of the configuration of queues */
#include <inttypes.h>
#include <stdlib.h>

#include "client/cli/commands.h"
#include "client/cli/conf/cmd_conf.h"
#include "client/cli/frame/listing.h"
#include "client/cli/show/show_app.h"
#include "client/include/creel-admin.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/base/text_builder.h"

const char conf_versions_help[] =
    "Each change of queues by creel conf set or over REST (/ws/v1/cluster/scheduler-conf) makes a version,\n"
    "which the resource manager stores over its files. Version 1 is the files alone. The newest hundred\n"
    "are kept.\n\n"
    "examples:\n"
    "  creel conf versions -o wide\n"
    "  creel conf show --rm --set --origin | grep scheduler-conf\n";

const char conf_rollback_help[] =
    "Makes the newest version of the configuration of queues as VERSION was, and applies it as a refresh\n"
    "does; 1 is the files alone. Exits with 7, and nothing is changed, if it does not fit the files.\n\n"
    "example:\n"
    "  creel conf versions; creel conf rollback 3\n";

static const struct table_column columns[] = {
    { "version", "VERSION", TABLE_RIGHT },
    { "at", "AT", 0 },
    { "by", "BY", 0 },
    { "keys", "KEYS", TABLE_RIGHT },
    { "summary", "SUMMARY", TABLE_CUT },
    { "changes", "CHANGES", TABLE_WIDE | TABLE_CUT },
};

/* Returns "KEY=VALUE, KEY removed, KEY as in the file". The caller frees it. */
static char *changes_text(const struct creel_conf_version *version)
{
    struct text_builder text = TEXT_BUILDER_MALLOC;

    for (size_t i = 0; i < version->change_count; i++) {
        const struct creel_conf_change *change = &version->changes[i];

        text_builder_printf(&text, "%s%s%s%s", i > 0 ? ", " : "", change->key,
                            change->value     ? "="
                            : change->as_file ? " as in the file"
                                              : " removed",
                            change->value ? change->value : "");
    }
    return text_builder_finish(&text);
}

static void row(const void *item, struct table *table)
{
    const struct creel_conf_version *version = item;
    scoped_free char *changes = changes_text(version);
    char at[SHOW_TIME_MAX];

    table_textf(table, "%" PRIu64 "%s", version->version, version->in_force ? "*" : "");
    table_sorted_by(table, (int64_t)version->version);
    show_local_time(version->at_ms, at);
    table_text(table, *at ? at : "-");
    table_sorted_by(table, version->at_ms);
    table_text(table, *version->by ? version->by : "-");
    table_number(table, (int64_t)version->change_count);
    table_text(table, version->summary);
    table_text(table, changes);
}

static void json(const void *item, struct json_writer *writer)
{
    const struct creel_conf_version *version = item;

    json_uint(writer, "version", version->version);
    json_text_if(writer, "by", version->by);
    json_time(writer, "changed", version->at_ms);
    json_text(writer, "summary", version->summary);
    json_bool(writer, "current", version->in_force);
    json_begin_array(writer, "changes");
    for (size_t i = 0; i < version->change_count; i++) {
        const struct creel_conf_change *change = &version->changes[i];

        json_begin_object(writer, NULL);
        json_text(writer, "key", change->key);
        if (change->value)
            json_text(writer, "value", change->value);
        else
            json_bool(writer, change->as_file ? "asFile" : "removed", true);
        json_end_object(writer);
    }
    json_end_array(writer);
}

static const struct listing listing = {
    .kind = "ConfVersionList",
    .columns = columns,
    .column_count = sizeof(columns) / sizeof(columns[0]),
    .row = row,
    .json = json,
};

/* Prints the versions; all, or only the one in force. */
static int print_versions(struct cli *cli, bool all)
{
    struct creel_conf_versions *versions;
    scoped_free const void **items = NULL;
    struct creel_error error;
    size_t count = 0;
    int code;

    if (creel_conf_version_list(cli->client, &versions, &error) < 0)
        return cli_fail(&error);
    items = mem_array0(versions->count + 1, sizeof(*items));
    for (size_t i = 0; i < versions->count; i++)
        if (all || versions->items[i].in_force)
            items[count++] = &versions->items[i];
    code = listing_print(cli, &listing, items, count);
    creel_conf_versions_free(versions);
    return code;
}

int conf_print_version(struct cli *cli)
{
    return print_versions(cli, false);
}

int cmd_conf_versions(struct cli *cli)
{
    int code;

    if (cli->options.argument_count > 0)
        return cli_usage(cli, "no argument: creel conf versions");
    if (!cli_client(cli, &code))
        return code;
    return print_versions(cli, true);
}

int cmd_conf_rollback(struct cli *cli)
{
    struct creel_error error;
    int64_t version;
    uint64_t made;
    int code;

    if (cli->options.argument_count != 1 || !text_parse_int64(cli->options.arguments[0], &version) ||
        version < 1)
        return cli_usage(cli, "which version? creel conf rollback VERSION; creel conf versions lists them");
    if (!cli_client(cli, &code))
        return code;
    if (creel_conf_roll_back(cli->client, (uint64_t)version, &made, &error) < 0)
        return cli_fail(&error);
    if (cli->format_given)
        return conf_print_version(cli);
    cli_print(cli, "version %" PRIu64 " is in force, as version %" PRId64 " was", made, version);
    return EXIT_DONE;
}
