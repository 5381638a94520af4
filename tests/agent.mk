# SPDX-License-Identifier: Apache-2.0
agent_tests = tests/unit/agent_table tests/unit/agent_link tests/unit/agent_history tests/unit/agent_containers \
    tests/unit/agent_memory tests/unit/agent_orders tests/unit/agent_preempt tests/unit/agent_storm \
    tests/unit/agent_monitor tests/unit/agent_clock
check_PROGRAMS += $(agent_tests)
TESTS += $(agent_tests)
agent_fixture = tests/unit/agent_fixture.c tests/unit/agent_fixture.h
agent_ldadd = libnmcore.a libcreelproto.a libcreelbase.a $(PROTOBUF_C_LIBS) $(BSD_LIBS) $(CMOCKA_LIBS)
tests_unit_agent_table_SOURCES = tests/unit/agent_table.c
tests_unit_agent_table_LDADD = $(agent_ldadd)
tests_unit_agent_history_SOURCES = tests/unit/agent_history.c $(agent_fixture)
tests_unit_agent_history_LDADD = $(agent_ldadd)
tests_unit_agent_link_SOURCES = tests/unit/agent_link.c $(agent_fixture)
tests_unit_agent_link_LDADD = $(agent_ldadd)
tests_unit_agent_containers_SOURCES = tests/unit/agent_containers.c $(agent_fixture)
tests_unit_agent_containers_LDADD = $(agent_ldadd)
tests_unit_agent_memory_SOURCES = tests/unit/agent_memory.c tests/unit/held_bytes.h $(agent_fixture)
tests_unit_agent_memory_LDADD = $(agent_ldadd)
tests_unit_agent_orders_SOURCES = tests/unit/agent_orders.c $(agent_fixture)
tests_unit_agent_orders_LDADD = $(agent_ldadd)
tests_unit_agent_preempt_SOURCES = tests/unit/agent_preempt.c $(agent_fixture)
tests_unit_agent_preempt_LDADD = $(agent_ldadd)
tests_unit_agent_monitor_SOURCES = tests/unit/agent_monitor.c $(agent_fixture)
tests_unit_agent_monitor_LDADD = $(agent_ldadd)
tests_unit_agent_clock_SOURCES = tests/unit/agent_clock.c $(agent_fixture)
tests_unit_agent_clock_LDADD = $(agent_ldadd)
tests_unit_agent_storm_SOURCES = tests/unit/agent_storm.c
tests_unit_agent_storm_LDADD = $(agent_ldadd)

# The real program on this machine's cgroups, as root.
check_PROGRAMS += tests/unit/agent_daemon
TESTS += tests/unit/agent_daemon
tests_unit_agent_daemon_SOURCES = tests/unit/agent_daemon.c \
    tests/unit/agent_cluster.c tests/unit/agent_cluster.h
tests_unit_agent_daemon_CPPFLAGS = $(AM_CPPFLAGS) -DAGENT_PATH=\"$(abs_top_builddir)/creel-nm\" \
    $(GATEWAY_TEST_CPPFLAGS)
tests_unit_agent_daemon_LDADD = $(IO_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/agent_parts
TESTS += tests/unit/agent_parts
tests_unit_agent_parts_SOURCES = tests/unit/agent_parts.c
tests_unit_agent_parts_LDADD = $(NM_LIBS) $(CMOCKA_LIBS)
