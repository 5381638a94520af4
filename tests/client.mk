# SPDX-License-Identifier: Apache-2.0
# Tests of the library and of the command.
client_tests = tests/unit/client_amounts tests/unit/client_options tests/unit/client_submit tests/unit/client_output
check_PROGRAMS += $(client_tests)
TESTS += $(client_tests)
client_test_libraries = libcreelcli.a $(CREEL_CLIENT_LIBS) $(SMARTCOLS_LIBS) $(CMOCKA_LIBS)

tests_unit_client_amounts_SOURCES = tests/unit/client_amounts.c
tests_unit_client_amounts_LDADD = $(client_test_libraries)

tests_unit_client_options_SOURCES = tests/unit/client_options.c
tests_unit_client_options_LDADD = $(client_test_libraries)

tests_unit_client_submit_SOURCES = tests/unit/client_submit.c
tests_unit_client_submit_LDADD = $(client_test_libraries)

tests_unit_client_output_SOURCES = tests/unit/client_output.c
tests_unit_client_output_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
tests_unit_client_output_LDADD = $(client_test_libraries) $(JANSSON_LIBS)

# A resource manager that plays parts, for the two tests below it.
check_PROGRAMS += tests/unit/client_fake_rm tests/unit/client_library
tests_unit_client_fake_rm_SOURCES = tests/unit/client_fake_queues.c \
    tests/unit/client_fake_rm.c tests/unit/client_fake_rm.h
tests_unit_client_fake_rm_CPPFLAGS = $(AM_CPPFLAGS) $(GATEWAY_TEST_CPPFLAGS)
tests_unit_client_fake_rm_CFLAGS = $(AM_CFLAGS) $(CZMQ_CFLAGS) $(PROTOBUF_C_CFLAGS)
tests_unit_client_fake_rm_LDADD = $(CREEL_CLIENT_LIBS)

TESTS += tests/unit/client_library tests/unit/client_schema.py tests/unit/client_usage.py
tests_unit_client_library_SOURCES = tests/unit/client_library.c
tests_unit_client_library_LDADD = $(client_test_libraries)
dist_check_SCRIPTS += tests/unit/client_schema.py tests/unit/client_usage.py
