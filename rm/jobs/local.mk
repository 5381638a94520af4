# SPDX-License-Identifier: Apache-2.0
# Parses job arrays and dependencies, and stores task states: pure, does not know applications or the scheduler.
libcreelmaster_a_SOURCES += \
    rm/jobs/array_queue.c rm/jobs/array_queue.h \
    rm/jobs/array_spec.c rm/jobs/array_spec.h \
    rm/jobs/array_states.c rm/jobs/array_states.h \
    rm/jobs/depends.c rm/jobs/depends.h
