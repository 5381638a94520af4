# SPDX-License-Identifier: Apache-2.0
# The fair scheduler, and the same once more, slow and obvious.
fair_tests = tests/unit/fair_duel
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
