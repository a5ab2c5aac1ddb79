"""Two masses by co-simulation: Fig. 11 and Table 1 of Zhang et al. (2020), Figs 8 and 9 of Zhang et al. (2022).
Runs that they need are made on the way; tables.md has the numbers beside the published ones."""
import sys

from run_folder import Run, RunFolder, Runs, plot_arguments
from style import blue, fail, green, grey, legend_above, orange, page, red, save, save_text, slope_guide

import matplotlib.pyplot as plt

# Of Zhang et al. (2020), Table 1: errors and iterations by step, s.
table_1 = {1e-3: (3.23e-2, 1732), 1e-4: (3.29e-3, 13957), 1e-5: (3.30e-4, 87733), 1e-6: (3.30e-5, 367001)}
steps = [1e-2, 1e-3, 1e-4, 1e-5]  # s, of Zhang et al. (2022), Fig. 9
explicit = {"explicit-index1": ("index 1", blue, "o"), "explicit-index2": ("index 2", green, "s"),
            "explicit-index3": ("index 3", orange, "^")}
tight = ("tight", red, "x")


def options(scheme, h, t_end=0.5):
    own = {"coupling-iterations": 10} if scheme == "tight" else {}
    return {"coupling": scheme, "k1": 5000.0, "speed": 0.1, "h": h, "rho-inf": 0.56, "t-end": t_end, "frames": 0, **own}


def steps_of_table_1(quick):
    return [h for h in table_1 if h >= (1e-4 if quick else 0)]


def steps_of_fig9(quick):
    return [h for h in steps if h >= (1e-3 if quick else 0)]


def wanted(chosen):
    tight_end = 0.5 if chosen.quick else 5.0
    runs = [Run(f"fig11_{scheme}", {"coupling": scheme, "k1": 100.0, "speed": 1.0, "h": 1e-4, "rho-inf": 0.6,
                                    "t-end": t_end, "frames": 0})
            for scheme, t_end in (("loose", 0.253), ("tight", tight_end))]
    runs += [Run(f"table1_{h:g}", {"coupling": "tight", "k1": 5000.0, "speed": 1.0, "h": h, "rho-inf": 0.6,
                                   "t-end": 0.1, "coupling-tolerance": 1e-6, "frames": 0})
             for h in steps_of_table_1(chosen.quick)]
    runs.append(Run("explicit-original_0.001", options("explicit-original", 1e-3, 0.12), may_fail=True))
    return runs + [Run(f"{scheme}_{h:g}", options(scheme, h))
                   for scheme in [*explicit, "tight"] for h in steps_of_fig9(chosen.quick)]


def read(folder, columns):
    return RunFolder(folder, "two_masses", columns, ["m1", "k1", "coupling"])


def fig11(runs):
    """Velocity of the first mass; where the loose coupling diverges, as far as it can be seen."""
    figure, both = plt.subplots(1, 2, figsize=(page, 2.4))
    for axes, scheme in zip(both, ("loose", "tight")):
        run = read(runs(f"fig11_{scheme}"), ["t", "v1", "v"])
        axes.plot(run["t"], run["v"], color=grey, linewidth=2.5, alpha=0.6, label="exact")
        axes.plot(run["t"], run["v1"], color=blue, linewidth=0.8, label="co-simulation")
        axes.set(xlabel="time $t$ [s]", title=scheme)
    both[0].set_ylabel("velocity $v_1$ [m/s]")
    legend_above(figure, 2, both[0].get_legend_handles_labels()[0])
    return figure


def errors_of_table_1(runs, of):
    """Rows of h, error of x2, iterations."""
    rows = []
    for h in of:
        run = read(runs(f"table1_{h:g}"), ["error_x2"])
        try:
            rows.append((h, run["error_x2"][-1], run.summary["coupling"]["iterations"]))
        except KeyError:
            fail(f"{run.folder / 'summary.json'} does not say how often a step was repeated.")
    return rows


def fig8(runs):
    """Positions of both masses, in steps of 1 ms."""
    figure, grid = plt.subplots(2, 2, figsize=(page, 3.8), sharex=True)
    panels = [("explicit-original", "original inputs")]
    panels += [(scheme, explicit[scheme][0]) for scheme in reversed(explicit)]
    for axes, (scheme, title) in zip(grid.flat, panels):
        run = read(runs(f"{scheme}_0.001"), ["t", "x1", "x2", "x"])
        axes.plot(run["t"], 1e3 * run["x"], color=grey, linewidth=2.5, alpha=0.6, label="exact")
        axes.plot(run["t"], 1e3 * run["x1"], color=blue, label="$x_1$")
        axes.plot(run["t"], 1e3 * run["x2"], color=red, linestyle=(0, (2, 2)), label="$x_2$")
        axes.set(title=title, ylim=(-4, 4))
    for axes in grid[-1]:
        axes.set_xlabel("time $t$ [s]")
    for axes in grid[:, 0]:
        axes.set_ylabel("position [mm]")
    legend_above(figure, 3, grid[0, 0].get_legend_handles_labels()[0])
    return figure


def errors_of_fig9(runs, of):
    """By scheme: rows of errors x1, v1, x2, v2, one for each step."""
    columns = ["error_x1", "error_v1", "error_x2", "error_v2"]
    errors = {}
    for scheme in [*explicit, "tight"]:
        found = [read(runs(f"{scheme}_{h:g}"), columns) for h in of]
        errors[scheme] = [[run[column][-1] for column in columns] for run in found]
    return errors


def fig9(errors, of):
    figure, both = plt.subplots(1, 2, figsize=(page, 2.8), sharex=True, sharey=True)
    for axes, column, title in zip(both, (0, 1), ("position", "velocity")):
        for scheme, rows in errors.items():
            label, colour, marker = explicit.get(scheme, tight)
            axes.loglog(of, [row[column] for row in rows], color=colour, marker=marker, markerfacecolor="none",
                        label=label)
        slope_guide(axes, (2e-5, 1e-4), 0.006, 1)
        axes.set(xlabel="step $h$ [s]", title=title)
    both[0].set_ylabel("error of the first mass")
    legend_above(figure, 4, both[0].get_legend_handles_labels()[0])
    return figure


def tables(first, errors, of):
    lines = ["| h, s | error of x2 | published | iterations | published |", "|---|---|---|---|---|"]
    lines += [f"| {h:g} | {error:.3g} | {table_1[h][0]:.3g} | {iterations} | {table_1[h][1]} |"
              for h, error, iterations in first]
    lines += ["", "| scheme | h, s | x1 | v1 | x2 | v2 |", "|---|---|---|---|---|---|"]
    for scheme, rows in errors.items():
        lines += [f"| {explicit.get(scheme, tight)[0]} | {h:g} | " + " | ".join(f"{x:.5e}" for x in row) + " |"
                  for h, row in zip(of, rows)]
    return "\n".join(lines) + "\n"


def arguments(words=None):
    return plot_arguments("two_masses", "Draw and tabulate two masses by co-simulation as published.", words,
                          quick="only steps of 0.1 ms and more")


def main():
    chosen = arguments()
    runs = Runs("two_masses", chosen.out, wanted(chosen), chosen.again)
    save(fig11(runs), chosen.out / "z20_fig11.png")
    save(fig8(runs), chosen.out / "z22_fig8.png")
    of = steps_of_fig9(chosen.quick)
    errors = errors_of_fig9(runs, of)
    save(fig9(errors, of), chosen.out / "z22_fig9.png")
    first = errors_of_table_1(runs, steps_of_table_1(chosen.quick))
    save_text(tables(first, errors, of), chosen.out / "tables.md")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
