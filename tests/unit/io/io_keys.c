/* SPDX-License-Identifier: Apache-2.0 */
/* io_keys.c - test: key files and certificates on disk, and parsing of endpoints */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <czmq.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/io/keys/keys.h"
#include "common/io/keys/z85.h"
#include "common/io/loop/loop.h"
#include "common/io/loop/loop_socket.h"
#include "common/io/wire/endpoint.h"

#define DEADLINE_MS 10000

static char folder[64];

static char *path_of(const char *name)
{
    static char path[256];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static unsigned mode_of(const char *name)
{
    struct stat st;

    assert_int_equal(stat(path_of(name), &st), 0);
    return st.st_mode & 07777;
}

static void put_file(const char *name, const char *text, mode_t mode)
{
    scoped_fd int fd = open(path_of(name), O_WRONLY | O_CREAT | O_TRUNC, mode);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    assert_int_equal(fchmod(fd, mode), 0);
}

static int set_up(void **state)
{
    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/creel-keys-XXXXXX");
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
    zdir_t *dir = zdir_new(folder, NULL);

    (void)state;
    zdir_remove(dir, true);
    zdir_destroy(&dir);
    return rmdir(folder) == 0 || errno == ENOENT ? 0 : -1;
}

static void made_certificates_load(void **state)
{
    struct key made, public;

    (void)state;
    assert_int_equal(key_make(folder, KEY_RM, NULL, NULL), 0);
    assert_int_equal(key_make(folder, KEY_AGENT, "n1.example", NULL), 0);
    assert_int_equal(key_make(folder, KEY_USER, "alice", NULL), 0);
    assert_int_equal(mode_of("rm"), 0644);
    assert_int_equal(mode_of("rm_secret"), 0600);
    assert_int_equal(mode_of("agents/n1.example"), 0644);
    assert_int_equal(mode_of("users/alice_secret"), 0600);
    assert_int_equal(key_load(path_of("users/alice"), true, &made, NULL), 0);
    assert_int_equal(strlen(made.secret_text), 40);
    assert_int_equal(key_load_for(folder, KEY_USER, "alice", false, &public, NULL), 0);
    assert_string_equal(public.public_text, made.public_text);
    assert_string_equal(public.secret_text, "");
    /* A user needs no file but the user's own secret key. */
    assert_int_equal(unlink(path_of("users/alice")), 0);
    assert_int_equal(key_load(path_of("users/alice"), true, &public, NULL), 0);
    assert_string_equal(public.public_text, made.public_text);
}

static void z85_is_that_of_rfc_32(void **state)
{
    static const uint8_t bytes[] = { 0x86, 0x4F, 0xD2, 0x6F, 0xB5, 0x59, 0xF7, 0x5B };
    uint8_t decoded[8];
    char text[11];

    (void)state;
    z85_encode(bytes, sizeof(bytes), text);
    assert_string_equal(text, "HelloWorld");
    assert_true(z85_decode(text, decoded, sizeof(decoded)));
    assert_memory_equal(decoded, bytes, sizeof(bytes));
    assert_false(z85_decode("HelloWorl", decoded, sizeof(decoded)));
    assert_false(z85_decode("Hello World", decoded, sizeof(decoded)));
    assert_false(z85_decode("HelloWorl\"", decoded, sizeof(decoded)));
    assert_false(z85_decode("#####Hello", decoded, sizeof(decoded))); /* more than 32 bits */
}

static void czmq_and_creel_read_each_other(void **state)
{
    zcert_t *theirs;
    struct key ours;

    (void)state;
    loop_socket_prepare_process();
    assert_int_equal(key_make(folder, KEY_RM, NULL, NULL), 0);
    assert_int_equal(key_load(path_of("rm"), true, &ours, NULL), 0);
    theirs = zcert_load(path_of("rm"));
    assert_non_null(theirs);
    assert_string_equal(zcert_public_txt(theirs), ours.public_text);
    assert_string_equal(zcert_secret_txt(theirs), ours.secret_text);
    assert_string_equal(zcert_meta(theirs, "name"), "rm");
    zcert_destroy(&theirs);
    theirs = zcert_new();
    assert_int_equal(zcert_save(theirs, path_of("other")), 0);
    assert_int_equal(key_load(path_of("other"), true, &ours, NULL), 0);
    assert_string_equal(zcert_secret_txt(theirs), ours.secret_text);
    zcert_destroy(&theirs);
}

static void nothing_is_overwritten(void **state)
{
    struct key before, after;
    struct err err;

    (void)state;
    assert_int_equal(key_make(folder, KEY_USER, "bob", NULL), 0);
    assert_int_equal(key_load_for(folder, KEY_USER, "bob", true, &before, NULL), 0);
    assert_int_equal(key_make(folder, KEY_USER, "bob", &err), -EEXIST);
    assert_non_null(strstr(err.text, "users/bob exists already"));
    /* If key_make was interrupted after writing the secret key, the next call completes the pair with the
     * same key. */
    assert_int_equal(unlink(path_of("users/bob")), 0);
    assert_int_equal(key_make(folder, KEY_USER, "bob", NULL), 0);
    assert_int_equal(key_load_for(folder, KEY_USER, "bob", true, &after, NULL), 0);
    assert_string_equal(before.secret_text, after.secret_text);
}

static void agents_fall_back_to_the_default(void **state)
{
    struct key one, other;
    struct err err;

    (void)state;
    assert_int_equal(key_load_for(folder, KEY_AGENT, "n1", true, &one, &err), -ENOENT);
    assert_non_null(strstr(err.text, "agents/n1_secret"));
    assert_non_null(strstr(err.text, "agents/default_secret"));
    assert_int_equal(key_make(folder, KEY_AGENT, "default", NULL), 0);
    assert_int_equal(key_load_for(folder, KEY_AGENT, "n1", true, &one, NULL), 0);
    assert_int_equal(key_make(folder, KEY_AGENT, "n1", NULL), 0);
    assert_int_equal(key_load_for(folder, KEY_AGENT, "n1", true, &other, NULL), 0);
    assert_string_not_equal(one.public_text, other.public_text);
    assert_int_equal(key_load_for(folder, KEY_USER, "n1", true, &other, NULL), -ENOENT);
}

static void a_missing_public_half_is_explained(void **state)
{
    struct key before, key;
    struct err err;

    (void)state;
    assert_int_equal(key_make(folder, KEY_RM, NULL, NULL), 0);
    assert_int_equal(key_load_for(folder, KEY_RM, NULL, false, &before, NULL), 0);
    assert_int_equal(unlink(path_of("rm")), 0);
    assert_int_equal(key_load_for(folder, KEY_RM, NULL, false, &key, &err), -ENOENT);
    assert_non_null(strstr(err.text, "rm_secret exists: run creel keygen cluster"));
    assert_int_equal(key_make(folder, KEY_RM, NULL, NULL), 0);
    assert_int_equal(key_load_for(folder, KEY_RM, NULL, false, &key, NULL), 0);
    assert_string_equal(key.public_text, before.public_text);
    assert_int_equal(unlink(path_of("rm")), 0);
    assert_int_equal(unlink(path_of("rm_secret")), 0);
    assert_int_equal(key_load_for(folder, KEY_RM, NULL, false, &key, &err), -ENOENT);
    assert_non_null(
        strstr(err.text, "creel keygen cluster makes a new pair, which agents and users do not know"));
    assert_true(strstr(err.text, "creel admin state restore FILE") < strstr(err.text, "creel keygen"));
}

static void bad_certificates_are_refused_with_a_reason(void **state)
{
    struct key key;
    struct err err;

    (void)state;
    assert_int_equal(key_make(folder, KEY_RM, NULL, NULL), 0);
    assert_int_equal(chmod(path_of("rm_secret"), 0640), 0);
    assert_int_equal(key_load(path_of("rm"), true, &key, &err), -EPERM);
    assert_non_null(strstr(err.text, "chmod 600"));
    assert_int_equal(chmod(path_of("rm_secret"), 0600), 0);
    assert_int_equal(key_load(path_of("rm"), true, &key, NULL), 0);
    assert_int_equal(unlink(path_of("rm_secret")), 0);
    assert_int_equal(key_load(path_of("rm"), true, &key, &err), -ENOENT);
    assert_non_null(strstr(err.text, "rm_secret is missing"));
    assert_int_equal(key_load_for(folder, KEY_RM, NULL, true, &key, &err), -ENOENT);
    assert_non_null(strstr(err.text, "rm_secret is missing: if the resource manager had one"));
    assert_non_null(strstr(err.text, "-C "));
    assert_non_null(strstr(err.text, " --strip-components=1 keys/rm_secret"));
    assert_true(strstr(err.text, "creel admin state restore FILE") < strstr(err.text, "creel keygen"));
    assert_int_equal(key_make(folder, KEY_RM, NULL, &err), -ENOKEY);
    assert_non_null(strstr(err.text, "rm exists already, but its secret half"));
    assert_non_null(strstr(err.text, "creel admin state restore"));
    put_file("rm_secret", "nonsense\n", 0600);
    assert_int_equal(key_load(path_of("rm"), true, &key, &err), -EINVAL);
    assert_non_null(strstr(err.text, "no public-key"));
    put_file("other", "curve\n  public-key = \"short\"\n", 0644);
    assert_int_equal(key_load(path_of("other"), false, &key, &err), -EINVAL);
    assert_int_equal(key_load(folder, false, &key, &err), -EINVAL);
    assert_non_null(strstr(err.text, "not a certificate file"));
}

static void halves_of_two_pairs_are_refused(void **state)
{
    scoped_free char *from = NULL;
    struct key key;
    struct err err;

    (void)state;
    assert_int_equal(key_make(folder, KEY_USER, "a", NULL), 0);
    assert_int_equal(key_make(folder, KEY_USER, "b", NULL), 0);
    from = mem_strdup(path_of("users/a"));
    assert_int_equal(rename(from, path_of("users/b")), 0);
    assert_int_equal(key_load(path_of("users/b"), true, &key, &err), -EINVAL);
    assert_non_null(strstr(err.text, "belongs to another key pair"));
}

static void names_cannot_leave_the_directory(void **state)
{
    static const char *const names[] = { "",         "..",  "../x", "a/b",     ".hidden",
                                         "x_secret", "a b", "-x",   "\xc3\xbc" };
    struct key key;

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        assert_int_equal(key_make(folder, KEY_USER, names[i], NULL), -EINVAL);
        assert_int_equal(key_load_for(folder, KEY_USER, names[i], false, &key, NULL), -EINVAL);
    }
    assert_int_equal(access(path_of("users"), F_OK), -1);
}

/* --- the directory of keys ---------------------------------------------------- */

static const char *find_for(struct keys *keys, enum key_owner owner, const char *name)
{
    struct key key;

    assert_int_equal(key_load_for(folder, owner, name, false, &key, NULL), 0);
    return keys_find(keys, owner, key.public_text);
}

static void added_and_removed_keys_are_noticed(void **state)
{
    struct keys *keys;
    struct key key, alice;
    struct err err;

    (void)state;
    assert_int_equal(key_make(folder, KEY_RM, NULL, NULL), 0);
    assert_int_equal(keys_open(folder, &keys, NULL), 0);
    assert_string_equal(find_for(keys, KEY_RM, NULL), "rm");
    key_generate(&key);
    assert_null(keys_find(keys, KEY_USER, key.public_text));

    /* Keys, and whole folders, added while the directory is open. */
    assert_int_equal(key_make(folder, KEY_USER, "alice", NULL), 0);
    assert_int_equal(key_make(folder, KEY_AGENT, "n1", NULL), 0);
    assert_string_equal(find_for(keys, KEY_USER, "alice"), "alice");
    assert_string_equal(find_for(keys, KEY_AGENT, "n1"), "n1");

    /* An agent's key is not valid for a user. */
    assert_int_equal(key_load_for(folder, KEY_AGENT, "n1", false, &key, NULL), 0);
    assert_null(keys_find(keys, KEY_USER, key.public_text));

    /* A removed certificate, and one replaced by another of the same name. */
    assert_int_equal(key_load_for(folder, KEY_USER, "alice", false, &alice, NULL), 0);
    assert_int_equal(unlink(path_of("users/alice")), 0);
    assert_null(keys_find(keys, KEY_USER, alice.public_text));
    assert_int_equal(unlink(path_of("users/alice_secret")), 0);
    assert_int_equal(key_make(folder, KEY_USER, "alice", NULL), 0);
    assert_null(keys_find(keys, KEY_USER, alice.public_text));
    assert_string_equal(find_for(keys, KEY_USER, "alice"), "alice");
    keys_free(keys);
    assert_int_equal(keys_open(path_of("nowhere"), &keys, &err), -ENOENT);
    assert_non_null(strstr(err.text, "creel keygen"));
}

static void copies_of_a_certificate_have_the_first_name(void **state)
{
    static const char *const names[] = { "m", "a", "z" };
    struct keys *keys;
    struct key key;

    (void)state;
    assert_int_equal(key_make(folder, KEY_USER, "m", NULL), 0);
    assert_int_equal(key_load_for(folder, KEY_USER, "m", false, &key, NULL), 0);
    for (size_t i = 1; i < 3; i++) {
        char to[sizeof(folder) + 16];

        snprintf(to, sizeof(to), "%s/users/%s", folder, names[i]);
        assert_int_equal(link(path_of("users/m"), to), 0);
    }
    assert_int_equal(keys_open(folder, &keys, NULL), 0);
    assert_string_equal(keys_find(keys, KEY_USER, key.public_text), "a");
    assert_null(keys_find(keys, KEY_AGENT, key.public_text));
    assert_int_equal(unlink(path_of("users/a")), 0);
    assert_string_equal(keys_find(keys, KEY_USER, key.public_text), "m");
    assert_int_equal(unlink(path_of("users/m")), 0);
    assert_string_equal(keys_find(keys, KEY_USER, key.public_text), "z");
    assert_int_equal(unlink(path_of("users/z")), 0);
    assert_null(keys_find(keys, KEY_USER, key.public_text));
    keys_free(keys);
}

static void foreign_files_are_ignored(void **state)
{
    struct keys *keys;

    (void)state;
    assert_int_equal(key_make(folder, KEY_USER, "alice", NULL), 0);
    put_file("users/README", "who is who\n", 0644);
    put_file("users/.alice.swp", "x", 0600);
    assert_int_equal(mkdir(path_of("users/old"), 0755), 0);
    assert_int_equal(keys_open(folder, &keys, NULL), 0);
    assert_string_equal(find_for(keys, KEY_USER, "alice"), "alice");
    keys_free(keys);
    assert_int_equal(unlink(path_of("users/.alice.swp")), 0);
}

/* Looks up the key of the user bob TIMES times, which has to fail. Returns the number of lines in the log
 * that name the file and what to do. */
static size_t lines_of_refusals(struct keys *keys, const char *public_text, int times)
{
    int ends[2], saved = dup(STDERR_FILENO);
    char text[4096] = "";
    size_t lines = 0;
    ssize_t got;

    unsetenv("JOURNAL_STREAM");
    assert_true(saved >= 0);
    assert_int_equal(pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
    assert_true(dup2(ends[1], STDERR_FILENO) >= 0);
    for (int i = 0; i < times; i++)
        assert_null(keys_find(keys, KEY_USER, public_text));
    assert_true(dup2(saved, STDERR_FILENO) >= 0);
    got = read(ends[0], text, sizeof(text) - 1);
    text[got > 0 ? got : 0] = '\0';
    for (const char *at = text; (at = strstr(at, "certificate users/bob in the key directory")) != NULL; at++)
        lines += strstr(at, "chmod go-w it") != NULL;
    close(ends[0]);
    close(ends[1]);
    close(saved);
    return lines;
}

/* Certificates in a directory that other users can write are refused: such a user could sign in as any
 * other. */
static void files_writable_by_others_are_refused(void **state)
{
    static const char *const names[] = { "", "agents", "users" };
    struct err err = { 0 };
    struct keys *keys;
    struct key key;
    const char *name;
    char *why;

    (void)state;
    assert_int_equal(key_make(folder, KEY_AGENT, "n1", NULL), 0);
    assert_int_equal(key_make(folder, KEY_USER, "bob", NULL), 0);
    for (size_t i = 0; i < 3; i++) {
        for (int k = 0; k < 2; k++) {
            assert_int_equal(chmod(path_of(names[i]), k == 0 ? 0775 : 0757), 0);
            assert_int_equal(keys_open(folder, &keys, &err), -EPERM);
            assert_non_null(strstr(err.text, "chmod go-w"));
        }
        assert_int_equal(chmod(path_of(names[i]), 0755), 0);
    }
    assert_int_equal(key_load_for(folder, KEY_USER, "bob", false, &key, NULL), 0);
    assert_int_equal(keys_open(folder, &keys, &err), 0);
    assert_string_equal(keys_find(keys, KEY_USER, key.public_text), "bob");
    assert_int_equal(chmod(path_of("users/bob"), 0666), 0);
    assert_int_equal(lines_of_refusals(keys, key.public_text, 3), 1);
    why = keys_why_not(keys, KEY_USER, key.public_text, &name);
    assert_non_null(strstr(why, "write its certificate users/bob in the key directory (mode 0666)"));
    assert_non_null(strstr(why, "chmod go-w it"));
    assert_string_equal(name, "bob");
    free(why);
    assert_null(keys_why_not(keys, KEY_AGENT, key.public_text, &name));
    assert_int_equal(chmod(path_of("users/bob"), 0644), 0);
    assert_null(keys_why_not(keys, KEY_USER, key.public_text, &name));
    keys_free(keys);
    assert_int_equal(keys_open(folder, &keys, &err), 0);
    assert_int_equal(chmod(path_of("users"), 0777), 0);
    assert_int_equal(key_make(folder, KEY_USER, "mallory", NULL), 0);
    assert_int_equal(key_load_for(folder, KEY_USER, "mallory", false, &key, NULL), 0);
    assert_null(keys_find(keys, KEY_USER, key.public_text));
    why = keys_why_not(keys, KEY_USER, key.public_text, &name);
    assert_non_null(strstr(why, "write the directory users/ of the key directory (mode 0777)"));
    assert_null(name);
    free(why);
    keys_free(keys);
}

static void a_changed_file_is_seen_within_the_limit(void **state)
{
    int64_t end_ms = loop_monotonic_ms() + DEADLINE_MS;
    struct keys *keys;
    struct key key;
    char text[256];

    (void)state;
    assert_int_equal(key_make(folder, KEY_USER, "alice", NULL), 0);
    assert_int_equal(keys_open(folder, &keys, NULL), 0);
    key_generate(&key);
    snprintf(text, sizeof(text), "curve\n    public-key = \"%s\"\n", key.public_text);
    put_file("users/alice", text, 0644);
    while (keys_find(keys, KEY_USER, key.public_text) == NULL)
        assert_true(loop_monotonic_ms() < end_ms);
    keys_free(keys);
}

/* --- endpoints ------------------------------------------------------------------ */

static void endpoints_parse_strictly(void **state)
{
    static const struct {
        const char *text;
        int default_port;
        const char *host; /* NULL: refused */
        int port;
    } cases[] = {
        { "rm1:8032", 1, "rm1", 8032 },
        { "rm1", 8032, "rm1", 8032 },
        { "rm1", -1, NULL, 0 },
        { "10.0.0.1:0", 1, "10.0.0.1", 0 },
        { "[::1]:8032", 1, "::1", 8032 },
        { "[::1]", 8032, "::1", 8032 },
        { "[fe80::1%eth0]:1", 1, "fe80::1%eth0", 1 },
        { "::1", 1, NULL, 0 },
        { "::1:8032", 1, NULL, 0 },
        { "[::1", 1, NULL, 0 },
        { "[rm1]:1", 1, NULL, 0 },
        { "[::1]x", 1, NULL, 0 },
        { ":8032", 1, NULL, 0 },
        { "", 1, NULL, 0 },
        { "rm1:", 1, NULL, 0 },
        { "rm1:65536", 1, NULL, 0 },
        { "rm1:-1", 1, NULL, 0 },
        { "rm1:0x10", 1, NULL, 0 },
        { "rm1:80 ", 1, NULL, 0 },
        { "rm 1:80", 1, NULL, 0 },
        { "tcp://rm1:80", 1, NULL, 0 },
        { "a_b-c.d:80", 1, "a_b-c.d", 80 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char host[ENDPOINT_HOST_MAX] = "untouched", text[ENDPOINT_TEXT_MAX];
        struct err err = { 0 };
        int port = -7, rc;

        rc = endpoint_parse(cases[i].text, cases[i].default_port, host, sizeof(host), &port, &err);
        if (cases[i].host == NULL) {
            assert_int_equal(rc, -EINVAL);
            assert_true(strlen(err.text) > 0);
            assert_string_equal(host, "untouched");
            continue;
        }
        if (rc < 0)
            fail_msg("%s: %s", cases[i].text, err.text);
        assert_string_equal(host, cases[i].host);
        assert_int_equal(port, cases[i].port);
        assert_int_equal(
            endpoint_parse(endpoint_format(host, port, text), -1, host, sizeof(host), &port, NULL), 0);
        assert_string_equal(host, cases[i].host);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(made_certificates_load, set_up, tear_down),
        cmocka_unit_test(z85_is_that_of_rfc_32),
        cmocka_unit_test_setup_teardown(czmq_and_creel_read_each_other, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_is_overwritten, set_up, tear_down),
        cmocka_unit_test_setup_teardown(agents_fall_back_to_the_default, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_missing_public_half_is_explained, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bad_certificates_are_refused_with_a_reason, set_up, tear_down),
        cmocka_unit_test_setup_teardown(halves_of_two_pairs_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(names_cannot_leave_the_directory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(added_and_removed_keys_are_noticed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(copies_of_a_certificate_have_the_first_name, set_up, tear_down),
        cmocka_unit_test_setup_teardown(foreign_files_are_ignored, set_up, tear_down),
        cmocka_unit_test_setup_teardown(files_writable_by_others_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_changed_file_is_seen_within_the_limit, set_up, tear_down),
        cmocka_unit_test(endpoints_parse_strictly),
    };

    return cmocka_run_group_tests_name("io_keys", tests, NULL, NULL);
}
