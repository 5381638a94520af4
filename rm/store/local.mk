# SPDX-License-Identifier: Apache-2.0
noinst_LIBRARIES += libcreelstore.a
libcreelstore_a_CFLAGS = $(AM_CFLAGS) $(SQLITE_CFLAGS) $(SODIUM_CFLAGS)
libcreelstore_a_SOURCES = \
    rm/store/store.c rm/store/store.h rm/store/store_ops.h \
    rm/store/store_statements.c \
    rm/store/store_sqlite.c rm/store/store_sqlite.h \
    rm/store/store_open.c rm/store/store_schema.c rm/store/store_load.c \
    rm/store/store_ended.c rm/store/store_ended.h \
    rm/store/store_check.c rm/store/store_files.c rm/store/store_sums.c rm/store/store_chain.c \
    rm/store/store_upgrade.c rm/store/store_upgrade.h \
    rm/store/store_maintenance.c rm/store/store_maintenance.h rm/store/head.c rm/store/head.h \
    rm/store/job_history.c rm/store/job_history.h rm/store/job_history_read.c \
    rm/store/job_history_reader.c rm/store/job_history_reader.h rm/store/job_history_sum.c \
    rm/store/job_history_file.c rm/store/job_history_file.h \
    rm/store/job_history_share.c rm/store/job_history_share.h \
    rm/store/job_history_upgrade.c rm/store/job_history_upgrade.h
