/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_setup.c - creel setup rm, node and client: the first configuration of a host
 *
 * All check everything before the first change, and replace no file. They write to --conf or /etc/creel, not
 * to the configuration of a local cluster that runs (creel dev).
 */
#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/cli/admin/key_bundle.h"
#include "client/cli/admin/setup_files.h"
#include "client/cli/admin/setup_join.h"
#include "client/cli/commands.h"
#include "client/cli/dev/dev.h"
#include "common/base/mem.h"
#include "common/io/keys/credential.h"
#include "common/io/wire/endpoint.h"

#define CONF_DIR_DEFAULT "/etc/creel"
#define HOST_BYTES_MAX 254

const char setup_rm_help[] =
    "Makes this host the resource manager of a new cluster: writes yarn-site.xml and\n"
    "capacity-scheduler.xml, makes its certificates, yours and that of creel-web, and prints what to\n"
    "do next. Access lists are on: root, and who used sudo, are the administrators; all users with a\n"
    "certificate may submit. Nothing is replaced: a directory with a configuration is refused.\n\n"
    "examples:\n"
    "  creel setup rm\n"
    "  creel setup rm --host n1.example.org\n";

const char setup_node_help[] =
    "Makes this host a node of the cluster whose resource manager is on HOST: writes yarn-site.xml\n"
    "and certificates. With --token it makes its key pair and hands the public half to the resource\n"
    "manager; with --keys the keys are those that creel keygen agent --export has printed. The node\n"
    "offers what it detects of memory and processors. Nothing is replaced.\n\n"
    "examples:\n"
    "  t=$(creel token create --join --uses 2)\n"
    "  for n in n2 n3; do echo $t | ssh $n creel setup node --rm n1 --token -; done\n"
    "  for n in n2 n3; do creel keygen agent --export $n | ssh $n creel setup node --rm n1 --keys -; done\n";

const char setup_client_help[] =
    "Makes this host one from which users work, without an agent, such as a login host: writes\n"
    "yarn-site.xml and the public key of the resource manager, which it checks with the token. Use a\n"
    "token of creel token create --join; no use of it is counted. Users then need MUNGE, or a certificate:\n"
    "creel keygen user --export. Nothing is replaced.\n\n"
    "examples:\n"
    "  creel token create --join | ssh login1 creel setup client --rm n1 --token -\n"
    "  creel keygen user --export ann | ssh login1 creel keygen user --import -\n";

const struct option_spec setup_rm_options[] = {
    { 0, "host", "HOST", "name of this host for the nodes (default: its host name)" },
    { 0 },
};

const struct option_spec setup_node_options[] = {
    { 0, "rm", "HOST[:PORT]", "host of the resource manager; PORT, with --token alone, is that of clients" },
    { 0, "token", "TOKEN", "token of creel token create --join; -: read standard input" },
    { 0, "keys", "FILE", "output of creel keygen agent --export; -: read standard input" },
    { 0 },
};

const struct option_spec setup_client_options[] = {
    { 0, "rm", "HOST[:PORT]", "host of the resource manager; PORT is that of clients" },
    { 0, "token", "TOKEN", "token of creel token create --join; -: read standard input" },
    { 0 },
};

struct setup {
    struct cli *cli;
    const char *dir;
    char *key_dir;             /* owned */
    char host[HOST_BYTES_MAX]; /* of this machine */
    struct setup_facts facts;
};

/* Returns whether TEXT is the name of a host without a port. It needs no escapes in XML. */
static bool is_host(const char *text)
{
    return *text && strlen(text) < HOST_BYTES_MAX &&
           text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_")] == '\0';
}

static int refuse_configured(const struct setup *setup, struct err *err)
{
    static const char *const names[] = { "yarn-site.xml", "creel-site.xml", "capacity-scheduler.xml" };
    scoped_free char *secret = mem_printf("%s/rm_secret", setup->key_dir);
    bool rm = setup->cli->command->run == cmd_setup_node && access(secret, F_OK) == 0;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        scoped_free char *path = mem_printf("%s/%s", setup->dir, names[i]);

        if (access(path, F_OK) == 0)
            return err_set(err, EBUSY,
                           "%s exists already: nothing was changed. Edit it, or move it away first%s%s", path,
                           rm ? ". An agent on the host of the resource manager needs a certificate alone: "
                                "creel keygen agent "
                              : "",
                           rm ? setup->host : "");
    }
    return 0;
}

/* Returns the directory of --conf, or that of CREEL_CONF_DIR; NULL: none is given. */
static const char *given_directory(const struct cli *cli)
{
    const char *variable = getenv("CREEL_CONF_DIR");

    if (options_has(&cli->options, "conf"))
        return options_get(&cli->options, "conf");
    return variable && *variable ? variable : NULL;
}

static int begin(struct setup *setup, struct cli *cli, struct err *err)
{
    const char *given = given_directory(cli);
    long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);

    *setup = (struct setup){ .cli = cli, .dir = given ? given : CONF_DIR_DEFAULT };
    setup->key_dir = mem_printf("%s/keys", setup->dir);
    setup->facts.key_dir = given && strcmp(given, CONF_DIR_DEFAULT) != 0 ? setup->key_dir : NULL;
    setup->facts.memory_mb = (int64_t)pages / 1024 * page_bytes / 1024;
    setup->facts.cores = sysconf(_SC_NPROCESSORS_ONLN);
    setup->facts.munge = credential_is_possible("");
    if (setup->dir[0] != '/')
        return err_set(err, EINVAL, "--conf (or CREEL_CONF_DIR) %s: expected an absolute path", setup->dir);
    if (gethostname(setup->host, sizeof(setup->host) - 1) < 0)
        return err_set_errno(err, errno, "cannot find the name of this host");
    return refuse_configured(setup, err);
}

static int write_file(const struct setup *setup, const char *name, char *text, struct err *err)
{
    scoped_free char *path = mem_printf("%s/%s", setup->dir, name);
    int r = dev_write_file(path, text, err);

    free(text);
    if (r == 0)
        cli_print(setup->cli, "made %s", path);
    return r;
}

static void remove_file(const struct setup *setup, const char *name)
{
    scoped_free char *path = mem_printf("%s/%s", setup->dir, name);

    if (unlink(path) == 0)
        cli_print(setup->cli, "removed %s", path);
}

/* All users read the configuration, whatever the umask is. The mode of a directory that exists is kept. */
static int make_directory(const struct setup *setup, struct err *err)
{
    if (mkdir(setup->dir, 0755) == 0 ? chmod(setup->dir, 0755) < 0 : errno != EEXIST)
        return err_set_errno(err, errno, "%s: cannot be made", setup->dir);
    return 0;
}

static int finish(struct setup *setup, int r, struct err *err)
{
    free(setup->key_dir);
    return r < 0 ? cli_fail_err(err) : EXIT_DONE;
}

/* --- the resource manager ------------------------------------------------------- */

static int make_key(const struct setup *setup, enum key_owner owner, const char *name, struct err *err)
{
    int r = key_make(setup->key_dir, owner, name, err);

    return r == -EEXIST ? 0 : r;
}

/* Returns the user who ran sudo; NULL: sudo was not used, or by root. */
static const struct passwd *installer(void)
{
    const char *name = getenv("SUDO_USER");
    const struct passwd *user = name && *name && strcmp(name, "root") != 0 ? getpwnam(name) : NULL;

    return user && is_host(user->pw_name) ? user : NULL;
}

static int make_keys(struct setup *setup, const struct passwd *user, struct err *err)
{
    int r = make_key(setup, KEY_RM, NULL, err);

    if (r == 0)
        r = make_key(setup, KEY_USER, "root", err);
    if (r == 0)
        r = make_key(setup, KEY_USER, "creel-web", err);
    if (r == 0 && user)
        r = make_key(setup, KEY_USER, user->pw_name, err);
    if (r == 0 && user) {
        scoped_free char *secret = mem_printf("%s/users/%s_secret", setup->key_dir, user->pw_name);

        if (lchown(secret, user->pw_uid, user->pw_gid) < 0)
            r = err_set_errno(err, errno, "%s: cannot be given to %s", secret, user->pw_name);
    }
    if (r == 0)
        cli_print(setup->cli, "made certificates in %s", setup->key_dir);
    return r;
}

static void print_next(const struct setup *setup)
{
    printf("\nNext:\n"
           "  systemctl restart creel-rm              start the resource manager\n"
           "  systemctl restart creel-web             and the web pages, with the package creel-web\n"
           "  t=$(creel token create --join --uses 50)\n"
           "  for n in NODE...; do                    each node, as root, with the package creel-nm\n"
           "    echo $t | ssh $n creel setup node --rm %s --token -\n"
           "    ssh $n systemctl restart creel-nm\n"
           "  done\n"
           "  creel keygen user NAME --install        each user of this host\n"
           "  creel node list\n",
           setup->facts.rm_host);
}

int cmd_setup_rm(struct cli *cli)
{
    const struct passwd *user = installer();
    scoped_free char *administrators = mem_printf("root%s%s", user ? "," : "", user ? user->pw_name : "");
    const char *host = options_get(&cli->options, "host");
    struct setup setup;
    struct err err = { 0 };
    int r = begin(&setup, cli, &err);

    setup.facts.rm_host = host ? host : setup.host;
    setup.facts.administrators = administrators;
    if (r == 0 && !is_host(setup.facts.rm_host))
        r = err_set(&err, EINVAL, "\"%s\" is no name of a host: creel setup rm --host HOST",
                    setup.facts.rm_host);
    if (r == 0 && !strncmp(setup.facts.rm_host, "localhost", 9))
        r = err_set(&err, EINVAL, "nodes cannot find a host of the name %s: creel setup rm --host HOST",
                    setup.facts.rm_host);
    if (r == 0)
        r = make_directory(&setup, &err);
    if (r == 0)
        r = make_keys(&setup, user, &err);
    if (r == 0)
        r = write_file(&setup, "capacity-scheduler.xml", setup_queues(), &err);
    if (r == 0) {
        r = write_file(&setup, "yarn-site.xml", setup_rm_site(&setup.facts), &err);
        if (r < 0)
            remove_file(&setup, "capacity-scheduler.xml"); /* else a repetition would be refused */
    }
    if (r == 0)
        print_next(&setup);
    return finish(&setup, r, &err);
}

/* --- a node ---------------------------------------------------------------------- */

/* Checks that BUNDLE is for this host or for all agents, and that the key directory has no such keys. */
static int judge_keys(const struct setup *setup, const struct key_bundle *bundle, struct err *err)
{
    scoped_free char *rm = mem_printf("%s/rm", setup->key_dir);
    const char *name = bundle->name;

    if (strcmp(name, setup->host) != 0 && strcmp(name, KEY_AGENT_SHARED) != 0)
        return err_set(err, EINVAL,
                       "these keys are for the host %s, and this is %s: "
                       "creel keygen agent --export %s",
                       name, setup->host, setup->host);
    if (access(rm, F_OK) == 0 || key_is_there(setup->key_dir, KEY_AGENT, name))
        return err_set(err, EBUSY, "%s has certificates already: nothing was changed. Move them away first",
                       setup->key_dir);
    return 0;
}

static int install_keys(const struct setup *setup, const struct key_bundle *bundle, struct err *err)
{
    int r = key_install(setup->key_dir, KEY_AGENT, bundle->name, &bundle->own, err);

    if (r == 0)
        r = key_install(setup->key_dir, KEY_RM, NULL, &bundle->rm, err);
    return r;
}

static void print_keys(const struct setup *setup)
{
    cli_print(setup->cli, "made certificates in %s", setup->key_dir);
}

/* Removes what install_keys made. */
static void remove_keys(const struct setup *setup, const struct key_bundle *bundle)
{
    scoped_free char *public = mem_printf("%s/agents/%s", setup->key_dir, bundle->name);
    scoped_free char *secret = mem_printf("%s_secret", public);
    scoped_free char *rm = mem_printf("%s/rm", setup->key_dir);

    (void)unlink(public);
    (void)unlink(secret);
    (void)unlink(rm);
}

/* Makes the keys of this host and joins the cluster. The keys are installed before the resource manager gets
 * the public half, so that a full disk does not use up the token. Removes them if the host cannot join. */
static int join(const struct setup *setup, const char *address, const struct join_token *token,
                struct key_bundle *bundle, struct err *err)
{
    int r;

    setup_join_keys(token, setup->host, bundle);
    r = judge_keys(setup, bundle, err);
    if (r == 0)
        r = make_directory(setup, err);
    if (r == 0)
        r = install_keys(setup, bundle, err);
    if (r < 0)
        return r;
    r = setup_join_send(address, token, bundle, setup->cli->timeout_ms, err);
    if (r < 0) {
        remove_keys(setup, bundle);
        return r;
    }
    print_keys(setup);
    cli_print(setup->cli, "joined as %s", setup->host);
    return 0;
}

static int install_bundle(const struct setup *setup, const char *keys, struct key_bundle *bundle,
                          struct err *err)
{
    int r = key_bundle_read(keys, KEY_AGENT, bundle, err);

    if (r == 0)
        r = judge_keys(setup, bundle, err);
    if (r == 0)
        r = make_directory(setup, err);
    if (r == 0)
        r = install_keys(setup, bundle, err);
    if (r == 0)
        print_keys(setup);
    return r;
}

/* The options of setup node. */
struct node_options {
    const char *address, *keys, *token;
    char host[ENDPOINT_HOST_MAX]; /* of ADDRESS */
};

static int read_node_options(struct cli *cli, struct node_options *given)
{
    int port;

    *given = (struct node_options){ .address = options_get(&cli->options, "rm"),
                                    .keys = options_get(&cli->options, "keys"),
                                    .token = options_get(&cli->options, "token") };
    if (!given->address || !given->keys == !given->token)
        return cli_usage(cli,
                         "the resource manager and a token or keys are needed: creel setup node --rm HOST "
                         "--token TOKEN, or --rm HOST --keys FILE");
    if (endpoint_parse(given->address, JOIN_PORT_DEFAULT, given->host, sizeof(given->host), &port, NULL) <
            0 ||
        !is_host(given->host))
        return cli_usage(cli, "--rm %s: expected the name of a host", given->address);
    if (given->keys && strcmp(given->host, given->address) != 0)
        return cli_usage(cli, "--rm %s: expected the name of a host, without a port", given->address);
    return EXIT_DONE;
}

int cmd_setup_node(struct cli *cli)
{
    struct key_bundle bundle = { .name = "" };
    struct join_token token = { .id = "" };
    struct node_options given;
    struct setup setup;
    struct err err = { 0 };
    int code = read_node_options(cli, &given), r;

    if (code != EXIT_DONE)
        return code;
    r = begin(&setup, cli, &err);
    setup.facts.rm_host = given.host;
    if (r == 0 && given.token)
        r = setup_join_read(given.token, &token, &err);
    if (r == 0)
        r = given.token ? join(&setup, given.address, &token, &bundle, &err)
                        : install_bundle(&setup, given.keys, &bundle, &err);
    if (r == 0)
        r = write_file(&setup, "yarn-site.xml", setup_node_site(&setup.facts), &err);
    explicit_bzero(&bundle, sizeof(bundle));
    explicit_bzero(&token, sizeof(token));
    if (r == 0)
        printf("\nNext: systemctl restart creel-nm, then on %s: creel node list\n", given.host);
    return finish(&setup, r, &err);
}

/* --- a host of users -------------------------------------------------------------- */

/* Checks the token at the resource manager, then installs the public key that it has. */
static int install_rm_key(const struct setup *setup, const char *address, const struct join_token *token,
                          struct err *err)
{
    scoped_free char *file = mem_printf("%s/rm", setup->key_dir);
    struct key rm = { .secret_text = "" };
    int r;

    memcpy(rm.public_text, token->rm_public_text, KEY_TEXT);
    if (access(file, F_OK) == 0)
        return err_set(err, EBUSY, "%s exists already: nothing was changed. Move it away first", file);
    r = setup_join_check(address, token, setup->cli->timeout_ms, err);
    if (r == 0)
        r = make_directory(setup, err);
    if (r == 0)
        r = key_install(setup->key_dir, KEY_RM, NULL, &rm, err);
    if (r == 0)
        cli_print(setup->cli, "made %s", file);
    return r;
}

static void print_next_client(const struct setup *setup)
{
    if (setup->facts.munge)
        printf("\nNext: creel whoami, as a user. Users need no certificate: munged runs on this host\n");
    else
        printf("\nNext: each user needs a certificate. As root on %s:\n"
               "  creel keygen user --export NAME | ssh %s creel keygen user --import -\n",
               setup->facts.rm_host, setup->host);
}

int cmd_setup_client(struct cli *cli)
{
    const char *address = options_get(&cli->options, "rm"), *text = options_get(&cli->options, "token");
    struct join_token token = { .id = "" };
    char host[ENDPOINT_HOST_MAX], port_text[16];
    struct setup setup;
    struct err err = { 0 };
    int port, r;

    if (!address || !text)
        return cli_usage(cli, "the resource manager and a token are needed: creel setup client --rm HOST "
                              "--token TOKEN");
    if (endpoint_parse(address, JOIN_PORT_DEFAULT, host, sizeof(host), &port, NULL) < 0 || !is_host(host))
        return cli_usage(cli, "--rm %s: expected the name of a host", address);
    r = begin(&setup, cli, &err);
    setup.facts.rm_host = host;
    snprintf(port_text, sizeof(port_text), "%d", port);
    setup.facts.rm_port = port != JOIN_PORT_DEFAULT ? port_text : NULL;
    if (r == 0)
        r = setup_join_read(text, &token, &err);
    if (r == 0)
        r = install_rm_key(&setup, address, &token, &err);
    explicit_bzero(&token, sizeof(token));
    if (r == 0) {
        r = write_file(&setup, "yarn-site.xml", setup_client_site(&setup.facts), &err);
        if (r < 0)
            remove_file(&setup, "keys/rm"); /* else a repetition would be refused */
    }
    if (r == 0)
        print_next_client(&setup);
    return finish(&setup, r, &err);
}
