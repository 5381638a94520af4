/* SPDX-License-Identifier: Apache-2.0 */
/* job_history_fixture.c - fixture: history files in a scratch directory */
#include "tests/unit/am/job_history_fixture.h"

int history_set_up(void **state)
{
    struct history_fixture *f = mem_new0(struct history_fixture);

    f->directory = scratch_make();
    f->history = job_history_new(f->directory, YEAR_MS, 0);
    *state = f;
    return 0;
}

static void drop_rows(struct history_fixture *f)
{
    for (size_t i = 0; i < f->count; i++)
        free((void *)(uintptr_t)f->rows[i].packed);
    f->count = 0;
}

static void drop_last(struct history_fixture *f)
{
    if (f->last != NULL)
        protobuf_c_message_free_unpacked(&f->last->base, NULL);
    f->last = NULL;
}

int history_tear_down(void **state)
{
    struct history_fixture *f = *state;

    drop_rows(f);
    drop_last(f);
    free(f->set_aside);
    job_history_free(f->history);
    scratch_remove(f->directory);
    free(f);
    return 0;
}

/* --- rows ------------------------------------------------------------------ */

static void add_row(struct history_fixture *f, enum job_history_kind kind, const ProtobufCMessage *message)
{
    size_t size = protobuf_c_message_get_packed_size(message);
    uint8_t *packed = mem_alloc(size + 1);

    protobuf_c_message_pack(message, packed);
    assert_in_range(f->count, 0, ROWS_MAX - 1);
    f->rows[f->count++] = (struct job_history_row){ kind, size, packed };
}

void history_add_app(struct history_fixture *f, unsigned seq, int64_t finished_ms, const char *user,
                     const char *queue)
{
    Creel__AppReport app = CREEL__APP_REPORT__INIT;
    struct app_id id = { NOW_MS, seq };
    char text[ID_TEXT_MAX], name[32];

    snprintf(name, sizeof(name), "job-%u", seq);
    app.app_id = (char *)(uintptr_t)app_id_format(&id, text);
    app.user = (char *)(uintptr_t)user;
    app.queue = (char *)(uintptr_t)queue;
    app.name = name;
    app.state = seq % 2 ? CREEL__APP_STATE__APP_FINISHED : CREEL__APP_STATE__APP_FAILED;
    app.submitted_ms = finished_ms - 1000;
    app.started_ms = finished_ms - 400;
    app.finished_ms = finished_ms;
    app.final_status = seq % 2 ? CREEL__FINAL_STATUS__FINAL_SUCCEEDED : CREEL__FINAL_STATUS__FINAL_FAILED;
    app.vcore_seconds = seq;
    app.memory_mb_seconds = 10 * (uint64_t)seq;
    add_row(f, JOB_HISTORY_APP, &app.base);
}

void history_add_task(struct history_fixture *f, unsigned seq, unsigned array, unsigned index)
{
    Creel__AppReport app = CREEL__APP_REPORT__INIT;
    struct app_id id = { NOW_MS, seq }, of = { NOW_MS, array };
    char text[ID_TEXT_MAX], array_text[ID_TEXT_MAX];

    app.app_id = (char *)(uintptr_t)app_id_format(&id, text);
    app.array_id = (char *)(uintptr_t)app_id_format(&of, array_text);
    app.array_index = index;
    app.user = app.queue = app.name = (char *)(uintptr_t) "ann";
    app.state = CREEL__APP_STATE__APP_FINISHED;
    app.submitted_ms = app.finished_ms = NOVEMBER_MS;
    add_row(f, JOB_HISTORY_APP, &app.base);
}

void history_add_container(struct history_fixture *f, unsigned seq, unsigned number, int64_t finished_ms,
                           const char *node, int exit_status)
{
    Creel__ContainerReport container = CREEL__CONTAINER_REPORT__INIT;
    struct container_id id = { { { NOW_MS, seq }, 1 }, 0, number };
    char text[ID_TEXT_MAX];

    container.container_id = (char *)(uintptr_t)container_id_format(&id, text);
    container.node_id = (char *)(uintptr_t)node;
    container.user = (char *)(uintptr_t) "ann";
    container.state = CREEL__CONTAINER_STATE__CONTAINER_COMPLETE;
    container.started_ms = finished_ms - 2000;
    container.finished_ms = finished_ms;
    container.exit_status = exit_status;
    container.cpu_time_us = 1000 * number;
    container.memory_peak_bytes = 1000000 * (uint64_t)number;
    container.written_bytes = 7;
    add_row(f, JOB_HISTORY_CONTAINER, &container.base);
}

int history_write_at(struct history_fixture *f, int64_t now_ms, struct err *err)
{
    int r;

    free(f->set_aside);
    r = job_history_write(f->history, f->rows, f->count, now_ms, &f->set_aside, err);
    drop_rows(f);
    return r;
}

void history_write(struct history_fixture *f)
{
    struct err err = { 0 };

    assert_ok(history_write_at(f, NOVEMBER_MS + DAY_MS, &err), err);
}

/* --- reading --------------------------------------------------------------- */

bool history_note(void *context, Creel__AppReport *report)
{
    struct history_fixture *f = context;
    size_t used = strlen(f->listed);
    struct app_id id;

    assert_true(app_id_parse(report->app_id, &id));
    snprintf(f->listed + used, sizeof(f->listed) - used, "%s%u", used > 0 ? " " : "", id.seq);
    drop_last(f);
    f->last = report;
    return true;
}

const char *history_list(struct history_fixture *f, struct job_history_filter filter)
{
    struct err err = { 0 };

    f->listed[0] = '\0';
    filter.limit = filter.limit > 0 ? filter.limit : 100;
    assert_ok(job_history_list(f->directory, &filter, history_note, f, f->next, &f->damaged, &err), err);
    return f->listed;
}

void history_note_sum(void *context, const struct job_history_sum *sum)
{
    struct history_fixture *f = context;
    size_t used = strlen(f->listed);

    snprintf(f->listed + used, sizeof(f->listed) - used, "%s%s:%d/%d/%d/%d", used > 0 ? " " : "", sum->group,
             (int)sum->jobs, (int)sum->succeeded, (int)sum->failed, (int)sum->killed);
    f->sum = *sum;
    f->sum.group = NULL;
}

const char *history_sum_page(struct history_fixture *f, enum job_history_group by, int64_t offset_ms,
                             struct job_history_filter filter)
{
    struct err err = { 0 };

    f->listed[0] = '\0';
    filter.limit = filter.limit > 0 ? filter.limit : 100;
    assert_ok(job_history_sum(f->directory, &filter, by, offset_ms, history_note_sum, f, &f->more,
                              &f->damaged, &err),
              err);
    return f->listed;
}
