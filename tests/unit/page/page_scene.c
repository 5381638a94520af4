/* SPDX-License-Identifier: Apache-2.0 */
/* page_scene.c - fixture: requests pages of page_world.h, and counts words in them */
#include "web/http/answer.h"
#include "tests/unit/page/page_scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"

const char *page_scene_header(const struct page_scene *scene, const char *name)
{
    const struct answer *answer = site_answer(scene->exchange);
    const char *value = answer_find_header(answer->headers, answer->header_count, name);

    assert_non_null(value);
    return value;
}

void page_scene_ignore(void *context)
{
    (void)context;
}

/* Returns all parts of an answer in parts; the fake resource manager answers at once. */
static char *read_parts(struct exchange *exchange)
{
    char *text = mem_strdup("");
    const char *bytes;
    size_t size, length = 0;
    enum exchange_part part;

    while ((part = site_part(exchange, &bytes, &size)) == EXCHANGE_PART) {
        text = mem_resize(text, length + size + 1, 1);
        memcpy(text + length, bytes, size);
        length += size;
        text[length] = '\0';
    }
    assert_int_equal(part, EXCHANGE_PART_END);
    return text;
}

const char *page_scene_get_with(struct page_scene *scene, const char *target,
                                const struct name_value *headers, size_t count)
{
    const struct request_text request = {
        .method = "GET",
        .target = target,
        .headers = headers,
        .header_count = count,
    };
    const struct answer *answer;

    site_end(scene->exchange);
    free(scene->text);
    scene->exchange = site_serve(&scene->world->site, &request, page_scene_ignore, NULL);
    answer = site_answer(scene->exchange);
    assert_non_null(answer);
    scene->status = answer->status;
    scene->text = answer->is_parts ? read_parts(scene->exchange) : mem_strndup(answer->bytes, answer->size);
    return scene->text;
}

const char *page_scene_get(struct page_scene *scene, const char *target)
{
    return page_scene_get_with(scene, target, NULL, 0);
}

size_t page_scene_count(const char *text, const char *word)
{
    size_t count = 0;

    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word))
        count++;
    return count;
}

int page_scene_set_up(void **state)
{
    struct page_scene *scene = mem_new0(struct page_scene);

    scene->world = page_world_new(200, 100, 2);
    *state = scene;
    return 0;
}

int page_scene_tear_down(void **state)
{
    struct page_scene *scene = *state;

    site_end(scene->exchange);
    page_world_free(scene->world);
    free(scene->text);
    free(scene);
    return 0;
}
