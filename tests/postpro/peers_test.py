"""The plot of one model by several solvers: what it draws of which run."""
import json
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import matplotlib  # noqa: F401
    import numpy as np
except ImportError:
    sys.exit(77)  # skipped: tamis plot installs them

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "postpro"))
import peers


def write_run(folder, times, x):
    folder.mkdir()
    (folder / "summary.json").write_text(json.dumps(
        {"model": "particle_damper", "status": "finished", "parameters": {"particles": 20, "frequency": 12}}))
    rows = [f"{float(t)!r},{float(x(t))!r}" for t in times]
    (folder / "histories.csv").write_text("t,x\n" + "\n".join(rows) + "\n")


class Plot(unittest.TestCase):
    def test_runs_are_compared_with_the_first_at_their_own_times(self):
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            write_run(folder / "whole", np.linspace(0, 1, 11), lambda t: t)
            write_run(folder / "fmu", np.linspace(0, 1, 21), lambda t: t + 1e-3)
            drawn = peers.figure(peers.runs_of([f"whole={folder / 'whole'}", f"FMU={folder / 'fmu'}"]))
            moved, apart = drawn.axes
            np.testing.assert_allclose(moved.get_lines()[1].get_ydata()[[0, -1]], [1, 1001])
            (line,) = apart.get_lines()
            np.testing.assert_allclose(line.get_ydata(), 1, rtol=1e-6)
            with self.assertRaisesRegex(SystemExit, "no LABEL=FOLDER"):
                peers.runs_of(["whole"])


if __name__ == "__main__":
    unittest.main()
