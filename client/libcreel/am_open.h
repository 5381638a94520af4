/* SPDX-License-Identifier: Apache-2.0 */
/*
 * am_open.h - inside libcreel: an application master (creel-am.h) with a given environment, and its loop
 */
#ifndef CREEL_LIBCREEL_AM_OPEN_H
#define CREEL_LIBCREEL_AM_OPEN_H

#include "client/include/creel-am.h"
#include "client/libcreel/am.h"
#include "common/base/err.h"
#include "common/io/loop/loop.h"

struct am_open {
    struct am_environment *environment; /* moved into the AM; empty afterwards */
    uint64_t session;                   /* AmAccess.session of an unmanaged AM; else 0 */
    const struct creel_am_calls *calls;
    void *context;
};

/* Makes an AM. -errno with ERR: nothing was made. */
int am_open_with(const struct am_open *open, struct creel_am **ret, struct err *err);
/* Returns the loop that creel_am_run runs, for descriptors and signals of the caller. */
struct loop *am_loop(struct creel_am *am);

#endif
