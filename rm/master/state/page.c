/* SPDX-License-Identifier: Apache-2.0 */
/* page.c - decides where a page of a list ends */
#include <string.h>

#include "rm/master/state/page.h"

#define PAGE_ROWS_MAX 250u
#define PAGE_BYTES_MAX ((size_t)64 << 10) /* size of the rows of a page, except the last row */
#define PAGE_LOOKS_MAX 5000u              /* maximum of examined rows */

#define PAGE_LOOKS_CLOCK \
    64u /* examined rows between two readings of the clock while the page is empty; later each row reads
           the clock */

struct page page_begin(const struct master *m, uint32_t limit)
{
    return (struct page){ .m = m, .limit = limit > 0 && limit < PAGE_ROWS_MAX ? limit : PAGE_ROWS_MAX };
}

struct page page_begin_brief(const struct master *m, uint32_t limit, bool brief)
{
    struct page page = page_begin(m, limit);

    page.brief = brief;
    return page;
}

static bool page_time_is_up(const struct page *page)
{
    const struct master_config *config = &page->m->config;
    bool (*is_up)(void *context) = page->brief ? config->brief_time_is_up : config->time_is_up;

    if (is_up == NULL || page->looks == 0)
        return false;
    return (page->count > 0 || page->looks % PAGE_LOOKS_CLOCK == 0) && is_up(config->context);
}

bool page_examine(struct page *page)
{
    if (page->count >= page->limit || page->bytes >= PAGE_BYTES_MAX || page->looks >= PAGE_LOOKS_MAX ||
        page_time_is_up(page))
        return false;
    page->looks++;
    return true;
}

void page_add(struct page *page, const ProtobufCMessage *item)
{
    page->count++;
    page->bytes += protobuf_c_message_get_packed_size(item);
}

void page_append(struct arena *arena, void ***list, size_t *count, void *item)
{
    if ((*count & (*count - 1)) == 0) { /* 0 and the powers of two: full */
        void **grown = arena_array0(arena, *count ? *count * 2 : 1, sizeof(*grown));

        if (*count > 0)
            memcpy(grown, *list, *count * sizeof(*grown));
        *list = grown;
    }
    (*list)[(*count)++] = item;
}
