/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.h - strict parsers of numbers, sizes, durations and times; helpers for text
 *
 * Every parser reads the whole text or fails; nothing is guessed. On failure the output is untouched,
 * except by text_parse_on_disconnect.
 */
#ifndef CREEL_BASE_TEXT_H
#define CREEL_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Parses a decimal or 0x hexadecimal integer with optional sign, as Hadoop does. */
bool text_parse_int64(const char *text, int64_t *value);
/* Parses a finite decimal number, with or without exponent. The decimal separator is a point in every
 * locale. */
bool text_parse_double(const char *text, double *value);

/* Parses a size: "512" (in DEFAULT_UNIT_BYTES), "512m", "2g", "2GiB", "2048 MB", "1.5g"; in upper or lower
 * case. k, m, g, t, p are powers of 1024. The result is in whole bytes, rounded towards 0. */
bool text_parse_size_bytes(const char *text, int64_t default_unit_bytes, int64_t *bytes);

/* Parses a duration: "90" (in DEFAULT_UNIT_MS), "500ms", "30s", "5m", "2h", "1d", "1.5h" (also us, ns), in
 * upper or lower case. The result is rounded towards 0 to whole milliseconds. */
bool text_parse_duration_ms(const char *text, int64_t default_unit_ms, int64_t *ms);

/* Parses the forms of text_parse_duration_ms, and the forms of batch systems: "10:00" (minutes:seconds),
 * "1:30:00", "2-12" (days-hours), "2-12:30", "2-00:00:00". Hours after days must be below 24, other parts
 * after the first below 60. */
bool text_parse_time_ms(const char *text, int64_t default_unit_ms, int64_t *ms);

/* Parses the policy for a container whose host has lost the resource manager: "keep" gives 0; "stop-after
 * 30s" (or "stop-after=30s") gives the time, at least one second. On failure *STOP_AFTER_MS is undefined. */
#define TEXT_STOP_AFTER_MAX_MS (INT64_C(30) * 86400000)
bool text_parse_on_disconnect(const char *text, int64_t *stop_after_ms);

/* Parses the name of a signal that a client may send to a command: "USR1", "SIGUSR1", "usr1". Allowed are
 * HUP, INT, QUIT, USR1, USR2, ALRM, TERM, CONT, URG and WINCH. */
bool text_parse_signal(const char *text, int *number);

/* Removes blanks (isspace in the C locale, whatever the program's locale) from both ends, in place. Returns a
 * pointer to the first remaining byte. */
char *text_trim(char *text);
/* Replaces the letters A to Z by a to z in TEXT, which it returns. */
char *text_fold(char *text);

/* Returns the next word of the comma-separated *REST, trimmed; skips empty words. Returns NULL at the end.
 * Modifies *REST. */
char *text_next_word(char **rest);

/* Equality (A and B may be NULL), prefix and suffix tests. */
bool text_equal(const char *a, const char *b);
bool text_has_prefix(const char *text, const char *prefix);
bool text_has_suffix(const char *text, const char *suffix);
/* Returns a hash of TEXT (FNV-1a), which is the same in every process. */
uint32_t text_hash(const char *text);
/* Moves *TEXT behind WORD, upper or lower case. Returns false if *TEXT does not begin with WORD. */
bool text_skip_word(const char **text, const char *word);

/* Returns true if TEXT is the name of a rack, as "/default-rack" or "/dc1/r1": parts of letters, digits, "_",
 * "." and "-", a "/" before each; at most TEXT_RACK_MAX bytes. */
#define TEXT_RACK_MAX 255
bool text_is_rack(const char *text);
/* Returns true if TEXT can be the name of a node label, as in YARN (NodeLabelUtil): letters, digits, "-" and
 * "_", a letter or digit first; at most TEXT_LABEL_MAX bytes. TEXT_LABEL_RULE is the rule for messages. */
#define TEXT_LABEL_MAX 255
#define TEXT_LABEL_RULE "at most 255 letters, digits, - and _, with a letter or digit first"
bool text_is_label(const char *text);
/* Returns true if TEXT is an address of the web: http:// or https://, then printable ASCII characters without
 * blanks. Others, such as javascript:, must not become links. */
bool text_is_web_address(const char *text);

/* Formats a size for tables: "16.0G", "512M", "0", with one decimal from 1 G on. */
#define TEXT_SIZE_MAX 32
const char *text_format_mb(int64_t mb, char text[TEXT_SIZE_MAX]);
/* Formats a duration for tables: "00:12" (minutes:seconds), "01:03:09", "2d03h". */
const char *text_format_elapsed_ms(int64_t ms, char text[TEXT_SIZE_MAX]);
/* Formats a duration for sentences: "45s", "12m", "1h03m", "2d03h". */
const char *text_format_duration_ms(int64_t ms, char text[TEXT_SIZE_MAX]);
/* Formats a time since 1970: "2026-11-24T14:22:47Z"; "" if it is out of range. */
const char *text_format_utc(int64_t ms, char text[TEXT_SIZE_MAX]);

#endif
