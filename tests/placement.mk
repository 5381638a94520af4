# SPDX-License-Identifier: Apache-2.0
# Tests of who may do what, and of which queue a submission goes to.
placement_tests = \
    tests/unit/fair_amount tests/unit/fair_file tests/unit/fair_rules tests/unit/sched_acl \
    tests/unit/sched_mapping tests/unit/sched_mapping_json
check_PROGRAMS += $(placement_tests)
TESTS += $(placement_tests)
placement_test_libraries = libcreelsched.a libcreelconf.a libcreelbase.a $(EXPAT_LIBS) \
    $(JANSSON_LIBS) $(CMOCKA_LIBS)
mapping_test_fixture = tests/unit/mapping_fixture.c tests/unit/mapping_fixture.h

tests_unit_fair_amount_SOURCES = tests/unit/fair_amount.c
tests_unit_fair_amount_LDADD = $(placement_test_libraries)

tests_unit_fair_file_SOURCES = tests/unit/fair_file.c
tests_unit_fair_file_LDADD = $(placement_test_libraries)

tests_unit_fair_rules_SOURCES = tests/unit/fair_rules.c
tests_unit_fair_rules_LDADD = $(placement_test_libraries)

tests_unit_sched_acl_SOURCES = tests/unit/sched_acl.c
tests_unit_sched_acl_LDADD = $(placement_test_libraries)

tests_unit_sched_mapping_SOURCES = tests/unit/sched_mapping.c $(mapping_test_fixture)
tests_unit_sched_mapping_LDADD = $(placement_test_libraries)

tests_unit_sched_mapping_json_SOURCES = tests/unit/sched_mapping_json.c $(mapping_test_fixture)
tests_unit_sched_mapping_json_LDADD = $(placement_test_libraries)

EXTRA_DIST += \
    tests/fuzz/corpus/fair_allocations/amounts.xml \
    tests/fuzz/corpus/fair_allocations/every-element.xml \
    tests/fuzz/corpus/fair_allocations/old-names.xml \
    tests/fuzz/corpus/fair_allocations/placement.xml \
    tests/fuzz/corpus/fair_allocations/wrong.xml \
    tests/fuzz/corpus/placement_rules/app-names \
    tests/fuzz/corpus/placement_rules/groups \
    tests/fuzz/corpus/placement_rules/json \
    tests/fuzz/corpus/placement_rules/json-more \
    tests/fuzz/corpus/placement_rules/list \
    tests/fuzz/corpus/placement_rules/mappings \
    tests/fuzz/corpus/placement_rules/wrong
if FUZZERS
noinst_PROGRAMS += tests/fuzz/fair_allocations tests/fuzz/placement_rules
endif
tests_fuzz_fair_allocations_SOURCES = tests/fuzz/fair_allocations.c
tests_fuzz_fair_allocations_LDADD = $(placement_test_libraries)
tests_fuzz_fair_allocations_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer

tests_fuzz_placement_rules_SOURCES = tests/fuzz/placement_rules.c
tests_fuzz_placement_rules_LDADD = $(placement_test_libraries)
tests_fuzz_placement_rules_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
