/* SPDX-License-Identifier: Apache-2.0 */
/* text_list.h - a list of at most 100 sentences for an answer, as the changes that a refresh has found */
#ifndef CREEL_BASE_TEXT_LIST_H
#define CREEL_BASE_TEXT_LIST_H

#include <stddef.h>

#define TEXT_LIST_MAX 100

struct text_list {
    char *items[TEXT_LIST_MAX]; /* owned */
    size_t count;
    size_t dropped; /* texts for which there was no room */
};

/* Takes TEXT. */
void text_list_add(struct text_list *list, char *text);
/* If texts were dropped, replaces the last text by "... and 17 more WHAT". */
void text_list_end(struct text_list *list, const char *what);
void text_list_clear(struct text_list *list);

#endif
