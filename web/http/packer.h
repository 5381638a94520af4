/* SPDX-License-Identifier: Apache-2.0 */
/*
 * packer.h - gzip of a text that comes in parts (pure)
 *
 * The memory does not depend on the length of the text, but on the longest part: the window is small, since
 * many clients may read long answers at the same time.
 */
#ifndef CREEL_WEB_HTTP_PACKER_H
#define CREEL_WEB_HTTP_PACKER_H

#include <stdbool.h>
#include <stddef.h>

struct packer;

struct packer *packer_new(void); /* NULL: there is no memory for it */
void packer_free(struct packer *packer);
size_t packer_memory(const struct packer *packer); /* bytes; NULL: 0 */

/* Compresses the next SIZE bytes; LAST: no more follow. Returns what is to be sent, valid until the next
 * call, and sets *PACKED_SIZE, which may be 0 unless LAST. */
const void *packer_add(struct packer *packer, const void *bytes, size_t size, bool last, size_t *packed_size);

#endif
