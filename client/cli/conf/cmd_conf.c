/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_conf.c - creel conf show: prints the configuration, of the files here or of the resource manager */
#include <stdlib.h>
#include <string.h>

#include "client/cli/commands.h"
#include "client/cli/frame/listing.h"
#include "client/include/creel-admin.h"
#include "common/base/mem.h"
#include "common/conf/conf.h"

const struct option_spec conf_show_options[] = {
    { 0, "origin", NULL, "show the origin of each value: file and line, or default" },
    { 0, "set", NULL, "only values that a file sets, not the defaults" },
    { 0, "rm", NULL, "values that the resource manager uses" },
    { 0 },
};

struct entry {
    char *name, *value, *origin; /* owned */
    const char *doc, *usual;     /* "" for keys unknown to creel */
};

struct entries {
    struct entry *items;
    size_t count, capacity;
    bool only_set;
};

static const struct table_column columns[] = {
    { "key", "KEY", 0 },
    { "value", "VALUE", TABLE_CUT },
    { "origin", "ORIGIN", TABLE_WIDE | TABLE_CUT },
    { "default", "DEFAULT", TABLE_WIDE | TABLE_CUT },
    { "doc", "DOC", TABLE_WIDE | TABLE_CUT },
};

static void collect(void *context, const char *name, const char *value, const char *origin)
{
    struct entries *entries = context;
    enum conf_key key;
    bool known = conf_key_find(name, &key);

    if (entries->only_set && !strcmp(origin, "default"))
        return;
    mem_grow(entries->items, entries->count, entries->capacity);
    entries->items[entries->count++] = (struct entry){
        .name = mem_strdup(name),
        .value = mem_strdup(value),
        .origin = mem_strdup(origin),
        .doc = known ? conf_key_info(key)->doc : "",
        .usual = known ? conf_key_info(key)->default_text : "",
    };
}

static void entries_done(struct entries *entries)
{
    for (size_t i = 0; i < entries->count; i++) {
        free(entries->items[i].name);
        free(entries->items[i].value);
        free(entries->items[i].origin);
    }
    free(entries->items);
}

static void row(const void *item, struct table *table)
{
    const struct entry *entry = item;

    table_text(table, entry->name);
    table_text(table, entry->value);
    table_text(table, entry->origin);
    table_text(table, entry->usual);
    table_text(table, entry->doc);
}

static void json(const void *item, struct json_writer *writer)
{
    const struct entry *entry = item;

    json_text(writer, "key", entry->name);
    json_text(writer, "value", entry->value);
    json_text(writer, "origin", entry->origin);
    json_text_if(writer, "default", entry->usual);
    json_text_if(writer, "doc", entry->doc);
}

static const char *entry_id(const void *item)
{
    return ((const struct entry *)item)->name;
}

static const struct listing listing = {
    .kind = "ConfList",
    .columns = columns,
    .column_count = sizeof(columns) / sizeof(columns[0]),
    .row = row,
    .json = json,
    .id = entry_id,
};

static void lines(const void *item, const struct cli *cli)
{
    const struct entry *entry = item;

    if (!options_has(&cli->options, "origin") && cli->format != FORMAT_WIDE) {
        puts(entry->value);
        return;
    }
    record_line("Key", "%s", entry->name);
    record_line("Value", "%s", entry->value);
    record_line("Set in", "%s", entry->origin);
    record_line("Default", "%s", entry->usual);
    record_line("Meaning", "%s", entry->doc);
}

static const struct record record = {
    .kind = "ConfList",
    .lines = lines,
    .json = json,
    .id = entry_id,
};

static int unknown_key(const char *key)
{
    const char *near = conf_key_nearest(key, 8);

    if (near)
        fprintf(stderr, "creel: %s: there is no such key; did you mean %s?\n", key, near);
    else
        fprintf(stderr,
                "creel: %s: there is no such key, and no file sets it; all of them: "
                "creel conf show\n",
                key);
    return EXIT_NOT_FOUND;
}

static int show_key(struct cli *cli, const struct entries *entries, const char *key)
{
    for (size_t i = 0; i < entries->count; i++) {
        if (!strcmp(entries->items[i].name, key))
            return record_print(cli, &record, &entries->items[i]);
    }
    return unknown_key(key);
}

static int show_all(struct cli *cli, const struct entries *entries)
{
    scoped_free const void **items = mem_array0(entries->count + 1, sizeof(*items));

    if (options_has(&cli->options, "origin") && !cli->columns)
        cli->columns = "key,value,origin";
    for (size_t i = 0; i < entries->count; i++)
        items[i] = &entries->items[i];
    return listing_print(cli, &listing, items, entries->count);
}

/* Collects the configuration of the files on this host. Returns an exit code. */
static int collect_files(struct cli *cli, struct entries *entries)
{
    const struct conf *conf;
    int code;

    conf = cli_conf(cli, &code);
    if (!conf)
        return code;
    conf_each(conf, collect, entries);
    return EXIT_DONE;
}

/* Collects the configuration that the resource manager uses. Returns an exit code. */
static int collect_rm(struct cli *cli, struct entries *entries)
{
    struct creel_conf *conf;
    struct creel_error error;
    int code;

    if (!cli_client(cli, &code))
        return code;
    if (creel_conf_get(cli->client, &conf, &error) < 0)
        return cli_fail(&error);
    for (size_t i = 0; i < conf->count; i++)
        collect(entries, conf->entries[i].key, conf->entries[i].hidden ? "(hidden)" : conf->entries[i].value,
                conf->entries[i].origin);
    creel_conf_free(conf);
    return EXIT_DONE;
}

int cmd_conf_show(struct cli *cli)
{
    struct entries entries = { .only_set = options_has(&cli->options, "set") };
    const char *key = cli->options.argument_count ? cli->options.arguments[0] : NULL;
    bool of_rm = options_has(&cli->options, "rm");
    int code;

    if (cli->options.argument_count > 1)
        return cli_usage(cli, "one key, or none for all: creel conf show [KEY]");
    if (of_rm && key && strchr(key, ':'))
        return cli_usage(cli, "--rm of creel conf show has no address: CREEL_RM=%s creel conf show --rm",
                         key);
    code = of_rm ? collect_rm(cli, &entries) : collect_files(cli, &entries);
    if (code == EXIT_DONE)
        code = key ? show_key(cli, &entries, key) : show_all(cli, &entries);
    entries_done(&entries);
    return code;
}
