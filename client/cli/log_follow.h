/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log_follow.h - many log files at once, copied whole and line by line, pure
 *
 * Each source is one container on one agent; its stdout and stderr are read by
 * long polls (ReadLog) from where the last answer ended, so that nothing is
 * copied twice and nothing is left out. What is silent is asked again; what is
 * away after its container ended is given up after a while, with a word.
 */
#ifndef CREEL_CLI_LOG_FOLLOW_H
#define CREEL_CLI_LOG_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/proto/creel.pb-c.h"

struct log_follow;                      /* opaque */

struct log_follow_calls {
    /* ENVELOPE (borrowed) to the agent; may be lost. */
    void (*send)(void *context, const char *address, const char *agent_key,
                 Creel__Envelope *envelope);
    /* Whole lines with their label, or raw bytes of a source without one. */
    void (*write)(void *context, bool is_stderr, const char *data, size_t size);
    /* Something is missing from the output: one line for people. */
    void (*trouble)(void *context, const char *text);
    void *context;
};

struct log_source {                     /* copied */
    const char *container_id, *node_id, *address, *agent_key;
    const char *label;                  /* "[c03] " before each line; "": bytes as they come */
    ProtobufCBinaryData token;          /* its own right to read; empty: log_follow_set_token's */
    bool no_stdout, no_stderr;
    uint64_t stdout_offset, stderr_offset;
};

struct log_follow *log_follow_new(const struct log_follow_calls *calls);
void log_follow_free(struct log_follow *follow);        /* NULL is fine */

/* Begin to read; of a container that is there already only the token is taken. */
void log_follow_add(struct log_follow *follow, int64_t now_ms, const struct log_source *source);
/* The RM reported its end; LOST: together with its node, so do not wait for the node for long. */
void log_follow_ended(struct log_follow *follow, int64_t now_ms, const char *container_id,
                      bool lost);
/* The right to read all sources without an own one. */
void log_follow_set_token(struct log_follow *follow, int64_t now_ms, const void *data,
                          size_t size);
/* True once after an agent refused the token: get another one. */
bool log_follow_wants_token(struct log_follow *follow);

/* A LogChunk or Error; what is not an answer to a read is ignored. */
void log_follow_receive(struct log_follow *follow, int64_t now_ms,
                        const Creel__Envelope *envelope);
void log_follow_on_timer(struct log_follow *follow, int64_t now_ms);
int64_t log_follow_next_deadline_ms(const struct log_follow *follow);

/* Every source was read to its end, or given up. */
bool log_follow_is_idle(const struct log_follow *follow);

#endif
