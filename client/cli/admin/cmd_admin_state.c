/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_admin_state.c - creel admin state: checks, saves, restores and accepts the resource manager's state
 *
 * A child, creel-rm, works on the state directory (rm/net/rescue/state_actions.h). It prints lines of a name
 * and a
 * value. `accept` sends a request instead if a resource manager answers.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/cli/commands.h"
#include "client/cli/dev/dev.h"
#include "client/cli/frame/listing.h"
#include "client/include/creel-admin.h"
#include "common/base/mem.h"
#include "common/base/spawn.h"

#define ANSWER_MAX 65536
#define CHILD_BUSY 5 /* exit status: another process uses the state (common/daemon/program.h) */
#define CHILD_STATE 9

struct answer {
    const char *what;                      /* "check" */
    char text[ANSWER_MAX];                 /* lines of output */
    struct creel_state_accepted *accepted; /* answer of a running resource manager; NULL: TEXT has the
                                              answer */
};

const struct option_spec admin_state_options[] = {
    { 0, "all", NULL, "backup: with history, uploaded files, keys and configuration" },
    { 0 },
};

/* --- creel-rm -------------------------------------------------------------------- */

static void read_answer(int fd, struct answer *answer)
{
    size_t length = 0;
    ssize_t got;

    while (length < ANSWER_MAX - 1 && (got = read(fd, answer->text + length, ANSWER_MAX - 1 - length)) > 0)
        length += (size_t)got;
    answer->text[length] = '\0';
}

/* Runs creel-rm with OPTION. Returns its exit status, or -errno. */
static int ask_child(struct cli *cli, const char *option, const char *file, struct answer *answer,
                     struct err *err)
{
    scoped_free char *program = dev_find_program("creel-rm", err);
    const char *words[] = { program, "--conf", cli_conf_dir(cli), option, file, NULL };
    struct spawn child = { .program = program, .arguments = words, .fd_count = 2 };
    int channel[2], status = 0, r;
    pid_t pid;

    if (program == NULL)
        return -err->code;
    if (pipe2(channel, O_CLOEXEC) < 0)
        return err_set_errno(err, errno, "cannot make a pipe");
    child.fds = (const int[]){ SPAWN_SAME, channel[1] };
    r = spawn_start(&child, &pid);
    close(channel[1]);
    if (r == 0)
        read_answer(channel[0], answer);
    close(channel[0]);
    if (r < 0)
        return err_set_errno(err, -r, "%s: cannot be run", program);
    if (spawn_wait(pid, &status) < 0 || !WIFEXITED(status))
        return err_set(err, EIO, "%s: was killed", program);
    return WEXITSTATUS(status);
}

/* --- its output --------------------------------------------------------------------- */

/* Gets the next line: NAME is its first word, VALUE the rest. Skips lines of one word. */
static bool next_line(char **at, char **name, char **value)
{
    char *line = *at, *end = strchr(line, '\n');

    if (end == NULL)
        return false;
    *end = '\0';
    *at = end + 1;
    *name = line;
    *value = strchr(line, ' ');
    if (*value == NULL)
        return next_line(at, name, value);
    *(*value)++ = '\0';
    return true;
}

static bool is_number(const char *name)
{
    static const char *const names[] = {
        "cluster", "schema", "applications", "commit", "headCommit", "setAside", "epoch", "lastApplication",
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static void write_field(struct json_writer *json, const char *name, const char *value)
{
    if (strcmp(name, "written") == 0 || strcmp(name, "headWritten") == 0)
        json_time(json, name, strtoll(value, NULL, 10));
    else if (strcmp(name, "anew") == 0)
        json_bool(json, name, strcmp(value, "1") == 0);
    else if (is_number(name))
        json_uint(json, name, strtoull(value, NULL, 10));
    else if (strcmp(name, "problems") != 0)
        json_text_if(json, name, value);
}

static void write_json(const void *item, struct json_writer *json)
{
    const struct answer *answer = item;
    scoped_free char *copy = mem_strdup(answer->text), *again = mem_strdup(answer->text);
    char *at = copy, *name, *value;

    json_text(json, "what", answer->what);
    while (next_line(&at, &name, &value))
        if (strcmp(name, "problem") != 0)
            write_field(json, name, value);
    json_begin_array(json, "problems");
    for (at = again; next_line(&at, &name, &value);)
        if (strcmp(name, "problem") == 0)
            json_text(json, NULL, value);
    json_end_array(json);
    json_begin_array(json, "nodes");
    for (size_t i = 0; answer->accepted != NULL && i < answer->accepted->node_count; i++)
        json_text(json, NULL, answer->accepted->nodes[i]);
    json_end_array(json);
}

static const char *heading(const char *name)
{
    static const char *const headings[][2] = {
        { "directory", "Directory" }, { "verdict", "Verdict" },    { "applications", "Applications" },
        { "commit", "Commit" },       { "headCommit", "Newest" },  { "problem", "Problem" },
        { "moved", "Moved to" },      { "setAside", "Set aside" }, { "lastApplication", "Numbers after" },
        { "contains", "Contains" },   { "lacks", "Not in it" },    { "secret", "Secret" },
        { "restored", "Restored" },   { "kept", "Kept" },          { "warning", "Warning" },
    };

    for (size_t i = 0; i < sizeof(headings) / sizeof(headings[0]); i++)
        if (strcmp(name, headings[i][0]) == 0)
            return headings[i][1];
    return NULL;
}

static void write_lines(const void *item, const struct cli *cli)
{
    const struct answer *answer = item;
    scoped_free char *copy = mem_strdup(answer->text);
    char *at = copy, *name, *value;

    while (next_line(&at, &name, &value)) {
        if (strcmp(answer->what, "backup") == 0 && strcmp(name, "headCommit") == 0)
            continue; /* a copy has no file "head" */
        if (heading(name) != NULL)
            record_line(heading(name), "%s", value);
    }
    if (answer->accepted == NULL)
        return;
    cli_print(cli, "accepted: %zu nodes that waited register now, and what is not known here ends",
              answer->accepted->node_count);
    for (size_t i = 0; i < answer->accepted->node_count; i++)
        printf("%s\n", answer->accepted->nodes[i]);
}

static const struct record record = { .kind = "StateList", .lines = write_lines, .json = write_json };

/* --- the commands --------------------------------------------------------------------- */

static int child_exit(int status)
{
    return status == CHILD_BUSY ? EXIT_REFUSED : status == CHILD_STATE ? EXIT_FAILED : status;
}

static int on_directory(struct cli *cli, const char *option, const char *file, struct answer *answer)
{
    struct err err = { 0 };
    int status = ask_child(cli, option, file, answer, &err);

    if (status < 0)
        return cli_fail_err(&err);
    if (*answer->text != '\0')
        (void)record_print(cli, &record, answer);
    return child_exit(status);
}

static int ask_resource_manager(struct cli *cli, struct answer *answer)
{
    struct creel_error error;
    int code;

    if (!cli_client(cli, &code))
        return code;
    if (creel_state_accept(cli->client, &answer->accepted, &error) < 0)
        return cli_fail(&error);
    code = record_print(cli, &record, answer);
    creel_state_accepted_free(answer->accepted);
    return code;
}

static bool confirmed(const struct cli *cli)
{
    char line[16];

    if (cli->yes || !isatty(STDIN_FILENO))
        return true;
    fprintf(stderr, "What was lost stays lost, and containers that are not known then are ended. "
                    "Go on? [y/N] ");
    return fgets(line, sizeof(line), stdin) != NULL && (*line == 'y' || *line == 'Y');
}

/* Accepts the loss of state: by a request if the resource manager answers, else by creel-rm in the state
 * directory. */
static int accept_state(struct cli *cli, struct answer *answer)
{
    struct creel_cluster *cluster;
    struct creel_error error;
    int code;

    if (!confirmed(cli))
        return EXIT_FAILED;
    if (!cli_client(cli, &code))
        return code;
    if (creel_cluster_info(cli->client, &cluster, &error) < 0)
        return cli_exit_code(&error) == EXIT_UNREACHABLE ? on_directory(cli, "--accept-state", NULL, answer)
                                                         : cli_fail(&error);
    creel_cluster_free(cluster);
    return ask_resource_manager(cli, answer);
}

int cmd_admin_state(struct cli *cli)
{
    size_t count = cli->options.argument_count;
    const char *what = count > 0 ? cli->options.arguments[0] : "";
    const char *file = count > 1 ? cli->options.arguments[1] : NULL;
    scoped_free struct answer *answer = mem_new0(struct answer);

    answer->what = what;
    if (strcmp(what, "check") == 0 && count == 1)
        return on_directory(cli, "--check-state", NULL, answer);
    if (strcmp(what, "accept") == 0 && count == 1)
        return accept_state(cli, answer);
    if (strcmp(what, "backup") == 0 && count == 2)
        return on_directory(cli, options_has(&cli->options, "all") ? "--backup-all" : "--backup-state", file,
                            answer);
    if (strcmp(what, "restore") == 0 && count == 2)
        return on_directory(cli, "--restore-state", file, answer);
    return cli_usage(
        cli, "creel admin state check|accept, creel admin state backup [--all] FILE, or creel admin state "
             "restore FILE");
}
