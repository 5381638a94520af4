# SPDX-License-Identifier: Apache-2.0
# client/script: reads the options in the comments of job scripts. Pure; depends only on common/base.
noinst_LIBRARIES += libcreelscript.a

libcreelscript_a_SOURCES = \
    client/script/directives.c client/script/directives.h \
    client/script/pbs_line.c client/script/pbs_line.h \
    client/script/sbatch_line.c client/script/sbatch_line.h \
    client/script/slurm.c client/script/slurm.h \
    client/script/slurm_environment.c client/script/slurm_environment.h \
    client/script/slurm_export.c client/script/slurm_export.h \
    client/script/slurm_given.c client/script/slurm_given.h \
    client/script/slurm_line.c client/script/slurm_line.h \
    client/script/slurm_mail.c client/script/slurm_mail.h \
    client/script/slurm_moment.c client/script/slurm_moment.h \
    client/script/slurm_options.c client/script/slurm_options.h \
    client/script/slurm_place.c client/script/slurm_place.h \
    client/script/slurm_size.c client/script/slurm_size.h \
    client/script/slurm_value.c client/script/slurm_value.h \
    client/script/slurm_written.c client/script/slurm_written.h
