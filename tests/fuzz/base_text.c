/* SPDX-License-Identifier: Apache-2.0 */
/* base_text.c - fuzz target: parses arbitrary text as number, size, duration and id */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/id.h"
#include "common/base/mem.h"
#include "common/base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* Checks that the text of every accepted id equals the id's formatted text. */
static void try_ids(const char *text)
{
    char again[ID_TEXT_MAX];
    struct app_id app;
    struct attempt_id attempt;
    struct container_id container;

    if (app_id_parse(text, &app))
        require(strcmp(app_id_format(&app, again), text) == 0);
    if (attempt_id_parse(text, &attempt))
        require(strcmp(attempt_id_format(&attempt, again), text) == 0);
    if (container_id_parse(text, &container))
        require(strcmp(container_id_format(&container, again), text) == 0);
}

static void try_numbers(const char *text)
{
    int64_t whole = -777, bytes = -777, ms = -777;
    double real = -777;
    char shown[TEXT_SIZE_MAX];

    if (text_parse_int64(text, &whole)) {
        require(text_parse_size_bytes(text, 1, &bytes) && bytes == whole);
        require(text_parse_duration_ms(text, 1, &ms) && ms == whole);
        require(strlen(text_format_mb(whole, shown)) < TEXT_SIZE_MAX);
        require(strlen(text_format_elapsed_ms(whole, shown)) < TEXT_SIZE_MAX);
        return;
    }
    require(whole == -777);
    if (!text_parse_size_bytes(text, 1024, &bytes))
        require(bytes == -777);
    if (!text_parse_duration_ms(text, 1000, &ms))
        require(ms == -777);
    if (!text_parse_double(text, &real))
        require(real == -777);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    scoped_free char *text = mem_strndup((const char *)data, size);
    scoped_free char *copy = mem_strdup(text);
    const char *trimmed = text_trim(copy);
    size_t length = strlen(trimmed);

    require(length == 0 || !strchr(" \t\n\v\f\r", trimmed[0]));
    require(length == 0 || !strchr(" \t\n\v\f\r", trimmed[length - 1]));
    try_ids(text);
    try_numbers(text);
    return 0;
}
