/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exposition.h - figures as Prometheus reads them: its text format 0.0.4, or OpenMetrics 1.0 (pure)
 *
 * A family is begun with exposition_family, its samples follow. The name of a counter ends in "_total".
 */
#ifndef CREEL_WEB_TEXT_EXPOSITION_H
#define CREEL_WEB_TEXT_EXPOSITION_H

#include <stdbool.h>
#include <stddef.h>

struct exposition;

enum exposition_type {
    EXPOSITION_GAUGE, EXPOSITION_COUNTER, EXPOSITION_INFO,
    EXPOSITION_COUNTER_BESIDE,          /* a counter X_total beside a gauge X: the families of OpenMetrics
                                           have no suffix, so there its type is unknown */
};

struct exposition *exposition_new(bool open_metrics);
/* Frees it; the text is for the caller to free. */
char *exposition_finish(struct exposition *exposition, size_t *size);

/* NAME and HELP are constants; an INFO has the value 1. */
void exposition_family(struct exposition *exposition, const char *name, enum exposition_type type,
                       const char *help);
/* Of the family that was begun last. Pairs of label and value follow, then NULL. Values may have any text. */
void exposition_sample(struct exposition *exposition, double value, ...) __attribute__((sentinel));

#endif
