/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_help.c - creel help, version: prints the help, and the versions of client and RM */
#include "config.h"

#include <sodium.h>
#include <string.h>
#include <zmq.h>

#include "client/cli/commands.h"
#include "common/base/json_writer.h"
#include "client/cli/frame/listing.h"
#include "client/cli/frame/suggest.h"

const struct option_spec version_options[] = {
    { 0, "all", NULL, "also of the resource manager, the protocol and libraries" },
    { 0 },
};

int cmd_help(struct cli *cli)
{
    const struct options *options = &cli->options;
    struct suggestion best = { 0 };
    char path[128];

    if (!options->argument_count) {
        help_print_overview(stdout);
        return EXIT_DONE;
    }
    snprintf(path, sizeof(path), "%s%s%s", options->arguments[0], options->argument_count > 1 ? " " : "",
             options->argument_count > 1 ? options->arguments[1] : "");
    if (help_print(path, stdout))
        return EXIT_DONE;
    for (const struct command *row = command_table; row->path; row++)
        suggest_offer(&best, path, row->path);
    if (suggest_habit(path))
        return cli_usage(cli, "there is no command \"%s\"; try: creel %s", path, suggest_habit(path));
    return cli_usage(cli, "there is no command \"%s\"%s%s%s", path, best.text ? "; did you mean " : "",
                     best.text ? best.text : "", best.text ? "?" : "");
}

struct versions {
    const struct creel_cluster *cluster; /* cluster of the RM; NULL: the RM did not answer */
    char zeromq[32];
    bool all;
};

static void version_lines(const void *item, const struct cli *cli)
{
    const struct versions *versions = item;

    (void)cli;
    printf("creel %s\n", creel_version());
    if (!versions->all)
        return;
    record_line("Protocol", "%u", creel_protocol_version());
    record_line("RM", "%s", versions->cluster ? versions->cluster->version : "did not answer");
    record_line("ZeroMQ", "%s", versions->zeromq);
    record_line("libsodium", "%s", sodium_version_string());
}

static void version_json(const void *item, struct json_writer *json)
{
    const struct versions *versions = item;

    json_text(json, "client", creel_version());
    json_uint(json, "protocol", creel_protocol_version());
    if (versions->cluster)
        json_text(json, "resourceManager", versions->cluster->version);
    json_text(json, "zeromq", versions->zeromq);
    json_text(json, "libsodium", sodium_version_string());
}

static const struct record version_record = {
    .kind = "VersionList",
    .lines = version_lines,
    .json = version_json,
};

int cmd_version(struct cli *cli)
{
    struct versions versions = { .all = options_has(&cli->options, "all") };
    struct creel_cluster *cluster = NULL;
    int major, minor, patch, code = EXIT_DONE, shown;
    struct creel_error error;

    zmq_version(&major, &minor, &patch);
    snprintf(versions.zeromq, sizeof(versions.zeromq), "%d.%d.%d", major, minor, patch);
    if (versions.all && cli_client(cli, &code) && creel_cluster_info(cli->client, &cluster, &error) < 0)
        code = cli_fail(&error);
    versions.cluster = cluster;
    shown = record_print(cli, &version_record, &versions);
    creel_cluster_free(cluster);
    return code ? code : shown;
}
