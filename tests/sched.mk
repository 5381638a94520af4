# SPDX-License-Identifier: Apache-2.0
sched_tests = tests/unit/sched_calc tests/unit/sched_fifo tests/unit/sched_storm
check_PROGRAMS += $(sched_tests)
TESTS += $(sched_tests)

sched_test_libs = $(SCHED_LIBS) libcreelbase.a $(CMOCKA_LIBS)

tests_unit_sched_calc_SOURCES = tests/unit/sched_calc.c
tests_unit_sched_calc_LDADD = $(sched_test_libs)
tests_unit_sched_fifo_SOURCES = tests/unit/sched_fifo.c
tests_unit_sched_fifo_LDADD = $(sched_test_libs)
tests_unit_sched_storm_SOURCES = tests/unit/sched_storm.c
tests_unit_sched_storm_LDADD = $(sched_test_libs)

# What YARN decides in the same place, for the schedulers to be measured by.
EXTRA_DIST += tests/conformance
