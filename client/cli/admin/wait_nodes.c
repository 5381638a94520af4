/* SPDX-License-Identifier: Apache-2.0 */
/* wait_nodes.c - waits until nodes are drained or decommissioned */
#include "client/cli/admin/wait_nodes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/show/show_node.h"
#include "client/include/creel-admin.h"
#include "common/base/mem.h"
#include "common/io/loop/loop.h"

#define WATCH_MS 10000

struct watching {
    struct cli *cli;
    uint64_t version;
    int64_t last_reply_ms; /* monotonic time of the RM's last reply */
    int64_t end_ms;        /* monotonic time of the end of the waiting */
};

/* Gets the nodes after their next change, or unchanged after WAIT_MS at most. Tolerates that the RM does
 * not answer for a while. */
static int next_news(struct watching *watching, int64_t wait_ms, struct creel_nodes **ret,
                     struct creel_error *error)
{
    for (;;) {
        int r = creel_node_watch(watching->cli->client, watching->version, wait_ms, ret, error);

        if (r == 0) {
            watching->version = (*ret)->version;
            watching->last_reply_ms = loop_monotonic_ms();
        }
        if (r != -EHOSTUNREACH || loop_monotonic_ms() - watching->last_reply_ms > CREEL_PATIENCE_MS ||
            loop_monotonic_ms() >= watching->end_ms)
            return r;
    }
}

static bool is_on_its_way(const struct creel_node *node)
{
    return node->state == CREEL_NODE_DRAINING || node->state == CREEL_NODE_DECOMMISSIONING;
}

static const struct creel_node *find(const struct creel_nodes *nodes, const char *id)
{
    for (size_t i = 0; i < nodes->count; i++)
        if (!strcmp(nodes->items[i].id, id))
            return &nodes->items[i];
    return NULL;
}

struct progress { /* last printed state of one node */
    char *id;
    uint32_t containers, stuck;
    bool over;
    int code;
};

static void judge(const struct cli *cli, struct progress *progress, const struct creel_node *node)
{
    const char *id = progress->id;
    char text[1024];

    if (progress->over)
        return;
    progress->over = node == NULL || !is_on_its_way(node);
    if (node == NULL) {
        cli_print(cli, "%s: was taken back into service meanwhile", id);
        progress->code = EXIT_REFUSED;
    } else if (node->state == CREEL_NODE_LOST) {
        cli_print(cli, "%s: LOST: what ran there is given up; it is out of service when it returns", id);
    } else if (progress->over) {
        cli_print(cli, "%s: %s", id, creel_node_state_name(node->state));
    } else if (node->containers != progress->containers) {
        cli_print(cli, "%s: %u container%s left", id, node->containers, node->containers == 1 ? "" : "s");
    }
    if (node && !progress->over && node->containers_stuck > progress->stuck)
        cli_print(cli, "%s: %u cannot end: %s", id, node->containers_stuck,
                  show_node_stuck(node, text, sizeof(text)));
    if (node) {
        progress->containers = node->containers;
        progress->stuck = node->containers_stuck;
    }
}

static bool all_over(const struct progress *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!list[i].over)
            return false;
    return true;
}

static int worst_of(const struct progress *list, size_t count)
{
    int code = EXIT_DONE;

    for (size_t i = 0; i < count; i++)
        if (list[i].code != EXIT_DONE)
            code = list[i].code;
    return code;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Reports the first node that has not arrived. */
static int out_of_time(const struct progress *list)
{
    while (list->over)
        list++;
    fprintf(stderr, "creel: %s is not out of service after --timeout; creel node show %s has what is left\n",
            list->id, list->id);
    return EXIT_OUT_OF_TIME;
}

int wait_nodes(struct cli *cli, const struct creel_nodes *nodes)
{
    int64_t end_ms = cli_wait_end_ms(cli);
    struct watching watching = { cli, 0, loop_monotonic_ms(), end_ms };
    size_t count = nodes->count;
    struct progress *list = mem_array0(count + 1, sizeof(*list));
    struct creel_error error;
    int r = 0, code;

    for (size_t i = 0; i < count; i++)
        list[i] = (struct progress){ mem_strdup(nodes->items[i].id), nodes->items[i].containers,
                                     nodes->items[i].containers_stuck, !is_on_its_way(&nodes->items[i]),
                                     EXIT_DONE };
    while (r == 0 && !all_over(list, count) && loop_monotonic_ms() < end_ms) {
        struct creel_nodes *news;

        r = next_news(&watching, smaller(WATCH_MS, end_ms - loop_monotonic_ms()), &news, &error);
        if (r < 0)
            break;
        for (size_t i = 0; i < count; i++)
            judge(cli, &list[i], find(news, list[i].id));
        creel_nodes_free(news);
    }
    if (r < 0 && (r != -EHOSTUNREACH || loop_monotonic_ms() < end_ms))
        code = cli_fail(&error);
    else
        code = all_over(list, count) ? worst_of(list, count) : out_of_time(list);
    for (size_t i = 0; i < count; i++)
        free(list[i].id);
    free(list);
    return code;
}

static bool any_leaves(const struct creel_nodes *nodes)
{
    for (size_t i = 0; i < nodes->count; i++)
        if (nodes->items[i].admin_state.by_file && is_on_its_way(&nodes->items[i]))
            return true;
    return false;
}

int wait_excluded(struct cli *cli, int64_t timeout_ms, struct creel_error *error)
{
    int64_t end_ms = timeout_ms < 0 ? INT64_MAX : loop_monotonic_ms() + timeout_ms;
    struct watching watching = { cli, 0, loop_monotonic_ms(), end_ms };
    struct creel_nodes *news;

    for (;;) {
        int64_t left_ms = timeout_ms < 0 ? WATCH_MS : end_ms - loop_monotonic_ms();
        bool leaves;
        int r = next_news(&watching, left_ms < WATCH_MS ? left_ms : WATCH_MS, &news, error);

        if (r < 0)
            return r;
        leaves = any_leaves(news);
        creel_nodes_free(news);
        if (!leaves)
            return 0;
        if (timeout_ms >= 0 && loop_monotonic_ms() >= end_ms)
            return -ETIMEDOUT;
    }
}
