/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_whoami.c - creel whoami: the user name of the caller at the resource manager */
#include "client/cli/commands.h"
#include "client/cli/frame/listing.h"
#include "common/base/text.h"
#include "common/io/loop/loop.h"

const char whoami_help[] =
    "Asks the resource manager which user you are, and how it knows: by a certificate, by MUNGE\n"
    "(creel.security.identity), or by the token of the job in which the command runs. A key of MUNGE is\n"
    "valid for some time; commands that run longer sign in again. The token of a job is used if there is\n"
    "no other credential, and is valid until the job ends.\n\n"
    "examples:\n"
    "  creel whoami\n"
    "  creel whoami --json | jq -r '.items[0].method'\n";

static void lines(const void *item, const struct cli *cli)
{
    const struct creel_identity *identity = item;
    char left[TEXT_SIZE_MAX];

    record_line("User", "%s", identity->user);
    record_line("Acts for", "%s", cli->as_user != NULL ? cli->as_user : "");
    record_line("Method", "%s", identity->method);
    record_line("Job", "%s", identity->app_id);
    record_line("Valid for", "%s",
                identity->valid_ms > 0 ? text_format_elapsed_ms(identity->valid_ms, left) : "");
}

static void json(const void *item, struct json_writer *writer)
{
    const struct creel_identity *identity = item;

    json_text(writer, "user", identity->user);
    json_text(writer, "method", identity->method);
    if (*identity->app_id != '\0')
        json_text(writer, "appId", identity->app_id);
    if (identity->valid_ms > 0)
        json_time(writer, "expires", loop_now_ms() + identity->valid_ms);
}

static const char *user_of(const void *item)
{
    return ((const struct creel_identity *)item)->user;
}

int cmd_whoami(struct cli *cli)
{
    static const struct record record = {
        .kind = "IdentityList", .lines = lines, .json = json, .id = user_of
    };
    struct creel_identity *identity;
    struct creel_error error;
    int code;

    if (cli->options.argument_count > 0)
        return cli_usage(cli, "%s: creel whoami takes no arguments", cli->options.arguments[0]);
    if (!cli_client(cli, &code))
        return code;
    if (creel_identity_get(cli->client, &identity, &error) < 0)
        return cli_fail(&error);
    code = record_print(cli, &record, identity);
    creel_identity_free(identity);
    return code;
}
