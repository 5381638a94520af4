# SPDX-License-Identifier: Apache-2.0
# The fair scheduler, and the same once more, slow and obvious.
fair_tests = tests/unit/fair_ams tests/unit/fair_duel tests/unit/fair_offers tests/unit/fair_preempt \
    tests/unit/fair_queues tests/unit/fair_shares tests/unit/fair_storm
check_PROGRAMS += $(fair_tests)
TESTS += $(fair_tests)

fair_reference_sources = \
    tests/reference/fair.h \
    tests/reference/fair_assign.c \
    tests/reference/fair_model.c \
    tests/reference/fair_starve.c \
    tests/reference/fair_tree.c
tests_unit_fair_duel_SOURCES = tests/unit/fair_duel.c tests/unit/fair_duel.h \
    tests/unit/fair_duel_world.c $(fair_reference_sources)
tests_unit_fair_duel_LDADD = $(sched_test_libs) -lm

fair_fixture_sources = tests/unit/fair_fixture.c tests/unit/fair_fixture.h
tests_unit_fair_ams_SOURCES = tests/unit/fair_ams.c $(fair_fixture_sources)
tests_unit_fair_ams_LDADD = $(sched_test_libs) -lm
tests_unit_fair_offers_SOURCES = tests/unit/fair_offers.c $(fair_fixture_sources)
tests_unit_fair_offers_LDADD = $(sched_test_libs) -lm
tests_unit_fair_preempt_SOURCES = tests/unit/fair_preempt.c $(fair_fixture_sources)
tests_unit_fair_preempt_LDADD = $(sched_test_libs) -lm
tests_unit_fair_queues_SOURCES = tests/unit/fair_queues.c $(fair_fixture_sources)
tests_unit_fair_queues_LDADD = $(sched_test_libs) -lm
tests_unit_fair_storm_SOURCES = tests/unit/fair_storm.c $(fair_fixture_sources)
tests_unit_fair_storm_LDADD = $(sched_test_libs) -lm
tests_unit_fair_shares_SOURCES = tests/unit/fair_shares.c
tests_unit_fair_shares_LDADD = $(sched_test_libs) -lm
