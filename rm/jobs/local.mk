# SPDX-License-Identifier: Apache-2.0
# What users write about when jobs run, read and judged: pure, knows neither applications nor the scheduler.
libcreelmaster_a_SOURCES += \
    rm/jobs/array_spec.c rm/jobs/array_spec.h \
    rm/jobs/array_states.c rm/jobs/array_states.h \
    rm/jobs/depends.c rm/jobs/depends.h
