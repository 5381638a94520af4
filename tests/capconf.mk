# SPDX-License-Identifier: Apache-2.0
# Tests of the capacity scheduler's configuration.
capconf_tests = \
    tests/unit/capacity_config tests/unit/capacity_dynamic tests/unit/capacity_figures \
    tests/unit/capacity_refresh tests/unit/capacity_refused tests/unit/resource_types
capconf_tests += tests/unit/capacity_labels tests/unit/capacity_lazy tests/unit/capacity_managed \
    tests/unit/capacity_priority tests/unit/capacity_index tests/unit/capacity_why tests/unit/sched_give_back \
    tests/unit/sched_on_demand tests/unit/capacity_users tests/unit/capacity_rows \
    tests/unit/sched_size
capconf_tests += tests/unit/schedconf_manual
check_PROGRAMS += $(capconf_tests)
TESTS += $(capconf_tests)
capconf_test_libraries = libcreelsched.a libcreelconf.a libcreelbase.a $(EXPAT_LIBS) \
    $(CMOCKA_LIBS) -lm
capconf_test_fixture = tests/unit/capacity_fixture.c tests/unit/capacity_fixture.h

tests_unit_capacity_config_SOURCES = tests/unit/capacity_config.c $(capconf_test_fixture)
tests_unit_capacity_config_LDADD = $(capconf_test_libraries)

tests_unit_capacity_dynamic_SOURCES = tests/unit/capacity_dynamic.c $(capconf_test_fixture)
tests_unit_capacity_dynamic_LDADD = $(capconf_test_libraries)

tests_unit_capacity_figures_SOURCES = tests/unit/capacity_figures.c $(capconf_test_fixture)
tests_unit_capacity_figures_LDADD = $(capconf_test_libraries)

tests_unit_capacity_refresh_SOURCES = tests/unit/capacity_refresh.c $(capconf_test_fixture)
tests_unit_capacity_refresh_LDADD = $(capconf_test_libraries)

tests_unit_capacity_refused_SOURCES = tests/unit/capacity_refused.c $(capconf_test_fixture)
tests_unit_capacity_refused_LDADD = $(capconf_test_libraries)

# With a scheduler that runs.
capacity_live = $(capconf_test_fixture) tests/unit/capacity_live.c tests/unit/capacity_live.h
tests_unit_capacity_labels_SOURCES = tests/unit/capacity_labels.c $(capacity_live)
tests_unit_capacity_labels_LDADD = $(sched_test_libs)
tests_unit_sched_give_back_SOURCES = tests/unit/sched_give_back.c $(capacity_live)
tests_unit_sched_give_back_LDADD = $(sched_test_libs)
tests_unit_sched_on_demand_SOURCES = tests/unit/sched_on_demand.c $(capacity_live) \
    $(fair_fixture_sources)
tests_unit_sched_on_demand_LDADD = $(sched_test_libs)
tests_unit_sched_size_SOURCES = tests/unit/sched_size.c $(capacity_live)
tests_unit_sched_size_LDADD = $(sched_test_libs)
tests_unit_capacity_rows_SOURCES = tests/unit/capacity_rows.c $(capacity_live)
tests_unit_capacity_rows_LDADD = $(sched_test_libs)
tests_unit_capacity_users_SOURCES = tests/unit/capacity_users.c $(capacity_live)
tests_unit_capacity_users_LDADD = $(sched_test_libs)
tests_unit_capacity_why_SOURCES = tests/unit/capacity_why.c $(capacity_live)
tests_unit_capacity_why_LDADD = $(sched_test_libs)
tests_unit_capacity_index_SOURCES = tests/unit/capacity_index.c $(capacity_live)
tests_unit_capacity_index_LDADD = $(sched_test_libs)
tests_unit_capacity_lazy_SOURCES = tests/unit/capacity_lazy.c $(capacity_live)
tests_unit_capacity_lazy_LDADD = $(sched_test_libs)
tests_unit_capacity_managed_SOURCES = tests/unit/capacity_managed.c $(capacity_live)
tests_unit_capacity_managed_LDADD = $(sched_test_libs)
tests_unit_capacity_priority_SOURCES = tests/unit/capacity_priority.c $(capacity_live)
tests_unit_capacity_priority_LDADD = $(sched_test_libs)

tests_unit_resource_types_SOURCES = tests/unit/resource_types.c
tests_unit_resource_types_LDADD = libcreelconf.a libcreelbase.a $(EXPAT_LIBS) $(CMOCKA_LIBS)

TESTS += tests/unit/client_conf_check.sh
dist_check_SCRIPTS += tests/unit/client_conf_check.sh
EXTRA_DIST += tests/configs

EXTRA_DIST += tests/fuzz/corpus/capacity_config
if FUZZERS
noinst_PROGRAMS += tests/fuzz/capacity_config
endif
tests_fuzz_capacity_config_SOURCES = tests/fuzz/capacity_config.c
tests_fuzz_capacity_config_LDADD = libcreelsched.a libcreelconf.a libcreelbase.a $(EXPAT_LIBS) -lm
tests_fuzz_capacity_config_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer

tests_unit_schedconf_manual_SOURCES = tests/unit/schedconf_manual.c \
    rm/schedconf/manual.h rm/schedconf/manual_capacity.c rm/schedconf/manual_fair.c
tests_unit_schedconf_manual_LDADD = $(capconf_test_libraries)
