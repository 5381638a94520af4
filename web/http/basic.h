/* SPDX-License-Identifier: Apache-2.0 */
/* basic.h - reads user and password of HTTP Basic authentication, RFC 7617 (pure) */
#ifndef CREEL_WEB_HTTP_BASIC_H
#define CREEL_WEB_HTTP_BASIC_H

#include <stdbool.h>

#define BASIC_USER_BYTES 256 /* with the 0 byte */
#define BASIC_PASSWORD_BYTES 512

struct basic {
    char user[BASIC_USER_BYTES], password[BASIC_PASSWORD_BYTES];
};

/* Reads HEADER. Returns false if it is not valid base64, or has no colon, a control character, a part that
 * is too long, or a user that is empty, is not valid UTF-8, or has a blank or comma. RET has no secret
 * then. Else the caller wipes RET (explicit_bzero). */
bool basic_read(const char *header, struct basic *ret);

#endif
