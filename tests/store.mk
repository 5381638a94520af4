# SPDX-License-Identifier: Apache-2.0
# The state store, and the parts and the whole of the resource manager's daemon.
store_test_libs = libcreelstore.a libcreelproto.a libcreelbase.a \
    $(SQLITE_LIBS) $(SODIUM_LIBS) $(PROTOBUF_C_LIBS) $(CMOCKA_LIBS)
rm_test_libs = libcreelrm.a libcreelmaster.a libcreelschedconf.a $(SCHED_LIBS) libcreelstore.a $(IO_LIBS) $(SQLITE_LIBS) \
    $(EXPAT_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/store_sqlite tests/unit/store_disk tests/unit/store_damage \
    tests/unit/store_care tests/unit/rm_blobs \
    tests/unit/rm_file tests/unit/rm_parts tests/unit/rm_queries tests/unit/rm_writer
TESTS += tests/unit/store_sqlite tests/unit/store_disk tests/unit/store_damage \
    tests/unit/store_care tests/unit/rm_blobs tests/unit/rm_parts \
    tests/unit/rm_file tests/unit/rm_queries tests/unit/rm_writer
tests_unit_store_sqlite_SOURCES = tests/unit/store_sqlite.c tests/unit/store_support.h
tests_unit_store_sqlite_LDADD = $(store_test_libs)
tests_unit_store_disk_SOURCES = tests/unit/store_disk.c tests/unit/store_support.h
tests_unit_store_disk_LDADD = $(store_test_libs)
tests_unit_store_damage_SOURCES = tests/unit/store_damage.c tests/unit/store_support.h
tests_unit_store_damage_LDADD = $(store_test_libs)
tests_unit_store_care_SOURCES = tests/unit/store_care.c tests/unit/store_support.h
tests_unit_store_care_LDADD = $(store_test_libs)
tests_unit_rm_blobs_SOURCES = tests/unit/rm_blobs.c tests/unit/store_support.h
tests_unit_rm_blobs_LDADD = $(rm_test_libs)
tests_unit_rm_file_SOURCES = tests/unit/rm_file.c
tests_unit_rm_file_LDADD = $(rm_test_libs)
tests_unit_rm_parts_SOURCES = tests/unit/rm_parts.c tests/unit/store_support.h
tests_unit_rm_parts_LDADD = $(rm_test_libs)
tests_unit_rm_queries_SOURCES = tests/unit/rm_queries.c
tests_unit_rm_queries_LDADD = $(rm_test_libs)
tests_unit_rm_writer_SOURCES = tests/unit/rm_writer.c tests/unit/store_support.h
tests_unit_rm_writer_CFLAGS = $(AM_CFLAGS) $(CZMQ_CFLAGS)
tests_unit_rm_writer_LDADD = $(rm_test_libs)

# These run the program of this folder.
check_PROGRAMS += tests/unit/rm_daemon tests/unit/rm_lists tests/unit/rm_serve
TESTS += tests/unit/rm_daemon tests/unit/rm_lists tests/unit/rm_serve
tests_unit_rm_daemon_SOURCES = tests/unit/rm_daemon.c tests/unit/rm_process.h \
    tests/unit/store_support.h
tests_unit_rm_daemon_CFLAGS = $(AM_CFLAGS) $(CZMQ_CFLAGS)
tests_unit_rm_daemon_LDADD = $(rm_test_libs)
EXTRA_tests_unit_rm_daemon_DEPENDENCIES = creel-rm$(EXEEXT)
tests_unit_rm_lists_SOURCES = tests/unit/rm_lists.c tests/unit/rm_process.h \
    tests/unit/store_support.h
tests_unit_rm_lists_CFLAGS = $(AM_CFLAGS) $(CZMQ_CFLAGS)
tests_unit_rm_lists_LDADD = $(rm_test_libs)
EXTRA_tests_unit_rm_lists_DEPENDENCIES = creel-rm$(EXEEXT)
tests_unit_rm_serve_SOURCES = tests/unit/rm_serve.c tests/unit/rm_process.h \
    tests/unit/store_support.h
tests_unit_rm_serve_CFLAGS = $(AM_CFLAGS) $(CZMQ_CFLAGS)
tests_unit_rm_serve_LDADD = $(rm_test_libs)
EXTRA_tests_unit_rm_serve_DEPENDENCIES = creel-rm$(EXEEXT)
