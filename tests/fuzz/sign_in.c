/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sign_in.c - fuzz target: arbitrary bytes as the payload of a MUNGE credential, and as a line of the file of
 * signed-in
 *             users
 *
 * An accepted payload must be written as the same bytes again.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/io/keys/sign_in_text.h"
#include "rm/net/keys/signed_in_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct signed_in_line line;
    struct sign_in_text content;
    char text[SIGN_IN_TEXT];

    if (sign_in_text_read(data, size, &content)) {
        sign_in_text_write(&content, text);
        if (size != strlen(text) || memcmp(text, data, size) != 0)
            abort();
    }
    if (signed_in_line_read((const char *)data, size, &line) &&
        (strlen(line.key) != KEY_TEXT - 1 || line.user[0] == '\0' || line.until_ms < 0))
        abort();
    return 0;
}
