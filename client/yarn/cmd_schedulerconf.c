/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_schedulerconf.c - yarn schedulerconf: reads and changes the configuration of queues */
#include <errno.h>

#include "client/include/creel-admin.h"
#include "client/yarn/conf_arguments.h"
#include "client/yarn/print.h"
#include "client/yarn/yarn.h"
#include "common/base/text.h"

#define GET_FAILED "Failed to get scheduler configuration"

#define QUEUES "queue1:key1=val1,key2=val2;queue2"

const struct yarn_option schedulerconf_options[] = {
    { "add", QUEUES, false, "Adds queues with these properties." },
    { "addQueues", QUEUES, false, "The same as -add." },
    { "format", NULL, false, "Discards all changes: capacity-scheduler.xml alone counts." },
    { "formatConfig", NULL, false, "The same as -format." },
    { "getConf", NULL, false, "The same as -getconf." },
    { "getconf", NULL, false, "Prints the properties in force, as XML." },
    { "global", "key1=val1,key2=val2", false, "Sets properties of the scheduler, by their whole names." },
    { "globalUpdates", "key1=val1,key2=val2", false, "The same as -global." },
    { "h", NULL, false, "The same as -help." },
    { "help", NULL, false, "Displays help for all commands." },
    { "remove", "queue1;queue2", false, "Removes queues, which must be stopped." },
    { "removeQueues", "queue1;queue2", false, "The same as -remove." },
    { "update", QUEUES, false, "Sets properties of queues." },
    { "updateQueues", QUEUES, false, "The same as -update." },
    { 0 },
};

/* YARN's sentences where queues are configured in files alone; the second with the class of the scheduler. */
#define CHANGE_NOT_SUPPORTED "Configuration change only supported by MutableConfScheduler."
#define GET_NOT_SUPPORTED \
    "This API only supports to retrieve scheduler configuration from a mutable-conf scheduler, " \
    "underneath scheduler %s is not an instance of MutableConfScheduler"

/* Returns the name of YARN's class of the scheduler. */
static const char *scheduler_class(struct yarn *yarn)
{
    const char *class = "CapacityScheduler";
    struct creel_cluster *cluster;
    struct creel_error error;

    if (creel_cluster_info(yarn->client, &cluster, &error) < 0)
        return class;
    if (text_equal(cluster->scheduler, "fair"))
        class = "FairScheduler";
    else if (text_equal(cluster->scheduler, "fifo"))
        class = "FifoScheduler";
    creel_cluster_free(cluster);
    return class;
}

/* Prints MESSAGE, YARN's sentence and the error, which names what to do. */
static int not_mutable(struct yarn *yarn, const char *message, bool reads, const struct creel_error *error)
{
    fprintf(stderr, "%s: ", message);
    if (reads)
        fprintf(stderr, GET_NOT_SUPPORTED, scheduler_class(yarn));
    else
        fputs(CHANGE_NOT_SUPPORTED, stderr);
    fprintf(stderr, " (%s)\n", error->text);
    return YARN_REFUSED;
}

/* Prints MESSAGE and the error. Returns YARN_FAILED if the resource manager does not answer, else
 * YARN_REFUSED (-1 in YARN). */
static int failed(struct yarn *yarn, const char *message, const struct creel_error *error)
{
    bool invalid = error->code == EBADMSG;

    if (error->code == EHOSTUNREACH)
        return yarn_fail(error);
    if (error->code == EOPNOTSUPP)
        return not_mutable(yarn, message, text_equal(message, GET_FAILED), error);
    fprintf(stderr, "%s: %s%s\n", message, invalid ? "Failed to re-init queues : " : "", error->text);
    return YARN_REFUSED;
}

/* Returns the value of the option NAME or LONGER; NULL if neither was given. */
static const char *value_of(const struct yarn_options *options, const char *name, const char *longer)
{
    const char *value = yarn_options_get(options, name);

    return value != NULL ? value : yarn_options_get(options, longer);
}

static int print_conf(struct yarn *yarn)
{
    struct creel_scheduler_conf *conf;
    struct creel_error error;

    if (creel_scheduler_conf_get(yarn->client, &conf, &error) < 0)
        return failed(yarn, GET_FAILED, &error);
    print_properties(stdout, conf->entries, conf->count);
    creel_scheduler_conf_free(conf);
    return YARN_DONE;
}

static int format_conf(struct yarn *yarn)
{
    struct creel_error error;
    uint64_t version;

    if (creel_conf_roll_back(yarn->client, 1, &version, &error) < 0)
        return failed(yarn, "Failed to format scheduler configuration", &error);
    puts("Configuration under store successfully formatted.");
    return YARN_DONE;
}

/* --- changes ----------------------------------------------------------------------- */

/* Reads the options in the order in which YARN applies them. */
static int read_edits(const struct yarn_options *options, struct conf_edits *edits, struct err *err)
{
    const char *removed = value_of(options, "remove", "removeQueues");
    const char *added = value_of(options, "add", "addQueues");
    const char *updated = value_of(options, "update", "updateQueues");
    const char *global = value_of(options, "global", "globalUpdates");
    int r = 0;

    if (removed != NULL)
        conf_arguments_removed(edits, removed);
    if (added != NULL)
        r = conf_arguments_queues(edits, CREEL_CONF_ADD_QUEUE, added, err);
    if (r == 0 && updated != NULL)
        r = conf_arguments_queues(edits, CREEL_CONF_SET_QUEUE, updated, err);
    if (r == 0 && global != NULL)
        r = conf_arguments_global(edits, global, err);
    return r;
}

static int send_edits(struct yarn *yarn, const struct conf_edits *edits)
{
    struct creel_scheduler_conf *conf;
    struct creel_error error;

    if (creel_scheduler_conf_change(yarn->client, edits->items, edits->count, false, &conf, &error) < 0)
        return failed(yarn, "Configuration change unsuccessful", &error);
    for (const char *const *at = conf->warnings; *at != NULL; at++)
        fprintf(stderr, "yarn: warning: %s\n", *at);
    creel_scheduler_conf_free(conf);
    puts("Configuration changed successfully.");
    return YARN_DONE;
}

static int change(struct yarn *yarn)
{
    struct conf_edits edits = { 0 };
    struct err err = { 0 };
    int code;

    if (read_edits(&yarn->options, &edits, &err) < 0)
        code = yarn_error(YARN_REFUSED, "%s", err.text);
    else if (edits.count == 0)
        code = yarn_usage(yarn);
    else
        code = yarn_client(yarn) != NULL ? send_edits(yarn, &edits) : YARN_FAILED;
    conf_edits_done(&edits);
    return code;
}

int run_schedulerconf(struct yarn *yarn)
{
    const struct yarn_options *options = &yarn->options;
    bool format = value_of(options, "format", "formatConfig") != NULL;

    if (yarn_options_has(options, "h")) {
        yarn_options_usage(stdout, yarn->command->name, yarn->command->options);
        return YARN_DONE;
    }
    if (options->argument_count > 0)
        return yarn_usage(yarn);
    if (!format && value_of(options, "getconf", "getConf") == NULL)
        return change(yarn);
    if (yarn_client(yarn) == NULL)
        return YARN_FAILED;
    return format ? format_conf(yarn) : print_conf(yarn);
}
