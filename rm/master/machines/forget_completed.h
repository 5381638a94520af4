/* SPDX-License-Identifier: Apache-2.0 */
/* forget_completed.h - forgets ended containers of applications that run, by the rules of completed.h */
#ifndef CREEL_RM_MASTER_FORGET_COMPLETED_H
#define CREEL_RM_MASTER_FORGET_COMPLETED_H

#include "rm/master/state.h"

/* Forgets containers of the application of ATTEMPT, whose AM has confirmed the replies up to
 * attempt->confirmed_id. */
void rm_completed_forget(struct master *m, struct attempt *attempt);

#endif
