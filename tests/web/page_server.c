/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page_server.c - serves the pages of a made-up cluster, for browser tests: page_server [APPS NODES QUEUES
 * [USER | --tokens | --streams MAXIMUM]]
 *
 * All requests are from USER, authenticated; without USER, they are not authenticated. With --tokens, users
 * sign in with the access tokens of find_token. MAXIMUM is the number of event streams. Prints the address
 * that it listens on. Each "c" from its standard input adds a container to the cluster. "s" stops the
 * resource manager, so that the copy of the cluster stays as it is; another "s" lets it go on. The program
 * ends with the end of its standard input.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/base/text.h"
#include "tests/unit/page/page_world.h"
#include "web/http/server.h"

struct ticking {
    struct loop *loop;
    struct page_world *world;
};

static void take_input(void *context, int fd)
{
    struct ticking *ticking = context;
    struct web_view *view = &ticking->world->view;
    char bytes[64];
    ssize_t n = read(fd, bytes, sizeof(bytes));

    if (n <= 0) {
        loop_stop(ticking->loop);
        return;
    }
    for (ssize_t i = 0; i < n; i++)
        if (bytes[i] == 's')
            view->trouble = view->trouble == NULL ? "creel-rm does not answer" : NULL;
        else
            ticking->world->cluster.containers++;
    if (view->trouble == NULL)
        web_model_put_cluster(ticking->world->model, &ticking->world->cluster);
}

/* Moves the clock of the cluster, as a round of the feed does: no event names it. */
static void tick(void *context)
{
    struct ticking *ticking = context;

    ticking->world->cluster.now_ms += 1000;
    if (ticking->world->view.trouble == NULL)
        web_model_put_cluster(ticking->world->model, &ticking->world->cluster);
    loop_add_timer(ticking->loop, 1000, tick, ticking);
}

/* Gives the cluster a past of an hour, of which ten minutes are not known. */
static void fill_hour(struct page_world *world)
{
    Creel__ClusterInfo cluster = world->cluster;
    Creel__Resource used = *cluster.used;

    cluster.used = &used;
    for (int back = 239; back > 0; back--) {
        if (back >= 100 && back < 140)
            continue;
        cluster.now_ms = world->cluster.now_ms - back * INT64_C(15000);
        used.memory_mb = world->cluster.used->memory_mb * (300 - back) / 300;
        cluster.apps_pending = world->cluster.apps_pending + (uint32_t)(back * 7 % 23);
        web_model_put_cluster(world->model, &cluster);
    }
    web_model_put_cluster(world->model, &world->cluster);
}

/* bob has a token with which to read and submit, carla one with which to read. */
static void find_token(void *context, const char *token, site_token_reply_fn *reply, void *reply_context)
{
    static const struct {
        const char *token;
        struct site_token found;
    } tokens[] = {
        { "token-of-bob", { "bob", EXCHANGE_SUBMIT, 3600000 } },
        { "token-of-carla", { "carla", EXCHANGE_READ, 3600000 } },
    };

    (void)context;
    for (size_t i = 0; i < sizeof(tokens) / sizeof(*tokens); i++)
        if (text_equal(tokens[i].token, token)) {
            reply(reply_context, 0, &tokens[i].found);
            return;
        }
    reply(reply_context, 401, NULL);
}

int main(int argc, char **argv)
{
    int64_t counts[3] = { 400, 120, 4 };
    struct http_server *server = NULL;
    struct page_world *world;
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct ticking ticking;
    struct err err = { .code = 0 };

    for (int i = 1; i < argc && i <= 3; i++)
        if (!text_parse_int64(argv[i], &counts[i - 1]) || counts[i - 1] < 0)
            return 2;
    world = page_world_new((size_t)counts[0], (size_t)counts[1], (size_t)counts[2]);
    if (argc > 4 && text_equal(argv[4], "--tokens"))
        world->site.token = find_token;
    else if (argc > 5 && text_equal(argv[4], "--streams"))
        limits.streams.streams_max = (unsigned)strtoul(argv[5], NULL, 10);
    else
        world->user = argc > 4 ? argv[4] : NULL;
    ticking.world = world;
    fill_hour(world);
    if (loop_new(&ticking.loop, &err) < 0 ||
        http_server_new(&server, ticking.loop, "127.0.0.1:0", &world->site, &limits, &err) < 0 ||
        loop_add_fd(ticking.loop, STDIN_FILENO, false, take_input, &ticking, &err) < 0) {
        fprintf(stderr, "page_server: %s\n", err.text);
        return 1;
    }
    printf("http://127.0.0.1:%d\n", http_server_port(server));
    fflush(stdout);
    tick(&ticking);
    loop_run(ticking.loop);
    http_server_free(server);
    loop_free(ticking.loop);
    page_world_free(world);
    return 0;
}
