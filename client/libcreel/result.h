/* SPDX-License-Identifier: Apache-2.0 */
/*
 * result.h - inside libcreel: what a request returns, in one block
 *
 * A result is a public struct, the replies in which its texts are, and the arrays to which it points. The
 * caller of libcreel has a pointer to the struct, and frees all of it with one function, which calls
 * result_free.
 *
 *     struct creel_joins *joins = RESULT_NEW(struct creel_joins, &pages);
 *
 *     joins->hosts = RESULT_ARRAY(joins, count, struct creel_joined_host);
 */
#ifndef CREEL_LIBCREEL_RESULT_H
#define CREEL_LIBCREEL_RESULT_H

#include "client/libcreel/pages.h"

/* Returns a struct of SIZE bytes, all 0. Takes the replies of PAGES; NULL: it has none yet. */
void *result_new(size_t size, struct pages *pages);
/* Makes SHOWN, which has no replies, the owner of those of PAGES. */
void result_take(void *shown, struct pages *pages);
#define RESULT_NEW(type, pages) ((type *)result_new(sizeof(type), pages))

/* Returns an array of COUNT elements of SIZE bytes and one more, all 0. It is freed with the result SHOWN. */
void *result_array(void *shown, size_t count, size_t size);
#define RESULT_ARRAY(shown, count, type) ((type *)result_array(shown, count, sizeof(type)))
/* The same for a list that may be large: returns NULL if there is no memory for it. */
void *result_array_try(void *shown, size_t count, size_t size);

/* Returns the texts as an array that ends with NULL. */
const char *const *result_texts(void *shown, char **texts, size_t count);

/* Returns the replies of SHOWN. */
const struct pages *result_pages(const void *shown);

void result_free(void *shown); /* NULL is fine */

#endif
