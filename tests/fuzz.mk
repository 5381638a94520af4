# SPDX-License-Identifier: Apache-2.0
# The fuzz targets are in tests/programs.list. Three of them run over their corpus in make check, too.
EXTRA_DIST += tests/fuzz/corpus
replay_tests = tests/fuzz/gateway_replay_frames tests/fuzz/wire_replay_decode tests/fuzz/wire_replay_token
check_PROGRAMS += $(replay_tests)
TESTS += $(replay_tests)

tests_fuzz_gateway_replay_frames_SOURCES = tests/fuzz/wire_replay.c tests/fuzz/gateway_frames.c
tests_fuzz_gateway_replay_frames_CFLAGS = $(AM_CFLAGS) $(IO_TEST_CFLAGS) -DTARGET='"gateway_frames"'
tests_fuzz_gateway_replay_frames_LDADD = $(IO_LIBS)

tests_fuzz_wire_replay_decode_SOURCES = tests/fuzz/wire_replay.c tests/fuzz/wire_decode.c
tests_fuzz_wire_replay_decode_CFLAGS = $(AM_CFLAGS) $(IO_TEST_CFLAGS) -DTARGET='"wire_decode"'
tests_fuzz_wire_replay_decode_LDADD = $(IO_LIBS)

tests_fuzz_wire_replay_token_SOURCES = tests/fuzz/wire_replay.c tests/fuzz/wire_token.c
tests_fuzz_wire_replay_token_CFLAGS = $(AM_CFLAGS) $(IO_TEST_CFLAGS) -DTARGET='"wire_token"'
tests_fuzz_wire_replay_token_LDADD = $(IO_LIBS)

# Writes the corpora of wire_decode and wire_token.
if FUZZERS
noinst_PROGRAMS += tests/fuzz/wire_seeds
endif
tests_fuzz_wire_seeds_SOURCES = tests/fuzz/wire_seeds.c tests/unit/io/io_sample.c tests/unit/io/io_sample.h
tests_fuzz_wire_seeds_CFLAGS = $(AM_CFLAGS) $(IO_TEST_CFLAGS)
tests_fuzz_wire_seeds_LDADD = $(IO_LIBS)
