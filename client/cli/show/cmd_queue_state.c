/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_queue_state.c - creel queue access, start, stop: permissions and state of queues */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/commands.h"
#include "client/cli/frame/listing.h"
#include "client/cli/show/show_queue.h"
#include "client/include/creel-admin.h"
#include "common/base/mem.h"
#include "common/base/text_builder.h"

/* --- access ---------------------------------------------------------------- */

static void access_lines(const void *item, const struct cli *cli)
{
    const struct creel_queue_access *access = item;
    scoped_text_builder struct text_builder groups = TEXT_BUILDER_MALLOC;

    (void)cli;
    for (const char *const *at = access->groups; *at; at++)
        text_builder_printf(&groups, "%s%s", groups.length > 0 ? ", " : "", *at);
    record_line("Queue", "%s", access->queue);
    record_line("User", "%s", access->user);
    record_line("Groups", "%s", text_builder_text(&groups));
    record_line("Submit", "%s: %s", access->may_submit ? "yes" : "no", access->submit_reason);
    if (access->may_administer || !access->administers_cluster)
        record_line("Administer", "%s: %s", access->may_administer ? "yes" : "no", access->administer_reason);
    else
        record_line("Administer", "yes: yarn.admin.acl permits it in all queues; %s",
                    access->administer_reason);
}

static void access_json(const void *item, struct json_writer *json)
{
    const struct creel_queue_access *access = item;

    json_text(json, "queue", access->queue);
    json_text(json, "user", access->user);
    json_begin_array(json, "groups");
    for (const char *const *at = access->groups; *at; at++)
        json_text(json, NULL, *at);
    json_end_array(json);
    json_bool(json, "maySubmit", access->may_submit);
    json_text_if(json, "submitReason", access->submit_reason);
    json_bool(json, "mayAdminister", access->may_administer);
    json_text_if(json, "administerReason", access->administer_reason);
    json_bool(json, "administersCluster", access->administers_cluster);
}

static const struct record access_record = {
    .kind = "QueueAccessList",
    .lines = access_lines,
    .json = access_json,
};

int cmd_queue_access(struct cli *cli)
{
    struct creel_queue_access *access;
    struct creel_error error;
    int code;

    if (cli->options.argument_count != 1)
        return cli_usage(cli, "which queue? creel queue access QUEUE [--user USER]");
    if (!cli_client(cli, &code))
        return code;
    if (creel_queue_access_get(cli->client, cli->options.arguments[0], options_get(&cli->options, "user"),
                               &access, &error) < 0)
        return cli_fail(&error);
    code = record_print(cli, &access_record, access);
    creel_queue_access_free(access);
    return code;
}

/* --- start and stop -------------------------------------------------------- */

static int print_state(struct cli *cli, const char *queue)
{
    struct creel_queues *queues;
    struct creel_error error;

    int code = EXIT_DONE;

    if (creel_queue_list(cli->client, queue, &queues, &error) < 0)
        return cli_fail(&error);
    if (cli->format_given)
        code = show_queues(cli, queues);
    else
        cli_print(cli, "%s: %s", queues->items[0].path, queues->items[0].state);
    creel_queues_free(queues);
    return code;
}

/* Waits for the end of one application of QUEUE. Returns 1; 0 if the queue has no running application. */
static int wait_for_one(struct cli *cli, const char *queue, struct creel_error *error)
{
    static const enum creel_app_state live[] = {
        CREEL_APP_NEW, CREEL_APP_NEW_SAVING, CREEL_APP_SUBMITTED, CREEL_APP_ACCEPTED, CREEL_APP_RUNNING,
    };
    const char *queues[] = { queue, NULL };
    struct creel_app_filter filter = {
        .states = live,
        .state_count = sizeof(live) / sizeof(live[0]),
        .queues = queues,
        .no_long_commands = true,
    };
    struct creel_apps *apps = NULL, *over = NULL;
    int r = creel_app_list(cli->client, &filter, &apps, error), found = 0;

    if (r == 0 && apps->count > 0) {
        found = 1;
        cli_print(cli, "%zu application%s to wait for", apps->count, apps->count == 1 ? "" : "s");
        r = creel_app_wait(cli->client, apps->items[0].id, CREEL_WAIT_FINISHED, -1, &over, error);
        if (r == -ENOENT) /* deleted meanwhile */
            r = 0;
    }
    creel_apps_free(over);
    creel_apps_free(apps);
    return r < 0 ? r : found;
}

static int set_running(struct cli *cli, const char *verb, bool running)
{
    const char *queue = cli->options.argument_count == 1 ? cli->options.arguments[0] : NULL;
    struct creel_error error;
    int code, r;

    if (!queue)
        return cli_usage(cli, "which queue? creel queue %s QUEUE", verb);
    if (!cli_client(cli, &code))
        return code;
    if (creel_queue_set_running(cli->client, queue, running, &error) < 0)
        return cli_fail(&error);
    while (!running && options_has(&cli->options, "drain") && (r = wait_for_one(cli, queue, &error)) != 0) {
        if (r < 0)
            return cli_fail(&error);
    }
    return print_state(cli, queue);
}

int cmd_queue_start(struct cli *cli)
{
    return set_running(cli, "start", true);
}

int cmd_queue_stop(struct cli *cli)
{
    return set_running(cli, "stop", false);
}
