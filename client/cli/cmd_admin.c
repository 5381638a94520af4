/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_admin.c - creel admin: for administrators of the cluster */
#include <string.h>

#include "client/cli/commands.h"
#include "client/cli/listing.h"

static void lines(const void *item, const struct cli *cli)
{
    const struct creel_refresh *refresh = item;

    for (const char *const *at = refresh->warnings; *at; at++)
        fprintf(stderr, "creel: warning: %s\n", *at);
    cli_say(cli, "queues refreshed: there are %u", refresh->queues);
}

static void json(const void *item, struct json_writer *writer)
{
    const struct creel_refresh *refresh = item;

    json_text(writer, "what", "queues");
    json_uint(writer, "queues", refresh->queues);
    json_begin_array(writer, "warnings");
    for (const char *const *at = refresh->warnings; *at; at++)
        json_text(writer, NULL, *at);
    json_end_array(writer);
}

static const struct record record = { .kind = "RefreshList", .lines = lines, .json = json };

int cmd_admin_refresh(struct cli *cli)
{
    struct creel_refresh *refresh;
    struct creel_error error;
    int code;

    if (cli->options.argument_count != 1 || strcmp(cli->options.arguments[0], "queues") != 0)
        return cli_usage(cli, "what is to be refreshed? creel admin refresh queues");
    if (!cli_client(cli, &code))
        return code;
    if (creel_refresh_queues(cli->client, &refresh, &error) < 0)
        return cli_fail(&error);
    code = record_print(cli, &record, refresh);
    creel_refresh_free(refresh);
    return code;
}
