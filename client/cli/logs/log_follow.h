/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log_follow.h - follows many log files at once, complete and line by line, pure (no I/O, no clock)
 *
 * Each source is one container on one agent. Its stdout and stderr are read by long polls (ReadLog) from the
 * end of the last answer, so that nothing is copied twice or left out. Unanswered requests are repeated. A
 * source whose agent does not answer after the container ended is given up after a while, with a message.
 */
#ifndef CREEL_CLI_LOG_FOLLOW_H
#define CREEL_CLI_LOG_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/io/wire/wire.h"
#include "common/proto/creel.pb-c.h"

struct log_follow; /* opaque */

struct log_follow_calls {
    /* Sends ENVELOPE (borrowed) to the agent; may be lost. */
    void (*send)(void *context, const char *address, const char *agent_key, Creel__Envelope *envelope);
    /* Writes whole lines with their label, or raw bytes of a source without a label. */
    void (*write)(void *context, bool is_stderr, const char *data, size_t size);
    /* Output is missing: one message for the user. */
    void (*trouble)(void *context, const char *text);
    void *context;
};

struct log_source { /* one container's logs; log_follow_add copies it */
    const char *container_id, *node_id, *address, *agent_key;
    const char *label;         /* "[c03] " before each line; "": unchanged bytes */
    ProtobufCBinaryData token; /* its own token for reading; empty: that of log_follow_set_tokens */
    bool no_stdout, no_stderr;
    uint64_t stdout_offset, stderr_offset;
};

struct log_follow *log_follow_new(const struct log_follow_calls *calls);
void log_follow_free(struct log_follow *follow); /* NULL is allowed */

/* Starts reading a container's logs; for a known container only updates the token. */
void log_follow_add(struct log_follow *follow, int64_t now_ms, const struct log_source *source);
/* The RM reported the container's end; LOST: its node is lost, too, so the wait for the node is short. */
void log_follow_ended(struct log_follow *follow, int64_t now_ms, const char *container_id, bool lost);
/* Fills NODES with the ids of nodes for which sources without a token of their own need a token, since
 * there is none yet or its agent refused it. Returns their number. The ids are valid until
 * log_follow_free. The caller gets the tokens, passes them to log_follow_set_tokens, and only then calls
 * this function again. */
size_t log_follow_needs_tokens(struct log_follow *follow, char *nodes[WIRE_LOG_NODES_MAX]);
/* ACCESS has the tokens of those nodes, in their order. */
void log_follow_set_tokens(struct log_follow *follow, int64_t now_ms, const Creel__LogAccess *access);

/* Handles a LogChunk or Error; answers to no pending read are ignored. */
void log_follow_receive(struct log_follow *follow, int64_t now_ms, const Creel__Envelope *envelope);
void log_follow_on_timer(struct log_follow *follow, int64_t now_ms);
int64_t log_follow_next_deadline_ms(const struct log_follow *follow);

/* Returns whether every source was read to its end, or given up. */
bool log_follow_is_idle(const struct log_follow *follow);

#endif
