/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_container.c - yarn applicationattempt and yarn container */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "client/yarn/print.h"
#include "client/yarn/yarn.h"
#include "common/base/id.h"

const struct yarn_option attempt_options[] = {
    { "help", NULL, false, "Displays help for all commands." },
    { "list", "Application ID", false, "Lists the attempts of the application." },
    { "status", "Application Attempt ID", false, "Prints the status of the attempt." },
    { 0 },
};

const struct yarn_option container_options[] = {
    { "help", NULL, false, "Displays help for all commands." },
    { "list", "Application Attempt ID", false, "Lists the containers of the attempt." },
    { "signal", "container ID [signal command]", true,
      "Sends OUTPUT_THREAD_DUMP (QUIT), GRACEFUL_SHUTDOWN (TERM) or FORCEFUL_SHUTDOWN (KILL)." },
    { "status", "Container ID", false, "Prints the status of the container." },
    { 0 },
};

/* --- attempts ---------------------------------------------------------------- */

/* An application and all its containers. */
struct found {
    struct creel_apps *apps;
    struct creel_containers *containers;
};

static bool find(struct yarn *yarn, const char *app_id, struct found *found, int *code)
{
    struct creel_error error;

    *found = (struct found){ 0 };
    if (!yarn_find_app(yarn, app_id, &found->apps, code))
        return false;
    if (creel_container_list(yarn->client, app_id, NULL, NULL, false, &found->containers, &error) == 0)
        return true;
    *code = yarn_fail(&error);
    creel_apps_free(found->apps);
    return false;
}

static void found_done(struct found *found)
{
    creel_containers_free(found->containers);
    creel_apps_free(found->apps);
}

/* Finds the application of the attempt TEXT, and the number of the attempt. */
static bool find_attempt(struct yarn *yarn, const char *text, struct found *found, uint32_t *number,
                         int *code)
{
    struct attempt_id id;
    char app_id[ID_TEXT_MAX];

    if (!attempt_id_parse(text, &id)) {
        *code = yarn_error(YARN_FAILED, "Invalid ApplicationAttemptId: %s", text);
        return false;
    }
    if (!find(yarn, app_id_format(&id.app, app_id), found, code))
        return false;
    *number = id.attempt;
    if (id.attempt >= 1 && id.attempt <= found->apps->items[0].attempt)
        return true;
    printf("Application Attempt with id '%s' doesn't exist in RM or Timeline Server.\n", text);
    found_done(found);
    *code = YARN_REFUSED;
    return false;
}

int run_attempt(struct yarn *yarn)
{
    const char *app_id = yarn_options_get(&yarn->options, "list");
    const char *attempt = yarn_options_get(&yarn->options, "status");
    struct found found;
    uint32_t number;
    int code;

    if ((app_id == NULL) == (attempt == NULL) || yarn->options.argument_count > 0)
        return yarn_usage(yarn);
    if (app_id != NULL) {
        if (!find(yarn, app_id, &found, &code))
            return code;
        print_attempt_list(stdout, &found.apps->items[0], found.containers);
    } else {
        if (!find_attempt(yarn, attempt, &found, &number, &code))
            return code;
        print_attempt(stdout, &found.apps->items[0], number, found.containers);
    }
    found_done(&found);
    return YARN_DONE;
}

/* --- containers --------------------------------------------------------------- */

static int list_containers(struct yarn *yarn, const char *attempt)
{
    struct creel_nodes *nodes;
    struct creel_error error;
    struct found found;
    uint32_t number;
    int code;

    if (!find_attempt(yarn, attempt, &found, &number, &code))
        return code;
    if (creel_node_list(yarn->client, NULL, &nodes, &error) < 0) {
        code = yarn_fail(&error);
    } else {
        print_container_list(stdout, found.containers, number, nodes, yarn_is_secure(yarn));
        creel_nodes_free(nodes);
        code = YARN_DONE;
    }
    found_done(&found);
    return code;
}

static bool find_container(struct yarn *yarn, const char *id, struct creel_containers **ret, int *code)
{
    struct container_id parsed;
    struct creel_error error;

    *code = YARN_FAILED;
    if (!container_id_parse(id, &parsed)) {
        yarn_error(YARN_FAILED, "Invalid ContainerId: %s", id);
        return false;
    }
    if (yarn_client(yarn) == NULL)
        return false;
    if (creel_container_list(yarn->client, NULL, NULL, id, false, ret, &error) == 0)
        return true;
    if (error.code != ENOENT) {
        *code = yarn_fail(&error);
        return false;
    }
    printf("Container with id '%s' doesn't exist in RM or Timeline Server.\n", id);
    *code = YARN_REFUSED;
    return false;
}

static int show_container(struct yarn *yarn, const char *id)
{
    struct creel_containers *containers;
    struct creel_nodes *nodes;
    struct creel_error error;
    int code;

    if (!find_container(yarn, id, &containers, &code))
        return code;
    if (creel_node_list(yarn->client, NULL, &nodes, &error) < 0) {
        code = yarn_fail(&error);
    } else {
        print_container(stdout, &containers->items[0], nodes, yarn_is_secure(yarn));
        creel_nodes_free(nodes);
        code = YARN_DONE;
    }
    creel_containers_free(containers);
    return code;
}

static int signal_number(const char *name)
{
    static const struct {
        const char *name;
        int number;
    } table[] = {
        { "OUTPUT_THREAD_DUMP", SIGQUIT },
        { "GRACEFUL_SHUTDOWN", SIGTERM },
        { "FORCEFUL_SHUTDOWN", SIGKILL },
    };

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (strcmp(table[i].name, name) == 0)
            return table[i].number;
    return 0;
}

static int signal_container(struct yarn *yarn, const char *id, const char *name)
{
    struct creel_containers *containers;
    struct creel_error error;
    int number = signal_number(name), code;

    if (number == 0)
        return yarn_error(YARN_FAILED,
                          "-signal %s: expected OUTPUT_THREAD_DUMP, GRACEFUL_SHUTDOWN or FORCEFUL_SHUTDOWN",
                          name);
    if (!find_container(yarn, id, &containers, &code))
        return code;
    printf("Signalling container %s\n", id);
    fflush(stdout);
    code = creel_container_signal(yarn->client, &containers->items[0], number, CREEL_SIGNAL_GROUP, &error) < 0
               ? yarn_fail(&error)
               : YARN_DONE;
    creel_containers_free(containers);
    return code;
}

static int run_signal(struct yarn *yarn)
{
    const char *words[2] = { NULL, "OUTPUT_THREAD_DUMP" };
    size_t count = 0;

    for (size_t i = 0; i < yarn->options.count; i++) {
        const struct yarn_value *value = &yarn->options.items[i];

        if (value->option == NULL)
            continue;
        if (strcmp(value->option->name, "signal") != 0 || count == 2)
            return yarn_usage(yarn);
        words[count++] = value->text;
    }
    return signal_container(yarn, words[0], words[1]);
}

int run_container(struct yarn *yarn)
{
    const char *attempt = yarn_options_get(&yarn->options, "list");
    const char *id = yarn_options_get(&yarn->options, "status");

    if (yarn->options.argument_count > 0)
        return yarn_usage(yarn);
    if (attempt != NULL)
        return list_containers(yarn, attempt);
    if (id != NULL)
        return show_container(yarn, id);
    return yarn_options_has(&yarn->options, "signal") ? run_signal(yarn) : yarn_usage(yarn);
}
