/* SPDX-License-Identifier: Apache-2.0 */
/*
 * feed.h - puts replies of the resource manager into the model (pure)
 *
 * A load is web_model_begin, all pages of ListApps, ListNodes and ListQueues, GetClusterInfo, and
 * web_model_end. The rows of the previous load remain until web_model_end. After a load, further pages and
 * changes replace rows. All messages are copied.
 */
#ifndef CREEL_WEB_MODEL_FEED_H
#define CREEL_WEB_MODEL_FEED_H

#include "web/model/model.h"

struct web_model *web_model_new(void);
void web_model_free(struct web_model *model); /* NULL is fine */

void web_model_begin(struct web_model *model);
/* Ends a load. Removes applications and nodes that no call has put since web_model_begin. */
void web_model_end(struct web_model *model);

void web_model_put_apps(struct web_model *model, const Creel__AppList *page);
void web_model_put_nodes(struct web_model *model, const Creel__NodeList *page);
/* Adds a page of ListQueues. FIRST: PAGE is the first page. The last page makes the new list replace the
 * old. */
void web_model_put_queues(struct web_model *model, const Creel__QueueList *page, bool first);
/* Replaces the queues of PAGE that the list has. */
void web_model_put_some_queues(struct web_model *model, const Creel__QueueList *page);
void web_model_put_cluster(struct web_model *model, const Creel__ClusterInfo *cluster);
void web_model_put_changes(struct web_model *model, const Creel__Changes *changes);

#endif
