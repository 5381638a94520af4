/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_conf_check.c - creel conf check: validates a configuration */
#include "client/cli/conf/cmd_conf.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/cli/commands.h"
#include "client/cli/frame/listing.h"
#include "client/cli/submit/submit_process.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/conf/access_text.h"
#include "common/conf/command_words.h"
#include "common/conf/conf.h"
#include "common/conf/hosts.h"
#include "common/conf/identity.h"
#include "common/conf/log_storage.h"
#include "common/conf/resource_types.h"
#include "common/io/keys/credential.h"
#include "common/io/keys/keys.h"
#include "rm/schedconf/schedconf.h"

/* The groups of remarks, by enum conf_effect. */
static const struct {
    const char *severity, *title;
} groups[CONF_EFFECT_COUNT] = {
    [CONF_WARNING] = { "warning", NULL },
    [CONF_CHANGES] = { "changes", "Changes what your cluster does:" },
    [CONF_NO_EFFECT] = { "no-effect", "No effect here:" },
    [CONF_ALWAYS] = { "always", "Always so here:" },
};

struct finding { /* one error or remark about the configuration */
    bool error;
    enum conf_effect effect; /* of a remark */
    char *text;              /* owned */
};

struct findings {
    struct cli *cli;
    struct finding *items; /* owned */
    size_t count, capacity;
    size_t counts[CONF_EFFECT_COUNT]; /* remarks by effect */
    char *access; /* owned: who may act on the cluster; NULL if the configuration has a mistake */
};

static void add_finding(struct findings *findings, bool error, enum conf_effect effect, const char *text,
                        size_t length)
{
    mem_grow(findings->items, findings->count, findings->capacity);
    findings->items[findings->count++] = (struct finding){ error, effect, mem_strndup(text, length) };
}

/* Adds a remark. Warnings are also printed at once, the other groups at the end. */
static void add_remark(void *context, enum conf_effect effect, const char *text)
{
    struct findings *findings = context;

    findings->counts[effect]++;
    add_finding(findings, false, effect, text, strlen(text));
    if (effect == CONF_WARNING && !findings->cli->format_given)
        fprintf(stderr, "creel: warning: %s\n", text);
}

static void add_warning(struct findings *findings, const char *text)
{
    add_remark(findings, CONF_WARNING, text);
}

static const char *severity_of(const struct finding *finding)
{
    return finding->error ? "error" : groups[finding->effect].severity;
}

static const struct table_column finding_columns[] = {
    { "severity", "SEVERITY", 0 },
    { "text", "TEXT", TABLE_CUT },
};

static void finding_row(const void *item, struct table *table)
{
    const struct finding *finding = item;

    table_text(table, severity_of(finding));
    table_text(table, finding->text);
}

/* Writes one finding. A text that begins with file and line, "/etc/creel/yarn-site.xml:12: message", also
 * gives the fields "file" and "line". "scheduler-conf of ann, 2026-11-24T14:22:47Z: message" has neither. */
static void finding_json(const void *item, struct json_writer *json)
{
    const struct finding *finding = item;
    const char *colon =
        text_has_prefix(finding->text, "scheduler-conf of ") ? NULL : strchr(finding->text, ':');
    size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;
    scoped_free char *file = colon ? mem_strndup(finding->text, (size_t)(colon - finding->text)) : NULL;

    json_text(json, "severity", severity_of(finding));
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

/* Adds one finding for each line of ERR. If no output format was requested, prints ERR instead. */
static void add_errors(struct findings *findings, const struct err *err)
{
    const char *text = err->text;

    if (!findings->cli->format_given) {
        cli_fail_err(err);
        return;
    }
    while (*text) {
        size_t length = strcspn(text, "\n");

        add_finding(findings, true, CONF_WARNING, text, length);
        text += length + (text[length] == '\n');
    }
}

/* Checks queues, mapping rules and preemption with the resource manager's own code. */
static int check_queues(const struct conf *conf, struct findings *findings, struct err *err)
{
    struct sched_config config;
    struct sched *sched = NULL;
    int result = schedconf_build(conf, add_remark, findings, &config, err);

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

static int check_commands(const struct conf *conf, struct err *err)
{
    char **words;
    int r = command_words_read(conf, CONF_NOTIFY_COMMAND, &words, err);

    command_words_free(words);
    return r < 0 ? r : submit_process_check_conf(conf, err);
}

/* Warns if logs cannot be moved to shared storage. No more: nodes can run containers without it, and a
 * configuration of YARN often names a directory of HDFS. */
static void check_log_storage(const struct conf *conf, struct findings *findings)
{
    struct log_storage storage;
    struct err err = { 0 };

    if (log_storage_read(conf, &storage, &err) < 0 || log_storage_check(&storage, &err) < 0)
        add_warning(findings, err.text);
    log_storage_clear(&storage);
}

static void check_log_server(const struct conf *conf, enum conf_key key, struct findings *findings)
{
    struct err err = { 0 };
    const char *url;

    if (log_server_read(conf, key, &url, &err) < 0)
        add_warning(findings, err.text);
}

/* Checks how users sign in. Warns if this host cannot make MUNGE credentials. */
static int check_identity(const struct conf *conf, struct findings *findings, struct err *err)
{
    struct identity identity;
    int r = identity_read(conf, &identity, err);

    if (r == 0 && identity_has(&identity, IDENTITY_MUNGE) &&
        !credential_is_possible(conf_text(conf, CONF_MUNGE_SOCKET)))
        add_warning(findings,
                    "creel.security.identity: no user can sign in by MUNGE on this host: munged does "
                    "not run: systemctl start munge");
    return r;
}

/* Warns of a configuration with several resource managers, and without the address of the only one here. */
static void check_single(const struct conf *conf, struct findings *findings)
{
    const char *enabled = conf_raw(conf, "yarn.resourcemanager.ha.enabled");
    const char *key = conf_key_info(CONF_RM_HOSTNAME)->name;
    scoped_free char *text = NULL;

    if (enabled == NULL || !text_equal(enabled, "true") || conf_raw(conf, key) != NULL ||
        conf_raw(conf, conf_key_info(CONF_RM_CLIENT_ADDRESS)->name) != NULL)
        return;
    text = mem_printf(
        "yarn.resourcemanager.ha.enabled is true, and creel has one resource manager: set %s to its "
        "host; without it other hosts do not find it (%s)",
        key, conf_text(conf, CONF_RM_CLIENT_ADDRESS));
    add_warning(findings, text);
}

/* Warns if the name of a user in a request to creel-web is believed. */
static void check_rest(const struct conf *conf, struct findings *findings)
{
    scoped_free char *text = access_text_of_rest(conf);

    if (text != NULL)
        add_warning(findings, text);
}

/* Returns whether this host is a node, and not the host of the resource manager. */
static bool is_node(const struct conf *conf)
{
    const char *directory = conf_text(conf, CONF_KEY_DIR);
    scoped_free char *secret = mem_printf("%s/rm_secret", directory);
    char host[256] = "";

    return gethostname(host, sizeof(host) - 1) == 0 && access(secret, F_OK) < 0 &&
           key_is_there(directory, KEY_AGENT, host);
}

/* Returns a sentence about the access lists, which are those of the resource manager's host. */
static char *access_of(const struct conf *conf)
{
    bool open;

    if (is_node(conf) && conf_raw(conf, conf_key_info(CONF_ACL_ENABLE)->name) == NULL)
        return mem_strdup(
            "this host is a node; the files of the resource manager's host count: creel conf show --rm "
            "yarn.acl.enable");
    return access_text(conf, &open);
}

static int judge(const char *directory, struct findings *findings)
{
    struct conf *conf = NULL;
    struct err err = { 0 };
    int code = EXIT_DONE;

    if (conf_check(directory, add_remark, findings, &conf, &err) < 0 ||
        check_queues(conf, findings, &err) < 0 || check_offers(conf, &err) < 0 ||
        check_identity(conf, findings, &err) < 0 || check_hosts(conf, &err) < 0 ||
        check_commands(conf, &err) < 0) {
        add_errors(findings, &err);
        code = EXIT_BAD_CONFIG;
    } else {
        check_single(conf, findings);
        check_rest(conf, findings);
        check_log_storage(conf, findings);
        findings->access = access_of(conf);
        check_log_server(conf, CONF_LOG_SERVER_URL, findings);
        check_log_server(conf, CONF_LOG_SERVER_REST_URL, findings);
    }
    conf_free(conf);
    return code;
}

static void findings_done(struct findings *findings)
{
    for (size_t i = 0; i < findings->count; i++)
        free(findings->items[i].text);
    free(findings->items);
    free(findings->access);
}

int conf_print_warnings(struct cli *cli, const char *const *warnings)
{
    struct findings findings = { .cli = cli };
    int code;

    for (; *warnings != NULL; warnings++)
        add_finding(&findings, false, CONF_WARNING, *warnings, strlen(*warnings));
    code = print_findings(&findings);
    findings_done(&findings);
    return code;
}

static void print_group(const struct findings *findings, enum conf_effect effect)
{
    if (findings->counts[effect] == 0)
        return;
    cli_print(findings->cli, "%s", groups[effect].title);
    for (size_t i = 0; i < findings->count; i++)
        if (findings->items[i].effect == effect)
            cli_print(findings->cli, "  %s", findings->items[i].text);
}

static void print_verdict(const struct findings *findings, const char *directory)
{
    size_t warnings = findings->counts[CONF_WARNING];

    for (enum conf_effect effect = CONF_CHANGES; effect < CONF_EFFECT_COUNT; effect++)
        print_group(findings, effect);
    if (warnings)
        cli_print(findings->cli, "%s: good, with %zu warning%s", directory, warnings,
                  warnings == 1 ? "" : "s");
    else
        cli_print(findings->cli, "%s: good", directory);
    cli_print(findings->cli, "access: %s", findings->access);
}

int conf_judge(struct cli *cli, const char *directory)
{
    struct findings findings = { .cli = cli };
    int code = judge(directory, &findings);
    bool asked = cli->command->run == cmd_conf_check;

    if (cli->format_given && (asked || code != EXIT_DONE))
        print_findings(&findings);
    else if (code == EXIT_DONE && asked)
        print_verdict(&findings, directory);
    else if (code == EXIT_DONE && !cli->format_given)
        print_group(&findings, CONF_CHANGES);
    findings_done(&findings);
    return code;
}

int cmd_conf_check(struct cli *cli)
{
    if (cli->options.argument_count > 1)
        return cli_usage(cli, "one directory: creel conf check [DIR]");
    return conf_judge(cli, cli->options.argument_count ? cli->options.arguments[0] : cli_conf_dir(cli));
}
