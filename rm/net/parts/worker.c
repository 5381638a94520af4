/* SPDX-License-Identifier: Apache-2.0 */
/* worker.c - workers whose jobs are finished by the loop */
#include "rm/net/parts/worker.h"

static void on_done(void *context, int fd)
{
    (void)fd;
    worker_finish(context);
}

static int watch(void *context, int fd, struct worker *worker, struct err *err)
{
    return loop_add_fd(context, fd, false, on_done, worker, err);
}

static void unwatch(void *context, int fd)
{
    loop_remove_fd(context, fd);
}

int worker_new(struct loop *loop, struct worker **ret, struct err *err)
{
    const struct worker_watch by_loop = { .context = loop, .add = watch, .remove = unwatch };

    return worker_start(&by_loop, false, ret, err);
}
