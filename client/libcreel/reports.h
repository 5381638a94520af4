/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reports.h - inside libcreel: converts replies of the RM into the public structs of creel.h
 *
 * A result is one memory block: the public list first, then the data that it points to. Strings stay in the
 * replies, which the block owns.
 */
#ifndef CREEL_LIBCREEL_REPORTS_H
#define CREEL_LIBCREEL_REPORTS_H

#include "client/include/creel.h"
#include "client/libcreel/pages.h"
#include "common/base/err.h"
#include "common/proto/creel.pb-c.h"

/* Make a list from PAGES, and take ownership of PAGES; on -ENOMEM the caller keeps PAGES. */
int reports_apps(struct pages *pages, struct creel_apps **ret, struct err *err);
/* Fills SHOWN; texts are borrowed from REPORT. */
void reports_container(const Creel__ContainerReport *report, struct creel_container *shown);
int reports_containers(struct pages *pages, struct creel_containers **ret, struct err *err);
int reports_nodes(struct pages *pages, struct creel_nodes **ret, struct err *err);
int reports_cluster(struct pages *pages, struct creel_cluster **ret, struct err *err);

/* Returns an array that the caller frees; its texts are borrowed from the message. */
struct creel_label *reports_labels(Creel__LabelReport *const *reports, size_t count);
struct creel_resource reports_resource(const Creel__Resource *resource); /* NULL: all amounts 0 */
/* Returns a malloc'ed array of borrowed texts that ends with NULL. */
const char *const *reports_texts(char **texts, size_t count);

#endif
