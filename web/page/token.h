/* SPDX-License-Identifier: Apache-2.0 */
/*
 * token.h - proof that a form was on a page that creel-web made for this user (pure)
 *
 * A page of another site can make a browser send a form, but cannot read the token that the form needs. The
 * token is a MAC of the user and of the minute in which the page was made.
 */
#ifndef CREEL_WEB_PAGE_TOKEN_H
#define CREEL_WEB_PAGE_TOKEN_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "web/model/view.h"

#define TOKEN_VALID_MIN 60

const char *token_make(struct arena *arena, const unsigned char key[WEB_FORM_KEY_SIZE], const char *user,
                       int64_t now_ms);
/* Returns whether TOKEN was made for USER with KEY in the last TOKEN_VALID_MIN minutes. TOKEN may be NULL. */
bool token_is_valid(const unsigned char key[WEB_FORM_KEY_SIZE], const char *user, int64_t now_ms,
                    const char *token);

#endif
