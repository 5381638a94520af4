/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_conf.c - creel conf show, check: prints and validates the configuration */
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
#include "rm/schedconf/schedconf.h"

const struct option_spec conf_show_options[] = {
    { 0, "origin", NULL, "where each value comes from: file and line, or default" },
    { 0, "set", NULL, "only values that a file sets, not the defaults" },
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

/* --- check ------------------------------------------------------------------- */

struct finding { /* one error or warning about the configuration */
    bool error;  /* false: a warning */
    char *text;  /* owned */
};

struct findings {
    struct cli *cli;
    struct finding *items; /* owned */
    size_t count, capacity, warnings;
};

static void add_finding(struct findings *findings, bool error, const char *text, size_t length)
{
    mem_grow(findings->items, findings->count, findings->capacity);
    findings->items[findings->count++] = (struct finding){ error, mem_strndup(text, length) };
}

static void print_warning(void *context, const char *text)
{
    struct findings *findings = context;

    findings->warnings++;
    if (findings->cli->format_given)
        add_finding(findings, false, text, strlen(text));
    else
        fprintf(stderr, "creel: warning: %s\n", text);
}

static const struct table_column finding_columns[] = {
    { "severity", "SEVERITY", 0 },
    { "text", "TEXT", TABLE_CUT },
};

static void finding_row(const void *item, struct table *table)
{
    const struct finding *finding = item;

    table_text(table, finding->error ? "error" : "warning");
    table_text(table, finding->text);
}

/* Writes one finding; a text as "/etc/creel/yarn-site.xml:12: message" also gives a file and a line. */
static void finding_json(const void *item, struct json_writer *json)
{
    const struct finding *finding = item;
    const char *colon = strchr(finding->text, ':');
    size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;
    scoped_free char *file = colon ? mem_strndup(finding->text, (size_t)(colon - finding->text)) : NULL;

    json_text(json, "severity", finding->error ? "error" : "warning");
    if (digits > 0 && digits < 10 && colon[1 + digits] == ':') {
        json_text(json, "file", file);
        json_int(json, "line", strtol(colon + 1, NULL, 10));
    }
    json_text(json, "text", finding->text);
}

static const char *finding_id(const void *item)
{
    return ((const struct finding *)item)->text;
}

static const struct listing findings_listing = {
    .kind = "FindingList",
    .columns = finding_columns,
    .column_count = sizeof(finding_columns) / sizeof(finding_columns[0]),
    .row = finding_row,
    .json = finding_json,
    .id = finding_id,
};

static int print_findings(const struct findings *findings)
{
    scoped_free const void **items = mem_array0(findings->count + 1, sizeof(*items));

    for (size_t i = 0; i < findings->count; i++)
        items[i] = &findings->items[i];
    return listing_print(findings->cli, &findings_listing, items, findings->count);
}

/* Adds one finding for each line of ERR. */
static void take_errors(struct findings *findings, const struct err *err)
{
    const char *text = err->text;

    if (!findings->cli->format_given) {
        cli_fail_err(err);
        return;
    }
    while (*text) {
        size_t length = strcspn(text, "\n");

        add_finding(findings, true, text, length);
        text += length + (text[length] == '\n');
    }
}

/* Checks queues, mapping rules and preemption with the resource manager's own code. */
static int check_queues(const struct conf *conf, struct findings *findings, struct err *err)
{
    struct sched_config config;
    struct sched *sched = NULL;
    int result = schedconf_build(conf, print_warning, findings, &config, err);

    if (result < 0)
        return result;
    result = sched_new(&config, &sched, err);
    if (result < 0)
        schedconf_free(&config);
    else
        schedconf_taken(&config);
    sched_free(sched);
    return result;
}

/* Checks the resources beside memory and vcores that an agent with this configuration offers. */
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

static int judge(const char *directory, struct findings *findings)
{
    struct conf *conf = NULL;
    struct err err = { 0 };
    int code = EXIT_DONE;

    if (conf_check(directory, print_warning, findings, &conf, &err) < 0 ||
        check_queues(conf, findings, &err) < 0 || check_offers(conf, &err) < 0 ||
        check_hosts(conf, &err) < 0) {
        take_errors(findings, &err);
        code = EXIT_BAD_CONFIG;
    }
    conf_free(conf);
    return code;
}

int cmd_conf_check(struct cli *cli)
{
    const char *directory = cli->options.argument_count ? cli->options.arguments[0] : cli_conf_dir(cli);
    struct findings findings = { .cli = cli };
    int code;

    if (cli->options.argument_count > 1)
        return cli_usage(cli, "one directory: creel conf check [DIR]");
    code = judge(directory, &findings);
    if (cli->format_given)
        print_findings(&findings);
    else if (code == EXIT_DONE && findings.warnings)
        cli_say(cli, "%s: good, with %zu warning%s", directory, findings.warnings,
                findings.warnings == 1 ? "" : "s");
    else if (code == EXIT_DONE)
        cli_say(cli, "%s: good", directory);
    for (size_t i = 0; i < findings.count; i++)
        free(findings.items[i].text);
    free(findings.items);
    return code;
}
