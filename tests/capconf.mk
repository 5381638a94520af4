# SPDX-License-Identifier: Apache-2.0
# Tests of the capacity scheduler's configuration.
capconf_tests = tests/unit/capacity_config
check_PROGRAMS += $(capconf_tests)
TESTS += $(capconf_tests)
capconf_test_libraries = libcreelsched.a libcreelconf.a libcreelbase.a $(EXPAT_LIBS) \
    $(CMOCKA_LIBS) -lm
capconf_test_fixture = tests/unit/capacity_fixture.c tests/unit/capacity_fixture.h

tests_unit_capacity_config_SOURCES = tests/unit/capacity_config.c $(capconf_test_fixture)
tests_unit_capacity_config_LDADD = $(capconf_test_libraries)
