# SPDX-License-Identifier: Apache-2.0
# Tests of common/base.
base_tests = \
    tests/unit/base_arena tests/unit/base_err tests/unit/base_id \
    tests/unit/base_resource tests/unit/base_text
check_PROGRAMS += $(base_tests)
TESTS += $(base_tests)

tests_unit_base_arena_SOURCES = tests/unit/base_arena.c
tests_unit_base_arena_LDADD = libcreelbase.a $(CMOCKA_LIBS)

tests_unit_base_err_SOURCES = tests/unit/base_err.c
tests_unit_base_err_LDADD = libcreelbase.a $(CMOCKA_LIBS)

tests_unit_base_id_SOURCES = tests/unit/base_id.c
tests_unit_base_id_LDADD = libcreelbase.a $(CMOCKA_LIBS)

tests_unit_base_resource_SOURCES = tests/unit/base_resource.c
tests_unit_base_resource_LDADD = libcreelbase.a $(CMOCKA_LIBS)

tests_unit_base_text_SOURCES = tests/unit/base_text.c
tests_unit_base_text_LDADD = libcreelbase.a $(CMOCKA_LIBS)
