# SPDX-License-Identifier: Apache-2.0
# Tests of common/base.
base_tests = \
    tests/unit/base_arena tests/unit/base_err tests/unit/base_id \
    tests/unit/base_job_field tests/unit/base_resource tests/unit/base_text
check_PROGRAMS += $(base_tests)
TESTS += $(base_tests)

tests_unit_base_arena_SOURCES = tests/unit/base_arena.c
tests_unit_base_arena_LDADD = libcreelbase.a $(CMOCKA_LIBS)

tests_unit_base_err_SOURCES = tests/unit/base_err.c
tests_unit_base_err_LDADD = libcreelbase.a $(CMOCKA_LIBS)

tests_unit_base_id_SOURCES = tests/unit/base_id.c
tests_unit_base_id_LDADD = libcreelbase.a $(CMOCKA_LIBS)

tests_unit_base_resource_SOURCES = tests/unit/base_resource.c
tests_unit_base_resource_LDADD = libcreelbase.a $(CMOCKA_LIBS)

tests_unit_base_job_field_SOURCES = tests/unit/base_job_field.c
tests_unit_base_job_field_LDADD = libcreelbase.a $(CMOCKA_LIBS)

tests_unit_base_text_SOURCES = tests/unit/base_text.c
tests_unit_base_text_LDADD = libcreelbase.a $(CMOCKA_LIBS)

EXTRA_DIST += \
    tests/fuzz/corpus/base_text/1 \
    tests/fuzz/corpus/base_text/10 \
    tests/fuzz/corpus/base_text/2 \
    tests/fuzz/corpus/base_text/3 \
    tests/fuzz/corpus/base_text/4 \
    tests/fuzz/corpus/base_text/5 \
    tests/fuzz/corpus/base_text/6 \
    tests/fuzz/corpus/base_text/7 \
    tests/fuzz/corpus/base_text/8 \
    tests/fuzz/corpus/base_text/9
if FUZZERS
noinst_PROGRAMS += tests/fuzz/base_text
endif
tests_fuzz_base_text_SOURCES = tests/fuzz/base_text.c
tests_fuzz_base_text_LDADD = libcreelbase.a
tests_fuzz_base_text_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
