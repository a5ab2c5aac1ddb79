"""The plots of tamping on runs whose curves are formulas, so that every measure has a closed form: the chassis
descends at a constant speed and stays, the elongation and the force rise for a second and stay, and all vibrate."""
import csv
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

try:
    import matplotlib  # noqa: F401
    import numpy as np
except ImportError:
    sys.exit(77)  # skipped: tamis plot installs them

postpro = Path(__file__).resolve().parents[2] / "postpro"
sys.path.insert(0, str(postpro))
import run_folder
import tamping

h = 1e-3
dive_at, squeeze_at, end = 0.4, 2.4, 4.4
depth, speed, top = 0.4, 0.25, 1.5  # of the chassis
vibration = 2e-3
tolerance = 1e-4


def histories(frequency, speed=speed, depth=depth, tip=0.0, squeeze=0.03, force=4e3, until=end, held_at=squeeze_at):
    t = h * np.arange(round(until / h) + 1)
    wave = np.sin(2 * np.pi * frequency * t)
    stage = (t > dive_at - h / 2).astype(int) + (t > held_at - h / 2)
    z = top - np.clip(speed * (t - dive_at), 0, depth) + vibration * wave
    rise = np.clip(t - squeeze_at, 0, 1)
    grown = np.arange(len(t))
    return {"t": t, "chassis_z": z, "elongation": 0.3 + squeeze * rise + 1e-4 * wave,
            "target_elongation": 0.3 + 0.05 * rise, "actuator_force": force * (1 + rise) + 2e3 * wave,
            "tip1_z": z - 0.9 - tip, "tip2_z": z - 0.92 - tip, "stage": stage, "loop_error": 1e-12 * t,
            "contacts": 100 + grown % 7, "sweeps": 10 + grown % 5,
            "residual_rms": np.where(grown % 4 == 0, 2, 0.5) * tolerance, "penetration": 1e-5 * t}


def write(folder, frequency, drive, status="finished", more={}, **shape):
    folder.mkdir(parents=True, exist_ok=True)
    columns = histories(frequency, **shape)
    rows = [",".join(columns)] + [",".join(map(repr, map(float, row))) for row in zip(*columns.values())]
    (folder / "histories.csv").write_text("\n".join(rows) + "\n")
    parameters = {"frequency": float(frequency), "drive": drive, "tolerance": tolerance, "h": h, "grains": 5500,
                  "seed": 1, **more}
    (folder / "summary.json").write_text(json.dumps(
        {"parameters": parameters, "status": status, "seconds": {"total": 90.0}, "iterations": {},
         "grains": {"mean_size_m": 0.058}}))


def write_all(folder):
    """As in the paper, but for 45 Hz, which does the contrary of all that is concluded of it."""
    write(folder / "15", 15, "dynamic")
    write(folder / "30", 30, "dynamic", tip=0.01, squeeze=0.04, force=3e3)
    write(folder / "45", 45, "dynamic", tip=-0.01, squeeze=0.02, force=5e3)
    write(folder / "15_imposed", 15, "imposed", speed=0.29, tip=0.02, squeeze=0.05, force=2e3)


class Folder(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.runs, self.out = Path(place.name) / "runs", Path(place.name) / "figures"

    def plot(self, *arguments):
        return subprocess.run([sys.executable, postpro / "tamping.py", "--runs", self.runs, "--out", self.out,
                               *arguments], capture_output=True, text=True)

    def refused(self, words, *arguments):
        """In one sentence that has the words, instead of a traceback."""
        command = ["tamping.py", "--runs", str(self.runs), "--out", str(self.out), *arguments]
        with mock.patch("sys.argv", command), self.assertRaises(SystemExit) as ended:
            tamping.main()
        self.assertRegex(str(ended.exception.code), r"\Atamping: [^\n]*\.\Z")
        self.assertIn(words, ended.exception.code)

    def rows(self, name):
        with (self.out / name).open() as file:
            return list(csv.DictReader(file))


class Means(unittest.TestCase):
    def test_mean_over_a_period_leaves_a_line_and_removes_its_vibration(self):
        t = np.linspace(0, 1, 2001)
        for frequency in (15, 30, 45):
            middle, mean = tamping.running_mean(t, 3 + 2 * t + np.sin(2 * np.pi * frequency * t), 1 / frequency)
            # Linear interpolation of the integral errs by h^2/8 max|y'| at each end.
            bound = (t[1] ** 2 / 8 * (2 * np.pi * frequency + 2) * 2) * frequency
            self.assertLess(np.max(np.abs(mean - 3 - 2 * middle)), bound)
            self.assertAlmostEqual(middle[0], 0.5 / frequency, delta=t[1])
            self.assertAlmostEqual(middle[-1], 1 - 0.5 / frequency, delta=t[1])

    def test_no_mean_of_less_than_a_period(self):
        t = np.linspace(0, 0.05, 51)
        self.assertEqual(len(tamping.running_mean(t, t, 1 / 15)[0]), 0)
        self.assertTrue(np.isnan(tamping.last_mean(t, t, 1 / 15)))


class Measures(Folder):
    def measures(self, case, **shape):
        write(self.runs / case.folder, case.frequency, case.drive, **shape)
        return tamping.Run(self.runs / case.folder, case).measures()

    def test_equal_closed_forms(self):
        for case in tamping.cases:
            with self.subTest(str(case)):
                found = self.measures(case, tip=0.01, squeeze=0.04, force=3e3)
                # A mean of the wave errs by up to its interpolated integral's error, see Means.
                omega = 2 * np.pi * case.frequency
                wave = h**2 / 8 * omega * 2 * case.frequency
                self.assertAlmostEqual(found["time_to_depth"], (depth - 0.01) / speed,
                                       delta=h + 2 * vibration * wave / speed)
                self.assertAlmostEqual(found["tip_height"], top - depth - 0.91 - 0.01, delta=vibration * wave)
                self.assertAlmostEqual(found["elongation"], 0.34, delta=1e-4 * wave)
                # It begins on the wave, at a phase of its own.
                start = 1e-4 * np.sin(omega * squeeze_at)
                self.assertAlmostEqual(found["squeeze"], 0.04 - start, delta=1e-4 * wave + 1e-12)
                self.assertAlmostEqual(found["mean_force"], 3e3 * 1.75, delta=2e3 * wave)
                self.assertAlmostEqual(found["peak_force"], 6e3, delta=2e3 * wave)
                self.assertEqual(found["within_tolerance"], 1 - 1100 / 4400)  # every fourth of 4400 steps
                self.assertEqual(found["minutes"], 1.5)
                self.assertAlmostEqual(found["loop_error"], 1e-12 * end)
                self.assertAlmostEqual(found["penetration"], 1e-5 * end)

    def test_time_to_depth_is_that_to_a_common_height(self):
        case = tamping.cases[0]
        write(self.runs / "15", 15, "dynamic")
        run = tamping.Run(self.runs / "15", case)
        self.assertAlmostEqual(run.dive_end(), top - depth, delta=1e-4)
        half = run.measures(top - depth / 2)["time_to_depth"]
        self.assertAlmostEqual(half, (depth / 2 - 0.01) / speed, delta=2 * h)
        self.assertTrue(np.isnan(run.measures(top - 2 * depth)["time_to_depth"]))

    def test_dive_lasts_until_the_actuator_moves_even_if_the_support_is_held_before(self):
        case = tamping.cases[0]
        usual, early = self.measures(case), self.measures(case, held_at=1.0)
        self.assertEqual(usual, early)

    def test_shrinking_actuator_squeezes_towards_its_target(self):
        case = tamping.cases[0]
        write(self.runs / "15", 15, "dynamic", squeeze=-0.02)
        run = tamping.Run(self.runs / "15", case)
        run.columns["target_elongation"] = 0.6 - run["target_elongation"]
        self.assertGreater(run.measures()["squeeze"], 0.0195)

    def test_wait_for_the_end_of_a_phase(self):
        case = tamping.cases[0]
        dive = self.measures(case, until=2.0, status="running")
        self.assertTrue(np.isnan(dive["tip_height"]) and np.isnan(dive["time_to_depth"]))
        squeeze = self.measures(case, until=3.0, status="running")
        self.assertFalse(np.isnan(squeeze["tip_height"]) or np.isnan(squeeze["time_to_depth"]))
        self.assertTrue(np.isnan(squeeze["elongation"]) and np.isnan(squeeze["mean_force"]))


class Figures(Folder):
    def test_all_and_verdicts(self):
        write_all(self.runs)
        result = self.plot()
        self.assertEqual(result.returncode, 0, result.stderr)
        for name in ("fig10.png", "fig11.png", "quality.png", "cases.csv"):
            self.assertGreater((self.out / name).stat().st_size, 100)
        rows = self.rows("conclusions.csv")
        self.assertEqual([row["holds"] for row in rows], ["yes"] * 7 + ["no"] * 3)
        self.assertNotIn("note:", result.stdout)

    def test_what_is_there_is_drawn_and_the_rest_left_open(self):
        write(self.runs / "15", 15, "dynamic", more={"grains": 5000})
        write(self.runs / "30", 30, "dynamic", status="running", until=2.0)
        with (self.runs / "30" / "histories.csv").open("a") as file:
            file.write("2.001,1.2")  # a line on its way
        result = self.plot("--only-existing")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("note: the runs differ in --grains", result.stdout)
        self.assertIn("is not finished: 2 s are there", result.stdout)
        rows = self.rows("conclusions.csv")
        self.assertEqual({row["holds"] for row in rows}, {"open"})
        self.assertEqual(len(self.rows("cases.csv")), 2)

    def test_several_beds_give_means_and_spread(self):
        write_all(self.runs)
        for seed, more in ((2, 0.002), (3, -0.035)):  # 30 Hz dives deeper than 15 Hz by 10, 12, and less by 25 mm
            write(self.runs / f"15_seed{seed}", 15, "dynamic", more={"seed": seed})
            write(self.runs / f"30_seed{seed}", 30, "dynamic", tip=0.01 + more, more={"seed": seed})
        result = self.plot("--beds", "3", "--only-existing")
        self.assertEqual(result.returncode, 0, result.stderr)
        row = next(row for row in self.rows("conclusions.csv") if row["conclusion"] == "30 Hz dives deeper than 15 Hz")
        self.assertEqual((row["holds"], row["in_beds"], row["beds"]), ("no", "2", "3"))  # the mean is 1 mm higher
        self.assertAlmostEqual(float(row["first"]) - float(row["second"]), 0.001, delta=1e-5)
        self.assertAlmostEqual(float(row["first_deviation"]), np.std([10, 12, -25], ddof=1) * 1e-3, delta=1e-5)
        self.assertEqual(float(row["second_deviation"]), 0)
        self.assertIn("in 2 of 3 beds", result.stdout)
        self.assertEqual(len(self.rows("cases.csv")), 8)
        write(self.runs / "45_seed2", 45, "dynamic")
        self.refused("holds a run in the bed of --seed 1", "--beds", "3", "--only-existing")

    def test_missing_runs_are_made(self):
        write_all(self.runs)
        (self.runs / "15_imposed" / "summary.json").unlink()

        def run(command):
            write(self.runs / "15_imposed", 15, "imposed")
            self.command = [str(word) for word in command[1:]]
            return mock.Mock(returncode=0)

        with mock.patch.object(run_folder.subprocess, "run", run), mock.patch("builtins.print"):
            runs = tamping.read_runs(self.runs, only_existing=False)
        self.assertEqual([r.case.folder for r in runs], ["15", "30", "45", "15_imposed"])
        self.assertEqual(self.command, ["run", "tamping", "--quiet", "--out", str(self.runs / "15_imposed"),
                                        "--frequency", "15", "--drive", "imposed", "--frames", "200"])

    def test_mistakes_get_one_sentence(self):
        self.refused("there are no runs in", "--only-existing")
        write_all(self.runs)
        write(self.runs / "30", 45, "dynamic")
        self.refused("holds a run of 45.0 Hz dynamic, not of 30 Hz dynamic")
        write(self.runs / "30", 30, "dynamic", status="running")
        self.refused("is not finished (status: running)")
        summary = self.runs / "30" / "summary.json"
        for text in ("{}", "[1]", "no json", '{"parameters": {"clearance": 1}}'):
            summary.write_text(text)
            self.refused("is not the summary of a tamping run")
        write(self.runs / "30", 30, "dynamic")
        table = self.runs / "30" / "histories.csv"
        lines = table.read_text().splitlines()
        for text, words in (("", "no column 't'"), (lines[0].replace("stage", "phase"), "no column 'stage'"),
                            (lines[0], "has no rows"), ("\n".join(lines[:9] + ["1,2,x"]), "cannot be read")):
            table.write_text(text + "\n")
            self.refused(words)
        table.unlink()
        self.refused("cannot read")
        self.out.parent.joinpath("file").write_text("")
        self.out = self.out.parent / "file" / "figures"
        self.refused("cannot make the folder")


if __name__ == "__main__":
    unittest.main()
