# SPDX-License-Identifier: Apache-2.0
check_PROGRAMS += tests/unit/job_master
TESTS += tests/unit/job_master
tests_unit_job_master_SOURCES = tests/unit/job_master.c tests/unit/job_world.c \
    tests/unit/job_world.h
tests_unit_job_master_LDADD = libcreeltask.a libcreelproto.a libcreelbase.a \
    $(PROTOBUF_C_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/job_logs
TESTS += tests/unit/job_logs
tests_unit_job_logs_SOURCES = tests/unit/job_logs.c
tests_unit_job_logs_LDADD = libcreeljob.a libcreelproto.a libcreelbase.a \
    $(PROTOBUF_C_LIBS) $(CMOCKA_LIBS)
