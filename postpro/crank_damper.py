"""The crank-driven beam with a particle damper: Figs 14 to 19 and Table 3 of Zhang et al. (2022). Explicit coupling
with inputs of index 1, 2, 3 and original ones, tight coupling, the reduced model, and the whole in one theta-scheme.
Runs that the figures need are made on the way; table.md has amplitudes and costs."""
import sys

import numpy as np
from run_folder import Run, RunFolder, Runs, plot_arguments
from style import blue, green, grey, legend_above, orange, page, purple, red, save, save_text

import matplotlib.pyplot as plt

rho = {"rho-inf": 0.25}  # explicit couplings of a damper that is heavier than what carries it need it
tight = {"coupling": "tight", "cut": "contacts", "coupling-tolerance": 1e-3, "coupling-iterations": 10}
ways = {"index1": {"coupling": "explicit-index1", **rho, "record-every": 1}, "tight": tight, "whole": {},
        "reduced": {"beam": "reduced"}}
lines = {"index1": dict(color=blue, label="explicit, index 1"),
         "tight": dict(color=green, linestyle="--", label="tight"),
         "whole": dict(color=orange, linestyle="-.", label="whole, with the beam"),
         "reduced": dict(color=red, linestyle=":", label="reduced model"),
         "lumped": dict(color=grey, label="lumped mass, reduced")}
thin = {"thickness": 1e-3}
inputs = {"explicit-index1": ("index 1", blue), "explicit-index2": ("index 2", green),
          "explicit-index3": ("index 3", orange), "explicit-original": ("original", purple)}


def arguments(words=None):
    return plot_arguments("crank_damper", __doc__, words, quick="half a second, the beam of 2 mm")


def wanted(chosen):
    return Study(chosen).wanted.values()


class Study:
    def __init__(self, chosen):
        self.quick = chosen.quick
        self.t_end = 0.5 if self.quick else 2.0
        self.wanted, self.runs = {}, None
        lumped = {"particles": "lumped"}
        for name in ("index1", "reduced"):
            self.want(f"lumped_{name}", {**ways[name], **lumped})
        for scheme in inputs:
            name = scheme.removeprefix("explicit-")
            self.want(name, {"coupling": scheme, **rho, "record-every": 1}, may_fail=name != "index1")
        for name, options in ways.items():
            self.want(name, options)
        if not self.quick:
            for name, options in ways.items():
                self.want(f"thin_{name}", {**options, **thin})
            self.want("thin_lumped", {**ways["reduced"], **thin, **lumped})

    def want(self, name, options, may_fail=False):
        self.wanted[name] = Run(name, {"t-end": self.t_end, "threads": 1, **options}, may_fail=may_fail)

    def run(self, name):
        options = self.wanted[name].options
        flexible, grains = options.get("beam") != "reduced", options.get("particles") != "lumped"
        columns = ["t", "y", "v", *(["turn_x", "torque_x"] if flexible else []), *(["com_y"] if grains else [])]
        return RunFolder(self.runs(name), "crank_damper", columns, ["thickness"])


def histories(found, title=None):
    figure, panels = plt.subplots(2, 1, figsize=(page, 3.8), sharex=True)
    for axes, column, factor, label in zip(panels, "yv", (1e3, 1), ("displacement [mm]", "velocity [m/s]")):
        for name, run in found.items():
            axes.plot(run["t"], factor * run[column], linewidth=0.7, **lines[name])
        axes.set_ylabel(label)
    panels[1].set_xlabel("time $t$ [s]")
    legend_above(figure, len(found), panels[0].get_legend_handles_labels()[0])
    return figure, panels


def fig16(found):
    """By tight coupling, and by index 1 beside it, which damps torsion: see docs/cosimulation.md."""
    figure, grid = plt.subplots(2, 2, figsize=(page, 3.4), sharex=True, sharey="row")
    for column, name in zip(grid.T, ("tight", "index1")):
        run, colour = found[name], lines[name]["color"]
        column[0].plot(run["t"], 1e3 * run["turn_x"], color=colour, linewidth=0.6)
        column[1].plot(run["t"], 1e3 * run["torque_x"], color=colour, linewidth=0.6)
        column[0].set_title(lines[name]["label"])
        column[1].set_xlabel("time $t$ [s]")
    grid[0, 0].set_ylabel("rotation [mrad]")
    grid[1, 0].set_ylabel("torque [N mm]")
    return figure


def fig17(study):
    """Accelerations, as differences of velocities, until a coupling diverges."""
    figure, grid = plt.subplots(2, 2, figsize=(page, 3.8))
    found = {}
    for axes, (scheme, (label, colour)) in zip(grid.flat, inputs.items()):
        name = scheme.removeprefix("explicit-")
        run = found[name] = study.run(name)
        t = run["t"]
        if len(t) > 1:
            axes.plot(t[1:], np.diff(run["v"]) / np.diff(t), color=colour, linewidth=0.6)
        axes.set_title(f"{label}{'' if run.finished else ': diverges'}")
        axes.locator_params(axis="x", nbins=4)
    for axes in grid[:, 0]:
        axes.set_ylabel("acceleration [m/s$^2$]")
    for axes in grid[-1]:
        axes.set_xlabel("time $t$ [s]")
    return figure, found


def fig18(found, t_end):
    figure, panels = histories({name: found[name] for name in ("index1", "tight", "whole", "reduced")})
    for axes in panels:
        axes.set_xlim(t_end - 0.2, t_end)
    return figure


def rms(run, column, since):
    x = run[column][run["t"] >= since]
    return float(np.sqrt(np.mean((x - np.mean(x)) ** 2)))


def seconds(run):
    return run.summary.get("seconds", {}).get("total", float("nan"))


def table(study, found, stiffness):
    text = ["| run | thickness [mm] | status | rms y [mm] | rms v [m/s] | rms rotation [mrad] | rms torque [N mm] |"
            " steps take [s] | calls of the nonsmooth side |", "|---|---|---|---|---|---|---|---|---|"]
    for thickness, runs in ((2, found), (1, stiffness)):
        for name, run in runs.items():
            since = study.t_end / 2
            numbers = ["", "", "", ""]
            if run.finished:
                numbers[:2] = [f"{1e3 * rms(run, 'y', since):.3f}", f"{rms(run, 'v', since):.4f}"]
                if "turn_x" in run.columns:
                    numbers[2:] = [f"{1e3 * rms(run, 'turn_x', since):.3g}", f"{1e3 * rms(run, 'torque_x', since):.3g}"]
            status = "finished" if run.finished else f"diverges at {run['t'][-1]:.3g} s"
            calls = run.summary.get("coupling", {}).get("iterations", "")
            text.append(f"| {name} | {thickness} | {status} | " + " | ".join(numbers) +
                        f" | {seconds(run):.2f} | {calls} |")
    return "\n".join(text) + "\n"


def main():
    chosen = arguments()
    study = Study(chosen)
    study.runs = Runs("crank_damper", chosen.out, study.wanted.values(), chosen.again)
    lumped = {name: study.run(f"lumped_{name}") for name in ("index1", "reduced")}
    save(histories(lumped)[0], chosen.out / "z22_fig14.png")
    figure, diverging = fig17(study)
    save(figure, chosen.out / "z22_fig17.png")
    found = {"lumped": lumped["reduced"], **{name: study.run(name) for name in ways}}
    save(histories({name: found[name] for name in ("lumped", "index1", "reduced")})[0], chosen.out / "z22_fig15.png")
    save(fig16(found), chosen.out / "z22_fig16.png")
    save(fig18(found, study.t_end), chosen.out / "z22_fig18.png")
    thinner = {}
    if not study.quick:
        thinner = {name: study.run(f"thin_{name}") for name in [*ways, "lumped"]}
        save(histories({name: thinner[name] for name in ("lumped", "index1", "reduced")})[0],
             chosen.out / "z22_fig19.png")
    save_text(table(study, {**found, **diverging}, thinner), chosen.out / "table.md")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
