/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hosts.c - the include and exclude lists of hosts of the cluster
 *
 * yarn-behaviour 15: yarn.resourcemanager.nodes.include-path and .exclude-path. An entry is the name or the
 * address of a host, or (creel only) the id of a node, for one of several nodes of a host.
 */
#include <errno.h>
#include <string.h>

#include "rm/master/nodes/hosts.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/index.h"

static const char excluded[] = "is in the list of yarn.resourcemanager.nodes.exclude-path";
static const char not_included[] = "is not in the list of yarn.resourcemanager.nodes.include-path";

/* --- the lists ------------------------------------------------------------- */

static void list_done(struct host **list)
{
    struct host *host, *next;

    HASH_ITER(hh, *list, host, next) {
        HASH_DEL(*list, host);
        free(host->name);
        free(host);
    }
}

void rm_hosts_done(struct hosts *hosts)
{
    list_done(&hosts->include);
    list_done(&hosts->exclude);
    *hosts = (struct hosts){ .include = NULL };
}

static bool is_address(const char *name)
{
    return strspn(name, "0123456789.") == strlen(name) ||
           strspn(name, "0123456789abcdefABCDEF:.") == strlen(name);
}

static void list_add(struct hosts *hosts, struct host **list, const struct master_host *names, size_t count)
{
    struct host *host;

    for (size_t i = 0; i < count; i++) {
        HASH_FIND_STR(*list, names[i].name, host);
        if (host == NULL) {
            host = mem_new0(struct host);
            host->name = mem_strdup(names[i].name);
            HASH_ADD_KEYPTR(hh, *list, host->name, strlen(host->name), host);
        }
        host->timed = names[i].timed; /* as in YARN: the last of two entries counts */
        host->timeout_ms = names[i].timeout_ms;
        hosts->has_addresses = hosts->has_addresses || is_address(host->name);
    }
}

void rm_hosts_set(struct master *m, const struct master_hosts *from)
{
    rm_hosts_done(&m->hosts);
    list_add(&m->hosts, &m->hosts.include, from->include, from->include_count);
    list_add(&m->hosts, &m->hosts.exclude, from->exclude, from->exclude_count);
    m->hosts.timeout_ms = from->timeout_ms;
}

/* --- looking up a node ---------------------------------------------------- */

struct names { /* names of a node, ended by NULL */
    const char *list[5];
};

static const char *host_of(struct arena *arena, const char *id)
{
    const char *colon = strrchr(id, ':');
    char *host = arena_strdup(arena, id);

    if (colon)
        host[colon - id] = '\0';
    return host;
}

static struct names names_of(struct master *m, const char *node_id, const char *address)
{
    struct arena *arena = m->out->arena;
    struct names names = { { node_id, host_of(arena, node_id) } };
    size_t count = 2;

    if (!rm_text_is_empty(address))
        names.list[count++] = host_of(arena, address);
    if (m->hosts.has_addresses && m->config.address)
        names.list[count] = m->config.address(m->config.context, arena, names.list[1]);
    return names;
}

static const struct host *find(const struct host *list, const struct names *names)
{
    const struct host *host = NULL;

    for (size_t i = 0; names->list[i] && host == NULL; i++)
        HASH_FIND_STR(list, names->list[i], host);
    return host;
}

const char *rm_hosts_refusal(struct master *m, const char *node_id, const char *address,
                             const struct host **ret)
{
    const struct host *host;
    struct names names;

    if (ret)
        *ret = NULL;
    if (m->hosts.include == NULL && m->hosts.exclude == NULL)
        return NULL;
    names = names_of(m, node_id, address);
    host = find(m->hosts.exclude, &names);
    if (host) {
        if (ret)
            *ret = host;
        return excluded;
    }
    return m->hosts.include && find(m->hosts.include, &names) == NULL ? not_included : NULL;
}

static bool fits_a_node(struct master *m, const char *name)
{
    struct node *node;

    RB_FOREACH(node, rm_node_tree, &m->nodes) {
        struct names names = names_of(m, node->id, node->address);

        for (size_t i = 0; names.list[i]; i++)
            if (text_equal(names.list[i], name))
                return true;
    }
    return false;
}

void rm_hosts_each_unknown(struct master *m, void (*each)(void *context, const char *name), void *context)
{
    for (struct host *host = m->hosts.exclude; host; host = host->hh.next)
        if (!fits_a_node(m, host->name))
            each(context, host->name);
}

/* --- nodes that are in no list ---------------------------------------------- */

bool rm_hosts_untracked(struct master *m, const struct node *node)
{
    return (node->state == NODE_STATE_LOST || node->state == NODE_STATE_RETIRED) &&
           rm_hosts_refusal(m, node->id, node->address, NULL) == not_included;
}

void rm_hosts_watch(struct master *m, struct node *node)
{
    if (!rm_hosts_untracked(m, node))
        rm_deadline_clear(m, &node->untracked);
    else if (!node->untracked.armed)
        rm_deadline_set(m, &node->untracked, m->now_ms + m->config.untracked_ms);
}

/* --- new lists ------------------------------------------------------ */

void master_recover_hosts(struct master *m, const struct master_hosts *hosts)
{
    rm_hosts_set(m, hosts);
}
