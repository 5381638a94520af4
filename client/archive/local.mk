# SPDX-License-Identifier: Apache-2.0
# creel-archive reads and writes archives for creel and creel-yarn, which start it. libcreelarchive.a: its parts, for
# tests.
noinst_LIBRARIES += libcreelarchive.a
libcreelarchive_a_SOURCES = \
    client/archive/log_entries.c client/archive/log_entries.h \
    client/archive/pack.c client/archive/pack.h
libcreelarchive_a_CFLAGS = $(AM_CFLAGS) $(ARCHIVE_CFLAGS)

pkglibexec_PROGRAMS += creel-archive
creel_archive_SOURCES = client/archive/main.c
creel_archive_LDADD = libcreelarchive.a libcreelunpack.a libcreelbase.a $(ARCHIVE_LIBS)
