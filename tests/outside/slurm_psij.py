# SPDX-License-Identifier: Apache-2.0
"""psij submits a job by sbatch and learns its exit status by squeue."""

from datetime import timedelta
from pathlib import Path

from psij import Job, JobAttributes, JobExecutor, JobSpec, JobState, ResourceSpecV1
from psij.executors.batch.slurm import SlurmExecutorConfig

# (Without the configuration it asks for states every 30 seconds.)
executor = JobExecutor.get_instance("slurm", config=SlurmExecutorConfig(queue_polling_interval=2, initial_queue_polling_delay=1))


def spec_of(script, name):
    return JobSpec(executable="/bin/sh", arguments=["-c", script], name=name, directory=Path.cwd(),
                   stdout_path=Path(name + ".out"), stderr_path=Path(name + ".err"), environment={"WORD": "of the job"},
                   resources=ResourceSpecV1(node_count=1, process_count=1),
                   attributes=JobAttributes(duration=timedelta(minutes=5), queue_name="default"))


for name, script, state, code in (("good", 'echo "$WORD"', JobState.COMPLETED, 0), ("bad", "exit 7", JobState.FAILED, 7)):
    job = Job(spec_of(script, name))
    executor.submit(job)
    status = job.wait(timedelta(seconds=120))
    assert status is not None, "no end within two minutes"
    assert status.state == state, status
    assert status.exit_code == code, status
    print(name, status.state.name, status.exit_code)
assert Path("good.out").read_text() == "of the job\n"

job = Job(spec_of("sleep 600", "long"))
executor.submit(job)
assert job.wait(timedelta(seconds=120), target_states=[JobState.ACTIVE]) is not None
job.cancel()
status = job.wait(timedelta(seconds=120))
assert status is not None and status.state == JobState.CANCELED, status
print("long", status.state.name)
