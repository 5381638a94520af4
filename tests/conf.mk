# SPDX-License-Identifier: Apache-2.0
# Tests of common/conf.
conf_tests = \
    tests/unit/conf_files tests/unit/conf_hosts tests/unit/conf_include tests/unit/conf_manual \
    tests/unit/conf_report tests/unit/conf_scheduler tests/unit/conf_values \
    tests/unit/conf_variables
check_PROGRAMS += $(conf_tests)
TESTS += $(conf_tests)
conf_test_libraries = libcreelconf.a libcreelbase.a $(EXPAT_LIBS) $(CMOCKA_LIBS)
conf_test_fixture = tests/unit/conf_fixture.c tests/unit/conf_fixture.h

tests_unit_conf_files_SOURCES = tests/unit/conf_files.c $(conf_test_fixture)
tests_unit_conf_files_LDADD = $(conf_test_libraries)

tests_unit_conf_hosts_SOURCES = tests/unit/conf_hosts.c
tests_unit_conf_hosts_LDADD = $(conf_test_libraries)

tests_unit_conf_include_SOURCES = tests/unit/conf_include.c $(conf_test_fixture)
tests_unit_conf_include_LDADD = $(conf_test_libraries)

tests_unit_conf_manual_SOURCES = tests/unit/conf_manual.c
tests_unit_conf_manual_LDADD = $(conf_test_libraries)

tests_unit_conf_report_SOURCES = tests/unit/conf_report.c $(conf_test_fixture)
tests_unit_conf_report_LDADD = $(conf_test_libraries)

tests_unit_conf_scheduler_SOURCES = tests/unit/conf_scheduler.c $(conf_test_fixture)
tests_unit_conf_scheduler_LDADD = $(conf_test_libraries)

tests_unit_conf_values_SOURCES = tests/unit/conf_values.c $(conf_test_fixture)
tests_unit_conf_values_LDADD = $(conf_test_libraries)

tests_unit_conf_variables_SOURCES = tests/unit/conf_variables.c $(conf_test_fixture)
tests_unit_conf_variables_LDADD = $(conf_test_libraries)

EXTRA_DIST += \
    tests/fuzz/corpus/conf_load/entities.xml \
    tests/fuzz/corpus/conf_load/include.xml \
    tests/fuzz/corpus/conf_load/plain.xml \
    tests/fuzz/corpus/conf_load/utf16.xml \
    tests/fuzz/corpus/conf_load/variables.xml \
    tests/fuzz/corpus/conf_load/wrong.xml
if FUZZERS
noinst_PROGRAMS += tests/fuzz/conf_load
endif
tests_fuzz_conf_load_SOURCES = tests/fuzz/conf_load.c
tests_fuzz_conf_load_LDADD = libcreelconf.a libcreelbase.a $(EXPAT_LIBS)
tests_fuzz_conf_load_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
