/* SPDX-License-Identifier: Apache-2.0 */
/*
 * words.h - formats amounts, times and states for readers
 *
 * Texts are in memory of the arena, or constants. None is escaped yet.
 */
#ifndef CREEL_WEB_PAGE_WORDS_H
#define CREEL_WEB_PAGE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/proto/creel.pb-c.h"

const char *words_count(struct arena *arena, uint64_t count);    /* "12,345" */
const char *words_memory(struct arena *arena, int64_t mb);       /* "512 MiB", "1.5 GiB", "12 TiB" */
const char *words_bytes(struct arena *arena, uint64_t bytes);    /* the same */
const char *words_percent(struct arena *arena, double fraction); /* "32.1 %" */
/* "1.5 GiB, 2 vcores, 1 gpu"; "nothing" */
const char *words_resource(struct arena *arena, const Creel__Resource *resource);
/* "1.5 GiB of 4 GiB", "3 of 64" */
const char *words_memory_of(struct arena *arena, const Creel__Resource *part, const Creel__Resource *whole);
const char *words_vcores_of(struct arena *arena, const Creel__Resource *part, const Creel__Resource *whole);
const char *words_duration(struct arena *arena, int64_t ms); /* "45 s", "2 h 5 min", "4 d 3 h" */
/* "2026-11-25 06:30:12 UTC"; "" for 0 */
const char *words_time(struct arena *arena, int64_t ms);

/* YARN's names, and the class of the style sheet that colours the state: "good", "busy", "bad", "off". */
const char *words_app_state(Creel__AppState state);
const char *words_app_class(const Creel__AppReport *app);
const char *words_final_status(Creel__FinalStatus status);
const char *words_node_state(Creel__NodeState state);
const char *words_node_class(Creel__NodeState state);
const char *words_container_state(Creel__ContainerState state);
/* "exit 3", "exit 137 (signal 9)", "preempted"; "" if it has not ended. */
const char *words_exit(struct arena *arena, int32_t exit_status);

/* 0 of an absent one. */
int64_t words_mb(const Creel__Resource *resource);
int64_t words_vcores(const Creel__Resource *resource);
bool words_app_is_over(const Creel__AppReport *app);

#endif
