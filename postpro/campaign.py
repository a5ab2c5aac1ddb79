"""Campaigns: a model at many points of its options. What is varied, the points (a grid or a Latin hypercube), a folder
for each of them, and one table of what came out.

A campaign is its folder: campaign.json has the plan, runs/ the runs, campaign.csv the table. A run counts as made if
its summary says so, whoever made it and whether or not it is believable, so that a campaign goes on after whatever has
stopped it."""
import fcntl
import itertools
import json
import math
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from frames import fail
from model_program import fail_with
from run_folder import Job, Run, make_runs
from whole_file import write_whole

most_points = 1000000


def refuse(text):
    fail_with(2, f"--vary is '{text}': give an option and its values, such as frequency=8,10,12, or frequency=8:15:15 "
                 "for fifteen from 8 to 15, or seed=1..5, and with --lhs frequency=8:15.")


@dataclass
class Axis:
    """An option and its values, or with `values` empty all between two."""
    option: str
    values: list
    low: float = 0
    high: float = 0
    whole: bool = False  # the option takes whole numbers only

    @property
    def numeric(self):
        return not self.values or all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in self.values)

    def at(self, part):
        """The value at a part of the way, 0 to 1."""
        if self.values:
            return self.values[min(int(part * len(self.values)), len(self.values) - 1)]
        if self.whole:
            return min(int(self.low) + int(part * (self.high - self.low + 1)), int(self.high))
        return float(f"{self.low + part * (self.high - self.low):.6g}")

    def samples(self):
        """Values to be tried before all: both ends of numbers, whose limits are ranges, and all others."""
        if not self.values:
            return [self.at(0), self.at(1)]
        return sorted({min(self.values), max(self.values)}) if self.numeric else self.values


def number(word, text):
    try:
        x = float(word)
    except ValueError:
        refuse(text)
    return x if math.isfinite(x) else refuse(text)


def whole(word, text):
    try:
        return int(word)
    except ValueError:
        refuse(text)


def read_axis(text, parameters, hypercube):
    """As C++ reads --vary (src/app/variation.cpp), and for a hypercube also from:to. Values have the type that the
    option has in the parameters of the model."""
    option, equals, rest = text.partition("=")
    option = option.removeprefix("--")
    if not equals or not option or not rest:
        refuse(text)
    if option not in parameters:
        fail_with(2, f"There is no option '--{option}' to be varied; tamis run MODEL --help lists all.")
    kind = type(parameters[option])
    if kind in (bool, str):
        values = rest.split(",")
        if "" in values:
            refuse(text)
        if kind is bool and not set(values) <= {"true", "false"}:
            fail_with(2, f"--{option} takes no value: vary it as {option}=false,true.")
        return Axis(option, list(dict.fromkeys(v == "true" for v in values) if kind is bool else dict.fromkeys(values)))
    axis = Axis(option, [], whole=kind is int)
    dots, colons = rest.split(".."), rest.split(":")
    if len(dots) == 2:
        low, high = whole(dots[0], text), whole(dots[1], text)
        if low > high or high - low >= most_points:
            refuse(text)
        axis.values = list(range(low, high + 1))
    elif len(colons) == 2 and hypercube:
        axis.low, axis.high = number(colons[0], text), number(colons[1], text)
        if axis.low >= axis.high:
            refuse(text)
    elif len(colons) == 3:
        low, high, n = number(colons[0], text), number(colons[1], text), whole(colons[2], text)
        if not 2 <= n <= most_points:
            refuse(text)
        axis.values = [float(f"{low + (high - low) * k / (n - 1):.12g}") for k in range(n)]
    elif len(colons) == 1:
        axis.values = [number(word, text) for word in rest.split(",")]
    else:
        refuse(text)
    if axis.whole:
        if any(v != int(v) for v in axis.values):
            fail_with(2, f"--{option} takes whole numbers, but --vary {text} has others.")
        axis.values = [int(v) for v in axis.values]
    axis.values = list(dict.fromkeys(axis.values))
    return axis


def grid(axes):
    """All combinations, the last option varying fastest."""
    count = math.prod(len(axis.values) for axis in axes)
    if count > most_points:
        fail_with(2, f"These are {count} runs: vary fewer values.")
    return [dict(zip([axis.option for axis in axes], point))
            for point in itertools.product(*(axis.values for axis in axes))]


def latin_hypercube(axes, n, seed):
    """n points: of n equal parts of each range, each has one point, anywhere in it."""
    random = np.random.default_rng(seed)
    columns = [(random.permutation(n) + random.random(n)) / n for _ in axes]
    return [{axis.option: axis.at(part) for axis, part in zip(axes, parts)} for parts in zip(*columns)]


def name_of(point):
    words = [f"{option}_{value:g}" if isinstance(value, float) else f"{option}_{value}" for option, value in
             point.items()]
    return "_".join(words).replace("/", "_")


class Campaign:
    """`plan`: model, program, options of all runs, points, what is asked of the report."""

    def __init__(self, folder, plan):
        self.folder, self.plan = folder, plan
        self.names = [name_of(point) for point in plan["points"]]
        if len(set(self.names)) < len(self.names):  # values too close for their names
            self.names = [f"{k:0{len(str(len(self.names)))}d}_{name}" for k, name in enumerate(self.names, 1)]
        self.jobs = [self.job(name, {**plan["options"], **point}) for name, point in zip(self.names, plan["points"])]
        self.rows = {}

    def job(self, name, options):
        flags = tuple(option for option, value in options.items() if value is True)
        values = {option: value for option, value in options.items() if not isinstance(value, bool)}
        return Job(self.plan["model"], Run(name, values, flags, may_be_absurd=True), self.folder / "runs" / name, False,
                   tuple(self.plan["program"]))

    @classmethod
    def read(cls, folder):
        try:
            return cls(folder, json.loads((folder / "campaign.json").read_text()))
        except (OSError, ValueError, KeyError, TypeError):
            fail(f"{folder / 'campaign.json'} is not the plan of a campaign: start it by tamis sweep.")

    @property
    def open(self):
        """Places of the runs that are not there."""
        return [k for k, job in enumerate(self.jobs) if not job.there]

    def lock(self):
        """One program at a time works on a campaign; the lock ends with it."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self.locked = open(self.folder / ".lock", "a")
            fcntl.flock(self.locked, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            fail(f"another program works on the campaign {self.folder}: wait until it ends, or give another --out.")
        except OSError as error:
            fail(f"cannot write {self.folder}: {error.strerror}.")

    def write_plan(self):
        write_whole(self.folder / "campaign.json", json.dumps(self.plan, indent=1) + "\n")

    def make(self):
        """On this machine; returns what those said that failed, by name. The table is there at any time."""
        self.written = time.monotonic()

        def ended(job, failure):
            if time.monotonic() > self.written + 10:  # a table for each run of many would cost more than the runs
                self.write_table()

        return make_runs(self.jobs, ended)

    def row(self, k):
        """Inputs and outputs of a run, as far as it has come."""
        job, row = self.jobs[k], {"run": self.names[k], **self.plan["points"][k]}
        try:
            summary = json.loads((job.folder / "summary.json").read_text())
            row["status"] = summary["status"].split(":")[0]
            if not job.parameters.items() <= summary["parameters"].items():
                row["status"] = "open"  # of another campaign
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            row["status"] = "open"
        if row["status"] == "finished":
            row["believable"] = summary.get("verdict", {}).get("believable", "unknown")
            row["seconds"] = summary["seconds"]["total"]
            row.update({name: math.nan if value is None else value for name, value in
                        (summary.get("results") or {}).items() if value is None or isinstance(value, (int, float))})
            for column, of in summary.get("columns", {}).items():
                if column != "t":
                    row.update({f"{column}_{what}": of[what] for what in ("last", "mean", "rms", "min", "max")
                                if what in of})
        if row["status"] in ("finished", "failed"):
            self.rows[k] = row
        return row

    def table(self):
        """A row for each point, in their order, and the names of the columns."""
        rows = [self.rows.get(k) or self.row(k) for k in range(len(self.jobs))]
        names = dict.fromkeys(["run", *self.plan["points"][0], "status", "believable", "seconds"])
        for row in rows:
            names.update(dict.fromkeys(row))
        return list(names), rows

    def write_table(self):
        names, rows = self.table()
        lines = [",".join(names)]
        for row in rows:
            lines.append(",".join(cell(row.get(name, "" if name == "believable" else math.nan)) for name in names))
        write_whole(self.folder / "campaign.csv", "\n".join(lines) + "\n")
        self.written = time.monotonic()
        return names, rows


def cell(value):
    text = repr(value) if isinstance(value, float) else str(value)
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in ',"\n') else text


def values_of(rows, name):
    """Of the runs that have finished and are believable, elsewhere nan."""
    def value(row):
        x = row.get(name, math.nan)
        good = row["status"] == "finished" and row.get("believable") != "no"
        return float(x) if good and isinstance(x, (int, float)) else math.nan
    return np.array([value(row) for row in rows])
