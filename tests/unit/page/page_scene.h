/* SPDX-License-Identifier: Apache-2.0 */
/* page_scene.h - fixture: requests pages of page_world.h, and counts words in them */
#ifndef CREEL_TESTS_PAGE_SCENE_H
#define CREEL_TESTS_PAGE_SCENE_H

#include "tests/unit/page/page_world.h"

struct page_scene {
    struct page_world *world;
    struct exchange *exchange; /* of the last request; owned */
    char *text;                /* the last page; owned */
    int status;
};

/* Set-up and tear-down of cmocka, with a cluster of 200 applications and 100 nodes. */
int page_scene_set_up(void **state);
int page_scene_tear_down(void **state);

/* Return the page at TARGET, valid until the next call. */
const char *page_scene_get(struct page_scene *scene, const char *target);
const char *page_scene_get_with(struct page_scene *scene, const char *target,
                                const struct name_value *headers, size_t count);
/* Returns the header NAME of the last answer. Fails the test if there is none. */
const char *page_scene_header(const struct page_scene *scene, const char *name);
/* Does nothing: a callback of site_serve. */
void page_scene_ignore(void *context);

/* Returns how often TEXT has WORD. */
size_t page_scene_count(const char *text, const char *word);

#endif
