# SPDX-License-Identifier: Apache-2.0
sched_tests = tests/unit/sched_calc tests/unit/sched_fifo tests/unit/sched_order tests/unit/sched_policy tests/unit/sched_storm \
    tests/unit/sched_types tests/unit/why_storm tests/unit/reference_model \
    tests/unit/reference_cases tests/unit/sched_reference
check_PROGRAMS += $(sched_tests)
TESTS += $(sched_tests)

sched_test_libs = $(SCHED_LIBS) libcreelbase.a $(CMOCKA_LIBS)

tests_unit_sched_calc_SOURCES = tests/unit/sched_calc.c
tests_unit_sched_calc_LDADD = $(sched_test_libs)
tests_unit_sched_fifo_SOURCES = tests/unit/sched_fifo.c
tests_unit_sched_fifo_LDADD = $(sched_test_libs)
tests_unit_sched_types_SOURCES = tests/unit/sched_types.c
tests_unit_sched_types_LDADD = libcreelschedconf.a $(sched_test_libs)
# The example of a policy of a site, as docs/policy.md explains it.
tests_unit_sched_policy_SOURCES = tests/unit/sched_policy.c examples/policy-priority.c
tests_unit_sched_policy_LDADD = $(sched_test_libs)
tests_unit_sched_order_SOURCES = tests/unit/sched_order.c
tests_unit_sched_order_LDADD = $(sched_test_libs)
tests_unit_sched_storm_SOURCES = tests/unit/sched_storm.c sim/storm.h sim/storm_config.c sim/storm_look.c \
    sim/storm_run.c sim/storm_world.c sim/storm_world.h
tests_unit_sched_storm_LDADD = $(sched_test_libs)
tests_unit_why_storm_SOURCES = tests/unit/why_storm.c sim/storm.h sim/storm_config.c sim/storm_look.c \
    sim/storm_run.c sim/storm_world.c sim/storm_world.h
tests_unit_why_storm_LDADD = $(sched_test_libs)

# The capacity scheduler once more, slow and obvious.
reference_sources = \
    tests/reference/assign.c \
    tests/reference/calculator.c \
    tests/reference/model.c \
    tests/reference/offer.h \
    tests/reference/place.c \
    tests/reference/queues.c \
    tests/reference/reference.h \
    tests/reference/users.c
tests_unit_reference_model_SOURCES = tests/unit/reference_model.c $(reference_sources)
tests_unit_reference_model_LDADD = $(sched_test_libs)
tests_unit_reference_cases_SOURCES = tests/unit/reference_cases.c $(reference_sources) \
    tests/reference/script.c tests/reference/script.h tests/reference/script_common.c \
    tests/reference/script_common.h tests/reference/script_config.c \
    tests/reference/script_expect.c tests/reference/fair_script.c tests/reference/fair_script.h \
    tests/reference/fair_script_expect.c $(fair_reference_sources) \
    sim/case.h sim/case_json.c sim/case_json.h sim/case_read.c sim/case_steps.c
tests_unit_reference_cases_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_reference_cases_LDADD = $(sched_test_libs) $(JANSSON_LIBS)
tests_unit_sched_reference_SOURCES = tests/unit/sched_reference.c $(reference_sources) \
    tests/reference/duel.c tests/reference/duel.h tests/reference/duel_apps.c \
    tests/reference/duel_decisions.c tests/reference/duel_figures.c tests/reference/duel_figures.h \
    tests/reference/scenario.c tests/reference/scenario.h
tests_unit_sched_reference_LDADD = $(sched_test_libs)
