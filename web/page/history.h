/* SPDX-License-Identifier: Apache-2.0 */
/* history.h - what the pages of ended applications and of their usage share: views and filter */
#ifndef CREEL_WEB_PAGE_HISTORY_H
#define CREEL_WEB_PAGE_HISTORY_H

#include "web/page/frame.h"

/* A filter of the history. QUERY points to the other fields, so the struct must not be copied. */
struct history_filter {
    Creel__ListJobHistory query;
    char *user, *queue; /* texts of the exchange */
    Creel__AppState state;
};

/* Writes links to the list of applications (CURRENT "") and to the usage by "hour", "queue" and "user". */
void history_add_views(struct page *page, const char *current);
/* Writes the links of states and the form of the filter, which leads to PATH. SINCE: label of the field of
 * the time. */
void history_add_filter(struct page *page, const char *path, const char *since);
/* Reads the filter from the parameters. USUAL_MS: time that it goes back without the parameter; 0: no
 * bound. */
void history_read_filter(struct page *page, int64_t usual_ms, struct history_filter *ret);

#endif
