/* SPDX-License-Identifier: Apache-2.0 */
/* certificate_time.h - from when on the end of a TLS certificate is a warning */
#ifndef CREEL_BASE_CERTIFICATE_TIME_H
#define CREEL_BASE_CERTIFICATE_TIME_H

#include <stdbool.h>
#include <stdint.h>

#define CERTIFICATE_WARN_MS (INT64_C(30) * 86400000)

/* Returns true if a certificate that ends at EXPIRES_MS, since 1970, has to be replaced. 0: there is none. */
static inline bool certificate_ends_soon(int64_t expires_ms, int64_t now_ms)
{
    return expires_ms != 0 && expires_ms - now_ms < CERTIFICATE_WARN_MS;
}

#endif
