/* SPDX-License-Identifier: Apache-2.0 */
/* master_pages.c - test: paged lists: each page is bounded, and all pages together contain each row once */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/arena.h"
#include "common/base/mem.h"
#include "tests/unit/master/master_harness.h"

#define BODY(name) CREEL__ENVELOPE__BODY_##name
#define APPS 12000
#define CONTAINERS 21000
#define ROWS_MAX 250 /* per page; same value as in rm/master/state/page.c */
#define PAGE_BYTES_MAX ((size_t)128 << 10)

struct world {
    struct harness h;
    struct arena *arena;
    char after[128]; /* cursor of the next page */
    size_t rows, pages, longest, pages_max;
    uint32_t limit; /* requested number of rows per page */
};

/* --- rows ------------------------------------------------------------------ */

static char *text(const char *plain)
{
    return (char *)(uintptr_t)plain;
}

static void ok(int r, const struct err *err)
{
    if (r < 0)
        fail_msg("%s", err->text);
}

/* Adds ended applications of ann; the last application is bob's. */
static void add_apps(struct world *w)
{
    Creel__StoredApp row = CREEL__STORED_APP__INIT;
    struct err err = { .text = "" };
    char id[80];

    row.app_id = id;
    row.job = job_of(CREEL__APP_KIND__APP_COMMAND, 1024, 0);
    row.queue = text("root.default");
    row.state = CREEL__APP_STATE__APP_FINISHED;
    row.final_status = CREEL__FINAL_STATUS__FINAL_SUCCEEDED;
    for (int i = 1; i <= APPS; i++) {
        snprintf(id, sizeof(id), "application_%lld_%04d", (long long)CLUSTER_MS, i);
        row.user = text(i == APPS ? "bob" : "ann");
        ok(master_recover_app(w->h.master, &row, &err), &err);
    }
}

/* Adds ended containers of the first application on n1; the last container ran on n2. */
static void add_containers(struct world *w)
{
    Creel__StoredAttempt attempt = CREEL__STORED_ATTEMPT__INIT;
    Creel__StoredContainer row = CREEL__STORED_CONTAINER__INIT;
    Creel__ContainerReport report = CREEL__CONTAINER_REPORT__INIT;
    Creel__Resource resource = CREEL__RESOURCE__INIT;
    struct err err = { .text = "" };
    char id[80];

    snprintf(id, sizeof(id), "appattempt_%lld_0001_000001", (long long)CLUSTER_MS);
    attempt.attempt_id = id;
    attempt.over = attempt.unregistered = true;
    ok(master_recover_attempt(w->h.master, &attempt, &err), &err);
    resource.memory_mb = 1024;
    report.container_id = id;
    report.resource = &resource;
    report.state = CREEL__CONTAINER_STATE__CONTAINER_COMPLETE;
    row.report = &report;
    for (int i = 1; i <= CONTAINERS; i++) {
        snprintf(id, sizeof(id), "container_%lld_0001_01_%06d", (long long)CLUSTER_MS, i);
        report.node_id = text(i == CONTAINERS ? "n2:8041" : "n1:8041");
        ok(master_recover_container(w->h.master, &row, &err), &err);
    }
}

/* Ends each page early, as the daemon's time limit does. Each page has at least one row, and no row is
 * left out. */
static bool always(void *context)
{
    ++*(size_t *)context;
    return true;
}

static void begin_with(struct world *w, bool (*time_is_up)(void *context), void *context)
{
    struct err err = { .text = "" };

    *w = (struct world){ .arena = arena_new(), .pages_max = 1000 };
    harness_init(&w->h);
    w->h.config.time_is_up = time_is_up;
    if (context) {
        w->h.config.context = context;
        w->h.config.brief_time_is_up = always;
    }
    w->h.config.max_completed_apps = APPS;
    w->h.epoch = 1;
    ok(master_new(&w->h.config, CLUSTER_MS, w->h.epoch, w->h.now, &w->h.master, &err), &err);
    add_apps(w);
    add_containers(w);
    master_recover_done(w->h.master, w->h.now, &w->h.effects);
    harness_run_effects(&w->h);
    ok(master_check(w->h.master, &err), &err);
}

static void begin(struct world *w)
{
    begin_with(w, NULL, NULL);
}

static void end(struct world *w)
{
    harness_done(&w->h);
    arena_free(w->arena);
}

/* --- pages ------------------------------------------------------------------ */

static const Creel__Envelope *page(struct world *w, const Creel__Envelope *in)
{
    const Creel__Envelope *reply = NULL;

    assert_true(++w->pages <= w->pages_max);
    arena_reset(w->arena);
    assert_int_equal(master_query(w->h.master, w->h.now, "ann", in, w->arena, &reply), 0);
    assert_int_not_equal(reply->body_case, BODY(ERROR));
    assert_true(creel__envelope__get_packed_size(reply) < PAGE_BYTES_MAX);
    return reply;
}

/* Counts a page of COUNT rows. NEXT is the cursor of the next page. Returns false after the last page. */
static bool go_on(struct world *w, size_t count, const char *next)
{
    assert_true(count <= (w->limit > 0 && w->limit < ROWS_MAX ? w->limit : ROWS_MAX));
    w->rows += count;
    w->longest = count > w->longest ? count : w->longest;
    assert_string_not_equal(next, w->after[0] ? w->after : "-");
    snprintf(w->after, sizeof(w->after), "%s", next);
    return *next != '\0';
}

static void list_apps(struct world *w, Creel__ListApps *body)
{
    Creel__Envelope in = CREEL__ENVELOPE__INIT;
    const Creel__AppList *list;
    char last[80] = "";

    w->rows = w->pages = w->longest = 0;
    w->after[0] = '\0';
    in.body_case = BODY(LIST_APPS);
    in.list_apps = body;
    body->limit = w->limit;
    do {
        body->after = w->after;
        list = page(w, &in)->app_list;
        for (size_t i = 0; i < list->n_apps; i++) {
            /* Compares as numbers: ids have four digits or more. */
            assert_true(strlen(list->apps[i]->app_id) > strlen(last) ||
                        strcmp(list->apps[i]->app_id, last) > 0);
            snprintf(last, sizeof(last), "%s", list->apps[i]->app_id);
        }
    } while (go_on(w, list->n_apps, list->next));
}

static void list_containers(struct world *w, Creel__ListContainers *body)
{
    Creel__Envelope in = CREEL__ENVELOPE__INIT;
    const Creel__ContainerList *list;
    char last[80] = "";

    w->rows = w->pages = w->longest = 0;
    w->after[0] = '\0';
    in.body_case = BODY(LIST_CONTAINERS);
    in.list_containers = body;
    body->limit = w->limit;
    do {
        body->after = w->after;
        list = page(w, &in)->container_list;
        for (size_t i = 0; i < list->n_containers; i++) {
            assert_true(strcmp(list->containers[i]->container_id, last) > 0);
            snprintf(last, sizeof(last), "%s", list->containers[i]->container_id);
        }
    } while (go_on(w, list->n_containers, list->next));
}

static void all_applications_are_listed_once(void **state)
{
    Creel__ListApps body = CREEL__LIST_APPS__INIT;
    struct world w;

    (void)state;
    begin(&w);
    list_apps(&w, &body);
    assert_int_equal(w.rows, APPS);
    assert_in_range(w.longest, 100, ROWS_MAX);
    w.limit = 97;
    list_apps(&w, &body);
    assert_int_equal(w.rows, APPS);
    assert_int_equal(w.longest, 97);
    w.limit = 100000; /* more than the maximum per page */
    list_apps(&w, &body);
    assert_int_equal(w.rows, APPS);
    end(&w);
}

/* A page ends after a number of rows without a match, and may be empty. */
static void one_among_many_is_found_in_some_pages(void **state)
{
    Creel__ListApps body = CREEL__LIST_APPS__INIT;
    Creel__AppState running = CREEL__APP_STATE__APP_RUNNING;
    static char user[] = "bob", queue[] = "root.other";
    char *users = user, *queues = queue;
    struct world w;

    (void)state;
    begin(&w);
    body.n_users = 1;
    body.users = &users;
    list_apps(&w, &body);
    assert_int_equal(w.rows, 1);
    assert_in_range(w.pages, 2, 10);
    body.n_users = 0;
    body.n_queues = 1;
    body.queues = &queues;
    list_apps(&w, &body);
    assert_int_equal(w.rows, 0);
    assert_in_range(w.pages, 2, 10);
    body.n_queues = 0;
    body.n_states = 1;
    body.states = &running;
    list_apps(&w, &body);
    assert_int_equal(w.rows, 0);
    assert_in_range(w.pages, 2, 10);
    end(&w);
}

static void containers_are_listed_once(void **state)
{
    Creel__ListContainers body = CREEL__LIST_CONTAINERS__INIT;
    struct world w;

    (void)state;
    begin(&w);
    list_containers(&w, &body);
    assert_int_equal(w.rows, CONTAINERS);
    body.app_id = text("1");
    list_containers(&w, &body);
    assert_int_equal(w.rows, CONTAINERS);
    body.app_id = text("2");
    list_containers(&w, &body);
    assert_int_equal(w.rows, 0);
    assert_int_equal(w.pages, 1);
    body.app_id = text("");
    body.node_id = text("n2:8041");
    list_containers(&w, &body);
    assert_int_equal(w.rows, 1);
    assert_int_equal(w.pages, 1); /* the containers of other nodes are not examined */
    body.node_id = text("n1:8041");
    list_containers(&w, &body);
    assert_int_equal(w.rows, CONTAINERS - 1);
    body.live_only = true; /* ended ones neither */
    list_containers(&w, &body);
    assert_int_equal(w.rows, 0);
    assert_int_equal(w.pages, 1);
    end(&w);
}

static void expect_container(struct world *w, const char *name, int number, const char *error)
{
    Creel__Envelope in = CREEL__ENVELOPE__INIT;
    Creel__ListContainers body = CREEL__LIST_CONTAINERS__INIT;
    const Creel__Envelope *reply = NULL;
    char id[80];

    in.body_case = BODY(LIST_CONTAINERS);
    in.list_containers = &body;
    body.container_id = text(name);
    arena_reset(w->arena);
    assert_int_equal(master_query(w->h.master, w->h.now, "ann", &in, w->arena, &reply), 0);
    if (error) {
        assert_int_equal(reply->body_case, BODY(ERROR));
        assert_int_equal(reply->error->code, CREEL__ERROR_CODE__ERROR_NOT_FOUND);
        assert_non_null(strstr(reply->error->message, error));
        return;
    }
    snprintf(id, sizeof(id), "container_%lld_0001_01_%06d", (long long)CLUSTER_MS, number);
    assert_int_equal(reply->body_case, BODY(CONTAINER_LIST));
    assert_int_equal(reply->container_list->n_containers, 1);
    assert_string_equal(reply->container_list->containers[0]->container_id, id);
}

/* Searches by the end of the id: if it has the application's number, only containers of that application
 * are scanned. */
static void one_container_among_many_is_found(void **state)
{
    struct world w;

    (void)state;
    begin(&w);
    expect_container(&w, "0001_01_000001", 1, NULL);
    expect_container(&w, "_0001_01_020999", 20999, NULL);
    expect_container(&w, "0001_02_000001", 0, "not known here");
    expect_container(&w, "0002_01_000001", 0, "not known here");
    expect_container(&w, "99999_01_000001", 0, "not known here");
    expect_container(&w, "_000001", 0, "give the whole id");
    end(&w);
}

static void a_page_ends_when_its_time_is_up(void **state)
{
    Creel__ListApps body = CREEL__LIST_APPS__INIT;
    static char user[] = "bob";
    char *users = user;
    struct world w;
    size_t asked = 0;

    (void)state;
    begin_with(&w, always, &asked);
    body.n_states = 1;
    body.states = (Creel__AppState[]){ CREEL__APP_STATE__APP_FINISHED };
    w.pages_max = APPS + 1;
    list_apps(&w, &body);
    assert_int_equal(w.rows, APPS);
    assert_int_equal(w.longest, 1);
    assert_true(asked >= APPS - 1);
    body.n_users = 1;
    body.users = &users;
    list_apps(&w, &body);
    assert_int_equal(w.rows, 1);
    assert_in_range(w.pages, 2, APPS / 10); /* not one page for each scanned row */
    end(&w);
}

static void a_brief_page_ends_earlier(void **state)
{
    Creel__ListApps body = CREEL__LIST_APPS__INIT;
    struct world w;
    size_t asked = 0;

    (void)state;
    begin_with(&w, NULL, &asked);
    w.pages_max = APPS + 1;
    list_apps(&w, &body);
    assert_int_equal(asked, 0);
    assert_true(w.longest > 1);
    body.brief = true;
    list_apps(&w, &body);
    assert_int_equal(w.rows, APPS);
    assert_int_equal(w.longest, 1);
    assert_true(asked >= APPS - 1);
    end(&w);
}

/* The application at the end of a page may be deleted before the request for the next page. */
static void list_continues_behind_a_removed_row(void **state)
{
    Creel__Envelope in = CREEL__ENVELOPE__INIT;
    Creel__ListApps body = CREEL__LIST_APPS__INIT;
    const Creel__AppList *list;
    static char after[80];
    struct world w;

    (void)state;
    begin(&w);
    in.body_case = BODY(LIST_APPS);
    in.list_apps = &body;
    body.after = after;
    snprintf(after, sizeof(after), "application_%lld_%d", (long long)CLUSTER_MS, APPS + 5);
    list = page(&w, &in)->app_list;
    assert_int_equal(list->n_apps, 0);
    assert_string_equal(list->next, "");
    snprintf(after, sizeof(after), "application_%lld_4294967295", (long long)CLUSTER_MS);
    list = page(&w, &in)->app_list;
    assert_int_equal(list->n_apps, 0);
    assert_string_equal(list->next, "");
    end(&w);
}

static void nodes_are_listed_once(void **state)
{
    Creel__Envelope in = CREEL__ENVELOPE__INIT;
    Creel__ListNodes body = CREEL__LIST_NODES__INIT;
    Creel__NodeState lost = CREEL__NODE_STATE__NODE_LOST;
    static struct fake_agent agent;
    const Creel__NodeList *list;
    char name[32], last[80] = "";
    struct world w;

    (void)state;
    w = (struct world){ .arena = arena_new(), .pages_max = 1000 };
    harness_init(&w.h);
    harness_start(&w.h);
    for (int i = 0; i < 600; i++) {
        snprintf(name, sizeof(name), "n%03d:8041", i);
        agent_init(&agent, name, 4096, 4);
        agent_register(&w.h, &agent);
        agent_done(&agent);
        harness_forget(&w.h);
    }
    in.body_case = BODY(LIST_NODES);
    in.list_nodes = &body;
    do {
        body.after = w.after;
        list = page(&w, &in)->node_list;
        for (size_t i = 0; i < list->n_nodes; i++) {
            assert_true(strcmp(list->nodes[i]->node_id, last) > 0);
            snprintf(last, sizeof(last), "%s", list->nodes[i]->node_id);
        }
    } while (go_on(&w, list->n_nodes, list->next));
    assert_int_equal(w.rows, 600);
    assert_true(w.pages >= 3);
    body.after = text("");
    body.n_states = 1;
    body.states = &lost;
    assert_int_equal(page(&w, &in)->node_list->n_nodes, 0);
    end(&w);
}

/* --- counts ------------------------------------------------------------------ */

static void the_cluster_counts_applications_by_state(void **state)
{
    Creel__Envelope in = CREEL__ENVELOPE__INIT;
    Creel__GetClusterInfo body = CREEL__GET_CLUSTER_INFO__INIT;
    const Creel__ClusterInfo *info;
    char app[80];
    struct world w;

    (void)state;
    begin(&w);
    people_submit(&w.h, job_of(CREEL__APP_KIND__APP_COMMAND, 1024, 0), "", app, NULL);
    in.body_case = BODY(GET_CLUSTER_INFO);
    in.get_cluster_info = &body;
    info = page(&w, &in)->cluster_info;
    assert_int_equal(info->apps_pending, 1);
    assert_int_equal(info->apps_running, 0);
    assert_int_equal(info->apps_finished, APPS);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_applications_are_listed_once),
        cmocka_unit_test(one_among_many_is_found_in_some_pages),
        cmocka_unit_test(containers_are_listed_once),
        cmocka_unit_test(one_container_among_many_is_found),
        cmocka_unit_test(a_page_ends_when_its_time_is_up),
        cmocka_unit_test(a_brief_page_ends_earlier),
        cmocka_unit_test(list_continues_behind_a_removed_row),
        cmocka_unit_test(nodes_are_listed_once),
        cmocka_unit_test(the_cluster_counts_applications_by_state),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
