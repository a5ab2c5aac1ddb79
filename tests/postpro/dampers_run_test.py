"""A study of dampers as a whole, with true runs: 40 balls, three periods, at two frequencies and intensities."""
import contextlib
import io
import json
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

try:
    import matplotlib.image
    import numpy as np
except ImportError:
    sys.exit(77)  # skipped: tamis study installs them

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "postpro"))
import damping_map
import dampers
import run_folder

program = run_folder.program_of("damping_map")
if not program.is_file():
    print(f"skipped: {program} is not built")
    sys.exit(77)

jobs_of = run_folder.jobs_of
tiny = {name: ({**options, "balls": 40, "cycles": 3, "judged": 2}, [50, 100], [8, 20])
        for name, (options, _, _) in damping_map.maps.items()}


def draw(part):
    """In this process: `tamis plot` would build."""
    words = ["damping_map", "--quick", "--out", str(part.folder)]
    with mock.patch.object(sys, "argv", words), contextlib.redirect_stdout(io.StringIO()):
        damping_map.main()
    return 0


class Study(unittest.TestCase):
    def run_study(self, folder):
        said = io.StringIO()
        with mock.patch.object(sys, "argv", ["dampers", "--quick", "--out", str(folder), "damping_map"]), \
                mock.patch.object(damping_map, "small", tiny), mock.patch.object(dampers, "draw", draw), \
                mock.patch.object(run_folder, "jobs_of",
                                  lambda *of: [job._replace(program=(program,)) for job in jobs_of(*of)]), \
                mock.patch.dict(os.environ, {"TAMIS_PACKINGS": str(folder / "packings")}), \
                contextlib.redirect_stdout(said):
            dampers.main()
        return said.getvalue()

    def test_maps_are_of_runs_that_were_made(self):
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            self.assertRegex(self.run_study(folder), r"damping_map +done +24 of 24 runs")
            for name, (_, of, levels) in tiny.items():
                rows = np.loadtxt(folder / "damping_map" / f"{name}.csv", delimiter=",", skiprows=1)
                zeta = rows[:, 3].reshape(2, 2)
                self.assertTrue(np.all(zeta > 0) and np.all(zeta < damping_map.bound), f"{name}: {zeta}")
                for f, level, *results in rows:
                    run = folder / "damping_map" / damping_map.place(name, f, int(level)) / "summary.json"
                    summary = json.loads(run.read_text())
                    self.assertEqual(results, [summary["results"][key] for key in damping_map.results])
                    # The intensity is that of the motion that was recorded: A w^2 = intensity g.
                    t, z = np.loadtxt(run.parent / "histories.csv", delimiter=",", skiprows=1, usecols=[0, 1]).T
                    self.assertAlmostEqual(np.ptp(z) / 2 * (2 * np.pi * f)**2 / 9.81 / results[0], 1, places=3)
            for figure in ("b22_fig9", "b22_fig9_nonsmooth", "b22_fig10"):
                pixels = matplotlib.image.imread(folder / "damping_map" / f"{figure}.png")[:, :, :3]
                coloured = np.ptp(pixels, axis=2) > 0.2
                self.assertGreater(np.mean(coloured), 0.1, figure)
            # Nothing is made again.
            before = sorted(path.stat().st_mtime for path in folder.rglob("summary.json"))
            self.run_study(folder)
            self.assertEqual(sorted(path.stat().st_mtime for path in folder.rglob("summary.json")), before)


if __name__ == "__main__":
    unittest.main()
