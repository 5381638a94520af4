# SPDX-License-Identifier: Apache-2.0
check_PROGRAMS += tests/unit/job_master
TESTS += tests/unit/job_master
tests_unit_job_master_SOURCES = tests/unit/job_master.c tests/unit/job_world.c \
    tests/unit/job_world.h tests/unit/job_world_agents.c tests/unit/job_world_parts.h \
    tests/unit/job_world_rm.c
tests_unit_job_master_LDADD = libcreeltask.a libcreelproto.a libcreelbase.a \
    $(PROTOBUF_C_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/job_logs
TESTS += tests/unit/job_logs
tests_unit_job_logs_SOURCES = tests/unit/job_logs.c
tests_unit_job_logs_LDADD = libcreeljob.a libcreelproto.a libcreelbase.a \
    $(PROTOBUF_C_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/job_follow
TESTS += tests/unit/job_follow
tests_unit_job_follow_SOURCES = tests/unit/job_follow.c
tests_unit_job_follow_LDADD = libcreeljob.a libcreelproto.a libcreelbase.a \
    $(PROTOBUF_C_LIBS) $(CMOCKA_LIBS)

# An RM and an agent that pretend, over real channels.
check_PROGRAMS += tests/unit/job_process
TESTS += tests/unit/job_process
tests_unit_job_process_SOURCES = tests/unit/job_process.c tests/unit/job_cluster.c \
    tests/unit/job_cluster.h
tests_unit_job_process_CPPFLAGS = $(AM_CPPFLAGS) $(GATEWAY_TEST_CPPFLAGS)
tests_unit_job_process_CFLAGS = $(AM_CFLAGS) $(CZMQ_CFLAGS) $(SODIUM_CFLAGS) $(PROTOBUF_C_CFLAGS)
tests_unit_job_process_LDADD = libcreeljob.a libcreeltask.a $(CREEL_CLIENT_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/job_script
TESTS += tests/unit/job_script
tests_unit_job_script_SOURCES = tests/unit/job_script.c tests/unit/job_dialogue.c \
    tests/unit/job_dialogue.h
tests_unit_job_script_LDADD = libcreeltask.a libcreelproto.a libcreelbase.a \
    $(PROTOBUF_C_LIBS) $(CMOCKA_LIBS)
