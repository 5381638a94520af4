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
#include <sys/stat.h>
#include <unistd.h>

#include "client/cli/admin/key_bundle.h"
#include "client/cli/commands.h"
#include "client/cli/frame/host_arguments.h"
#include "client/cli/frame/listing.h"
#include "common/base/mem.h"
#include "common/conf/conf.h"
#include "common/conf/identity.h"
#include "common/io/keys/key_file.h"
#include "common/io/keys/keys.h"

const struct option_spec keygen_options[] = {
    { 0, "dir", "DIR", "key directory; the configured one without it" },
    { 0 },
};

const struct option_spec keygen_user_options[] = {
    { 0, "dir", "DIR", "key directory; the configured one without it" },
    { 0, "install", NULL, "make the user of that name the owner of the secret key" },
    { 0, "export", NULL, "print the pair for --import on another host" },
    { 0, "remove", NULL, "remove the certificates, and print what else lets the users in" },
    { 0, "import", "FILE", "install a pair that --export has printed; -: read standard input" },
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

/* Warns if the pair of the resource manager is new, but other certificates are not. */
static void warn_of_new_key(const struct key_results *results)
{
    bool others = false;

    for (size_t i = 1; i < results->count; i++)
        others = others || !results->items[i].fresh;
    if (others)
        fprintf(stderr,
                "creel: %s is a new key: agents and users that have the former one cannot connect any more; "
                "restart creel-rm, copy the file to all nodes and hosts of users, and restart creel-nm and "
                "creel-web there\n",
                results->items[0].path);
}

static bool has_rm_secret(const char *directory)
{
    scoped_free char *file = mem_printf("%s/rm%s", directory, KEY_FILE_SECRET_SUFFIX);

    return access(file, F_OK) == 0;
}

int cmd_keygen_cluster(struct cli *cli)
{
    const char *named = cli->options.argument_count ? cli->options.arguments[0] : NULL;
    struct passwd *user = getpwuid(geteuid());
    struct key_results results = { .cli = cli };
    const char *directory;
    int code = EXIT_DONE;
    bool had_secret;

    if (cli->options.argument_count > 1)
        return cli_usage(cli, "one directory: creel keygen cluster [DIR]");
    directory = key_directory(cli, named, &code);
    if (!directory)
        return code;
    had_secret = has_rm_secret(directory);
    code = make(&results, directory, KEY_RM, NULL, true);
    if (code == EXIT_DONE)
        code = make(&results, directory, KEY_AGENT, "default", true);
    if (code == EXIT_DONE && user)
        code = make(&results, directory, KEY_USER, user->pw_name, true);
    if (code == EXIT_DONE)
        code = make(&results, directory, KEY_USER, "creel-web", true);
    if (!had_secret)
        warn_of_new_key(&results);
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
static int set_owner(struct cli *cli, const char *directory, const struct passwd *user, struct err *err)
{
    scoped_free char *path = mem_printf("%s/users/%s_secret", directory, user->pw_name);

    if (lchown(path, user->pw_uid, user->pw_gid) < 0)
        return err_set_errno(err, errno, "%s: cannot be given to %s", path, user->pw_name);
    cli_print(cli, "%s belongs to %s, who can use creel on this host", path, user->pw_name);
    return 0;
}

/* --- pairs for other hosts ------------------------------------------------------------ */

/* Prints the pair of one agent or user, which is made if there is none. */
static int export_pair(struct cli *cli, enum key_owner owner, const char *what)
{
    const char *directory;
    struct err err = { 0 };
    int code;

    if (cli->options.argument_count != 1 ||
        (owner == KEY_AGENT && strpbrk(cli->options.arguments[0], "[,")) || cli->format_given)
        return cli_usage(cli, "the keys of one %s are exported, as text: creel keygen %s --export NAME",
                         owner == KEY_AGENT ? "host" : what, what);
    code = make_named(cli, owner, what, true);
    if (code != EXIT_DONE)
        return code;
    directory = key_directory(cli, NULL, &code);
    if (directory && key_bundle_write(stdout, directory, owner, cli->options.arguments[0], &err) < 0)
        return cli_fail_err(&err);
    return code;
}

/* Checks that the pair is of the cluster whose public key is in DIRECTORY. */
static int judge_cluster(const char *directory, const struct key_bundle *bundle, struct err *err)
{
    struct key rm;

    if (key_load_for(directory, KEY_RM, NULL, false, &rm, err) < 0) {
        err_prefix(err, "this host is not set up for the cluster (root: creel setup client)");
        return -err->code;
    }
    if (strcmp(rm.public_text, bundle->rm.public_text) == 0)
        return 0;
    return err_set(err, EINVAL, "the keys of %s are of another cluster than %s/rm: nothing was changed",
                   bundle->name, directory);
}

/* Installs the pair for the calling user, in ~/.creel. */
static int import_own(struct cli *cli, const struct key_bundle *bundle, struct err *err)
{
    const struct passwd *self = getpwuid(geteuid());
    scoped_free char *folder = NULL, *file = NULL, *secret_file = NULL;
    int r;

    if (!self || strcmp(self->pw_name, bundle->name) != 0)
        return err_set(err, EPERM, "these keys are of the user %s, and you are %s: nothing was changed",
                       bundle->name, self ? self->pw_name : "unknown on this host");
    folder = mem_printf("%s/.creel", self->pw_dir);
    file = mem_printf("%s/key", folder);
    secret_file = mem_printf("%s" KEY_FILE_SECRET_SUFFIX, file);
    if (mkdir(folder, 0700) < 0 && errno != EEXIST)
        return err_set_errno(err, errno, "%s: cannot be made", folder);
    r = key_file_write(secret_file, true, &bundle->own, bundle->name, err);
    if (r == 0)
        r = key_file_write(file, false, &bundle->own, bundle->name, err);
    if (r == 0)
        cli_print(cli, "made %s and its secret half, %s", file, secret_file);
    return r;
}

/* Installs the pair for the user of its name, in the key directory. */
static int import_as_root(struct cli *cli, const char *directory, const struct key_bundle *bundle,
                          struct err *err)
{
    const struct passwd *user = getpwnam(bundle->name);
    int r;

    if (!user)
        return err_set(err, ENOENT, "there is no user %s on this host: make the account first", bundle->name);
    r = key_install(directory, KEY_USER, bundle->name, &bundle->own, err);
    return r == 0 ? set_owner(cli, directory, user, err) : r;
}

static int import_pair(struct cli *cli, const char *path)
{
    struct key_bundle bundle = { .name = "" };
    const char *directory;
    struct err err = { 0 };
    int code = EXIT_DONE, r;

    if (cli->options.argument_count > 0 || cli->format_given)
        return cli_usage(cli, "--import has the name of the user in FILE: creel keygen user --import FILE");
    directory = key_directory(cli, NULL, &code);
    if (!directory)
        return code;
    r = key_bundle_read(path, KEY_USER, &bundle, &err);
    if (r == 0)
        r = judge_cluster(directory, &bundle, &err);
    if (r == 0)
        r = geteuid() == 0 ? import_as_root(cli, directory, &bundle, &err) : import_own(cli, &bundle, &err);
    explicit_bzero(&bundle, sizeof(bundle));
    if (r == -EEXIST)
        err.code = EBUSY;
    return r < 0 ? cli_fail_err(&err) : EXIT_DONE;
}

/* --- removing ------------------------------------------------------------------------- */

/* Prints what still lets USER in, whose certificate is removed, by the configuration of this host, which is
 * that of the resource manager. */
static int print_ways_in(struct cli *cli, const char *user)
{
    const struct conf *conf;
    struct identity identity;
    struct err err = { 0 };
    int code = EXIT_DONE;

    conf = cli_conf(cli, &code);
    if (!conf)
        return code;
    if (identity_read(conf, &identity, &err) < 0)
        return cli_fail_err(&err);
    if (identity_has(&identity, IDENTITY_MUNGE))
        printf(
            "%s can still sign in by MUNGE (%s has munge): remove the account %s on the host of the resource "
            "manager, or munge from that key\n"
            "access tokens of %s for the web pages, if there are any, are still valid: creel token list "
            "--all, creel token revoke\n",
            user, conf_key_info(CONF_IDENTITY)->name, user, user);
    printf("jobs of %s that have not ended, if there are any, go on%s: creel kill --user %s\n", user,
           conf_bool(conf, CONF_JOB_TOKENS) ? ", and act as this user with their tokens" : "", user);
    return EXIT_DONE;
}

/* Removes both files. A secret half that is left would count again: key_make completes it. */
static int remove_pair(const char *directory, const char *name, struct err *err)
{
    scoped_free char *file = mem_printf("%s/users/%s", directory, name);
    scoped_free char *secret_file = mem_printf("%s" KEY_FILE_SECRET_SUFFIX, file);

    if (!key_is_there(directory, KEY_USER, name))
        return err_set(err, ENOENT, "there is no certificate %s", file);
    if (unlink(secret_file) < 0 && errno != ENOENT)
        return err_set_errno(err, errno, "%s: cannot be removed", secret_file);
    if (unlink(file) < 0)
        return err_set_errno(err, errno, "%s: cannot be removed", file);
    return 0;
}

/* Returns true if DIRECTORY is that of the resource manager, which accepts its certificates. */
static bool is_of_rm(const char *directory)
{
    scoped_free char *secret_file = mem_printf("%s/rm" KEY_FILE_SECRET_SUFFIX, directory);

    return access(secret_file, F_OK) == 0;
}

/* Prints what the removal of the certificate of USER from DIRECTORY means. */
static int print_removed(struct cli *cli, const char *directory, const char *user)
{
    if (!is_of_rm(directory)) {
        cli_print(
            cli,
            "removed %s/users/%s and its secret half from this host alone. To revoke the certificate, on the "
            "host of the resource manager: creel keygen user --remove %s",
            directory, user, user);
        return EXIT_DONE;
    }
    cli_print(cli, "removed %s/users/%s and its secret half: its connections are closed within seconds",
              directory, user);
    return print_ways_in(cli, user);
}

static int remove_certificates(struct cli *cli)
{
    const char *directory;
    struct err err = { 0 };
    int code = EXIT_DONE;

    if (cli->options.argument_count == 0 || cli->format_given)
        return cli_usage(cli, "whose? creel keygen user --remove NAME...");
    directory = key_directory(cli, NULL, &code);
    for (size_t i = 0; directory && code == EXIT_DONE && i < cli->options.argument_count; i++) {
        const char *name = cli->options.arguments[i];

        if (remove_pair(directory, name, &err) < 0)
            return cli_fail_err(&err);
        code = print_removed(cli, directory, name);
    }
    return code;
}

int cmd_keygen_user(struct cli *cli)
{
    bool install = options_has(&cli->options, "install");
    bool export = options_has(&cli->options, "export"), remove = options_has(&cli->options, "remove");
    const char *from = options_get(&cli->options, "import"), *directory;
    struct err err = { 0 };
    int code = EXIT_DONE;

    if (install + export + remove + (from != NULL) > 1)
        return cli_usage(cli, "one of --install, --export, --import and --remove");
    if (remove)
        return remove_certificates(cli);
    if (from)
        return import_pair(cli, from);
    if (export)
        return export_pair(cli, KEY_USER, "user");
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
                       "creel keygen user --export NAME prints the pair for another one");
    if (code != EXIT_DONE || !install)
        return code;
    directory = key_directory(cli, NULL, &code);
    for (size_t i = 0; directory && code == EXIT_DONE && i < cli->options.argument_count; i++)
        if (set_owner(cli, directory, getpwnam(cli->options.arguments[i]), &err) < 0)
            code = cli_fail_err(&err);
    return code;
}

int cmd_keygen_agent(struct cli *cli)
{
    if (options_has(&cli->options, "export"))
        return export_pair(cli, KEY_AGENT, "agent");
    return make_named(cli, KEY_AGENT, "agent", false);
}
