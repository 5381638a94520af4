/* SPDX-License-Identifier: Apache-2.0 */
/* certificate.h - finds the user that a client's TLS certificate names, and the dates of the server's own */
#ifndef CREEL_WEB_HTTP_CERTIFICATE_H
#define CREEL_WEB_HTTP_CERTIFICATE_H

#include <stddef.h>
#include <stdint.h>

#define CERTIFICATE_USER_SIZE 256

/*
 * Checks the certificate of the other side of SESSION, a gnutls_session_t whose credentials have the trusted
 * authorities. Sets USER, of CERTIFICATE_USER_SIZE bytes, to its common name; to "" if there is no
 * certificate. Returns NULL, or what is wrong with the certificate, as "has expired". *EXPIRES_MS is its end,
 * since 1970; 0: there is none.
 *
 * GnuTLS does not refuse a certificate during the handshake when it only asks for one (RFC 8446, 4.3.2), and
 * the status word has the result of its check, not the return value.
 */
const char *certificate_user(void *session, char *user, int64_t *expires_ms);

/* Returns the time since 1970 after which the first certificate of PEM is not valid; 0: it cannot be read. */
int64_t certificate_expires_ms(const char *pem);
/* Returns the time since 1970 before which the first certificate of PEM is not valid; 0: it cannot be read.
 */
int64_t certificate_begins_ms(const char *pem);
/* The end of the certificate of PEM that ends first. */
int64_t certificate_first_expires_ms(const char *pem);

#endif
