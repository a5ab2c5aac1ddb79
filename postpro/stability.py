"""Stability maps of co-simulation: Figs 6 to 10 of Zhang et al. (2020) and Figs 5 to 7 of Zhang et al. (2022),
made on the way by `tamis run stability --figure NAME`, or maps of one's own. A square is a stable point: its
spectral radius is at most 1 + 1e-6."""
import json
import sys
from pathlib import Path

import numpy as np
from run_folder import Run as Wanted
from run_folder import Runs, plot_arguments
from style import blue, fail, page, save

import matplotlib.pyplot as plt

stable_radius = 1 + 1e-6
figures = ["z20_fig6", "z20_fig7", "z20_fig8", "z20_fig9", "z20_fig10", "z22_fig5", "z22_fig6", "z22_fig7"]
most_squares = 26  # along each axis; finer grids are thinned
symbols = {"r_k": "$r_k$", "r_c": "$r_c$", "r_m": "$r_m$", "xi_1": r"$\xi_1$",
           "alpha h^2 = beta h": r"$\alpha h^2 = \beta h$", "gamma": r"$\gamma$"}


class Run:
    """Maps of a run by name, such as z20_fig6/a, each a table of rho_inf, w01h, radius and radius_measured."""

    def __init__(self, folder):
        self.folder = Path(folder)
        try:
            summary = json.loads((self.folder / "summary.json").read_text())
            if summary["model"] != "stability":
                raise ValueError
            self.status, self.maps, self.parameters = summary["status"], summary["results"] or {}, summary["parameters"]
            self.titles = {name: found["title"] for name, found in self.maps.items()}
        except OSError as error:
            fail(f"cannot read {self.folder / 'summary.json'}: {error.strerror}.")
        except (ValueError, KeyError, TypeError, AttributeError):
            fail(f"{self.folder / 'summary.json'} is not the summary of a stability run.")

    def table(self, name):
        path = self.folder / f"{name}.csv"
        try:
            values = np.genfromtxt(path, delimiter=",", names=True, ndmin=1)
            return values["rho_inf"], values["w01h"], values["radius"], values["radius_measured"]
        except OSError as error:
            fail(f"cannot read {path}: {error.strerror or error}.")
        except (ValueError, IndexError, TypeError):
            fail(f"{path} is not a stability map.")


def arguments(words=None):
    return plot_arguments("stability", __doc__, words, quick="maps of 11 by 21 points",
                          folders="folders of your own runs: draw their maps there, and nothing else")


def wanted(chosen):
    grid = {"rho-steps": 10, "w-steps": 20} if chosen.quick else {"rho-steps": 100, "w-steps": 200}
    return [Wanted(f"maps_{figure}", {"figure": figure, **grid}) for figure in figures]


def title(text):
    for word, symbol in symbols.items():
        text = text.replace(word, symbol)
    return text


def thinned(values):
    """Every n-th of the values of an axis, so that squares can be told apart."""
    axis = np.unique(values)
    every = max(1, -(-(len(axis) - 1) // (most_squares - 1)))  # rounded up
    return np.isin(values, axis[::every]), len(axis[::every])


def draw(axes, run, name):
    rho_inf, w01h, radius, _ = run.table(name)
    (in_rho, columns), (in_w, rows) = thinned(rho_inf), thinned(w01h)
    shown = in_rho & in_w & (radius <= stable_radius)
    box = axes.get_window_extent()
    side = 0.62 * 72 / axes.figure.dpi * min(box.width / columns, box.height / rows)
    axes.plot(rho_inf[shown], w01h[shown], linestyle="none", marker="s", markersize=side, color=blue,
              markeredgewidth=0)
    axes.set(xlim=(-0.03, 1.03), ylim=(-0.03 * w01h.max(), 1.03 * w01h.max()))
    axes.spines[:].set_visible(True)


def figure_of(run, names):
    """Panels side by side, two in a row, with their titles."""
    rows = (len(names) + 1) // 2
    figure, grid = plt.subplots(rows, 2, figsize=(page, 2.75 * rows), sharex=True, sharey=True, squeeze=False)
    for axes in grid.flat[len(names):]:
        axes.set_visible(False)
    figure.canvas.draw()  # sizes of the axes
    for axes, name in zip(grid.flat, names):
        draw(axes, run, name)
        axes.set_title(f"({name.split('/')[1]}) {title(run.titles[name])}")
    for axes in grid[-1]:
        axes.set_xlabel(r"$\rho_\infty$")
    for axes in grid[:, 0]:
        axes.set_ylabel(r"$\omega_{01} h$")
    return figure


def own_figure(run):
    figure, axes = plt.subplots(figsize=(page / 2, 2.9))
    figure.canvas.draw()
    draw(axes, run, "map")
    given = [f"{symbols[name]} = {run.parameters[key]:g}"
             for key, name in (("rm", "r_m"), ("rk", "r_k"), ("rc", "r_c"), ("xi1", "xi_1"))]
    axes.set_title(f"{title(run.titles['map'])}: {', '.join(given)}")
    axes.set(xlabel=r"$\rho_\infty$", ylabel=r"$\omega_{01} h$")
    return figure


def figures_of(run):
    """Pictures by name of what the run has."""
    if "map" in run.titles:
        return {"map": own_figure(run)}
    panels = {}
    for name in sorted(run.titles):
        panels.setdefault(name.split("/")[0], []).append(name)
    return {figure: figure_of(run, names) for figure, names in panels.items()}


def main():
    chosen = arguments()
    folders = {Path(folder): Path(folder) for folder in chosen.folders}  # of runs, and for their figures
    if not folders:
        runs = Runs("stability", chosen.out, wanted(chosen), chosen.again)
        folders = {runs(run.name): chosen.out for run in wanted(chosen)}
    for folder, out in folders.items():
        run = Run(folder)
        if not run.titles:
            fail(f"the run {folder} has no maps yet: its status is '{run.status}'.")
        for name, figure in figures_of(run).items():
            save(figure, out / f"{name}.png")
            plt.close(figure)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
