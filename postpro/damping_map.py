"""The damping of 500 balls in a shaken cylinder against frequency and intensity: Figs 9 and 10 of Biondani et al.
(2022), by DEM with both friction models and with softer contacts, and Fig. 9 on a coarser grid by the nonsmooth method.
Runs that they need are made on the way, in hours; maps that were stopped go on when the plot is asked for again."""
import json
import sys

import numpy as np
from run_folder import Run, Runs, plot_arguments
from style import fail, page, save, save_csv, save_text

import matplotlib.pyplot as plt

frequencies = [5, 6, 7.5, 10, 12.5, 15, 20, 25, 35, 50, 70, 90, 100]
size = {"balls": 500, "cycles": 20, "judged": 10}
dem = {"method": "dem", "friction-model": "elastic", **size}
# Options, frequencies and levels of the maps.
maps = {"elastic": (dem, frequencies, range(21)),
        "directional": ({**dem, "friction-model": "directional"}, frequencies, range(21)),
        **{f"eta_{eta:g}": ({**dem, "stiffness-from": "overlap", "eta": eta}, frequencies, range(21))
           for eta in (0.02, 0.05, 0.1)},
        "nonsmooth": ({"method": "moreau-jean", "tolerance": 1e-2, **size}, frequencies[::3], range(0, 21, 4))}
small = {name: ({**options, "balls": 60, "cycles": 6, "judged": 4}, [50, 70, 100], range(4, 21, 8))
         for name, (options, _, _) in maps.items()}
bound = 0.02 / np.pi  # of a bed that moves as one, mu = 1 %
# Of Fig. 10: what is compared with the first map.
panels = {"directional": "directional friction", "eta_0.02": "$\\eta$ = 2 %", "eta_0.05": "$\\eta$ = 5 %",
          "eta_0.1": "$\\eta$ = 10 %"}
draws_what_is_there = True
results = ["intensity", "zeta_mean", "zeta_deviation", "amplitude_m"]


def arguments(words=None):
    return plot_arguments("damping_map", __doc__, words, partial=True,
                          quick="60 balls, three frequencies and intensities, six periods")


def maps_of(chosen):
    return small if chosen.quick else maps


def place(name, f, level):
    return f"{name}/frequency_{f:g}_level_{level}"


def wanted(chosen):
    return [Run(place(name, f, level), {**options, "frequency": f, "level": level, "frames": 0})
            for name, (options, of, levels) in maps_of(chosen).items() for f in of for level in levels]


def read(folder, name, of, levels):
    """Intensities, means and deviations of zeta_PD, amplitudes: arrays of frequencies by levels, nan where a run is
    missing or has not ended."""
    found = {result: np.full((len(of), len(levels)), np.nan) for result in results}
    for i, f in enumerate(of):
        for j, level in enumerate(levels):
            path = folder / place(name, f, level) / "summary.json"
            try:
                summary = json.loads(path.read_text())
                if summary["status"] != "finished":
                    continue
                for result in results:
                    found[result][i, j] = summary["results"][result]
            except FileNotFoundError:
                continue
            except OSError as error:
                fail(f"cannot read {path}: {error.strerror}.")
            except (KeyError, ValueError, TypeError):
                fail(f"{path} is not the summary of a run of damping_map.")
    return found


def save_map(folder, name, of, levels, found):
    save_csv(["frequency", "level", *results],
             [[f, level, *(found[result][i, j] for result in results)]
              for i, f in enumerate(of) for j, level in enumerate(levels)], folder / f"{name}.csv")


def contours(axes, of, found, column, factor, label, levels):
    if not np.isfinite(found[column]).any():  # of no runs
        return
    f = np.repeat(np.array(of, float)[:, None], found["intensity"].shape[1], axis=1)
    filled = axes.contourf(f, found["intensity"], factor * found[column], levels=levels, cmap="viridis", extend="both")
    lines = axes.contour(f, found["intensity"], 1e3 * found["amplitude_m"], levels=[1, 5, 15, 30], colors="white",
                         linewidths=0.8)
    axes.clabel(lines, fmt="%g mm", fontsize=7)
    axes.set(xscale="log", yscale="log", xlabel="frequency [Hz]")
    marks = [x for x in (5, 10, 20, 50, 70, 100) if of[0] <= x <= of[-1]]
    axes.set_xticks(marks, [f"{x:g}" for x in marks])
    axes.set_xticks([], minor=True)
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


def fig10(of, found):
    """Differences of the maps from the first one."""
    figure, grid = plt.subplots(2, 2, figsize=(page, 5.4), sharex=True, sharey=True)
    for axes, letter, (name, title) in zip(grid.flat, "abcd", panels.items()):
        both = {**found["elastic"], "difference": difference(found["elastic"]["zeta_mean"], found[name]["zeta_mean"])}
        contours(axes, of, both, "difference", 100, "difference of the means [%]", np.linspace(0, 50, 11))
        axes.set_title(f"({letter}) {title}")
    for axes in grid[0]:
        axes.set_xlabel("")
    for axes in grid[:, 0]:
        axes.set_ylabel("intensity [g]")
    return figure


def table(chosen, found):
    lines = ["| map | runs | largest mean [%] | at | above the bound of a rigid bed |", "|---|---|---|---|---|"]
    for name, values in found.items():
        of = chosen[name][1]
        zeta = values["zeta_mean"]
        if not np.any(np.isfinite(zeta)):
            lines.append(f"| {name} | 0 | – | – | – |")
            continue
        i, j = np.unravel_index(np.nanargmax(zeta), zeta.shape)
        lines.append(f"| {name} | {np.count_nonzero(np.isfinite(zeta))} | {100 * zeta[i, j]:.3f} | {of[i]:g} Hz, "
                     f"{values['intensity'][i, j]:.3g} g | {np.count_nonzero(zeta > bound)} |")
    return "\n".join(lines) + "\n"


def main():
    chosen = arguments()
    if not chosen.only_existing:
        Runs("damping_map", chosen.out, wanted(chosen), chosen.again)
    found = {}
    for name, (_, of, levels) in maps_of(chosen).items():
        found[name] = read(chosen.out, name, of, levels)
        save_map(chosen.out, name, of, levels, found[name])
    of = maps_of(chosen)["elastic"][1]
    save(fig9(of, found["elastic"]), chosen.out / "b22_fig9.png")
    save(fig9(maps_of(chosen)["nonsmooth"][1], found["nonsmooth"]), chosen.out / "b22_fig9_nonsmooth.png")
    save(fig10(of, found), chosen.out / "b22_fig10.png")
    save_text(table(maps_of(chosen), found), chosen.out / "tables.md")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
