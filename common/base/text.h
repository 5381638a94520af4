/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.h - numbers, sizes and durations out of text, strictly
 *
 * Every parser reads the whole text or fails; nothing is guessed. On failure
 * the output is untouched.
 */
#ifndef CREEL_BASE_TEXT_H
#define CREEL_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decimal or 0x hexadecimal, with sign, as Hadoop reads integers. */
bool text_parse_int64(const char *text, int64_t *value);
/* Decimal, with or without exponent, finite; a point in every locale. */
bool text_parse_double(const char *text, double *value);

/* "512" (in DEFAULT_UNIT_BYTES), "512m", "2g", "2GiB", "2048 MB", "1.5g"; any
 * case; k, m, g, t, p are powers of 1024. The result is in bytes, exact, a
 * fraction of a byte cut off. */
bool text_parse_size_bytes(const char *text, int64_t default_unit_bytes, int64_t *bytes);

/* "90" (in DEFAULT_UNIT_MS), "500ms", "30s", "5m", "2h", "1d", "1.5h" (also
 * us, ns), any case. The result is in milliseconds, a fraction of one cut off. */
bool text_parse_duration_ms(const char *text, int64_t default_unit_ms, int64_t *ms);

/* The same, and the forms of batch systems: "10:00" (minutes:seconds), "1:30:00", "2-12" (days-hours),
 * "2-12:30", "2-00:00:00". What follows days is below 24 hours, what follows another part below 60. */
bool text_parse_time_ms(const char *text, int64_t default_unit_ms, int64_t *ms);

/* What becomes of a container whose host has lost the resource manager: "keep" is 0, "stop-after 30s" (or
 * "stop-after=30s") a time of a second at least. */
#define TEXT_STOP_AFTER_MAX_MS (INT64_C(30) * 86400000)
bool text_parse_on_disconnect(const char *text, int64_t *stop_after_ms);

/* The number of a signal that a command may be sent as a message: "USR1", "SIGUSR1", "usr1".
 * HUP, INT, QUIT, USR1, USR2, ALRM, TERM, CONT, URG and WINCH. */
bool text_parse_signal(const char *text, int *number);

/* Cut blanks (as isspace in the C locale, whatever is set) off both ends, in place; returns the
 * first byte that stays. */
char *text_trim(char *text);

/* The next word of the comma-separated *REST, trimmed, empty ones passed over; NULL at the end. Cuts *REST
 * up. */
char *text_next_word(char **rest);

/* NULL-safe equality, and prefix and suffix tests. */
bool text_equal(const char *a, const char *b);
bool text_has_prefix(const char *text, const char *prefix);
bool text_has_suffix(const char *text, const char *suffix);

/* "16.0G", "512M", "0" - one decimal from a G on, for tables. */
#define TEXT_SIZE_MAX 32
const char *text_format_mb(int64_t mb, char text[TEXT_SIZE_MAX]);
/* "00:12" (minutes:seconds), "01:03:09", "2d03h" - for tables. */
const char *text_format_elapsed_ms(int64_t ms, char text[TEXT_SIZE_MAX]);

#endif
