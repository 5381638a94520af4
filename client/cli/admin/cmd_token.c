/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_token.c - creel token create, list, revoke: access tokens for creel-web */
#include <string.h>
#include <time.h>

#include "client/cli/admin/cmd_token_join.h"
#include "client/cli/commands.h"
#include "client/cli/frame/listing.h"
#include "client/include/creel-admin.h"
#include "common/base/mem.h"
#include "common/base/text.h"

#define VALID_MS_DEFAULT ((int64_t)8 * 60 * 60 * 1000)
#define VALID_MS_MIN 60000
#define VALID_MS_MAX ((int64_t)366 * 24 * 60 * 60 * 1000)

const char token_create_help[] =
    "Prints a token on standard output. It cannot be shown again. creel-web accepts it on its page\n"
    "Sign in, and in the header Authorization: Bearer TOKEN. --for sets how long it is valid; the\n"
    "default is 8 hours. A token never grants rights that its user does not have.\n"
    "With --join the token is for hosts that join the cluster: it has the key of the resource manager\n"
    "and a secret, of which the resource manager stores the public half alone.\n\n"
    "examples:\n"
    "  creel token create\n"
    "  curl -H \"Authorization: Bearer $(creel token create)\" http://rm:8088/ws/v1/cluster/apps\n"
    "  t=$(creel token create --join --uses 50 --for 30m)\n"
    "  for n in n2 n3; do echo $t | ssh $n creel setup node --rm n1 --token -; done\n";

const char token_list_help[] = "With --join: join tokens, and hosts that have joined.\n\n"
                               "examples:\n"
                               "  creel token list --all\n"
                               "  creel token list --join\n";

const char token_revoke_help[] =
    "Programs that use the token are refused at once. With --join TOKEN is a join token, or a host that\n"
    "has joined: without its certificate the host is refused within seconds; it can join again.\n\n"
    "examples:\n"
    "  creel token revoke T3\n"
    "  creel token revoke --join n7\n";

const struct option_spec token_create_options[] = {
    { 0, "for", "TIME", "valid for this long, as 30m, 8h (the default) or 90d" },
    { 0, "scope", "SCOPE", "read; submit: change applications, too; admin: nodes and queues, too (read)" },
    { 0, "note", "TEXT", "comment, shown by creel token list" },
    { 0, "join", NULL, "a token for creel setup node, valid for 1h; for administrators" },
    { 0, "uses", "N", "with --join, the number of hosts that may join with it (1)" },
    { 0 },
};

const struct option_spec token_list_options[] = {
    { 0, "all", NULL, "tokens of all users; for administrators" },
    { 0, "join", NULL, "join tokens, and hosts that have joined with them; for administrators" },
    { 0 },
};

const struct option_spec token_revoke_options[] = {
    { 0, "join", NULL, "join tokens, or hosts that have joined; for administrators" },
    { 0 },
};

/* --- output ------------------------------------------------------------------ */

static const struct table_column columns[] = {
    { "token", "TOKEN", 0 },         { "user", "USER", 0 },
    { "scope", "SCOPE", 0 },         { "age", "AGE", TABLE_WIDE | TABLE_RIGHT },
    { "left", "LEFT", TABLE_RIGHT }, { "note", "NOTE", 0 },
};

static void row(const void *item, struct table *table)
{
    const struct creel_token *token = item;
    int64_t now_ms = (int64_t)time(NULL) * 1000;
    char age[TEXT_SIZE_MAX], left[TEXT_SIZE_MAX];

    table_text(table, token->id);
    table_text(table, token->user);
    table_text(table, creel_token_scope_name(token->scope));
    table_text(table, text_format_elapsed_ms(now_ms - token->created_ms, age));
    table_sorted_by(table, now_ms - token->created_ms);
    table_text(table, text_format_elapsed_ms(token->expires_ms - now_ms, left));
    table_sorted_by(table, token->expires_ms - now_ms);
    table_text(table, token->note);
}

static void json(const void *item, struct json_writer *writer)
{
    const struct creel_token *token = item;

    json_text(writer, "id", token->id);
    json_text(writer, "user", token->user);
    json_text(writer, "scope", creel_token_scope_name(token->scope));
    json_text_if(writer, "note", token->note);
    json_time(writer, "created", token->created_ms);
    json_time(writer, "expires", token->expires_ms);
    json_text_if(writer, "token", token->secret);
}

static const char *token_id(const void *item)
{
    return ((const struct creel_token *)item)->id;
}

static int print(struct cli *cli, const struct creel_tokens *tokens)
{
    static const struct listing listing = {
        .kind = "TokenList",
        .columns = columns,
        .column_count = sizeof(columns) / sizeof(columns[0]),
        .row = row,
        .json = json,
        .id = token_id,
    };
    scoped_free const void **items = mem_array0(tokens->count + 1, sizeof(*items));

    for (size_t i = 0; i < tokens->count; i++)
        items[i] = &tokens->items[i];
    return listing_print(cli, &listing, items, tokens->count);
}

/* --- create ------------------------------------------------------------------ */

static bool read_scope(const char *text, enum creel_token_scope *ret)
{
    for (enum creel_token_scope scope = CREEL_TOKEN_READ; scope <= CREEL_TOKEN_ADMIN; scope++) {
        if (strcmp(text, creel_token_scope_name(scope)) != 0)
            continue;
        *ret = scope;
        return true;
    }
    return false;
}

int cmd_token_create(struct cli *cli)
{
    const char *lasts = options_get(&cli->options, "for"), *word = options_get(&cli->options, "scope");
    enum creel_token_scope scope = CREEL_TOKEN_READ;
    int64_t valid_ms = VALID_MS_DEFAULT;
    struct creel_tokens *tokens;
    struct creel_error error;
    int code = EXIT_DONE;

    if (options_has(&cli->options, "join"))
        return token_join_create(cli);
    if (options_has(&cli->options, "uses"))
        return cli_usage(cli, "--uses is for join tokens: creel token create --join --uses N");
    if (cli->options.argument_count > 0)
        return cli_usage(cli, "%s: creel token create takes no arguments", cli->options.arguments[0]);
    if (word != NULL && !read_scope(word, &scope))
        return cli_usage(cli, "--scope %s: expected read, submit or admin", word);
    if (lasts != NULL && (!text_parse_duration_ms(lasts, 1000, &valid_ms) || valid_ms < VALID_MS_MIN ||
                          valid_ms > VALID_MS_MAX))
        return cli_usage(cli, "--for %s: expected a time from 1m to 366d, as 8h", lasts);
    if (!cli_client(cli, &code))
        return code;
    if (creel_token_create(cli->client, scope, valid_ms, options_get(&cli->options, "note"), &tokens,
                           &error) < 0)
        return cli_fail(&error);
    if (cli->format_given)
        code = print(cli, tokens);
    else
        printf("%s\n", tokens->items[0].secret);
    creel_tokens_free(tokens);
    return code;
}

/* --- list and revoke --------------------------------------------------------- */

int cmd_token_list(struct cli *cli)
{
    struct creel_tokens *tokens;
    struct creel_error error;
    int code;

    if (options_has(&cli->options, "join"))
        return token_join_list(cli);
    if (cli->options.argument_count > 0)
        return cli_usage(cli, "%s: creel token list takes no arguments", cli->options.arguments[0]);
    if (!cli_client(cli, &code))
        return code;
    if (creel_token_list(cli->client, options_get(&cli->options, "all") != NULL, &tokens, &error) < 0)
        return cli_fail(&error);
    code = print(cli, tokens);
    creel_tokens_free(tokens);
    return code;
}

static int revoke_token(struct cli *cli, const char *id)
{
    struct creel_tokens *tokens;
    struct creel_error error;
    int code = EXIT_DONE;

    if (creel_token_revoke(cli->client, id, &tokens, &error) < 0)
        return cli_fail(&error);
    if (cli->format_given)
        code = print(cli, tokens);
    else
        cli_print(cli, "token %s of %s: is revoked", tokens->items[0].id, tokens->items[0].user);
    creel_tokens_free(tokens);
    return code;
}

int cmd_token_revoke(struct cli *cli)
{
    int code;

    if (options_has(&cli->options, "join"))
        return token_join_revoke(cli);
    if (cli->options.argument_count == 0)
        return cli_usage(cli, "which token? creel token revoke TOKEN...: creel token list shows them");
    if (!cli_client(cli, &code))
        return code;
    code = EXIT_DONE;
    for (size_t i = 0; i < cli->options.argument_count; i++) {
        int one = revoke_token(cli, cli->options.arguments[i]);

        code = one != EXIT_DONE ? one : code;
    }
    return code;
}
