/* SPDX-License-Identifier: Apache-2.0 */
/*
 * placement_rules.c - fuzz target: arbitrary bytes as queue mappings
 *
 * The first byte selects the format of the rest: 'j' JSON, 'a' app name mappings, 'l' an access list, 'g'
 * groups, else user and group mappings. Accepted mappings are evaluated: an app may be placed only in a leaf
 * that exists or may be created.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "rm/identity/acl.h"
#include "rm/sched/capacity/placement/state.h"
#include "rm/identity/groups.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const groups[] = { "dev", "a.b", "staff" };
static const struct acl_person person = { "al.ice", groups, 3 };

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void ask(const struct capacity_placement *placement, const struct capacity_config *config,
                const char *queue, const char *app_name)
{
    const struct placement_request request = { person, queue, app_name };
    struct placement_result result = { .queue = NULL };
    struct capacity_queue *found = NULL;
    struct err err = { .code = 0 };
    int r = capacity_placement_decide(placement, config, &request, NULL, NULL, &result, &err);

    if (r < 0) {
        require(result.queue == NULL && err.code == -r && err.text[0] != '\0');
        return;
    }
    HASH_FIND(hh, config->by_path, result.queue, strlen(result.queue), found);
    require(result.create ? found == NULL : found && found->leaf);
    require(strncmp(result.queue, "root.", 5) == 0 && result.why[0] != '\0');
    placement_result_clear(&result);
}

/* Like capacity_placement_load, but without a struct conf, since creating one would use most of the time. */
static void load(char kind, const char *text, const struct capacity_config *config)
{
    static const struct mapping_source source = { "/rules", true };
    struct capacity_placement placement = { .override = true };
    struct problems problems = { .warn = NULL };
    struct err err = { .code = 0 };

    if (kind == 'j')
        mapping_rules_read_json(&source, text, &placement.rules, &problems);
    else
        mapping_rules_read_list("file:1", kind == 'a' ? PLACEMENT_APP_MAPPINGS : PLACEMENT_MAPPINGS, text,
                                &placement.rules, &problems);
    mapping_rules_judge(&placement.rules, config, &problems);
    require(problems_finish(&problems, &err) == 0 || err.text[0] != '\0');
    ask(&placement, config, NULL, NULL); /* after an invalid rule the others must work */
    ask(&placement, config, "q1", text);
    ask(&placement, config, text, "etl");
    mapping_rules_done(&placement.rules);
}

static void read_groups(const char *text)
{
    struct groups *parsed = NULL;
    const char *const *names;
    size_t count;

    if (groups_parse(text, &parsed, NULL) == 0 && groups_find(parsed, "alice", &names, &count))
        for (size_t i = 0; i < count; i++)
            require(*names[i] != '\0');
    groups_free(parsed);
}

static void read_acl(const char *text)
{
    struct acl *acl = acl_new(text);

    require(!acl_allows(acl, &person) || !acl_is_nobody(acl));
    require(!acl_is_everybody(acl) || acl_allows(acl, &person));
    require(*acl_text(acl) != '\0');
    acl_free(acl);
}

/* Returns the tree of queues, which is created once and never changed. */
static const struct capacity_config *queues(void)
{
    static const struct {
        const char *key, *value;
    } keys[] = {
        { "queues", "default,q1,dev,auto" },
        { "default.capacity", "1w" },
        { "q1.capacity", "1w" },
        { "dev.capacity", "1w" },
        { "dev.queues", "q2" },
        { "dev.q2.capacity", "1w" },
        { "auto.capacity", "1w" },
        { "auto.auto-queue-creation-v2.enabled", "true" },
    };
    static struct capacity_config *config;
    static struct conf *conf;

    if (config)
        return config;
    conf = conf_new_defaults();
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        scoped_free char *key = mem_printf("yarn.scheduler.capacity.root.%s", keys[i].key);

        require(conf_set(conf, key, keys[i].value, NULL) == 0);
    }
    require(capacity_config_load(conf, NULL, NULL, &config, NULL) == 0);
    return config;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    scoped_free char *text = NULL;

    if (size == 0)
        return 0;
    text = mem_strndup((const char *)data + 1, strnlen((const char *)data + 1, size - 1));
    if (data[0] == 'g')
        read_groups(text);
    else if (data[0] == 'l')
        read_acl(text);
    else
        load((char)data[0], text, queues());
    return 0;
}
