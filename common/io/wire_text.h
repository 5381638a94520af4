/* SPDX-License-Identifier: Apache-2.0 */
/* wire_text.h - check one string of a message against its kind */
#ifndef CREEL_IO_WIRE_TEXT_H
#define CREEL_IO_WIRE_TEXT_H

#include <stddef.h>

enum wire_text_kind {
    WIRE_TEXT,                  /* for people: newline and tab may stand in it */
    WIRE_EXACT,                 /* for a program: any UTF-8; never changed on the way, as texts for
                                   people are */
    WIRE_NAME,                  /* one line, short */
    WIRE_APP_ID,                /* these: or "" */
    WIRE_ATTEMPT_ID,
    WIRE_CONTAINER_ID,
    WIRE_ENDPOINT,              /* host:port */
    WIRE_CURVE_KEY,             /* Z85, 40 characters */
    WIRE_FILE_NAME,             /* no '/', not "." or ".." */
    WIRE_VARIABLE_NAME,         /* no '=' */
};

/* NULL if TEXT is all right, else what is wrong with it: "is not ...". */
const char *wire_text_problem(enum wire_text_kind kind, const char *text);

/* Make TEXT a WIRE_TEXT, in place: bytes that may not stand in it become '?',
 * what is too long ends in "...". */
void wire_text_mend(char *text);

#endif
