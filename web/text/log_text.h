/* SPDX-License-Identifier: Apache-2.0 */
/* log_text.h - makes text for a page of the bytes of a log (pure) */
#ifndef CREEL_WEB_TEXT_LOG_TEXT_H
#define CREEL_WEB_TEXT_LOG_TEXT_H

#include <stddef.h>

#include "common/base/arena.h"

/* Returns BYTES as text for a page, without escape sequences and carriage returns, and with '?' for each zero
 * byte and each byte that is not UTF-8. */
const char *log_text_clean(struct arena *arena, const unsigned char *bytes, size_t size);

#endif
