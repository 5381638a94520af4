/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log_waits.h - list of clients that wait for more of a container's log
 *
 * A bounded list of pending ReadLog requests (long polls) with their deadlines; log_service.c reads the logs.
 */
#ifndef CREEL_NM_LOG_WAITS_H
#define CREEL_NM_LOG_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/id.h"

#define LOG_WAITS_MAX 1024
#define LOG_WAITS_OF_USER_MAX 256

struct log_wait {
    uint64_t connection, request_id;
    char container_id[ID_TEXT_MAX];
    char file[16];
    uint64_t offset;
    uint32_t max_bytes;
    int64_t until_ms;        /* deadline; steady clock */
    int64_t unread_until_ms; /* the same, while the peer does not read */
};

struct log_waits;
struct shares;

struct log_waits *log_waits_new(void);
void log_waits_free(struct log_waits *waits);
size_t log_waits_count(const struct log_waits *waits);
/* Adds WAIT of USER. Returns false if there are LOG_WAITS_MAX already, or LOG_WAITS_OF_USER_MAX of USER. */
bool log_waits_add(struct log_waits *waits, const struct log_wait *wait, const char *user);
/* Returns the places for waits, by user; borrowed. */
const struct shares *log_waits_places(const struct log_waits *waits);
enum log_look {
    LOG_LOOK_WAITS,    /* there is no answer yet */
    LOG_LOOK_ANSWERED, /* the wait is removed */
    LOG_LOOK_LATER,    /* enough was answered in this turn: the rest is not looked at */
};

typedef enum log_look log_look_fn(void *context, const struct log_wait *wait);

/* Calls LOOK for each wait, the oldest first. Returns false after LOG_LOOK_LATER. */
bool log_waits_check(struct log_waits *waits, log_look_fn *look, void *context);

#endif
