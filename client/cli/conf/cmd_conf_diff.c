/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_conf_diff.c - creel conf diff, apply: compares the files here with the configuration of the resource
 * manager, and applies them
 */
#include <stdlib.h>
#include <string.h>

#include "client/cli/commands.h"
#include "client/cli/conf/cmd_conf.h"
#include "client/cli/frame/listing.h"
#include "client/include/creel-admin.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/conf/conf.h"

const char conf_diff_help[] =
    "Lists the keys whose value in the files of this host differs from the value that the resource\n"
    "manager uses. APPLIED is the step that applies the value of the file: a refresh (creel conf apply),\n"
    "the start of the resource manager, or creel conf rollback, for what creel conf set or scheduler-conf\n"
    "has changed: such a value overrides the files. The exit status is 1 if a value differs.\n\n"
    "examples:\n"
    "  creel conf diff\n"
    "  creel conf diff --conf /srv/new -o wide\n"
    "  creel conf diff --json | jq -r '.items[] | select(.applied == \"start\") | .key'\n";

const char conf_apply_help[] =
    "Checks the files of this host, as creel conf check does, and prints mistakes and what changes the\n"
    "cluster. If there is no mistake, the resource manager reads its queues and host lists again, as with\n"
    "creel admin refresh all. It reads the files of its own host. If there is a mistake, the exit status\n"
    "is 7 and nothing is changed.\n\n"
    "example:\n"
    "  creel conf diff; creel conf apply\n";

/* One key whose values differ. All texts are owned. */
struct difference {
    char *key, *files, *files_origin, *rm, *rm_origin; /* FILES or RM is NULL if it lacks the key */
    bool refreshed;
};

struct differences {
    struct difference *items;
    size_t count, capacity;
    const struct conf *conf;            /* of the files */
    const struct creel_conf_entry **rm; /* of the resource manager, by key */
    size_t rm_count;
};

static int compare_entries(const void *left, const void *right)
{
    const struct creel_conf_entry *const *a = left, *const *b = right;

    return strcmp((*a)->key, (*b)->key);
}

static const struct creel_conf_entry **sort_entries(const struct creel_conf *rm)
{
    const struct creel_conf_entry **sorted = mem_array0(rm->count + 1, sizeof(*sorted));

    for (size_t i = 0; i < rm->count; i++)
        sorted[i] = &rm->entries[i];
    qsort(sorted, rm->count, sizeof(*sorted), compare_entries);
    return sorted;
}

static int compare_key(const void *key, const void *entry)
{
    return strcmp(key, (*(const struct creel_conf_entry *const *)entry)->key);
}

static const struct creel_conf_entry *find(const struct differences *differences, const char *key)
{
    const struct creel_conf_entry **found =
        bsearch(key, differences->rm, differences->rm_count, sizeof(*differences->rm), compare_key);

    return found ? *found : NULL;
}

static void add(struct differences *differences, const char *key, const char *files, const char *files_origin,
                const struct creel_conf_entry *rm)
{
    mem_grow(differences->items, differences->count, differences->capacity);
    differences->items[differences->count++] = (struct difference){
        .key = mem_strdup(key),
        .files = files ? mem_strdup(files) : NULL,
        .files_origin = files_origin ? mem_strdup(files_origin) : NULL,
        .rm = rm ? mem_strdup(rm->value) : NULL,
        .rm_origin = rm ? mem_strdup(rm->origin) : NULL,
        .refreshed = rm && rm->refreshed,
    };
}

static void differences_done(struct differences *differences)
{
    for (size_t i = 0; i < differences->count; i++) {
        free(differences->items[i].key);
        free(differences->items[i].files);
        free(differences->items[i].files_origin);
        free(differences->items[i].rm);
        free(differences->items[i].rm_origin);
    }
    free(differences->items);
}

/* Adds the key NAME of the files if the resource manager has another value or none. Hidden values are not
 * compared. */
static void compare_file(void *context, const char *name, const char *value, const char *origin)
{
    struct differences *differences = context;
    const struct creel_conf_entry *rm = find(differences, name);

    if (!rm || (!rm->hidden && strcmp(rm->value, value)))
        add(differences, name, value, origin, rm);
}

static int compare(struct cli *cli, struct differences *differences)
{
    struct creel_conf *rm;
    struct creel_error error;
    int code;

    differences->conf = cli_conf(cli, &code);
    if (!differences->conf || !cli_client(cli, &code))
        return code;
    if (creel_conf_get(cli->client, &rm, &error) < 0)
        return cli_fail(&error);
    differences->rm = sort_entries(rm);
    differences->rm_count = rm->count;
    conf_each(differences->conf, compare_file, differences);
    for (size_t i = 0; i < rm->count; i++)
        if (!conf_show(differences->conf, rm->entries[i].key))
            add(differences, rm->entries[i].key, NULL, NULL, &rm->entries[i]);
    free(differences->rm);
    differences->rm = NULL;
    creel_conf_free(rm);
    return EXIT_DONE;
}

/* --- output ------------------------------------------------------------------ */

static const struct table_column columns[] = {
    { "key", "KEY", 0 },
    { "files", "FILES", TABLE_CUT },
    { "rm", "RM", TABLE_CUT },
    { "applied", "APPLIED", 0 },
    { "filesorigin", "FILESORIGIN", TABLE_WIDE | TABLE_CUT },
    { "rmorigin", "RMORIGIN", TABLE_WIDE | TABLE_CUT },
};

/* Returns whether a version of the configuration of queues sets the value: it overrides the files. */
static bool is_of_version(const struct difference *difference)
{
    return difference->rm_origin && text_has_prefix(difference->rm_origin, "scheduler-conf of ");
}

/* Returns when the resource manager adopts the value of the files. */
static const char *applied(const struct difference *difference)
{
    if (is_of_version(difference))
        return "rollback";
    return difference->refreshed ? "refresh" : "start";
}

static void row(const void *item, struct table *table)
{
    const struct difference *difference = item;

    table_text(table, difference->key);
    table_text(table, difference->files ? difference->files : "-");
    table_text(table, difference->rm ? difference->rm : "-");
    table_text(table, applied(difference));
    table_text(table, difference->files_origin ? difference->files_origin : "-");
    table_text(table, difference->rm_origin ? difference->rm_origin : "-");
}

static void json(const void *item, struct json_writer *writer)
{
    const struct difference *difference = item;

    json_text(writer, "key", difference->key);
    if (difference->files) {
        json_text(writer, "files", difference->files);
        json_text(writer, "filesOrigin", difference->files_origin);
    }
    if (difference->rm) {
        json_text(writer, "rm", difference->rm);
        json_text(writer, "rmOrigin", difference->rm_origin);
    }
    json_text(writer, "applied", applied(difference));
}

static const char *difference_id(const void *item)
{
    return ((const struct difference *)item)->key;
}

static const struct listing listing = {
    .kind = "ConfDifferenceList",
    .columns = columns,
    .column_count = sizeof(columns) / sizeof(columns[0]),
    .row = row,
    .json = json,
    .id = difference_id,
};

int cmd_conf_diff(struct cli *cli)
{
    struct differences differences = { .count = 0 };
    scoped_free const void **items = NULL;
    int code = compare(cli, &differences);

    if (code == EXIT_DONE) {
        items = mem_array0(differences.count + 1, sizeof(*items));
        for (size_t i = 0; i < differences.count; i++)
            items[i] = &differences.items[i];
        if (differences.count > 0 || cli->format_given)
            code = listing_print(cli, &listing, items, differences.count);
        else
            cli_print(cli, "the resource manager has the values of %s in force", cli_conf_dir(cli));
        if (code == EXIT_DONE && differences.count > 0)
            code = EXIT_FAILED;
    }
    differences_done(&differences);
    return code;
}

/* --- apply ------------------------------------------------------------------- */

static void print_rest(struct cli *cli, const struct differences *differences)
{
    size_t versioned = 0, other;

    for (size_t i = 0; i < differences->count; i++)
        versioned += is_of_version(&differences->items[i]);
    other = differences->count - versioned;
    if (versioned > 0)
        cli_print(cli,
                  "%zu key%s set by a version of the configuration of queues, which overrides the files: "
                  "creel conf versions lists them, creel conf rollback 1 returns to the files",
                  versioned, versioned == 1 ? " is" : "s are");
    if (other > 0)
        cli_print(cli,
                  "%zu key%s other values than %s: they take effect at the next start, or the resource "
                  "manager reads other files (creel conf diff)",
                  other, other == 1 ? " has" : "s have", cli_conf_dir(cli));
}

int cmd_conf_apply(struct cli *cli)
{
    struct differences differences = { .count = 0 };
    int code = conf_judge(cli, cli_conf_dir(cli));

    if (code == EXIT_DONE)
        code = refresh_all(cli);
    if (code == EXIT_DONE)
        code = compare(cli, &differences);
    if (code == EXIT_DONE)
        print_rest(cli, &differences);
    differences_done(&differences);
    return code;
}
