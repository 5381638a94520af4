/* SPDX-License-Identifier: Apache-2.0 */
/*
 * failures.h - counts wrong passwords by address and user, and refuses further ones for a time (pure)
 *
 * There are three limits within FAILURES_WINDOW_MS of the first failure: for one user from one address, for
 * one address, and for one user from all addresses. IPv6 addresses count by their first 64 bits. The number
 * of counters is limited: the oldest is dropped.
 */
#ifndef CREEL_WEB_NET_FAILURES_H
#define CREEL_WEB_NET_FAILURES_H

#include <stdbool.h>
#include <stdint.h>

#define FAILURES_WINDOW_MS 60000
#define FAILURES_PAIR_MAX 5
#define FAILURES_ADDRESS_MAX 20
#define FAILURES_USER_MAX 50
#define FAILURES_COUNTERS_MAX 10000

struct failures;

struct failures *failures_new(void);
void failures_free(struct failures *failures); /* NULL is allowed */

/* Returns whether ADDRESS, alone or with USER, has reached its limit. */
bool failures_is_address_limited(struct failures *failures, const char *address, const char *user,
                                 int64_t now_ms);
/* Returns whether USER has reached the limit of all addresses. */
bool failures_is_user_limited(struct failures *failures, const char *user, int64_t now_ms);
void failures_add(struct failures *failures, const char *address, const char *user, int64_t now_ms);
/* USER has signed in from ADDRESS: resets the counter of this pair. */
void failures_reset(struct failures *failures, const char *address, const char *user);

#endif
