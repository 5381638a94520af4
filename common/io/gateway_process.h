/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gateway_process.h - one gateway of this daemon: started, and started again when it ends (private)
 *
 * A gateway starts at once when it ends, but not more often than every 100 ms; one that ends before it is
 * ready waits longer each time. It ends when this process ends, whatever the reason.
 */
#ifndef CREEL_IO_GATEWAY_PROCESS_H
#define CREEL_IO_GATEWAY_PROCESS_H

#include <stdbool.h>

#include "common/base/err.h"
#include "common/io/gateway_frame.h"
#include "common/io/loop.h"

struct gateway_process;

struct gateway_events {
    /* It runs, and has got its SETUP: what it has to know goes out now. */
    void (*started)(void *context, unsigned number);
    /* A frame came. False: it breaks the protocol, and the gateway is ended. */
    bool (*frame)(void *context, unsigned number, const struct gateway_header *header,
                  const uint8_t *payload);
    /* It is gone, and all that it knew. */
    void (*ended)(void *context, unsigned number);
};

/* Starts gateway NUMBER. Events come from LOOP, and `started` from here as well. LIMITS are copied. */
int gateway_process_new(struct loop *loop, unsigned number, const struct gate_limits *limits,
                        const struct gateway_events *events, void *context,
                        struct gateway_process **ret, struct err *err);
/* Ends it without `ended`; what is queued has GATEWAY_LINGER_MS to leave. NULL is fine. */
void gateway_process_free(struct gateway_process *process);

/* Sends a frame soon. One for a gateway that does not run now, or for NULL, is dropped. FD: -1, or a
 * descriptor of which the gateway gets a duplicate. */
void gateway_process_put(struct gateway_process *process, struct gateway_header header,
                         const void *bytes, size_t size, int fd);
/* Writes now what the socket takes, for frames that are waited for outside the loop. */
void gateway_process_flush(struct gateway_process *process);
/* Bytes that wait to be sent. */
size_t gateway_process_queued(const struct gateway_process *process);

#endif
