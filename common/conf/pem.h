/* SPDX-License-Identifier: Apache-2.0 */
/* pem.h - reads a certificate or private key from the PEM file that a key of the configuration names */
#ifndef CREEL_CONF_PEM_H
#define CREEL_CONF_PEM_H

#include "common/conf/conf.h"

#define CONF_PEM_BYTES_MAX 65536

/* Reads the file at the path that is the value of KEY. It must contain MARK. Sets RET to its text, which the
 * caller frees; that of a private key with conf_free_secret. Returns -EINVAL, with the key and the file in
 * ERR. */
int conf_read_pem(const struct conf *conf, enum conf_key key, const char *mark, char **ret, struct err *err);
/* Overwrites TEXT, which may be NULL, and frees it. */
void conf_free_secret(char *text);

#endif
