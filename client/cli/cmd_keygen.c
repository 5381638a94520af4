/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_keygen.c - creel keygen: makes CURVE keys and certificates
 *
 * Existing files are never replaced, since connections depend on them. Existing certificates are reported;
 * for `keygen cluster` they are not a failure.
 */
#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/cli/commands.h"
#include "client/cli/host_arguments.h"
#include "client/cli/key_bundle.h"
#include "client/cli/listing.h"
#include "common/base/mem.h"
#include "common/conf/conf.h"
#include "common/io/keys.h"

const struct option_spec keygen_options[] = {
    { 0, "dir", "DIR", "key directory; the configured one without it" },
    { 0 },
};

const struct option_spec keygen_user_options[] = {
    { 0, "dir", "DIR", "key directory; the configured one without it" },
    { 0, "install", NULL, "make the user of that name the owner of the secret key" },
    { 0 },
};

const struct option_spec keygen_agent_options[] = {
    { 0, "dir", "DIR", "key directory; the configured one without it" },
    { 0, "export", NULL, "print the keys for creel setup node on that host" },
    { 0 },
};

static const char *key_directory(struct cli *cli, const char *named, int *code)
{
    const char *given = options_get(&cli->options, "dir");
    const struct conf *conf;

    if (named)
        return named;
    if (given)
        return given;
    conf = cli_conf(cli, code);
    return conf ? conf_text(conf, CONF_KEY_DIR) : NULL;
}

/* --- output as data ---------------------------------------------------------- */

struct key_result {
    enum key_owner owner;
    const char *name;
    char *path; /* owned */
    bool fresh; /* false: existed already */
};

struct key_results {
    struct cli *cli;
    struct key_result *items; /* owned */
    size_t count, capacity;
};

static const char *const roles[] = { [KEY_RM] = "rm", [KEY_AGENT] = "agent", [KEY_USER] = "user" };

static const struct table_column columns[] = {
    { "role", "ROLE", 0 },
    { "name", "NAME", 0 },
    { "made", "MADE", 0 },
    { "path", "PATH", TABLE_CUT },
};

static void row(const void *item, struct table *table)
{
    const struct key_result *result = item;

    table_text(table, roles[result->owner]);
    table_text(table, result->name);
    table_text(table, result->fresh ? "yes" : "no");
    table_text(table, result->path);
}

static void json(const void *item, struct json_writer *writer)
{
    const struct key_result *result = item;

    json_text(writer, "role", roles[result->owner]);
    json_text(writer, "name", result->name);
    json_text(writer, "path", result->path);
    json_bool(writer, "made", result->fresh);
}

static const char *path_of(const void *item)
{
    return ((const struct key_result *)item)->path;
}

static const struct listing listing = {
    .kind = "CertificateList",
    .columns = columns,
    .column_count = sizeof(columns) / sizeof(columns[0]),
    .row = row,
    .json = json,
    .id = path_of,
};

/* Prints the certificates if an output format was requested. Returns CODE, the result so far. */
static int finish(struct key_results *results, int code)
{
    scoped_free const void **items = mem_array0(results->count + 1, sizeof(*items));
    int shown = EXIT_DONE;

    for (size_t i = 0; i < results->count; i++)
        items[i] = &results->items[i];
    if (results->cli->format_given)
        shown = listing_print(results->cli, &listing, items, results->count);
    for (size_t i = 0; i < results->count; i++)
        free(results->items[i].path);
    free(results->items);
    return code == EXIT_DONE ? shown : code;
}

/* --- creating keys --------------------------------------------------------------- */

static int exit_of(int r)
{
    switch (-r) {
    case EACCES:
    case EPERM:
        return EXIT_NOT_PERMITTED;
    case EEXIST:
        return EXIT_REFUSED;
    case EINVAL:
        return EXIT_USAGE;
    default:
        return EXIT_FAILED;
    }
}

static int make(struct key_results *results, const char *directory, enum key_owner owner, const char *name,
                bool may_exist)
{
    static const char *const folders[] = { [KEY_AGENT] = "agents/", [KEY_USER] = "users/" };
    const char *folder = owner == KEY_RM ? "" : folders[owner];
    const char *file = owner == KEY_RM ? "rm" : name;
    const struct key_result *result;
    struct err err = { 0 };
    int r = key_make(directory, owner, name, &err);

    if (r < 0 && !(r == -EEXIST && may_exist)) {
        cli_fail_err(&err);
        return exit_of(r);
    }
    mem_grow(results->items, results->count, results->capacity);
    results->items[results->count++] = (struct key_result){
        .owner = owner,
        .name = file,
        .path = mem_printf("%s/%s%s", directory, folder, file),
        .fresh = r == 0,
    };
    result = &results->items[results->count - 1];
    if (results->cli->format_given)
        return EXIT_DONE;
    if (result->fresh)
        cli_print(results->cli, "made %s and its secret half, %s_secret", result->path, file);
    else
        cli_print(results->cli, "%s exists already", result->path);
    return EXIT_DONE;
}

int cmd_keygen_cluster(struct cli *cli)
{
    const char *named = cli->options.argument_count ? cli->options.arguments[0] : NULL;
    struct passwd *user = getpwuid(geteuid());
    struct key_results results = { .cli = cli };
    const char *directory;
    int code = EXIT_DONE;

    if (cli->options.argument_count > 1)
        return cli_usage(cli, "one directory: creel keygen cluster [DIR]");
    directory = key_directory(cli, named, &code);
    if (!directory)
        return code;
    code = make(&results, directory, KEY_RM, NULL, true);
    if (code == EXIT_DONE)
        code = make(&results, directory, KEY_AGENT, "default", true);
    if (code == EXIT_DONE && user)
        code = make(&results, directory, KEY_USER, user->pw_name, true);
    if (code == EXIT_DONE)
        code = make(&results, directory, KEY_USER, "creel-web", true);
    return finish(&results, code);
}

static int make_named(struct cli *cli, enum key_owner owner, const char *what, bool may_exist)
{
    struct key_results results = { .cli = cli };
    const char *const *names = cli->options.arguments;
    size_t count = cli->options.argument_count;
    struct host_names hosts = { 0 };
    const char *directory;
    bool named = true;
    int code = EXIT_DONE;

    if (!count)
        return cli_usage(cli, "whose? creel keygen %s NAME", what);
    if (owner == KEY_AGENT)
        named =
            host_arguments_expand(cli, cli->options.arguments, cli->options.argument_count, &hosts, &code);
    directory = named ? key_directory(cli, NULL, &code) : NULL;
    if (owner == KEY_AGENT) {
        names = (const char *const *)hosts.items;
        count = hosts.count;
    }
    for (size_t i = 0; directory && code == EXIT_DONE && i < count; i++)
        code = make(&results, directory, owner, names[i], may_exist);
    code = finish(&results, code); /* prints the names */
    host_names_done(&hosts);
    return code;
}

/* Makes USER the owner of the secret key, which only its owner can read. The directory belongs to root, so
 * no other user can replace the file. */
static int set_owner(struct cli *cli, const char *directory, const struct passwd *user)
{
    scoped_free char *path = mem_printf("%s/users/%s_secret", directory, user->pw_name);
    struct err err = { 0 };

    if (lchown(path, user->pw_uid, user->pw_gid) < 0) {
        err_set_errno(&err, errno, "%s: cannot be given to %s", path, user->pw_name);
        return cli_fail_err(&err);
    }
    cli_print(cli, "%s belongs to %s, who can use creel on this host", path, user->pw_name);
    return EXIT_DONE;
}

int cmd_keygen_user(struct cli *cli)
{
    bool install = options_has(&cli->options, "install");
    const char *directory;
    int code = EXIT_DONE;

    for (size_t i = 0; install && i < cli->options.argument_count; i++) {
        if (!getpwnam(cli->options.arguments[i])) {
            fprintf(stderr,
                    "creel: there is no user %s on this host: make the account first, or leave out "
                    "--install\n",
                    cli->options.arguments[i]);
            return EXIT_NOT_FOUND;
        }
    }
    code = make_named(cli, KEY_USER, "user", install);
    if (code == EXIT_DONE && !install && !cli->format_given)
        cli_print(cli, "Next: creel keygen user NAME --install gives a secret half to its user on this host; "
                       "on another host the pair is ~/.creel/key and ~/.creel/key_secret of the user");
    if (code != EXIT_DONE || !install)
        return code;
    directory = key_directory(cli, NULL, &code);
    for (size_t i = 0; directory && code == EXIT_DONE && i < cli->options.argument_count; i++)
        code = set_owner(cli, directory, getpwnam(cli->options.arguments[i]));
    return code;
}

int cmd_keygen_agent(struct cli *cli)
{
    bool export = options_has(&cli->options, "export");
    const char *directory;
    struct err err = { 0 };
    int code;

    if (!export)
        return make_named(cli, KEY_AGENT, "agent", false);
    if (cli->options.argument_count != 1 || strpbrk(cli->options.arguments[0], "[,") || cli->format_given)
        return cli_usage(cli, "the keys of one host are exported, as text: creel keygen agent --export NAME");
    code = make_named(cli, KEY_AGENT, "agent", true);
    if (code != EXIT_DONE)
        return code;
    directory = key_directory(cli, NULL, &code);
    if (directory && key_bundle_write(stdout, directory, cli->options.arguments[0], &err) < 0)
        return cli_fail_err(&err);
    return code;
}
