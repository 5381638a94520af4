/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_application.c - yarn application: lists, shows, kills and changes applications */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "client/yarn/app_select.h"
#include "client/yarn/format.h"
#include "client/yarn/print.h"
#include "client/yarn/yarn.h"
#include "common/base/mem.h"
#include "common/base/text.h"

const struct yarn_option application_options[] = {
    { "appId", "Application ID", false,
      "The application of -changeQueue, -updatePriority and -updateLifetime." },
    { "appStates", "States", true, "With -list: of these states, separated by commas; ALL for all." },
    { "appTags", "Tags", true, "With -list: with one of these tags, separated by commas." },
    { "appTypes", "Types", true, "With -list: of these types, separated by commas." },
    { "changeQueue", "Queue Name", false, "Moves the application of -appId to another queue." },
    { "help", NULL, false, "Displays help for all commands." },
    { "kill", "Application ID", true, "Kills applications, separated by blanks." },
    { "list", NULL, false, "Lists applications." },
    { "movetoqueue", "Application ID", false, "Moves the application to the queue of -queue." },
    { "queue", "Queue Name", false, "The queue of -movetoqueue." },
    { "status", "Application ID", false, "Prints the status of the application." },
    { "updateLifetime", "Timeout", false,
      "Sets the lifetime of the application of -appId, in seconds from now." },
    { "updatePriority", "Priority", false, "Sets the priority of the application of -appId." },
    { 0 },
};

/* --- list -------------------------------------------------------------------- */

static int refuse_state(const char *word)
{
    printf("The application state %s is invalid.\n"
           "The valid application state can be one of the following: ALL",
           word);
    for (int state = CREEL_APP_NEW; state <= CREEL_APP_KILLED; state++)
        printf(",%s", creel_app_state_name((enum creel_app_state)state));
    putchar('\n');
    return YARN_REFUSED;
}

static void show_list(const struct app_select *select, const struct creel_apps *apps)
{
    scoped_free const struct creel_app **chosen = mem_array0(apps->count + 1, sizeof(*chosen));
    struct print_app_list list = {
        .types = select->types,
        .tags = select->tags,
        .states = select->states_text,
        .apps = chosen,
    };

    for (size_t i = 0; i < apps->count; i++)
        if (app_select_has(select, &apps->items[i]))
            chosen[list.count++] = &apps->items[i];
    print_app_list(stdout, &list);
}

static int list_apps(struct yarn *yarn, const struct app_select *select)
{
    struct creel_app_filter filter = {
        .states = select->states,
        .state_count = select->state_count,
        .tasks = true,
        .no_long_commands = true,
    };
    struct creel_apps *apps;
    struct creel_error error;

    if (yarn_client(yarn) == NULL)
        return YARN_FAILED;
    if (creel_app_list(yarn->client, &filter, &apps, &error) < 0)
        return yarn_fail(&error);
    show_list(select, apps);
    creel_apps_free(apps);
    return YARN_DONE;
}

static int run_list(struct yarn *yarn)
{
    struct app_select select;
    int code =
        app_select_read(&yarn->options, &select) < 0 ? refuse_state(select.wrong) : list_apps(yarn, &select);

    app_select_done(&select);
    return code;
}

/* --- status ------------------------------------------------------------------- */

static int run_status(struct yarn *yarn)
{
    struct creel_cluster *cluster;
    struct creel_apps *apps;
    struct creel_error error;
    int code;

    if (!yarn_find_app(yarn, yarn_options_get(&yarn->options, "status"), &apps, &code))
        return code;
    if (creel_cluster_info(yarn->client, &cluster, &error) < 0) {
        code = yarn_fail(&error);
    } else {
        print_app(stdout, &apps->items[0], cluster->now_ms);
        creel_cluster_free(cluster);
        code = YARN_DONE;
    }
    creel_apps_free(apps);
    return code;
}

/* --- kill ----------------------------------------------------------------------- */

/* Kills one application and waits until it is over, as YARN does. */
static int kill_app(struct yarn *yarn, const char *id)
{
    struct creel_apps *apps;
    struct creel_error error;
    int code;

    if (!yarn_find_app(yarn, id, &apps, &code))
        return code;
    if (creel_app_is_over(&apps->items[0])) {
        printf("Application %s has already finished \n", id);
        creel_apps_free(apps);
        return YARN_DONE;
    }
    creel_apps_free(apps);
    printf("Killing application %s\n", id);
    fflush(stdout);
    if (creel_app_kill(yarn->client, id, NULL, &error) < 0 && error.code != EBUSY)
        return yarn_fail(&error);
    if (creel_app_wait(yarn->client, id, CREEL_WAIT_FINISHED, -1, &apps, &error) < 0)
        return yarn_fail(&error);
    creel_apps_free(apps);
    return YARN_DONE;
}

/* Kills all named applications. Continues after one that does not exist, and stops after other failures.
 * Succeeds if at least one exists. */
static int run_kill(struct yarn *yarn)
{
    int result = YARN_REFUSED;

    for (size_t i = 0; i < yarn->options.count; i++) {
        const struct yarn_value *value = &yarn->options.items[i];
        int code;

        if (value->option == NULL || strcmp(value->option->name, "kill") != 0)
            continue;
        code = kill_app(yarn, value->text);
        if (code == YARN_FAILED)
            return code;
        if (code == YARN_DONE)
            result = code;
    }
    return result;
}

/* --- changes --------------------------------------------------------------------- */

static int move_app(struct yarn *yarn, const char *id, const char *queue)
{
    struct creel_apps *apps;
    struct creel_error error;
    bool is_over;
    int code;

    if (!yarn_find_app(yarn, id, &apps, &code))
        return code;
    is_over = creel_app_is_over(&apps->items[0]);
    creel_apps_free(apps);
    if (is_over) {
        printf("Application %s has already finished \n", id);
        return YARN_DONE;
    }
    printf("Moving application %s to queue %s\n", id, queue);
    fflush(stdout);
    if (creel_app_move(yarn->client, id, queue, &apps, &error) < 0)
        return yarn_fail(&error);
    creel_apps_free(apps);
    puts("Successfully completed move.");
    return YARN_DONE;
}

static int run_move(struct yarn *yarn)
{
    const char *queue = yarn_options_get(&yarn->options, "queue");

    return queue != NULL ? move_app(yarn, yarn_options_get(&yarn->options, "movetoqueue"), queue)
                         : yarn_usage(yarn);
}

static int run_change_queue(struct yarn *yarn)
{
    const char *id = yarn_options_get(&yarn->options, "appId");

    return id != NULL ? move_app(yarn, id, yarn_options_get(&yarn->options, "changeQueue"))
                      : yarn_usage(yarn);
}

static int run_priority(struct yarn *yarn)
{
    const char *id = yarn_options_get(&yarn->options, "appId");
    const char *text = yarn_options_get(&yarn->options, "updatePriority");
    struct creel_apps *apps;
    struct creel_error error;
    int64_t priority;
    int code;

    if (id == NULL)
        return yarn_usage(yarn);
    if (!text_parse_int64(text, &priority) || priority < INT32_MIN || priority > INT32_MAX)
        return yarn_error(YARN_FAILED, "-updatePriority %s: expected a whole number", text);
    if (!yarn_find_app(yarn, id, &apps, &code))
        return code;
    if (!creel_app_is_over(&apps->items[0])) {
        creel_apps_free(apps);
        printf("Updating priority of an application %s\n", id);
        fflush(stdout);
        if (creel_app_set_priority(yarn->client, id, (int)priority, &apps, &error) < 0)
            return yarn_fail(&error);
    }
    if (apps->items[0].priority == (int)priority)
        printf("Successfully updated the application %s with priority '%s'\n", id, text);
    else
        printf("Updated priority of an application  %s to cluster max priority OR keeping old priority as "
               "application is in final states\n",
               id);
    creel_apps_free(apps);
    return YARN_DONE;
}

static int set_lifetime(struct yarn *yarn, const char *id, int64_t seconds)
{
    struct creel_cluster *cluster;
    struct creel_apps *apps;
    struct creel_error error;
    char expiry[FORMAT_MAX];
    int64_t expires_ms;

    printf("Updating timeout for given timeoutType: LIFETIME of an application %s\n", id);
    fflush(stdout);
    if (creel_cluster_info(yarn->client, &cluster, &error) < 0)
        return yarn_fail(&error);
    expires_ms = cluster->now_ms + seconds * 1000;
    creel_cluster_free(cluster);
    if (creel_app_set_expiry(yarn->client, id, expires_ms, &apps, &error) < 0)
        return yarn_fail(&error);
    if (apps->items[0].expires_ms == expires_ms)
        printf("Successfully updated LIFETIME of an application %s. New expiry time is %s\n", id,
               format_iso(expires_ms, expiry));
    else
        printf(
            "Updated lifetime of an application  %s to queue max/default lifetime. New expiry time is %s\n",
            id, apps->items[0].expires_ms > 0 ? format_iso(apps->items[0].expires_ms, expiry) : "UNLIMITED");
    creel_apps_free(apps);
    return YARN_DONE;
}

static int run_lifetime(struct yarn *yarn)
{
    const char *id = yarn_options_get(&yarn->options, "appId");
    const char *text = yarn_options_get(&yarn->options, "updateLifetime");
    struct creel_apps *apps;
    int64_t seconds;
    int code;

    if (id == NULL)
        return yarn_usage(yarn);
    if (!text_parse_int64(text, &seconds) || seconds <= 0 || seconds > INT32_MAX)
        return yarn_error(YARN_FAILED, "-updateLifetime %s: expected a number of seconds", text);
    if (!yarn_find_app(yarn, id, &apps, &code))
        return code;
    creel_apps_free(apps);
    return set_lifetime(yarn, id, seconds);
}

/* --- command ------------------------------------------------------------------------ */

int run_application(struct yarn *yarn)
{
    static const struct {
        const char *option;
        int (*run)(struct yarn *yarn);
    } actions[] = {
        { "status", run_status },
        { "list", run_list },
        { "kill", run_kill },
        { "movetoqueue", run_move },
        { "changeQueue", run_change_queue },
        { "updatePriority", run_priority },
        { "updateLifetime", run_lifetime },
    };

    for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
        if (yarn_options_has(&yarn->options, actions[i].option) && yarn->options.argument_count == 0)
            return actions[i].run(yarn);
    return yarn_usage(yarn);
}
