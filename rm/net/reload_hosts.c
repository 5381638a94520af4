/* SPDX-License-Identifier: Apache-2.0 */
/* reload_hosts.c - reads the lists of hosts, at the start and at a refresh, and applies both or none */
#include <arpa/inet.h>
#include <netdb.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "common/conf/hosts.h"
#include "rm/net/reload.h"

static struct master_host *borrow(const struct hosts_list *list)
{
    struct master_host *hosts = mem_array0(list->count + 1, sizeof(*hosts));

    for (size_t i = 0; i < list->count; i++)
        hosts[i] =
            (struct master_host){ list->items[i].name, list->items[i].timed, list->items[i].timeout_ms };
    return hosts;
}

static int64_t graceful_ms(const struct conf *conf)
{
    int64_t seconds = conf_int(conf, CONF_GRACEFUL_TIMEOUT);

    return seconds < 0 ? -1 : seconds * 1000;
}

int start_hosts(const struct conf *conf, struct master *master, struct err *err)
{
    struct hosts_lists lists;
    int r = hosts_load(conf, &lists, err);
    struct master_hosts hosts;

    if (r < 0)
        return r;
    hosts = (struct master_hosts){
        .include = borrow(&lists.include),
        .include_count = lists.include.count,
        .exclude = borrow(&lists.exclude),
        .exclude_count = lists.exclude.count,
        .timeout_ms = graceful_ms(conf),
    };
    master_recover_hosts(master, &hosts);
    free((void *)(uintptr_t)hosts.include);
    free((void *)(uintptr_t)hosts.exclude);
    hosts_done(&lists);
    return 0;
}

/* Reads the configuration and the lists that it names. As in YARN, the paths of the lists may change. */
static int load(struct daemon_confs *confs, struct conf **conf, struct hosts_lists *lists, struct err *err)
{
    int r = conf_load(conf_loaded_from(confs->started), NULL, NULL, conf, err);

    return r < 0 ? r : hosts_load(*conf, lists, err);
}

int reload_hosts(struct daemon_confs *confs, const struct master_reload *reload, struct err *err)
{
    struct hosts_lists lists = { .include = { .count = 0 } };
    struct master_hosts_result result;
    struct conf *conf = NULL;
    struct master_hosts hosts;
    int r = load(confs, &conf, &lists, err);

    if (r < 0) {
        log_line(LOG_LEVEL_ERROR, "lists of hosts not refreshed for %s, all stays as it was: %s",
                 reload->user, err->text);
        metrics_note_reload(confs->parts.metrics, METRICS_NODES, false, clock_now_ms(confs->parts.clock));
        master_note_refresh(confs->parts.master, clock_now_ms(confs->parts.clock), MASTER_PART_HOSTS,
                            reload->user, err->text, confs->parts.commits->filling);
        master_reload_hosts(confs->parts.master, clock_now_ms(confs->parts.clock), reload, NULL, err, NULL,
                            confs->parts.commits->filling);
        conf_free(conf);
        return r;
    }
    hosts = (struct master_hosts){
        .include = borrow(&lists.include),
        .include_count = lists.include.count,
        .exclude = borrow(&lists.exclude),
        .exclude_count = lists.exclude.count,
        .timeout_ms = graceful_ms(conf),
    };
    master_reload_hosts(confs->parts.master, clock_now_ms(confs->parts.clock), reload, &hosts, NULL, &result,
                        confs->parts.commits->filling);
    metrics_note_reload(confs->parts.metrics, METRICS_NODES, true, clock_now_ms(confs->parts.clock));
    master_note_refresh(confs->parts.master, clock_now_ms(confs->parts.clock), MASTER_PART_HOSTS,
                        reload->user, NULL, confs->parts.commits->filling);
    log_line(LOG_LEVEL_INFO,
             "lists of hosts refreshed for %s: %zu included, %zu excluded; of the nodes "
             "%u leaving, %u left, %u may come back",
             reload->user, lists.include.count, lists.exclude.count, result.leaving, result.left,
             result.returned);
    for (size_t i = 0; i < result.change_count; i++)
        log_line(LOG_LEVEL_INFO, "%s", result.changes[i]);
    free((void *)(uintptr_t)hosts.include);
    free((void *)(uintptr_t)hosts.exclude);
    hosts_done(&lists);
    conf_free(conf);
    return 0;
}

/* Returns the address of HOST as text; NULL: unknown. Called only if a list has addresses, once for each
 * registration. */
const char *find_address(void *context, struct arena *arena, const char *host)
{
    const struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM };
    struct addrinfo *found = NULL;
    const char *text = NULL;
    char address[NI_MAXHOST];

    (void)context;
    if (getaddrinfo(host, NULL, &hints, &found) != 0)
        return NULL;
    if (getnameinfo(found->ai_addr, found->ai_addrlen, address, sizeof(address), NULL, 0, NI_NUMERICHOST) ==
        0)
        text = arena_strdup(arena, address);
    freeaddrinfo(found);
    return text;
}
