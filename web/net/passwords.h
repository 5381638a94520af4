/* SPDX-License-Identifier: Apache-2.0 */
/*
 * passwords.h - checks users and passwords of HTTP Basic authentication with creel-pam
 *
 * After a check succeeded, the same user and password are accepted for PASSWORDS_FRESH_MS without another
 * one, so a changed password or a locked account has an effect after that time. Only a keyed hash is stored.
 * A wrong password is answered after PASSWORDS_DELAY_MS, and failures.h limits their number. Equal requests
 * share one check. At most PAM_CHECKS_MAX checks run, and PASSWORDS_ADDRESS_MAX of one address.
 */
#ifndef CREEL_WEB_NET_PASSWORDS_H
#define CREEL_WEB_NET_PASSWORDS_H

#include "web/http/site.h"
#include "web/net/pam_process.h"

#define PASSWORDS_FRESH_MS 60000
#define PASSWORDS_DELAY_MS 1000
#define PASSWORDS_ADDRESS_MAX 4
#define PASSWORDS_KNOWN_MAX 10000 /* remembered at a time */

struct passwords;

/* Starts creel-pam. SERVICE and DIRECTORY: see pam_process_new. Users get SCOPE. */
int passwords_new(struct loop *loop, const char *service, const char *directory, enum exchange_scope scope,
                  struct passwords **ret, struct err *err);
void passwords_free(struct passwords *passwords); /* answers requests with 503; NULL is allowed */

/* Checks USER and PASSWORD (callback of struct site). CONTEXT is the struct passwords. */
void passwords_find(void *context, const char *address, const char *user, const char *password,
                    site_token_reply_fn *reply, void *reply_context);

#endif
