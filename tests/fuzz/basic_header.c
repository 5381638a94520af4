/* SPDX-License-Identifier: Apache-2.0 */
/* basic_header.c - fuzz target: the header Authorization with user and password */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "web/http/basic.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *header = malloc(size + 1);
    struct basic basic;

    if (header == NULL)
        abort();
    memcpy(header, data, size);
    header[size] = '\0';
    if (basic_read(header, &basic) &&
        (basic.user[0] == '\0' || strlen(basic.user) >= sizeof(basic.user) ||
         strlen(basic.password) >= sizeof(basic.password) || strchr(basic.user, ':') != NULL))
        abort();
    free(header);
    return 0;
}
