# SPDX-License-Identifier: Apache-2.0
master_tests = tests/unit/master_authz tests/unit/master_capacity tests/unit/master_cutoff \
    tests/unit/master_drain tests/unit/master_events tests/unit/master_fair \
    tests/unit/master_figures tests/unit/master_hosts tests/unit/master_jobs \
    tests/unit/master_history tests/unit/master_leave tests/unit/master_nodes tests/unit/master_people \
    tests/unit/master_preempt tests/unit/master_query tests/unit/master_queues \
    tests/unit/master_states tests/unit/master_storm tests/unit/master_trust \
    tests/unit/master_labels tests/unit/master_pages tests/unit/master_types
check_PROGRAMS += $(master_tests)
TESTS += $(master_tests)

master_harness = tests/unit/master_agents.c tests/unit/master_harness.c \
    tests/unit/master_harness.h
master_test_libs = libcreelmaster.a $(SCHED_LIBS) libcreelproto.a libcreelbase.a \
    $(PROTOBUF_C_LIBS) $(CMOCKA_LIBS)

master_drain_fixture = tests/unit/master_drain_fixture.c tests/unit/master_drain_fixture.h $(master_harness)
tests_unit_master_drain_SOURCES = tests/unit/master_drain.c $(master_drain_fixture)
tests_unit_master_leave_SOURCES = tests/unit/master_leave.c $(master_drain_fixture)
tests_unit_master_leave_LDADD = $(master_test_libs)
tests_unit_master_drain_LDADD = $(master_test_libs)
tests_unit_master_hosts_SOURCES = tests/unit/master_hosts.c $(master_harness)
tests_unit_master_hosts_LDADD = $(master_test_libs)
tests_unit_master_figures_SOURCES = tests/unit/master_figures.c $(master_harness)
tests_unit_master_figures_LDADD = $(master_test_libs)
tests_unit_master_jobs_SOURCES = tests/unit/master_jobs.c $(master_harness)
tests_unit_master_jobs_LDADD = $(master_test_libs)
tests_unit_master_history_SOURCES = tests/unit/master_history.c $(master_harness)
tests_unit_master_history_LDADD = $(master_test_libs)
tests_unit_master_cutoff_SOURCES = tests/unit/master_cutoff.c $(master_harness)
tests_unit_master_cutoff_LDADD = $(master_test_libs)
tests_unit_master_nodes_SOURCES = tests/unit/master_nodes.c $(master_harness)
tests_unit_master_nodes_LDADD = $(master_test_libs)
tests_unit_master_people_SOURCES = tests/unit/master_people.c $(master_harness)
tests_unit_master_people_LDADD = $(master_test_libs)
tests_unit_master_authz_SOURCES = tests/unit/master_authz.c $(master_harness)
tests_unit_master_authz_LDADD = $(master_test_libs)
tests_unit_master_query_SOURCES = tests/unit/master_query.c $(master_harness)
tests_unit_master_query_LDADD = $(master_test_libs)
tests_unit_master_capacity_SOURCES = tests/unit/master_capacity.c $(master_harness)
tests_unit_master_capacity_LDADD = $(master_test_libs)
tests_unit_master_events_SOURCES = tests/unit/master_events.c $(master_harness)
tests_unit_master_events_LDADD = $(master_test_libs)
tests_unit_master_fair_SOURCES = tests/unit/master_fair.c $(master_harness)
tests_unit_master_fair_LDADD = $(master_test_libs)
tests_unit_master_preempt_SOURCES = tests/unit/master_preempt.c $(master_harness)
tests_unit_master_preempt_LDADD = $(master_test_libs)
tests_unit_master_queues_SOURCES = tests/unit/master_queues.c $(master_harness)
tests_unit_master_queues_LDADD = $(master_test_libs)
tests_unit_master_states_SOURCES = tests/unit/master_states.c
tests_unit_master_states_LDADD = $(master_test_libs)
tests_unit_master_storm_SOURCES = tests/unit/master_storm.c $(master_harness)
tests_unit_master_storm_LDADD = $(master_test_libs)
tests_unit_master_trust_SOURCES = tests/unit/master_trust.c $(master_harness)
tests_unit_master_trust_LDADD = $(master_test_libs)
tests_unit_master_labels_SOURCES = tests/unit/master_labels.c $(master_harness)
tests_unit_master_labels_LDADD = $(master_test_libs)
tests_unit_master_types_SOURCES = tests/unit/master_types.c $(master_harness)
tests_unit_master_types_LDADD = $(master_test_libs)
tests_unit_master_pages_SOURCES = tests/unit/master_pages.c $(master_harness)
tests_unit_master_pages_LDADD = $(master_test_libs)
