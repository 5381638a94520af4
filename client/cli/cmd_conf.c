/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_conf.c - creel conf show, check */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/commands.h"
#include "client/cli/listing.h"
#include "client/cli/suggest.h"
#include "common/base/mem.h"
#include "common/conf/resource_types.h"
#include "common/conf/conf.h"
#include "common/conf/hosts.h"
#include "rm/net/scheduler.h"

const struct option_spec conf_show_options[] = {
    { 0, "origin", NULL, "where each value comes from: file and line, or default" },
    { 0, "set", NULL, "only what a file says, not the defaults" },
    { 0 },
};

struct entry {
    char *name, *value, *origin;        /* owned */
    const char *doc, *usual;            /* "" for keys that creel does not know */
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
        .name = mem_strdup(name), .value = mem_strdup(value), .origin = mem_strdup(origin),
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
    .kind = "ConfList", .columns = columns, .column_count = sizeof(columns) / sizeof(columns[0]),
    .row = row, .json = json, .id = entry_id,
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
    .kind = "ConfList", .lines = lines, .json = json, .id = entry_id,
};

static int unknown_key(const char *key)
{
    const char *near = conf_key_nearest(key, 8);

    if (near)
        fprintf(stderr, "creel: %s: there is no such key; did you mean %s?\n", key, near);
    else
        fprintf(stderr, "creel: %s: there is no such key, and no file sets it; all of them: "
                "creel conf show\n", key);
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

int cmd_conf_show(struct cli *cli)
{
    struct entries entries = { .only_set = options_has(&cli->options, "set") };
    const struct conf *conf;
    int code;

    if (cli->options.argument_count > 1)
        return cli_usage(cli, "one key, or none for all: creel conf show [KEY]");
    conf = cli_conf(cli, &code);
    if (!conf)
        return code;
    conf_each(conf, collect, &entries);
    code = cli->options.argument_count ? show_key(cli, &entries, cli->options.arguments[0])
                                       : show_all(cli, &entries);
    entries_done(&entries);
    return code;
}

static void print_warning(void *context, const char *text)
{
    size_t *count = context;

    fprintf(stderr, "creel: warning: %s\n", text);
    ++*count;
}

/* Judge queues, mapping rules and preemption by what the resource manager itself reads them with. */
static int check_queues(const struct conf *conf, size_t *warnings, struct err *err)
{
    struct sched_config config;
    struct sched *sched = NULL;
    int result = scheduler_config_build_warning(conf, print_warning, warnings, &config, err);

    if (result < 0)
        return result;
    result = sched_new(&config, &sched, err);
    if (result < 0)
        scheduler_config_free(&config);
    else
        scheduler_config_taken(&config);
    sched_free(sched);
    return result;
}

/* What an agent with this configuration offers beside memory and vcores. */
static int check_offers(const struct conf *conf, struct err *err)
{
    struct resource_offers offers;

    return resource_types_load_offers(conf, &offers, err);
}

static int check_hosts(const struct conf *conf, struct err *err)
{
    struct hosts_lists lists;
    int r = hosts_load(conf, &lists, err);

    if (r == 0)
        hosts_done(&lists);
    return r;
}

int cmd_conf_check(struct cli *cli)
{
    const char *directory = cli->options.argument_count ? cli->options.arguments[0]
                                                        : cli_conf_dir(cli);
    struct conf *conf = NULL;
    struct err err = { 0 };
    size_t warnings = 0;

    if (cli->options.argument_count > 1)
        return cli_usage(cli, "one directory: creel conf check [DIR]");
    if (conf_check(directory, print_warning, &warnings, &conf, &err) < 0 ||
        check_queues(conf, &warnings, &err) < 0 || check_offers(conf, &err) < 0 ||
        check_hosts(conf, &err) < 0) {
        cli_fail_err(&err);
        conf_free(conf);
        return EXIT_BAD_CONFIG;
    }
    if (warnings)
        cli_say(cli, "%s: good, with %zu warning%s", directory, warnings,
                warnings == 1 ? "" : "s");
    else
        cli_say(cli, "%s: good", directory);
    conf_free(conf);
    return EXIT_DONE;
}
