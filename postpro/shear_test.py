"""The fast shear test of Biondani et al. (2022), Fig. 6: shear force over the normal force at the start of the shear,
against the shift, mean and spread over several beds. Runs that it needs are made on the way, on one thread each;
table.md has the means."""
import sys

import numpy as np
from run_folder import Run, RunFolder, Runs, plot_arguments
from style import blue, green, legend_above, page, red, save, save_text

import matplotlib.pyplot as plt

columns = ["t", "shift", "shear", "normal"]
methods = {
    "dem_elastic": ("DEM, elastic", blue, {"method": "dem", "friction-model": "elastic"}),
    "dem_directional": ("DEM, directional", green, {"method": "dem", "friction-model": "directional"}),
    "compliant": ("nonsmooth, compliant", red, {"method": "moreau-jean", "stiffness-from": "material"}),
}


def own_arguments(parser):
    parser.add_argument("--seeds", type=int, default=3, help="number of beds (default: %(default)s)")
    parser.add_argument("--particles", type=int, default=5000, help="number of balls (default: %(default)s)")
    parser.add_argument("--methods", nargs="+", default=list(methods), choices=list(methods))


def arguments(words=None):
    chosen = plot_arguments("shear_test", __doc__, words, add=own_arguments,
                            quick="one bed of 60 balls, made in a tenth of the time")
    if chosen.quick:
        chosen.seeds, chosen.particles = 1, 60
    return chosen


def needed(chosen):
    """Runs by method and bed."""
    of = {"particles": chosen.particles, "pace": 0.1 if chosen.quick else 1, "frames": 0, "threads": 1}
    if chosen.quick:
        of |= {"width": 0.014, "lift": 0.05}
    return {(method, seed): Run(f"{method}_{seed}", {**of, "seed": seed, **methods[method][2]})
            for method in chosen.methods for seed in range(1, chosen.seeds + 1)}


def wanted(chosen):
    return needed(chosen).values()


def ratio(run, shift):
    """Shear force at each shift, a mean over a tenth of a millimetre, over the normal force when the shear begins."""
    begun = np.searchsorted(run["shift"], 0, side="right")
    if begun == 0 or begun >= len(run["t"]):
        return np.full(len(shift), np.nan), np.nan
    normal = np.mean(run["normal"][max(0, begun - 10):begun])
    edges = np.append(shift - (shift[1] - shift[0]) / 2, shift[-1] + (shift[1] - shift[0]) / 2)
    moved, shear = run["shift"][begun:], run["shear"][begun:]
    means = [np.mean(shear[(moved >= a) & (moved < b)]) for a, b in zip(edges, edges[1:])]
    return np.array(means) / normal, normal


def figure_of(curves, shift):
    figure, axes = plt.subplots(figsize=(page * 0.7, 3))
    for method, rows in curves.items():
        label, colour, _ = methods[method]
        mean, spread = np.mean(rows, axis=0), np.std(rows, axis=0)
        axes.plot(1e3 * shift, mean, color=colour, label=f"{label}, {len(rows)} bed{'s' * (len(rows) > 1)}")
        axes.fill_between(1e3 * shift, mean - spread, mean + spread, color=colour, alpha=0.2, linewidth=0)
    axes.set(xlabel="shift of the upper half [mm]", ylabel="shear force / normal force at the start")
    legend_above(axes, len(curves))
    return figure


def table(curves, normals, shift):
    late = shift > shift[-1] / 2
    lines = ["| method | beds | normal force at the start, N | ratio, largest of the mean | ratio over the second half "
             "| standard deviation between beds |", "|---|---|---|---|---|---|"]
    for method, rows in curves.items():
        second = np.mean(np.array(rows)[:, late], axis=1)
        lines.append(f"| {methods[method][0]} | {len(rows)} | {np.mean(normals[method]):.4g} | "
                     f"{np.max(np.mean(rows, axis=0)):.3f} | {np.mean(second):.3f} | {np.std(second):.3f} |")
    return "\n".join(lines) + "\n"


def main():
    chosen = arguments()
    runs = Runs("shear_test", chosen.out, wanted(chosen), chosen.again)
    shift = np.arange(0.05e-3, 10e-3, 0.1e-3)
    curves, normals = {}, {}
    for (method, _), run in needed(chosen).items():
        curve, normal = ratio(RunFolder(runs(run.name), "shear_test", columns, ["particles", "seed"]), shift)
        curves.setdefault(method, []).append(curve)
        normals.setdefault(method, []).append(normal)
    save(figure_of(curves, shift), chosen.out / "fig6.png")
    save_text(table(curves, normals, shift), chosen.out / "table.md")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
