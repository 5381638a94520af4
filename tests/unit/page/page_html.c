/* SPDX-License-Identifier: Apache-2.0 */
/* page_html.c - test: content of the web pages for a fixed cluster, and that HTML in names is escaped */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "tests/unit/page/page_scene.h"
#include "web/text/html.h"
#include "web/page/page_text.h"

static int post(struct page_scene *scene, const char *target, const char *form)
{
    const struct name_value type = { "Content-Type", "application/x-www-form-urlencoded" };
    const struct request_text request = {
        .method = "POST",
        .target = target,
        .headers = &type,
        .header_count = 1,
        .body = form,
        .body_size = strlen(form),
    };

    site_end(scene->exchange);
    scene->exchange = site_serve(&scene->world->site, &request, page_scene_ignore, NULL);
    assert_non_null(site_answer(scene->exchange));
    scene->status = site_answer(scene->exchange)->status;
    return scene->status;
}

static const char *header_of(const struct page_scene *scene, const char *name)
{
    const struct answer *answer = site_answer(scene->exchange);

    for (size_t i = 0; i < answer->header_count; i++)
        if (strcmp(answer->headers[i].name, name) == 0)
            return answer->headers[i].value;
    return "";
}

static const char *const pages[] = {
    "/cluster",
    "/cluster/cluster",
    "/cluster/apps",
    "/cluster/apps?state=ALL&sort=-memory&n=200",
    "/cluster/app/application_1795500000000_0101",
    "/cluster/app/application_1795500000000_0199",
    "/cluster/scheduler",
    "/cluster/scheduler?q=dev",
    "/cluster/scheduler?of=root.prod",
    "/cluster/queue/root.dev.ml",
    "/cluster/nodes",
    "/cluster/node/node-00001.example.org%3A8041",
    "/cluster/nodelabels",
    "/cluster/events",
    "/cluster/events?sort=object&n=200",
    "/cluster/events?app=application_1795500000000_0007",
    "/cluster/events?node=node-00018.example.org%3A8041",
    "/cluster/history",
    "/cluster/history/usage",
    "/cluster/history/usage?by=queue",
    "/cluster/history/usage?by=user&since=30d",
};

static void every_page_is_whole(void **state)
{
    struct page_scene *scene = *state;

    for (size_t i = 0; i < sizeof(pages) / sizeof(*pages); i++) {
        const char *text = page_scene_get(scene, pages[i]);

        if (scene->status != 200 || strncmp(text, "<!DOCTYPE html>", 15) != 0 ||
            strstr(text, "</html>") == NULL)
            fail_msg("%s: status %d, \"%.300s\"", pages[i], scene->status, text);
        assert_int_equal(page_scene_count(text, "<section"), page_scene_count(text, "</section>"));
        assert_int_equal(page_scene_count(text, "<table"), page_scene_count(text, "</table>"));
        if (strstr(text, "class=\"cards apps\"") == NULL) { /* the rows of this table have no end tags */
            assert_int_equal(page_scene_count(text, "<tr"), page_scene_count(text, "</tr>"));
            assert_int_equal(page_scene_count(text, "<td"), page_scene_count(text, "</td>"));
        }
        assert_int_equal(page_scene_count(text, "<script"), 1);
        assert_int_equal(page_scene_count(text, " style="), 0);
        assert_true(strlen(text) < 200000);
    }
}

/* 100 applications are at most 60 kB. */
static void a_long_list_is_small(void **state)
{
    struct page_scene *scene = *state;

    assert_true(strlen(page_scene_get(scene, "/cluster/apps?state=ALL&n=100")) < 60000);
    assert_true(strlen(page_scene_get(scene, "/cluster/apps?n=100")) < 60000);
}

/* Nodes of one host, and applications that end or wait without a message. */
static void a_row_shows_what_distinguishes_it(void **state)
{
    struct page_scene *scene = *state;
    Creel__AppReport *failed = scene->world->apps[100], *array = scene->world->apps[101];
    Creel__TaskCounts tasks = CREEL__TASK_COUNTS__INIT;
    char empty[] = "", counts[] = "1 of 10 tasks run, 8 wait", indices[] = "0-9",
         node_id[] = "127.0.0.1:8043";
    const char *text;

    failed->state = CREEL__APP_STATE__APP_FAILED;
    failed->exit_status = 3;
    failed->diagnostics = failed->reason_code = empty;
    array->state = CREEL__APP_STATE__APP_RUNNING;
    array->array = indices;
    array->reason_code = empty;
    array->reason_short = counts;
    tasks.total = 10;
    tasks.running = tasks.succeeded = 1;
    array->tasks = &tasks;
    scene->world->nodes[0]->node_id = node_id;
    page_world_load(scene->world);
    text = page_scene_get(scene, "/cluster/apps?state=ALL&n=200");
    assert_non_null(strstr(text, "<span class=sub>exit 3</span>"));
    assert_non_null(strstr(text, "1 of 10 tasks run, 8 wait"));
    tasks.running = 2;
    tasks.queued = 1;
    tasks.failed = 3;
    tasks.killed = 2;
    page_world_load(scene->world);
    text = page_scene_get(scene, arena_printf(scene->world->arena, "/cluster/app/%s", array->app_id));
    assert_non_null(strstr(text, "<b>1</b> of 10 done, 1 running, 1 failed, 2 killed, 5 waiting<"));
    text = page_scene_get(scene, "/cluster/nodes");
    assert_non_null(strstr(text, "<bdi>127.0.0.1:8043</bdi>"));
    assert_non_null(strstr(text, "<bdi>node-00002.example.org</bdi>"));
}

static void the_timeline_has_the_steps_of_an_application(void **state)
{
    struct page_scene *scene = *state;
    Creel__AppReport *app = scene->world->apps[100];
    const char *text;

    app->submitted_ms = 1795500000000;
    app->eligible_ms = app->submitted_ms + 60000;
    app->started_ms = app->eligible_ms + 120000;
    app->finished_ms = app->started_ms + 300000;
    page_world_load(scene->world);
    text = page_scene_get(scene, "/cluster/app/application_1795500000000_0101");
    assert_non_null(strstr(text, "</i>outside its queue 1 min</li>"));
    assert_non_null(strstr(text, "</i>waiting 2 min</li>"));
    assert_non_null(strstr(text, "</i>running 5 min</li>"));
    assert_non_null(strstr(text, "<b>8 min</b> in all"));
    app->finished_ms = app->started_ms = app->eligible_ms = app->submitted_ms + 1000;
    page_world_load(scene->world);
    text = page_scene_get(scene, "/cluster/app/application_1795500000000_0101");
    assert_non_null(strstr(text, "</i>outside its queue 1 s</li>"));
    assert_null(strstr(text, "</i>running"));
}

/* The containers of a node may be few among those of the cluster: a page shows those of many replies. */
static void containers_of_all_replies_are_shown(void **state)
{
    struct page_scene *scene = *state;
    const char *text;

    scene->world->containers_apart = true;
    text = page_scene_get(scene, "/cluster/app/application_1795500000000_0101");
    assert_int_equal(page_scene_count(text, "<td data-label=\"Container\">"), 12);
    assert_null(strstr(text, "There are none"));
    assert_null(strstr(text, "next page"));
    text = page_scene_get(scene, "/cluster/node/node-00001.example.org%3A8041"
                                 "?after=container_1795500000000_0007_01_000006");
    assert_int_equal(page_scene_count(text, "<td data-label=\"Container\">"), 3);
    assert_non_null(strstr(text, "first page"));
    text = page_scene_get(scene, "/cluster/app/application_1795500000000_0101?after=%3Cb%3E");
    assert_int_equal(page_scene_count(text, "<td data-label=\"Container\">"), 12);
    scene->world->containers_apart = false;
}

static void users_of_all_replies_are_shown(void **state)
{
    struct page_scene *scene = *state;
    const char *text;

    scene->world->user_count = 900;
    text = page_scene_get(scene, "/cluster/queue/root.dev.ml");
    assert_int_equal(page_scene_count(text, "<td data-label=\"User\">"), 900);
    assert_int_equal(page_scene_count(text, "<h2>Users</h2>"), 1);
    assert_null(strstr(text, "creel queue users"));
    scene->world->user_count = 3000;
    text = page_scene_get(scene, "/cluster/queue/root.dev.ml");
    assert_int_equal(page_scene_count(text, "<td data-label=\"User\">"), 2000);
    assert_non_null(strstr(text, "creel queue users lists further users"));
    scene->world->user_count = 0;
    assert_non_null(
        strstr(page_scene_get(scene, "/cluster/queue/root.dev.ml"), "No user has an application here"));
    scene->world->user_count = 3;
}

static void a_hostile_name_is_text(void **state)
{
    struct page_scene *scene = *state;
    const char *text = page_scene_get(scene, "/cluster/apps?state=ALL&n=200");

    assert_null(strstr(text, "<img"));
    assert_null(strstr(text, "<b>eve"));
    assert_non_null(strstr(text, "&lt;img src=x onerror=alert(1)&gt;&quot;&#39;;--\xe2\x80\xae&amp;amp;"));
    assert_non_null(strstr(text, "/cluster/apps?user=%3Cb%3Eeve%3C%2Fb%3E"));
    text = page_scene_get(scene, "/cluster/app/application_1795500000000_0101");
    assert_null(strstr(text, "<img"));
    assert_non_null(strstr(text, "&lt;img"));
    text = page_scene_get(
        scene, "/cluster/apps?name=%22%3E%3Cscript%3Ealert(1)%3C/script%3E&user.name=%3Cscript%3E");
    assert_int_equal(page_scene_count(text, "<script"), 1);
    text = page_scene_get(scene, "/cluster/%3Cscript%3E");
    assert_int_equal(scene->status, 404);
    assert_int_equal(page_scene_count(text, "<script"), 1);
}

static void applications_are_filtered_and_paged(void **state)
{
    struct page_scene *scene = *state;
    const char *text = page_scene_get(scene, "/cluster/apps?state=ALL&n=50"), *next;

    assert_int_equal(page_scene_count(text, "<tr><td"), 50);
    assert_non_null(strstr(text, "50 of 200 applications"));
    assert_non_null(strstr(text, "/cluster/app/application_1795500000000_0200\""));
    assert_non_null(next = strstr(text, "rel=\"next\" href=\"?state=ALL&amp;n=50&amp;after="));
    text = page_scene_get(scene, "/cluster/apps?state=ALL&n=50&after=application_1795500000000_0051");
    assert_null(strstr(text, "rel=\"next\""));
    assert_int_equal(page_scene_count(text, "<tr><td"), 50);
    text = page_scene_get(scene, "/cluster/apps?user=bob&state=RUNNING");
    assert_int_equal(page_scene_count(text, "<tr><td"), page_scene_count(text, "<bdi>bob</bdi>"));
    assert_true(page_scene_count(text, "<tr><td") > 0);
    text = page_scene_get(scene, "/cluster/apps?name=no+such+name");
    assert_non_null(strstr(text, "No application fits."));
    assert_non_null(strstr(text, "name=\"name\" value=\"no such name\""));
}

static void a_waiting_application_has_its_reason(void **state)
{
    struct page_scene *scene = *state;
    const char *text = page_scene_get(scene, "/cluster/app/application_1795500000000_0200");

    assert_non_null(strstr(text, ">ACCEPTED</span>"));
    assert_non_null(strstr(text, "Why it waits"));
    assert_non_null(strstr(text, "Queue root.dev.ml uses 400 GiB of its maximum of 410 GiB"));
    assert_non_null(strstr(text, "4 × 32 GiB, 8 vcores"));
    assert_non_null(strstr(text, "What would help"));
    assert_non_null(strstr(text, "container_1795500000000_0007_01_000001"));
    text = page_scene_get(scene, "/cluster/app/application_1795500000000_0050");
    assert_null(strstr(text, "Why it waits"));
}

static void its_owner_sees_the_command(void **state)
{
    struct page_scene *scene = *state;
    const char *const path = "/cluster/app/application_1795500000000_0200", *text;
    const Creel__AppReport *app = web_model_app(scene->world->model, strrchr(path, '/') + 1);

    assert_int_equal(app->n_command, 0); /* as creel-web gets it with access lists */
    scene->world->user = app->user;
    text = page_scene_get(scene, path);
    assert_non_null(strstr(text, "make &lt;all&gt;"));
    assert_non_null(strstr(text, "only the owner sees this"));
    scene->world->user = "somebody";
    text = page_scene_get(scene, path);
    assert_null(strstr(text, "make &lt;all&gt;"));
    assert_null(strstr(text, "only the owner sees this"));
}

static void the_map_has_a_byte_for_each_node(void **state)
{
    struct page_scene *scene = *state;
    const unsigned char *bytes;
    size_t racks = 0, nodes = 0;

    page_scene_get(scene, "/cluster/nodes.bin");
    bytes = site_answer(scene->exchange)->bytes;
    for (size_t i = 0; i < site_answer(scene->exchange)->size; i++) {
        racks += bytes[i] == 255;
        nodes += bytes[i] <= 103;
    }
    assert_int_equal(racks, 3);
    assert_int_equal(nodes, 100);
    page_scene_get(scene, "/cluster/nodes.bin?names=1&state=bad");
    assert_int_equal(page_scene_count(scene->text, "\n"), 2);
    assert_non_null(strstr(scene->text, "node-00018.example.org:8041\n"));
}

static void fair_queues_show_their_shares(void **state)
{
    struct page_scene *scene = *state;
    Creel__Resource half = CREEL__RESOURCE__INIT;
    const char *text;

    half.memory_mb = scene->world->cluster.total->memory_mb / 2;
    for (size_t i = 0; i < scene->world->queue_count; i++) {
        Creel__QueueReport *queue = scene->world->queues[i];

        queue->policy = (char *)(uintptr_t) "fair";
        queue->fair_share = queue->steady_fair_share = &half;
    }
    page_world_load(scene->world);
    text = page_scene_get(scene, "/cluster/scheduler");
    assert_non_null(strstr(text, "used beyond the fair share"));
    assert_non_null(strstr(text, "root.dev: uses 33.0 % of the cluster"));
    assert_non_null(strstr(text, "<line class=\"instant\" x1=\"500.0\""));
    assert_non_null(strstr(text, "<line class=\"guarantee\" x1=\"500.0\""));
    text = page_scene_get(scene, "/cluster/queue/root.dev.ml");
    assert_non_null(strstr(text, "of at most 4.2 GiB, 7 vcores")); /* as asked for, not as in the copy */
    assert_non_null(strstr(text, "Steady fair share"));
    assert_null(strstr(text, ">Guaranteed<"));
}

static void racks_are_summed_up(void **state)
{
    struct page_scene *scene = *state;
    const char *text = page_scene_get(scene, "/cluster/nodes?n=5"), *rack;

    assert_non_null(rack = strstr(text, "href=\"?n=5&amp;rack=%2Frow-1%2Frack-03\""));
    assert_non_null(
        strstr(rack, "data-label=\"Nodes\">20</td><td class=\"n\" data-label=\"Not well\">0</td>"));
    text = page_scene_get(scene, "/cluster/nodes?rack=/row-1/rack-01&state=bad");
    assert_non_null(
        strstr(text, "data-label=\"Nodes\">1</td><td class=\"n\" data-label=\"Not well\">1</td>"));
    text = page_scene_get(scene, "/cluster/nodes?rack=none");
    assert_non_null(strstr(text, "0 nodes"));
}

static void the_search_finds_ids_queues_nodes_and_users(void **state)
{
    static const char *const found[][2] = {
        { "/cluster/search?q=+199+", "/cluster/app/application_1795500000000_0199" },
        { "/cluster/search?q=application_1795500000000_0003", "/cluster/app/application_1795500000000_0003" },
        { "/cluster/search?q=ml", "/cluster/queue/root.dev.ml" },
        { "/cluster/search?q=ann", "/cluster/apps?user=ann" },
        { "/cluster/search?q=node-00007", "/cluster/node/node-00007.example.org%3A8041" },
        { "/cluster/search?q=node-", "/cluster/nodes?q=node-" },
        { "/cluster/search?q=re%26port", "/cluster/apps?name=re%26port" },
        { "/cluster/search", "/cluster" },
        { "/cluster/apps/RUNNING", "/cluster/apps?state=RUNNING" },
        { "/cluster/container/container_1795500000000_0007_01_000001",
          "/cluster/app/application_1795500000000_0007" },
    };
    struct page_scene *scene = *state;

    for (size_t i = 0; i < sizeof(found) / sizeof(*found); i++) {
        page_scene_get(scene, found[i][0]);
        assert_int_equal(scene->status, 302);
        assert_string_equal(header_of(scene, "Location"), found[i][1]);
    }
}

/* Returns the CSRF token in the forms of the last page. The caller frees the token. */
static char *token_of(const struct page_scene *scene)
{
    const char *at = strstr(scene->text, "name=\"token\" value=\"");

    assert_non_null(at);
    at += strlen("name=\"token\" value=\"");
    return mem_strndup(at, strcspn(at, "\""));
}

static void an_application_is_killed_by_its_user(void **state)
{
    static const char page[] = "/cluster/app/application_1795500000000_0198";
    static const char target[] = "/cluster/app/application_1795500000000_0198/kill";
    struct page_scene *scene = *state;
    scoped_free char *token = NULL, *form = NULL, *foreign = NULL;

    page_scene_get(scene, page);
    assert_null(strstr(scene->text, "<form method=\"post\""));
    assert_int_equal(post(scene, target, "reason=x"), 401);

    scene->world->user = web_model_app(scene->world->model, "application_1795500000000_0198")->user;
    page_scene_get(scene, page);
    token = token_of(scene);
    form = mem_printf("token=%s&reason=too+large+%%26+slow", token);
    assert_int_equal(post(scene, target, form), 303);
    assert_string_equal(header_of(scene, "Location"), page);
    foreign = mem_printf("kill application_1795500000000_0198 as %s: too large & slow", scene->world->user);
    assert_string_equal(scene->world->done, foreign);

    /* another user's token; and the valid token of a user who does not own the application */
    *scene->world->done = '\0';
    scene->world->user = "grid";
    assert_int_equal(post(scene, target, form), 403);
    page_scene_get(scene, "/cluster/app/application_1795500000000_0199"); /* grid's */
    free(token);
    free(form);
    token = token_of(scene);
    form = mem_printf("token=%s", token);
    assert_int_equal(post(scene, target, form), 403);
    assert_string_equal(scene->world->done, "");
    assert_int_equal(post(scene, target, "token="), 403);
    assert_int_equal(post(scene, target, ""), 403);
}

static void set_time(struct page_scene *scene, int64_t now_ms)
{
    scene->world->cluster.now_ms = now_ms;
    page_world_load(scene->world);
}

static void a_token_is_valid_for_an_hour(void **state)
{
    struct page_scene *scene = *state;
    scoped_free char *token = NULL, *form = NULL;

    scene->world->user = "root";
    page_scene_get(scene, "/cluster/node/node-00002.example.org%3A8041");
    token = token_of(scene);
    form = mem_printf("token=%s&reason=new+disk&deadline=2h", token);
    assert_int_equal(post(scene, "/cluster/node/node-00002.example.org%3A8041/drain", form), 303);
    assert_string_equal(scene->world->done, "drain node-00002.example.org:8041 as root: new disk 7200000");
    set_time(scene, WORLD_NOW_MS + 61 * 60000);
    assert_int_equal(post(scene, "/cluster/node/node-00002.example.org%3A8041/drain", form), 403);
    set_time(scene, WORLD_NOW_MS - 2 * 60000);
    assert_int_equal(post(scene, "/cluster/node/node-00002.example.org%3A8041/drain", form), 403);
    set_time(scene, WORLD_NOW_MS);
    token[strlen(token) - 1] ^= 1;
    free(form);
    form = mem_printf("token=%s", token);
    assert_int_equal(post(scene, "/cluster/node/node-00002.example.org%3A8041/undrain", form), 403);
}

static void a_deadline_that_is_no_time_is_refused(void **state)
{
    struct page_scene *scene = *state;
    scoped_free char *token = NULL, *form = NULL;

    scene->world->user = "root";
    page_scene_get(scene, "/cluster/node/node-00002.example.org%3A8041");
    token = token_of(scene);
    form = mem_printf("token=%s&deadline=soon", token);
    assert_int_equal(post(scene, "/cluster/node/node-00002.example.org%3A8041/drain", form), 400);
    assert_string_equal(scene->world->done, "");
    page_scene_get(scene, "/cluster/node/node-00002.example.org%3A8041/drain");
    assert_int_equal(scene->status, 405);
}

static void a_log_is_text(void **state)
{
    static const char log[] = "/cluster/app/application_1795500000000_0007/logs/"
                              "container_1795500000000_0007_01_000001/stdout";
    static const char foreign[] = "/cluster/app/application_1795500000000_0008/logs/"
                                  "container_1795500000000_0007_01_000001/stdout";
    struct page_scene *scene = *state;
    const char *text = page_scene_get(scene, log);
    scoped_free char *raw = mem_printf("%s?raw=1", log), *other = mem_printf("%s.old", log);

    assert_int_equal(scene->status, 200);
    assert_non_null(strstr(text, "<pre class=\"log\">red &lt;img src=x"));
    assert_null(strstr(text, "cut off"));
    assert_null(strstr(text, "<img"));
    assert_non_null(strstr(text, "\n?\xc3\xa9?"));
    assert_null(strchr(text, '\x1b'));
    page_scene_get(scene, raw);
    assert_string_equal(header_of(scene, "Content-Type"), "text/plain; charset=utf-8");
    assert_string_equal(header_of(scene, "Content-Security-Policy"), "default-src 'none'; sandbox");
    assert_int_equal(strncmp(scene->text, "cut off\n\x1b[1;31mred", 18), 0);
    page_scene_get(scene, foreign);
    assert_int_equal(scene->status, 404);
    page_scene_get(scene, other);
    assert_int_equal(scene->status, 404);
}

static void missing_page_is_404(void **state)
{
    static const char *const missing[] = {
        "/cluster/app/application_1_0001", "/cluster/node/none",
        "/cluster/queue/root.none",        "/static/0/none.css",
        "/cluster/container/none",
    };
    struct page_scene *scene = *state;

    for (size_t i = 0; i < sizeof(missing) / sizeof(*missing); i++) {
        page_scene_get(scene, missing[i]);
        assert_int_equal(scene->status, 404);
        assert_non_null(strstr(scene->text, "</html>"));
    }
}

static void an_incomplete_model_is_503(void **state)
{
    struct page_scene *scene = *state;

    page_world_unload(scene->world);
    for (size_t i = 0; i < sizeof(pages) / sizeof(*pages); i++) {
        page_scene_get(scene, pages[i]);
        assert_int_equal(scene->status, 503);
        assert_string_equal(header_of(scene, "Refresh"), "2");
    }
}

static void files_are_kept_by_their_hash(void **state)
{
    struct page_scene *scene = *state;
    const char *page = page_scene_get(scene, "/cluster"), *path = strstr(page, "/static/");
    char target[64];

    snprintf(target, sizeof(target), "%.*s", (int)strcspn(path, "\""), path);
    page_scene_get(scene, target);
    assert_int_equal(scene->status, 200);
    assert_string_equal(header_of(scene, "Cache-Control"), "public, max-age=31536000, immutable");
    page_scene_get(scene, "/static/0123456789abcdef/style.css");
    assert_int_equal(scene->status, 200);
    assert_string_equal(header_of(scene, "Cache-Control"), "");
    assert_string_equal(header_of(scene, "Content-Type"), "text/css; charset=utf-8");
}

/* With 10,000 nodes, 1,000 queues and many applications, a page contains about what fits a screen. */
static void pages_of_a_large_cluster_are_small(void **state)
{
    struct page_world *small = ((struct page_scene *)*state)->world;
    struct page_scene *scene = *state;

    scene->world = page_world_new(5000, 10000, 500);
    for (size_t i = 0; i < sizeof(pages) / sizeof(*pages); i++) {
        page_scene_get(scene, pages[i]);
        if (strstr(pages[i], "n=200") == NULL && strlen(scene->text) > 60000)
            fail_msg("%s has %zu bytes", pages[i], strlen(scene->text));
    }
    site_end(scene->exchange);
    scene->exchange = NULL;
    page_world_free(scene->world);
    scene->world = small;
}

static void amounts_are_readable(void **state)
{
    struct arena *arena = arena_new();

    (void)state;
    assert_string_equal(page_text_count(arena, 0), "0");
    assert_string_equal(page_text_count(arena, 999), "999");
    assert_string_equal(page_text_count(arena, 1234567), "1,234,567");
    assert_string_equal(page_text_memory(arena, 512), "512 MiB");
    assert_string_equal(page_text_memory(arena, 1536), "1.5 GiB");
    assert_string_equal(page_text_memory(arena, 200 * 1024), "200 GiB");
    assert_string_equal(page_text_memory(arena, INT64_C(3) << 20), "3 TiB");
    assert_string_equal(page_text_percent(arena, 0.3204), "32.0 %");
    assert_string_equal(page_text_percent(arena, 1), "100 %");
    assert_string_equal(page_text_duration(arena, 45000), "45 s");
    assert_string_equal(page_text_duration(arena, 7500000), "2 h 5 min");
    assert_string_equal(page_text_duration(arena, -5), "0 s");
    assert_string_equal(page_text_time(arena, WORLD_NOW_MS), "2026-11-25 06:30:12 UTC");
    assert_string_equal(html_url(arena, "a b/\xc3\xa4&\"~"), "a%20b%2F%C3%A4%26%22~");
    arena_free(arena);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, page_scene_set_up, page_scene_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_page_is_whole),
        TEST(a_long_list_is_small),
        TEST(a_row_shows_what_distinguishes_it),
        TEST(the_timeline_has_the_steps_of_an_application),
        TEST(containers_of_all_replies_are_shown),
        TEST(users_of_all_replies_are_shown),
        TEST(a_hostile_name_is_text),
        TEST(applications_are_filtered_and_paged),
        TEST(a_waiting_application_has_its_reason),
        TEST(its_owner_sees_the_command),
        TEST(the_map_has_a_byte_for_each_node),
        TEST(fair_queues_show_their_shares),
        TEST(racks_are_summed_up),
        TEST(the_search_finds_ids_queues_nodes_and_users),
        TEST(an_application_is_killed_by_its_user),
        TEST(a_token_is_valid_for_an_hour),
        TEST(a_deadline_that_is_no_time_is_refused),
        TEST(a_log_is_text),
        TEST(missing_page_is_404),
        TEST(an_incomplete_model_is_503),
        TEST(files_are_kept_by_their_hash),
        TEST(pages_of_a_large_cluster_are_small),
        cmocka_unit_test(amounts_are_readable),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
