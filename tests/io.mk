# SPDX-License-Identifier: Apache-2.0
# Tests of common/io.
IO_TESTS = tests/unit/io_wire tests/unit/io_wire_bounds tests/unit/io_loop tests/unit/io_log \
    tests/unit/io_keys tests/unit/io_token tests/unit/io_channel tests/unit/io_channel_hostile \
    tests/unit/io_channel_driven tests/unit/io_channel_bounds tests/unit/io_gateway tests/unit/io_gateway_frames \
    tests/unit/io_gateway_hostile tests/unit/io_key_counts
check_PROGRAMS += $(IO_TESTS)
TESTS += $(IO_TESTS)

IO_TEST_CFLAGS = $(AM_CFLAGS) $(CZMQ_CFLAGS) $(ZMQ_CFLAGS) $(PROTOBUF_C_CFLAGS) \
    $(SODIUM_CFLAGS) $(CMOCKA_CFLAGS)

# Programs that serve ports need a gateway, which is not beside them.
GATEWAY_TEST_CPPFLAGS = -DGATEWAY_PATH=\"$(abs_top_builddir)/creel-gateway\"

tests_unit_io_wire_SOURCES = tests/unit/io_wire.c tests/unit/io_sample.c tests/unit/io_sample.h
tests_unit_io_wire_CFLAGS = $(IO_TEST_CFLAGS)
tests_unit_io_wire_LDADD = $(IO_LIBS) $(CMOCKA_LIBS)

tests_unit_io_wire_bounds_SOURCES = tests/unit/io_wire_bounds.c tests/unit/io_sample.c \
    tests/unit/io_sample.h
tests_unit_io_wire_bounds_CFLAGS = $(IO_TEST_CFLAGS)
tests_unit_io_wire_bounds_LDADD = $(IO_LIBS) $(CMOCKA_LIBS)

tests_unit_io_loop_SOURCES = tests/unit/io_loop.c
tests_unit_io_loop_CFLAGS = $(IO_TEST_CFLAGS)
tests_unit_io_loop_LDADD = $(IO_LIBS) $(CMOCKA_LIBS)

tests_unit_io_log_SOURCES = tests/unit/io_log.c
tests_unit_io_log_CFLAGS = $(IO_TEST_CFLAGS)
tests_unit_io_log_LDADD = $(IO_LIBS) $(CMOCKA_LIBS)

tests_unit_io_keys_SOURCES = tests/unit/io_keys.c
tests_unit_io_keys_CFLAGS = $(IO_TEST_CFLAGS)
tests_unit_io_keys_LDADD = $(IO_LIBS) $(CMOCKA_LIBS)

tests_unit_io_token_SOURCES = tests/unit/io_token.c tests/unit/io_sample.c tests/unit/io_sample.h
tests_unit_io_token_CFLAGS = $(IO_TEST_CFLAGS)
tests_unit_io_token_LDADD = $(IO_LIBS) $(CMOCKA_LIBS)

tests_unit_io_channel_SOURCES = tests/unit/io_channel.c tests/unit/io_daemon.c \
    tests/unit/io_daemon.h
tests_unit_io_channel_CPPFLAGS = $(AM_CPPFLAGS) $(GATEWAY_TEST_CPPFLAGS)
tests_unit_io_channel_CFLAGS = $(IO_TEST_CFLAGS)
tests_unit_io_channel_LDADD = $(IO_LIBS) $(CMOCKA_LIBS)

tests_unit_io_channel_hostile_SOURCES = tests/unit/io_channel_hostile.c tests/unit/io_daemon.c \
    tests/unit/io_daemon.h
tests_unit_io_channel_hostile_CPPFLAGS = $(AM_CPPFLAGS) $(GATEWAY_TEST_CPPFLAGS)
tests_unit_io_channel_hostile_CFLAGS = $(IO_TEST_CFLAGS)
tests_unit_io_channel_hostile_LDADD = $(IO_LIBS) $(CMOCKA_LIBS)

tests_unit_io_channel_driven_SOURCES = tests/unit/io_channel_driven.c tests/unit/io_daemon.c \
    tests/unit/io_daemon.h
tests_unit_io_channel_driven_CPPFLAGS = $(AM_CPPFLAGS) $(GATEWAY_TEST_CPPFLAGS)
tests_unit_io_channel_driven_CFLAGS = $(IO_TEST_CFLAGS)
tests_unit_io_channel_driven_LDADD = $(IO_LIBS) $(CMOCKA_LIBS)

tests_unit_io_channel_bounds_SOURCES = tests/unit/io_channel_bounds.c tests/unit/io_daemon.c \
    tests/unit/io_daemon.h
tests_unit_io_channel_bounds_CPPFLAGS = $(AM_CPPFLAGS) $(GATEWAY_TEST_CPPFLAGS)
tests_unit_io_channel_bounds_CFLAGS = $(IO_TEST_CFLAGS)
tests_unit_io_channel_bounds_LDADD = $(IO_LIBS) $(CMOCKA_LIBS)

tests_unit_io_gateway_SOURCES = tests/unit/io_gateway.c tests/unit/io_daemon.c \
    tests/unit/io_daemon.h
tests_unit_io_gateway_CPPFLAGS = $(AM_CPPFLAGS) $(GATEWAY_TEST_CPPFLAGS)
tests_unit_io_gateway_CFLAGS = $(IO_TEST_CFLAGS)
tests_unit_io_gateway_LDADD = $(IO_LIBS) $(CMOCKA_LIBS)

tests_unit_io_gateway_frames_SOURCES = tests/unit/io_gateway_frames.c
tests_unit_io_gateway_frames_CFLAGS = $(IO_TEST_CFLAGS)
tests_unit_io_gateway_frames_LDADD = $(IO_LIBS) $(CMOCKA_LIBS)

tests_unit_io_key_counts_SOURCES = tests/unit/io_key_counts.c
tests_unit_io_key_counts_CFLAGS = $(IO_TEST_CFLAGS)
tests_unit_io_key_counts_LDADD = $(IO_LIBS) $(CMOCKA_LIBS)

tests_unit_io_gateway_hostile_SOURCES = tests/unit/io_gateway_hostile.c tests/unit/io_daemon.c \
    tests/unit/io_daemon.h tests/hostile/raw_peer.c tests/hostile/raw_peer.h
tests_unit_io_gateway_hostile_CPPFLAGS = $(AM_CPPFLAGS) $(GATEWAY_TEST_CPPFLAGS)
tests_unit_io_gateway_hostile_CFLAGS = $(IO_TEST_CFLAGS)
tests_unit_io_gateway_hostile_LDADD = $(IO_LIBS) $(CMOCKA_LIBS)

# The fuzz targets: over their corpus in make check; with --enable-fuzzers the
# fuzzers, and wire_seeds, which writes the corpus.
check_PROGRAMS += tests/fuzz/wire_replay_decode tests/fuzz/wire_replay_token tests/fuzz/gateway_replay_frames
TESTS += tests/fuzz/wire_replay_decode tests/fuzz/wire_replay_token tests/fuzz/gateway_replay_frames

tests_fuzz_gateway_replay_frames_SOURCES = tests/fuzz/wire_replay.c tests/fuzz/gateway_frames.c
tests_fuzz_gateway_replay_frames_CFLAGS = $(IO_TEST_CFLAGS) -DTARGET='"gateway_frames"'
tests_fuzz_gateway_replay_frames_LDADD = $(IO_LIBS)

tests_fuzz_wire_replay_decode_SOURCES = tests/fuzz/wire_replay.c tests/fuzz/wire_decode.c
tests_fuzz_wire_replay_decode_CFLAGS = $(IO_TEST_CFLAGS) -DTARGET='"wire_decode"'
tests_fuzz_wire_replay_decode_LDADD = $(IO_LIBS)

tests_fuzz_wire_replay_token_SOURCES = tests/fuzz/wire_replay.c tests/fuzz/wire_token.c
tests_fuzz_wire_replay_token_CFLAGS = $(IO_TEST_CFLAGS) -DTARGET='"wire_token"'
tests_fuzz_wire_replay_token_LDADD = $(IO_LIBS)

if FUZZERS
noinst_PROGRAMS += tests/fuzz/wire_decode tests/fuzz/wire_token tests/fuzz/wire_seeds

tests_fuzz_wire_decode_SOURCES = tests/fuzz/wire_decode.c
tests_fuzz_wire_decode_CFLAGS = $(IO_TEST_CFLAGS)
tests_fuzz_wire_decode_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_wire_decode_LDADD = $(IO_LIBS)

tests_fuzz_wire_token_SOURCES = tests/fuzz/wire_token.c
tests_fuzz_wire_token_CFLAGS = $(IO_TEST_CFLAGS)
tests_fuzz_wire_token_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_wire_token_LDADD = $(IO_LIBS)

noinst_PROGRAMS += tests/fuzz/gateway_frames
tests_fuzz_gateway_frames_SOURCES = tests/fuzz/gateway_frames.c
tests_fuzz_gateway_frames_CFLAGS = $(IO_TEST_CFLAGS)
tests_fuzz_gateway_frames_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_gateway_frames_LDADD = $(IO_LIBS)

tests_fuzz_wire_seeds_SOURCES = tests/fuzz/wire_seeds.c tests/unit/io_sample.c \
    tests/unit/io_sample.h
tests_fuzz_wire_seeds_CFLAGS = $(IO_TEST_CFLAGS)
tests_fuzz_wire_seeds_LDADD = $(IO_LIBS)
endif

EXTRA_DIST += tests/fuzz/wire_seeds.c \
    tests/fuzz/corpus/gateway_frames/session \
    tests/fuzz/corpus/gateway_frames/users \
    tests/fuzz/corpus/gateway_frames/wrong \
    tests/fuzz/corpus/wire_decode/Allocate \
    tests/fuzz/corpus/wire_decode/AllocateReply \
    tests/fuzz/corpus/wire_decode/AmWakeup \
    tests/fuzz/corpus/wire_decode/AppList \
    tests/fuzz/corpus/wire_decode/BlobChunk \
    tests/fuzz/corpus/wire_decode/ClusterInfo \
    tests/fuzz/corpus/wire_decode/ContainerList \
    tests/fuzz/corpus/wire_decode/Error \
    tests/fuzz/corpus/wire_decode/FinishAm \
    tests/fuzz/corpus/wire_decode/FinishAmReply \
    tests/fuzz/corpus/wire_decode/GetBlob \
    tests/fuzz/corpus/wire_decode/GetClusterInfo \
    tests/fuzz/corpus/wire_decode/GetLogAccess \
    tests/fuzz/corpus/wire_decode/HaveBlobs \
    tests/fuzz/corpus/wire_decode/HaveBlobsReply \
    tests/fuzz/corpus/wire_decode/Heartbeat \
    tests/fuzz/corpus/wire_decode/HeartbeatReply \
    tests/fuzz/corpus/wire_decode/KillApp \
    tests/fuzz/corpus/wire_decode/ListApps \
    tests/fuzz/corpus/wire_decode/ListContainers \
    tests/fuzz/corpus/wire_decode/ListNodes \
    tests/fuzz/corpus/wire_decode/ListQueues \
    tests/fuzz/corpus/wire_decode/LogAccess \
    tests/fuzz/corpus/wire_decode/LogChunk \
    tests/fuzz/corpus/wire_decode/NodeList \
    tests/fuzz/corpus/wire_decode/NodeOrders \
    tests/fuzz/corpus/wire_decode/Ok \
    tests/fuzz/corpus/wire_decode/PutBlob \
    tests/fuzz/corpus/wire_decode/QueueList \
    tests/fuzz/corpus/wire_decode/ReadLog \
    tests/fuzz/corpus/wire_decode/RegisterAm \
    tests/fuzz/corpus/wire_decode/RegisterAmReply \
    tests/fuzz/corpus/wire_decode/RegisterNode \
    tests/fuzz/corpus/wire_decode/RegisterNodeReply \
    tests/fuzz/corpus/wire_decode/StartContainers \
    tests/fuzz/corpus/wire_decode/StartContainersReply \
    tests/fuzz/corpus/wire_decode/StopContainers \
    tests/fuzz/corpus/wire_decode/SubmitApp \
    tests/fuzz/corpus/wire_decode/SubmitAppReply \
    tests/fuzz/corpus/wire_decode/WaitApp \
    tests/fuzz/corpus/wire_token/AmGrant \
    tests/fuzz/corpus/wire_token/ContainerGrant \
    tests/fuzz/corpus/wire_token/LogGrant \
    tests/fuzz/corpus/wire_token/SignedToken \
    tests/fuzz/corpus/wire_token/signed
