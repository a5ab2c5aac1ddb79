"""Which clearance damps best? The particle damper (models/particle_damper.cpp) over its clearance and the amplitude of
its base, near resonance. The clearance is what the box is longer than its balls would fill it, packed to 55 %. Damping
is zeta_particles: the damping ratio of a damper to the world that takes as much energy from the steady vibration. The
best design has the largest damping where it has least, over all amplitudes. Writes design.csv, design.md and
design.png beside the table and the report of the campaign; what was stopped goes on."""
import math
import sys
from pathlib import Path

import numpy as np
import run_folder
from campaign import Campaign, fail_with, values_of
from model_program import Words
from style import black, fail, page, save, save_csv

import matplotlib.pyplot as plt
from sweep import add_running, check_running, conclude, make
from whole_file import write_whole

packed = 0.55  # part of the volume that balls fill in a box this small
# The oscillator's own damper is stronger than published: transients die within a second, and what the particles take
# is counted apart from it.
full = {"damping": 2.0, "particles": 200, "width": 38e-3, "height": 38e-3, "t-end": 10.0}
quick = {"damping": 2.0, "particles": 60, "width": 25e-3, "height": 25e-3, "t-end": 3.0}
radius = 3e-3
clearances = {False: [4e-3, 8e-3, 16e-3, 24e-3, 32e-3, 48e-3], True: [6e-3, 14e-3, 36e-3]}  # by quick
amplitudes = {False: [2.5e-4, 5e-4, 1e-3, 2e-3], True: [5e-4, 2e-3]}  # of the base, m


def length_of(clearance, options):
    filled = options["particles"] * 4 / 3 * math.pi * radius**3 / packed / (options["width"] * options["height"])
    return float(f"{clearance + filled:.6g}")


def plan_of(chosen):
    options = {**(quick if chosen.quick else full), "frequency": chosen.frequency, "frames": 0}
    # One amplitude after the other: runs side by side have different beds, each of which is made once.
    points = [{"length": length_of(c, options), "amplitude": a} for a in amplitudes[chosen.quick]
              for c in clearances[chosen.quick]]
    return {"model": "particle_damper", "program": [str(run_folder.program_of("particle_damper"))], "options": options,
            "command": "study damper_design" + " --quick" * chosen.quick, "axes": ["length", "amplitude"],
            "points": points, "outputs": ["zeta_particles", "rms_x_m", "drift"], "fit": False,
            "report": not chosen.no_report}


def table_of(rows, quick):
    """Damping by clearance (rows) and amplitude (columns), and the rms of x."""
    shape = len(amplitudes[quick]), len(clearances[quick])
    return tuple(values_of(rows, name).reshape(shape).T for name in ("zeta_particles", "rms_x_m", "drift"))


def best(zeta):
    """The place of the clearance with the largest least damping, of those whose runs are all there; or nothing."""
    least = zeta.min(axis=1)  # nan where a run is missing
    return None if np.all(np.isnan(least)) else int(np.nanargmax(least))


def figure_of(zeta, of, over):
    figure, axes = plt.subplots(figsize=(page / 2, 2.9))
    x, y = np.meshgrid(1e3 * np.array(over), 1e3 * np.array(of))
    filled = axes.contourf(x, y, 100 * np.ma.masked_invalid(zeta), levels=12, cmap="cividis")
    axes.plot(x.ravel(), y.ravel(), linestyle="none", marker=".", color=black, clip_on=False)
    for k in range(len(over)):
        if not np.all(np.isnan(zeta[:, k])):
            axes.plot(1e3 * over[k], 1e3 * of[np.nanargmax(zeta[:, k])], marker="o", markerfacecolor="white",
                      markeredgecolor=black, linestyle="none", clip_on=False)
    axes.set(xscale="log", xlabel="amplitude of the base [mm]", ylabel="clearance [mm]")
    axes.set_xticks([1e3 * a for a in over], [f"{1e3 * a:g}" for a in over])
    axes.set_xticks([], minor=True)
    axes.set_title("circles: best at each amplitude", fontsize=8)
    figure.colorbar(filled, ax=axes, label="$\\zeta$ of the particles [%]")
    return figure


def text_of(zeta, rms, drift, of, over):
    heads = " | ".join(f"ζ [%] at {1e3 * a:g} mm" for a in over)
    lines = [f"| clearance [mm] | {heads} | least | rms of x [mm] |",
             "|---" * (len(over) + 3) + "|"]
    for c, row, x in zip(of, zeta, rms):
        lines.append(f"| {1e3 * c:g} | " + " | ".join(f"{100 * z:.2f}" for z in row) + f" | {100 * row.min():.2f} | "
                     + ", ".join(f"{1e3 * v:.2f}" for v in x) + " |")
    k = best(zeta)
    if k is None:
        return "\n".join([*lines, "", "No clearance has all its runs yet.", ""])
    wins = sum(np.nanargmax(zeta[:, j]) == k for j in range(len(over)) if not np.all(np.isnan(zeta[:, j])))
    lines += ["", f"Best design: a clearance of {1e3 * of[k]:g} mm, which damps by {100 * zeta[k].min():.2f} % or more "
              f"at all amplitudes, and best at {wins} of {len(over)} of them."]
    unsteady = int(np.sum(np.abs(drift) > 0.05))
    if unsteady:
        lines.append(f"{unsteady} of {drift.size} runs were not steady at their end (their rms drifts by more than "
                     "5 %).")
    return "\n".join([*lines, ""])


def main():
    parser = Words("study damper_design", __doc__, None)
    parser.usage = "tamis study damper_design [options]"
    parser.add_argument("--quick", action="store_true", help="for a try-out, in minutes: 60 balls, three clearances, "
                        "two amplitudes, three seconds")
    parser.add_argument("--frequency", type=float, default=11.5, metavar="F", help="of the base, Hz (default: "
                        "%(default)s)")
    add_running(parser, "out/damper_design, with --quick out/damper_design_quick")
    chosen = parser.parse_args()
    check_running(chosen)
    if not 0 < chosen.frequency < math.inf:
        fail_with(2, f"--frequency is {chosen.frequency}: give a positive number.")
    run_folder.build({"particle_damper"})
    campaign = Campaign(chosen.out or Path("out/damper_design" + "_quick" * chosen.quick), plan_of(chosen))
    code, failed = make(campaign, chosen)
    if code is not None:
        sys.exit(code)
    code = conclude(campaign, failed)
    of, over = clearances[chosen.quick], amplitudes[chosen.quick]
    zeta, rms, drift = table_of(campaign.table()[1], chosen.quick)
    if np.all(np.isnan(zeta)):
        fail("no run has come to its end.")
    save_csv(["clearance_m", "amplitude_m", "zeta_particles", "rms_x_m", "drift"],
             [[c, a, zeta[i, j], rms[i, j], drift[i, j]] for i, c in enumerate(of) for j, a in enumerate(over)],
             campaign.folder / "design.csv")
    save(figure_of(zeta, of, over), campaign.folder / "design.png")
    text = text_of(zeta, rms, drift, of, over)
    write_whole(campaign.folder / "design.md", text)
    print(text, end="")
    sys.exit(code)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
