# SPDX-License-Identifier: Apache-2.0
# The fuzz targets are in tests/programs.list, those of common/io, common/base and nm-agent/linux in the fragments of these.
EXTRA_DIST += tests/fuzz/corpus
