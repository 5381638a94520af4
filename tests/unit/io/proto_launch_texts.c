/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/proto/launch_texts.h"

/* A launch whose texts are WORD. */
struct sample {
    Creel__LaunchContext launch;
    Creel__Variable variable, *variables[1];
    Creel__FileRef file, *files[1];
    char *command[1];
};

static void make(struct sample *sample, const char *word)
{
    char *text = (char *)(uintptr_t)word;

    creel__launch_context__init(&sample->launch);
    creel__variable__init(&sample->variable);
    creel__file_ref__init(&sample->file);
    sample->variable.name = (char *)(uintptr_t) "NAME";
    sample->variables[0] = &sample->variable;
    sample->files[0] = &sample->file;
    sample->launch.command = sample->command;
    sample->launch.environment = sample->variables;
    sample->launch.files = sample->files;
    sample->launch.n_command = sample->launch.n_environment = sample->launch.n_files = 1;
    sample->command[0] = sample->variable.value = sample->file.name = text;
    sample->launch.directory = sample->launch.submit_directory = text;
    sample->launch.out_file = sample->launch.err_file = sample->launch.in_file = sample->launch.fetch = text;
}

static void expect(const Creel__LaunchContext *launch, const char *word)
{
    const char *const texts[] = { launch->command[0],
                                  launch->environment[0]->value,
                                  launch->files[0]->name,
                                  launch->directory,
                                  launch->submit_directory,
                                  launch->out_file,
                                  launch->err_file,
                                  launch->in_file,
                                  launch->fetch };

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        assert_string_equal(texts[i], word);
    assert_string_equal(launch->environment[0]->name, "NAME");
}

static void all_texts_are_escaped_and_restored(void **state)
{
    struct arena *arena = arena_new();
    const Creel__LaunchContext *restored;
    struct sample sample;

    (void)state;
    make(&sample, "caf\xe9");
    launch_texts_escape(&sample.launch, arena);
    assert_true(sample.launch.escaped);
    assert_true(launch_texts_are_valid(&sample.launch));
    expect(&sample.launch, "caf\xf4\x8f\xbb\xa9");
    restored = launch_texts_restore(&sample.launch, arena);
    assert_false(restored->escaped);
    expect(restored, "caf\xe9");
    expect(&sample.launch, "caf\xf4\x8f\xbb\xa9");
    arena_free(arena);
}

static void texts_in_utf8_stay_as_they_are(void **state)
{
    struct arena *arena = arena_new();
    struct sample sample;

    (void)state;
    make(&sample, "caf\xc3\xa9");
    launch_texts_escape(&sample.launch, arena);
    assert_false(sample.launch.escaped);
    assert_ptr_equal(launch_texts_restore(&sample.launch, arena), &sample.launch);
    expect(&sample.launch, "caf\xc3\xa9");
    /* Without the flag an escape is text, also that of an ASCII character. */
    make(&sample, "\xf4\x8f\xb8\xaf");
    assert_true(launch_texts_are_valid(&sample.launch));
    sample.launch.escaped = true;
    assert_false(launch_texts_are_valid(&sample.launch));
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_texts_are_escaped_and_restored),
        cmocka_unit_test(texts_in_utf8_stay_as_they_are),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
