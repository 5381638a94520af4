/* SPDX-License-Identifier: Apache-2.0 */
/* tool.c - what the commands of Slurm share: the connection, messages and options */
#include "config.h"

#include "client/slurm-client/tool.h"

#include <errno.h>
#include <getopt.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "client/script/slurm_place.h"
#include "common/base/id.h"
#include "common/base/text.h"

#define LETTER_ID 1000 /* getopt's value of the row at index 0 */

/* --- connection -------------------------------------------------------------------- */

/* Returns whether the clusters that the user named are this one. Prints an error if not. */
static bool is_own_cluster(struct tool *tool)
{
    const char *option = tool->clusters ? "--clusters" : "SLURM_CLUSTERS", *own, *foreign;
    const char *names = tool->clusters ? tool->clusters : getenv("SLURM_CLUSTERS");

    if (!names || (!*names && !tool->clusters))
        return true;
    if ((own = cli_cluster(&tool->cli)) == NULL)
        return false;
    foreign = slurm_place_foreign(names, own, tool->arena);
    if (foreign)
        tool_fail(tool, "%s=%s: " SLURM_PLACE_FOREIGN, option, names, foreign, own);
    return !foreign;
}

struct creel_client *tool_client(struct tool *tool)
{
    struct cli *cli = &tool->cli;
    const char *rm = getenv("CREEL_RM");
    struct creel_options options = {
        .rm_address = rm && *rm ? rm : NULL,
        .conf_dir = cli_conf_dir(cli),
        .needs_listener = getenv("CREEL_APP_ID") == NULL,
    };
    struct creel_error error;

    if (!cli->client && !is_own_cluster(tool))
        return NULL;
    if (!cli->client && creel_connect(&options, &cli->client, &error) < 0) {
        cli->client = NULL;
        tool_refused(tool, &error);
    }
    return cli->client;
}

const char *const *tool_me(struct tool *tool)
{
    const char **users = arena_array0(tool->arena, 2, sizeof(*users));
    struct creel_cluster *cluster;
    struct creel_error error;

    if (!tool_client(tool))
        return NULL;
    if (creel_cluster_info(tool->cli.client, &cluster, &error) < 0) {
        tool_refused(tool, &error);
        return NULL;
    }
    users[0] = arena_strdup(tool->arena, cluster->user);
    creel_cluster_free(cluster);
    return users;
}

const char *const *tool_users(struct tool *tool, const char *value)
{
    const char **users = arena_array0(tool->arena, strlen(value) + 2, sizeof(*users));
    char *rest = arena_strdup(tool->arena, value);
    size_t count = 0;
    const char *word;

    while ((word = text_next_word(&rest)) != NULL) {
        const struct passwd *user =
            word[strspn(word, "0123456789")] ? NULL : getpwuid((uid_t)strtoul(word, NULL, 10));

        users[count++] = user ? arena_strdup(tool->arena, user->pw_name) : word;
    }
    return users;
}

const char *tool_unknown_user(const char *const *users)
{
    for (; *users; users++)
        if ((*users)[strspn(*users, "0123456789")] && !getpwnam(*users))
            return *users;
    return NULL;
}

/* --- messages ---------------------------------------------------------------------- */

__attribute__((format(printf, 3, 0))) static void print(const struct tool *tool, const char *kind,
                                                        const char *format, va_list args)
{
    fprintf(stderr, "%s: %s", tool->name, kind);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
}

int tool_fail(const struct tool *tool, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print(tool, "error: ", format, args);
    va_end(args);
    return EXIT_FAILURE;
}

void tool_note(const struct tool *tool, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print(tool, "", format, args);
    va_end(args);
}

int tool_refused(const struct tool *tool, const struct creel_error *error)
{
    const char *text = error->text;

    if (error->code == EHOSTUNREACH && tool->unreachable)
        fprintf(stderr, "%s\n", tool->unreachable);
    while (*text) {
        size_t length = strcspn(text, "\n");

        tool_fail(tool, "%.*s", (int)length, text);
        text += length + (text[length] == '\n');
    }
    return EXIT_FAILURE;
}

int tool_load_partitions(struct tool *tool, const char *name, struct creel_queues **queues,
                         struct creel_nodes **nodes)
{
    struct creel_client *client = tool_client(tool);
    struct creel_error error;

    *queues = NULL;
    *nodes = NULL;
    if (!client)
        return EXIT_FAILURE;
    if (creel_queue_list(client, name, queues, &error) < 0 ||
        creel_node_list(client, NULL, nodes, &error) < 0)
        return tool_refused(tool, &error);
    return EXIT_SUCCESS;
}

int tool_print_version(void)
{
    return printf("slurm %s (creel %s)\n", SLURM_VERSION, VERSION) < 0;
}

void tool_print_date(void)
{
    time_t now = time(NULL);
    char text[64];
    struct tm local;

    if (localtime_r(&now, &local) && strftime(text, sizeof(text), "%a %b %d %H:%M:%S %Y", &local) > 0)
        puts(text);
}

/* --- options ------------------------------------------------------------------------ */

static void add_letter(char **at, const struct tool_option *row)
{
    if (!row->letter)
        return;
    *(*at)++ = row->letter;
    for (int colons = (int)row->argument; colons > 0; colons--)
        *(*at)++ = ':';
}

/* Makes the tables of getopt_long of TABLE. */
static void prepare(struct tool *tool, const struct tool_option *table)
{
    size_t count = 0;
    char *at;

    while (table[count].name)
        count++;
    tool->long_options = arena_array0(tool->arena, count + 1, sizeof(*tool->long_options));
    at = tool->letters = arena_array0(tool->arena, 3 * count + 1, 1);
    for (size_t i = 0; i < count; i++) {
        tool->long_options[i] = (struct option){ .name = table[i].name,
                                                 .has_arg = (int)table[i].argument,
                                                 .val = LETTER_ID + (int)i };
        add_letter(&at, &table[i]);
    }
    optind = 0; /* getopt_long begins anew */
}

static const struct tool_option *find(const struct tool_option *table, int code)
{
    if (code >= LETTER_ID)
        return &table[code - LETTER_ID];
    while (table->name && table->letter != code)
        table++;
    return table;
}

/* Returns whether LIST has an element. The error is printed. */
static bool chooses_any(const struct tool *tool, const char *dashes, const char *name, const char *list)
{
    if (list[strspn(list, ", ")])
        return true;
    tool_fail(tool, "%s%s=\"%s\": the list is empty, and would choose all", dashes, name, list);
    return false;
}

struct given { /* an option or variable with a value */
    enum tool_kind kind;
    int id;
    const char *dashes, *name; /* "--", "jobs"; "", "SACCT_FORMAT" */
    const char *value;         /* NULL: none */
};

/* Reads GIVEN by its kind. Returns false after an error, which is printed. */
static bool read_given(struct tool *tool, const struct tool_line *line, void *context,
                       const struct given *given)
{
    switch (given->kind) {
    case TOOL_HANDLED:
        return line->read(context, given->id, given->value);
    case TOOL_CHOOSES:
        return (!given->value || chooses_any(tool, given->dashes, given->name, given->value)) &&
               line->read(context, given->id, given->value);
    case TOOL_CLUSTERS:
        tool->clusters = given->value;
        return chooses_any(tool, given->dashes, given->name, given->value);
    case TOOL_REFUSED:
        tool_fail(tool, "%s%s: creel has nothing similar; %s creel-slurm(1) for what there is", given->dashes,
                  given->name, *given->dashes ? "see" : "unset it, and see");
        return false;
    default:
        return true;
    }
}

static bool is_off(const char *value)
{
    static const char *const words[] = { "f", "false", "no", "0" };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (!strcasecmp(value, words[i]))
            return true;
    return false;
}

static bool read_environment(struct tool *tool, const struct tool_line *line, void *context)
{
    for (const struct tool_variable *row = line->variables; row && row->name; row++) {
        const char *value = getenv(row->name);

        if (!value || !*value || (row->argument == TOOL_NO_ARGUMENT && is_off(value)))
            continue;
        if (!read_given(tool, line, context, &(struct given){ row->kind, row->id, "", row->name, value }))
            return false;
    }
    return true;
}

bool tool_read(struct tool *tool, const struct tool_line *line, void *context, int argc, char **argv, int *at,
               int *code)
{
    int letter;

    *code = EXIT_FAILURE;
    if (!read_environment(tool, line, context))
        return false;
    prepare(tool, line->options);
    while ((letter = getopt_long(argc, argv, tool->letters, tool->long_options, NULL)) != -1) {
        const struct tool_option *option;

        if (letter == '?') { /* getopt_long has printed why */
            fprintf(stderr, "Try \"%s --help\" for more information\n", tool->name);
            return false;
        }
        option = find(line->options, letter);
        if (option->kind == TOOL_HELP || option->kind == TOOL_VERSION) {
            *code = option->kind == TOOL_HELP ? fputs(line->help, stdout) < 0 : tool_print_version();
            return false;
        }
        if (!read_given(tool, line, context,
                        &(struct given){ option->kind, option->id, "--", option->name, optarg }))
            return false;
    }
    *at = optind;
    if (argv[*at] && !line->has_operands)
        tool_fail(tool, "Unrecognized option: %s", *argv[*at] ? argv[*at] : "\"\"");
    return !argv[*at] || line->has_operands;
}

/* --- ids ------------------------------------------------------------------------------ */

uint32_t tool_job_number(const char *app_id)
{
    struct app_id id;

    return app_id_parse(app_id, &id) ? id.seq : 0;
}
