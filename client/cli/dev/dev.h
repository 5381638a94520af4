/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dev.h - `creel dev`: a complete cluster on this machine, for development
 *
 * All its files are below one directory, and its cgroups are named after that directory:
 *   DIR/creel-dev               marks the directory; directories without it are never removed
 *   DIR/conf, DIR/keys          configuration and certificates
 *   DIR/rm/{pid,log,state}      the resource manager
 *   DIR/web/{conf,pid,log}      creel-web
 *   DIR/agent-N/{conf,pid,log,state}    agents, from 1
 *   /creel-dev-HASH-N           cgroup of agent N; HASH is the directory's
 *   /run/creel-dev-HASH.lock    held by the command that makes or removes the cluster
 * A pid file has the process's id and start time, to detect a pid that was reused by another process.
 */
#ifndef CREEL_CLI_DEV_H
#define CREEL_CLI_DEV_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/err.h"
#include "common/conf/conf.h"

#define DEV_DEFAULT_DIR "/var/lib/creel/dev"
#define DEV_AGENTS_MAX 100
#define DEV_RM_PORTS 4 /* for clients, application masters, agents, administrators */

/* Daemons have numbers: agents theirs, and these. */
#define DEV_WEB (-1)
#define DEV_RM 0

struct dev {
    char *dir;       /* owned; absolute path of the cluster's directory */
    char cgroup[40]; /* "creel-dev-0123abcd"; agent N's has the suffix "-N" */
    int agents;      /* number of agents */
};

/* Its daemons: the resource manager, the agents, creel-web. */
int dev_count(const struct dev *dev);
int dev_nth(const struct dev *dev, int i);

/* Look at DIR (NULL: DEV_DEFAULT_DIR), which need not exist. */
int dev_open(const char *dir, struct dev *ret, struct err *err);
void dev_done(struct dev *dev);
bool dev_exists(const struct dev *dev); /* Returns whether the cluster was created */
/* Returns 0 if the directory does not exist or only this user can write it. -EPERM: another user could
 * have placed files or pid files that creel would run or kill with this user's rights. */
int dev_judge(const struct dev *dev, struct err *err);

/* Locks the cluster's directory, which need not exist, and counts the agents again: only one command may
 * make or remove a cluster at a time. Returns a descriptor; closing it unlocks. -EBUSY: another command
 * has the lock; ERR has its process id. */
int dev_lock(struct dev *dev, struct err *err);

/* Returns DIR/SUFFIX, malloc'ed. */
char *dev_path(const struct dev *dev, const char *format, ...)
    __attribute__((format(printf, 2, 3), returns_nonnull));

/* Replaces the file PATH by TEXT atomically; readable for all users. */
int dev_write_file(const char *path, const char *text, struct err *err);

/* --- configuration (dev_conf.c) -------------------------------------------- */

/* Makes keys and configuration for AGENTS agents. BASE_CONF (may be NULL) has properties of lower
 * precedence. Existing files stay. Ports: the default ports if free. */
int dev_conf_make(struct dev *dev, int agents, const char *base_conf, struct err *err);

/* --- ports (dev_ports.c) --------------------------------------------------- */

struct dev_ports {                                          /* for choosing */
    int taken[2 * (1 + DEV_RM_PORTS + 2 * DEV_AGENTS_MAX)]; /* by this cluster */
    int count;
    uint32_t next; /* next port to try if the default port is used */
};

/* The RM's addresses, in the order of struct dev_daemon's ports. */
extern const struct dev_rm_address {
    enum conf_key key;
    int usual;
} dev_rm_addresses[DEV_RM_PORTS];

/* The key of the K-th port of a daemon, and how many it has. */
enum conf_key dev_ports_key(int agent, int k);
int dev_ports_count(int agent);
/* Ports as configured. -1: unknown. */
void dev_ports_read(const struct dev *dev, int agent, int ports[DEV_RM_PORTS]);
/* Returns whether a daemon could listen on PORT. */
bool dev_ports_is_free(int port);
/* Initializes PORTS; all configured ports count as used. */
void dev_ports_init(struct dev_ports *ports, const struct dev *dev);
/* Returns USUAL if free, else another port, and marks it as used. */
int dev_ports_choose(struct dev_ports *ports, int usual);

/* --- other ports (dev_ports_renew.c) ---------------------------------------- */

struct dev_port_change {
    int agent, from, to;
    char owner[128]; /* who has FROM now; "" unknown */
};

/* Assigns new ports to stopped daemons whose ports other processes use now. Fills CHANGES and returns
 * their number; a negative errno if a file cannot be written. */
int dev_ports_renew(const struct dev *dev, struct dev_port_change *changes, size_t capacity, struct err *err);

/* --- processes (dev_daemon.c) ---------------------------------------------- */

enum dev_state { DEV_STOPPED, DEV_STARTING, DEV_RUNNING };

struct dev_daemon {
    int agent;
    pid_t pid; /* 0: stopped */
    enum dev_state state;
    char dir[256];
    int ports[DEV_RM_PORTS];
    int port_count;
};

void dev_daemon_inspect(const struct dev *dev, int agent, struct dev_daemon *ret);
/* Returns the configuration directory of the cluster in DEV_DEFAULT_DIR if its RM is running; malloc'ed;
 * else NULL. */
char *dev_running_conf_dir(void);
const char *dev_state_name(enum dev_state state);
const char *dev_role_name(int agent); /* "rm", "agent", "web" */
/* DIR/SUFFIX of a daemon, malloc'ed. */
char *dev_daemon_path(const struct dev *dev, int agent, const char *suffix);
/* Its configuration directory, malloc'ed. */
char *dev_daemon_conf(const struct dev *dev, int agent);
/* Start it detached, output to its log. */
int dev_daemon_start(const struct dev *dev, int agent, pid_t *pid, struct err *err);
/* Stops the daemon: SIGTERM, later SIGKILL. Returns when the process has ended. */
void dev_daemon_stop(const struct dev *dev, int agent);
/* Copies the last lines of the daemon's log, for error messages. */
void dev_daemon_last_words(const struct dev *dev, int agent, char *text, size_t size);

/* --- waiting (dev_watch.c) -------------------------------------------------- */

struct dev_watch; /* opaque */

/* Starts watching: any event from this call on ends the next dev_watch_wait, even if that is called later. */
struct dev_watch *dev_watch_new(const struct dev *dev);
void dev_watch_free(struct dev_watch *watch);
/* Waits until a daemon has written to its log or has ended, or for TIMEOUT_MS. */
void dev_watch_wait(struct dev_watch *watch, int timeout_ms);

struct cli;
/* cmd_dev.c: prints the daemons of DEV in the requested format. Returns an exit code. */
int dev_print_status(struct cli *cli, const struct dev *dev);

/* --- removal (dev_remove.c) ------------------------------------------------ */

/* Kills the shims and the processes in the cluster's cgroups, and removes the cgroups. */
int dev_remove_containers(const struct dev *dev, struct err *err);
/* Removes the directory. */
int dev_remove_directory(const struct dev *dev, struct err *err);

/* Returns the path of a creel program in the same directory as this one, malloc'ed; NULL: ERR has the
 * reason. */
char *dev_find_program(const char *name, struct err *err);

#endif
