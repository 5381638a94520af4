/* SPDX-License-Identifier: Apache-2.0 */
/*
 * actions.h - forms that kill or move an application, or drain a node, and their handlers
 *
 * A page has a form only if its user may do what the form requests: the scope of the request suffices, and
 * the resource manager has reported the right (AppReport.may_change, NodeList.may_change). While the resource
 * manager does not answer, no page has forms. The resource manager checks the right again when a form is
 * sent. A form needs a valid token (token.h). The server refuses forms from pages of other sites before a
 * handler runs.
 */
#ifndef CREEL_WEB_PAGE_ACTIONS_H
#define CREEL_WEB_PAGE_ACTIONS_H

#include "web/page/frame.h"

/* Returns whether the page may have forms for APP, so that it needs AppReport.may_change of the resource
 * manager. The reports of the model do not have it. */
bool actions_need_right(const struct page *page, const Creel__AppReport *app);
/* Adds a section with forms to the page, if APP has may_change and actions_need_right. */
void actions_add_app(struct page *page, const Creel__AppReport *app);

typedef void actions_added_fn(struct page *page);
/* Adds a section with forms for NODE to the page, if the user may change nodes. The resource manager is asked
 * for the right only if the scope of the request suffices. Calls ADDED exactly once, at once or later. NODE
 * is not used after actions_ask_node has returned. */
void actions_ask_node(struct page *page, const Creel__NodeReport *node, actions_added_fn *added);

/* Handlers of POST. They answer with a redirect to the page of the application or of the node. */
void action_kill(struct exchange *exchange);
void action_move(struct exchange *exchange);
void action_drain(struct exchange *exchange);
void action_undrain(struct exchange *exchange);

#endif
