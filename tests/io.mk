# SPDX-License-Identifier: Apache-2.0
# Tests of common/io.
IO_TESTS = tests/unit/io_wire tests/unit/io_wire_bounds tests/unit/io_loop \
    tests/unit/io_keys tests/unit/io_token tests/unit/io_channel
check_PROGRAMS += $(IO_TESTS)
TESTS += $(IO_TESTS)

IO_TEST_CFLAGS = $(AM_CFLAGS) $(CZMQ_CFLAGS) $(ZMQ_CFLAGS) $(PROTOBUF_C_CFLAGS) \
    $(SODIUM_CFLAGS) $(CMOCKA_CFLAGS)

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

tests_unit_io_keys_SOURCES = tests/unit/io_keys.c
tests_unit_io_keys_CFLAGS = $(IO_TEST_CFLAGS)
tests_unit_io_keys_LDADD = $(IO_LIBS) $(CMOCKA_LIBS)

tests_unit_io_token_SOURCES = tests/unit/io_token.c tests/unit/io_sample.c tests/unit/io_sample.h
tests_unit_io_token_CFLAGS = $(IO_TEST_CFLAGS)
tests_unit_io_token_LDADD = $(IO_LIBS) $(CMOCKA_LIBS)

tests_unit_io_channel_SOURCES = tests/unit/io_channel.c
tests_unit_io_channel_CFLAGS = $(IO_TEST_CFLAGS)
tests_unit_io_channel_LDADD = $(IO_LIBS) $(CMOCKA_LIBS)
