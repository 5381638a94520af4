/* SPDX-License-Identifier: Apache-2.0 */
/* job_logs.c - test: following logs: every line complete and exactly once, whatever agents fail */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "client/cli/logs/line_buffer.h"
#include "client/cli/logs/log_follow.h"
#include "client/cli/logs/task_label.h"
#include "common/base/mem.h"
#include "common/base/rng.h"

#define CONTAINERS 5
#define AGENTS 2
#define FILE_MAX 20000
#define QUEUE_MAX 512

struct log_file {
    char text[FILE_MAX];
    size_t size;    /* total bytes */
    size_t written; /* bytes written so far */
};

struct message {
    bool used, to_agent;
    int64_t at_ms;
    int agent;
    uint8_t *bytes;
    size_t size;
};

struct stage {
    struct rng rng;
    int64_t now_ms;
    struct log_follow *follow;
    struct log_file files[CONTAINERS][2];
    bool finished[CONTAINERS];
    bool up[AGENTS];
    struct message queue[QUEUE_MAX];
    unsigned lose, repeat;
    bool key_rolled; /* agents refuse tokens with the key "old" */
    uint32_t refused;

    struct line_buffer_output {
        char *text;
        size_t size, capacity;
    } out[2];
    uint32_t troubles;
};

/* --- the network and the agents --------------------------------------------- */

static void put(struct stage *stage, bool to_agent, int agent, const Creel__Envelope *envelope)
{
    unsigned copies = rng_chance(&stage->rng, stage->repeat) ? 2 : 1;

    if (rng_chance(&stage->rng, stage->lose))
        return;
    for (size_t i = 0; i < QUEUE_MAX && copies; i++) {
        struct message *message = &stage->queue[i];

        if (message->used)
            continue;
        message->size = creel__envelope__get_packed_size(envelope);
        message->bytes = mem_alloc(message->size + 1);
        creel__envelope__pack(envelope, message->bytes);
        message->used = true;
        message->to_agent = to_agent;
        message->agent = agent;
        message->at_ms = stage->now_ms + rng_between(&stage->rng, 0, 400);
        copies--;
    }
    assert_int_equal(copies, 0);
}

static void send_read(void *context, const char *address, const char *agent_key, Creel__Envelope *envelope)
{
    assert_string_equal(agent_key, "key");
    put(context, true, address[1] - '0', envelope);
}

static void refuse(struct stage *stage, int agent, uint64_t request_id, Creel__ErrorCode code)
{
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__Error error = CREEL__ERROR__INIT;

    error.code = code;
    reply.request_id = request_id;
    reply.body_case = CREEL__ENVELOPE__BODY_ERROR;
    reply.error = &error;
    put(stage, false, agent, &reply);
    stage->refused++;
}

/* Chunks end anywhere, also in the middle of a line; some reads return nothing. */
static void answer_read(struct stage *stage, int agent, const Creel__Envelope *envelope)
{
    const Creel__ReadLog *read = envelope->read_log;
    int number = read->container_id[10] - '0';
    struct log_file *file = &stage->files[number][!strcmp(read->file, "stderr")];
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__LogChunk chunk = CREEL__LOG_CHUNK__INIT;
    size_t there = file->written > read->offset ? file->written - read->offset : 0;

    /* A token of another node, or with a former key. */
    if (envelope->token.len != 4 || memcmp(envelope->token.data, stage->key_rolled ? "new" : "old", 3) != 0 ||
        envelope->token.data[3] != '0' + agent) {
        refuse(stage, agent, envelope->request_id, CREEL__ERROR_CODE__ERROR_NOT_PERMITTED);
        return;
    }
    if (!file->written && !stage->finished[number]) {
        refuse(stage, agent, envelope->request_id, CREEL__ERROR_CODE__ERROR_NOT_FOUND);
        return;
    }
    chunk.offset = read->offset;
    chunk.data.len = there ? (size_t)rng_between(&stage->rng, 0, (int64_t)there) : 0;
    if (chunk.data.len > 700)
        chunk.data.len = 700;
    chunk.data.data = (uint8_t *)file->text + read->offset;
    chunk.size_bytes = file->written;
    chunk.finished = stage->finished[number];
    reply.request_id = envelope->request_id;
    reply.body_case = CREEL__ENVELOPE__BODY_LOG_CHUNK;
    reply.log_chunk = &chunk;
    put(stage, false, agent, &reply);
}

static void deliver(struct stage *stage, struct message *message)
{
    Creel__Envelope *envelope = creel__envelope__unpack(NULL, message->size, message->bytes);

    message->used = false;
    free(message->bytes);
    if (!message->to_agent)
        log_follow_receive(stage->follow, stage->now_ms, envelope);
    else if (stage->up[message->agent])
        answer_read(stage, message->agent, envelope);
    creel__envelope__free_unpacked(envelope, NULL);
}

/* The resource manager: one token for each node. */
static void give_tokens(struct stage *stage)
{
    char *nodes[WIRE_LOG_NODES_MAX], texts[AGENTS][5];
    ProtobufCBinaryData tokens[AGENTS];
    Creel__LogAccess access = CREEL__LOG_ACCESS__INIT;
    size_t count = log_follow_needs_tokens(stage->follow, nodes);

    assert_in_range(count, 0, AGENTS);
    for (size_t i = 0; i < count; i++) {
        snprintf(texts[i], sizeof(texts[i]), "%s%c", stage->key_rolled ? "new" : "old", nodes[i][1]);
        tokens[i] = (ProtobufCBinaryData){ 4, (uint8_t *)texts[i] };
    }
    access.tokens = tokens;
    access.n_tokens = count;
    log_follow_set_tokens(stage->follow, stage->now_ms, &access);
}

static void play(struct stage *stage)
{
    stage->now_ms += 10;
    for (size_t i = 0; i < QUEUE_MAX; i++)
        if (stage->queue[i].used && stage->queue[i].at_ms <= stage->now_ms)
            deliver(stage, &stage->queue[i]);
    if (log_follow_next_deadline_ms(stage->follow) <= stage->now_ms)
        log_follow_on_timer(stage->follow, stage->now_ms);
    give_tokens(stage);
}

/* --- output ----------------------------------------------------------------- */

static void collect(void *context, bool is_stderr, const char *data, size_t size)
{
    struct stage *stage = context;
    struct line_buffer_output *out = &stage->out[is_stderr];

    for (size_t i = 0; i < size; i++) {
        mem_grow(out->text, out->size, out->capacity);
        out->text[out->size++] = data[i];
    }
}

static void count_trouble(void *context, const char *text)
{
    struct stage *stage = context;

    assert_non_null(strstr(text, "may be incomplete"));
    stage->troubles++;
}

static void start_stage(struct stage *stage, uint64_t seed)
{
    struct log_follow_calls calls = { send_read, collect, count_trouble, stage };

    rng_seed(&stage->rng, seed);
    stage->now_ms = 1000;
    stage->up[0] = stage->up[1] = true;
    stage->follow = log_follow_new(&calls);
}

static void end_stage(struct stage *stage)
{
    log_follow_free(stage->follow);
    for (size_t i = 0; i < QUEUE_MAX; i++)
        if (stage->queue[i].used)
            free(stage->queue[i].bytes);
    free(stage->out[0].text);
    free(stage->out[1].text);
    free(stage);
}

static void follow_container(struct stage *stage, int number, bool labelled)
{
    char id[32], address[8], label[TASK_LABEL_MAX];

    snprintf(id, sizeof(id), "container_%d", number);
    snprintf(address, sizeof(address), "a%d", number % AGENTS);
    log_follow_add(
        stage->follow, stage->now_ms,
        &(struct log_source){ .container_id = id,
                              .node_id = address,
                              .address = address,
                              .agent_key = "key",
                              .label = labelled ? task_label((uint32_t)number, CONTAINERS, label) : "" });
}

static void container_ended(struct stage *stage, int number, bool lost)
{
    char id[32];

    snprintf(id, sizeof(id), "container_%d", number);
    log_follow_ended(stage->follow, stage->now_ms, id, lost);
}

/* Writes lines "<number> <line>" of different lengths; the last line may lack its newline. */
static void write_file(struct stage *stage, int number, bool is_stderr, uint32_t lines)
{
    struct log_file *file = &stage->files[number][is_stderr];

    for (uint32_t i = 0; i < lines; i++)
        file->size += (size_t)snprintf(file->text + file->size, FILE_MAX - file->size, "%d line %u %.*s\n",
                                       number, i, (int)(i * 7 % 60),
                                       "............................................................");
    if (lines && rng_chance(&stage->rng, 500))
        file->size--;
}

/* --- tests ------------------------------------------------------------------ */

/* Checks that the lines of OUT with LABEL, without the label, are the lines of TEXT in order. */
static void assert_lines_of(const struct line_buffer_output *out, const char *label,
                            const struct log_file *file)
{
    size_t label_size = strlen(label), at = 0;

    for (size_t i = 0; i < out->size;) {
        const char *line = out->text + i;
        const char *newline = memchr(line, '\n', out->size - i);
        size_t size;

        assert_non_null(newline);
        size = (size_t)(newline - line) + 1;
        i += size;
        assert_int_equal(line[0], '['); /* each line begins with a label */
        assert_true(size > label_size);
        if (memcmp(line, label, label_size))
            continue;
        size -= label_size;
        if (at + size > file->size)
            size--; /* the follower adds the newline that the last line lacks */
        assert_true(at + size <= file->size);
        assert_memory_equal(line + label_size, file->text + at, size);
        at += size;
    }
    assert_int_equal(at, file->size);
}

static void play_to_end(struct stage *stage)
{
    while (!log_follow_is_idle(stage->follow)) {
        assert_in_range(stage->now_ms, 0, 10000000);
        for (int i = 0; i < CONTAINERS; i++) {
            bool all = true;

            for (int j = 0; j < 2; j++) {
                struct log_file *file = &stage->files[i][j];

                if (rng_chance(&stage->rng, 100))
                    file->written +=
                        (size_t)rng_between(&stage->rng, 0, (int64_t)(file->size - file->written));
                all &= file->written == file->size;
            }
            if (all && !stage->finished[i] && rng_chance(&stage->rng, 50)) {
                stage->finished[i] = true;
                container_ended(stage, i, false);
            }
        }
        if (rng_chance(&stage->rng, 2))
            stage->up[rng_below(&stage->rng, AGENTS)] ^= true;
        if (stage->now_ms % 10000 < 4000)
            stage->up[0] = stage->up[1] = true;
        play(stage);
    }
}

static void nothing_is_lost_torn_or_repeated(void **state)
{
    uint32_t refused = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct stage *stage = mem_new0(struct stage);
        char label[TASK_LABEL_MAX];

        start_stage(stage, seed);
        stage->lose = 100;
        stage->repeat = 150;
        for (int i = 0; i < CONTAINERS; i++) {
            write_file(stage, i, false, (uint32_t)rng_below(&stage->rng, 120));
            write_file(stage, i, true, (uint32_t)rng_below(&stage->rng, 20));
            follow_container(stage, i, true);
            follow_container(stage, i, true); /* adding a container twice has no effect */
        }
        play_to_end(stage);
        assert_int_equal(stage->troubles, 0);
        for (int i = 0; i < CONTAINERS; i++) {
            task_label((uint32_t)i, CONTAINERS, label);
            assert_lines_of(&stage->out[0], label, &stage->files[i][0]);
            assert_lines_of(&stage->out[1], label, &stage->files[i][1]);
        }
        refused += stage->refused;
        end_stage(stage);
    }
    assert_in_range(refused, 100, 1000000); /* reads before the log existed */
}

static void one_task_is_copied_byte_for_byte(void **state)
{
    struct stage *stage = mem_new0(struct stage);

    (void)state;
    start_stage(stage, 3);
    write_file(stage, 0, false, 50);
    for (int i = 1; i < CONTAINERS; i++)
        stage->finished[i] = true;
    follow_container(stage, 0, false);
    play_to_end(stage);
    assert_int_equal(stage->out[0].size, stage->files[0][0].size);
    assert_memory_equal(stage->out[0].text, stage->files[0][0].text, stage->out[0].size);
    assert_int_equal(stage->out[1].size, 0);
    end_stage(stage);
}

static void a_rolled_key_costs_one_more_question(void **state)
{
    struct stage *stage = mem_new0(struct stage);

    (void)state;
    start_stage(stage, 5);
    write_file(stage, 0, false, 100);
    stage->files[0][0].written = 10;
    follow_container(stage, 0, false);
    for (int i = 0; i < 200; i++)
        play(stage);
    stage->key_rolled = true;
    play_to_end(stage);
    assert_int_equal(stage->out[0].size, stage->files[0][0].size);
    assert_int_equal(stage->troubles, 0);
    end_stage(stage);
}

static void lost_agent_is_given_up(void **state)
{
    struct stage *stage = mem_new0(struct stage);

    (void)state;
    start_stage(stage, 9);
    write_file(stage, 0, false, 10);
    stage->files[0][0].written = stage->files[0][0].size;
    stage->up[0] = false;
    follow_container(stage, 0, false);
    for (int i = 0; i < 10000; i++)
        play(stage);
    assert_false(log_follow_is_idle(stage->follow)); /* the container runs, and its agent may return */
    container_ended(stage, 0, true);
    for (int i = 0; i < 1000; i++)
        play(stage);
    assert_true(log_follow_is_idle(stage->follow));
    assert_int_equal(stage->troubles, 2); /* one message each for stdout and stderr */
    end_stage(stage);
}

static void append_output(void *context, const char *data, size_t size)
{
    strncat(context, data, size);
}

static void lines_are_cut_at_newlines_only(void **state)
{
    struct line_buffer buffer = { .size = 0 };
    char out[256] = "";

    (void)state;
    line_buffer_add(&buffer, "[c00] ", "ab", 2, append_output, out);
    assert_string_equal(out, "");
    line_buffer_add(&buffer, "[c00] ", "c\n\nd", 4, append_output, out);
    assert_string_equal(out, "[c00] abc\n[c00] \n");
    line_buffer_flush(&buffer, "[c00] ", append_output, out);
    assert_string_equal(out, "[c00] abc\n[c00] \n[c00] d\n");
    line_buffer_flush(&buffer, "[c00] ", append_output, out);
    assert_string_equal(out, "[c00] abc\n[c00] \n[c00] d\n");
    line_buffer_done(&buffer);
}

static void labels_are_as_wide_as_the_last_one(void **state)
{
    char label[TASK_LABEL_MAX];

    (void)state;
    assert_string_equal(task_label(3, 12, label), "[c03] ");
    assert_string_equal(task_label(3, 100, label), "[c03] ");
    assert_string_equal(task_label(3, 101, label), "[c003] ");
    assert_string_equal(task_label(9999, 10000, label), "[c9999] ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_lost_torn_or_repeated),
        cmocka_unit_test(one_task_is_copied_byte_for_byte),
        cmocka_unit_test(a_rolled_key_costs_one_more_question),
        cmocka_unit_test(lost_agent_is_given_up),
        cmocka_unit_test(lines_are_cut_at_newlines_only),
        cmocka_unit_test(labels_are_as_wide_as_the_last_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
