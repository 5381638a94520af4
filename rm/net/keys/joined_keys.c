/* SPDX-License-Identifier: Apache-2.0 */
/* joined_keys.c - a copy of the public keys of hosts that have joined, in the key directory */
#include "rm/net/keys/joined_keys.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/base/text_builder.h"
#include "common/io/keys/keys.h"
#include "common/io/keys/z85.h"
#include "common/io/loop/log.h"
#include "rm/net/parts/worker.h"

#define RETRY_MS 60000
#define GROWTH 2        /* lines that are added until the file is written anew, for each line that it had */
#define GROWTH_MIN 1000 /* lines that are added in any case */
#define ID_BYTES 16
#define ID_TEXT (2 * ID_BYTES + 1)
#define HEADING \
    "# Public keys of the hosts that have joined with a token. creel-rm writes this file.\n" \
    "# To remove a host: creel token revoke --join HOST\n"

/* What the file has about one host. After the start only hosts that are revoked are kept. */
struct listed {
    char *host;    /* owned */
    char *line;    /* while the file is read: its last line of the host; owned; NULL: it has not joined */
    size_t number; /* of that line in the file */
    int64_t revoked_ms; /* joins until this time are revoked; 0: none is */
    UT_hash_handle hh;
};

struct joined_keys {
    char *key_directory; /* owned: a thread that hangs uses it until the end */
    const struct store *store;
    struct worker *worker;
    struct listed *listed;               /* by host, in the order of the revocations */
    struct text_builder changes;         /* lines that are to be appended */
    size_t changed_lines, written_lines; /* since the file was written anew; when it was */
    bool exists, rewrite, unreadable, running;
    int64_t retry_ms; /* after a failure: steady time of the next try */
    struct err problem;
};

struct job {
    struct worker_job job; /* first */
    struct joined_keys *joined;
    char *text; /* owned */
    bool replace;
    int64_t steady_ms;
    int result;
    struct err err;
};

int joined_keys_new(struct loop *loop, const char *key_directory, const struct store *store,
                    struct joined_keys **ret, struct err *err)
{
    struct joined_keys *joined = mem_new0(struct joined_keys);
    int r = worker_new(loop, &joined->worker, err);

    if (r < 0) {
        free(joined);
        return r;
    }
    joined->key_directory = mem_strdup(key_directory);
    joined->store = store;
    joined->changes = TEXT_BUILDER_MALLOC;
    joined->rewrite = true;
    *ret = joined;
    return 0;
}

static void forget(struct joined_keys *joined, struct listed *listed)
{
    HASH_DEL(joined->listed, listed);
    free(listed->host);
    free(listed->line);
    free(listed);
}

bool joined_keys_free(struct joined_keys *joined, int64_t timeout_ms)
{
    if (joined == NULL)
        return true;
    if (!worker_free(joined->worker, timeout_ms)) {
        log_line(LOG_LEVEL_WARN,
                 "the write of %s/" JOINED_KEYS_FILE " does not end, and is abandoned: its disk does not "
                 "answer; the next start writes the file",
                 joined->key_directory);
        return false;
    }
    while (joined->listed != NULL)
        forget(joined, joined->listed);
    text_builder_clear(&joined->changes);
    free(joined->key_directory);
    free(joined);
    return true;
}

const char *joined_keys_problem(const struct joined_keys *joined)
{
    return joined->problem.code != 0 ? joined->problem.text : NULL;
}

bool joined_keys_busy(const struct joined_keys *joined)
{
    return joined->running;
}

/* --- the lines -------------------------------------------------------------------- */

static struct listed *find_or_add(struct joined_keys *joined, const char *host)
{
    struct listed *listed;

    HASH_FIND_STR(joined->listed, host, listed);
    if (listed != NULL)
        return listed;
    listed = mem_new0(struct listed);
    listed->host = mem_strdup(host);
    HASH_ADD_KEYPTR(hh, joined->listed, listed->host, strlen(listed->host), listed);
    return listed;
}

static void set_line(struct listed *listed, char *line)
{
    free(listed->line);
    listed->line = line;
}

static void note_revoked(struct joined_keys *joined, const char *host, int64_t since_ms)
{
    struct listed *listed = find_or_add(joined, host);

    if (since_ms > listed->revoked_ms)
        listed->revoked_ms = since_ms;
    set_line(listed, NULL);
    HASH_DEL(joined->listed, listed); /* it becomes the last one in order */
    HASH_ADD_KEYPTR(hh, joined->listed, listed->host, strlen(listed->host), listed);
}

/* To be called when only revoked hosts are listed. */
static void forget_oldest(struct joined_keys *joined)
{
    while (HASH_COUNT(joined->listed) > JOINED_KEYS_REVOKED_MAX)
        forget(joined, joined->listed);
}

static void add_history(const struct joined_keys *joined, struct text_builder *text)
{
    char store[ID_TEXT], start[ID_TEXT];
    Creel__History now;

    store_history(joined->store, &now);
    sodium_bin2hex(store, sizeof(store), now.store_id.data, ID_BYTES);
    sodium_bin2hex(start, sizeof(start), now.start_id.data, ID_BYTES);
    text_builder_printf(text, "@ %s %" PRIu32 " %s %" PRIu64 "\n", store, now.epoch, start, now.commit);
}

static void add_host(struct text_builder *text, const struct master_joined *host)
{
    text_builder_printf(text, "%s %s %s %" PRId64 "\n", host->host, host->public_key,
                        host->token != NULL && *host->token != '\0' ? host->token : "-", host->since_ms);
}

static void add_revoked(struct text_builder *text, const char *host, int64_t since_ms)
{
    text_builder_printf(text, "-%s %" PRId64 "\n", host, since_ms);
}

/* --- reading -------------------------------------------------------------------- */

struct reading { /* what a start reads */
    struct master *master;
    int64_t now_ms;
    struct master_effects *effects;
    bool knows;           /* the state has the commit of the last line with one */
    size_t number, known; /* of the present line; of that last line with a commit */
    size_t added, removed;
};

/* Parses "HOST KEY TOKEN SINCE_MS". The texts of RET are in the buffers. */
static bool parse_host(const char *line, char host[256], char key[KEY_TEXT], char token[64],
                       struct master_joined *ret)
{
    uint8_t bytes[32];

    *ret = (struct master_joined){ host, key, token, 0 };
    return sscanf(line, "%255s %40s %63s %" SCNd64, host, key, token, &ret->since_ms) == 4 &&
           z85_decode(key, bytes, sizeof(bytes));
}

static bool parse_id(const char *hex, uint8_t id[ID_BYTES])
{
    size_t size;

    return sodium_hex2bin(id, ID_BYTES, hex, strlen(hex), NULL, &size, NULL) == 0 && size == ID_BYTES;
}

/* Returns true if the state has the commit of LINE. */
static bool is_known(const struct joined_keys *joined, const char *line)
{
    char store[ID_TEXT], start[ID_TEXT];
    uint8_t store_id[ID_BYTES], start_id[ID_BYTES];
    Creel__History seen = CREEL__HISTORY__INIT;

    if (sscanf(line, "@ %32s %" SCNu32 " %32s %" SCNu64, store, &seen.epoch, start, &seen.commit) != 4 ||
        !parse_id(store, store_id) || !parse_id(start, start_id))
        return false;
    seen.store_id = (ProtobufCBinaryData){ ID_BYTES, store_id };
    seen.start_id = (ProtobufCBinaryData){ ID_BYTES, start_id };
    return store_compare(joined->store, &seen) == STORE_COMPARED_SEEN;
}

static bool read_line(struct joined_keys *joined, struct reading *reading, const char *line)
{
    char host[256], key[KEY_TEXT], token[64];
    struct master_joined parsed;
    struct listed *listed;
    int64_t since_ms;

    reading->number++;
    if (*line == '#' || *line == '\0')
        return true;
    if (*line == '@') {
        reading->knows = is_known(joined, line);
        reading->known = reading->number;
        return true;
    }
    if (*line == '-') {
        if (sscanf(line, "-%255s %" SCNd64, host, &since_ms) != 2)
            return false;
        note_revoked(joined, host, since_ms);
        return true;
    }
    if (!parse_host(line, host, key, token, &parsed))
        return false;
    listed = find_or_add(joined, host);
    set_line(listed, mem_strdup(line));
    listed->number = reading->number;
    return true;
}

/* Reads TEXT into JOINED->listed. */
static void read_lines(struct joined_keys *joined, struct reading *reading, char *text)
{
    char *next = text, *line;

    while ((line = strsep(&next, "\n")) != NULL) {
        if (next == NULL && *line != '\0')
            log_line(LOG_LEVEL_WARN,
                     "%s/" JOINED_KEYS_FILE
                     ": the last line is incomplete, as after a crash, and is left out: "
                     "%.80s",
                     joined->key_directory, line);
        else if (!read_line(joined, reading, line))
            log_line(LOG_LEVEL_WARN,
                     "%s/" JOINED_KEYS_FILE ": this line is no host that has joined, and is removed: %.80s",
                     joined->key_directory, line);
    }
}

/* Makes the master's list of hosts what the file has of LISTED. */
static void take_host(struct reading *reading, const struct listed *listed)
{
    char host[256], key[KEY_TEXT], token[64];
    struct master_joined parsed;

    if (listed->revoked_ms > 0)
        reading->removed += master_remove_host(reading->master, reading->now_ms, listed->host,
                                               listed->revoked_ms, reading->effects);
    if (listed->line != NULL && parse_host(listed->line, host, key, token, &parsed))
        reading->added += master_adopt_host(reading->master, reading->now_ms, &parsed, reading->effects);
}

/* Removes the line of a host that the state has with the key of the line, or a later one. */
static void keep_host(void *context, const struct master_joined *host)
{
    struct joined_keys *joined = context;
    char name[256], key[KEY_TEXT], token[64];
    struct master_joined parsed;
    struct listed *listed;

    HASH_FIND_STR(joined->listed, host->host, listed);
    if (listed != NULL && listed->line != NULL && parse_host(listed->line, name, key, token, &parsed) &&
        parsed.since_ms <= host->since_ms)
        set_line(listed, NULL);
}

/* The state knows the file. A host that it does not have although it knows the line was revoked while the
 * file was not written, as at a stop: the revocation is noted, for the file that is written next. */
static void find_revoked(struct joined_keys *joined, const struct reading *reading)
{
    char name[256], key[KEY_TEXT], token[64];
    struct master_joined parsed;
    struct listed *listed, *next;
    size_t found = 0;

    master_each_joined_host(reading->master, keep_host, joined);
    HASH_ITER(hh, joined->listed, listed, next) {
        if (listed->line == NULL || listed->number > reading->known ||
            !parse_host(listed->line, name, key, token, &parsed))
            continue;
        note_revoked(joined, listed->host, parsed.since_ms);
        found++;
    }
    if (found > 0)
        log_line(LOG_LEVEL_INFO,
                 "%zu host%s revoked while %s/" JOINED_KEYS_FILE " was not written; the list names %s now",
                 found, found == 1 ? " was" : "s were", joined->key_directory, found == 1 ? "it" : "them");
}

static void log_taken(const struct joined_keys *joined, const struct reading *reading)
{
    if (reading->added > 0)
        log_line(LOG_LEVEL_WARN,
                 "%zu host%s joined that the state does not have: the list in %s/%s admits their agents",
                 reading->added, reading->added == 1 ? " has" : "s have", joined->key_directory,
                 JOINED_KEYS_FILE);
    if (reading->removed > 0)
        log_line(
            LOG_LEVEL_WARN,
            "%zu host%s of the state %s revoked after its newest commit, as the list in %s/%s has it, and "
            "%s removed",
            reading->removed, reading->removed == 1 ? "" : "s", reading->removed == 1 ? "was" : "were",
            joined->key_directory, JOINED_KEYS_FILE, reading->removed == 1 ? "is" : "are");
}

size_t joined_keys_adopt(struct joined_keys *joined, struct master *master, int64_t now_ms,
                         struct master_effects *effects)
{
    struct reading reading = { .master = master, .now_ms = now_ms, .effects = effects };
    struct listed *listed, *next;
    scoped_free char *text = NULL;

    joined->unreadable = joined_file_read(joined->key_directory, &text, &joined->problem) < 0;
    if (joined->unreadable)
        log_line(LOG_LEVEL_ERROR, "%s", joined->problem.text);
    if (text == NULL)
        return 0;
    joined->exists = true;
    read_lines(joined, &reading, text);
    if (reading.knows)
        find_revoked(joined, &reading);
    HASH_ITER(hh, joined->listed, listed, next) {
        if (!reading.knows)
            take_host(&reading, listed);
        set_line(listed, NULL);
        if (listed->revoked_ms == 0)
            forget(joined, listed);
    }
    forget_oldest(joined);
    log_taken(joined, &reading);
    return reading.added;
}

/* --- writing -------------------------------------------------------------------- */

void joined_keys_add(struct joined_keys *joined, const Creel__StoredSetting *row)
{
    const struct master_joined host = { row->name, row->value, row->by, row->since_ms };

    if (joined->unreadable)
        return;
    joined->changed_lines++;
    if (row->value != NULL && *row->value != '\0') {
        add_host(&joined->changes, &host);
        return;
    }
    note_revoked(joined, row->name, row->since_ms);
    forget_oldest(joined);
    add_revoked(&joined->changes, row->name, row->since_ms);
}

struct lines {
    struct text_builder text;
    size_t count;
};

static void add_line(void *context, const struct master_joined *host)
{
    struct lines *lines = context;

    add_host(&lines->text, host);
    lines->count++;
}

/* Returns the content of the file that has the hosts of MASTER, and the revocations. The caller frees it. */
static char *make_text(struct joined_keys *joined, const struct master *master)
{
    struct lines lines = { .text = TEXT_BUILDER_MALLOC };

    text_builder_add(&lines.text, HEADING);
    for (const struct listed *listed = joined->listed; listed != NULL; listed = listed->hh.next) {
        add_revoked(&lines.text, listed->host, listed->revoked_ms);
        lines.count++;
    }
    master_each_joined_host(master, add_line, &lines);
    joined->written_lines = lines.count;
    if (lines.count == 0 && !joined->exists) {
        text_builder_clear(&lines.text);
        return NULL;
    }
    add_history(joined, &lines.text);
    return text_builder_finish(&lines.text);
}

static void note_failure(struct joined_keys *joined, const struct job *job)
{
    joined->rewrite = true;
    joined->retry_ms = job->steady_ms + RETRY_MS;
    if (joined->problem.code == 0)
        log_line(
            LOG_LEVEL_ERROR,
            "%s; if the state is lost, agents of hosts that joined since are refused, and hosts that are "
            "removed since are admitted",
            job->err.text);
    joined->problem = job->err;
}

/* In the thread. */
static void run_job(struct worker_job *base)
{
    struct job *job = (struct job *)base;

    job->result = job->replace ? joined_file_replace(job->joined->key_directory, job->text, &job->err)
                               : joined_file_append(job->joined->key_directory, job->text, &job->err);
}

static void finish_job(struct worker_job *base)
{
    struct job *job = (struct job *)base;
    struct joined_keys *joined = job->joined;

    joined->running = false;
    if (job->result < 0) {
        note_failure(joined, job);
    } else {
        joined->exists = true;
        joined->problem = (struct err){ 0 };
    }
    free(job->text);
    free(job);
}

static void start_job(struct joined_keys *joined, char *text, bool replace, int64_t steady_ms)
{
    struct job *job = mem_new0(struct job);

    job->job.run = run_job;
    job->job.done = finish_job;
    job->joined = joined;
    job->text = text;
    job->replace = replace;
    job->steady_ms = steady_ms;
    joined->running = true;
    worker_add(joined->worker, &job->job);
}

void joined_keys_write(struct joined_keys *joined, const struct master *master, int64_t steady_ms)
{
    bool grown = joined->changed_lines > GROWTH * joined->written_lines + GROWTH_MIN, replace;
    char *text;

    if (joined->running || joined->unreadable || steady_ms < joined->retry_ms ||
        (!joined->rewrite && *text_builder_text(&joined->changes) == '\0'))
        return;
    replace = joined->rewrite || grown || !joined->exists;
    if (replace) {
        text_builder_clear(&joined->changes);
        joined->changed_lines = 0;
        text = make_text(joined, master);
    } else {
        add_history(joined, &joined->changes);
        joined->changed_lines++;
        text = text_builder_finish(&joined->changes);
    }
    joined->rewrite = false;
    if (text != NULL)
        start_job(joined, text, replace, steady_ms);
}
