# SPDX-License-Identifier: Apache-2.0
# web/pam: creel-pam, the process that checks passwords for creel-web. Only this program links libpam.
if PAM
noinst_LIBRARIES += libcreelpam.a
libcreelpam_a_SOURCES = web/pam/check.c web/pam/check.h web/pam/frame.h
libcreelpam_a_CFLAGS = $(AM_CFLAGS)

pkglibexec_PROGRAMS += creel-pam
creel_pam_SOURCES = web/pam/main.c
creel_pam_LDADD = libcreelpam.a $(PAM_LIBS)
pam_programs = creel-pam
endif
