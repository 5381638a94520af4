# SPDX-License-Identifier: Apache-2.0
# client/script: reads the options in the comments of job scripts. Pure; depends only on common/base.
noinst_LIBRARIES += libcreelscript.a

libcreelscript_a_SOURCES = \
    client/script/directives.c client/script/directives.h \
    client/script/slurm.c client/script/slurm.h \
    client/script/slurm_options.c client/script/slurm_options.h \
    client/script/slurm_size.c client/script/slurm_size.h
