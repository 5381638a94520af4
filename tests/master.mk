# SPDX-License-Identifier: Apache-2.0
master_test_libs = libcreelmaster.a libcreelsched.a libcreelproto.a libcreelbase.a \
    $(PROTOBUF_C_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/master_jobs
TESTS += tests/unit/master_jobs
tests_unit_master_jobs_SOURCES = tests/unit/master_jobs.c tests/unit/master_harness.c \
    tests/unit/master_harness.h
tests_unit_master_jobs_LDADD = $(master_test_libs)
