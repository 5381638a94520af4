/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reports.h - inside libcreel: converts replies of the RM into the public structs of creel.h
 *
 * Each is a result (result.h). Strings stay in the replies, which the result owns.
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
/* The same for replies of which another result is the owner. */
int reports_nodes_borrowed(const struct pages *pages, struct creel_nodes **ret, struct err *err);
/* Takes PAGES. */
struct creel_cluster *reports_cluster(struct pages *pages);

/* Returns an array of the result SHOWN; its texts are borrowed from the message. */
struct creel_label *reports_labels(void *shown, Creel__LabelReport *const *reports, size_t count);
struct creel_resource reports_resource(const Creel__Resource *resource); /* NULL: all amounts 0 */

#endif
