/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_print.h - messages in buffers of a fixed size
 *
 * A message that does not fit is cut between characters of UTF-8, and ends with "...". SIZE is 8 or more.
 */
#ifndef CREEL_BASE_TEXT_PRINT_H
#define CREEL_BASE_TEXT_PRINT_H

#include <stdarg.h>
#include <stddef.h>

void text_print(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
void text_vprint(char *text, size_t size, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));
/* Adds to TEXT, with "; " between the two unless one of them is empty. */
void text_print_more(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
void text_vprint_more(char *text, size_t size, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));

#endif
