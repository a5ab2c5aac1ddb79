"""A campaign by GNU parallel, here and over hosts by a stand-in for ssh. Skipped, saying so, where it is absent."""
import csv
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

try:
    import matplotlib  # noqa: F401
    import numpy as np  # noqa: F401
except ImportError:
    sys.exit(77)  # skipped: tamis sweep installs them
if not shutil.which("parallel"):
    print("skipped: there is no GNU parallel; Debian's parallel has it")
    sys.exit(77)

here = Path(__file__).resolve().parent
postpro = here.parents[1] / "postpro"


class OnParallel(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)

    def start(self, *words, **environment):
        environment = {**os.environ, "TAMIS_PROGRAM": str(here / "stub_model.py"), "HOME": str(self.folder),
                       **environment}
        return subprocess.Popen(["/usr/bin/python3", "-B", postpro / "sweep.py", *words, "--out", self.folder / "c",
                                 "--no-report", "--log", self.folder / "log", "--on", "parallel"], env=environment,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def sweep(self, *words, code=0, **environment):
        process = self.start(*words, **environment)
        said = process.communicate(timeout=120)[0]
        self.assertEqual(process.returncode, code, said)
        return said

    def rows(self):
        with open(self.folder / "c" / "campaign.csv") as file:
            return [(int(r["n"]), r["status"]) for r in csv.DictReader(file)]

    def log(self):
        return sorted((self.folder / "log").read_text().split("\n")[:-1])

    def test_runs_are_made_once_and_failures_cost_no_other(self):
        said = self.sweep("--vary", "n=1..3", "--do", "fail-second", "--jobs", "2", code=1)
        self.assertIn("1 of 3 runs are missing", said)
        self.assertEqual(self.rows(), [(1, "finished"), (2, "failed"), (3, "finished")])
        self.assertEqual([self.log().count(name) for name in ("n_1", "n_2", "n_3")], [1, 1, 1])

    def test_hosts_are_reached_by_ssh(self):
        ssh = self.folder / "ssh"
        ssh.write_text(f"""#!/bin/bash
echo "$1" >>{self.folder}/hosts
shift
[[ $1 != -- ]] || shift
exec bash -c "$*"
""")
        ssh.chmod(0o755)
        self.sweep("--vary", "n=1..2", "--hosts", "1/one,1/two", PARALLEL_SSH=str(ssh))
        self.assertEqual(self.rows(), [(1, "finished"), (2, "finished")])
        self.assertLessEqual({"one", "two"}, set((self.folder / "hosts").read_text().split()))

    def test_what_was_stopped_goes_on(self):
        words = ["--vary", "n=1..2", "--do", "wait", "--jobs", "2"]
        process = self.start(*words)
        end = time.monotonic() + 50
        while not all((self.folder / f"c/runs/n_{n}/summary.json").exists() for n in (1, 2)):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        said = process.communicate(timeout=60)[0]
        self.assertEqual(process.returncode, 143, said)
        self.sweep(*words)
        self.assertEqual(self.log(), ["n_1", "n_1 resume", "n_2", "n_2 resume"])
        self.assertEqual(self.rows(), [(1, "finished"), (2, "finished")])


if __name__ == "__main__":
    unittest.main()
