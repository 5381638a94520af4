/* SPDX-License-Identifier: Apache-2.0 */
/* alloc_book.c - the containers of an allocation: their hosts and numbers */
#include "client/cli/alloc_book.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"

struct place *alloc_book_add(struct alloc_book *book, const char *id, const char *node_id)
{
    struct place *place = mem_new0(struct place);

    place->id = mem_strdup(id);
    place->host = mem_strndup(node_id, strcspn(node_id, ":"));
    place->untitled = true;
    book->untitled++;
    HASH_ADD_KEYPTR(hh, book->places, place->id, strlen(place->id), place);
    return place;
}

struct place *alloc_book_find(const struct alloc_book *book, const char *id)
{
    struct place *place;

    HASH_FIND_STR(book->places, id, place);
    return place;
}

void alloc_book_number(struct alloc_book *book, struct place *place, uint32_t number)
{
    book->untitled--;
    place->untitled = false;
    place->number = number;
    HASH_ADD(hh_number, book->by_number, number, sizeof(place->number), place);
    if (number == book->free_from)
        book->free_from++;
}

uint32_t alloc_book_free_number(const struct alloc_book *book)
{
    const struct place *other;

    for (uint32_t number = book->free_from;; number++) {
        HASH_FIND(hh_number, book->by_number, &number, sizeof(number), other);
        if (!other)
            return number;
    }
}

uint32_t alloc_book_live(const struct alloc_book *book)
{
    return HASH_CNT(hh_number, book->by_number);
}

void alloc_book_end(struct alloc_book *book, struct place *place)
{
    place->ended = true;
    if (place->untitled) {
        book->untitled--;
        return;
    }
    HASH_DELETE(hh_number, book->by_number, place);
    if (place->number < book->free_from)
        book->free_from = place->number;
}

char *alloc_book_hosts(const struct alloc_book *book)
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
    for (const struct place *place = book->places; place; place = place->hh.next) {
        HASH_FIND_STR(hosts, place->host, host);
        if (place->ended || place->untitled || host)
            continue;
        fprintf(stream, "%s%s", hosts ? "," : "", place->host);
        host = mem_new0(struct named_host);
        host->name = place->host;
        HASH_ADD_KEYPTR(hh, hosts, host->name, strlen(host->name), host);
    }
    fclose(stream);
    HASH_ITER(hh, hosts, host, next) {
        HASH_DEL(hosts, host);
        free(host);
    }
    return list;
}

void alloc_book_done(struct alloc_book *book)
{
    struct place *place, *next;

    HASH_CLEAR(hh_number, book->by_number);
    HASH_ITER(hh, book->places, place, next) {
        HASH_DEL(book->places, place);
        free(place->id);
        free(place->host);
        free(place);
    }
}
