"""The studies that are campaigns: which runs they ask for, and what they conclude."""
import contextlib
import io
import json
import sys
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

try:
    import matplotlib  # noqa: F401
    import numpy as np
except ImportError:
    sys.exit(77)  # skipped: tamis study installs them

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "postpro"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
import damper_design
import tamping_study
import tamping_test
from campaign import Campaign


def chosen(**more):
    return types.SimpleNamespace(quick=False, full=False, no_report=True, frequency=11.5, beds=2, **more)


class DamperDesign(unittest.TestCase):
    def test_length_is_clearance_and_what_balls_fill(self):
        """200 balls of 113.1 mm3 at 55 %: 41126 mm3 in 38 mm x 38 mm."""
        self.assertAlmostEqual(damper_design.length_of(4e-3, damper_design.full), 4e-3 + 28.481e-3, places=6)

    def test_every_clearance_and_amplitude_has_a_run(self):
        points = damper_design.plan_of(chosen())["points"]
        self.assertEqual(len(points), 24)
        self.assertEqual([p["amplitude"] for p in points[::6]], damper_design.amplitudes[False])
        self.assertEqual(len({p["length"] for p in points[:6]}), 6)

    def test_the_best_design_has_the_largest_least_damping(self):
        zeta = np.array([[0.01, 0.09], [0.02, 0.03], [np.nan, 0.5]])
        self.assertEqual(damper_design.best(zeta), 1)
        self.assertIsNone(damper_design.best(np.full((2, 2), np.nan)))
        text = damper_design.text_of(zeta, zeta, np.array([[0, 0.1], [0, 0], [np.nan, 0]]), [4e-3, 8e-3, 16e-3],
                                     [5e-4, 1e-3])
        self.assertIn("Best design: a clearance of 8 mm, which damps by 2.00 % or more at all amplitudes, and best at "
                      "1 of 2 of them.", text)
        self.assertIn("1 of 6 runs were not steady", text)
        damper_design.figure_of(np.array([[0.01, 0.09], [0.02, 0.03]]), [4e-3, 8e-3], [5e-4, 1e-3])

    def test_damping_is_read_in_the_order_of_the_points(self):
        rows = [{"status": "finished", "zeta_particles": k} for k in range(6)]
        zeta, _, _ = damper_design.table_of(rows, True)
        np.testing.assert_array_equal(zeta, [[0, 3], [1, 4], [2, 5]])


class Tamping(unittest.TestCase):
    def test_cases_are_concluded_over_beds(self):
        """Runs whose curves are formulas; in the second bed 30 Hz squeezes less than 15 Hz."""
        with tempfile.TemporaryDirectory() as place:
            campaign = Campaign(Path(place), tamping_study.plan_of(chosen()))
            self.assertEqual(len(campaign.jobs), 8)
            for job, point in zip(campaign.jobs, campaign.plan["points"]):
                squeeze = {15: 0.03, 30: 0.04 if point["seed"] == 1 else 0.025, 45: 0.05}[point["frequency"]]
                tamping_test.write(job.folder, point["frequency"], point["drive"], squeeze=squeeze,
                                   more={**job.parameters})
                path = job.folder / "summary.json"
                path.write_text(json.dumps({**json.loads(path.read_text()), "verdict": {"believable": "yes"}}))
            runs = tamping_study.runs_of(campaign)
            self.assertEqual([(r.case.folder, r.seed) for r in runs[:5]],
                             [("15", 1), ("15", 2), ("30", 1), ("30", 2), ("45", 1)])
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                tamping_study.tamping.conclusions(runs, Path(place))
        self.assertRegex(said.getvalue(), r"yes  30 Hz squeezes more than 15 Hz +\(32.5 ± 11 against 30 ± \S+ mm, in "
                         "1 of 2 beds")
        self.assertRegex(said.getvalue(), r"yes  45 Hz squeezes more than 15 Hz .*in 2 of 2 beds")

    def test_runs_that_are_missing_or_absurd_are_left_out(self):
        with tempfile.TemporaryDirectory() as place:
            campaign = Campaign(Path(place), tamping_study.plan_of(chosen()))
            job = campaign.jobs[0]
            tamping_test.write(job.folder, 15, "dynamic", more={**job.parameters})
            self.assertEqual(len(tamping_study.runs_of(campaign)), 1)
            path = job.folder / "summary.json"
            path.write_text(json.dumps({**json.loads(path.read_text()), "verdict": {"believable": "no"}}))
            with mock.patch.object(campaign, "rows", {}):
                self.assertEqual(tamping_study.runs_of(campaign), [])


if __name__ == "__main__":
    unittest.main()
