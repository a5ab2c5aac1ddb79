"""A campaign on machines elsewhere: as a job array of Slurm, or by GNU parallel over hosts. Both call task.py, once for
each run that is not there; the campaign's folder, this program and the models must be at the same place everywhere.

Slurm: arrays of as many tasks as the cluster allows, then a job that waits for all of them, however they end, and
makes the table and the report. Tasks that a dead node leaves behind are queued again by Slurm; the same command
submits what is missing then."""
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from frames import fail
from run_folder import say
from whole_file import write_whole

task = Path(__file__).resolve().parent / "task.py"


def need(program, packages):
    if not shutil.which(program):
        fail(f"there is no program {program}: install {packages}, or leave out --on.")


def write_tasks(campaign):
    folder = campaign.folder / "cluster"
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        fail(f"cannot write {folder}: {error.strerror}.")
    write_whole(folder / "tasks", "".join(f"{campaign.names[k]}\n" for k in campaign.open))
    return folder


# --- Slurm -----------------------------------------------------------------------------------------------

script = """#!/bin/bash
#SBATCH {name}
#SBATCH {here}
#SBATCH {logs}
#SBATCH --ntasks=1 --cpus-per-task=1 --requeue
{more}
{settings}
exec /usr/bin/python3 -B {task} {folder} {what}
"""


def output_of(command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    except OSError as error:
        fail(f"cannot start {command[0]}: {error.strerror}.")
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        fail(f"{command[0]} ended with exit code {done.returncode}: {last}")
    return done.stdout


def submit(path, *words):
    return output_of(["sbatch", "--parsable", *words, str(path)]).strip().split(";")[0]


def word(option, value):
    """For a line of a script, as sbatch reads it: quotes like a shell, but backslashes also within them."""
    return shlex.quote(f"{option}={value}".replace("\\", "\\\\"))


def log_in(folder, name):
    return str(folder.resolve()).replace("%", "%%") + f"/{name}"


def largest_array():
    found = re.search(r"MaxArraySize\s*=\s*(\d+)", output_of(["scontrol", "show", "config"]))
    return max(1, int(found[1]) if found else 1000)


def check_queue(campaign):
    """Runs that wait in a queue are not made here, nor submitted again."""
    path = campaign.folder / "cluster" / "jobs"
    try:
        jobs = path.read_text().split()
    except OSError:
        return
    if not shutil.which("squeue"):
        fail(f"there is no program squeue to tell whether the jobs of this campaign have ended: remove {path} if they "
             "have.")
    queued = set(output_of(["squeue", "--noheader", "--me", "--format=%A %F"]).split()) & set(jobs)
    if queued:
        fail(f"the jobs {', '.join(sorted(queued))} of this campaign are in the queue still: wait until they have "
             "ended, or stop them by scancel.")


def settings():
    """What the programs find their compiled equations and packings by."""
    return "\n".join(f"export {name}={shlex.quote(os.environ[name])}"
                     for name in ("TAMIS_CACHE", "TAMIS_PACKINGS", "OMP_WAIT_POLICY") if name in os.environ)


def on_slurm(campaign, options, wait):
    """Submits what is open; returns the exit code."""
    need("sbatch", "slurm-client")
    folder, count = write_tasks(campaign), len(campaign.open)
    here, most = Path.cwd(), min(largest_array(), max(count, 1))
    common = {"name": word("--job-name", f"tamis-{campaign.plan['model']}"), "here": word("--chdir", here),
              "task": shlex.quote(str(task)),
              "folder": shlex.quote(str(campaign.folder.resolve())), "settings": settings(),
              "more": "\n".join(f"#SBATCH {option}" for option in options)}
    jobs = []

    def note(job):
        jobs.append(job)  # at once: who is killed here leaves none behind that is not known
        write_whole(folder / "jobs", "\n".join(jobs) + "\n")

    for begin in range(0, count, most):
        path = folder / f"array_{begin}.sh"
        line = f'"$(sed -n "$((SLURM_ARRAY_TASK_ID + {begin + 1}))p" {shlex.quote(str((folder / "tasks").resolve()))})"'
        write_whole(path, script.format(**common, logs=word("--output", log_in(folder, "%A_%a.log")), what=line))
        note(submit(path, f"--array=0-{min(most, count - begin) - 1}"))
    path = folder / "collect.sh"
    write_whole(path, script.format(**common, logs=word("--output", log_in(folder, "collect.log")),
                                    what="collect"))
    after = [f"--dependency=afterany:{':'.join(jobs)}"] if jobs else []
    print(f"{count} runs are submitted as {', '.join(jobs) or 'no job'}, the table and the report follow them; "
          f"what they say is in {folder}", flush=True)
    if not wait:
        collect = submit(path, *after)
        note(collect)
        print(f"collect job {collect}; the same command submits what is missing when it has ended")
        return 0
    words = ["sbatch", "--parsable", "--wait", *after, str(path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          stdin=subprocess.DEVNULL) as waiting:
        collect = waiting.stdout.readline().strip().split(";")[0]
        if not collect:
            fail(f"sbatch did not take the job that collects; {', '.join(jobs) or 'nothing'} goes on.")
        note(collect)
        shown = time.monotonic()
        try:
            while waiting.poll() is None:
                time.sleep(0.2)
                if time.monotonic() > shown + 10:
                    shown = time.monotonic()
                    say(f"{len(campaign.jobs) - len(campaign.open)} of {len(campaign.jobs)} runs done")
        except KeyboardInterrupt:
            waiting.kill()
            say(f"the jobs {', '.join(jobs)} go on; the same command submits what is missing when they "
                "have ended")
            return 130
    return 0


# --- GNU parallel ----------------------------------------------------------------------------------------


def on_parallel(campaign, hosts, at_a_time):
    need("parallel", "parallel")
    folder = write_tasks(campaign)
    if not campaign.open:
        return 0
    words = ["parallel", "--will-cite", "--line-buffer", "--retries", "3", "--termseq", "TERM,60000,KILL,500",
             "--joblog", str(folder / "parallel.log"), "--arg-file", str(folder / "tasks")]
    if at_a_time:
        words += ["--jobs", str(at_a_time)]
    exports = " ".join(line.removeprefix("export ") for line in settings().splitlines())
    if hosts:
        words += ["--sshlogin", hosts]
    command = (f"cd {shlex.quote(str(Path.cwd()))} && {exports} exec /usr/bin/python3 -B {shlex.quote(str(task))} "
               f"{shlex.quote(str(campaign.folder.resolve()))} {{}}")
    caught = []
    before = {number: signal.signal(number, lambda number, _: caught.append(number))
              for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        running = subprocess.Popen([*words, command], stdin=subprocess.DEVNULL, start_new_session=True)
        told = 0
        while running.poll() is None:
            if caught and told < 2:  # one ends the queue, the second one the runs
                running.send_signal(signal.SIGTERM)
                told += 1
            time.sleep(0.1)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if caught:
        print("stopped; the same command goes on with what is missing", file=sys.stderr)
        return 128 + caught[0]
    return 0
