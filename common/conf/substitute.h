/* SPDX-License-Identifier: Apache-2.0 */
/*
 * substitute.h - replaces ${...} in values
 *
 *   ${key}           the value of another key (LOOKUP)
 *   ${env.NAME}      the environment variable NAME
 *   ${env.NAME:-d}   d if NAME is unset or empty
 *   ${env.NAME-d}    d if NAME is unset
 * The innermost variable is replaced first, so ${a.${b}} works. A name has no blank, '$' or '}' in it. An
 * undefined variable stays as it is written.
 */
#ifndef CREEL_CONF_SUBSTITUTE_H
#define CREEL_CONF_SUBSTITUTE_H

#include <stddef.h>

#define SUBSTITUTE_ROUNDS 20
#define SUBSTITUTE_SIZE_MAX ((size_t)1 << 20)

/* Returns the value of NAME as written, or NULL. Borrowed until the next call. */
typedef const char *substitute_lookup_fn(void *context, const char *name);

/* Stores TEXT with all variables replaced in *RET (owned by the caller). *UNKNOWN, if UNKNOWN is not NULL, is
 * the first undefined variable (owned by the caller), or NULL. -ELOOP: variables remain after
 * SUBSTITUTE_ROUNDS rounds; -EFBIG: longer than SUBSTITUTE_SIZE_MAX. On error the outputs are untouched. */
int substitute(const char *text, substitute_lookup_fn *lookup, void *context, char **ret, char **unknown);

#endif
