# SPDX-License-Identifier: Apache-2.0
"""tap.py - results of the tests that are Python scripts, as TAP"""

count = failed = 0


def result(good, name, more=""):
    """One result; MORE is printed if it is not GOOD."""
    global count, failed
    count += 1
    failed += not good
    print("%sok %d - %s" % ("" if good else "not ", count, name))
    for line in more.splitlines() if not good else []:
        print("# " + line)


def finish():
    """Prints the plan. Returns the exit status."""
    print("1..%d" % count)
    return failed > 0
