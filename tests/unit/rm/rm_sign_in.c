/* SPDX-License-Identifier: Apache-2.0 */
/* rm_sign_in.c - test: credentials of munged, and what the resource manager makes of them */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/io/keys/credential.h"
#include "common/io/keys/keys.h"
#include "common/io/keys/sign_in_text.h"
#include "munge_fixture.h"
#include "rm/net/keys/sign_in.h"

#define CONNECTION 7
#define REQUEST 9
#define VALIDITY_MS 60000
#define PATIENCE_MS 30000

struct stage {
    struct munge_fixture munge;
    const char *socket;
    struct loop *loop;
    struct key client, rm;
    struct sign_in *sign_in;
    bool answered;
    Creel__ErrorCode code;
    char *user, *text; /* owned */
};

static void on_answer(void *context, const struct sign_in_answer *answer)
{
    struct stage *stage = context;

    assert_false(stage->answered);
    assert_int_equal(answer->connection, CONNECTION);
    assert_int_equal(answer->request_id, REQUEST);
    stage->answered = true;
    stage->user = answer->user != NULL ? mem_strdup(answer->user) : NULL;
    stage->text = answer->text != NULL ? mem_strdup(answer->text) : NULL;
    stage->code = answer->code;
    if (answer->user != NULL)
        assert_int_equal(answer->valid_ms, VALIDITY_MS);
    loop_stop(stage->loop);
}

static void no_answer(void *context)
{
    (void)context;
    fail_msg("the request is not answered");
}

static int set_up(void **state)
{
    struct stage *stage = mem_new0(struct stage);

    *state = stage;
    if (!munge_fixture_is_possible())
        return 0;
    munge_fixture_open(&stage->munge);
    stage->socket = munge_fixture_start(&stage->munge, 'a', NULL);
    key_generate(&stage->client);
    key_generate(&stage->rm);
    assert_int_equal(loop_new(&stage->loop, NULL), 0);
    return 0;
}

static void forget_answer(struct stage *stage)
{
    free(stage->user);
    free(stage->text);
    stage->user = stage->text = NULL;
    stage->answered = false;
}

static int tear_down(void **state)
{
    struct stage *stage = *state;

    if (munge_fixture_is_possible()) {
        sign_in_free(stage->sign_in);
        loop_free(stage->loop);
        munge_fixture_close(&stage->munge);
    }
    forget_answer(stage);
    free(stage);
    return 0;
}

/* Starts what is tested, which asks the munged at SOCKET. */
static void start(struct stage *stage, const char *socket)
{
    const struct sign_in_settings settings = {
        .socket = socket,
        .rm_key = stage->rm.public_text,
        .state_directory = stage->munge.directory,
        .validity_ms = VALIDITY_MS,
    };

    if (!munge_fixture_is_possible())
        skip();
    assert_int_equal(sign_in_new(stage->loop, &settings, on_answer, stage, &stage->sign_in, NULL), 0);
}

/* Makes a credential at SOCKET as the user UID. */
static char *credential_of(uid_t uid, const char *socket, const char *payload)
{
    char *text = NULL, got[CREDENTIAL_TEXT_MAX] = "";
    int ends[2], status;
    struct err err;
    pid_t pid;

    assert_int_equal(pipe(ends), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        if ((uid != geteuid() && setuid(uid) != 0) || credential_make(socket, payload, &text, &err) < 0 ||
            write(ends[1], text, strlen(text)) < 0)
            _exit(1);
        _exit(0);
    }
    close(ends[1]);
    assert_true(read(ends[0], got, sizeof(got) - 1) > 0);
    close(ends[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    return mem_strdup(got);
}

/* Returns an account other than root: that of this process, or "nobody" if this process runs as root. */
static const struct passwd *other_account(void)
{
    const struct passwd *entry = geteuid() == 0 ? getpwnam("nobody") : getpwuid(geteuid());

    assert_non_null(entry);
    return entry;
}

static char *payload_for(const struct key *client, const struct key *rm)
{
    struct sign_in_text content;
    char text[SIGN_IN_TEXT];

    memcpy(content.key, client->public_text, KEY_TEXT);
    memcpy(content.rm_key, rm->public_text, KEY_TEXT);
    sign_in_text_write(&content, text);
    return mem_strdup(text);
}

/* Sends CREDENTIAL over a connection with the key of CLIENT, and waits for the answer. */
static void send_credential(struct stage *stage, const struct key *client, const char *credential)
{
    const struct sign_in_request request = { CONNECTION, REQUEST, client->public_text, credential };
    int timer = loop_add_timer(stage->loop, PATIENCE_MS, no_answer, stage);

    forget_answer(stage);
    assert_int_equal(sign_in_add(stage->sign_in, &request, NULL), 0);
    loop_run(stage->loop);
    loop_cancel_timer(stage->loop, timer);
    assert_true(stage->answered);
}

static void expect_refusal(const struct stage *stage, Creel__ErrorCode code, const char *words)
{
    assert_null(stage->user);
    assert_int_equal(stage->code, code);
    if (strstr(stage->text, words) == NULL)
        fail_msg("\"%s\" is not in: %s", words, stage->text);
    assert_null(sign_in_find(stage->sign_in, stage->client.public_text));
}

static void a_user_signs_in_and_a_credential_counts_once(void **state)
{
    struct stage *stage = *state;
    scoped_free char *payload = payload_for(&stage->client, &stage->rm), *credential = NULL;

    start(stage, stage->socket);
    credential = credential_of(other_account()->pw_uid, stage->socket, payload);
    send_credential(stage, &stage->client, credential);
    assert_string_equal(stage->user, other_account()->pw_name);
    assert_string_equal(sign_in_find(stage->sign_in, stage->client.public_text), other_account()->pw_name);
    assert_true(sign_in_left_ms(stage->sign_in, stage->client.public_text) > 0);

    send_credential(stage, &stage->client, credential);
    assert_null(stage->user);
    assert_int_equal(stage->code, CREEL__ERROR_CODE__ERROR_SIGN_IN);
    assert_non_null(strstr(stage->text, "was used before"));
}

static void a_credential_is_for_one_key_one_cluster_and_one_purpose(void **state)
{
    struct stage *stage = *state;
    scoped_free char *others = NULL, *stolen = NULL, *plain = NULL, *cluster = NULL, *foreign = NULL;
    struct key other;

    start(stage, stage->socket);
    key_generate(&other);
    others = payload_for(&other, &stage->rm);
    stolen = credential_of(other_account()->pw_uid, stage->socket, others);
    send_credential(stage, &stage->client, stolen);
    expect_refusal(stage, CREEL__ERROR_CODE__ERROR_NOT_PERMITTED, "made for another connection");

    cluster = payload_for(&stage->client, &other);
    foreign = credential_of(other_account()->pw_uid, stage->socket, cluster);
    send_credential(stage, &stage->client, foreign);
    expect_refusal(stage, CREEL__ERROR_CODE__ERROR_NOT_PERMITTED, "made for another cluster");

    plain = credential_of(other_account()->pw_uid, stage->socket, "for Slurm");
    send_credential(stage, &stage->client, plain);
    expect_refusal(stage, CREEL__ERROR_CODE__ERROR_NOT_PERMITTED, "was not made to sign in to creel");

    send_credential(stage, &stage->client, "MUNGE:nonsense:");
    expect_refusal(stage, CREEL__ERROR_CODE__ERROR_NOT_PERMITTED, "munged refuses the credential");
}

static void root_and_users_without_a_name_are_refused(void **state)
{
    struct stage *stage = *state;
    scoped_free char *payload = payload_for(&stage->client, &stage->rm), *roots = NULL, *unnamed = NULL;

    start(stage, stage->socket);
    if (geteuid() != 0)
        skip();
    roots = credential_of(0, stage->socket, payload);
    send_credential(stage, &stage->client, roots);
    expect_refusal(stage, CREEL__ERROR_CODE__ERROR_NOT_PERMITTED, "root cannot sign in by MUNGE");
    unnamed = credential_of(1234567, stage->socket, payload);
    send_credential(stage, &stage->client, unnamed);
    expect_refusal(stage, CREEL__ERROR_CODE__ERROR_NOT_PERMITTED, "user id 1234567 has no name");
}

static void other_clocks_and_other_keys_are_named(void **state)
{
    static const struct {
        char key;
        const char *shift, *words;
    } rows[] = {
        { 'a', "+1h", "has expired: it is 3" },
        { 'a', "-1h", "s in the future: the clocks of both hosts differ" },
        { 'b', NULL, "/etc/munge/munge.key must be the same" },
    };
    struct stage *stage = *state;
    scoped_free char *payload = payload_for(&stage->client, &stage->rm);

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        scoped_free char *credential = NULL;

        if (!munge_fixture_is_possible())
            skip();
        start(stage, munge_fixture_start(&stage->munge, rows[i].key, rows[i].shift));
        credential = credential_of(other_account()->pw_uid, stage->socket, payload);
        send_credential(stage, &stage->client, credential);
        expect_refusal(stage, CREEL__ERROR_CODE__ERROR_NOT_PERMITTED, rows[i].words);
        sign_in_free(stage->sign_in);
        stage->sign_in = NULL;
    }
}

static void a_munged_that_is_away_or_silent_is_named(void **state)
{
    struct stage *stage = *state;
    scoped_free char *payload = payload_for(&stage->client, &stage->rm), *credential = NULL;

    start(stage, "/nowhere/munge.socket");
    credential = credential_of(other_account()->pw_uid, stage->socket, payload);
    send_credential(stage, &stage->client, credential);
    expect_refusal(stage, CREEL__ERROR_CODE__ERROR_BAD_STATE, "systemctl start munge");
    assert_true(sign_in_state(stage->sign_in).used);
    assert_non_null(strstr(sign_in_state(stage->sign_in).problem, "systemctl start munge"));
    assert_true(sign_in_state(stage->sign_in).since_ms > 0);
    sign_in_free(stage->sign_in);

    start(stage, stage->socket);
    kill(stage->munge.daemons[0].pid, SIGSTOP);
    send_credential(stage, &stage->client, credential);
    expect_refusal(stage, CREEL__ERROR_CODE__ERROR_BAD_STATE, "munged does not answer within 5 s");
    assert_string_equal(sign_in_state(stage->sign_in).problem, "munged does not answer within 5 s");
    kill(stage->munge.daemons[0].pid, SIGCONT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_user_signs_in_and_a_credential_counts_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_credential_is_for_one_key_one_cluster_and_one_purpose, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(root_and_users_without_a_name_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(other_clocks_and_other_keys_are_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_munged_that_is_away_or_silent_is_named, set_up, tear_down),
    };

    return cmocka_run_group_tests_name("rm_sign_in", tests, NULL, NULL);
}
