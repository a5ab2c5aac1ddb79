"""The conclusions of Docquier et al. (2020) on tamping, by frequency and in several beds of stones: the four cases of
Figs 10 and 11 in the beds of --seed 1 to N, each conclusion judged by the means over the beds, with their spread. By
default 500 stones, which are larger, so that the bed stays as it is; --full is the paper's 5500. Writes cases.csv,
conclusions.csv and the figures of `tamis plot tamping` beside the table and the report of the campaign; what was
stopped goes on."""
import sys
from pathlib import Path

import run_folder
import tamping
from campaign import Campaign, fail_with
from model_program import Words
from style import fail, save
from sweep import add_running, check_running, conclude, make

outputs = ["chassis_z_last", "elongation_last", "actuator_force_rms", "tip1_z_min"]


def options_of(chosen):
    if chosen.quick:  # all phases in a second, long enough for means over periods of 15 Hz
        return {"grains": 100, "dive-at": 0.05, "squeeze-at": 0.5, "squeeze-time": 0.4, "t-end": 1.0}
    return {"grains": 5500 if chosen.full else 500}


def plan_of(chosen):
    # One case after the other: runs side by side have different beds, each of which is made once.
    points = [{"frequency": float(case.frequency), "drive": case.drive, "seed": seed}
              for case in tamping.cases for seed in range(1, chosen.beds + 1)]
    return {"model": "tamping", "program": [str(run_folder.program_of("tamping"))],
            "options": {**options_of(chosen), "frames": 0}, "axes": ["frequency", "drive", "seed"], "points": points,
            "command": "study tamping" + " --quick" * chosen.quick + " --full" * chosen.full, "outputs": outputs,
            "fit": False, "report": not chosen.no_report}


def runs_of(campaign):
    """Those that have ended well."""
    rows = campaign.table()[1]
    cases = {(case.frequency, case.drive): case for case in tamping.cases}
    return [tamping.Run(job.folder, cases[row["frequency"], row["drive"]], row["seed"])
            for row, job in zip(rows, campaign.jobs)
            if row["status"] == "finished" and row.get("believable") != "no"]


def main():
    parser = Words("study tamping", __doc__, None)
    parser.usage = "tamis study tamping [options]"
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="for a try-out, in minutes: 100 stones, a second; two beds "
                      "unless --beds says otherwise")
    size.add_argument("--full", action="store_true", help="5500 stones: a quarter of an hour or so for each run")
    parser.add_argument("--beds", type=int, metavar="N", help="beds of each case (default: 5)")
    add_running(parser, "out/tamping_study, with --quick or --full out/tamping_study_quick or _full")
    chosen = parser.parse_args()
    check_running(chosen)
    chosen.beds = chosen.beds if chosen.beds is not None else 2 if chosen.quick else 5
    if not 1 <= chosen.beds <= 1000:
        fail_with(2, f"--beds is {chosen.beds}: give 1 to 1000.")
    run_folder.build({"tamping"})
    name = "out/tamping_study" + "_quick" * chosen.quick + "_full" * chosen.full
    campaign = Campaign(chosen.out or Path(name), plan_of(chosen))
    code, failed = make(campaign, chosen)
    if code is not None:
        sys.exit(code)
    code = conclude(campaign, failed)
    runs = runs_of(campaign)
    if not runs:
        fail("no run has come to its end.")
    save(tamping.figure_10(runs), campaign.folder / "fig10.png")
    squeezed = [run for run in runs if len(run.phase(tamping.squeezing, "t")[0]) > 1]
    if squeezed:
        save(tamping.figure_11(squeezed), campaign.folder / "fig11.png")
    tamping.conclusions(runs, campaign.folder)
    sys.exit(code)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
