/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resize.h - other sizes for running containers (yarn-behaviour 4.4)
 *
 * An AM (Allocate.updates), the owner of the application or an administrator (ResizeContainer) asks for
 * another size. The scheduler decides when it counts; an increase may wait. Each change raises the version
 * of the container by one, and is stored. After the commit its agent gets a ResizeOrder, which is repeated
 * with every heartbeat until the agent reports the version. The AM gets the container with a new token.
 *
 * After a restart of the resource manager sizes and versions are those of the stored rows. An increase that
 * waited is gone if an AM asked for it, as in YARN: the AM asks again when it registers. One that a user
 * asked for (ResizeContainer) is in the row, and is requested again when the agent reports the container.
 */
#ifndef CREEL_RM_MASTER_RESIZE_H
#define CREEL_RM_MASTER_RESIZE_H

#include "rm/master/state.h"

/* Checks whether CONTAINER can have another size now. -EBUSY: it does not run; -EOPNOTSUPP: its agent cannot
 * resize containers. ERR has a sentence without the id of the container. */
int rm_resize_judge(const struct container *container, struct err *err);
/* Requests the size ASKED for CONTAINER, which rm_resize_judge() has checked. It replaces an increase that
 * waits. -ERANGE, -EINVAL or -EALREADY as of sched_container_resize(): nothing has changed. */
int rm_resize(struct master *m, struct container *container, const struct resource *asked, struct err *err);
/* Withdraws the increase of CONTAINER that waits, if there is one. */
void rm_resize_cancel(struct master *m, struct container *container);
/* Stores the increase of CONTAINER for which a user has asked, if it waits. */
void rm_resize_keep(struct master *m, struct container *container);
/* Requests the stored increase of CONTAINER, which its agent has reported, again after a restart of the
 * resource manager. It is dropped if it is not possible any more. */
void rm_resize_again(struct master *m, struct container *container);
/* Returns true if an increase of CONTAINER waits, and sets *TARGET to the size that it is to have. */
bool rm_resize_waits(const struct container *container, struct resource *target);

/* Carries out the scheduler's decision that CONTAINER has another size. */
void rm_resize_decided(struct master *m, struct container *container);
/* Notes the version that the agent of CONTAINER reports: adds or removes the order. */
void rm_resize_reported(struct container *container, uint32_t version);
/* Forgets the order and the news of CONTAINER, which is stopped or has ended. */
void rm_resize_forget(struct container *container);
/* Forgets the news for the AM of ATTEMPT, which ends. */
void rm_resize_forget_news(struct attempt *attempt);

#endif
