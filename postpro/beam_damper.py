"""A cantilever with a particle damper, after Biondani et al. (2022): transfer functions at controlled accelerations
(Fig. 11), and methods compared: damping ratios by level, and transfer functions at 2 g (Fig. 12). Sweeps that they need
are made on the way, in hours; --only-existing draws those that are in folders of --out, whatever they are called."""
import json
import sys

import numpy as np
from run_folder import Run, Runs, plot_arguments
from style import blue, fail, green, grey, legend_above, orange, page, red, save, save_text

import matplotlib.pyplot as plt

levels = [0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.25, 2.5]  # rms acceleration over g
methods = {"dem_loose": ("dem, loose", {"method": "dem", "coupling": "loose"}, blue, "o"),
           "dem": ("dem, monolithic", {"method": "dem", "coupling": "monolithic"}, green, "s"),
           "nonsmooth_loose": ("nonsmooth, loose", {"method": "moreau-jean", "coupling": "loose"}, orange, "^"),
           "nonsmooth": ("nonsmooth, monolithic", {"method": "moreau-jean", "coupling": "monolithic"}, red, "v")}
draws_what_is_there = True
published = {"experiment": 1.31, "dem, directional": 2.32, "dem, elastic": 2.40}  # %, at 0.75 g, Sect. 3.5.3


class Sweep:
    """The transfer function of a sweep, and the damping ratio that it came to, NaN if none."""

    def __init__(self, folder):
        try:
            results = json.loads((folder / "summary.json").read_text())["results"]
            self.damping = 100 * results["damping"] if "damping" in results else float("nan")
            rows = np.loadtxt(folder / "response.csv", delimiter=",", skiprows=1, ndmin=2)
            self.frequency, self.gain = rows[:, 0], rows[:, 3]
        except (OSError, ValueError, KeyError, IndexError):
            fail(f"{folder} holds no sweep of beam_damper.")


def own_arguments(parser):
    parser.add_argument("--methods", nargs="+", default=["dem_loose", "nonsmooth_loose"], choices=list(methods),
                        help="to compare; monolithic ones take 4 times as long (nonsmooth) and 30 times (dem) "
                             "(default: both loose ones)")


def arguments(words=None):
    return plot_arguments("beam_damper", __doc__, words, add=own_arguments, partial=True,
                          quick="two levels, 10 balls, three frequencies, steps of 1 ms")


def needed(chosen):
    """Sweeps by method and level."""
    size = {"balls": 120, "points": 26, "from": 5.5, "to": 8.0, "steady": 10, "longest": 100, "h": 2e-4}
    if chosen.quick:
        size = {"balls": 10, "points": 3, "from": 6.4, "to": 7.4, "steady": 2, "longest": 20, "h": 1e-3}
    return {(name, level): Run(f"{name}_{level:g}", {**methods[name][1], "acceleration": level, **size},
                               ("stepped-sine",))
            for name in chosen.methods for level in ([0.75, 2.0] if chosen.quick else levels)}


def wanted(chosen):
    return needed(chosen).values()


def existing(folder, of):
    """The finished sweeps in a folder, whatever they are called."""
    found = {}
    for path in sorted(folder.glob("*/summary.json")):
        try:
            summary = json.loads(path.read_text())
            options = summary["parameters"]
            if summary["status"] != "finished" or not options["stepped-sine"] or options["particles"] != "grains":
                continue
            for name in of:
                if methods[name][1].items() <= options.items():
                    found[name, options["acceleration"]] = Sweep(path.parent)
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return dict(sorted(found.items(), key=lambda item: (list(methods).index(item[0][0]), item[0][1])))


def methods_in(sweeps):
    return list(dict.fromkeys(name for name, _ in sweeps))


def levels_in(sweeps, name=None):
    return sorted({level for method, level in sweeps if name in (None, method)})


def transfer_functions(sweeps):
    """Of each method, at all levels."""
    names, all_levels = methods_in(sweeps), levels_in(sweeps)
    figure, panels = plt.subplots(1, len(names), figsize=(page, 2.8), sharey=True, squeeze=False)
    lines = {}
    for axes, name in zip(panels[0], names):
        for level in levels_in(sweeps, name):
            sweep = sweeps[name, level]
            lines[level], = axes.plot(sweep.frequency, sweep.gain, label=f"{level:g} g",
                                      color=plt.cm.viridis(all_levels.index(level) / len(all_levels)))
        axes.set(title=methods[name][0], xlabel="frequency [Hz]")
    panels[0][0].set_ylabel("acceleration over force [1/kg]")
    legend_above(figure, 5, [lines[level] for level in all_levels])
    return figure


def comparison(sweeps, level=2.0):
    """Damping ratios of all methods, and their transfer functions at one level."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(page, 3))
    for name in methods_in(sweeps):
        title, _, colour, marker = methods[name]
        of = levels_in(sweeps, name)
        left.plot(of, [sweeps[name, x].damping for x in of], color=colour, marker=marker, label=title)
        if (name, level) in sweeps:
            right.plot(sweeps[name, level].frequency, sweeps[name, level].gain, color=colour, label=title)
    left.plot([0.75] * len(published), list(published.values()), color=grey, linestyle="", marker="x",
              label="published, 0.75 g")
    left.set(xlabel="rms acceleration over g", ylabel="damping ratio [%]", ylim=(0, None), title="(a)")
    right.set(xlabel="frequency [Hz]", ylabel="acceleration over force [1/kg]", title=f"(b) {level:g} g")
    left.legend()
    return figure


def table(sweeps):
    names = methods_in(sweeps)
    lines = ["| acceleration [g] | " + " | ".join(methods[name][0] for name in names) + " |",
             "|---" * (len(names) + 1) + "|"]
    for level in levels_in(sweeps):
        cells = [f"{sweeps[name, level].damping:.2f}" if (name, level) in sweeps else "" for name in names]
        lines.append(f"| {level:g} | " + " | ".join(cells) + " |")
    return "Damping ratio [%] by half-power points.\n\n" + "\n".join(lines) + "\n"


def main():
    chosen = arguments()
    if chosen.only_existing:
        sweeps = existing(chosen.out, chosen.methods)
        if not sweeps:
            fail(f"there are no finished sweeps by {', '.join(chosen.methods)} in {chosen.out}: without "
                 "--only-existing they are made.")
    else:
        runs = Runs("beam_damper", chosen.out, wanted(chosen), chosen.again)
        sweeps = {key: Sweep(runs(run.name)) for key, run in needed(chosen).items()}
    save(transfer_functions(sweeps), chosen.out / "b22_fig11.png")
    save(comparison(sweeps), chosen.out / "b22_fig12.png")
    save_text(table(sweeps), chosen.out / "table.md")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
