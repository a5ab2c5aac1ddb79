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


class Plots(unittest.TestCase):
    def test_draws_the_sweeps_it_asks_for(self):
        made = []

        def make(model, name, folder, options, flags=()):
            made.append((name, options, flags))
            folder.mkdir(parents=True)
            damped = options["method"] == "dem"
            results = {"damping": 0.01 * options["acceleration"]} if damped else {"no_damping": "flat"}
            parameters = {**options, **{flag: True for flag in flags}}
            (folder / "summary.json").write_text(
                json.dumps({"status": "finished", "parameters": parameters, "results": results}))
            (folder / "response.csv").write_text("frequency,force,rms,gain\n6,1,9.81,5\n7,1,9.81,8\n8,1,9.81,4\n")

        with tempfile.TemporaryDirectory() as place, mock.patch("run_folder.make_run", make):
            with mock.patch.object(sys, "argv", ["beam_damper", "--out", f"{place}/figures"]), \
                    mock.patch("builtins.print"):
                beam_damper.main()
                beam_damper.main()  # makes no sweep again
            self.assertEqual(len(made), len(beam_damper.methods) * len(beam_damper.levels))
            self.assertEqual(made[1], ("dem_loose_0.75", {"method": "dem", "coupling": "loose", "acceleration": 0.75},
                                       ["stepped-sine"]))
            for figure in ("b22_fig11.png", "b22_fig12.png"):
                self.assertTrue((Path(place) / "figures" / figure).stat().st_size > 1000)
            rows = (Path(place) / "figures" / "table.md").read_text().splitlines()
            self.assertIn("| 1.25 | 1.25 | 1.25 | nan | nan |", rows)


if __name__ == "__main__":
    unittest.main()
