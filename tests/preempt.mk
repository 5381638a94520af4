# SPDX-License-Identifier: Apache-2.0
# The preemption policy.
preempt_tests = tests/unit/sched_preempt tests/unit/sched_preempt_model
check_PROGRAMS += $(preempt_tests)
TESTS += $(preempt_tests)
preempt_fixture = tests/unit/preempt_fixture.c tests/unit/preempt_fixture.h

tests_unit_sched_preempt_SOURCES = tests/unit/sched_preempt.c $(preempt_fixture)
tests_unit_sched_preempt_LDADD = $(sched_test_libs)
tests_unit_sched_preempt_model_SOURCES = tests/unit/sched_preempt_model.c $(preempt_fixture)
tests_unit_sched_preempt_model_LDADD = $(sched_test_libs)

noinst_PROGRAMS += bench/preempt-round
bench_preempt_round_SOURCES = bench/preempt-round.c
bench_preempt_round_LDADD = $(SCHED_LIBS) libcreelbase.a
