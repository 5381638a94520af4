# SPDX-License-Identifier: Apache-2.0
# Tests of the library and of the command.
client_tests = tests/unit/client_options tests/unit/client_submit tests/unit/client_output
check_PROGRAMS += $(client_tests)
TESTS += $(client_tests)
client_test_libraries = libcreelcli.a $(CREEL_CLIENT_LIBS) $(SMARTCOLS_LIBS) $(CMOCKA_LIBS)

tests_unit_client_options_SOURCES = tests/unit/client_options.c
tests_unit_client_options_LDADD = $(client_test_libraries)

tests_unit_client_submit_SOURCES = tests/unit/client_submit.c
tests_unit_client_submit_LDADD = $(client_test_libraries)

tests_unit_client_output_SOURCES = tests/unit/client_output.c
tests_unit_client_output_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
tests_unit_client_output_LDADD = $(client_test_libraries) $(JANSSON_LIBS)
