# SPDX-License-Identifier: Apache-2.0
"""submitit submits functions by sbatch: results, an exception, an array, a cancelled job."""

import os
import time

import submitit


def add(a, b):
    return a + b, os.environ["SLURM_JOB_ID"]


def divide(a):
    return 1 / a


def wait_long():
    time.sleep(600)


def becomes(job, *states):
    """Waits until the state of the job, which submitit otherwise requests once a minute, is one of states."""
    deadline = time.time() + 60
    while True:
        state = job.watcher.get_state(job.job_id, mode="force").split()[0]
        if state in states:
            return
        assert time.time() < deadline, state
        time.sleep(0.2)


executor = submitit.AutoExecutor(folder="submitit", cluster="slurm")
executor.update_parameters(timeout_min=10, mem_gb=0.5, slurm_partition="default", name="from-submitit")

job = executor.submit(add, 5, 7)
result, number = job.result()
assert result == 12, result
assert number == job.job_id, (number, job.job_id)
becomes(job, "COMPLETED")
print("result", result)

bad = executor.submit(divide, 0)
error = bad.exception()
assert "ZeroDivisionError" in str(error), error
becomes(bad, "FAILED")
print("exception ZeroDivisionError")

executor.update_parameters(slurm_array_parallelism=2)
jobs = executor.map_array(add, [1, 2, 3], [10, 20, 30])
sums = [each.result()[0] for each in jobs]
assert sums == [11, 22, 33], sums
assert len({each.job_id.split("_")[0] for each in jobs}) == 1
print("array", *sums)

long = executor.submit(wait_long)
becomes(long, "RUNNING")
long.cancel()
becomes(long, "CANCELLED")
print("cancelled")
