/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_keygen.c - creel keygen: CURVE certificates
 *
 * Nothing that exists is ever replaced: a certificate in use is a connection in
 * use. What is there already is said, and is no failure for `keygen cluster`.
 */
#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/cli/commands.h"
#include "common/conf/conf.h"
#include "common/io/keys.h"

const struct option_spec keygen_options[] = {
    { 0, "dir", "DIR", "key directory; the configured one without it" },
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

static int make(struct cli *cli, const char *directory, enum key_owner owner, const char *name,
                bool may_exist)
{
    static const char *const folders[] = { [KEY_AGENT] = "agents/", [KEY_USER] = "users/" };
    const char *folder = owner == KEY_RM ? "" : folders[owner];
    const char *file = owner == KEY_RM ? "rm" : name;
    struct err err = { 0 };
    int r = key_make(directory, owner, name, &err);

    if (r == -EEXIST && may_exist) {
        cli_say(cli, "%s/%s%s is there already", directory, folder, file);
        return EXIT_DONE;
    }
    if (r < 0) {
        cli_fail_err(&err);
        return r == -EACCES || r == -EPERM ? EXIT_NOT_PERMITTED : EXIT_FAILED;
    }
    cli_say(cli, "made %s/%s%s and its secret half, %s_secret", directory, folder, file, file);
    return EXIT_DONE;
}

int cmd_keygen_cluster(struct cli *cli)
{
    const char *named = cli->options.argument_count ? cli->options.arguments[0] : NULL;
    struct passwd *user = getpwuid(geteuid());
    const char *directory;
    int code = EXIT_DONE;

    if (cli->options.argument_count > 1)
        return cli_usage(cli, "one directory: creel keygen cluster [DIR]");
    directory = key_directory(cli, named, &code);
    if (!directory)
        return code;
    code = make(cli, directory, KEY_RM, NULL, true);
    if (code == EXIT_DONE)
        code = make(cli, directory, KEY_AGENT, "default", true);
    if (code == EXIT_DONE && user)
        code = make(cli, directory, KEY_USER, user->pw_name, true);
    return code;
}

static int make_named(struct cli *cli, enum key_owner owner, const char *what)
{
    const char *directory;
    int code = EXIT_DONE;

    if (!cli->options.argument_count)
        return cli_usage(cli, "whose? creel keygen %s NAME", what);
    directory = key_directory(cli, NULL, &code);
    for (size_t i = 0; directory && code == EXIT_DONE && i < cli->options.argument_count; i++)
        code = make(cli, directory, owner, cli->options.arguments[i], false);
    return code;
}

int cmd_keygen_user(struct cli *cli)
{
    return make_named(cli, KEY_USER, "user");
}

int cmd_keygen_agent(struct cli *cli)
{
    return make_named(cli, KEY_AGENT, "agent");
}
