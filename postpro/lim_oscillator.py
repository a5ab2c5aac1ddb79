"""Figures of the linear oscillator benchmark: energy over time, and errors over the macro step, of coupling
schemes. Runs that the figures need are made on the way."""
import csv
import sys

from run_folder import Run, RunFolder, Runs, plot_arguments
from style import (black, blue, fail, green, grey, legend_above, orange, page, purple, red, save, sky,
                   slope_guide)

import matplotlib.pyplot as plt

steps = [4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4]  # s
substeps = 5
orders = {0: (red, "held"), 1: (blue, "linear"), 2: (green, "quadratic")}  # inputs within a macro step
schemes = {("jacobi", "no"): ("o", "-", "Jacobi, explicit"),
           ("gauss-seidel", "no"): ("s", "-", "Gauss–Seidel, explicit"),
           ("gauss-seidel", "yes"): ("^", ":", "iterated")}  # Jacobi or Gauss-Seidel: the same solution
# Curves that all but coincide can all be seen when each is thinner than the one below.
curves = [("fs", "jacobi", "no", 0, red, 0.8, "force–motion, Jacobi, held"),
          ("fs", "gauss-seidel", "no", 0, orange, 0.8, "force–motion, Gauss–Seidel, held"),
          ("ss", "jacobi", "no", 0, purple, 3, "motion–motion, Jacobi, held"),
          ("ff", "gauss-seidel", "yes", 0, sky, 0.8, "force–force, iterated, held"),
          ("fs", "gauss-seidel", "no", 1, blue, 1.5, "force–motion, Gauss–Seidel, linear"),
          ("ss", "gauss-seidel", "no", 1, green, 0.5, "motion–motion, Gauss–Seidel, linear")]
panels = {"fs": "force–motion", "ss": "motion–motion", "ff": "force–force"}


def wanted():
    energies = [Run(f"{case}_{variables}_{scheme}_{iterate}_{order}",
                    {"case": str(case), "variables": variables, "scheme": scheme, "iterate": iterate,
                     "extrapolation": order, "substeps": substeps, "H": 1e-3, "t-end": 10.0})
                for case in (1, 2) for variables, scheme, iterate, order, *_ in curves]
    return energies + [Run(f"all_{H:g}", {"H": H, "t-end": 10.0}, ("all",)) for H in steps]


def table(folder):
    """The rows of all schemes, numbers as numbers."""
    path = folder / "table.csv"
    try:
        with path.open() as file:
            rows = [row for row in csv.DictReader(file)]
        for row in rows:
            row["error"] = float(row["error"])
        if not rows:
            fail(f"{path} has no rows.")
        return rows
    except OSError as error:
        fail(f"cannot read {path}: {error.strerror}.")
    except (KeyError, TypeError, ValueError):
        fail(f"{path} is not a table of lim_oscillator --all.")


def select(rows, **wanted):
    found = [row for row in rows if all(row.get(key) == str(value) for key, value in wanted.items())]
    if len(found) != 1:
        fail(f"the table of schemes has {len(found)} rows with {wanted}, but should have one.")
    return found[0]


def energy_figure(runs):
    figure, both = plt.subplots(1, 2, figsize=(page, 2.8), sharex=True, sharey=True)
    for axes, case in zip(both, (1, 2)):
        for variables, scheme, iterate, order, colour, width, label in curves:
            folder = runs(f"{case}_{variables}_{scheme}_{iterate}_{order}")
            run = RunFolder(folder, "lim_oscillator", ["t", "energy"], ["variables", "extrapolation"])
            axes.plot(run["t"], run["energy"] / 1e3, color=colour, linewidth=width, label=label)
        exact = run.summary["results"]["exact_energy_at_end"] / 1e3
        axes.plot(run["t"][-1], exact, color=black, marker="o", markersize=5, linestyle="none",
                  markerfacecolor="white", label="exact at the end", clip_on=False, zorder=4)
        axes.set(xlabel="time $t$ [s]", ylim=(3, 14.5))
        axes.set_title(f"case {case}: " + ("no damping" if case == 1 else "damped"))
        axes.margins(x=0.01)
    both[0].set_ylabel("energy [kJ]")
    legend_above(figure, 2, both[0].get_legend_handles_labels()[0])
    return figure


def error_figure(runs):
    tables = {H: table(runs(f"all_{H:g}")) for H in steps}
    figure, columns = plt.subplots(1, 3, figsize=(page, 3.1), sharex=True, sharey=True)
    for axes, (variables, title) in zip(columns, panels.items()):
        for order, (colour, name) in orders.items():
            for (scheme, iterated), (marker, line, label) in schemes.items():
                errors = [100 * select(tables[H], case=1, variables=variables, scheme=scheme, iterated=iterated,
                                       substeps=substeps, extrapolation=order)["error"] for H in steps]
                axes.loglog(steps, errors, color=colour, marker=marker, linestyle=line, markerfacecolor="white",
                            markersize=4, label=f"{label}, {name}")
            if order == 0:  # fills the first column of the legend
                whole = [100 * select(tables[H], case=1, variables="monolithic")["error"] for H in steps]
                axes.loglog(steps, whole, color=grey, linewidth=2.5, alpha=0.6, zorder=0,
                            label="monolithic, one rate")
        axes.set_title(title)
        axes.set_xlabel("macro step $H$ [ms]")
        axes.set_xticks(steps, [f"{1e3 * H:g}" for H in steps])
        axes.set_xticks([], minor=True)
    slope_guide(columns[1], (3e-4, 6e-4), 8, 1)
    slope_guide(columns[1], (1e-3, 2e-3), 0.01, 2)
    columns[0].set_ylabel(f"error, 1:{substeps}, case 1 [%]")
    legend_above(figure, 3, columns[0].get_legend_handles_labels()[0])
    return figure


def main():
    arguments = plot_arguments("lim_oscillator", "Draw energies and errors of coupling schemes.")
    runs = Runs("lim_oscillator", arguments.out, wanted(), arguments.again)
    save(energy_figure(runs), arguments.out / "energy.png")
    save(error_figure(runs), arguments.out / "errors.png")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
