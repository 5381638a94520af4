/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_dev_up.c - creel dev up: starts the stopped daemons of the local cluster, and waits until all are
 * ready */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/cli/commands.h"
#include "client/cli/dev/dev.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/io/loop/loop.h"

#define AGENTS_USUAL 3
#define READY_MS 30000
#define QUIET_MS 1000 /* maximum wait: depending on creel.log.level a log may stay empty */
#define LOCK_FILE "/run/creel-dev.lock"

const struct option_spec dev_up_options[] = {
    { 'n', "agents", "N", "number of agents (3); more can be added later" },
    { 0, "dir", "DIR", "directory of the cluster (" DEV_DEFAULT_DIR ")" },
    { 0, "conf", "DIR", "configuration whose values override the defaults of dev" },
    { 0 },
};

struct start {
    int agent;
    pid_t pid;
    int64_t at_ms; /* wall clock; 0: was already running */
};

static int agents_wanted(const struct cli *cli, const struct dev *dev, int *agents)
{
    const char *text = options_get(&cli->options, "agents");
    int64_t number = dev->agents ? dev->agents : AGENTS_USUAL;

    if (text && (!text_parse_int64(text, &number) || number < 1 || number > DEV_AGENTS_MAX))
        return cli_usage(cli, "--agents %s: expected a number from 1 to %d", text, DEV_AGENTS_MAX);
    if (number < dev->agents) {
        cli_print(cli, "the cluster has %d agents already; creel dev down removes the cluster", dev->agents);
        number = dev->agents;
    }
    *agents = (int)number;
    return EXIT_DONE;
}

/* --- start ----------------------------------------------------------------- */

static const char *name_of(int agent, char words[32])
{
    if (agent <= DEV_RM)
        return agent == DEV_WEB ? "creel-web" : "resource manager";
    snprintf(words, 32, "agent %d", agent);
    return words;
}

static int start_missing(struct cli *cli, const struct dev *dev, struct start *starts, struct err *err)
{
    for (int i = 0; i < dev_count(dev); i++) {
        struct start *start = &starts[i];
        struct dev_daemon daemon;
        char words[32];
        int agent = dev_nth(dev, i), r;

        dev_daemon_inspect(dev, agent, &daemon);
        *start = (struct start){ .agent = agent, .pid = daemon.pid };
        if (daemon.pid)
            continue;
        start->at_ms = loop_now_ms();
        r = dev_daemon_start(dev, agent, &start->pid, err);
        if (r < 0)
            return r;
        cli_print(cli, "%s starts on port %d, process %d", name_of(agent, words), daemon.ports[0],
                  (int)start->pid);
    }
    return 0;
}

/* --- ports used by other processes ------------------------------------------- */

static int renew_ports(struct cli *cli, const struct dev *dev, struct err *err)
{
    struct dev_port_change changes[1 + DEV_RM_PORTS + DEV_AGENTS_MAX];
    int count = dev_ports_renew(dev, changes, sizeof(changes) / sizeof(changes[0]), err);
    bool rm_moved = false;

    for (int i = 0; i < count; i++) {
        const struct dev_port_change *change = &changes[i];

        rm_moved |= change->agent == DEV_RM;
        if (change->agent == DEV_WEB)
            cli_print(cli, "port %d is in use%s%s: creel-web uses %d", change->from,
                      *change->owner ? " by " : "", change->owner, change->to);
        else if (change->agent > DEV_RM)
            cli_print(cli,
                      "port %d is in use%s%s: agent %d uses %d, as a new node; the containers of "
                      "the old node are lost when it expires",
                      change->from, *change->owner ? " by " : "", change->owner, change->agent, change->to);
        else
            cli_print(cli, "port %d is in use%s%s: the resource manager uses %d", change->from,
                      *change->owner ? " by " : "", change->owner, change->to);
    }
    for (int i = 1; rm_moved && i <= dev->agents; i++) {
        struct dev_daemon daemon;

        dev_daemon_inspect(dev, i, &daemon);
        if (!daemon.pid)
            continue;
        cli_print(cli, "agent %d is started again, to find the resource manager", i);
        dev_daemon_stop(dev, i);
    }
    return count < 0 ? count : 0;
}

/* --- readiness ------------------------------------------------------------- */

/* Returns whether the agent at PORT is usable, and has registered or sent a heartbeat since SINCE_MS. A node
 * may be in NODES without that, since it was there before the restart. */
static bool has_registered(const struct creel_nodes *nodes, int port, int64_t since_ms)
{
    scoped_free char *suffix = mem_printf(":%d", port);

    for (size_t i = 0; i < nodes->count; i++) {
        const struct creel_node *node = &nodes->items[i];

        if (text_has_suffix(node->id, suffix) && node->state != CREEL_NODE_LOST &&
            node->state != CREEL_NODE_UNHEALTHY && node->state != CREEL_NODE_DECOMMISSIONED &&
            (node->registered_ms >= since_ms || node->last_heartbeat_ms >= since_ms))
            return true;
    }
    return false;
}

static int ready_agents(const struct dev *dev, const struct start *starts, const struct creel_nodes *nodes)
{
    int ready = 0;

    for (int i = 1; i <= dev->agents; i++) {
        int ports[DEV_RM_PORTS];

        dev_ports_read(dev, i, ports);
        ready += has_registered(nodes, ports[0], starts[i].at_ms);
    }
    return ready;
}

static int ended_early(const struct dev *dev, struct err *err)
{
    for (int i = 0; i < dev_count(dev); i++) {
        struct dev_daemon daemon;
        char words[2200], name[32];
        int agent = dev_nth(dev, i);

        dev_daemon_inspect(dev, agent, &daemon);
        if (daemon.pid)
            continue;
        dev_daemon_last_words(dev, agent, words, sizeof(words));
        return err_set(err, ECHILD, "%s ended; %s", name_of(agent, name), words);
    }
    return 0;
}

static int not_ready(const struct dev *dev, const struct start *starts, const struct creel_nodes *nodes,
                     const char *why, struct err *err)
{
    char words[2200];

    for (int i = 1; nodes && i <= dev->agents; i++) {
        int ports[DEV_RM_PORTS];

        dev_ports_read(dev, i, ports);
        if (has_registered(nodes, ports[0], starts[i].at_ms))
            continue;
        dev_daemon_last_words(dev, i, words, sizeof(words));
        return err_set(err, ETIMEDOUT, "agent %d has not registered after %d s; %s", i, READY_MS / 1000,
                       words);
    }
    dev_daemon_last_words(dev, 0, words, sizeof(words));
    return err_set(err, ETIMEDOUT, "the resource manager does not answer after %d s (%s); %s",
                   READY_MS / 1000, why, words);
}

static int wait_ready(struct cli *cli, const struct dev *dev, const struct start *starts,
                      struct creel_client *client, struct dev_watch *watch, struct err *err)
{
    int64_t deadline_ms = loop_monotonic_ms() + READY_MS;
    int shown = -1;

    for (;;) {
        struct creel_error error = { 0 };
        struct creel_nodes *nodes = NULL;
        int r, ready = -1;

        if ((r = ended_early(dev, err)) < 0)
            return r;
        if (creel_node_list(client, NULL, &nodes, &error) == 0)
            ready = ready_agents(dev, starts, nodes);
        if (ready > shown && ready > 0)
            cli_print(cli, "%d of %d agents are ready", ready, dev->agents);
        shown = ready > shown ? ready : shown;
        r = ready != dev->agents && loop_monotonic_ms() >= deadline_ms
                ? not_ready(dev, starts, nodes, error.text, err)
                : 0;
        creel_nodes_free(nodes);
        if (ready == dev->agents || r < 0)
            return r;
        dev_watch_wait(watch, QUIET_MS);
    }
}

/* --- the command ----------------------------------------------------------- */

/* Allows only one `creel dev up` at a time on this machine, since ports are chosen before the daemons use
 * them. */
static int lock(struct err *err)
{
    int fd = open(LOCK_FILE, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

    if (fd < 0)
        return err_set_errno(err, errno, "%s: cannot be opened", LOCK_FILE);
    if (flock(fd, LOCK_EX) < 0) {
        close(fd);
        return err_set_errno(err, errno, "%s: cannot be locked", LOCK_FILE);
    }
    return fd;
}

static int bring_up(struct cli *cli, struct dev *dev, int agents, struct err *err)
{
    scoped_free char *conf = dev_path(dev, "conf");
    struct creel_options options = { .conf_dir = conf, .timeout_ms = 1000 };
    scoped_free struct start *starts = NULL;
    struct creel_client *client = NULL;
    struct dev_watch *watch;
    struct creel_error error = { 0 };
    scoped_fd int lock_fd = lock(err);
    int r;

    if (lock_fd < 0)
        return lock_fd;
    if ((r = dev_conf_make(dev, agents, cli->conf_dir, err)) < 0 || (r = renew_ports(cli, dev, err)) < 0)
        return r;
    starts = mem_array0((size_t)dev_count(dev), sizeof(*starts));
    if ((r = start_missing(cli, dev, starts, err)) < 0)
        return r;
    if ((r = creel_connect(&options, &client, &error)) < 0)
        return err_set(err, -r, "%s", error.text);
    watch = dev_watch_new(dev);
    r = wait_ready(cli, dev, starts, client, watch, err);
    dev_watch_free(watch);
    creel_disconnect(client);
    return r;
}

static void print_url(struct cli *cli, const struct dev *dev)
{
    scoped_free char *dir = dev_daemon_conf(dev, DEV_WEB);
    const char *scheme = "http";
    int ports[DEV_RM_PORTS];
    struct conf *conf;

    dev_ports_read(dev, DEV_WEB, ports);
    if (conf_load(dir, NULL, NULL, &conf, NULL) == 0) {
        if (!strcasecmp(conf_text(conf, CONF_WEB_POLICY), "HTTPS_ONLY"))
            scheme = "https";
        conf_free(conf);
    }
    cli_print(cli, "web pages: %s://127.0.0.1:%d", scheme, ports[0]);
}

static int print_ready(struct cli *cli, const struct dev *dev)
{
    if (cli->format_given)
        return dev_print_status(cli, dev);
    if (!strcmp(dev->dir, DEV_DEFAULT_DIR)) {
        cli_print(cli, "ready: try creel run -N 4 -- hostname; creel dev down ends it");
        print_url(cli, dev);
        return EXIT_DONE;
    }
    cli_print(cli,
              "ready: eval \"$(creel dev env --dir %s)\" points creel at it;\n"
              "creel dev down --dir %s ends it",
              dev->dir, dev->dir);
    print_url(cli, dev);
    return EXIT_DONE;
}

static int make_default_parent(const char *dir, struct err *err)
{
    if (dir)
        return 0;
    if (mkdir("/var/lib/creel", 0755) < 0 && errno != EEXIST)
        return err_set_errno(err, errno, "/var/lib/creel: cannot be made");
    return 0;
}

int cmd_dev_up(struct cli *cli)
{
    const char *dir = options_get(&cli->options, "dir");
    struct err err = { 0 };
    int agents = 0, code, r;
    scoped_fd int lock_fd = -1;
    struct dev dev;

    if (geteuid() != 0) {
        fputs("creel: dev up needs root, for control groups: sudo creel dev up\n", stderr);
        return EXIT_NOT_PERMITTED;
    }
    if (make_default_parent(dir, &err) < 0 || dev_open(dir, &dev, &err) < 0) {
        cli_fail_err(&err);
        return EXIT_FAILED;
    }
    lock_fd = dev_lock(&dev, &err);
    if (lock_fd < 0) {
        cli_fail_err(&err);
        dev_done(&dev);
        return EXIT_FAILED;
    }
    code = agents_wanted(cli, &dev, &agents);
    if (code == EXIT_DONE) {
        r = bring_up(cli, &dev, agents, &err);
        if (r == 0) {
            code = print_ready(cli, &dev);
        } else {
            cli_fail_err(&err);
            code = r == -EBADMSG ? EXIT_BAD_CONFIG : EXIT_FAILED;
        }
    }
    dev_done(&dev);
    return code;
}
