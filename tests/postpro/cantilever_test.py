"""The plots of cantilever: which runs they ask for, and what they draw of them."""
import json
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

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "postpro"))
import cantilever
from mocked import make_runs_by


def write(folder, options, amplitude):
    folder.mkdir(parents=True, exist_ok=True)
    t = np.linspace(0, 1, 11)
    rows = [",".join(cantilever.columns)]
    rows += [",".join(map(repr, (float(x), amplitude * float(x), amplitude, 2 * float(x), 2.0, 0.0))) for x in t]
    (folder / "histories.csv").write_text("\n".join(rows) + "\n")
    (folder / "summary.json").write_text(json.dumps({"status": "finished", "parameters": options}))


class Plots(unittest.TestCase):
    def test_draws_the_runs_it_asks_for(self):
        made = []

        def make(job):
            made.append(job.run)
            write(job.folder, job.run.options, 3.0 if "_" in job.run.name else 4.0)

        with tempfile.TemporaryDirectory() as place, mock.patch("run_folder.make_runs", make_runs_by(make)):
            arguments = ["cantilever", "--out", f"{place}/figures"]
            with mock.patch.object(sys, "argv", arguments), mock.patch("builtins.print") as said:
                cantilever.main()
                cantilever.main()  # makes no run again
            self.assertEqual([run.name for run in made], list(cantilever.ways))
            self.assertEqual(made[3].options, {"excitation": "crank", "coupling": "explicit-index1", "rho-inf": 0.25,
                                               "t-end": 2.0})
            for figure in ("z20_fig17.png", "z22_fig14.png"):
                self.assertTrue((Path(place) / "figures" / figure).stat().st_size > 1000)
            table = [call.args[0] for call in said.call_args_list if str(call.args[0]).startswith("crank_explicit")]
            self.assertEqual(table[0].split(),
                             ["crank_explicit", "3000.000", "2000.000", "1000.000", "1000.000", "0.0e+00"])


if __name__ == "__main__":
    unittest.main()
