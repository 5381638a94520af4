/* SPDX-License-Identifier: Apache-2.0 */
/*
 * actions.h - forms on pages that kill, move and drain, and their handlers
 *
 * The forms are drawn for authenticated users alone. Whether a user may is decided by the resource manager,
 * which is asked as that user. A form needs its token (token.h), and the server has refused those of other
 * sites already.
 */
#ifndef CREEL_WEB_PAGE_ACTIONS_H
#define CREEL_WEB_PAGE_ACTIONS_H

#include "web/page/frame.h"

/* The sections with forms; nothing for others than authenticated users. */
void actions_add_app(struct page *page, const Creel__AppReport *app);
void actions_add_node(struct page *page, const Creel__NodeReport *node);

/* Handlers of POST. They answer with a redirect to the page of the application or of the node. */
void action_kill(struct exchange *exchange);
void action_move(struct exchange *exchange);
void action_drain(struct exchange *exchange);
void action_undrain(struct exchange *exchange);

#endif
