/* SPDX-License-Identifier: Apache-2.0 */
/*
 * actions.h - forms that kill or move an application, or drain a node, and their handlers
 *
 * Only authenticated users see the forms. The resource manager decides whether the user may do what a form
 * requests. A form needs a valid token (token.h). The server refuses forms from pages of other sites before a
 * handler runs.
 */
#ifndef CREEL_WEB_PAGE_ACTIONS_H
#define CREEL_WEB_PAGE_ACTIONS_H

#include "web/page/frame.h"

/* Add a section with forms to the page, if the user is authenticated. */
void actions_add_app(struct page *page, const Creel__AppReport *app);
void actions_add_node(struct page *page, const Creel__NodeReport *node);

/* Handlers of POST. They answer with a redirect to the page of the application or of the node. */
void action_kill(struct exchange *exchange);
void action_move(struct exchange *exchange);
void action_drain(struct exchange *exchange);
void action_undrain(struct exchange *exchange);

#endif
