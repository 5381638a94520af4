# SPDX-License-Identifier: Apache-2.0
# common/archive: archives that others wrote, unpacked with libarchive. It depends only on common/base.
noinst_LIBRARIES += libcreelunpack.a
libcreelunpack_a_SOURCES = common/archive/unpack.c common/archive/unpack.h
libcreelunpack_a_CFLAGS = $(AM_CFLAGS) $(ARCHIVE_CFLAGS)
