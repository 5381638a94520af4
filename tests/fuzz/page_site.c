/* SPDX-License-Identifier: Apache-2.0 */
/* page_site.c - fuzz target: any URL below /cluster; each page must be complete HTML without foreign
 * scripts, each event well-formed */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "tests/unit/page/page_world.h"

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

static void check_page(const struct answer *answer)
{
    scoped_free char *text = mem_strndup(answer->bytes, answer->size);
    const char *script = strstr(text, "<script");

    require(strlen(text) == answer->size);
    require(script != NULL && strstr(script + 1, "<script") == NULL);
    require(strstr(text, "<img") == NULL && strstr(text, " style=") == NULL);
    require(answer->size > 8 && strcmp(text + answer->size - 8, "</html>\n") == 0);
}

/* An event is an id, one line of data, and an empty line, whatever the topics of the request are. */
static void check_event(struct page_world *world, struct exchange *exchange)
{
    char text[256];
    size_t length;

    world->view.trouble = "old";
    world->cluster.containers++;
    world->apps[0]->priority++;
    world->nodes[0]->containers++;
    page_world_load(world);
    length = site_event(exchange, text, sizeof(text));
    require(length > 4 && length < sizeof(text) && strncmp(text, "id: ", 4) == 0);
    require(strstr(strstr(text, "\ndata: ") + 1, "\n") == text + length - 2);
    require(site_event(exchange, text, sizeof(text)) == 0);
}

/* The fake resource manager answers at once. Each part ends with a row. */
static void check_parts(struct exchange *exchange)
{
    const char *bytes;
    size_t size;
    enum exchange_part part;

    while ((part = site_part(exchange, &bytes, &size)) == EXCHANGE_PART)
        require(size >= 2 && memcmp(bytes + size - 2, "\r\n", 2) == 0);
    require(part != EXCHANGE_PART_LATER);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct page_world *world = page_world_new(8, 4, 1);
    scoped_free char *rest = mem_strndup((const char *)data, size), *target = mem_printf("/cluster%s", rest);
    const struct request_text request = { .method = "GET", .target = target };
    struct exchange *exchange;
    const struct answer *answer;

    exchange = site_serve(&world->site, &request, ignore, NULL);
    answer = site_answer(exchange);
    require(answer != NULL);
    for (size_t i = 0; i < answer->header_count; i++) {
        require(strpbrk(answer->headers[i].value, "\r\n") == NULL);
        if (strcmp(answer->headers[i].name, "Content-Type") == 0 &&
            strncmp(answer->headers[i].value, "text/html", 9) == 0)
            check_page(answer);
    }
    if (answer->is_stream)
        check_event(world, exchange);
    if (answer->is_parts)
        check_parts(exchange);
    site_end(exchange);
    page_world_free(world);
    return 0;
}
