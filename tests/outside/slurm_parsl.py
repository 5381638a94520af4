# SPDX-License-Identifier: Apache-2.0
"""parsl starts its workers by sbatch, and runs apps in them."""

import parsl
from parsl import bash_app, python_app
from parsl.config import Config
from parsl.executors import HighThroughputExecutor
from parsl.launchers import SingleNodeLauncher
from parsl.providers import SlurmProvider


@python_app
def square(n):
    return n * n


@python_app
def fail():
    raise ValueError("of the app")


@bash_app
def number_of_job(stdout="parsl.number"):
    return "echo $SLURM_JOB_ID"


provider = SlurmProvider(partition="default", nodes_per_block=1, cores_per_node=2, init_blocks=1, max_blocks=1, walltime="00:10:00",
                         exclusive=False, worker_init="export TMPDIR=/tmp", launcher=SingleNodeLauncher(), cmd_timeout=30)
executor = HighThroughputExecutor(label="creel", address="127.0.0.1", max_workers_per_node=2, provider=provider, encrypted=False)
with parsl.load(Config(executors=[executor], run_dir="parsl", strategy="none", usage_tracking=0)):
    squares = [each.result(timeout=120) for each in [square(n) for n in range(5)]]
    assert squares == [0, 1, 4, 9, 16], squares
    print("squares", *squares)
    try:
        fail().result(timeout=120)
    except ValueError as error:
        print("error", error)
    number_of_job().result(timeout=120)
print("number", int(open("parsl.number").read()) > 0)
