/* SPDX-License-Identifier: Apache-2.0 */
/* certificate.c - reads certificates with GnuTLS */
#include "web/http/certificate.h"

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define NO_NAME "has no common name, or more than one, of at most 255 bytes"

static const char *problem_of(unsigned status)
{
    if ((status & GNUTLS_CERT_EXPIRED) != 0)
        return "has expired";
    if ((status & GNUTLS_CERT_NOT_ACTIVATED) != 0)
        return "is not valid yet";
    if ((status & GNUTLS_CERT_SIGNER_NOT_FOUND) != 0)
        return "is not signed by an authority of creel.http.tls-client-ca";
    return "is not valid for clients, or its signature is wrong";
}

/* Removes the backslashes that GnuTLS writes before some characters, as in "a\+b" (RFC 4514). Returns false
 * if NAME is not text: then it is "#" and hexadecimal digits. */
static bool remove_escapes(char *name)
{
    char *out = name;

    if (*name == '#')
        return false;
    for (; *name != '\0'; name++) {
        name += name[0] == '\\' && name[1] != '\0';
        *out++ = *name;
    }
    *out = '\0';
    return true;
}

/* Sets USER to the only common name of CERTIFICATE. */
static const char *read_name(gnutls_x509_crt_t certificate, char *user)
{
    size_t size = CERTIFICATE_USER_SIZE, other = 0;

    if (gnutls_x509_crt_get_dn_by_oid(certificate, GNUTLS_OID_X520_COMMON_NAME, 0, 0, user, &size) < 0 ||
        size == 0 || strlen(user) != size || !remove_escapes(user))
        return NO_NAME;
    if (gnutls_x509_crt_get_dn_by_oid(certificate, GNUTLS_OID_X520_COMMON_NAME, 1, 0, NULL, &other) !=
        GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE)
        return NO_NAME;
    return NULL;
}

static int64_t end_of(gnutls_x509_crt_t certificate)
{
    time_t expires = gnutls_x509_crt_get_expiration_time(certificate);

    return expires > 0 ? (int64_t)expires * 1000 : 0;
}

static const char *read_certificate(const gnutls_datum_t *encoded, char *user, int64_t *expires_ms)
{
    gnutls_x509_crt_t certificate;
    const char *problem = "cannot be read";

    if (gnutls_x509_crt_init(&certificate) < 0)
        return problem;
    if (gnutls_x509_crt_import(certificate, encoded, GNUTLS_X509_FMT_DER) == 0) {
        problem = read_name(certificate, user);
        *expires_ms = end_of(certificate);
    }
    gnutls_x509_crt_deinit(certificate);
    return problem;
}

const char *certificate_user(void *session, char *user, int64_t *expires_ms)
{
    gnutls_typed_vdata_st purpose = {
        .type = GNUTLS_DT_KEY_PURPOSE_OID,
        .data = (unsigned char *)(uintptr_t)GNUTLS_KP_TLS_WWW_CLIENT,
    };
    unsigned count = 0, status = 0;
    const gnutls_datum_t *list = gnutls_certificate_get_peers(session, &count);
    const char *problem;

    *user = '\0';
    *expires_ms = 0;
    if (list == NULL || count == 0)
        return NULL;
    if (gnutls_certificate_verify_peers(session, &purpose, 1, &status) < 0)
        return "cannot be checked";
    problem = status != 0 ? problem_of(status) : read_certificate(&list[0], user, expires_ms);
    if (problem != NULL)
        *user = '\0';
    return problem;
}

static int64_t begin_of(gnutls_x509_crt_t certificate)
{
    time_t begins = gnutls_x509_crt_get_activation_time(certificate);

    return begins > 0 ? (int64_t)begins * 1000 : 0;
}

/* Returns the DATE of the first certificate of PEM; 0: it cannot be read. */
static int64_t read_date(const char *pem, int64_t (*date)(gnutls_x509_crt_t certificate))
{
    const gnutls_datum_t encoded = { .data = (unsigned char *)(uintptr_t)pem, .size = (unsigned)strlen(pem) };
    gnutls_x509_crt_t certificate;
    int64_t date_ms = 0;

    if (gnutls_x509_crt_init(&certificate) < 0)
        return 0;
    if (gnutls_x509_crt_import(certificate, &encoded, GNUTLS_X509_FMT_PEM) == 0)
        date_ms = date(certificate);
    gnutls_x509_crt_deinit(certificate);
    return date_ms;
}

int64_t certificate_expires_ms(const char *pem)
{
    return read_date(pem, end_of);
}

int64_t certificate_begins_ms(const char *pem)
{
    return read_date(pem, begin_of);
}

int64_t certificate_first_expires_ms(const char *pem)
{
    const gnutls_datum_t encoded = { .data = (unsigned char *)(uintptr_t)pem, .size = (unsigned)strlen(pem) };
    gnutls_x509_crt_t *certificates;
    unsigned count;
    int64_t first_ms = 0;

    if (gnutls_x509_crt_list_import2(&certificates, &count, &encoded, GNUTLS_X509_FMT_PEM, 0) < 0)
        return 0;
    for (unsigned i = 0; i < count; i++) {
        int64_t end_ms = end_of(certificates[i]);

        if (first_ms == 0 || (end_ms != 0 && end_ms < first_ms))
            first_ms = end_ms;
        gnutls_x509_crt_deinit(certificates[i]);
    }
    gnutls_free(certificates);
    return first_ms;
}
