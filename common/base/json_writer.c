/* SPDX-License-Identifier: Apache-2.0 */
/* json_writer.c - streaming JSON writer without a size limit */
#include "common/base/json_writer.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/utf8.h"

void json_init(struct json_writer *json, FILE *out, bool compact)
{
    *json = (struct json_writer){ .out = out, .compact = compact };
}

void json_finish(struct json_writer *json)
{
    assert(json->depth == 0);
    fputc('\n', json->out);
    json->filled[0] = false;
}

/* --- text ------------------------------------------------------------------ */

static void put_control(FILE *out, unsigned char byte)
{
    static const char shortcuts[] = "\bb\ff\nn\rr\tt\"\"\\\\";

    for (size_t i = 0; i < sizeof(shortcuts) - 1; i += 2) {
        if ((unsigned char)shortcuts[i] == byte) {
            fputc('\\', out);
            fputc(shortcuts[i + 1], out);
            return;
        }
    }
    fprintf(out, "\\u%04x", byte);
}

static void put_string(FILE *out, const char *text)
{
    const unsigned char *at = (const unsigned char *)text, *plain = at; /* PLAIN to AT: not written yet */

    fputc('"', out);
    while (*at) {
        size_t length = utf8_length(at);
        bool escaped = length == 1 && (*at < 0x20 || *at == '"' || *at == '\\' || *at == 0x7f);

        if (length > 0 && !escaped) {
            at += length;
            continue;
        }
        fwrite(plain, 1, (size_t)(at - plain), out);
        if (escaped)
            put_control(out, *at);
        else
            fputs("\xef\xbf\xbd", out);
        plain = ++at;
    }
    fwrite(plain, 1, (size_t)(at - plain), out);
    fputc('"', out);
}

/* --- structure ------------------------------------------------------------- */

static void indent(struct json_writer *json)
{
    if (json->compact)
        return;
    fputc('\n', json->out);
    for (unsigned i = 0; i < json->depth; i++)
        fputs("  ", json->out);
}

static void begin_value(struct json_writer *json, const char *name)
{
    if (json->filled[json->depth])
        fputc(',', json->out);
    json->filled[json->depth] = true;
    if (json->depth > 0)
        indent(json);
    if (name) {
        put_string(json->out, name);
        fputs(json->compact ? ":" : ": ", json->out);
    }
}

static void open_level(struct json_writer *json, const char *name, char bracket)
{
    begin_value(json, name);
    fputc(bracket, json->out);
    json->depth++;
    assert(json->depth < JSON_DEPTH_MAX);
    json->filled[json->depth] = false;
}

static void close_level(struct json_writer *json, char bracket)
{
    bool filled = json->filled[json->depth];

    assert(json->depth > 0);
    json->depth--;
    if (filled)
        indent(json);
    fputc(bracket, json->out);
}

void json_begin_object(struct json_writer *json, const char *name)
{
    open_level(json, name, '{');
}

void json_end_object(struct json_writer *json)
{
    close_level(json, '}');
}

void json_begin_array(struct json_writer *json, const char *name)
{
    open_level(json, name, '[');
}

void json_end_array(struct json_writer *json)
{
    close_level(json, ']');
}

/* --- values ---------------------------------------------------------------- */

void json_text(struct json_writer *json, const char *name, const char *value)
{
    begin_value(json, name);
    put_string(json->out, value);
}

void json_text_if(struct json_writer *json, const char *name, const char *value)
{
    if (value && *value)
        json_text(json, name, value);
}

void json_int(struct json_writer *json, const char *name, int64_t value)
{
    begin_value(json, name);
    fprintf(json->out, "%" PRId64, value);
}

void json_uint(struct json_writer *json, const char *name, uint64_t value)
{
    begin_value(json, name);
    fprintf(json->out, "%" PRIu64, value);
}

void json_double(struct json_writer *json, const char *name, double value)
{
    char text[40];

    assert(isfinite(value));
    begin_value(json, name);
    /* Writes the fewest digits that parse back to the same float. */
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, value);
        if (digits >= 7 && (float)strtod(text, NULL) == (float)value)
            break;
        if (strtod(text, NULL) == value)
            break;
    }
    fputs(text, json->out);
}

void json_raw(struct json_writer *json, const char *name, const char *value)
{
    begin_value(json, name);
    fputs(value, json->out);
}

void json_bool(struct json_writer *json, const char *name, bool value)
{
    begin_value(json, name);
    fputs(value ? "true" : "false", json->out);
}

void json_time(struct json_writer *json, const char *name, int64_t ms)
{
    time_t seconds = (time_t)(ms / 1000);
    char key[64], text[64], date[40];
    struct tm parts;

    if (ms <= 0 || !gmtime_r(&seconds, &parts))
        return;
    strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(text, sizeof(text), "%s.%03dZ", date, (int)(ms % 1000));
    snprintf(key, sizeof(key), "%sAt", name);
    json_text(json, key, text);
    snprintf(key, sizeof(key), "%sMs", name);
    json_int(json, key, ms);
}

void json_texts(struct json_writer *json, const char *name, const char *const *texts)
{
    json_begin_array(json, name);
    for (; *texts; texts++)
        json_text(json, NULL, *texts);
    json_end_array(json);
}
