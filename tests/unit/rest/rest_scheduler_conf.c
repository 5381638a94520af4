/* SPDX-License-Identifier: Apache-2.0 */
/* rest_scheduler_conf.c - test: the configuration of queues over REST */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "tests/unit/rest/rest_world.h"

#define CONF "/ws/v1/cluster/scheduler-conf"
#define XML "application/xml"
#define JSON "application/json"
#define ROWS_MAX 1000

struct scene {
    struct rest_world *rest;
    Creel__ErrorCode refusal; /* of the resource manager; UNKNOWN: none */
    char asked[1024];         /* the edits that it got, as text */
    bool validate;
    uint32_t pages;   /* of the properties; 0: one */
    size_t rows;      /* of a page; 0: one */
    unsigned changes; /* how often the version changes after a first page */
};

static void add(struct scene *scene, const char *text)
{
    size_t length = strlen(scene->asked);

    snprintf(scene->asked + length, sizeof(scene->asked) - length, "%s ", text);
}

static void note_change(struct scene *scene, const Creel__ChangeSchedulerConf *change)
{
    static const char *const parts[] = { "global", "update", "add", "remove" };

    scene->asked[0] = '\0';
    scene->validate = change->validate;
    if (change->rollback_to > 0)
        add(scene, "rollback");
    for (size_t i = 0; i < change->n_edits; i++) {
        add(scene, parts[change->edits[i]->part]);
        if (*change->edits[i]->queue != '\0')
            add(scene, change->edits[i]->queue);
        for (size_t k = 0; k < change->edits[i]->n_keys; k++) {
            add(scene, change->edits[i]->keys[k]->key);
            add(scene, change->edits[i]->keys[k]->removed ? "-" : change->edits[i]->keys[k]->value);
        }
    }
}

static void upstream(void *context, const Creel__Envelope *query, bool authenticated, site_reply_fn *reply,
                     void *reply_context)
{
    Creel__ConfigurationEntry entry = CREEL__CONFIGURATION_ENTRY__INIT, *entries[ROWS_MAX];
    Creel__SchedulerConf conf = CREEL__SCHEDULER_CONF__INIT;
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__Error error = CREEL__ERROR__INIT;
    struct scene *scene = context;
    uint32_t first;

    (void)authenticated;
    if (query->body_case == CREEL__ENVELOPE__BODY_CHANGE_SCHEDULER_CONF) {
        note_change(scene, query->change_scheduler_conf);
        first = query->change_scheduler_conf->first;
    } else {
        assert_int_equal(query->body_case, CREEL__ENVELOPE__BODY_GET_SCHEDULER_CONF);
        first = query->get_scheduler_conf->first;
    }
    entry.key = (char *)(uintptr_t) "yarn.scheduler.capacity.root.queues";
    entry.value = (char *)(uintptr_t)(first == 0 ? "a" : first == 1 ? "b" : "c");
    conf.next = first + 1 < scene->pages ? first + 1 : 0;
    conf.version = 4;
    if (first > 0 && scene->changes > 0)
        conf.version = 4 + scene->changes--;
    conf.entries = entries;
    conf.n_entries = scene->rows > 0 ? scene->rows : 1;
    for (size_t i = 0; i < conf.n_entries; i++)
        entries[i] = &entry;
    envelope.body_case = CREEL__ENVELOPE__BODY_SCHEDULER_CONF;
    envelope.scheduler_conf = &conf;
    if (scene->refusal != CREEL__ERROR_CODE__ERROR_UNKNOWN) {
        error.code = scene->refusal;
        error.message = (char *)(uintptr_t) "no, thanks";
        envelope.body_case = CREEL__ENVELOPE__BODY_ERROR;
        envelope.error = &error;
    }
    reply(reply_context, &envelope);
}

static int set_up(void **state)
{
    struct scene *scene = mem_new0(struct scene);

    scene->rest = rest_world_new(1, 1);
    scene->rest->page->site.upstream = upstream;
    scene->rest->page->site.upstream_context = scene;
    scene->rest->page->user = "ann";
    *state = scene;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *scene = *state;

    rest_world_free(scene->rest);
    free(scene);
    return 0;
}

static void contains(const char *answer, const char *start, const char *part)
{
    if (strncmp(answer, start, strlen(start)) != 0 || strstr(answer, part) == NULL)
        fail_msg("no \"%s\" and \"%s\" in: %s", start, part, answer);
}

/* Sends BODY, which is one change; the resource manager gets ASKED. */
static void change(struct scene *scene, const char *type, const char *body, const char *asked)
{
    contains(rest_world_send(scene->rest, "PUT", CONF, type, body), "200 ",
             "\nConfiguration change successfully applied.");
    assert_string_equal(scene->asked, asked);
    assert_false(scene->validate);
}

static void it_is_read(void **state)
{
    struct scene *scene = *state;

    contains(rest_world_get(scene->rest, CONF, NULL), "200 application/json",
             "{\"property\":[{\"name\":\"yarn.scheduler.capacity.root.queues\",\"value\":\"a\"}]}");
    contains(rest_world_get(scene->rest, CONF, XML), "200 application/xml",
             "<property><name>yarn.scheduler.capacity.root.queues</name><value>a</value></property>");
    contains(rest_world_get(scene->rest, CONF "/version", NULL), "200 ", "{\"versionID\":\"4\"}");
}

static void pages_are_joined(void **state)
{
    struct scene *scene = *state;
    const char *name = "{\"name\":\"yarn.scheduler.capacity.root.queues\",\"value\":";
    char all[400];

    snprintf(all, sizeof(all), "{\"property\":[%s\"a\"},%s\"b\"},%s\"c\"}]}", name, name, name);
    scene->pages = 3;
    contains(rest_world_get(scene->rest, CONF, NULL), "200 application/json", all);
    scene->changes = 2; /* the pages of two versions do not belong together: the first page is read again */
    contains(rest_world_get(scene->rest, CONF, NULL), "200 application/json", all);
    contains(rest_world_send(scene->rest, "POST", CONF "/validate", JSON,
                             "{\"update-queue\":{\"queue-name\":"
                             "\"root.b\",\"params\":{\"entry\":{\"key\":\"capacity\",\"value\":\"7\"}}}}"),
             "200 ", all);
    assert_string_equal(scene->asked, "update root.b capacity 7 ");
}

static void many_are_sent_in_parts(void **state)
{
    struct scene *scene = *state;
    const char *text;
    size_t count = 0;

    scene->pages = 3;
    scene->rows = ROWS_MAX;
    text = rest_world_get(scene->rest, CONF, NULL);
    assert_true(site_answer(scene->rest->exchange)->is_parts);
    while ((text = strstr(text, "{\"name\":")) != NULL) {
        text++;
        count++;
    }
    assert_int_equal(count, 3 * ROWS_MAX);
}

static void both_formats_are_understood(void **state)
{
    struct scene *scene = *state;

    change(scene, XML,
           "<sched-conf><update-queue><queue-name>root.b</queue-name><params><entry><key>capacity</key>"
           "<value>7</value></entry><entry><key>state</key><value/></entry></params></update-queue>"
           "<remove-queue>root.x</remove-queue><remove-queue>root.y</remove-queue>"
           "<add-queue><queue-name>root.c</queue-name></add-queue></sched-conf>",
           "remove root.x remove root.y add root.c update root.b capacity 7 state - ");
    change(scene, JSON,
           "{\"update-queue\":{\"queue-name\":\"root.b\",\"params\":{\"entry\":{\"key\":\"capacity\","
           "\"value\":\"7\"}}}}",
           "update root.b capacity 7 ");
    change(scene, JSON,
           "{\"sched-conf\":{\"update-queue\":[{\"queue-name\":\"root.b\",\"params\":{\"entry\":[{\"key\":"
           "\"capacity\",\"value\":\"7\"}]}}],\"remove-queue\":[\"root.x\"],\"global-updates\":[{\"entry\":"
           "{\"key\":\"k\",\"value\":\"v\"}}]}}",
           "remove root.x update root.b capacity 7 global k v ");
    change(scene, XML, "<sched-conf/>", "");
}

static void validation_shows_the_outcome(void **state)
{
    struct scene *scene = *state;

    contains(rest_world_send(scene->rest, "POST", CONF "/validate", XML, "<sched-conf/>"), "200 ",
             "{\"property\":[{\"name\":");
    assert_true(scene->validate);
    scene->refusal = CREEL__ERROR_CODE__ERROR_BAD_CONFIG;
    contains(
        rest_world_send(scene->rest, "POST", CONF "/validate", XML, "<sched-conf/>"), "400 ",
        "\nCapacityScheduler configuration validation failed:java.io.IOException: Failed to re-init queues "
        ": no, thanks");
}

static void the_store_is_reset_by_post_alone(void **state)
{
    struct scene *scene = *state;

    contains(rest_world_get(scene->rest, CONF "/format", NULL), "405 ", "");
    contains(rest_world_send(scene->rest, "POST", CONF "/format", NULL, ""), "200 ",
             "successfully formatted.");
    assert_string_equal(scene->asked, "rollback ");
}

static void refusals_are_those_of_yarn(void **state)
{
    static const struct {
        Creel__ErrorCode code;
        const char *status, *text;
    } cases[] = {
        { CREEL__ERROR_CODE__ERROR_NOT_PERMITTED, "403 ", "Only admins can carry out this operation." },
        { CREEL__ERROR_CODE__ERROR_BAD_CONFIG, "400 ", "\nFailed to re-init queues : no, thanks" },
        { CREEL__ERROR_CODE__ERROR_BAD_STATE, "400 ", "\nno, thanks" },
        { CREEL__ERROR_CODE__ERROR_NOT_FOUND, "400 ", "\nno, thanks" },
        { CREEL__ERROR_CODE__ERROR_UNSUPPORTED, "400 ", "MutableConfScheduler" },
        { CREEL__ERROR_CODE__ERROR_UNAVAILABLE, "503 ", "no, thanks" },
    };
    struct scene *scene = *state;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        scene->refusal = cases[i].code;
        contains(rest_world_send(scene->rest, "PUT", CONF, XML, "<sched-conf/>"), cases[i].status,
                 cases[i].text);
        contains(rest_world_get(scene->rest, CONF, NULL), cases[i].status, cases[i].text);
    }
}

static void where_queues_are_in_files_alone_yarns_sentence_comes_first(void **state)
{
    struct scene *scene = *state;

    scene->refusal = CREEL__ERROR_CODE__ERROR_UNSUPPORTED;
    contains(rest_world_send(scene->rest, "PUT", CONF, XML, "<sched-conf/>"), "400 ",
             "\nConfiguration change only supported by MutableConfScheduler. (no, thanks)");
    contains(
        rest_world_get(scene->rest, CONF, NULL), "400 ",
        "\nThis API only supports to retrieve scheduler configuration from a mutable-conf scheduler, "
        "underneath scheduler CapacityScheduler is not an instance of MutableConfScheduler (no, thanks)");
}

static void a_body_without_a_change_is_refused(void **state)
{
    struct scene *scene = *state;

    contains(rest_world_send(scene->rest, "PUT", CONF, XML, "<other/>"), "400 ", "sched-conf");
    contains(rest_world_send(scene->rest, "PUT", CONF, JSON, "{"), "400 ", "RemoteException");
    contains(rest_world_send(scene->rest, "PUT", CONF, NULL, "{}"), "415 ", "");
    contains(rest_world_send(scene->rest, "PUT", CONF, JSON, "{\"add-queue\":{\"queue-name\":\"\"}}"), "400 ",
             "a queue has no name");
    contains(
        rest_world_send(scene->rest, "PUT", CONF, JSON, "{\"global-updates\":{\"entry\":{\"value\":\"1\"}}}"),
        "400 ", "an entry has no key");
    scene->rest->page->user = NULL;
    contains(rest_world_send(scene->rest, "PUT", CONF "?user.name=ann", XML, "<sched-conf/>"), "401 ", "");
    assert_string_equal(scene->asked, "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(it_is_read),
        TEST(pages_are_joined),
        TEST(many_are_sent_in_parts),
        TEST(both_formats_are_understood),
        TEST(validation_shows_the_outcome),
        TEST(the_store_is_reset_by_post_alone),
        TEST(refusals_are_those_of_yarn),
        TEST(where_queues_are_in_files_alone_yarns_sentence_comes_first),
        TEST(a_body_without_a_change_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
