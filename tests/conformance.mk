# SPDX-License-Identifier: Apache-2.0
# What YARN decides in the same place, for the schedulers to be measured by. `make check` and
# scripts/test run the folders that hold; a folder joins them when all of its cases do.
EXTRA_DIST += tests/conformance

dist_check_SCRIPTS += tests/conformance.sh
TESTS += tests/conformance.sh

dist_check_SCRIPTS += tests/unit/sim_bench.sh tests/unit/sim_chaos.sh
TESTS += tests/unit/sim_bench.sh tests/unit/sim_chaos.sh

check_PROGRAMS += tests/unit/sim_case
TESTS += tests/unit/sim_case
tests_unit_sim_case_SOURCES = tests/unit/sim_case.c \
    sim/case.h sim/case_json.c sim/case_json.h sim/case_read.c sim/case_steps.c
tests_unit_sim_case_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_sim_case_LDADD = libcreelbase.a $(JANSSON_LIBS) $(CMOCKA_LIBS)

if FUZZERS
noinst_PROGRAMS += tests/fuzz/case_read
endif
tests_fuzz_case_read_SOURCES = tests/fuzz/case_read.c \
    sim/case.h sim/case_json.c sim/case_json.h sim/case_read.c sim/case_steps.c
tests_fuzz_case_read_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
tests_fuzz_case_read_LDADD = libcreelbase.a $(JANSSON_LIBS)
tests_fuzz_case_read_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
EXTRA_DIST += tests/fuzz/corpus/case_read/preemption tests/fuzz/corpus/case_read/rounds \
    tests/fuzz/corpus/case_read/script tests/fuzz/corpus/case_read/shares
