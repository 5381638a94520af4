/* SPDX-License-Identifier: Apache-2.0 */
/*
 * escaped_text.h - text of any bytes but NUL as UTF-8, which messages, JSON and pages need
 *
 * Arguments, values of variables and paths of Linux are bytes. A byte that is not part of a character of
 * UTF-8 becomes the character U+10FE00 + byte, which Unicode leaves to private use. The bytes of such a
 * character in the original text are escaped, too, so that each text has one escaped form. Other characters
 * are never escaped: a restored text has no '/', '=' or control character that its escaped form does not
 * have, and texts that differ have escaped forms that differ.
 *
 * Pure functions.
 */
#ifndef CREEL_BASE_ESCAPED_TEXT_H
#define CREEL_BASE_ESCAPED_TEXT_H

#include <stdbool.h>

#include "common/base/arena.h"

/* Returns whether the escaped form of TEXT differs from it. */
bool escaped_text_is_needed(const char *text);
/* Returns the escaped form of TEXT, in ARENA. */
char *escaped_text_make(struct arena *arena, const char *text);

/* Returns whether TEXT is the escaped form of a text: false if escapes in it are those of a character that
 * escaped_text_make does not escape. */
bool escaped_text_is_valid(const char *text);
/* Restores the escaped TEXT, which is valid, in place. */
void escaped_text_restore(char *text);
/* Replaces each escape in TEXT by '?', in place: a text for people. */
void escaped_text_show(char *text);

#endif
