/* SPDX-License-Identifier: Apache-2.0 */
/* node_site.c - fuzz target: any URL below /ws/v1/node; each answer is JSON or XML */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "tests/unit/node_rest_world.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void ignore(void *context)
{
    (void)context;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bool wants_xml = size > 0 && data[0] % 2 == 1;
    const struct name_value accept = { "Accept", "application/xml" };
    scoped_free char *rest = mem_strndup((const char *)data, size);
    scoped_free char *target = mem_printf("/ws/v1/node%s", size > 0 ? rest + (*rest != '\0') : "");
    const struct request_text request = {
        .method = "GET",
        .target = target,
        .headers = &accept,
        .header_count = wants_xml,
        .body = "",
    };
    struct node_rest_world world;
    struct exchange *exchange;
    const struct answer *answer;

    node_rest_world_fill(&world);
    exchange = site_serve(&world.site, &request, ignore, NULL);
    answer = site_answer(exchange);
    require(answer != NULL);
    for (size_t i = 0; i < answer->header_count; i++)
        require(strpbrk(answer->headers[i].value, "\r\n") == NULL);
    require(answer->size == 0 || *(const char *)answer->bytes == '{' || *(const char *)answer->bytes == '<');
    site_end(exchange);
    return 0;
}
