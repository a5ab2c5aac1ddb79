"""The files of a run as plots read them, how plots make the runs that they need, and what they are asked."""
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
from frames import fail

root = Path(__file__).resolve().parent.parent


class RunFolder:
    """A run's summary and those of its histories that are named in columns; run["y"] is a column. The summary
    must have the parameters named, or it is that of another model."""

    def __init__(self, folder, model, columns, parameters):
        self.folder = Path(folder)
        if not self.folder.is_dir():
            fail(f"there is no run folder {self.folder}.")
        try:
            self.summary = json.loads(self.text("summary.json"))
            self.parameters = self.summary["parameters"]
            for parameter in parameters:
                self.parameters[parameter]
        except (ValueError, KeyError, TypeError):
            fail(f"{self.folder / 'summary.json'} is not the summary of a {model} run.")
        lines = self.text("histories.csv").splitlines(keepends=True)
        if lines and not lines[-1].endswith("\n") and not self.finished:
            lines.pop()  # the run is still writing it
        header = lines[0].strip().split(",") if lines else []
        for column in columns:
            if column not in header:
                fail(f"{self.folder / 'histories.csv'} has no column '{column}'.")
        if len(lines) < 2:
            fail(f"{self.folder / 'histories.csv'} has no rows.")
        try:
            values = np.loadtxt(lines[1:], delimiter=",", usecols=[header.index(c) for c in columns], ndmin=2)
        except (ValueError, IndexError) as error:
            fail(f"{self.folder / 'histories.csv'} has a row that cannot be read: {error}.")
        self.columns = dict(zip(columns, values.T))

    @property
    def finished(self):
        return self.summary.get("status") == "finished"

    def text(self, name):
        try:
            return (self.folder / name).read_text(errors="replace")
        except OSError as error:
            fail(f"cannot read {self.folder / name}: {error.strerror}.")

    def __getitem__(self, column):
        return self.columns[column]

    def at(self, t, column):
        return np.interp(t, self["t"], self[column])


def matches(folder, options, may_fail=False, may_be_absurd=False):
    """Whether the folder holds a finished and believable run with these options; or one whose result is absurd, or one
    that failed, if it may."""
    try:
        summary = json.loads((folder / "summary.json").read_text())
        status = summary["status"]
        absurd = summary.get("verdict", {}).get("believable") == "no"
        ended = status == "finished" and (may_fail or may_be_absurd or not absurd)
        ended = ended or (may_fail and status.startswith("failed"))
        return ended and options.items() <= summary["parameters"].items()
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def make_run(model, name, folder, options):
    """Starts the model and waits until it has finished."""
    command = [root / "tamis", "run", model, "--quiet", "--out", folder]
    for option, value in options.items():
        command += [f"--{option}", str(value)]
    try:
        status = subprocess.run(command).returncode
    except OSError as error:
        fail(f"cannot start {root / 'tamis'}: {error.strerror}.")
    if status != 0:
        fail(f"the run {name} ended with exit code {status}, for the reason above.")


class Run(NamedTuple):
    """A run that figures need; its name is that of its folder. It may fail or come to an absurd result, or only the
    latter, if that is what it shows or if it is told."""
    name: str
    options: dict
    flags: tuple = ()
    may_fail: bool = False
    may_be_absurd: bool = False


class Job(NamedTuple):
    """A run to be made, unless its folder has it already; by `tamis run`, or by words that start a program."""
    model: str
    run: Run
    folder: Path
    again: bool = False
    program: tuple = ()

    @property
    def name(self):
        return f"{self.model}/{self.run.name}"

    @property
    def parameters(self):
        return {**self.run.options, **{flag: True for flag in self.run.flags}}

    @property
    def there(self):
        return matches(self.folder, self.parameters, self.run.may_fail, self.run.may_be_absurd)

    @property
    def unfinished(self):
        """Whether there is a run with these options to go on with."""
        try:
            summary = json.loads((self.folder / "summary.json").read_text())
            return summary["status"] != "finished" and self.parameters.items() <= summary["parameters"].items()
        except (OSError, ValueError, KeyError, TypeError):
            return False


# In front of a command: it is asked to stop also if whoever started it is killed.
end_with_parent = ["setpriv", "--pdeathsig", "TERM"] if shutil.which("setpriv") else []


class Process:
    """A job that is run, on one thread. It is in a session of its own: a key that is pressed does not reach it. If it
    is killed, for want of memory, say, it goes on where it was, twice at most."""

    def __init__(self, job):
        self.job, self.begin, self.killed = job, time.monotonic(), 0
        self.launch(job.unfinished and not job.again)

    def launch(self, resume):
        program = self.job.program or (root / "tamis", "run", self.job.model)
        command = [*end_with_parent, *program, "--quiet", "--out", self.job.folder,
                   *(f"--{flag}" for flag in self.job.run.flags), *(["--resume"] if resume else [])]
        for option, value in {"threads": 1, **self.job.run.options}.items():
            command += [f"--{option}", str(value)]
        self.resumed, self.errors = resume, tempfile.TemporaryFile("w+", errors="replace")
        try:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                            stderr=self.errors, start_new_session=True)
        except OSError as error:
            fail(f"cannot start {program[0]}: {error.strerror}.")

    @property
    def seconds(self):
        return time.monotonic() - self.begin

    def ended(self):
        """A run that cannot go on from where it was (the program has changed, say) begins anew."""
        if self.process.poll() is None:
            return False
        with self.errors:
            self.errors.seek(0)
            self.said = self.errors.read().strip()
        if self.resumed and self.process.returncode == 1 and "anew" in self.said:
            self.launch(False)
            return False
        if self.process.returncode == -signal.SIGKILL and self.killed < 2:
            self.killed += 1
            say(f"{self.job.name} was killed, and goes on")
            self.launch(self.job.unfinished)
            return False
        return True

    def failure(self):
        """In a sentence, or nothing."""
        code, run = self.process.returncode, self.job.run
        may = {1: run.may_fail, 3: run.may_fail or run.may_be_absurd}.get(code)
        if code == 0 or (may and self.job.there):
            return None
        return f"exit code {code}: {(self.said.splitlines() or ['it said nothing'])[-1]}"

    def send(self, number):
        try:
            if self.process.poll() is None:
                os.killpg(self.process.pid, number)
        except ProcessLookupError:  # it has just ended
            pass


def duration(seconds):
    minutes = round(seconds / 60)
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60:02d} min"


def say(text):
    """A line of its own, also where the line of progress is."""
    print(("\r\033[K" if sys.stdout.isatty() else "") + text, flush=True)


class Progress:
    """Of many runs: one line of a terminal that is written again and again, elsewhere a line for each that ends."""

    def __init__(self, jobs, waiting):
        self.begin, self.count, self.done, self.failed = time.monotonic(), len(jobs), len(jobs) - len(waiting), 0
        self.waiting, self.shown = waiting, 0
        self.took = {}  # seconds of finished runs by model
        missing = {job.folder for job in waiting}
        for job in jobs:
            if job.folder not in missing:
                try:
                    seconds = json.loads((job.folder / "summary.json").read_text())["seconds"]["total"]
                    self.took.setdefault(job.model, []).append(seconds)
                except (OSError, ValueError, KeyError, TypeError):
                    pass

    def expected(self, running):
        """Seconds that a run takes, by model: the mean of those that have finished (of any model if there is none),
        and of those that run longer already."""
        every = sum(self.took.values(), [])
        means = {}
        for model in {job.model for job in self.waiting} | {p.job.model for p in running}:
            times = self.took.get(model, [])
            mean = np.mean(times or every)
            longer = [p.seconds for p in running if p.job.model == model and p.seconds > mean]
            means[model] = np.mean(times + longer) if times or longer else mean
        return means

    def left(self, running):
        """Seconds; rough, since the runs of a model differ."""
        if not self.took:
            return None
        expected = self.expected(running)
        rest = [max(expected[p.job.model] - p.seconds, 0) for p in running]
        return max([(sum(rest) + sum(expected[job.model] for job in self.waiting)) / at_a_time(), *rest])

    def times(self, running):
        left = self.left(running)
        return (f"{duration(time.monotonic() - self.begin)} elapsed, " +
                ("time left unknown" if left is None else f"roughly {duration(left)} left"))

    def text(self, running):
        failed = f", {self.failed} failed" if self.failed else ""
        names = f"; running {', '.join(p.job.name for p in running)}" if running else ""
        return f"{self.done} of {self.count} runs done{failed}, {self.times(running)}{names}"

    def show(self, running):
        if sys.stdout.isatty() and time.monotonic() >= self.shown + 0.5:
            self.shown = time.monotonic()
            print(f"\r\033[K{self.text(running)[:shutil.get_terminal_size().columns - 1]}", end="", flush=True)

    def end(self, process, running):
        failure = process.failure()
        if failure:
            self.failed += 1
            say(f"{process.job.name} failed, {failure}")
        else:
            self.done += 1
            self.took.setdefault(process.job.model, []).append(process.seconds)
        if not sys.stdout.isatty():
            if not failure:
                print(f"{process.job.name} took {duration(process.seconds)}", end="; ")
            print(f"{self.done} of {self.count} runs done, {self.times(running)}", flush=True)
        return failure


def at_a_time():
    return len(os.sched_getaffinity(0))  # of the processors, those that this program may use


def build(models):
    """Once, where its progress can be seen; the runs would wait for each other with it."""
    try:
        status = subprocess.run([root / "tamis", "build", *sorted(models)]).returncode
    except OSError as error:
        fail(f"cannot start {root / 'tamis'}: {error.strerror}.")
    if status:
        fail("the models could not be built, for the reason above.")


def stop(running, caught, patience=60):
    """Lets runs write their checkpoints, until patience ends or the user asks again. Studies do not look at signals
    within a row of their tables; what is killed there loses no more than that."""
    for process in running:
        process.send(signal.SIGTERM)
    end = time.monotonic() + patience
    while any(process.process.poll() is None for process in running):
        if len(caught) > 1 or time.monotonic() > end:
            for process in running:
                process.send(signal.SIGKILL)
                process.process.wait()
        time.sleep(0.05)
    for process in running:
        process.errors.close()


def wait_for_one(running, seconds=0.2):
    """Until one of them ends, or some time is over."""
    ends = []
    try:
        for process in (p.process for p in running if p.process.returncode is None):
            ends.append(os.pidfd_open(process.pid))
        select.select(ends, [], [], seconds)
    except OSError:  # some containers forbid it
        time.sleep(min(seconds, 0.02))
    finally:
        for end in ends:
            os.close(end)


def make_runs(jobs, ended=lambda job, failure: None):
    """Makes the runs that are not there, as many at a time as there are processors, and returns what those said that
    failed, by name. A signal stops the runs, which go on when they are asked for again."""
    waiting = [job for job in jobs if job.again or not job.there]
    if not waiting:
        return {}
    if models := {job.model for job in waiting if not job.program}:
        build(models)
    progress, running, failed, caught = Progress(jobs, waiting), [], {}, []
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    for number, handler in before.items():
        if handler != signal.SIG_IGN:  # as nohup leaves it
            signal.signal(number, lambda number, _: caught.append(number))
    try:
        while waiting or running:
            for process in [p for p in running if p.ended()]:
                running.remove(process)
                failure = None if caught else progress.end(process, running)
                if failure:
                    failed[process.job.name] = failure
                if not caught:
                    ended(process.job, failure)
            if caught:
                say("stopping: runs write their checkpoints (the same key again kills them)")
                stop(running, caught)
                say(f"stopped with {progress.done} of {progress.count} runs done; the same command goes on where they "
                    "are")
                sys.exit(128 + caught[0])
            while waiting and len(running) < at_a_time():
                running.append(Process(waiting.pop(0)))
            if running:
                progress.show(running)
                wait_for_one(running)
    finally:  # whatever ends this: no run is left alone
        stop(running, caught)
        for number, handler in before.items():
            signal.signal(number, handler)
    if sys.stdout.isatty():
        say(progress.text([]))
    return failed


class Runs:
    """The runs that the figures of a model need, each in a folder of its own; those that are missing are made."""

    def __init__(self, model, folder, wanted, again=False):
        self.folder = folder
        failed = make_runs(jobs_of(model, folder, wanted, again))
        if failed:
            fail("\n".join(["these runs failed; the same command tries them again:",
                            *(f"  {name}: {sentence}" for name, sentence in failed.items())]))

    def __call__(self, name):
        return self.folder / name


def jobs_of(model, folder, wanted, again=False):
    """Each run once, though several figures may need it."""
    return list({run.name: Job(model, run, folder / run.name, again) for run in wanted}.values())


def plot_arguments(model, description, words=None, folders=None, add=None, quick=None, partial=False):
    """The arguments of a plot that makes its own runs, of the command line or `words`; its folder is there afterwards.
    `folders` is the help of the folders that may be given instead, if any may; add(parser) adds arguments of this plot;
    `quick` says what a quick plot has, if there is one; `partial`: it can draw what there is."""
    from style import PlotArguments  # which brings the drawing library, long to load
    parser = PlotArguments(model, description)
    if add:
        add(parser)
    if folders:
        parser.add_argument("folders", nargs="*", metavar="RUN", help=folders)
    parser.add_argument("--out", type=Path, default=Path(f"out/{model}_figures"), metavar="DIR",
                        help="folder of the pictures, the tables and the runs they need (default: %(default)s)")
    if quick:
        parser.add_argument("--quick", action="store_true",
                            help=f"for a try-out, in a minute or so, not the published numbers: {quick}")
    if partial:
        parser.add_argument("--only-existing", action="store_true", help="make no runs, and draw those that are there")
    parser.add_argument("--again", action="store_true", help="make the runs again even if they are there")
    arguments = parser.parse_args(words)
    if words is None:
        try:
            arguments.out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            fail(f"cannot make the folder {arguments.out}: {error.strerror}.")
    return arguments


def program_of(model):
    """Where `tamis build` puts the program of a model."""
    return Path(os.environ.get("TAMIS_BUILD", root / "build" / "release")).resolve() / "bin" / model
