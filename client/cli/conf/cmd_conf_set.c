/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_conf_set.c - creel conf set: changes properties of queues and of the capacity scheduler */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/commands.h"
#include "client/cli/conf/cmd_conf.h"
#include "client/cli/conf/conf_edits.h"
#include "client/include/creel-admin.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/schedconf/schedconf.h"

const struct option_spec conf_set_options[] = {
    { 0, "add-queue", "QUEUE", "add the queue with this path; may be repeated" },
    { 0, "remove-queue", "QUEUE", "remove this queue, which must be stopped and empty; may be repeated" },
    { 0, "validate", NULL, "check only; change nothing" },
    { 0 },
};

const char conf_set_help[] =
    "Changes properties of the capacity scheduler, all of them or none. The change makes a version over the\n"
    "files (creel conf versions), and is applied as a refresh is. QUEUE is a path or the last part of it.\n"
    "A property of the scheduler has no queue (maximum-applications=5000). An empty VALUE removes a\n"
    "property. Queues are removed first, then added; the properties of a new queue are set with it.\n"
    "Exits with 7, and nothing is changed, if the queues would be invalid. The resource manager needs\n"
    "yarn.scheduler.configuration.store.class with another value than file.\n\n"
    "examples:\n"
    "  creel conf set root.dev.maximum-capacity=60 root.dev.user-limit-factor=2\n"
    "  creel conf set --add-queue root.lab root.lab.capacity=10 root.dev.capacity=30\n"
    "  creel conf set --validate --remove-queue root.lab dev.capacity=40\n";

/* --- edits ------------------------------------------------------------------------ */

/* The paths of the queues that assignments may name. */
struct paths {
    const char **items; /* owned; the texts are borrowed */
    size_t count;
};

/* Adds an edit of KIND for each queue that the option NAME gives. Adds these queues to PATHS, unless PATHS is
 * NULL. */
static void add_queue_edits(const struct options *options, const char *name, enum creel_conf_edit_kind kind,
                            struct paths *paths, struct conf_edits *edits)
{
    for (size_t i = 0; i < options->count; i++) {
        const struct option_value *value = &options->items[i];

        if (!text_equal(value->spec->name, name))
            continue;
        conf_edits_add(edits, kind, value->value);
        if (paths != NULL)
            paths->items[paths->count++] = value->value;
    }
}

static int add_assignments(const struct options *options, const struct creel_queues *queues,
                           struct conf_edits *edits, struct err *err)
{
    scoped_free const char **items = mem_array0(queues->count + options->count + 1, sizeof(*items));
    struct paths paths = { items, 0 };
    int r = 0;

    for (size_t i = 0; i < queues->count; i++)
        paths.items[paths.count++] = queues->items[i].path;
    add_queue_edits(options, "add-queue", CREEL_CONF_ADD_QUEUE, &paths, edits);
    for (size_t i = 0; i < options->argument_count && r == 0; i++)
        r = conf_edits_assign(edits, options->arguments[i], paths.items, paths.count, err);
    return r;
}

/* Refuses keys of queues that do not exist. (YARN, and creel over REST, accept them; they have no effect.) */
static int refuse_other_queues(const struct conf_edits *edits, struct err *err)
{
    for (size_t i = 0; i < edits->count; i++) {
        const struct creel_conf_edit *edit = &edits->items[i];

        for (size_t s = 0; s < edit->setting_count && edit->queue != NULL; s++) {
            const char *key = edit->settings[s].key, *found = schedconf_key_of_other_queue(key);

            if (found != NULL && *edit->settings[s].value != '\0')
                return err_set(err, ENOENT,
                               "there is no queue %s.%.*s: creel queue list has their names, and --add-queue "
                               "makes one",
                               edit->queue, (int)(found - key - 1), key);
        }
    }
    return 0;
}

/* Reads the command line. Returns an exit code. */
static int read_edits(struct cli *cli, struct conf_edits *edits)
{
    struct creel_queues none = { 0 }, *queues = NULL;
    struct creel_error error;
    struct err err = { 0 };
    int r;

    if (cli->options.argument_count > 0 && creel_queue_list(cli->client, NULL, &queues, &error) < 0)
        return cli_fail(&error);
    add_queue_edits(&cli->options, "remove-queue", CREEL_CONF_REMOVE_QUEUE, NULL, edits);
    r = add_assignments(&cli->options, queues != NULL ? queues : &none, edits, &err);
    creel_queues_free(queues);
    if (r == 0)
        r = refuse_other_queues(edits, &err);
    return r < 0 ? cli_fail_err(&err) : EXIT_DONE;
}

/* --- the answer ------------------------------------------------------------------- */

static int report(struct cli *cli, bool validate, const struct creel_scheduler_conf *conf)
{
    if (cli->format_given && validate)
        return conf_print_warnings(cli, conf->warnings);
    for (const char *const *at = conf->warnings; *at != NULL; at++)
        fprintf(stderr, "creel: warning: %s\n", *at);
    if (cli->format_given)
        return conf_print_version(cli);
    if (validate)
        cli_print(cli, "valid; nothing is changed");
    else
        cli_print(cli, "version %" PRIu64 " is in force", conf->version);
    return EXIT_DONE;
}

static int change(struct cli *cli, const struct conf_edits *edits)
{
    bool validate = options_has(&cli->options, "validate");
    struct creel_scheduler_conf *conf;
    struct creel_error error;
    int code;

    if (creel_scheduler_conf_change(cli->client, edits->items, edits->count, validate, &conf, &error) < 0)
        return cli_fail(&error);
    code = report(cli, validate, conf);
    creel_scheduler_conf_free(conf);
    return code;
}

int cmd_conf_set(struct cli *cli)
{
    const struct options *options = &cli->options;
    struct conf_edits edits = { 0 };
    int code;

    if (options->argument_count == 0 && !options_has(options, "add-queue") &&
        !options_has(options, "remove-queue"))
        return cli_usage(cli, "which property? creel conf set QUEUE.KEY=VALUE");
    for (size_t i = 0; i < options->argument_count; i++)
        if (strchr(options->arguments[i], '=') == NULL)
            return cli_usage(cli, "%s: expected QUEUE.KEY=VALUE", options->arguments[i]);
    if (!cli_client(cli, &code))
        return code;
    code = read_edits(cli, &edits);
    if (code == EXIT_DONE)
        code = change(cli, &edits);
    conf_edits_done(&edits);
    return code;
}
