/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_container.c - creel container list, show, stats: containers and their resource usage */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/commands.h"
#include "client/cli/frame/host_arguments.h"
#include "client/cli/show/show_app.h"
#include "common/base/mem.h"

const struct option_spec container_list_options[] = {
    { 'a', "app", "ID", "containers of this application, ended ones too" },
    { 'n', "node", "NODE", "containers of these nodes, also those that have ended there" },
    { 0, "live", NULL, "only containers that have not ended" },
    { 0 },
};

/* Several lists of containers, printed as one list. */
struct gathered {
    struct creel_containers **lists; /* owned; each list is owned, too */
    size_t count, capacity;
    bool by_id; /* they are printed in the order of their ids */
};

static void gather(struct gathered *all, struct creel_containers *list)
{
    mem_grow(all->lists, all->count, all->capacity);
    all->lists[all->count++] = list;
}

typedef int show_fn(struct cli *cli, const struct creel_container *const *containers, size_t count);

static int compare_ids(const void *a, const void *b)
{
    const struct creel_container *const *x = a, *const *y = b;

    return strverscmp((*x)->id, (*y)->id);
}

static int show_gathered(struct cli *cli, struct gathered *all, show_fn *show)
{
    scoped_free const struct creel_container **items = NULL;
    size_t count = 0, capacity = 0;
    int code;

    for (size_t i = 0; i < all->count; i++) {
        for (size_t k = 0; k < all->lists[i]->count; k++) {
            mem_grow(items, count, capacity);
            items[count++] = &all->lists[i]->items[k];
        }
    }
    if (count > 1 && all->by_id)
        qsort(items, count, sizeof(*items), compare_ids);
    code = show(cli, items, count);
    for (size_t i = 0; i < all->count; i++)
        creel_containers_free(all->lists[i]);
    free(all->lists);
    return code;
}

static int of_app(struct creel_client *client, const char *id, bool live_only, struct gathered *all,
                  struct creel_error *error)
{
    struct creel_containers *list;
    struct creel_apps *apps;
    int r = creel_app_get(client, id, &apps, error);

    if (r < 0)
        return r;
    r = creel_container_list(client, apps->items[0].id, NULL, NULL, live_only, &list, error);
    creel_apps_free(apps);
    if (r == 0)
        gather(all, list);
    return r;
}

static int of_node(struct creel_client *client, const char *name, bool live_only, struct gathered *all,
                   struct creel_error *error)
{
    struct creel_containers *list;
    struct creel_nodes *nodes;
    int r = creel_node_list(client, name, &nodes, error);

    if (r < 0)
        return r;
    r = creel_container_list(client, NULL, nodes->items[0].id, NULL, live_only, &list, error);
    creel_nodes_free(nodes);
    if (r == 0)
        gather(all, list);
    return r;
}

static int of_nodes(struct creel_client *client, const struct host_names *names, bool live_only,
                    struct gathered *all, struct creel_error *error)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < names->count; i++)
        r = of_node(client, names->items[i], live_only, all, error);
    return r;
}

/* Gets the containers of all users that have not ended, as far as the caller may see them: those of each
 * node, so that containers of applications that have ended, but do not end yet, are there, too. */
static int of_all(struct creel_client *client, struct gathered *all, struct creel_error *error)
{
    struct creel_nodes *nodes;
    int r = creel_node_list(client, NULL, &nodes, error);

    if (r < 0)
        return r;
    all->by_id = true;
    for (size_t i = 0; r == 0 && i < nodes->count; i++) {
        struct creel_containers *list;

        if (nodes->items[i].containers == 0)
            continue;
        r = creel_container_list(client, NULL, nodes->items[i].id, NULL, true, &list, error);
        if (r == 0)
            gather(all, list);
        else if (r == -ENOENT)
            r = 0; /* forgotten since it was listed */
    }
    creel_nodes_free(nodes);
    return r;
}

/* Gets one container by its whole id. */
static int of_container(struct creel_client *client, const char *id, struct gathered *all,
                        struct creel_error *error)
{
    struct creel_containers *list;
    int r = creel_container_list(client, NULL, NULL, id, false, &list, error);

    if (r == 0)
        gather(all, list);
    return r;
}

static int list(struct cli *cli, const char *container, show_fn *show)
{
    const char *app = options_get(&cli->options, "app");
    const char *node = options_get(&cli->options, "node");
    bool live_only = options_has(&cli->options, "live");
    struct gathered all = { 0 };
    struct host_names nodes = { 0 };
    struct creel_error error;
    struct creel_client *client;
    int code, r;

    if ((app != NULL) + (node != NULL) + (container != NULL) > 1)
        return cli_usage(cli, "--app, --node and a container: one of them");
    if (node && !host_arguments_expand(cli, &node, 1, &nodes, &code))
        return code;
    client = cli_client(cli, &code);
    if (!client) {
        host_names_done(&nodes);
        return code;
    }
    if (container)
        r = of_container(client, container, &all, &error);
    else if (app)
        r = of_app(client, app, live_only, &all, &error);
    else if (node)
        r = of_nodes(client, &nodes, live_only, &all, &error);
    else
        r = of_all(client, &all, &error);
    host_names_done(&nodes);
    if (r == 0)
        return show_gathered(cli, &all, show);
    for (size_t i = 0; i < all.count; i++)
        creel_containers_free(all.lists[i]);
    free(all.lists);
    return cli_fail(&error);
}

int cmd_container_list(struct cli *cli)
{
    return list(cli, NULL, show_container_list);
}

int cmd_container_stats(struct cli *cli)
{
    if (cli->options.argument_count > 1)
        return cli_usage(cli, "one container, or --app or --node for several");
    return list(cli, cli->options.argument_count ? cli->options.arguments[0] : NULL, show_container_stats);
}

int cmd_container_show(struct cli *cli)
{
    struct creel_containers *list = NULL;
    struct creel_error error;
    struct creel_client *client;
    int code;

    if (cli->options.argument_count != 1)
        return cli_usage(cli, "which container? creel container show ID");
    client = cli_client(cli, &code);
    if (!client)
        return code;
    code = creel_container_list(client, NULL, NULL, cli->options.arguments[0], false, &list, &error) < 0
               ? cli_fail(&error)
               : show_container(cli, &list->items[0]);
    creel_containers_free(list);
    return code;
}
