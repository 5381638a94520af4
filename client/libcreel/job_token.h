/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job_token.h - the token of the application in one of whose containers this process runs
 *
 * The agent writes it to a file that only the user can read, and names the file in CREEL_JOB_TOKEN_FILE
 * (JobGrant in creel.proto).
 */
#ifndef CREEL_LIBCREEL_JOB_TOKEN_H
#define CREEL_LIBCREEL_JOB_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads the token. Returns false if there is none: this is no container, the site or an agent of an earlier
 * release does not have such tokens, or the file cannot be read. The caller frees *BYTES. */
bool job_token_read(uint8_t **bytes, size_t *size);

#endif
