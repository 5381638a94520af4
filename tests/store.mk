# SPDX-License-Identifier: Apache-2.0
store_test_libs = libcreelstore.a libcreelproto.a libcreelbase.a \
    $(SQLITE_LIBS) $(PROTOBUF_C_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/store_sqlite tests/unit/store_disk
TESTS += tests/unit/store_sqlite tests/unit/store_disk
tests_unit_store_sqlite_SOURCES = tests/unit/store_sqlite.c tests/unit/store_support.h
tests_unit_store_sqlite_LDADD = $(store_test_libs)
tests_unit_store_disk_SOURCES = tests/unit/store_disk.c tests/unit/store_support.h
tests_unit_store_disk_LDADD = $(store_test_libs)
