/* SPDX-License-Identifier: Apache-2.0 */
/*
 * substitute.h - ${...} in values
 *
 *   ${key}           the value of another key (LOOKUP)
 *   ${env.NAME}      the environment variable NAME
 *   ${env.NAME:-d}   d if NAME is unset or empty
 *   ${env.NAME-d}    d if NAME is unset
 * Innermost first, so ${a.${b}} works. A name has no blank, '$' or '}' in it.
 * What nobody knows stays as it is written.
 */
#ifndef CREEL_CONF_SUBSTITUTE_H
#define CREEL_CONF_SUBSTITUTE_H

#include <stddef.h>

#define SUBSTITUTE_ROUNDS 20
#define SUBSTITUTE_SIZE_MAX ((size_t)1 << 20)

/* The value of NAME as written, or NULL. Borrowed until the next call. */
typedef const char *substitute_lookup_fn(void *context, const char *name);

/* TEXT with everything replaced, in *RET (owned by the caller). *UNKNOWN, if
 * not NULL, is the first variable that stayed (owned by the caller), or NULL.
 * -ELOOP: still something to replace after SUBSTITUTE_ROUNDS rounds;
 * -EFBIG: longer than SUBSTITUTE_SIZE_MAX. Then the outputs are untouched. */
int substitute(const char *text, substitute_lookup_fn *lookup, void *context, char **ret,
               char **unknown);

#endif
