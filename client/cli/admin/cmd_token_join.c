/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_token_join.c - creel token with --join: tokens with which hosts join the cluster */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/admin/cmd_token_join.h"
#include "client/cli/frame/listing.h"
#include "client/cli/show/show_app.h"
#include "client/include/creel-admin.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/conf/conf.h"
#include "common/io/keys/join_token.h"

#define VALID_MS_DEFAULT INT64_C(3600000)
#define VALID_MS_MAX (INT64_C(365) * 24 * 3600 * 1000)
#define USES_MAX 100000

/* --- the list ---------------------------------------------------------------- */

struct shown {
    const char *id, *kind, *by, *secret; /* SECRET: of a token that was just made; else NULL */
    uint32_t uses, used;                 /* of a token */
    int64_t created_ms, expires_ms;      /* EXPIRES_MS 0: never */
};

static const struct table_column columns[] = {
    { "id", "ID", 0 },           { "kind", "KIND", 0 },       { "used", "USED", TABLE_RIGHT },
    { "created", "CREATED", 0 }, { "expires", "EXPIRES", 0 }, { "by", "BY", 0 },
};

static void row(const void *item, struct table *table)
{
    const struct shown *shown = item;
    char used[32] = "", created[SHOW_TIME_MAX], expires[SHOW_TIME_MAX];

    show_local_time(shown->created_ms, created);
    show_local_time(shown->expires_ms, expires);
    if (shown->uses > 0)
        snprintf(used, sizeof(used), "%" PRIu32 "/%" PRIu32, shown->used, shown->uses);
    table_text(table, shown->id);
    table_text(table, shown->kind);
    table_text(table, used);
    table_text(table, created);
    table_sorted_by(table, shown->created_ms);
    table_text(table, expires);
    table_sorted_by(table, shown->expires_ms);
    table_text(table, shown->by);
}

static void json(const void *item, struct json_writer *writer)
{
    const struct shown *shown = item;

    json_text(writer, "id", shown->id);
    json_text(writer, "kind", shown->kind);
    if (shown->uses > 0) {
        json_uint(writer, "uses", shown->uses);
        json_uint(writer, "used", shown->used);
    }
    json_text_if(writer, "by", shown->by);
    json_text_if(writer, "token", shown->secret);
    json_time(writer, "created", shown->created_ms);
    json_time(writer, "expires", shown->expires_ms);
}

/* Returns the token itself if it was just made, so that -o id prints what a script needs. */
static const char *id_of(const void *item)
{
    const struct shown *shown = item;

    return shown->secret ? shown->secret : shown->id;
}

static const struct listing listing = {
    .kind = "JoinList",
    .columns = columns,
    .column_count = sizeof(columns) / sizeof(columns[0]),
    .row = row,
    .json = json,
    .id = id_of,
};

/* Prints JOINS. SECRET is the text of the only token in JOINS, which was just made; NULL: none was made. */
static int print(struct cli *cli, const struct creel_joins *joins, const char *secret)
{
    size_t count = joins->token_count + joins->host_count;
    scoped_free struct shown *shown = mem_array0(count + 1, sizeof(*shown));
    scoped_free const void **items = mem_array0(count + 1, sizeof(*items));

    for (size_t i = 0; i < joins->token_count; i++) {
        const struct creel_join_token *token = &joins->tokens[i];

        shown[i] = (struct shown){ token->id,   "join",      token->by,         secret,
                                   token->uses, token->used, token->created_ms, token->expires_ms };
    }
    for (size_t i = 0; i < joins->host_count; i++) {
        const struct creel_joined_host *host = &joins->hosts[i];

        shown[joins->token_count + i] = (struct shown){
            .id = host->host, .kind = "host", .by = host->token, .created_ms = host->since_ms
        };
    }
    for (size_t i = 0; i < count; i++)
        items[i] = &shown[i];
    return listing_print(cli, &listing, items, count);
}

int token_join_list(struct cli *cli)
{
    struct creel_joins *joins;
    struct creel_error error;
    int code;

    if (cli->options.argument_count > 0)
        return cli_usage(cli, "%s: creel token list --join takes no arguments", cli->options.arguments[0]);
    if (!cli_client(cli, &code))
        return code;
    if (creel_join_list(cli->client, &joins, &error) < 0)
        return cli_fail(&error);
    code = print(cli, joins, NULL);
    creel_joins_free(joins);
    return code;
}

/* --- changes ----------------------------------------------------------------- */

static bool read_limits(struct cli *cli, struct creel_join_token_spec *spec)
{
    const char *uses = options_get(&cli->options, "uses"), *lasts = options_get(&cli->options, "for");
    int64_t count = 1, valid_ms = VALID_MS_DEFAULT;

    if (uses && (!text_parse_int64(uses, &count) || count < 1 || count > USES_MAX)) {
        cli_usage(cli, "--uses %s: expected a number from 1 to %d", uses, USES_MAX);
        return false;
    }
    if (lasts &&
        (!text_parse_duration_ms(lasts, 1000, &valid_ms) || valid_ms < 1000 || valid_ms > VALID_MS_MAX)) {
        cli_usage(cli, "--for %s: expected a time from 1s to 365d, as 30m or 2h", lasts);
        return false;
    }
    spec->uses = (uint32_t)count;
    spec->valid_ms = valid_ms;
    return true;
}

static int create(struct cli *cli, const struct creel_join_token_spec *spec, const char *secret)
{
    struct creel_joins *joins;
    struct creel_error error;
    int code;

    if (creel_join_token_create(cli->client, spec, &joins, &error) < 0)
        return cli_fail(&error);
    if (cli->format_given) {
        code = print(cli, joins, secret);
    } else {
        char expires[SHOW_TIME_MAX];

        show_local_time(joins->token_count ? joins->tokens[0].expires_ms : 0, expires);
        printf("%s\n", secret);
        code = EXIT_DONE;
        cli_print(cli,
                  "token %s: %" PRIu32 " host%s may join with it until %s: creel setup node --rm HOST "
                  "--token TOKEN",
                  spec->id, spec->uses, spec->uses == 1 ? "" : "s", *expires ? expires : "it expires");
    }
    creel_joins_free(joins);
    return code;
}

int token_join_create(struct cli *cli)
{
    struct creel_join_token_spec spec;
    char secret[JOIN_TOKEN_TEXT];
    struct join_token token;
    const struct conf *conf;
    struct key rm;
    struct err err = { 0 };
    int code;

    if (cli->options.argument_count > 0 || options_has(&cli->options, "scope") ||
        options_has(&cli->options, "note"))
        return cli_usage(cli, "creel token create --join [--uses N] [--for TIME]");
    if (!read_limits(cli, &spec))
        return EXIT_USAGE;
    conf = cli_conf(cli, &code);
    if (!conf || !cli_client(cli, &code))
        return code;
    if (key_load_for(conf_text(conf, CONF_KEY_DIR), KEY_RM, NULL, false, &rm, &err) < 0)
        return cli_fail_err(&err);
    join_token_make(rm.public_text, secret, &token);
    spec.id = token.id;
    spec.public_key = token.key.public_text;
    code = create(cli, &spec, secret);
    explicit_bzero(secret, sizeof(secret));
    explicit_bzero(&token, sizeof(token));
    return code;
}

int token_join_revoke(struct cli *cli)
{
    struct creel_joins *joins = NULL;
    struct creel_error error;
    int code;

    if (cli->options.argument_count == 0)
        return cli_usage(cli, "which one? creel token revoke --join TOKEN...");
    if (!cli_client(cli, &code))
        return code;
    for (size_t i = 0; i < cli->options.argument_count; i++) {
        creel_joins_free(joins);
        if (creel_join_revoke(cli->client, cli->options.arguments[i], &joins, &error) < 0)
            return cli_fail(&error);
        if (!cli->format_given)
            cli_print(cli, "%s: is revoked", cli->options.arguments[i]);
    }
    code = cli->format_given ? print(cli, joins, NULL) : EXIT_DONE;
    creel_joins_free(joins);
    return code;
}
