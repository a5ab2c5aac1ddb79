"""The oscillator with particles: Figs 13 and 14 of Zhang et al. (2020). Fig. 13: displacement and velocity at 12 Hz
with 250 particles, as a whole, by loose and tight coupling, and by DEM; z20_fig13.csv has the rms of each. Fig. 14: rms
displacement against frequency with 200 and 250 particles and without. Runs that they need are made on the way, each
once: a plot that was stopped goes on."""
import sys

import numpy as np
from run_folder import Run, RunFolder, Runs, plot_arguments
from style import (black, blue, fail, green, grey, legend_above, orange, page, red, save, save_csv,
                   save_text)

import matplotlib.pyplot as plt

# Of Table 2.
mass, stiffness, damping, base = 0.293, 1602.7, 0.116, 1e-3  # kg, N/m, N s/m, m
ratios = {200: 0.092, 250: 0.115}
frequencies = [8, 9, 9.5, 10, 10.5, 10.75, 11, 11.25, 11.5, 11.75, 12, 12.25, 12.5, 13, 13.5, 14, 15]
ways = {"monolithic": ({"coupling": "monolithic"}, blue, "-"), "loose": ({"coupling": "loose"}, green, "--"),
        "tight": ({"coupling": "tight"}, red, ":"), "DEM": ({"method": "dem"}, orange, "-.")}  # of Fig. 13
methods = {"moreau-jean": ("nonsmooth", "o"), "dem": ("DEM", "x")}


def without_particles(f, lumped=0.0):
    """Rms displacement of the linear oscillator; with particles that stick to it, `lumped` of its mass more."""
    w = 2 * np.pi * np.asarray(f, float)
    return base / np.sqrt(2) * np.abs((stiffness + 1j * w * damping) /
                                      (stiffness - mass * (1 + lumped) * w**2 + 1j * w * damping))


def arguments(words=None):
    return plot_arguments("particle_damper", __doc__, words, quick="three frequencies, one second")


def frequencies_of(chosen):
    return [11, 11.5, 12] if chosen.quick else frequencies


def wanted(chosen):
    of = {"t-end": 1.0 if chosen.quick else 20.0, "frames": 0}
    return [*(Run(f"fig13_{way.lower()}", {**of, "particles": 250, "frequency": 12, **options})
              for way, (options, _, _) in ways.items()),
            *(Run(f"{method}_{particles}_{f:g}", {**of, "particles": particles, "frequency": f, "method": method})
              for method in methods for particles in ratios for f in frequencies_of(chosen))]


def read(folder, columns=()):
    return RunFolder(folder, "particle_damper", columns, ["particles", "frequency"])


def fig13(runs):
    """The last quarter of a second."""
    figure, panels = plt.subplots(2, 1, figsize=(page, 3.6), sharex=True)
    found = {}
    for way, (_, colour, dashes) in ways.items():
        run = found[way] = read(runs(f"fig13_{way.lower()}"), ["t", "x", "v"])
        last = run["t"] > run["t"][-1] - 0.25
        for axes, column, factor in ((panels[0], "x", 1e3), (panels[1], "v", 1)):
            axes.plot(run["t"][last], factor * run[column][last], color=colour, linestyle=dashes, label=way)
    panels[0].set_ylabel("displacement $x$ [mm]")
    panels[1].set(xlabel="time $t$ [s]", ylabel="velocity $v$ [m/s]")
    legend_above(figure, 4, panels[0].get_legend_handles_labels()[0])
    return figure, found


def rms_of(run):
    value = run.summary.get("results", {}).get("rms_x_m")
    if value is None:
        fail(f"{run.folder / 'summary.json'} has no rms_x_m: the run was too short.")
    return value


def rms_v(run):
    """Of the last whole periods in the time that rms_x_m is of: the last five seconds, or half of a shorter run."""
    t, v = run["t"], run["v"]
    since = max(t[-1] - 5, t[-1] / 2)
    v = v[t > t[-1] - np.floor((t[-1] - since) * 12 + 1e-6) / 12]
    return np.sqrt(np.mean(v**2))


def curves(runs, of):
    """Rms displacements by number of particles and method, one for each frequency."""
    found = {}
    for method in methods:
        for particles in ratios:
            found[particles, method] = [rms_of(read(runs(f"{method}_{particles}_{f:g}"))) for f in of]
    return found


def fig14(of, found):
    figure, axes = plt.subplots(figsize=(page, 3.2))
    fine = np.linspace(8, 15, 1401)
    axes.plot(fine, 1e3 * without_particles(fine), color=black, linewidth=0.8, label="no particles")
    for (particles, method), rms in found.items():
        name, marker = methods[method]
        axes.plot(of, 1e3 * np.array(rms), marker=marker, markerfacecolor="none",
                  color=blue if particles == 200 else red, linestyle="-" if method == "moreau-jean" else "--",
                  label=f"$m_r$ = {ratios[particles]}, {name}")
    axes.set(xlabel="frequency $f$ [Hz]", ylabel="rms displacement [mm]", xlim=(8, 15), ylim=(0, 15))
    axes.grid(color=grey, alpha=0.3)
    legend_above(figure, 3, axes.get_legend_handles_labels()[0])
    return figure


def tables(compared, of, found):
    whole = compared["monolithic"]
    lines = ["| 12 Hz, 250 particles | rms of x [mm] | rms of v [m/s] | amplitude [mm] | phase [rad] |",
             "|---|---|---|---|---|"]
    for way, run in compared.items():
        r = run.summary["results"]
        lines.append(f"| {way} | {1e3 * rms_of(run):.3f} ({100 * (rms_of(run) / rms_of(whole) - 1):+.1f} %) | "
                     f"{rms_v(run):.4f} | {1e3 * r['amplitude_x_m']:.3f} | {r['phase_x_rad']:.3f} |")
    lines += ["", "| rms of x [mm] | " + " | ".join(f"{p}, {methods[m][0]}" for p, m in found) + " | no particles |",
              "|---" * (len(found) + 2) + "|"]
    for k, f in enumerate(of):
        lines.append(f"| {f:g} Hz | " + " | ".join(f"{1e3 * rms[k]:.3f}" for rms in found.values()) +
                     f" | {1e3 * without_particles(f):.3f} |")
    return "\n".join(lines) + "\n"


def main():
    chosen = arguments()
    of = frequencies_of(chosen)
    runs = Runs("particle_damper", chosen.out, wanted(chosen), chosen.again)
    figure, compared = fig13(runs)
    save(figure, chosen.out / "z20_fig13.png")
    save_csv(["run", "rms_x_m", "rms_v_m_s"], [[way, rms_of(run), rms_v(run)] for way, run in compared.items()],
             chosen.out / "z20_fig13.csv")
    found = curves(runs, of)
    save(fig14(of, found), chosen.out / "z20_fig14.png")
    save_text(tables(compared, of, found), chosen.out / "tables.md")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
