"""Campaigns: which points, made once, past failures and kills, the table, the fitted surface, and what is refused."""
import contextlib
import csv
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

try:
    import matplotlib  # noqa: F401
    import numpy as np
except ImportError:
    sys.exit(77)  # skipped: tamis sweep installs them

here = Path(__file__).resolve().parent
postpro = here.parents[1] / "postpro"
sys.path.insert(0, str(postpro))
import campaign
import cluster
import sweep
from campaign import Axis, grid, latin_hypercube, read_axis
from model_program import Model
from response import Surface

parameters = {"x": 1.0, "n": 1, "do": "end", "shout": False}


def refused(action):
    """The sentence and the code."""
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        try:
            action()
        except SystemExit as end:
            return end.code, said.getvalue()
    raise AssertionError("nothing was refused")


class Points(unittest.TestCase):
    def values(self, text, hypercube=False):
        return read_axis(text, parameters, hypercube).values

    def test_values_are_lists_even_or_whole(self):
        self.assertEqual(self.values("x=15:45:7"), [15, 20, 25, 30, 35, 40, 45])
        self.assertEqual(self.values("x=1:0:11")[1], 0.9)
        self.assertEqual(self.values("--x=1,2.5"), [1, 2.5])
        self.assertEqual(self.values("n=1..5"), [1, 2, 3, 4, 5])
        self.assertEqual(self.values("do=a,b"), ["a", "b"])
        self.assertEqual(self.values("shout=false,true"), [False, True])

    def test_a_value_is_taken_once(self):
        self.assertEqual(self.values("x=1,2,1.0"), [1, 2])
        self.assertEqual(self.values("n=3,3"), [3])
        self.assertEqual(self.values("do=a,b,a"), ["a", "b"])
        self.assertEqual(self.values("shout=true,true"), [True])

    def test_wrong_values_are_told_in_a_sentence(self):
        for text in ("x", "=1", "x=", "x=1,", "x=1:2", "x=1:2:1", "x=1:2:0.5", "x=1:2:y", "x=1:2:1e7", "x=1:inf:3",
                     "x=5..1", "x=1..y", "x=0..9999999", "do=a,"):
            code, said = refused(lambda: self.values(text))
            self.assertEqual(code, 2)
            self.assertEqual(said.count("\n"), 1)
            self.assertIn(f"--vary is '{text}'", said)
        self.assertIn("no option '--y'", refused(lambda: self.values("y=1,2"))[1])
        self.assertIn("whole numbers", refused(lambda: self.values("n=1:2:3"))[1])
        self.assertIn("shout=false,true", refused(lambda: self.values("shout=1"))[1])

    def test_a_grid_has_all_combinations(self):
        points = grid([Axis("x", [1, 2]), Axis("n", [3, 4, 5])])
        self.assertEqual(points[:4], [{"x": 1, "n": 3}, {"x": 1, "n": 4}, {"x": 1, "n": 5}, {"x": 2, "n": 3}])
        self.assertEqual(len(points), 6)

    def test_a_hypercube_has_one_point_in_each_part_of_each_range(self):
        axes = [read_axis("x=-1:3", parameters, True), read_axis("n=1:10", parameters, True),
                read_axis("do=a,b", parameters, True)]
        points = latin_hypercube(axes, 40, 1)
        x = np.sort([p["x"] for p in points])
        self.assertTrue(all(-1 + 0.1 * k <= v <= -1 + 0.1 * (k + 1) for k, v in enumerate(x)))
        self.assertEqual(sorted(p["n"] for p in points), sorted(4 * list(range(1, 11))))
        self.assertEqual(sum(p["do"] == "a" for p in points), 20)
        self.assertEqual(points, latin_hypercube(axes, 40, 1))
        self.assertNotEqual(points, latin_hypercube(axes, 40, 2))


class FittedSurface(unittest.TestCase):
    def test_a_quadratic_is_found_exactly(self):
        random = np.random.default_rng(1)
        x = random.uniform(-2, 3, (30, 2))
        y = 1 + 2 * x[:, 0] - x[:, 1] + 0.5 * x[:, 0]**2 - 3 * x[:, 0] * x[:, 1]
        surface = Surface(["a", "b"], x, y)
        np.testing.assert_allclose(surface(x), y, atol=1e-12)
        self.assertAlmostEqual(surface.r2_unseen, 1)
        self.assertLess(surface.unseen, 1e-12)

    def test_errors_are_those_of_runs_left_out_one_by_one(self):
        random = np.random.default_rng(2)
        x = random.uniform(0, 1, (25, 2))
        y = np.sin(3 * x[:, 0]) + x[:, 1] + random.normal(0, 0.1, 25)
        left_out = []
        for k in range(25):
            rest = np.arange(25) != k
            left_out.append(y[k] - Surface(["a", "b"], x[rest], y[rest])(x[k:k + 1])[0])
        self.assertAlmostEqual(Surface(["a", "b"], x, y).unseen, np.sqrt(np.mean(np.square(left_out))), places=12)

    def test_two_values_have_no_square_and_one_value_no_term(self):
        x = np.array([[a, b, 7] for a in (0, 1, 2, 3) for b in (0, 1)], float)
        surface = Surface(["a", "b", "c"], x, x[:, 0]**2 + x[:, 1])
        self.assertEqual(surface.term_names(), ["1", "a", "b", "a^2", "a b"])
        (low, least), (high, most) = surface.extremes()
        self.assertEqual((low, high), ({"a": 0, "b": 0}, {"a": 3, "b": 1}))
        self.assertAlmostEqual(most, 10)
        self.assertAlmostEqual(least, 0)

    def test_too_few_runs_are_told(self):
        with self.assertRaisesRegex(ValueError, "3 coefficients needs 4 runs or more.*there are 3"):
            Surface(["a"], np.array([[0], [1], [2], [3]]), [1, 2, 3, np.nan])


class Sweeps(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)
        self.log = self.folder / "log"

    def sweep(self, *words, code=0, signal_after=None, **popen):
        """What it said."""
        environment = {**os.environ, "TAMIS_PROGRAM": str(here / "stub_model.py"), "HOME": str(self.folder)}
        process = subprocess.Popen(
            ["/usr/bin/python3", "-B", postpro / "sweep.py", *words, "--out", self.folder / "c", "--no-report", "--log",
             self.log],
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **popen)
        if signal_after:
            self.wait_for(signal_after)
            process.send_signal(signal.SIGTERM if code == 143 else signal.SIGKILL)
        said = process.communicate(timeout=100)[0]
        self.assertEqual(process.returncode, code, said)
        return said

    def wait_for(self, ready):
        end = time.monotonic() + 50
        while not ready():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)

    def started(self):
        return self.log.read_text().split("\n")[:-1] if self.log.exists() else []

    def rows(self):
        with open(self.folder / "c" / "campaign.csv") as file:
            return list(csv.DictReader(file))

    def test_one_row_for_each_run_and_each_run_once(self):
        self.sweep("--vary", "x=0:3:4", "--vary", "n=1..2", "--fit")
        rows = self.rows()
        self.assertEqual([(float(r["x"]), int(r["n"])) for r in rows],
                         [(x, n) for x in range(4) for n in (1, 2)])
        for r in rows:
            x, n = float(r["x"]), int(r["n"])
            self.assertEqual(float(r["y"]), 2 + 3 * x + x**2 - n)
            self.assertEqual((r["status"], r["believable"], float(r["seconds"])), ("finished", "yes", 0.5))
            self.assertEqual([float(r[f"a_{k}"]) for k in ("mean", "rms", "max")], [0.5, 0.6, 1])
            self.assertEqual(r["none"], "nan")
        self.assertIn("| y | 8 | 5 | 1.0000 | 1.0000 |", (self.folder / "c" / "fit.md").read_text())
        self.assertTrue((self.folder / "c" / "contour_y_x_n.svg").is_file())
        self.assertEqual(len(self.started()), 8)
        self.sweep("--vary", "x=0:3:4", "--vary", "n=1..2")
        self.assertEqual(len(self.started()), 8)
        self.sweep("--vary", "x=0:3:4", "--vary", "n=1..3")  # more of them
        self.assertEqual(len(self.started()), 12)
        self.sweep("--vary", "x=0:3:4", "--vary", "n=1..3", "--h", "0.1")  # others
        self.assertEqual(len(self.started()), 24)

    def test_a_failure_is_told_and_a_row_and_the_others_are_made(self):
        said = self.sweep("--vary", "n=1..3", "--do", "fail-second", code=1)
        self.assertIn("stub/n_2 failed, exit code 1: stub: This cannot be done.", said)
        self.assertIn("1 of 3 runs are missing; the same command tries them again.", said)
        self.assertEqual([(r["status"], r["y"]) for r in self.rows()],
                         [("finished", "5.0"), ("failed", "nan"), ("finished", "3.0")])

    def test_runs_that_are_not_believable_are_told_and_not_repeated(self):
        for _ in range(2):
            said = self.sweep("--vary", "n=1..2", "--do", "absurd")
            self.assertIn("tamis: 2 of 2 runs are not believable: n_1, n_2.\n", said)
            self.assertNotIn("failed", said)
        self.assertEqual(sorted(self.started()), ["n_1", "n_2"])
        self.assertEqual([(r["status"], r["believable"]) for r in self.rows()], [("finished", "no")] * 2)

    def test_a_task_elsewhere_is_a_run_by_its_name(self):
        self.sweep("--vary", "n=1..2", "--do", "absurd")
        words = ["/usr/bin/python3", "-B", postpro / "task.py", self.folder / "c"]
        self.assertEqual(subprocess.run([*words, "n_2"], capture_output=True).returncode, 0)
        self.assertEqual(len(self.started()), 2)
        done = subprocess.run([*words, "n_3"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (1, f"task: there is no run n_3 in the plan of "
                                                             f"{self.folder / 'c'}.\n"))

    def test_what_waits_in_a_queue_keeps_its_plan(self):
        """Tasks of Slurm read the plan when they start."""
        self.sweep("--vary", "n=1..2")
        plan = (self.folder / "c/campaign.json").read_text()
        (self.folder / "c/cluster").mkdir()
        (self.folder / "c/cluster/jobs").write_text("17\n18\n")
        squeue = self.folder / "squeue"
        squeue.write_text("#!/bin/sh\necho 18 17; echo 20 20\n")
        squeue.chmod(0o755)
        with mock.patch.dict(os.environ, PATH=f"{self.folder}:{os.environ['PATH']}"):
            for on in ("here", "parallel", "slurm"):
                said = self.sweep("--vary", "n=3..4", "--on", on, code=1)
                self.assertIn("the jobs 17, 18 of this campaign are in the queue still", said)
            self.assertEqual((self.folder / "c/campaign.json").read_text(), plan)
            squeue.write_text("#!/bin/sh\necho 20 20\n")
            self.sweep("--vary", "n=3..4")
        self.assertEqual(sorted(self.started()), ["n_1", "n_2", "n_3", "n_4"])

    def test_jobs_are_known_from_when_they_are_submitted(self):
        """The second array is refused: the first one is in the queue."""
        made = campaign.Campaign(self.folder, {"points": [{"n": n} for n in range(4)], "options": {}, "model": "m",
                                               "program": []})
        with mock.patch.object(cluster, "need"), mock.patch.object(cluster, "largest_array", lambda: 2), \
                mock.patch.object(cluster, "submit", side_effect=["17", SystemExit("no")]), \
                self.assertRaises(SystemExit):
            cluster.on_slurm(made, [], False)
        self.assertEqual((self.folder / "cluster/jobs").read_text(), "17\n")

    def test_folders_with_spaces_are_one_word_of_a_script(self):
        self.assertEqual(cluster.word("--chdir", "/a b/c"), "'--chdir=/a b/c'")
        self.assertEqual(cluster.word("--chdir", "/a\\b"), "'--chdir=/a\\\\b'")
        self.assertEqual(cluster.log_in(Path("/a%b"), "%A.log"), "/a%%b/%A.log")

    def test_a_killed_run_goes_on(self):
        said = self.sweep("--vary", "n=1..2", "--do", "killed")
        self.assertIn("stub/n_1 was killed, and goes on", said)
        self.assertEqual(sorted(self.started()), ["n_1", "n_1 resume", "n_2", "n_2 resume"])
        self.assertEqual({r["status"] for r in self.rows()}, {"finished"})

    def waiting(self):
        return lambda: (self.folder / "c/runs/n_1/summary.json").exists() and \
            (self.folder / "c/runs/n_2/summary.json").exists()

    def test_what_was_stopped_goes_on(self):
        words = ["--vary", "n=1..2", "--do", "wait", "--jobs", "2"]
        self.sweep(*words, code=143, signal_after=self.waiting())
        for n in (1, 2):
            summary = json.loads((self.folder / f"c/runs/n_{n}/summary.json").read_text())
            self.assertEqual(summary["status"], "interrupted")
        self.sweep(*words)
        self.assertEqual(sorted(self.started()), ["n_1", "n_1 resume", "n_2", "n_2 resume"])

    def test_runs_end_with_a_campaign_that_is_killed(self):
        self.sweep("--vary", "n=1..2", "--do", "wait", "--jobs", "2", code=-9, signal_after=self.waiting())
        for n in (1, 2):
            path = self.folder / f"c/runs/n_{n}/summary.json"
            self.wait_for(lambda: json.loads(path.read_text())["status"] == "interrupted")

    def test_two_programs_do_not_work_on_one_campaign(self):
        (self.folder / "c").mkdir()
        one = campaign.Campaign(self.folder / "c", {"points": [], "options": {}, "program": []})
        one.lock()
        self.assertIn("another program works on the campaign", self.sweep("--vary", "n=1..2", code=1))
        one.locked.close()

    def test_mistakes_are_told_before_anything_runs(self):
        for words, said in ((["--vary", "z=1,2"], "There is no option '--z'"),
                            (["--vary", "x=1,2", "--vary", "x=3"], "--x is varied twice"),
                            (["--vary", "x=1,2", "--x", "3"], "--x is given, and to be varied"),
                            (["--vary", "x=50:150:3"], "stub: --x is 150.0: give 100 or less."),
                            (["--vary", "x=1,2", "--frob", "3"], "There is no option '--frob'"),
                            (["--vary", "x=1,2", "--resume"], "--resume is not for the runs of a campaign"),
                            (["--vary", "x=1:2"], "--vary is 'x=1:2'"),
                            (["--vary", "x=1,2", "--lhs", "0"], "--lhs is 0"),
                            (["--vary", "x=1,2", "--lhs", "3", "--lhs-seed", "-1"], "--lhs-seed is -1"),
                            (["--vary", "x=1,2", "--lhs", "many"], "Argument --lhs: invalid int value: 'many'"),
                            (["--vary", "x=1,2", "--on", "moon"], "invalid choice: 'moon'"),
                            (["--vary", "x=1,2", "--hosts", "a"], "--hosts is for --on parallel"),
                            (["--vary", "n=1..999999", "--vary", "x=1:2:999999"], "vary fewer values"),
                            ([], "There is nothing to vary")):
            def plan():
                chosen, options = sweep.arguments([*words, "--log", str(self.log)])
                sweep.plan_of(chosen, Model([str(here / "stub_model.py")], options))

            code, text = refused(plan)
            self.assertEqual(code, 2)
            self.assertIn(said, text)
            self.assertEqual(text.count("\n"), 1, text)
        self.assertEqual(self.started(), [])

    def test_a_full_disk_is_told_in_a_sentence(self):
        with mock.patch.object(Path, "write_text", side_effect=OSError(28, "No space left on device")):
            with self.assertRaises(SystemExit) as end:
                campaign.write_whole(self.folder / "campaign.csv", "a")
        self.assertRegex(end.exception.code, r": cannot write .*campaign.csv: No space left on device\.$")

    def test_points_too_close_for_their_names_have_numbers(self):
        points = [{"x": 1.00000001}, {"x": 1.00000002}]
        names = campaign.Campaign(self.folder, {"points": points, "options": {}, "program": [], "model": "m"}).names
        self.assertEqual(names, ["1_x_1", "2_x_1"])

    def test_absurd_runs_have_a_row_and_no_place_in_pictures(self):
        rows = [{"status": "finished", "believable": b, "y": 1.0} for b in ("yes", "doubtful", "no")]
        np.testing.assert_array_equal(campaign.values_of(rows, "y"), [1, 1, np.nan])

    def test_the_page_has_points_contours_and_the_surface(self):
        page = mock.MagicMock()
        with mock.patch.dict(sys.modules, report=mock.MagicMock(Report=page)), \
                mock.patch.object(sweep, "say"), contextlib.redirect_stdout(io.StringIO()):
            self.sweep("--vary", "x=0:3:4", "--vary", "n=1..2", "--fit")
            made = campaign.Campaign.read(self.folder / "c")
            made.plan["report"] = True
            code = sweep.conclude(made)
        self.assertEqual(code, 0)
        titles = [call.args[0] for call in page.return_value.plot.call_args_list]
        self.assertEqual(titles, ["y over x", "y over n"])
        text = " ".join(str(call) for call in page.return_value.method_calls)
        for part in ("A fit, not runs", "R² 1.0000", "campaign.csv", "data:image/svg+xml"):
            self.assertIn(part, text)


if __name__ == "__main__":
    unittest.main()
