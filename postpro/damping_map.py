"""The damping of 500 balls in a shaken cylinder against frequency and intensity: Figs 9 and 10a of Biondani et al.
(2022), by DEM, and the same on a coarser grid by the nonsmooth method. The runs of a map are made in one go, in hours;
one that was stopped goes on when the plot is asked for again."""
import csv
import sys

import numpy as np
from run_folder import make_run, plot_arguments
from style import fail, page, save, save_text

import matplotlib.pyplot as plt

frequencies = [5, 6, 7.5, 10, 12.5, 15, 20, 25, 35, 50, 70, 90, 100]
dem = {"method": "dem", "friction-model": "elastic"}
# Options, frequencies and levels of the maps.
maps = {"elastic": (dem, frequencies, range(21)),
        "directional": ({**dem, "friction-model": "directional"}, frequencies, range(21)),
        "nonsmooth": ({"method": "moreau-jean", "tolerance": 1e-2}, frequencies[::3], range(0, 21, 4))}
small = {name: ({**options, "balls": 60, "cycles": 6, "judged": 4}, [50, 70, 100], range(4, 21, 8))
         for name, (options, _, _) in maps.items()}
bound = 0.02 / np.pi  # of a bed that moves as one, mu = 1 %


def read(folder, of, levels):
    """Intensities, means and deviations of zeta_PD, amplitudes: arrays of frequencies by levels, nan where a run is
    missing."""
    found = {name: np.full((len(of), len(levels)), np.nan)
             for name in ("intensity", "zeta_mean", "zeta_deviation", "amplitude_m")}
    path = folder / "variation.csv"
    try:
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                place = of.index(float(row["frequency"])), list(levels).index(int(row["level"]))
                for name in found:
                    found[name][place] = float(row[name])
    except OSError as error:
        fail(f"cannot read {path}: {error.strerror}.")
    except (KeyError, ValueError) as error:
        fail(f"{path} is not the table of a map: {error}.")
    return found


def make(out, name, chosen, again):
    options, of, levels = chosen
    flags = [] if again else ["resume"]
    vary = [f"vary=frequency={','.join(f'{f:g}' for f in of)}", f"vary=level={','.join(map(str, levels))}"]
    make_run("damping_map", name, out / name, options, flags + vary)
    return read(out / name, of, levels)


def contours(axes, of, found, column, factor, label, levels):
    f = np.repeat(np.array(of, float)[:, None], found["intensity"].shape[1], axis=1)
    filled = axes.contourf(f, found["intensity"], factor * found[column], levels=levels, cmap="viridis", extend="both")
    lines = axes.contour(f, found["intensity"], 1e3 * found["amplitude_m"], levels=[1, 5, 15, 30], colors="white",
                         linewidths=0.8)
    axes.clabel(lines, fmt="%g mm", fontsize=7)
    axes.set(xscale="log", yscale="log", xlabel="frequency [Hz]")
    axes.figure.colorbar(filled, ax=axes, label=label)


def fig9(of, found):
    figure, both = plt.subplots(1, 2, figsize=(page, 3), sharey=True)
    contours(both[0], of, found, "zeta_mean", 100, "mean $\\zeta_{PD}(1\\,\\%)$ [%]", np.linspace(0, 0.5, 11))
    contours(both[1], of, found, "zeta_deviation", 100, "relative deviation [%]", np.linspace(0, 50, 11))
    both[0].set_ylabel("intensity [g]")
    return figure


def difference(a, b):
    """Relative to the greater of the two."""
    with np.errstate(invalid="ignore"):
        return np.abs(a - b) / np.maximum(a, b)


def fig10(of, found, other):
    figure, axes = plt.subplots(figsize=(page / 2, 3))
    both = {**found, "difference": difference(found["zeta_mean"], other["zeta_mean"])}
    contours(axes, of, both, "difference", 100, "difference of the means [%]", np.linspace(0, 50, 11))
    axes.set_ylabel("intensity [g]")
    return figure


def table(chosen, found):
    lines = ["| map | runs | largest mean [%] | at | above the bound of a rigid bed |", "|---|---|---|---|---|"]
    for name, values in found.items():
        of = chosen[name][1]
        zeta = values["zeta_mean"]
        i, j = np.unravel_index(np.nanargmax(zeta), zeta.shape)
        lines.append(f"| {name} | {np.count_nonzero(np.isfinite(zeta))} | {100 * zeta[i, j]:.3f} | {of[i]:g} Hz, "
                     f"{values['intensity'][i, j]:.3g} g | {np.count_nonzero(zeta > bound)} |")
    return "\n".join(lines) + "\n"


def main():
    arguments = plot_arguments("damping_map", __doc__, quick="60 balls, three frequencies and intensities")
    chosen = small if arguments.quick else maps
    found = {name: make(arguments.out, name, chosen[name], arguments.again) for name in chosen}
    save(fig9(chosen["elastic"][1], found["elastic"]), arguments.out / "b22_fig9.png")
    save(fig9(chosen["nonsmooth"][1], found["nonsmooth"]), arguments.out / "b22_fig9_nonsmooth.png")
    save(fig10(chosen["elastic"][1], found["elastic"], found["directional"]), arguments.out / "b22_fig10a.png")
    save_text(table(chosen, found), arguments.out / "tables.md")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
