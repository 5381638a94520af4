/* SPDX-License-Identifier: Apache-2.0 */
/* http_site.c - fuzz target: an HTTP request as text: "METHOD TARGET", one line per header, an empty line,
 * the body */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "tests/unit/http/http_site_fixture.h"

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

/* Cuts off the first line of *TEXT and returns it. */
static char *read_line(char **text)
{
    char *line = *text, *end = strchr(line, '\n');

    *text = end != NULL ? end + 1 : line + strlen(line);
    if (end != NULL)
        *end = '\0';
    return line;
}

static size_t read_headers(char **text, struct name_value *headers, size_t max)
{
    size_t count = 0;

    while (**text != '\0' && count < max) {
        char *line = read_line(text), *colon = strchr(line, ':');

        if (*line == '\0')
            break;
        if (colon != NULL)
            *colon = '\0';
        headers[count++] = (struct name_value){ line, colon != NULL ? colon + 1 : "" };
    }
    return count;
}

static void check(const struct answer *answer)
{
    require(answer->status >= 200 && answer->status < 600);
    require(answer->size == 0 || answer->bytes != NULL);
    for (size_t i = 0; i < answer->header_count; i++)
        require(strpbrk(answer->headers[i].value, "\r\n") == NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    scoped_free char *bytes = mem_strndup((const char *)data, size);
    struct name_value headers[REQUEST_HEADERS_MAX + 1];
    char *text = bytes, *method = read_line(&text), *blank = strchr(method, ' ');
    struct request_text request = {
        .method = method, .target = "", .version = "HTTP/1.0", .headers = headers
    };
    struct fake_upstream upstream;
    struct exchange *exchange;
    struct site site;

    if (blank != NULL) {
        *blank = '\0';
        request.target = blank + 1;
    }
    if (strstr(request.target, "/large") != NULL)
        return 0;
    request.header_count = read_headers(&text, headers, REQUEST_HEADERS_MAX + 1);
    request.body = text;
    request.body_size = strlen(text);
    http_site_fill(&site, &upstream);
    exchange = site_serve(&site, &request, ignore, NULL);
    if (site_answer(exchange) != NULL)
        check(site_answer(exchange));
    site_end(exchange);
    if (upstream.reply != NULL)
        fake_upstream_reply(&upstream, "late");
    return 0;
}
