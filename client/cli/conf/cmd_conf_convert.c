/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_conf_convert.c - creel conf convert: the queues of the fair scheduler for the capacity scheduler */
#include <stdlib.h>

#include "client/cli/commands.h"
#include "client/cli/frame/listing.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/conf/conf.h"
#include "rm/schedconf/fair_to_capacity.h"

const char conf_convert_help[] =
    "Prints capacity-scheduler.xml with the queues, limits, access lists and placement rules that the fair\n"
    "scheduler has with the files of DIR (default: those of this host). Weights stay weights. A warning\n"
    "names each setting that has no counterpart. Exits with 7 if the files have a mistake.\n"
    "With --json, -o jsonl or --csv it prints properties and warnings, instead of the file.\n\n"
    "examples:\n"
    "  creel conf convert fair-to-capacity /etc/creel >/srv/new/capacity-scheduler.xml\n"
    "  creel conf convert fair-to-capacity --json | jq -r '.items[] | select(.warning).warning'\n";

/* One line of the result: a property, or a warning. */
struct entry {
    char *key, *value, *warning; /* owned; NULL: none */
};

struct entries {
    struct entry *items;
    size_t count, capacity;
};

static void add(struct entries *entries, const char *key, const char *value, const char *warning)
{
    mem_grow(entries->items, entries->count, entries->capacity);
    entries->items[entries->count++] = (struct entry){
        .key = key != NULL ? mem_strdup(key) : NULL,
        .value = value != NULL ? mem_strdup(value) : NULL,
        .warning = warning != NULL ? mem_strdup(warning) : NULL,
    };
}

static void add_property(void *context, const char *name, const char *value)
{
    add(context, name, value, NULL);
}

static void add_warning(void *context, enum conf_effect effect, const char *text)
{
    if (conf_effect_matters(effect))
        add(context, NULL, NULL, text);
}

static void entries_done(struct entries *entries)
{
    for (size_t i = 0; i < entries->count; i++) {
        free(entries->items[i].key);
        free(entries->items[i].value);
        free(entries->items[i].warning);
    }
    free(entries->items);
}

static const struct table_column columns[] = {
    { "key", "KEY", 0 },
    { "value", "VALUE", 0 },
    { "warning", "WARNING", 0 },
};

static void row(const void *item, struct table *table)
{
    const struct entry *entry = item;

    table_text(table, entry->key != NULL ? entry->key : "");
    table_text(table, entry->value != NULL ? entry->value : "");
    table_text(table, entry->warning != NULL ? entry->warning : "");
}

static void json(const void *item, struct json_writer *writer)
{
    const struct entry *entry = item;

    if (entry->warning != NULL) {
        json_text(writer, "warning", entry->warning);
        return;
    }
    json_text(writer, "key", entry->key);
    json_text(writer, "value", entry->value);
}

static const char *entry_id(const void *item)
{
    const struct entry *entry = item;

    return entry->key != NULL ? entry->key : "";
}

static const struct listing listing = {
    .kind = "ConfConversionList",
    .columns = columns,
    .column_count = sizeof(columns) / sizeof(columns[0]),
    .row = row,
    .json = json,
    .id = entry_id,
};

static int print_list(struct cli *cli, const struct entries *entries)
{
    scoped_free const void **items = mem_array0(entries->count + 1, sizeof(*items));

    for (size_t i = 0; i < entries->count; i++)
        items[i] = &entries->items[i];
    return listing_print(cli, &listing, items, entries->count);
}

static void print_warnings(const struct entries *entries)
{
    for (size_t i = 0; i < entries->count; i++)
        if (entries->items[i].warning != NULL)
            fprintf(stderr, "creel: warning: %s\n", entries->items[i].warning);
}

static int print_file(const struct entries *entries)
{
    print_warnings(entries);
    schedconf_xml_begin(stdout);
    for (size_t i = 0; i < entries->count; i++)
        if (entries->items[i].key != NULL)
            schedconf_xml_property(stdout, entries->items[i].key, entries->items[i].value);
    schedconf_xml_end(stdout);
    return EXIT_DONE;
}

int cmd_conf_convert(struct cli *cli)
{
    const struct options *options = &cli->options;
    struct entries entries = { 0 };
    struct conf *conf = NULL;
    struct err err = { 0 };
    int code;

    if (options->argument_count < 1 || options->argument_count > 2 ||
        !text_equal(options->arguments[0], "fair-to-capacity"))
        return cli_usage(cli, "convert what? creel conf convert fair-to-capacity [DIR]");
    if (conf_load(options->argument_count > 1 ? options->arguments[1] : cli_conf_dir(cli), add_warning,
                  &entries, &conf, &err) < 0 ||
        schedconf_fair_to_capacity(conf, add_property, add_warning, &entries, &err) < 0) {
        print_warnings(&entries);
        cli_fail_err(&err);
        code = EXIT_BAD_CONFIG;
    } else if (cli->format == FORMAT_TABLE || cli->format == FORMAT_WIDE) {
        code = print_file(&entries);
    } else {
        code = print_list(cli, &entries);
    }
    conf_free(conf);
    entries_done(&entries);
    return code;
}
