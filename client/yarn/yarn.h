/* SPDX-License-Identifier: Apache-2.0 */
/*
 * yarn.h - creel-yarn, which answers the command lines of Hadoop's yarn: context of a command, its errors
 *
 * Results, and messages that YARN prints on standard output, are printed on standard output; errors on
 * standard error. The exit codes are YARN's.
 */
#ifndef CREEL_YARN_YARN_H
#define CREEL_YARN_YARN_H

#include "client/include/creel.h"
#include "client/yarn/options.h"

enum yarn_exit {
    YARN_DONE = 0,
    YARN_FAILED = 1,   /* the resource manager refused, or does not answer: YARN ends with an exception */
    YARN_REFUSED = 255 /* YARN returns -1: wrong usage, or an object is not found */
};

struct yarn;
struct conf;

struct yarn_command {
    const char *name;
    int (*run)(struct yarn *yarn);
    const struct yarn_option *options; /* NULL: the words after the command are in yarn->words */
    const char *instead;               /* set if RUN is NULL: why creel lacks the command, and what to use */
};

struct yarn {
    const struct yarn_command *command;
    struct yarn_options options;
    const char *const *words; /* all words after the command; end with NULL */
    const char *conf_dir;     /* of --config; NULL: not given */
    struct creel_client *client;
};

extern const struct yarn_option application_options[], attempt_options[], container_options[], node_options[],
    queue_options[], logs_options[], cluster_options[], schedulerconf_options[], top_options[];
int run_application(struct yarn *yarn);
int run_attempt(struct yarn *yarn);
int run_container(struct yarn *yarn);
int run_node(struct yarn *yarn);
int run_queue(struct yarn *yarn);
int run_logs(struct yarn *yarn);
int run_cluster(struct yarn *yarn);
int run_rmadmin(struct yarn *yarn);
int run_schedulerconf(struct yarn *yarn);
int run_top(struct yarn *yarn);

/* Returns the client, connected on first use; NULL after printing an error. */
struct creel_client *yarn_client(struct yarn *yarn);

/* Returns the configuration, which the caller frees with conf_free; NULL if it cannot be read. */
struct conf *yarn_load_conf(const struct yarn *yarn);
/* Returns whether agents serve HTTPS, by yarn.http.policy on this host. */
bool yarn_is_secure(const struct yarn *yarn);

/* Prints the error on standard error, each line after "yarn: ". Returns YARN_FAILED. */
int yarn_fail(const struct creel_error *error);
/* Prints "yarn: ..." on standard error and returns CODE. */
int yarn_error(enum yarn_exit code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints the usage of the command on standard error and returns YARN_REFUSED. */
int yarn_usage(const struct yarn *yarn);

/* Fetches the application with the whole id ID. Returns false after an error, which is printed; *CODE is the
 * exit code. */
bool yarn_find_app(struct yarn *yarn, const char *id, struct creel_apps **ret, int *code);

#endif
