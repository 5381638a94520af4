/* SPDX-License-Identifier: Apache-2.0 */
/* wire_text.h - checks one string of a message against its kind */
#ifndef CREEL_IO_WIRE_TEXT_H
#define CREEL_IO_WIRE_TEXT_H

#include <stddef.h>

enum wire_text_kind {
    WIRE_TEXT,   /* for people; may have newlines and tabs */
    WIRE_EXACT,  /* for a program: any UTF-8; never corrected, unlike texts for people */
    WIRE_NAME,   /* one short line */
    WIRE_APP_ID, /* this and the next two: an id, or "" */
    WIRE_ATTEMPT_ID,
    WIRE_CONTAINER_ID,
    WIRE_ENDPOINT,      /* host:port */
    WIRE_CURVE_KEY,     /* Z85, 40 characters */
    WIRE_FILE_NAME,     /* no '/', not "." or ".." */
    WIRE_VARIABLE_NAME, /* no '=' */
};

/* Returns the bytes that a string of KIND may have, unless its rule has another limit. */
size_t wire_text_max(enum wire_text_kind kind);
/* Returns NULL if TEXT is valid, of any length, else a description of the problem: "is not ...". */
const char *wire_text_problem(enum wire_text_kind kind, const char *text);

/* Makes TEXT a valid WIRE_TEXT of at most MOST bytes, in place: invalid bytes become '?', a text that is too
 * long is cut and ends in "...". */
void wire_text_mend(char *text, size_t most);

#endif
