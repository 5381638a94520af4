# SPDX-License-Identifier: Apache-2.0
# What users write about when jobs run, read and judged: pure, knows neither applications nor the scheduler.
libcreelmaster_a_SOURCES += \
    rm/jobs/depends.c rm/jobs/depends.h
