/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gateway_process.h - starts one gateway process of a daemon, and restarts the process when it ends
 *
 * A gateway is creel-gateway, or another program that begins with SETUP and HELLO of gateway_frame.h. A
 * gateway that ends is restarted at once, but at most every 100 ms; if it ends before it is ready, the
 * delay grows each time. A gateway always ends when the daemon's process ends.
 *
 * A gateway that does not answer PING for about 8 seconds is killed. The time is counted in turns of the
 * loop, each with a look at what the gateway has sent: a daemon that was stopped itself kills no gateway.
 */
#ifndef CREEL_IO_GATEWAY_PROCESS_H
#define CREEL_IO_GATEWAY_PROCESS_H

#include <stdbool.h>

#include "common/base/err.h"
#include "common/io/loop/loop.h"
#include "common/io/server/gateway_frame.h"

struct gateway_process;

struct gateway_program {
    const char *name;         /* of its file, which is beside the daemon's program, or installed */
    const char *variable;     /* environment variable that names another file */
    const char *label;        /* name in the log: "gateway" */
    uint32_t descriptors_min; /* that it needs */
    uint32_t descriptors_max; /* limits of the process, as in struct gateway_setup */
    uint64_t memory_max_bytes;
};

extern const struct gateway_program gateway_program; /* creel-gateway */

struct gateway_events {
    /* The gateway runs, and SETUP was sent to it. The callback sends the first frames, such as LISTEN. */
    void (*started)(void *context, unsigned number);
    /* A frame was received. Returns false if the frame breaks the protocol; then the gateway is ended. */
    bool (*frame)(void *context, unsigned number, const struct gateway_header *header,
                  const uint8_t *payload);
    /* The gateway process has ended, and all its state is lost. HUNG_MS: it was killed since it did not
     * answer for so long; 0: it ended by itself. */
    void (*ended)(void *context, unsigned number, int64_t hung_ms);
};

/* Starts PROGRAM, which must outlive the process, as gateway NUMBER. Events are called from LOOP; `started`
 * is also called from this function. LIMITS are copied. */
int gateway_process_new(struct loop *loop, const struct gateway_program *program, unsigned number,
                        const struct gateway_limits *limits, const struct gateway_events *events,
                        void *context, struct gateway_process **ret, struct err *err);
/* Ends the gateway without calling `ended`; queued frames are sent for GATEWAY_LINGER_MS more. PROCESS may be
 * NULL. */
void gateway_process_free(struct gateway_process *process);

/* Queues a frame. It is dropped if the gateway does not run now, or PROCESS is NULL. FD: -1, or a descriptor
 * of which the gateway gets a duplicate. */
void gateway_process_put(struct gateway_process *process, struct gateway_header header, const void *bytes,
                         size_t size, int fd);
/* Writes the bytes that the socket accepts now, for callers that wait for frames outside the loop. */
void gateway_process_flush(struct gateway_process *process);
/* Returns the number of bytes in the queue. */
size_t gateway_process_queued(const struct gateway_process *process);

#endif
