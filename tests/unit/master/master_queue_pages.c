/* SPDX-License-Identifier: Apache-2.0 */
/* master_queue_pages.c - test: lists of queues and of their users come in bounded pages */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/arena.h"
#include "common/base/mem.h"
#include "common/conf/conf.h"
#include "rm/sched/capacity/config/config.h"
#include "rm/sched/sched.h"
#include "tests/unit/master/master_harness.h"

#define BODY(name) CREEL__ENVELOPE__BODY_##name
#define QUEUES 600   /* below root */
#define USERS 300    /* of queue q000 or default, with two applications each */
#define ROWS_MAX 250 /* per page; same value as in rm/master/state/page.c */
#define PAGE_BYTES_MAX ((size_t)128 << 10)
#define CAPACITY "yarn.scheduler.capacity."

struct world {
    struct harness h;
    struct arena *arena;
    struct conf *conf; /* NULL: fifo scheduler */
    struct sched_config sched;
    size_t rows, pages;
};

/* --- queues and users ------------------------------------------------------ */

static const char *const settings[][2] = {
    { "yarn.resourcemanager.scheduler.class", "CapacityScheduler" },
    { "yarn.scheduler.minimum-allocation-mb", "128" },
    { CAPACITY "maximum-am-resource-percent", "1" },
    { CAPACITY "maximum-applications", "1000000" },
};

static void set(struct world *w, const char *key, const char *value)
{
    struct err err = { .text = "" };

    if (conf_set(w->conf, key, value, &err) < 0)
        fail_msg("%s", err.text);
}

/* Writes queues q000 to q599 with equal weights. */
static void write_queues(struct world *w)
{
    char names[QUEUES * 5 + 1] = "", key[80];

    w->conf = conf_of(settings, sizeof(settings) / sizeof(settings[0]));
    for (int i = 0; i < QUEUES; i++) {
        snprintf(names + strlen(names), sizeof(names) - strlen(names), "%sq%03d", i ? "," : "", i);
        snprintf(key, sizeof(key), CAPACITY "root.q%03d.capacity", i);
        set(w, key, "1w");
    }
    set(w, CAPACITY "root.queues", names);
}

static void submit_all(struct world *w, const char *queue)
{
    char user[16], key[24], id[80];
    const Creel__Envelope *reply;

    for (int i = 0; i < 2 * USERS; i++) {
        Creel__JobSpec *job = job_of(CREEL__APP_KIND__APP_COMMAND, 512, 0);

        job->queue = (char *)(uintptr_t)queue;
        snprintf(user, sizeof(user), "user%03d", i % USERS);
        snprintf(key, sizeof(key), "key%d", i);
        reply = people_submit_as(&w->h, user, job, key, id);
        if (!*id)
            fail_msg("%s", reply->error->message);
        harness_forget(&w->h);
    }
}

static void begin(struct world *w, bool capacity)
{
    *w = (struct world){ .arena = arena_new() };
    harness_init(&w->h);
    if (capacity) {
        write_queues(w);
        w->sched = capacity_of(w->conf);
        w->h.config.scheduler = "capacity";
        w->h.config.sched = &w->sched;
    }
    harness_start(&w->h);
}

static void end(struct world *w)
{
    harness_done(&w->h);
    conf_free(w->conf);
    arena_free(w->arena);
}

/* --- pages ------------------------------------------------------------------ */

static const Creel__Envelope *ask(struct world *w, const Creel__Envelope *in)
{
    const Creel__Envelope *reply = NULL;

    arena_reset(w->arena);
    assert_int_equal(master_query(w->h.master, w->h.now, "ann", in, w->arena, &reply), 0);
    assert_true(creel__envelope__get_packed_size(reply) < PAGE_BYTES_MAX);
    return reply;
}

static const Creel__Envelope *ask_queues(struct world *w, char *after, uint32_t limit)
{
    Creel__Envelope in = CREEL__ENVELOPE__INIT;
    Creel__ListQueues body = CREEL__LIST_QUEUES__INIT;

    in.body_case = BODY(LIST_QUEUES);
    in.list_queues = &body;
    body.after = after;
    body.limit = limit;
    return ask(w, &in);
}

/* Lists all queues and checks that each queue is in exactly one page. */
static void list_queues(struct world *w, uint32_t limit)
{
    bool seen[QUEUES + 1] = { false };
    char after[80] = "";

    w->rows = w->pages = 0;
    do {
        const Creel__QueueList *list = ask_queues(w, after, limit)->queue_list;

        assert_in_range(list->n_queues, 1, limit > 0 && limit < ROWS_MAX ? limit : ROWS_MAX);
        for (size_t i = 0; i < list->n_queues; i++) {
            const char *path = list->queues[i]->path;
            int number = strcmp(path, "root") == 0 ? QUEUES : atoi(path + strlen("root.q"));

            assert_in_range(number, 0, QUEUES);
            assert_false(seen[number]);
            seen[number] = true;
            w->rows++;
        }
        snprintf(after, sizeof(after), "%s", list->next);
        assert_true(++w->pages < 1000);
    } while (after[0]);
}

static void each_queue_is_listed_once(void **state)
{
    const Creel__Envelope *reply;
    static char gone[] = "root.gone";
    struct world w;

    (void)state;
    begin(&w, true);
    list_queues(&w, 0);
    assert_int_equal(w.rows, QUEUES + 1);
    assert_true(w.pages >= 3);
    list_queues(&w, 7);
    assert_int_equal(w.rows, QUEUES + 1);
    assert_int_equal(w.pages, (QUEUES + 7) / 7);
    reply = ask_queues(&w, gone, 0);
    assert_int_equal(reply->body_case, BODY(ERROR));
    assert_int_equal(reply->error->code, CREEL__ERROR_CODE__ERROR_BAD_STATE);
    assert_non_null(strstr(reply->error->message, "root.gone"));
    end(&w);
}

/* Adds up memory and applications of each user over all pages of the leaf QUEUE. */
static void list_users(struct world *w, const char *queue, uint32_t limit, bool partial)
{
    uint32_t apps[USERS] = { 0 };
    Creel__Envelope in = CREEL__ENVELOPE__INIT;
    Creel__ListQueueUsers body = CREEL__LIST_QUEUE_USERS__INIT;
    char after[80] = "";

    w->rows = w->pages = 0;
    in.body_case = BODY(LIST_QUEUE_USERS);
    in.list_queue_users = &body;
    body.queue = (char *)(uintptr_t)queue;
    body.limit = limit;
    do {
        const Creel__QueueUserList *list;

        body.after = after;
        list = ask(w, &in)->queue_user_list;
        assert_int_equal(list->partial, partial);
        assert_in_range(list->n_users, 0, limit > 0 ? limit : ROWS_MAX);
        for (size_t i = 0; i < list->n_users; i++) {
            int number = atoi(list->users[i]->user + strlen("user"));

            assert_in_range(number, 0, USERS - 1);
            apps[number] += list->users[i]->active_apps + list->users[i]->waiting_apps;
            w->rows++;
        }
        snprintf(after, sizeof(after), "%s", list->next);
        assert_true(++w->pages < 1000);
    } while (after[0]);
    for (int i = 0; i < USERS; i++)
        assert_int_equal(apps[i], 2);
}

static void each_user_of_a_capacity_leaf_is_listed_once(void **state)
{
    struct world w;

    (void)state;
    begin(&w, true);
    submit_all(&w, "q000");
    list_users(&w, "q000", 0, false);
    assert_int_equal(w.rows, USERS);
    assert_true(w.pages >= 2);
    list_users(&w, "q000", 7, false);
    assert_int_equal(w.rows, USERS);
    end(&w);
}

/* The fifo scheduler has no totals by user, so a user may have rows in several pages, which add up. */
static void amounts_of_users_add_up_over_pages(void **state)
{
    struct world w;

    (void)state;
    begin(&w, false);
    submit_all(&w, "default");
    list_users(&w, "default", 0, true);
    assert_int_equal(w.rows, 2 * USERS);
    assert_true(w.pages >= 2);
    list_users(&w, "default", 7, true);
    assert_int_equal(w.rows, 2 * USERS);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_queue_is_listed_once),
        cmocka_unit_test(each_user_of_a_capacity_leaf_is_listed_once),
        cmocka_unit_test(amounts_of_users_add_up_over_pages),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
