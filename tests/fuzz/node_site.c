/* SPDX-License-Identifier: Apache-2.0 */
/* node_site.c - fuzz target: any URL below /ws/v1/node or of a page of logs; each answer is JSON, XML, HTML,
 * or a part of a log */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "tests/unit/node/node_rest_world.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* Returns whether ANSWER is text: a part of a log, or what is wrong with the request for one. */
static bool is_text(const struct answer *answer)
{
    if (answer->status == 400)
        return *(const char *)answer->bytes == 'T'; /* The valid values ... */
    for (size_t i = 0; i < answer->header_count; i++)
        if (strcmp(answer->headers[i].name, "Content-Type") == 0)
            return (answer->status == 200 || answer->status == 206 || answer->status == 404) &&
                   (strncmp(answer->headers[i].value, "text/plain", 10) == 0 ||
                    strncmp(answer->headers[i].value, "application/octet-stream", 24) == 0);
    return false;
}

static void ignore(void *context)
{
    (void)context;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bool wants_xml = size > 0 && data[0] % 2 == 1;
    scoped_free char *rest = mem_strndup((const char *)data, size);
    char *range = strchr(rest, ' '); /* what follows the URL is the header Range */
    const struct name_value headers[] = {
        { "Range", range != NULL ? range + 1 : "bytes=0-" },
        { "Accept", "application/xml" },
    };
    bool of_page = size > 0 && (data[0] == 'p' || data[0] == 'P');
    bool has_moved = size > 0 && (data[0] == 'm' || data[0] == 'P'); /* the logs, to a log server */
    if (range != NULL)
        *range = '\0';
    scoped_free char *target =
        mem_printf("%s%s", of_page ? "/node/containerlogs/container_1_0001_01_000001" : "/ws/v1/node",
                   size > 0 ? rest + (*rest != '\0') : "");
    const struct request_text request = {
        .method = "GET",
        .target = target,
        .headers = headers,
        .header_count = wants_xml       ? 2
                        : range != NULL ? 1
                                        : 0,
        .body = "",
    };
    struct node_rest_world world;
    struct exchange *exchange;
    const struct answer *answer;

    node_rest_world_fill(&world);
    if (has_moved) {
        world.has_no_logs = true;
        world.snapshot.log_server_url = (char *)(uintptr_t) "http://h/logs/";
        world.snapshot.log_server_rest_url = (char *)(uintptr_t) "http://h/rest";
    }
    exchange = site_serve(&world.site, &request, ignore, NULL);
    answer = site_answer(exchange);
    require(answer != NULL);
    for (size_t i = 0; i < answer->header_count; i++)
        require(strpbrk(answer->headers[i].value, "\r\n") == NULL);
    require(answer->size == 0 || is_text(answer) || *(const char *)answer->bytes == '{' ||
            *(const char *)answer->bytes == '<');
    site_end(exchange);
    return 0;
}
