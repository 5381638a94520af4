/* SPDX-License-Identifier: Apache-2.0 */
/* sign_in.c - users sign in by MUNGE */
#include "rm/net/keys/sign_in.h"

#include <errno.h>
#include <pwd.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/io/keys/credential.h"
#include "common/io/keys/keys.h"
#include "common/io/keys/sign_in_text.h"
#include "common/io/loop/log.h"
#include "rm/net/keys/signed_in.h"
#include "rm/net/keys/signed_in_file.h"
#include "rm/net/parts/worker.h"

#define STOP_MS 1000
#define LOOK_MS 500 /* interval at which late requests are looked for */
#define PASSWD_BYTES 16384

struct sign_in {
    struct loop *loop;
    struct worker *worker;
    char *socket;
    char rm_key[KEY_TEXT];
    int64_t validity_ms;
    sign_in_answer_fn *answer;
    void *context;
    struct signed_in *table;
    struct signed_in_file *file;
    TAILQ_HEAD(, job) waiting; /* in the order of their deadlines */
    unsigned count;
    int timer; /* 0: no request waits */
    int probe_timer;
    int64_t probed_ms; /* steady clock: begin of the test of munged that runs; 0: none runs */
    struct err problem;
    int64_t problem_ms; /* since 1970; 0: munged answers */
    atomic_bool closing;
};

/* A test of munged. */
struct probe {
    struct worker_job base; /* first member */
    struct sign_in *owner;
    int result;
    struct err err;
};

/* One request. The thread owns the fields behind RESULT until DONE is called. */
struct job {
    struct worker_job base; /* first member */
    struct sign_in *owner;
    uint64_t connection, request_id;
    char key[KEY_TEXT];
    char *credential;
    int64_t until_ms;
    bool answered; /* too late; used by the loop alone */
    TAILQ_ENTRY(job) link;
    int result;
    char *user;
    struct err err;
};

/* --- in the thread ----------------------------------------------------------- */

/* Returns 0 if CREDENTIAL is for this key, this resource manager and this purpose. */
static int check_purpose(const struct job *job, const struct credential *credential, struct err *err)
{
    struct sign_in_text text;

    if (!sign_in_text_read(credential->payload, credential->size, &text))
        return err_set(err, EPERM,
                       "the MUNGE credential was not made to sign in to creel, or by another release");
    if (strcmp(text.rm_key, job->owner->rm_key) != 0)
        return err_set(err, EPERM, "the MUNGE credential was made for another cluster");
    if (strcmp(text.key, job->key) != 0)
        return err_set(err, EPERM,
                       "the MUNGE credential was made for another connection: its key is not the one of "
                       "this client");
    return 0;
}

/* Makes *USER the name of UID on this host. */
static int find_name(uid_t uid, char **user, struct err *err)
{
    struct passwd entry, *found = NULL;
    scoped_free char *buffer = mem_alloc(PASSWD_BYTES);

    if (uid == 0)
        return err_set(err, EPERM,
                       "root cannot sign in by MUNGE, since root of any host would be the same user: use "
                       "your own account, or on the host of the resource manager a certificate: creel "
                       "keygen user root");
    if (getpwuid_r(uid, &entry, buffer, PASSWD_BYTES, &found) != 0 || found == NULL)
        return err_set(err, EPERM,
                       "user id %u has no name on the host of the resource manager: the administrator adds "
                       "the account there, with the same id",
                       (unsigned)uid);
    *user = mem_strdup(found->pw_name);
    return 0;
}

static int check(struct job *job)
{
    struct credential credential;
    int r;

    if (atomic_load(&job->owner->closing) || loop_monotonic_ms() >= job->until_ms)
        return err_set(&job->err, ETIMEDOUT, "too late");
    r = credential_check(job->owner->socket, job->credential, &credential, &job->err);
    if (r == 0)
        r = check_purpose(job, &credential, &job->err);
    return r < 0 ? r : find_name(credential.uid, &job->user, &job->err);
}

static void run(struct worker_job *base)
{
    struct job *job = (struct job *)(void *)base;

    job->result = check(job);
}

static void run_probe(struct worker_job *base)
{
    struct probe *probe = (struct probe *)(void *)base;
    const char *socket = probe->owner->socket;
    struct credential credential;
    char *text = NULL;

    if (atomic_load(&probe->owner->closing))
        return;
    probe->result = credential_make(socket, "creel-rm tests munged", &text, &probe->err);
    if (probe->result == 0)
        probe->result = credential_check(socket, text, &credential, &probe->err);
    free(text);
}

/* --- in the loop --------------------------------------------------------------- */

static Creel__ErrorCode code_of(int result)
{
    switch (result) {
    case -EALREADY:
        return CREEL__ERROR_CODE__ERROR_SIGN_IN;
    case -EHOSTDOWN:
    case -EOPNOTSUPP:
        return CREEL__ERROR_CODE__ERROR_BAD_STATE;
    case -ETIMEDOUT:
        return CREEL__ERROR_CODE__ERROR_UNAVAILABLE;
    default:
        return CREEL__ERROR_CODE__ERROR_NOT_PERMITTED;
    }
}

static void refuse(struct job *job, int result)
{
    struct sign_in *sign_in = job->owner;

    job->answered = true;
    sign_in->answer(sign_in->context, &(struct sign_in_answer){
                                          .connection = job->connection,
                                          .request_id = job->request_id,
                                          .code = code_of(result),
                                          .text = job->err.text,
                                      });
}

static void accept_user(struct job *job)
{
    struct sign_in *sign_in = job->owner;
    int64_t now_ms = loop_monotonic_ms();

    if (!signed_in_put(sign_in->table, job->key, job->user, now_ms, now_ms + sign_in->validity_ms)) {
        refuse(job, err_set(&job->err, EPERM, "this key is already the key of another user"));
        return;
    }
    signed_in_file_add(sign_in->file, job->key, job->user, sign_in->validity_ms);
    sign_in->answer(sign_in->context, &(struct sign_in_answer){
                                          .connection = job->connection,
                                          .request_id = job->request_id,
                                          .user = job->user,
                                          .valid_ms = sign_in->validity_ms,
                                      });
}

/* Notes what was learned of munged: ERR, why it does not do its work; NULL: it does. */
static void note_munged(struct sign_in *sign_in, const struct err *err)
{
    if (atomic_load(&sign_in->closing))
        return;
    if (err != NULL && sign_in->problem_ms == 0)
        log_line(LOG_LEVEL_ERROR, "no user can sign in by MUNGE: %s", err->text);
    if (err == NULL && sign_in->problem_ms != 0)
        log_line(LOG_LEVEL_INFO, "users can sign in by MUNGE again");
    if (err != NULL)
        sign_in->problem = *err;
    if (err == NULL || sign_in->problem_ms == 0)
        sign_in->problem_ms = err != NULL ? loop_now_ms() : 0;
}

static void probe_done(struct worker_job *base)
{
    struct probe *probe = (struct probe *)(void *)base;

    probe->owner->probed_ms = 0;
    note_munged(probe->owner, probe->result < 0 ? &probe->err : NULL);
    free(probe);
}

static void note_silence(struct sign_in *sign_in)
{
    struct err err = { 0 };

    if (sign_in->probed_ms == 0 || loop_monotonic_ms() - sign_in->probed_ms <= SIGN_IN_ANSWER_MS)
        return;
    (void)err_set(&err, ETIMEDOUT, "munged does not answer within %d s", SIGN_IN_ANSWER_MS / 1000);
    note_munged(sign_in, &err);
}

/* Tests munged, unless a test still runs. */
static void probe_munged(void *context)
{
    struct sign_in *sign_in = context;
    struct probe *probe;

    note_silence(sign_in);
    sign_in->probe_timer =
        loop_add_timer(sign_in->loop, sign_in->problem_ms != 0 ? SIGN_IN_ANSWER_MS : SIGN_IN_PROBE_MS,
                       probe_munged, sign_in);
    if (sign_in->probed_ms != 0)
        return;
    probe = mem_new0(struct probe);
    probe->base.run = run_probe;
    probe->base.done = probe_done;
    probe->owner = sign_in;
    sign_in->probed_ms = loop_monotonic_ms();
    worker_add(sign_in->worker, &probe->base);
}

struct sign_in_state sign_in_state(struct sign_in *sign_in)
{
    if (sign_in == NULL)
        return (struct sign_in_state){ .used = false };
    note_silence(sign_in);
    return (struct sign_in_state){
        .used = true,
        .problem = sign_in->problem_ms != 0 ? sign_in->problem.text : NULL,
        .since_ms = sign_in->problem_ms,
    };
}

static void done(struct worker_job *base)
{
    struct job *job = (struct job *)(void *)base;
    struct sign_in *sign_in = job->owner;

    if (job->result == -EHOSTDOWN || job->result == 0)
        note_munged(sign_in, job->result < 0 ? &job->err : NULL);
    TAILQ_REMOVE(&sign_in->waiting, job, link);
    sign_in->count--;
    if (job->result == -EHOSTDOWN)
        err_prefix(&job->err, "at the resource manager");
    if (!job->answered && !atomic_load(&sign_in->closing)) {
        if (job->result < 0)
            refuse(job, job->result);
        else
            accept_user(job);
    }
    explicit_bzero(job->credential, strlen(job->credential));
    free(job->credential);
    free(job->user);
    free(job);
}

/* Answers the requests whose time has passed. Their jobs stay until the thread has run them. */
static void answer_expired(void *context)
{
    struct sign_in *sign_in = context;
    int64_t now_ms = loop_monotonic_ms();
    struct err err = { 0 };
    struct job *job;

    TAILQ_FOREACH(job, &sign_in->waiting, link) {
        if (job->until_ms > now_ms)
            break;
        if (job->answered)
            continue;
        (void)err_set(&err, ETIMEDOUT, "munged does not answer within %d s", SIGN_IN_ANSWER_MS / 1000);
        note_munged(sign_in, &err);
        job->answered = true;
        sign_in->answer(
            sign_in->context,
            &(struct sign_in_answer){
                .connection = job->connection,
                .request_id = job->request_id,
                .code = CREEL__ERROR_CODE__ERROR_BAD_STATE,
                .text = "at the resource manager: munged does not answer within 5 s: root looks at it "
                        "with: systemctl status munge",
            });
    }
    sign_in->timer = sign_in->count > 0 ? loop_add_timer(sign_in->loop, LOOK_MS, answer_expired, sign_in) : 0;
}

int sign_in_add(struct sign_in *sign_in, const struct sign_in_request *request, struct err *err)
{
    struct job *job;

    if (sign_in->count >= SIGN_IN_WAITING_MAX)
        return err_set(err, EAGAIN, "%u users are just signing in: repeat the command", sign_in->count);
    TAILQ_FOREACH(job, &sign_in->waiting, link)
        if (job->connection == request->connection)
            return err_set(err, EBUSY, "the request before is not answered yet");
    job = mem_new0(struct job);
    job->base.run = run;
    job->base.done = done;
    job->owner = sign_in;
    job->connection = request->connection;
    job->request_id = request->request_id;
    memcpy(job->key, request->key, KEY_TEXT);
    job->credential = mem_strdup(request->credential);
    job->until_ms = loop_monotonic_ms() + SIGN_IN_ANSWER_MS;
    TAILQ_INSERT_TAIL(&sign_in->waiting, job, link);
    sign_in->count++;
    if (sign_in->timer == 0)
        sign_in->timer = loop_add_timer(sign_in->loop, LOOK_MS, answer_expired, sign_in);
    worker_add(sign_in->worker, &job->base);
    return 0;
}

const char *sign_in_find(struct sign_in *sign_in, const char *key)
{
    return sign_in != NULL ? signed_in_find(sign_in->table, key, loop_monotonic_ms()) : NULL;
}

int64_t sign_in_left_ms(const struct sign_in *sign_in, const char *key)
{
    return sign_in != NULL ? signed_in_left_ms(sign_in->table, key, loop_monotonic_ms()) : 0;
}

/* --- creation and destruction ---------------------------------------------------- */

int sign_in_new(struct loop *loop, const struct sign_in_settings *settings, sign_in_answer_fn *answer,
                void *context, struct sign_in **ret, struct err *err)
{
    struct sign_in *sign_in = mem_new0(struct sign_in);
    int r;

    sign_in->loop = loop;
    sign_in->socket = mem_strdup(settings->socket);
    memcpy(sign_in->rm_key, settings->rm_key, KEY_TEXT);
    sign_in->validity_ms = settings->validity_ms;
    sign_in->answer = answer;
    sign_in->context = context;
    sign_in->table = signed_in_new();
    TAILQ_INIT(&sign_in->waiting);
    atomic_init(&sign_in->closing, false);
    r = signed_in_file_open(settings->state_directory, sign_in->table, sign_in->validity_ms, &sign_in->file,
                            err);
    if (r == 0)
        r = worker_new(loop, &sign_in->worker, err);
    if (r < 0) {
        sign_in_free(sign_in);
        return r;
    }
    probe_munged(sign_in);
    *ret = sign_in;
    return 0;
}

bool sign_in_free(struct sign_in *sign_in)
{
    if (sign_in == NULL)
        return true;
    atomic_store(&sign_in->closing, true);
    loop_cancel_timer(sign_in->loop, sign_in->probe_timer);
    if (sign_in->worker != NULL && !worker_free(sign_in->worker, STOP_MS)) {
        log_line(LOG_LEVEL_WARN, "a sign-in by MUNGE is abandoned: munged does not answer");
        return false;
    }
    if (sign_in->timer != 0)
        loop_cancel_timer(sign_in->loop, sign_in->timer);
    signed_in_file_close(sign_in->file);
    signed_in_free(sign_in->table);
    free(sign_in->socket);
    free(sign_in);
    return true;
}
