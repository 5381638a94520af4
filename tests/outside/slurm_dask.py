# SPDX-License-Identifier: Apache-2.0
"""dask-jobqueue starts workers by sbatch, and ends them by scancel."""

import os

from dask_jobqueue import SLURMCluster
from distributed import Client


def square(n):
    return n * n


def number_of_job():
    return os.environ["SLURM_JOB_ID"]


if __name__ == "__main__":
    with SLURMCluster(queue="default", cores=1, processes=1, memory="1GiB", walltime="00:10:00", interface="lo",
                      log_directory="dask", local_directory="dask", scheduler_options={"dashboard_address": ":0"}) as cluster:
        cluster.scale(jobs=2)
        with Client(cluster) as client:
            client.wait_for_workers(2, timeout=120)
            total = client.submit(sum, client.map(square, range(20))).result(timeout=120)
            assert total == 2470, total
            print("sum", total)
            jobs = set(client.run(number_of_job).values())
            assert len(jobs) == 2, jobs
            print("jobs", len(jobs))
