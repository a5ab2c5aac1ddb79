"""The plots of beam_damper: which sweeps they ask for, and what they draw of them."""
import json
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

try:
    import matplotlib  # noqa: F401
    import numpy as np  # noqa: F401
except ImportError:
    sys.exit(77)  # skipped: tamis plot installs them

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "postpro"))
import beam_damper
from mocked import make_runs_by


def write(folder, options, status="finished"):
    """A sweep by DEM has a damping ratio of 1 % of its level."""
    folder.mkdir(parents=True)
    damped = options["method"] == "dem"
    results = {"damping": 0.01 * options["acceleration"]} if damped else {"no_damping": "flat"}
    (folder / "summary.json").write_text(json.dumps(
        {"status": status, "parameters": {"particles": "grains", **options}, "results": results}))
    (folder / "response.csv").write_text("frequency,force,rms,gain\n6,1,9.81,5\n7,1,9.81,8\n8,1,9.81,4\n")


class Plots(unittest.TestCase):
    def test_draws_the_sweeps_it_asks_for(self):
        made = []

        def make(job):
            made.append(job.run)
            write(job.folder, job.parameters)

        with tempfile.TemporaryDirectory() as place, mock.patch("run_folder.make_runs", make_runs_by(make)):
            self.plot(place)
            self.plot(place)  # makes no sweep again
            self.assertEqual(len(made), 2 * len(beam_damper.levels))
            self.assertEqual((made[1].name, made[1].flags), ("dem_loose_0.75", ("stepped-sine",)))
            self.assertEqual({**made[1].options, "method": "dem", "coupling": "loose", "acceleration": 0.75},
                             made[1].options)
            for figure in ("b22_fig11.png", "b22_fig12.png"):
                self.assertTrue((Path(place) / figure).stat().st_size > 1000)
            self.assertIn("| 1.25 | 1.25 | nan |", (Path(place) / "table.md").read_text().splitlines())
            self.plot(place, "--methods", "dem", "nonsmooth")
            self.assertEqual(len(made), 4 * len(beam_damper.levels))

    def plot(self, place, *more):
        with mock.patch.object(sys, "argv", ["beam_damper", "--out", place, *more]), mock.patch("builtins.print"):
            beam_damper.main()

    def test_draws_what_exists_whatever_it_is_called(self):
        """By DEM at three levels, by the nonsmooth method at one; others are not finished, or no such sweeps."""
        dem, nonsmooth = (beam_damper.methods[name][1] for name in ("dem_loose", "nonsmooth_loose"))
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            for name, options, level, more in (("a", dem, 2.0, {}), ("b", dem, 0.5, {}), ("c", dem, 1.0, {}),
                                               ("d", nonsmooth, 2.0, {}), ("e", nonsmooth, 1.0, {"status": "running"}),
                                               ("f", nonsmooth, 0.5, {"particles": "lumped"}),
                                               ("g", nonsmooth, 0.5, {"stepped-sine": False})):
                status = more.pop("status", "finished")
                write(folder / name, {**options, "stepped-sine": True, "acceleration": level, **more}, status)
            sweeps = beam_damper.existing(folder, ["dem_loose", "nonsmooth_loose"])
            self.assertEqual(list(sweeps), [("dem_loose", 0.5), ("dem_loose", 1.0), ("dem_loose", 2.0),
                                            ("nonsmooth_loose", 2.0)])
            left, right = beam_damper.transfer_functions(sweeps).axes
            self.assertEqual((len(left.lines), len(right.lines)), (3, 1))
            ratios, at_2g = beam_damper.comparison(sweeps).axes
            self.assertEqual(list(ratios.lines[0].get_ydata()), [0.5, 1.0, 2.0])
            self.assertEqual([line.get_label() for line in at_2g.lines], ["dem, loose", "nonsmooth, loose"])
            with mock.patch("run_folder.make_runs", lambda jobs: self.fail("makes runs")):
                self.plot(place, "--only-existing")
            self.assertIn("| 2 | 2.00 | nan |", (folder / "table.md").read_text())
            with self.assertRaisesRegex(SystemExit, "no finished sweeps by dem in"):
                self.plot(place, "--only-existing", "--methods", "dem")


if __name__ == "__main__":
    unittest.main()
