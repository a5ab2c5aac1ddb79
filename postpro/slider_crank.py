"""Figures of the slider-crank benchmark: Figs 6 and 7 of Docquier et al. (2020), and what they leave open,
penetration and error against the step size, and the energy. Runs that the figures need are made on the way.

Errors are means over time of |theta1 - reference| and |y - reference|, both continuous through impacts."""
import csv
import sys

import numpy as np
from run_folder import RunFolder, make_run, matches, plot_arguments
from style import (black, blue, fail, green, grey, legend_above, orange, page, red, save, sky, slope_guide,
                   step_axis, zoom)

import matplotlib.pyplot as plt

steps = [1e-4, 5e-5, 2e-5, 1e-5, 5e-6, 2.5e-6]  # s; errors are taken every 0.1 ms, a multiple of each
gaps = ["g1", "g2", "g3", "g4"]
columns = ["t", "theta1", "theta3", "x", "y", "energy", *gaps]


class Run(RunFolder):
    def __init__(self, folder):
        super().__init__(folder, "slider_crank", columns, ["clearance"])
        self.clearance = self.parameters["clearance"]

    def penetration(self):
        return np.maximum(0, -np.min([self[g] for g in gaps], axis=0))

    def impacts(self):
        """Times, impulses and walls (+1 upper, -1 lower) of the impacts, one for each corner."""
        wall_sign = {"upper wall": 1, "lower wall": -1}
        try:
            rows = list(csv.DictReader(self.text("impacts.csv").splitlines()))
            return np.array([[float(r["t"]), float(r["impulse_n"]), wall_sign[r["shape_b"]]] for r in rows]).T
        except (KeyError, TypeError, ValueError) as error:
            fail(f"{self.folder / 'impacts.csv'} is not the list of impacts of a slider_crank run: {error}.")


class Runs:
    """The runs of the figures, each made when first asked for, unless its folder holds it already."""

    def __init__(self, folder, again):
        self.folder, self.again, self.read = folder, again, {}

    def __call__(self, formulation, force, h, record_every=1):
        name = f"{formulation}_{force}_{h:g}"
        if name not in self.read:
            folder = self.folder / name
            options = {"formulation": formulation, "force": force, "h": h, "record-every": record_every}
            if self.again or not matches(folder, options):
                print(f"run {name}", flush=True)
                make_run("slider_crank", name, folder, {**options, "frames": 0})
            self.read[name] = Run(folder)
        return self.read[name]


# --- Figures ---------------------------------------------------------------------------------------------

# Three curves that coincide can all be seen when each is thinner than the one below.
layers = [dict(color=sky, linewidth=3), dict(color=red, linewidth=1.5), dict(color=black, linewidth=0.7)]


def draw_walls(axes, clearance):
    """The slider's centre stays between +clearance and -clearance."""
    for y in (-1e3 * clearance, 1e3 * clearance):
        axes.axhline(y, color=grey, linewidth=1.6, zorder=0)


def draw_trajectory(axes, run, **line):
    axes.plot(1e3 * run["x"], 1e3 * run["y"], **line)


def mark_start(axes, run):
    x, y = 1e3 * run["x"][0], 1e3 * run["y"][0]
    axes.plot(x, y, color=black, marker="o", linestyle="none", zorder=3)
    axes.annotate("start", (x, y), xytext=(4, 0), textcoords="offset points", va="center", fontsize=8)


def draw_mechanism(axes, run, t, alpha):
    """Crank, rod and slider at time t, in mm."""
    theta1, theta3, x, y = (run.at(t, c) for c in ("theta1", "theta3", "x", "y"))
    names = ("slider-length", "slider-height", "crank-length")
    length, height, crank = (1e3 * run.parameters[name] for name in names)
    pin = crank * np.array([np.cos(theta1), np.sin(theta1)])
    slider = 1e3 * np.array([x, y])
    axes.add_patch(plt.Rectangle(slider - [length / 2, height / 2], length, height, angle=np.degrees(theta3),
                                 rotation_point="center", facecolor=sky, edgecolor=blue, alpha=alpha))
    for a, b, colour in (((0, 0), pin, red), (pin, slider, green)):
        axes.plot(*zip(a, b), color=colour, linewidth=4, solid_capstyle="round", alpha=alpha)
    axes.plot(*zip((0, 0), pin, slider), color="white", marker="o", markersize=4.5, markeredgecolor=black,
              linestyle="none", alpha=alpha)


def overview(runs):
    exact = reference(runs)
    figure, (left, right) = plt.subplots(1, 2, figsize=(page, 2.5), width_ratios=(1.4, 1))
    crank = 1e3 * exact.parameters["crank-length"]
    left.add_patch(plt.Circle((0, 0), crank, fill=False, edgecolor=grey, linewidth=0.7, linestyle=":"))
    for t, alpha in ((0.031, 0.2), (0.02, 0.35), (0.0075, 1)):
        draw_mechanism(left, exact, t, alpha)
    wall_at = 1e3 * (exact.parameters["slider-height"] / 2 + exact.clearance)
    for y in (wall_at, -wall_at - 14):
        left.add_patch(plt.Rectangle((95, y), 425, 14, facecolor="#D9D9D9", edgecolor=grey, linewidth=0.7))
    for x, y, name, colour in ((5, -34, "crank", red), (185, 92, "rod", green), (455, -9, "slider", blue)):
        left.text(x, y, name, color=colour)
    left.set_aspect("equal")
    left.set(xlabel="$x$ [mm]", ylabel="$y$ [mm]", xlim=(-165, 525), ylim=(-165, 165))
    left.set_title("(a) crank, rod, and slider in its guide")

    draw_trajectory(right, exact, color=blue)
    draw_walls(right, exact.clearance)
    t, impulse, _ = exact.impacts()
    right.scatter(1e3 * exact.at(t, "x"), 1e3 * exact.at(t, "y"), s=600 * impulse, color=red, linewidth=0,
                  zorder=3)
    mark_start(right, exact)
    right.set(xlabel="slider centre $x$ [mm]", ylabel="slider centre $y$ [mm]", xlim=(None, 500))
    right.set_title("(b) its path in two turns, with impacts")
    return figure


def figure_6(runs):
    chain = runs("chain", "explicit", 1e-5)
    lines = [(chain, "relative coordinates, $h$ = 10 µs", layers[0]),
             (runs("generalized-alpha", "explicit", 1e-5), "generalized-α, $h$ = 10 µs", layers[1]),
             (runs("absolute", "explicit", 2e-6, 5), "absolute coordinates, $h$ = 2 µs", layers[2])]
    figure, (over_x, over_t) = plt.subplots(2, figsize=(page, 4.6))

    def draw(axes):
        for run, label, line in lines:
            draw_trajectory(axes, run, label=label, **line)

    draw(over_x)
    zoom(over_x, (0.42, 0.2, 0.18, 0.42), (227, 247), (0.03, 0.37), draw)
    for run, _, line in lines:
        over_t.plot(1e3 * run["t"], 1e3 * run["y"], **line)
    for axes in (over_x, over_t):
        draw_walls(axes, chain.clearance)
        axes.set_ylabel("slider centre $y$ [mm]")
        axes.margins(x=0.01)
    over_x.set_title("(a) trajectory")
    over_x.set_xlabel("slider centre $x$ [mm]")
    mark_start(over_x, chain)
    over_t.set_title("(b) history")
    over_t.set_xlabel("time $t$ [ms]")
    legend_above(figure, 3, over_x.get_legend_handles_labels()[0])
    return figure


def figure_7(runs):
    labels = {"chain": "chain", "cut-xy": "cut-xy: $x$, $y$ dependent",
              "cut-y": r"cut-y: $x$, $\theta_1$ dependent"}
    figure, both = plt.subplots(1, 2, figsize=(page, 2.8), sharex=True, sharey=True)
    for axes, h, title in zip(both, (1e-5, 1e-4), ("(a) small step", "(b) large step")):
        for (formulation, label), layer in zip(labels.items(), layers):
            run = runs(formulation, "explicit", h)
            draw_trajectory(axes, run, label=label, **layer)
        draw_walls(axes, run.clearance)
        mark_start(axes, run)
        axes.set_title(f"{title}, $h$ = {1e6 * h:g} µs")
        axes.set_xlabel("slider centre $x$ [mm]")
    both[0].set_ylabel("slider centre $y$ [mm]")
    both[0].set_xlim(right=500)
    legend_above(figure, 3, both[0].get_legend_handles_labels()[0])
    return figure


def penetration_figure(runs):
    figure, axes = plt.subplots(figsize=(4.6, 3.3))
    for formulation, force, line in (
            ("chain", "explicit", dict(color=sky, marker="o", linewidth=3, markersize=8)),
            ("cut-xy", "explicit", dict(color=black, marker="x")),
            ("cut-y", "explicit", dict(color=red, marker="s")),
            ("chain", "midpoint", dict(color=green, marker="^"))):
        largest = [1e3 * runs(formulation, force, h).penetration().max() for h in steps]
        axes.loglog(steps, largest, label=f"{formulation}, {force}", **line)
    slope_guide(axes, (2.5e-6, 2e-5), 8e-3, 1)
    step_axis(axes, steps)
    axes.set_ylabel("largest penetration [mm]")
    axes.legend(loc="upper left")
    return figure


def reference(runs):
    """Its slider stays upright to round-off, as the exact one does, since its angle is a coordinate."""
    return runs("cut-y", "midpoint", 2.5e-7, 40)


def convergence_figure(runs):
    exact = reference(runs)
    t_impact = exact.impacts()[0].min() - steps[0]
    t = np.arange(1, 1501) * 1e-4
    free = t[t < t_impact]

    def error(run, column, times):
        return np.mean(np.abs(run.at(times, column) - exact.at(times, column)))

    figure, both = plt.subplots(1, 2, figsize=(page, 3.1), sharex=True)
    for axes, column, scale in zip(both, ("theta1", "y"), (1, 1e3)):
        for force, colour, marker in (("explicit", blue, "o"), ("midpoint", red, "s")):
            for times, fill, line, part in ((t, colour, "-", "two turns"),
                                            (free, "white", "--", "until the first impact")):
                errors = [scale * error(runs("chain", force, h), column, times) for h in steps]
                axes.loglog(steps, errors, color=colour, marker=marker, markerfacecolor=fill, linestyle=line,
                            label=f"{force}, {part}")
        step_axis(axes, steps)
    for axes, first, second in zip(both, (2e-3, 1.2e-2), (8e-8, 4e-6)):
        slope_guide(axes, (5e-6, 2e-5), first, 1)
        slope_guide(axes, (5e-6, 2e-5), second, 2)
    both[0].set_ylabel(r"mean error of crank angle $\theta_1$ [rad]")
    both[1].set_ylabel("mean error of $y$ [mm]")
    legend_above(figure, 2, both[0].get_legend_handles_labels()[0])
    return figure


def energy_figure(runs):
    exact = reference(runs)
    figure, (top, bottom) = plt.subplots(2, figsize=(page, 4.2), sharex=True, height_ratios=(2, 1))
    lines = [(exact, "reference: cut-y, midpoint, 0.25 µs", dict(color=black, linewidth=2)),
             (runs("chain", "midpoint", 1e-5), "chain, midpoint, 10 µs", dict(color=orange, linestyle="--")),
             (runs("chain", "explicit", 1e-5), "chain, explicit, 10 µs", dict(color=blue)),
             (runs("generalized-alpha", "explicit", 1e-5), "generalized-α, 10 µs", dict(color=red)),
             (runs("absolute", "explicit", 2e-6, 5), "absolute, 2 µs", dict(color=green))]

    def draw(axes):
        for run, label, line in lines:
            axes.plot(1e3 * run["t"], run["energy"], label=label, **line)

    draw(top)
    zoom(top, (0.69, 0.64, 0.3, 0.36), (140, 150.5), (7.2248, 7.2328), draw)
    top.set_ylabel("total energy [J]")
    legend_above(top, 3)
    t, impulse, wall = exact.impacts()
    times, same = np.unique(t, return_inverse=True)
    sums = np.bincount(same, wall * impulse)
    bottom.vlines(1e3 * times, 0, sums, color=black)
    bottom.axhline(0, color=grey, linewidth=0.8)
    bottom.yaxis.set_major_formatter(lambda y, _: f"{abs(y):g}")
    for y, name in ((0.96, "upper wall"), (0.04, "lower wall")):
        bottom.text(0.005, y, name, transform=bottom.transAxes, va="top" if y > 0.5 else "bottom", fontsize=8)
    bottom.set_ylabel("impulse [N s]")
    bottom.set_xlabel("time $t$ [ms]")
    bottom.margins(y=0.15)
    bottom.set_xlim(-2, 1e3 * exact["t"][-1] + 2)
    return figure


def comparison(folders):
    """y, energy and penetration of the user's own runs over each other."""
    figure, panels = plt.subplots(3, figsize=(page, 6), sharex=True)
    runs = [Run(folder) for folder in folders]
    for clearance in {run.clearance for run in runs}:
        draw_walls(panels[0], clearance)
    for run, folder in zip(runs, folders):
        t = 1e3 * run["t"]
        panels[0].plot(t, 1e3 * run["y"], label=folder)
        panels[1].plot(t, run["energy"])
        panels[2].plot(t, 1e3 * run.penetration())
    for axes, label in zip(panels, ("slider centre $y$ [mm]", "total energy [J]", "penetration [mm]")):
        axes.set_ylabel(label)
        axes.margins(x=0.01)
    panels[2].set_xlabel("time $t$ [ms]")
    legend_above(panels[0], 1 if len(runs) < 4 else 2)
    return figure


def main():
    arguments = plot_arguments("slider_crank", "Draw the figures of the slider-crank benchmark, or compare runs.",
                               folders="folders of your own runs: draw these over each other, and nothing else")
    if arguments.folders:
        save(comparison(arguments.folders), arguments.out / "compare.png")
        return
    runs = Runs(arguments.out, arguments.again)
    for name, draw in (("overview", overview), ("fig6", figure_6), ("fig7", figure_7),
                       ("penetration", penetration_figure), ("convergence", convergence_figure),
                       ("energy", energy_figure)):
        save(draw(runs), arguments.out / f"{name}.png")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
