/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reports.h - inside libcreel: what the RM reports, as the public structs
 *
 * A result is one block: the public list in front, behind it what it points
 * to. Its strings stay in the replies, which the block owns.
 */
#ifndef CREEL_LIBCREEL_REPORTS_H
#define CREEL_LIBCREEL_REPORTS_H

#include "client/include/creel.h"
#include "common/base/err.h"
#include "common/proto/creel.pb-c.h"

/* Replies that make one list, owned; in order. */
struct pages {
    Creel__Envelope **items;
    size_t count, capacity;
};

int pages_add(struct pages *pages, Creel__Envelope *reply, struct err *err);    /* takes REPLY, always */
void pages_done(struct pages *pages);

/* Make the list and give it the pages; on -ENOMEM they stay the caller's. */
int reports_apps(struct pages *pages, struct creel_apps **ret, struct err *err);
int reports_containers(struct pages *pages, struct creel_containers **ret, struct err *err);
int reports_nodes(struct pages *pages, struct creel_nodes **ret, struct err *err);
int reports_cluster(struct pages *pages, struct creel_cluster **ret, struct err *err);

/* To be freed; their texts are the message's. */
struct creel_label *reports_labels(Creel__LabelReport *const *reports, size_t count);
struct creel_resource reports_resource(const Creel__Resource *resource);        /* NULL: nothing */
/* A list of its own that ends with NULL, of texts that are borrowed; malloc'ed. */
const char *const *reports_texts(char **texts, size_t count);

#endif
