/* SPDX-License-Identifier: Apache-2.0 */
/* id.c - formats, parses and compares ids of applications, attempts and containers, in YARN's format */
#include "common/base/id.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *app_id_format(const struct app_id *id, char text[ID_TEXT_MAX])
{
    snprintf(text, ID_TEXT_MAX, "application_%" PRId64 "_%04" PRIu32, id->cluster_ms, id->seq);
    return text;
}

const char *attempt_id_format(const struct attempt_id *id, char text[ID_TEXT_MAX])
{
    snprintf(text, ID_TEXT_MAX, "appattempt_%" PRId64 "_%04" PRIu32 "_%06" PRIu32, id->app.cluster_ms,
             id->app.seq, id->attempt);
    return text;
}

const char *container_id_format(const struct container_id *id, char text[ID_TEXT_MAX])
{
    const struct app_id *app = &id->attempt.app;
    char epoch[16] = "";

    if (id->epoch > 0)
        snprintf(epoch, sizeof(epoch), "e%02" PRIu32 "_", id->epoch);
    snprintf(text, ID_TEXT_MAX, "container_%s%" PRId64 "_%04" PRIu32 "_%02" PRIu32 "_%06" PRIu32, epoch,
             app->cluster_ms, app->seq, id->attempt.attempt, id->number);
    return text;
}

/* Skips PREFIX at *AT. Returns false if the text at *AT does not begin with PREFIX. */
static bool skip_prefix(const char **at, const char *prefix)
{
    size_t length = strlen(prefix);

    if (strncmp(*at, prefix, length) != 0)
        return false;
    *at += length;
    return true;
}

/* Reads a number of at least DIGITS digits and advances *AT. Leading zeros are allowed only up to DIGITS
 * digits, so that an id has one spelling. The value must not exceed MAX. */
static bool parse_number(const char **at, int digits, uint64_t max, uint64_t *value)
{
    uint64_t number = 0;
    bool zero = **at == '0';
    int count = 0;

    for (; **at >= '0' && **at <= '9'; (*at)++, count++) {
        uint64_t digit = (uint64_t)(**at - '0');

        if (number > (max - digit) / 10)
            return false;
        number = number * 10 + digit;
    }
    *value = number;
    return count >= digits && !(zero && count > digits);
}

static bool parse_app(const char **at, struct app_id *id)
{
    uint64_t cluster, seq;

    if (!parse_number(at, 1, INT64_MAX, &cluster) || !skip_prefix(at, "_") ||
        !parse_number(at, 4, UINT32_MAX, &seq))
        return false;
    id->cluster_ms = (int64_t)cluster;
    id->seq = (uint32_t)seq;
    return true;
}

bool app_id_parse(const char *text, struct app_id *id)
{
    struct app_id found;

    if (!skip_prefix(&text, "application_") || !parse_app(&text, &found) || *text != '\0')
        return false;
    *id = found;
    return true;
}

bool attempt_id_parse(const char *text, struct attempt_id *id)
{
    struct attempt_id found;
    uint64_t attempt;

    if (!skip_prefix(&text, "appattempt_") || !parse_app(&text, &found.app) || !skip_prefix(&text, "_") ||
        !parse_number(&text, 6, UINT32_MAX, &attempt) || *text != '\0')
        return false;
    found.attempt = (uint32_t)attempt;
    *id = found;
    return true;
}

bool container_id_parse(const char *text, struct container_id *id)
{
    struct container_id found = { .epoch = 0 };
    uint64_t value;

    if (!skip_prefix(&text, "container_"))
        return false;
    if (*text == 'e') {
        text++;
        if (!parse_number(&text, 2, UINT32_MAX, &value) || value == 0 || !skip_prefix(&text, "_"))
            return false;
        found.epoch = (uint32_t)value;
    }
    if (!parse_app(&text, &found.attempt.app) || !skip_prefix(&text, "_") ||
        !parse_number(&text, 2, UINT32_MAX, &value))
        return false;
    found.attempt.attempt = (uint32_t)value;
    if (!skip_prefix(&text, "_") || !parse_number(&text, 6, UINT32_MAX, &value) || *text != '\0')
        return false;
    found.number = (uint32_t)value;
    *id = found;
    return true;
}

int app_id_compare(const struct app_id *a, const struct app_id *b)
{
    if (a->cluster_ms != b->cluster_ms)
        return a->cluster_ms < b->cluster_ms ? -1 : 1;
    return (a->seq > b->seq) - (a->seq < b->seq);
}

int container_id_compare(const struct container_id *a, const struct container_id *b)
{
    int order = app_id_compare(&a->attempt.app, &b->attempt.app);

    if (order != 0)
        return order;
    if (a->attempt.attempt != b->attempt.attempt)
        return a->attempt.attempt < b->attempt.attempt ? -1 : 1;
    if (a->epoch != b->epoch)
        return a->epoch < b->epoch ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}
