/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alloc_book.h - the containers of an allocation: their hosts and numbers
 *
 * A container that this process was granted gets a number, its title. One of a former process has the number
 * that is its title. While the resource manager does not know its title, it is untitled, and counts as
 * neither live nor ended: perhaps it was not started, or its node has not reported it since the resource
 * manager was restarted.
 */
#ifndef CREEL_CLI_ALLOC_BOOK_H
#define CREEL_CLI_ALLOC_BOOK_H

#include <stdbool.h>
#include <stdint.h>
#include <uthash.h>

struct place { /* a container */
    char *id, *host;
    uint32_t number; /* its title; not of one that is untitled */
    bool started, ended, untitled;
    UT_hash_handle hh, hh_number;
};

struct alloc_book {
    struct place *places;    /* owned, by id: all containers that this process knows */
    struct place *by_number; /* the live ones: those that have a number and have not ended */
    uint32_t untitled;       /* number of those that are untitled and have not ended */
    uint32_t free_from;      /* smaller numbers are in use */
};

/* Adds a container, untitled. */
struct place *alloc_book_add(struct alloc_book *book, const char *id, const char *node_id);
struct place *alloc_book_find(const struct alloc_book *book, const char *id); /* NULL: unknown */
/* Gives an untitled container its number. */
void alloc_book_number(struct alloc_book *book, struct place *place, uint32_t number);
/* Returns the smallest number that no live container has. */
uint32_t alloc_book_free_number(const struct alloc_book *book);
uint32_t alloc_book_live(const struct alloc_book *book); /* number of live containers */
void alloc_book_end(struct alloc_book *book, struct place *place);
/* Returns the hosts of the live containers, each once: "n1,n2". The caller frees the text. */
char *alloc_book_hosts(const struct alloc_book *book);
void alloc_book_done(struct alloc_book *book);

#endif
