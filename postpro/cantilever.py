"""Figures of the beam with a mass at its end: Fig. 17 of Zhang et al. (2020), the beam under a force against its
reduced model, and Fig. 14 of Zhang et al. (2022), the beam moved by a crank, as a whole and by co-simulation.
Runs that the figures need are made on the way."""
import sys

import numpy as np
from run_folder import Run, RunFolder, Runs, plot_arguments
from style import blue, green, legend_above, page, red, save

import matplotlib.pyplot as plt

columns = ["t", "y", "v", "reduced_y", "reduced_v", "opening"]
explicit = {"coupling": "explicit-index1", "rho-inf": 0.25}
ways = {"force": {"excitation": "force"}, "force_tight": {"excitation": "force", "coupling": "tight"},
        "crank": {"excitation": "crank"}, "crank_explicit": {"excitation": "crank", **explicit}}
lines = {"force": dict(color=blue, label="whole"), "crank": dict(color=blue, label="whole"),
         "force_tight": dict(color=green, linestyle="--", label="tight coupling"),
         "crank_explicit": dict(color=green, linestyle="--", label="explicit coupling, index 1")}


def arguments(words=None):
    return plot_arguments("cantilever", __doc__, words, quick="the first fifth of a second")


def wanted(chosen):
    return [Run(name, {**options, "t-end": 0.2 if chosen.quick else 2.0}) for name, options in ways.items()]


def figure(found, names):
    figure, panels = plt.subplots(2, 1, figsize=(page, 4), sharex=True)
    for axes, column, factor, label in ((panels[0], "y", 1e3, "displacement [mm]"),
                                        (panels[1], "v", 1, "velocity [m/s]")):
        for name in names:
            run = found[name]
            axes.plot(run["t"], factor * run[column], linewidth=0.9, **lines[name])
        run = found[names[0]]
        axes.plot(run["t"], factor * run["reduced_" + column], color=red, linestyle=":", linewidth=0.9,
                  label="reduced model")
        axes.set_ylabel(label)
        axes.margins(x=0.01)
    panels[1].set_xlabel("time $t$ [s]")
    legend_above(figure, len(names) + 1, panels[0].get_legend_handles_labels()[0])
    return figure


def main():
    chosen = arguments()
    runs = Runs("cantilever", chosen.out, wanted(chosen), chosen.again)
    found = {name: RunFolder(runs(name), "cantilever", columns, ["excitation"]) for name in ways}
    for file, names in (("z20_fig17.png", ["force", "force_tight"]), ("z22_fig14.png", ["crank", "crank_explicit"])):
        save(figure(found, names), chosen.out / file)
    print("\nrun             peak [mm]  reduced [mm]  from the whole [mm]  from the reduced model [mm]  opening [m]")
    for name, run in found.items():
        whole = found[name.split("_")[0]]
        print(f"{name:15} {1e3 * np.max(np.abs(run['y'])):9.3f} {1e3 * np.max(np.abs(run['reduced_y'])):13.3f}"
              f" {1e3 * np.max(np.abs(run['y'] - whole['y'])):20.3f}"
              f" {1e3 * np.max(np.abs(run['y'] - run['reduced_y'])):28.3f} {np.max(run['opening']):12.1e}")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
