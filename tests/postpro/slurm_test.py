"""A campaign as a job array of a real Slurm, which the test starts in a folder of its own: two nodes of one processor
on this machine. Skipped, saying so, where Slurm or munge is not installed."""
import csv
import os
import shutil
import signal
import socket
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
for program in ("munged", "slurmctld", "slurmd", "sbatch"):
    if not shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin"):
        print(f"skipped: there is no {program}; Debian's slurm-wlm and munge have it")
        sys.exit(77)

here = Path(__file__).resolve().parent
postpro = here.parents[1] / "postpro"

conf = """ClusterName=test
SlurmctldHost={host}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={place}/munge.socket
CredType=cred/munge
SlurmctldPort={ports[0]}
StateSaveLocation={place}/state
SlurmdSpoolDir={place}/spool.%n
SlurmctldPidFile={place}/slurmctld.pid
SlurmdPidFile={place}/slurmd.%n.pid
SlurmctldLogFile={place}/slurmctld.log
SlurmdLogFile={place}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,batch_sched_delay=0,sched_min_interval=10000
SlurmdTimeout=3
ReturnToService=2
MinJobAge=300
MaxArraySize=4
SwitchType=switch/none
MpiDefault=none
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs=1 RealMemory=100
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]} CPUs=1 RealMemory=100
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=10 State=UP
"""


def free_ports(n):
    sockets = [socket.socket() for _ in range(n)]
    for s in sockets:
        s.bind(("", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


class Cluster:
    def __init__(self, place):
        self.place, self.processes = place, {}
        host = socket.gethostname().split(".")[0]
        user = subprocess.run(["id", "-un"], capture_output=True, text=True).stdout.strip()
        (place / "slurm.conf").write_text(conf.format(place=place, host=host, user=user, ports=free_ports(3)))
        (place / "state").mkdir()
        self.environment = {**os.environ, "SLURM_CONF": str(place / "slurm.conf"),
                            "PATH": f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin"}
        (place / "key").write_bytes(os.urandom(1024))
        (place / "key").chmod(0o400)
        self.start("munged", "--foreground", "--force", f"--key-file={place}/key", f"--socket={place}/munge.socket",
                   f"--pid-file={place}/munge.pid", f"--log-file={place}/munge.log", f"--seed-file={place}/seed")
        self.wait(lambda: (place / "munge.socket").exists())
        self.start("slurmctld", "-D")
        for node in ("n1", "n2"):
            self.node(node)
        self.wait(lambda: self.states() == {"n1": "idle", "n2": "idle"})

    def start(self, program, *words):
        with open(self.place / f"{program}{words[-1]}.out".replace("/", "_"), "w") as out:
            self.processes[program + words[-1]] = subprocess.Popen(
                [program, *words], env=self.environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                start_new_session=True)

    def node(self, name):
        self.start("slurmd", "-D", "-N", name)

    def kill_node(self, name):
        """With all that runs on it, at once."""
        self.processes[f"slurmd{name}"].kill()
        self.processes[f"slurmd{name}"].wait()
        for process in Path("/proc").iterdir():
            try:
                environment = (process / "environ").read_bytes().split(b"\0")
                words = (process / "cmdline").read_bytes()
            except OSError:
                continue
            here = f"SLURM_CONF={self.place / 'slurm.conf'}".encode() in environment
            if here and (f"SLURMD_NODENAME={name}".encode() in environment or b"slurmstepd" in words
                         and f"SLURMD_NODENAME={name}".encode() in environment):
                os.kill(int(process.name), signal.SIGKILL)

    def ask(self, *words):
        return subprocess.run(words, env=self.environment, capture_output=True, text=True).stdout

    def states(self):
        return dict(line.split() for line in self.ask("sinfo", "-h", "-N", "-o", "%N %t").splitlines())

    def wait(self, ready, seconds=40):
        end = time.monotonic() + seconds
        while not ready():
            if time.monotonic() > end:
                logs = "\n".join(p.read_text(errors="replace")[-2000:] for p in self.place.glob("*.log"))
                raise AssertionError(f"Slurm is not ready: {self.states()}\n{logs}")
            time.sleep(0.1)

    def stop(self):
        for process in reversed(self.processes.values()):
            process.terminate()
        for process in self.processes.values():
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


class OnSlurm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.cluster = Cluster(Path(cls.place.name))

    @classmethod
    def tearDownClass(cls):
        cls.cluster.stop()
        cls.place.cleanup()

    def setUp(self):
        place = tempfile.TemporaryDirectory(dir=self.place.name)
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)

    def sweep(self, *words, code=0):
        environment = {**self.cluster.environment, "TAMIS_PROGRAM": str(here / "stub_model.py")}
        done = subprocess.run(["/usr/bin/python3", "-B", postpro / "sweep.py", *words, "--out", self.folder / "c",
                               "--no-report", "--log", self.folder / "log", "--on", "slurm"], env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
        self.assertEqual(done.returncode, code, done.stdout)
        return done.stdout

    def rows(self):
        with open(self.folder / "c" / "campaign.csv") as file:
            return [(int(r["n"]), r["status"], r["y"]) for r in csv.DictReader(file)]

    def log(self):
        return sorted((self.folder / "log").read_text().split("\n")[:-1])

    def test_arrays_then_the_table(self):
        """Six runs are two arrays where an array has four tasks at most."""
        said = self.sweep("--vary", "n=1..6", "--wait")
        self.assertRegex(said, r"6 runs are submitted as \d+, \d+, the table and the report follow them")
        self.assertEqual(self.rows(), [(n, "finished", f"{6.0 - n}") for n in range(1, 7)])
        self.assertEqual(self.log(), [f"n_{n}" for n in range(1, 7)])
        self.assertIn("campaign.csv (6 of 6 runs)", (self.folder / "c/cluster/collect.log").read_text())
        self.sweep("--vary", "n=1..7", "--wait")  # one more
        self.assertEqual(len(self.log()), 7)

    def test_a_run_that_fails_costs_no_other_and_is_tried_again(self):
        self.sweep("--vary", "n=1..3", "--do", "fail-second", "--wait", code=1)
        self.assertEqual([status for _, status, _ in self.rows()], ["finished", "failed", "finished"])
        self.sweep("--vary", "n=1..3", "--do", "fail-second", "--wait", code=1)
        self.assertEqual(self.log(), ["n_1", "n_2", "n_2 resume", "n_3"])

    def test_a_node_that_dies_loses_no_finished_run(self):
        """Of two runs that wait, one is on the node that dies: Slurm queues it again, and it goes on elsewhere."""
        self.sweep("--vary", "n=1..2", "--do", "wait")
        self.assertIn("are in the queue still", self.sweep("--vary", "n=1..2", "--do", "wait", code=1))
        self.cluster.wait(lambda: len(self.started()) == 2)
        self.cluster.kill_node("n1")
        self.cluster.wait(lambda: self.log() in (["n_1", "n_1 resume", "n_2"], ["n_1", "n_2", "n_2 resume"])
                          or self.cluster.ask("squeue", "-h", "-t", "PD"), 60)
        for job in (self.folder / "c/cluster/jobs").read_text().split()[:1]:  # the run that waits on the other node
            self.cluster.ask("scancel", "--signal=TERM", "--batch", job)
        self.cluster.node("n1")
        self.cluster.wait(lambda: not self.cluster.ask("squeue", "-h"), 60)
        self.sweep("--vary", "n=1..2", "--do", "wait", "--wait")
        self.assertEqual([status for _, status, _ in self.rows()], ["finished", "finished"])
        self.assertEqual(self.log(), ["n_1", "n_1 resume", "n_2", "n_2 resume"])

    def started(self):
        return self.log() if (self.folder / "log").exists() else []


if __name__ == "__main__":
    unittest.main()
