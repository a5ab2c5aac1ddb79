"""Figures of the tamping machine: Figs 10 and 11 of Docquier et al. (2020), the quality of the steps, and
which of the paper's conclusions the runs bear out. Runs that are missing are made first. Cases may be run in several
beds (seeds of the ballast): curves are then their mean, in a band from the lowest to the highest.

Means are over one period of the vibration, 1/frequency; a running mean is that around each time."""
import csv
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from run_folder import RunFolder, make_run
from style import (PlotArguments, black, blue, fail, green, grey, legend_above, page, red,
                   save)

import matplotlib.pyplot as plt

columns = ["t", "chassis_z", "elongation", "target_elongation", "actuator_force", "tip1_z", "tip2_z", "stage",
           "loop_error", "contacts", "sweeps", "residual_rms", "penetration"]
diving, squeezing = 1, 2  # phases; of `stage` also 0, held above
arrived = 0.01  # m, above the height that all cases dive to

# Options that may differ between runs that are compared: they do not enter the results, or name the case.
free_options = {"frequency", "drive", "seed", "out", "frames", "record-every", "checkpoint-every", "resume",
                "no-output", "quiet", "verbose", "threads"}


@dataclass
class Case:
    folder: str
    frequency: float  # Hz
    drive: str
    line: dict

    def place(self, folder, seed):
        """Where the run in a bed is."""
        return folder / (self.folder if seed == 1 else f"{self.folder}_seed{seed}")

    def __str__(self):
        return f"{self.frequency:g} Hz {self.drive}"


cases = [Case("15", 15, "dynamic", dict(color=blue)), Case("30", 30, "dynamic", dict(color=red)),
         Case("45", 45, "dynamic", dict(color=green)),
         Case("15_imposed", 15, "imposed", dict(color=blue, linestyle=":"))]


# --- Measures --------------------------------------------------------------------------------------------


def integral(t, y):
    """From t[0] to each t, by the trapezoidal rule."""
    return np.concatenate([[0], np.cumsum(np.diff(t) * (y[1:] + y[:-1]) / 2)])


def running_mean(t, y, period):
    """Times whose period around them lies between the first time and the last, and the means over it."""
    slack = 1e-9 * period
    middle = t[(t - period / 2 >= t[0] - slack) & (t + period / 2 <= t[-1] + slack)] if len(t) else t
    if len(middle) == 0:
        return middle, middle
    total = integral(t, y)
    return middle, (np.interp(middle + period / 2, t, total) - np.interp(middle - period / 2, t, total)) / period


def last_mean(t, y, period):
    """Mean over the last period; nan if there is less than that."""
    if len(t) < 2 or t[-1] - t[0] < period * (1 - 1e-9):
        return np.nan
    total = integral(t, y)
    return (total[-1] - np.interp(t[-1] - period, t, total)) / period


class Run(RunFolder):
    def __init__(self, folder, case, seed=1):
        super().__init__(folder, "tamping", columns, ["frequency", "drive", "tolerance"])
        self.case, self.seed = case, seed
        self.period = 1 / case.frequency
        if (self.parameters["frequency"], self.parameters["drive"]) != (case.frequency, case.drive):
            fail(f"{self.folder} holds a run of {self.parameters['frequency']} Hz {self.parameters['drive']}, not "
                 f"of {case}: move it, or give another folder by --runs.")
        if self.parameters.get("seed", 1) != seed:
            fail(f"{self.folder} holds a run in the bed of --seed {self.parameters['seed']:g}, not of {seed}: move it, "
                 "or give another folder by --runs.")

    def phase(self, phase, *names):
        """Columns while the machine dives, or squeezes. The actuator's target parts the two: the support is held
        before, as soon as it has come down, but the chassis on its springs goes on."""
        target = self["target_elongation"]
        moved = np.flatnonzero(target != target[0])
        start = moved[0] - 1 if len(moved) else len(target)  # the last moment of the target at its first value
        row = np.arange(len(target))
        rows = row >= start if phase == squeezing else (row < start) & (self["stage"] >= diving)
        return [self[name][rows] for name in names]

    def dive_end(self):
        """Mean height of the chassis at the end of the dive; nan if the run has not come to it."""
        t, z = self.phase(diving, "t", "chassis_z")
        return last_mean(t, z, self.period) if len(t) and self["t"][-1] > t[-1] else np.nan

    def time_to_depth(self, height):
        """From the start of the dive until the running mean of the chassis height is close to this one, or below.
        What precedes the dive may be in a mean, what follows may not."""
        t, = self.phase(diving, "t")
        until = self["t"] <= t[-1]
        middle, mean = running_mean(self["t"][until], self["chassis_z"][until], self.period)
        there = middle[(middle >= t[0]) & (mean <= height + arrived)]
        return there[0] - t[0] if len(there) else np.nan

    def measures(self, common_height=None):
        """By the names of the CSV file, in SI units; nan for what the run has not come to. The time to depth is
        that to the common height, which the cases that are compared all reach, or to the run's own."""
        found = dict.fromkeys(["time_to_depth", "tip_height", "elongation", "squeeze", "mean_force", "peak_force"],
                              np.nan)
        t, tip1, tip2 = self.phase(diving, "t", "tip1_z", "tip2_z")
        if len(t) and self["t"][-1] > t[-1]:
            found["time_to_depth"] = self.time_to_depth(self.dive_end() if common_height is None else common_height)
            found["tip_height"] = last_mean(t, (tip1 + tip2) / 2, self.period)
        t, elongation, target, force = self.phase(squeezing, "t", "elongation", "target_elongation",
                                                  "actuator_force")
        if len(t) > 1 and self.finished:
            found["elongation"] = last_mean(t, elongation, self.period)
            # Towards the target, whether the actuator grows or shrinks to squeeze.
            found["squeeze"] = np.sign(target[-1] - elongation[0]) * (found["elongation"] - elongation[0])
            found["mean_force"] = integral(t, force)[-1] / (t[-1] - t[0])
            mean = running_mean(t, force, self.period)[1]
            found["peak_force"] = mean[np.argmax(np.abs(mean))] if len(mean) else np.nan
        after_steps = self["t"] > 0  # the first line is the start
        within = self["residual_rms"][after_steps] <= self.parameters["tolerance"]
        found["within_tolerance"] = np.mean(within) if len(within) else np.nan
        found["minutes"] = self.summary.get("seconds", {}).get("total", np.nan) / 60 if self.finished else np.nan
        found["loop_error"] = np.max(self["loop_error"])
        found["penetration"] = np.max(self["penetration"])
        return found


# --- Runs ------------------------------------------------------------------------------------------------


def read_runs(folder, only_existing, beds=1):
    """The runs of the cases, bed by bed, those that are missing made before."""
    runs = []
    for seed, case in [(seed, case) for seed in range(1, beds + 1) for case in cases]:
        place = case.place(folder, seed)
        there = (place / "summary.json").exists()
        if not there and only_existing:
            continue
        if not there:
            print(f"run {case} into {place}: a quarter of an hour or so", flush=True)
            start = time.monotonic()
            make_run("tamping", place.name, place, {"frequency": f"{case.frequency:g}", "drive": case.drive,
                                                    "frames": 200, **({"seed": seed} if seed > 1 else {})})
            print(f"run {case} took {(time.monotonic() - start) / 60:.0f} min", flush=True)
        run = Run(place, case, seed)
        if not run.finished and not only_existing:
            fail(f"the run in {place} is not finished (status: {run.summary.get('status')}): wait for it, go on with "
                 "it by ./tamis run with --resume, or draw what there is by --only-existing.")
        runs.append(run)
    if not runs:
        fail(f"there are no runs in {folder}: without --only-existing they are made.")
    return runs


def tell_differences(runs):
    """A line for each option in which the runs differ and should not, or a measure is not the whole."""
    names = sorted(set().union(*(run.parameters for run in runs)) - free_options)
    for name in names:
        values = [run.parameters.get(name) for run in runs]
        if any(value != values[0] for value in values):
            print(f"note: the runs differ in --{name}: "
                  + ", ".join(f"{run.folder.name} {value}" for run, value in zip(runs, values)))
    for run in runs:
        if not run.finished:
            print(f"note: {run.folder} is not finished: {run['t'][-1]:g} s are there")
        elif run.parameters.get("resume"):
            print(f"note: {run.folder} was resumed; its minutes are those since then")


# --- Figures ---------------------------------------------------------------------------------------------


def by_case(runs):
    """The cases that were run, and their runs."""
    found = [(case, [run for run in runs if run.case is case]) for case in cases]
    return [(case, beds) for case, beds in found if beds]


def draw(axes, case, curves, **more):
    """The mean of curves (t, y) while all of them last, in a band between the lowest and the highest."""
    t = min((t for t, _ in curves), key=lambda t: t[-1] if len(t) else -np.inf)
    y = np.array([np.interp(t, *curve) for curve in curves]) if len(t) else np.zeros((1, 0))
    if len(curves) > 1:
        axes.fill_between(t, y.min(axis=0), y.max(axis=0), color=case.line["color"], alpha=0.2, linewidth=0)
    axes.plot(t, y.mean(axis=0), **case.line, **more)


def figure_10(runs):
    figure, axes = plt.subplots(figsize=(page, 3.2))
    for case, beds in by_case(runs):
        draw(axes, case, [(run["t"], 1e3 * run["chassis_z"]) for run in beds], label=str(case))
        for run in beds:
            t, z = run.phase(squeezing, "t", "chassis_z")
            if len(t):
                axes.plot(t[0], 1e3 * z[0], marker="o", color=case.line["color"])
    axes.set(xlabel="time $t$ [s]", ylabel="height of the chassis [mm]")
    axes.set_title("dots: the actuator begins to squeeze", fontsize=8, color=grey)
    axes.margins(x=0.01)
    legend_above(figure, len(by_case(runs)))
    return figure


def figure_11(runs):
    figure, (left, right) = plt.subplots(1, 2, figsize=(page, 3), sharex=True)
    for case, beds in by_case(runs):
        lengths, forces = [], []
        for run in beds:
            t, elongation, force = run.phase(squeezing, "t", "elongation", "actuator_force")
            lengths.append((t, 1e3 * elongation))
            middle, mean = running_mean(t, force, run.period)
            forces.append((middle, 1e-3 * mean))
            if len(beds) == 1:
                right.plot(t, 1e-3 * force, color=case.line["color"], linewidth=0.5, alpha=0.2, zorder=1)
        draw(left, case, lengths, label=str(case))
        draw(right, case, forces)
    t, target = runs[0].phase(squeezing, "t", "target_elongation")
    left.plot(t, 1e3 * target, color=grey, linestyle="--", linewidth=0.9, label="target", zorder=0)
    left.set_title("(a) elongation of the actuator")
    left.set_ylabel("elongation [mm]")
    right.set_title("(b) its force, mean over a period")
    right.set_ylabel("force [kN]")
    for axes in (left, right):
        axes.set_xlabel("time $t$ [s]")
        axes.margins(x=0.01)
    legend_above(figure, len(by_case(runs)) + 1, left.get_legend_handles_labels()[0])
    return figure


def quality_figure(runs):
    """Faint: each step; lines: means over a period."""
    figure, panels = plt.subplots(4, figsize=(page, 7), sharex=True)
    for run in runs:
        depth = run["penetration"] / run.summary["grains"]["mean_size_m"]
        for axes, y in zip(panels, (run["contacts"], run["sweeps"], run["residual_rms"], depth)):
            axes.plot(run["t"], y, color=run.case.line["color"], linewidth=0.4, alpha=0.15, zorder=1)
            axes.plot(*running_mean(run["t"], y, run.period), label=str(run.case) if run.seed == 1 else None,
                      **run.case.line)
    tolerances = {run.parameters["tolerance"] for run in runs}
    for tolerance in tolerances:
        panels[2].axhline(tolerance, color=black, linestyle="--", linewidth=0.9)
        panels[2].annotate("tolerance", (0.995, tolerance), xycoords=("axes fraction", "data"), xytext=(0, 2),
                           textcoords="offset points", ha="right", va="bottom", fontsize=8)
    panels[2].set_yscale("log", nonpositive="mask")  # zero without contacts
    panels[2].set_ylim(bottom=1e-3 * min(tolerances))
    for axes, label in zip(panels, ("contacts", "sweeps per step", "residual (rms)", "penetration / grain size")):
        axes.set_ylabel(label)
        axes.margins(x=0.01)
    panels[3].set_xlabel("time $t$ [s]")
    legend_above(panels[0], len(by_case(runs)))
    return figure


# --- Conclusions -----------------------------------------------------------------------------------------

# heading, format, factor from SI
table = {"time_to_depth": ("common depth after [s]", ".3f", 1), "tip_height": ("tips at z [mm]", ".1f", 1e3),
         "elongation": ("elongation [mm]", ".2f", 1e3), "mean_force": ("mean force [kN]", ".2f", 1e-3),
         "peak_force": ("peak [kN]", ".2f", 1e-3), "within_tolerance": ("in tolerance [%]", ".1f", 100),
         "minutes": ("minutes", ".1f", 1), "loop_error": ("loop error [m]", ".1e", 1),
         "penetration": ("penetration [mm]", ".3f", 1e3)}


@dataclass
class Claim:
    """That a measure is smaller (-1) or larger (+1) in the first case than in the second."""
    text: str
    first: str
    second: str
    measure: str
    sign: int

    def judge(self, measures):
        """From measures by (case, bed): yes, no, or open, by the means over the beds in which both cases were run;
        the means; their standard deviations; the beds in which it holds; all these beds."""
        values = [[measures.get((case, seed), {}).get(self.measure, np.nan) for case in (self.first, self.second)]
                  for seed in sorted({seed for _, seed in measures})]
        values = np.array([pair for pair in values if not np.any(np.isnan(pair))]).reshape(-1, 2)
        if len(values) == 0:
            return "open", (np.nan, np.nan), (np.nan, np.nan), 0, 0
        if self.measure == "mean_force":
            values = np.abs(values)
        mean = values.mean(axis=0)
        deviation = values.std(axis=0, ddof=1) if len(values) > 1 else np.zeros(2)
        in_beds = int(np.sum(self.sign * (values[:, 0] - values[:, 1]) > 0))
        return "yes" if self.sign * (mean[0] - mean[1]) > 0 else "no", mean, deviation, in_beds, len(values)


claims = [Claim("imposed 15 Hz dives faster than dynamic 15 Hz", "15_imposed", "15", "time_to_depth", -1),
          Claim("imposed 15 Hz dives deeper than dynamic 15 Hz", "15_imposed", "15", "tip_height", -1),
          Claim("imposed 15 Hz squeezes more than dynamic 15 Hz", "15_imposed", "15", "squeeze", 1),
          Claim("imposed 15 Hz squeezes with a lower force than dynamic 15 Hz", "15_imposed", "15", "mean_force", -1)]
for faster in ("30", "45"):
    claims += [Claim(f"{faster} Hz dives deeper than 15 Hz", faster, "15", "tip_height", -1),
               Claim(f"{faster} Hz squeezes more than 15 Hz", faster, "15", "squeeze", 1),
               Claim(f"{faster} Hz squeezes with less force than 15 Hz", faster, "15", "mean_force", -1)]


def shown(value, layout):
    return "-" if np.isnan(value) else f"{value:{layout}}"


def print_table(rows):
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    for row in rows:
        print("  ".join([row[0].ljust(widths[0])] + [cell.rjust(w) for cell, w in zip(row[1:], widths[1:])]))


def write_csv(path, rows):
    try:
        with open(path, "w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)
    except OSError as error:
        fail(f"cannot write {path}: {error.strerror}.")
    print(path)


def conclusions(runs, folder):
    """Prints what the cases came to and whether the claims hold, and writes cases.csv and conclusions.csv."""
    ends = [run.dive_end() for run in runs]
    common = np.nan if np.all(np.isnan(ends)) else np.nanmax(ends)
    measures = {(run.case.folder, run.seed): run.measures(common) for run in runs}
    print()
    print_table([["case", "bed", *(heading for heading, _, _ in table.values())]]
                + [[str(run.case), str(run.seed), *(shown(measures[run.case.folder, run.seed][name] * factor, layout)
                                                    for name, (_, layout, factor) in table.items())] for run in runs])
    print()
    verdicts = [(claim, *claim.judge(measures)) for claim in claims]
    for claim, verdict, mean, deviation, in_beds, beds in verdicts:
        unit, factor = {"time_to_depth": ("s", 1), "mean_force": ("kN", 1e-3)}.get(claim.measure, ("mm", 1e3))
        a, b = (f"{factor * m:.4g}" + (f" ± {factor * d:.2g}" if beds > 1 else "") for m, d in zip(mean, deviation))
        numbers = "" if beds == 0 else f"   ({a} against {b} {unit}" + (f", in {in_beds} of {beds} beds)"
                                                                        if beds > 1 else ")")
        print(f"{verdict:>4}  {claim.text}{numbers}")
    print()
    names = list(next(iter(measures.values())))
    write_csv(folder / "cases.csv",
              [["case", "bed", "frequency", "drive", "status", *names]]
              + [[run.case.folder, run.seed, run.case.frequency, run.case.drive, run.summary.get("status"),
                  *(measures[run.case.folder, run.seed][name] for name in names)] for run in runs])
    write_csv(folder / "conclusions.csv",
              [["conclusion", "holds", "measure", "first", "second", "first_deviation", "second_deviation", "in_beds",
                "beds"]]
              + [[claim.text, verdict, claim.measure, *mean, *deviation, in_beds, beds]
                 for claim, verdict, mean, deviation, in_beds, beds in verdicts])


def main():
    parser = PlotArguments(
        "tamping", "Draw the figures of the tamping machine and judge the paper's conclusions. Runs that are missing "
                   "are made, which takes a quarter of an hour or so each.")
    parser.add_argument("--runs", type=Path, default=Path("out/tamping"), metavar="FOLDER",
                        help="folder of the runs 15, 30, 45 and 15_imposed, in other beds 15_seed2 ... (default: "
                             "%(default)s)")
    parser.add_argument("--beds", type=int, choices=range(1, 100), default=1, metavar="N",
                        help="beds of each case, by --seed 1 ... N (default: %(default)s)")
    parser.add_argument("--only-existing", action="store_true",
                        help="make no runs; draw those that are there, finished or not")
    parser.add_argument("--out", type=Path, default=Path("out/tamping_figures"), metavar="DIR",
                        help="folder of the pictures and tables (default: %(default)s)")
    arguments = parser.parse_args()
    try:
        arguments.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        fail(f"cannot make the folder {arguments.out}: {error.strerror}.")

    runs = read_runs(arguments.runs, arguments.only_existing, arguments.beds)
    tell_differences(runs)
    save(figure_10(runs), arguments.out / "fig10.png")
    squeezed = [run for run in runs if len(run.phase(squeezing, "t")[0]) > 1]
    if squeezed:
        save(figure_11(squeezed), arguments.out / "fig11.png")
    else:
        print("note: no run has come to squeezing yet, so there is no Fig. 11")
    save(quality_figure(runs), arguments.out / "quality.png")
    conclusions(runs, arguments.out)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
