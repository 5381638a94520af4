/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_fetch.c - creel fetch: brings the results of an ended job here */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/cli/commands.h"
#include "client/cli/frame/listing.h"
#include "client/cli/results/fetch_results.h"
#include "common/base/mem.h"

const struct option_spec fetch_options[] = {
    { 0, "out", "DIR", "write them below DIR (default: the current directory)" },
    { 0 },
};

const char fetch_help[] =
    "Brings the results of a job here that was submitted with --fetch and has ended,\n"
    "also without success. They are kept on the nodes as long as its logs. With -N, and\n"
    "for an array, the results of each task are written to DIR/TASK. Existing files are\n"
    "replaced, each as a whole. creel run, and creel submit --wait, do this at the end.\n"
    "\n"
    "  id=$(creel submit --id --scratch -f in.csv --fetch out.csv -- sh -c 'sort in.csv >out.csv')\n"
    "  creel wait $id && creel fetch $id --out results\n"
    "\n"
    "The exit code is 1 if a result is missing, 3 if the job has none.\n";

/* A row of the output. */
struct line {
    char *app_id, *container_id, *task, *directory; /* owned */
    struct fetched fetched;
};

struct lines {
    struct line *items; /* owned */
    size_t count, capacity;
};

static void add_line(void *context, const struct fetched *fetched)
{
    struct lines *lines = context;
    struct line *line;

    fetch_print_problems(fetched);
    mem_grow(lines->items, lines->count, lines->capacity);
    line = &lines->items[lines->count++];
    *line = (struct line){
        .app_id = mem_strdup(fetched->app_id),
        .container_id = mem_strdup(fetched->container_id),
        .task = mem_strdup(fetched->task),
        .directory = mem_strdup(fetched->directory),
        .fetched = *fetched,
    };
}

static void lines_done(struct lines *lines)
{
    for (size_t i = 0; i < lines->count; i++) {
        free(lines->items[i].app_id);
        free(lines->items[i].container_id);
        free(lines->items[i].task);
        free(lines->items[i].directory);
    }
    free(lines->items);
}

/* --- output ---------------------------------------------------------------------------- */

static const struct table_column columns[] = {
    { "app", "APP", TABLE_WIDE },
    { "container", "CONTAINER", TABLE_WIDE },
    { "task", "TASK", 0 },
    { "files", "FILES", TABLE_RIGHT },
    { "bytes", "BYTES", TABLE_RIGHT },
    { "directory", "DIRECTORY", 0 },
    { "sha256", "SHA256", TABLE_WIDE },
    { "problem", "PROBLEM", TABLE_CUT },
};

static const char *hash_text(const struct results *results, char text[2 * RESULTS_HASH_BYTES + 1])
{
    *text = '\0';
    for (size_t i = 0; results->bytes > 0 && i < RESULTS_HASH_BYTES; i++)
        snprintf(text + 2 * i, 3, "%02x", results->sha256[i]);
    return text;
}

static void row(const void *item, struct table *table)
{
    const struct line *line = item;
    const struct results *results = &line->fetched.results;
    char hash[2 * RESULTS_HASH_BYTES + 1];

    table_text(table, line->app_id);
    table_text(table, line->container_id);
    table_text(table, line->task);
    table_number(table, results->entries);
    table_number(table, results->bytes);
    table_text(table, line->directory);
    table_text(table, hash_text(results, hash));
    table_text(table, line->fetched.error          ? line->fetched.message
                      : results->problem_count > 0 ? results->problems[0]
                                                   : "");
}

static void json(const void *item, struct json_writer *writer)
{
    const struct line *line = item;
    const struct results *results = &line->fetched.results;
    char hash[2 * RESULTS_HASH_BYTES + 1];

    json_text(writer, "appId", line->app_id);
    json_text_if(writer, "containerId", line->container_id);
    json_text_if(writer, "task", line->task);
    json_text(writer, "directory", line->directory);
    json_int(writer, "files", results->entries);
    json_int(writer, "bytes", results->bytes);
    json_text_if(writer, "sha256", hash_text(results, hash));
    json_int(writer, "leftOut", results->left_out);
    json_begin_array(writer, "problems");
    if (line->fetched.error)
        json_text(writer, NULL, line->fetched.message);
    for (size_t i = 0; i < results->problem_count; i++)
        json_text(writer, NULL, results->problems[i]);
    json_end_array(writer);
}

static const char *line_id(const void *item)
{
    return ((const struct line *)item)->container_id;
}

static const struct listing listing = {
    .kind = "ResultList",
    .columns = columns,
    .column_count = sizeof(columns) / sizeof(columns[0]),
    .row = row,
    .json = json,
    .id = line_id,
};

static int print(struct cli *cli, const struct lines *lines)
{
    scoped_free const void **items = mem_array0(lines->count + 1, sizeof(*items));

    for (size_t i = 0; i < lines->count; i++)
        items[i] = &lines->items[i];
    return listing_print(cli, &listing, items, lines->count);
}

/* Returns the exit code: EXIT_NOT_FOUND if no container has results. */
static int judge(const struct lines *lines)
{
    size_t missing = 0, incomplete = 0;

    for (size_t i = 0; i < lines->count; i++) {
        missing += lines->items[i].fetched.error == ENOENT;
        incomplete += !fetch_is_complete(&lines->items[i].fetched);
    }
    return missing == lines->count ? EXIT_NOT_FOUND : incomplete > 0 ? EXIT_FAILED : EXIT_DONE;
}

/* --- the command ------------------------------------------------------------------------- */

static int fetch(struct cli *cli, const struct creel_app *app)
{
    const char *directory = options_get(&cli->options, "out");
    struct lines lines = { .items = NULL };
    struct creel_error error;
    int code;

    if (!creel_app_is_over(app)) {
        fprintf(stderr, "creel: application %s has not ended; wait for it first: creel wait %s\n", app->id,
                app->id);
        return EXIT_REFUSED;
    }
    if (fetch_results(cli->client, app, directory ? directory : ".", !cli->quiet && isatty(STDERR_FILENO),
                      add_line, &lines, &error) < 0) {
        code = cli_fail(&error);
    } else {
        code = print(cli, &lines);
        code = code == EXIT_DONE ? judge(&lines) : code;
    }
    lines_done(&lines);
    return code;
}

int cmd_fetch(struct cli *cli)
{
    struct creel_apps *apps;
    struct creel_error error;
    int code;

    if (cli->options.argument_count != 1)
        return cli_usage(cli, "whose results? creel fetch ID [--out DIR]");
    if (!cli_client(cli, &code))
        return code;
    if (creel_app_get(cli->client, cli->options.arguments[0], &apps, &error) < 0)
        return cli_fail(&error);
    code = fetch(cli, &apps->items[0]);
    creel_apps_free(apps);
    return code;
}
