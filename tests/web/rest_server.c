/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rest_server.c - serves REST and pages of a made-up cluster, to try out clients: rest_server [APPS
 * [NODES [USER]]]
 *
 * All requests are from USER, authenticated; without USER, they are not authenticated. Prints the address
 * that it listens on, and ends with its standard input.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/base/text.h"
#include "tests/unit/rest/rest_world.h"
#include "web/http/server.h"

static void stop_at_end(void *context, int fd)
{
    char bytes[64];

    if (read(fd, bytes, sizeof(bytes)) <= 0)
        loop_stop(context);
}

int main(int argc, char **argv)
{
    int64_t counts[2] = { 20, 5 };
    struct http_server *server = NULL;
    struct page_world *world;
    struct loop *loop;
    struct err err = { .code = 0 };

    for (int i = 1; i < argc && i <= 2; i++)
        if (!text_parse_int64(argv[i], &counts[i - 1]) || counts[i - 1] < 0)
            return 2;
    world = page_world_new((size_t)counts[0], (size_t)counts[1], 0);
    world->user = argc > 3 ? argv[3] : NULL;
    rest_world_complete(world);
    if (loop_new(&loop, &err) < 0 ||
        http_server_new(&server, loop, "127.0.0.1:0", &world->site, &HTTP_LIMITS_DEFAULT, &err) < 0 ||
        loop_add_fd(loop, STDIN_FILENO, false, stop_at_end, loop, &err) < 0) {
        fprintf(stderr, "rest_server: %s\n", err.text);
        return 1;
    }
    printf("http://127.0.0.1:%d\n", http_server_port(server));
    fflush(stdout);
    loop_run(loop);
    http_server_free(server);
    loop_free(loop);
    page_world_free(world);
    return 0;
}
