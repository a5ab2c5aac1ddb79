"""The files of a run as plots read them, how plots make the runs that they need, and what they are asked."""
import json
import subprocess
from pathlib import Path

import numpy as np
from style import PlotArguments, fail

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


def matches(folder, options, may_fail=False):
    """Whether the folder holds a finished run with these options, or one that failed, if it may."""
    try:
        summary = json.loads((folder / "summary.json").read_text())
        status = summary["status"]
        ended = status == "finished" or (may_fail and status.startswith("failed"))
        return ended and options.items() <= summary["parameters"].items()
    except (OSError, ValueError, KeyError, TypeError):
        return False


def make_run(model, name, folder, options, flags=(), may_fail=False):
    """Starts the model and waits until it has finished; it may end by an error only if that is what it shows."""
    command = [root / "tamis", "run", model, "--quiet", "--out", folder, *(f"--{flag}" for flag in flags)]
    for option, value in options.items():
        command += [f"--{option}", str(value)]
    try:
        status = subprocess.run(command).returncode
    except OSError as error:
        fail(f"cannot start {root / 'tamis'}: {error.strerror}.")
    if status != 0 and not (may_fail and status == 1):
        fail(f"the run {name} ended with exit code {status}, for the reason above.")


class Runs:
    """Runs of a model in folders of their own, made when first asked for, unless they are there already."""

    def __init__(self, model, folder, again):
        self.model, self.folder, self.again = model, folder, again

    def __call__(self, name, options, flags=(), may_fail=False):
        folder = self.folder / name
        if self.again or not matches(folder, {**options, **{flag: True for flag in flags}}, may_fail):
            print(f"run {name}", flush=True)
            make_run(self.model, name, folder, options, flags, **({"may_fail": True} if may_fail else {}))
        return folder


def plot_arguments(model, description, folders=None, add=None, quick=None):
    """The arguments of a plot that makes its own runs; its folder is there afterwards. `folders` is the help of
    the folders that may be given instead, if any may; add(parser) adds arguments of this plot; `quick` says what a
    quick plot has, if there is one."""
    parser = PlotArguments(model, description)
    if add:
        add(parser)
    if folders:
        parser.add_argument("folders", nargs="*", metavar="RUN", help=folders)
    parser.add_argument("--out", type=Path, default=Path(f"out/{model}_figures"), metavar="DIR",
                        help="folder of the pictures, the tables and the runs they need (default: %(default)s)")
    if quick:
        parser.add_argument("--quick", action="store_true", help=f"for a try-out: {quick}")
    parser.add_argument("--again", action="store_true", help="make the runs again even if they are there")
    arguments = parser.parse_args()
    try:
        arguments.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        fail(f"cannot make the folder {arguments.out}: {error.strerror}.")
    return arguments
