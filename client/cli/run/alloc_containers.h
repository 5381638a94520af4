/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alloc_containers.h - the containers of an allocation: their hosts and numbers
 *
 * A container that this process was granted gets a number, its title. One of a former process has the number
 * that is its title. While the resource manager does not know its title, it is untitled, and counts as
 * neither live nor ended: perhaps it was not started, or its node has not reported it since the resource
 * manager was restarted.
 */
#ifndef CREEL_CLI_ALLOC_CONTAINERS_H
#define CREEL_CLI_ALLOC_CONTAINERS_H

#include <stdbool.h>
#include <stdint.h>
#include <uthash.h>

struct alloc_container {
    char *id, *host;
    uint32_t number; /* its title; not of one that is untitled */
    bool started, ended, untitled;
    UT_hash_handle hh, hh_number;
};

struct alloc_containers {
    struct alloc_container *all;       /* owned, by id: all containers that this process knows */
    struct alloc_container *by_number; /* the live ones: those that have a number and have not ended */
    uint32_t untitled;                 /* number of those that are untitled and have not ended */
    uint32_t free_from;                /* smaller numbers are in use */
};

/* Adds a container, untitled. */
struct alloc_container *alloc_containers_add(struct alloc_containers *containers, const char *id,
                                             const char *node_id);
struct alloc_container *alloc_containers_find(const struct alloc_containers *containers,
                                              const char *id); /* NULL: unknown */
/* Gives an untitled container its number. */
void alloc_containers_number(struct alloc_containers *containers, struct alloc_container *container,
                             uint32_t number);
/* Returns the smallest number that no live container has. */
uint32_t alloc_containers_free_number(const struct alloc_containers *containers);
uint32_t alloc_containers_live(const struct alloc_containers *containers); /* number of live containers */
void alloc_containers_end(struct alloc_containers *containers, struct alloc_container *container);
/* Returns the hosts of the live containers, each once: "n1,n2". The caller frees the text. */
char *alloc_containers_hosts(const struct alloc_containers *containers);
void alloc_containers_done(struct alloc_containers *containers);

#endif
