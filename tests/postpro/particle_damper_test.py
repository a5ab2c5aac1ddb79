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
from run_folder import Runs


class Plots(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)
        self.made = []

    def make(self, model, name, folder, options, flags=()):
        """An rms of particles x frequency micrometres, twice that by DEM."""
        self.made.append(name)
        folder.mkdir(parents=True)
        rms = 1e-6 * options["particles"] * options["frequency"] * (2 if options.get("method") == "dem" else 1)
        results = {"rms_x_m": rms, "amplitude_x_m": rms * 2**0.5, "phase_x_rad": -1.5}
        (folder / "summary.json").write_text(json.dumps(
            {"model": model, "status": "finished", "parameters": options, "results": results}))
        t = np.linspace(0, 20, 401)
        rows = [f"{x!r},{rms * np.sin(x)!r},{rms * np.cos(x)!r}" for x in map(float, t)]
        (folder / "histories.csv").write_text("t,x,v\n" + "\n".join(rows) + "\n")

    def test_particle_damper_takes_rms_from_results(self):
        with mock.patch("run_folder.make_run", self.make):
            runs = Runs("particle_damper", self.folder, False)
            figure, compared = particle_damper.fig13(runs)
            found = particle_damper.curves(runs, particle_damper.frequencies)
            self.assertEqual(len(self.made), 3 + 4 * len(particle_damper.frequencies))
            particle_damper.curves(runs, particle_damper.frequencies)  # all of them are there
            self.assertEqual(len(self.made), 3 + 4 * len(particle_damper.frequencies))
        self.assertEqual(len(figure.axes[0].get_lines()), 3)
        self.assertGreaterEqual(figure.axes[0].get_lines()[0].get_xdata()[0], 19.75)
        np.testing.assert_allclose(found[250, "dem"], [5e-4 * f for f in particle_damper.frequencies])
        self.assertEqual(len(particle_damper.fig14(particle_damper.frequencies, found).axes[0].get_lines()), 5)
        text = particle_damper.tables(compared, particle_damper.frequencies, found)
        self.assertIn("| tight | 3.000 (+0.0 %) | 4.243 | -1.500 |", text)
        self.assertIn("| 8 Hz | 1.600 | 2.000 | 3.200 | 4.000 | 1.314 |", text)

    def test_response_without_particles_is_that_of_table_2(self):
        """Computed independently; Zhang et al. (2020), Table 2."""
        np.testing.assert_allclose(particle_damper.without_particles([8, 11.75, 15]),
                                   [0.0013140778, 0.11012307, 0.0011333354], rtol=1e-7)
        np.testing.assert_allclose(particle_damper.without_particles(12, 0.092), 0.0052372362,
                                   rtol=1e-7)

    def test_damping_map_is_read_from_its_table(self):
        asked = {}

        def make(model, name, folder, options, flags=()):
            asked[name] = flags
            folder.mkdir(parents=True)
            _, of, levels = damping_map.maps[name]
            rows = [f"{f:g},{k},{0.8 * 1.2**k!r},{(0.007 if k == 20 else 1e-4 * k)!r},0.1,{0.1 / f!r}"
                    for f in of for k in levels if (f, k) != (5, 4)]
            (folder / "variation.csv").write_text("frequency,level,intensity,zeta_mean,zeta_deviation,amplitude_m\n" +
                                                  "\n".join(rows) + "\n")

        with mock.patch("damping_map.make_run", make):
            found = {name: damping_map.make(self.folder, name, chosen, False)
                     for name, chosen in damping_map.maps.items()}
        self.assertEqual(asked["nonsmooth"], ["resume", "vary=frequency=5,10,20,50,100", "vary=level=0,4,8,12,16,20"])
        self.assertTrue(np.isnan(found["elastic"]["zeta_mean"][0, 4]))
        self.assertAlmostEqual(found["elastic"]["zeta_mean"][3, 7], 7e-4)
        damping_map.fig9(damping_map.frequencies, found["elastic"])
        damping_map.fig10(damping_map.frequencies, found["elastic"], found["directional"])
        text = damping_map.table(damping_map.maps, found)
        self.assertIn("| elastic | 272 | 0.700 | 5 Hz, 30.7 g | 13 |", text)
        self.assertAlmostEqual(float(damping_map.difference(1.0, 2.0)), 0.5)


if __name__ == "__main__":
    unittest.main()
