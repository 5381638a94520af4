/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_setup.c - creel setup rm, creel setup node: the first configuration of a host
 *
 * Both judge everything first and replace nothing. Their directory is --conf, or /etc/creel: a local cluster
 * that is up does not count.
 */
#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/cli/commands.h"
#include "client/cli/dev.h"
#include "client/cli/key_bundle.h"
#include "client/cli/setup_files.h"
#include "common/base/mem.h"

#define CONF_DIR_DEFAULT "/etc/creel"
#define HOST_BYTES_MAX 254

const struct option_spec setup_rm_options[] = {
    { 0, "host", "HOST", "name of this host for others; its own name without it" },
    { 0 },
};

const struct option_spec setup_node_options[] = {
    { 0, "rm", "HOST", "host of the resource manager" },
    { 0, "keys", "FILE", "what creel keygen agent --export printed; - is standard input" },
    { 0 },
};

struct setup {
    struct cli *cli;
    const char *dir;
    char *key_dir;                      /* owned */
    char host[HOST_BYTES_MAX];          /* of this machine */
    struct setup_facts facts;
};

/* A name that can be written into a file of XML and looked up; no port. */
static bool is_host(const char *text)
{
    return *text && strlen(text) < HOST_BYTES_MAX &&
        text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_")] == '\0';
}

static int refuse_configured(const struct setup *setup, struct err *err)
{
    static const char *const names[] = { "yarn-site.xml", "creel-site.xml", "capacity-scheduler.xml" };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        scoped_free char *path = mem_printf("%s/%s", setup->dir, names[i]);

        if (access(path, F_OK) == 0)
            return err_set(err, EBUSY, "%s is there already: nothing was changed. Edit it, or move it away "
                           "first", path);
    }
    return 0;
}

static int begin(struct setup *setup, struct cli *cli, struct err *err)
{
    const char *given = options_get(&cli->options, "conf");
    long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);

    *setup = (struct setup){ .cli = cli, .dir = given ? given : CONF_DIR_DEFAULT };
    setup->key_dir = mem_printf("%s/keys", setup->dir);
    setup->facts.key_dir = given && strcmp(given, CONF_DIR_DEFAULT) != 0 ? setup->key_dir : NULL;
    setup->facts.memory_mb = (int64_t)pages / 1024 * page_bytes / 1024;
    setup->facts.cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (setup->dir[0] != '/')
        return err_set(err, EINVAL, "--conf %s: expected an absolute path", setup->dir);
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
        cli_say(setup->cli, "made %s", path);
    return r;
}

static int make_directory(const struct setup *setup, struct err *err)
{
    if (mkdir(setup->dir, 0755) < 0 && errno != EEXIST)
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

/* Returns the user who ran sudo; NULL: sudo was not used. */
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
    if (r == 0 && user)
        r = make_key(setup, KEY_USER, user->pw_name, err);
    if (r == 0 && user) {
        scoped_free char *secret = mem_printf("%s/users/%s_secret", setup->key_dir, user->pw_name);

        if (lchown(secret, user->pw_uid, user->pw_gid) < 0)
            r = err_set_errno(err, errno, "%s: cannot be given to %s", secret, user->pw_name);
    }
    if (r == 0)
        cli_say(setup->cli, "made certificates in %s", setup->key_dir);
    return r;
}

static void print_next(const struct setup *setup)
{
    printf("\nNext:\n"
           "  systemctl restart creel-rm              start the resource manager\n"
           "  for n in NODE...; do                    each node, as root, with the package creel-nm\n"
           "    creel keygen agent --export $n | ssh $n creel setup node --rm %s --keys -\n"
           "    ssh $n systemctl restart creel-nm\n"
           "  done\n"
           "  creel keygen user NAME --install        each user of this host\n"
           "  creel node list\n", setup->facts.rm_host);
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
    if (r == 0)
        r = write_file(&setup, "yarn-site.xml", setup_rm_site(&setup.facts), &err);
    if (r == 0)
        print_next(&setup);
    return finish(&setup, r, &err);
}

/* --- a node ---------------------------------------------------------------------- */

static int read_keys(const char *path, struct key_bundle *bundle, struct err *err)
{
    bool standard = !strcmp(path, "-");
    FILE *in = standard ? stdin : fopen(path, "re");
    int r;

    if (!in)
        return err_set_errno(err, errno, "%s: cannot be read", path);
    r = key_bundle_read(in, standard ? "standard input" : path, bundle, err);
    if (!standard)
        fclose(in);
    return r;
}

/* An agent takes the certificate that has its host's name, or the shared one. */
static int judge_keys(const struct setup *setup, const struct key_bundle *bundle, struct err *err)
{
    scoped_free char *rm = mem_printf("%s/rm", setup->key_dir);
    const char *name = bundle->agent_name;

    if (strcmp(name, setup->host) != 0 && strcmp(name, KEY_AGENT_SHARED) != 0)
        return err_set(err, EINVAL, "these keys are for the host %s, and this is %s: "
                       "creel keygen agent --export %s", name, setup->host, setup->host);
    if (access(rm, F_OK) == 0 || key_is_there(setup->key_dir, KEY_AGENT, name))
        return err_set(err, EBUSY, "%s has certificates already: nothing was changed. Move them away first",
                       setup->key_dir);
    return 0;
}

static int install_keys(const struct setup *setup, const struct key_bundle *bundle, struct err *err)
{
    int r = key_install(setup->key_dir, KEY_AGENT, bundle->agent_name, &bundle->agent, err);

    if (r == 0)
        r = key_install(setup->key_dir, KEY_RM, NULL, &bundle->rm, err);
    if (r == 0)
        cli_say(setup->cli, "made certificates in %s", setup->key_dir);
    return r;
}

int cmd_setup_node(struct cli *cli)
{
    const char *host = options_get(&cli->options, "rm"), *keys = options_get(&cli->options, "keys");
    struct key_bundle bundle;
    struct setup setup;
    struct err err = { 0 };
    int r;

    if (!host || !keys)
        return cli_usage(cli, "creel setup node --rm HOST --keys FILE");
    if (!is_host(host))
        return cli_usage(cli, "--rm %s: expected the name of a host, without a port", host);
    r = begin(&setup, cli, &err);
    setup.facts.rm_host = host;
    if (r == 0)
        r = read_keys(keys, &bundle, &err);
    if (r == 0)
        r = judge_keys(&setup, &bundle, &err);
    if (r == 0)
        r = make_directory(&setup, &err);
    if (r == 0)
        r = install_keys(&setup, &bundle, &err);
    if (r == 0)
        r = write_file(&setup, "yarn-site.xml", setup_node_site(&setup.facts), &err);
    explicit_bzero(&bundle, sizeof(bundle));
    if (r == 0)
        printf("\nNext: systemctl restart creel-nm, then on %s: creel node list\n", host);
    return finish(&setup, r, &err);
}
