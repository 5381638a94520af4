/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page_text.h - formats amounts, times and states for readers
 *
 * Texts are in memory of the arena, or constants. The caller must escape them.
 */
#ifndef CREEL_WEB_PAGE_TEXT_H
#define CREEL_WEB_PAGE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/proto/creel.pb-c.h"

const char *page_text_count(struct arena *arena, uint64_t count);    /* "12,345" */
const char *page_text_memory(struct arena *arena, int64_t mb);       /* "512 MiB", "1.5 GiB", "12 TiB" */
const char *page_text_bytes(struct arena *arena, uint64_t bytes);    /* like page_text_memory */
const char *page_text_percent(struct arena *arena, double fraction); /* "32.1 %" */
/* "1.5 GiB, 2 vcores, 1 gpu"; "nothing" */
const char *page_text_resource(struct arena *arena, const Creel__Resource *resource);
/* "1.5 GiB of 4 GiB", "3 of 64" */
const char *page_text_memory_of(struct arena *arena, const Creel__Resource *part,
                                const Creel__Resource *whole);
const char *page_text_vcores_of(struct arena *arena, const Creel__Resource *part,
                                const Creel__Resource *whole);
const char *page_text_duration(struct arena *arena, int64_t ms); /* "45 s", "2 h 5 min", "4 d 3 h" */
/* Returns "silent for 25 s; counts as lost in 9 min" for a node whose agent is silent. */
const char *page_text_silence(struct arena *arena, const Creel__NodeReport *node, int64_t now_ms);
/* "2026-11-25 06:30:12 UTC"; "" for 0 */
const char *page_text_time(struct arena *arena, int64_t ms);

/* Return the class of a state in the style sheet: "good", "busy", "bad", "off". */
const char *page_text_app_class(const Creel__AppReport *app);
const char *page_text_node_class(Creel__NodeState state);
/* Returns "exit 3", "exit 137 (signal 9)" or "preempted"; "" if the container has not ended. */
const char *page_text_exit(struct arena *arena, int32_t exit_status);
/* Returns why APP has ended: its diagnostics, or its exit status if that is not 0; "": there is no reason. */
const char *page_text_app_end(struct arena *arena, const Creel__AppReport *app);

#endif
