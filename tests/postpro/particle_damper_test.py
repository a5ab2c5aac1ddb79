"""The plots of particle_damper and damping_map: which runs they ask for, and what they make of them."""
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
import damping_map
import particle_damper
from mocked import make_runs_by


class Plots(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)
        self.made = []

    def make(self, job):
        """An rms of particles x frequency micrometres, twice that by DEM."""
        self.made.append(job.run.name)
        model, options, folder = job.model, job.run.options, job.folder
        folder.mkdir(parents=True)
        rms = 1e-6 * options["particles"] * options["frequency"] * (2 if options.get("method") == "dem" else 1)
        results = {"rms_x_m": rms, "amplitude_x_m": rms * 2**0.5, "phase_x_rad": -1.5}
        (folder / "summary.json").write_text(json.dumps(
            {"model": model, "status": "finished", "parameters": options, "results": results}))
        t = np.linspace(0, 20, 401)
        rows = [f"{x!r},{rms * np.sin(x)!r},{rms * np.cos(x)!r}" for x in map(float, t)]
        (folder / "histories.csv").write_text("t,x,v\n" + "\n".join(rows) + "\n")

    def test_particle_damper_takes_rms_from_results(self):
        figures = {}
        with mock.patch("run_folder.make_runs", make_runs_by(self.make)), mock.patch("builtins.print"), \
                mock.patch.object(sys, "argv", ["particle_damper", "--out", str(self.folder)]), \
                mock.patch.object(particle_damper, "save", lambda figure, path: figures.update({path.name: figure})):
            particle_damper.main()
            self.assertEqual(len(self.made), 4 + 4 * len(particle_damper.frequencies))
            particle_damper.main()  # all of them are there
            self.assertEqual(len(self.made), 4 + 4 * len(particle_damper.frequencies))
        lines = figures["z20_fig13.png"].axes[0].get_lines()
        self.assertEqual([line.get_label() for line in lines], ["monolithic", "loose", "tight", "DEM"])
        self.assertGreaterEqual(lines[0].get_xdata()[0], 19.75)
        self.assertEqual(len(figures["z20_fig14.png"].axes[0].get_lines()), 5)
        np.testing.assert_allclose(figures["z20_fig14.png"].axes[0].get_lines()[4].get_ydata(),
                                   [0.5 * f for f in particle_damper.frequencies])
        text = (self.folder / "tables.md").read_text()
        # v is the rms times cos t; over the last 60 periods of 12 Hz its mean square is known.
        share = np.sqrt(0.5 + (np.sin(40) - np.sin(30)) / 20)
        rows = (self.folder / "z20_fig13.csv").read_text().splitlines()
        self.assertEqual(rows[0], "run,rms_x_m,rms_v_m_s")
        for row, (name, rms) in zip(rows[1:], (("monolithic", 3e-3), ("loose", 3e-3), ("tight", 3e-3), ("DEM", 6e-3))):
            cells = row.split(",")
            self.assertEqual((cells[0], float(cells[1])), (name, rms))
            self.assertAlmostEqual(float(cells[2]) / (rms * share), 1, delta=0.02)  # of 100 points
        self.assertRegex(text, r"\| tight \| 3\.000 \(\+0\.0 %\) \| 0\.002\d \| 4\.243 \| -1\.500 \|")
        self.assertIn("| DEM | 6.000 (+100.0 %) |", text)
        self.assertIn("| 8 Hz | 1.600 | 2.000 | 3.200 | 4.000 | 1.314 |", text)

    def test_response_without_particles_is_that_of_table_2(self):
        """Computed independently; Zhang et al. (2020), Table 2."""
        np.testing.assert_allclose(particle_damper.without_particles([8, 11.75, 15]),
                                   [0.0013140778, 0.11012307, 0.0011333354], rtol=1e-7)
        np.testing.assert_allclose(particle_damper.without_particles(12, 0.092), 0.0052372362,
                                   rtol=1e-7)

    def test_damping_map_reads_its_runs(self):
        """Damping grows with the level, less with softer contacts; one run is missing, one has failed."""
        factors = {"elastic": 1, "directional": 0.9, "eta_0.02": 1, "eta_0.05": 0.8, "eta_0.1": 0.5, "nonsmooth": 1}

        def make(job):
            name, f, k = job.run.name.split("/")[0], job.run.options["frequency"], job.run.options["level"]
            if (name, f, k) == ("elastic", 5, 4):
                return
            zeta = factors[name] * (0.007 if k == 20 else 1e-4 * k)
            results = {"intensity": 0.8 * 1.2**k, "zeta_mean": zeta, "zeta_deviation": 0.1, "amplitude_m": 0.1 / f}
            failed = (name, f, k) == ("elastic", 5, 5)
            job.folder.mkdir(parents=True)
            (job.folder / "summary.json").write_text(json.dumps(
                {"status": "failed: no" if failed else "finished", "parameters": job.parameters,
                 **({} if failed else {"results": results})}))

        figures = {}
        with mock.patch("run_folder.make_runs", make_runs_by(make)), mock.patch("builtins.print"), \
                mock.patch.object(sys, "argv", ["damping_map", "--out", str(self.folder)]), \
                mock.patch.object(damping_map, "save", lambda figure, path: figures.update({path.name: figure})):
            damping_map.main()
        self.assertEqual(list(figures), ["b22_fig9.png", "b22_fig9_nonsmooth.png", "b22_fig10.png"])
        titles = [axes.get_title(loc="left") for axes in figures["b22_fig10.png"].axes[:4]]
        self.assertEqual(titles, ["(a) directional friction", "(b) $\\eta$ = 2 %", "(c) $\\eta$ = 5 %",
                                  "(d) $\\eta$ = 10 %"])
        found = damping_map.read(self.folder, "elastic", damping_map.frequencies, range(21))
        self.assertTrue(np.isnan(found["zeta_mean"][0, 4:6]).all())
        self.assertAlmostEqual(found["zeta_mean"][3, 7], 7e-4)
        text = (self.folder / "tables.md").read_text()
        self.assertIn("| elastic | 271 | 0.700 | 5 Hz, 30.7 g | 13 |", text)
        rows = (self.folder / "eta_0.1.csv").read_text().splitlines()
        self.assertEqual(len(rows), 1 + 273)
        self.assertTrue(rows[3 * 21 + 7 + 1].startswith("10,7,"))
        self.assertAlmostEqual(float(rows[3 * 21 + 7 + 1].split(",")[3]), 3.5e-4)
        np.testing.assert_allclose(damping_map.difference(1.0, 2.0), 0.5)

    def test_damping_map_asks_for_softer_contacts(self):
        runs = {run.name: run.options for run in damping_map.wanted(damping_map.arguments([]))}
        self.assertEqual(len(runs), 5 * 273 + 30)
        soft = runs["eta_0.05/frequency_10_level_3"]
        self.assertEqual((soft["stiffness-from"], soft["eta"], soft["friction-model"]), ("overlap", 0.05, "elastic"))
        self.assertEqual({name.split("/")[0] for name, options in runs.items() if "eta" in options},
                         {"eta_0.02", "eta_0.05", "eta_0.1"})

    def test_damping_map_draws_what_is_there(self):
        with mock.patch.object(sys, "argv", ["damping_map", "--out", str(self.folder), "--only-existing"]), \
                mock.patch("builtins.print"), mock.patch.object(damping_map, "save"), \
                mock.patch("run_folder.make_runs", lambda jobs: self.fail("makes runs")):
            damping_map.main()
        self.assertIn("| elastic | 0 |", (self.folder / "tables.md").read_text())


if __name__ == "__main__":
    unittest.main()
