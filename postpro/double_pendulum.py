"""The double pendulum, whole and cut at its hinge: Fig. 11 of Zhang et al. (2022), and how far each method is from
the solution, which is integrated here from Lagrange's equations. Runs that this needs are made on the way."""
import sys

import numpy as np
from run_folder import Run, RunFolder, Runs, plot_arguments
from style import blue, green, grey, legend_above, page, red, save, save_text

import matplotlib.pyplot as plt

steps = [4e-3, 2e-3, 1e-3]  # s
methods = {"Moreau–Jean, midpoint": {}, "smooth": {"method": "smooth"},
           "index 1": {"coupling": "explicit-index1"}, "index 2": {"coupling": "explicit-index2"},
           "index 3": {"coupling": "explicit-index3"}, "tight": {"coupling": "tight"}}
columns = ["theta1", "theta2", "rate1", "rate2"]


def solution(t_end=5.0, h=1e-3):
    """Rows theta1, theta2, rate1, rate2 at multiples of h, by the classical Runge-Kutta method."""
    L, m, J, g = 0.4, 1, 1, 9.81

    def rates(y):
        one, two, v, w = y
        c, s = m * L ** 2 / 2 * np.cos(one - two), m * L ** 2 / 2 * np.sin(one - two)
        M = np.array([[J + m * L ** 2 / 4 + m * L ** 2, c], [c, J + m * L ** 2 / 4]])
        f = [-s * w ** 2 - 1.5 * m * L * g * np.sin(one), s * v ** 2 - 0.5 * m * L * g * np.sin(two)]
        return np.array([v, w, *np.linalg.solve(M, f)])

    y = np.array([np.pi / 2, np.pi / 2, 0.5, 0.5])
    rows = [y]
    for _ in range(round(t_end / h)):
        a = rates(y)
        b = rates(y + h / 2 * a)
        c = rates(y + h / 2 * b)
        d = rates(y + h * c)
        y = y + h / 6 * (a + 2 * b + 2 * c + d)
        rows.append(y)
    return np.array(rows)


def arguments(words=None):
    return plot_arguments("double_pendulum", __doc__, words, quick="the first second")


def t_end(chosen):
    return 1.0 if chosen.quick else 5.0


def name_of(method, h):
    return f"{method.split(',')[0].replace(' ', '_')}_{h:g}".replace("–", "-")


def wanted(chosen):
    return [Run(name_of(method, h), {"h": h, "t-end": t_end(chosen), "frames": 0, **options})
            for method, options in methods.items() for h in steps]


def run_of(runs, method, h):
    return RunFolder(runs(name_of(method, h)), "double_pendulum", ["t", "opening", *columns], ["length", "coupling"])


def errors(run, exact):
    """Largest deviations of the angles, of their rates, and largest opening of the hinge."""
    at = exact[np.rint(run["t"] / 1e-3).astype(int)]
    off = np.abs(np.column_stack([run[column] for column in columns]) - at)
    return off[:, :2].max(), off[:, 2:].max(), run["opening"].max()


def figure_of(runs, exact):
    figure, grid = plt.subplots(2, 2, figsize=(page, 4), sharex=True)
    labels = [r"$\theta_{z,1}$ [rad]", r"$\theta_{z,2}$ [rad]",
              r"$\dot\theta_{z,1}$ [rad/s]", r"$\dot\theta_{z,2}$ [rad/s]"]
    time = 1e-3 * np.arange(len(exact))
    for k, axes in enumerate(grid.flat):
        axes.plot(time, exact[:, k], color=grey, linewidth=2.5, alpha=0.6, label="exact")
        for method, colour, line in (("index 1", blue, "-"), ("index 2", green, (0, (3, 3))),
                                     ("index 3", red, (0, (1, 3)))):
            run = run_of(runs, method, steps[-1])
            axes.plot(run["t"], run[columns[k]], color=colour, linestyle=line, label=method)
        axes.set_ylabel(labels[k])
    for axes in grid[-1]:
        axes.set_xlabel("time $t$ [s]")
    legend_above(figure, 4, grid[0, 0].get_legend_handles_labels()[0])
    return figure


def table(runs, exact):
    lines = ["| method | h, s | angles, rad | rates, rad/s | hinge, m |", "|---|---|---|---|---|"]
    for method in methods:
        for h in steps:
            angle, rate, opening = errors(run_of(runs, method, h), exact)
            lines.append(f"| {method} | {h:g} | {angle:.2e} | {rate:.2e} | {opening:.1e} |")
    return "\n".join(lines) + "\n"


def main():
    chosen = arguments()
    runs = Runs("double_pendulum", chosen.out, wanted(chosen), chosen.again)
    exact = solution(t_end(chosen))
    save(figure_of(runs, exact), chosen.out / "z22_fig11.png")
    save_text(table(runs, exact), chosen.out / "table.md")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
