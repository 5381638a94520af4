/* SPDX-License-Identifier: Apache-2.0 */
/* alloc_containers.c - the containers of an allocation: their hosts and numbers */
#include "client/cli/run/alloc_containers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"

struct alloc_container *alloc_containers_add(struct alloc_containers *containers, const char *id,
                                             const char *node_id)
{
    struct alloc_container *container = mem_new0(struct alloc_container);

    container->id = mem_strdup(id);
    container->host = mem_strndup(node_id, strcspn(node_id, ":"));
    container->untitled = true;
    containers->untitled++;
    HASH_ADD_KEYPTR(hh, containers->all, container->id, strlen(container->id), container);
    return container;
}

struct alloc_container *alloc_containers_find(const struct alloc_containers *containers, const char *id)
{
    struct alloc_container *container;

    HASH_FIND_STR(containers->all, id, container);
    return container;
}

void alloc_containers_number(struct alloc_containers *containers, struct alloc_container *container,
                             uint32_t number)
{
    containers->untitled--;
    container->untitled = false;
    container->number = number;
    HASH_ADD(hh_number, containers->by_number, number, sizeof(container->number), container);
    if (number == containers->free_from)
        containers->free_from++;
}

uint32_t alloc_containers_free_number(const struct alloc_containers *containers)
{
    const struct alloc_container *other;

    for (uint32_t number = containers->free_from;; number++) {
        HASH_FIND(hh_number, containers->by_number, &number, sizeof(number), other);
        if (!other)
            return number;
    }
}

uint32_t alloc_containers_live(const struct alloc_containers *containers)
{
    return HASH_CNT(hh_number, containers->by_number);
}

void alloc_containers_end(struct alloc_containers *containers, struct alloc_container *container)
{
    container->ended = true;
    if (container->untitled) {
        containers->untitled--;
        return;
    }
    HASH_DELETE(hh_number, containers->by_number, container);
    if (container->number < containers->free_from)
        containers->free_from = container->number;
}

char *alloc_containers_hosts(const struct alloc_containers *containers)
{
    struct named_host {
        const char *name;
        UT_hash_handle hh;
    } *hosts = NULL, *host, *next;
    char *list = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&list, &size);

    if (!stream)
        abort(); /* out of memory */
    for (const struct alloc_container *container = containers->all; container;
         container = container->hh.next) {
        HASH_FIND_STR(hosts, container->host, host);
        if (container->ended || container->untitled || host)
            continue;
        fprintf(stream, "%s%s", hosts ? "," : "", container->host);
        host = mem_new0(struct named_host);
        host->name = container->host;
        HASH_ADD_KEYPTR(hh, hosts, host->name, strlen(host->name), host);
    }
    fclose(stream);
    HASH_ITER(hh, hosts, host, next) {
        HASH_DEL(hosts, host);
        free(host);
    }
    return list;
}

void alloc_containers_done(struct alloc_containers *containers)
{
    struct alloc_container *container, *next;

    HASH_CLEAR(hh_number, containers->by_number);
    HASH_ITER(hh, containers->all, container, next) {
        HASH_DEL(containers->all, container);
        free(container->id);
        free(container->host);
        free(container);
    }
}
