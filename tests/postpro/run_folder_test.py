"""How plots make their runs: several at a time, on from where they were, past failures, and stopped by a signal."""
import contextlib
import io
import json
import os
import signal
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

try:
    import matplotlib  # noqa: F401
    import numpy as np  # noqa: F401
except ImportError:
    sys.exit(77)  # skipped: tamis plot installs them

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "postpro"))
import run_folder
from run_folder import Job, Run, jobs_of, make_runs

# A program of which --do says what it does. "meet": it ends well only if --other runs at the same time.
program = '''#!/usr/bin/python3
import json, os, signal, sys, time
from pathlib import Path
words = sys.argv[1:]
with open(Path(__file__).parent / "log", "a") as log:
    log.write(" ".join(words) + "\\n")
if words[0] == "build":
    sys.exit(0)
out = Path(words[words.index("--out") + 1])
resume = "--resume" in words
options = {a[2:]: b for a, b in zip(words, words[1:]) if a.startswith("--") and not b.startswith("--")}
out.mkdir(parents=True, exist_ok=True)

def summary(status):
    (out / "summary.json").write_text(json.dumps({"status": status, "parameters": options, "seconds": {"total": 2}}))

def interrupted(number, _):
    summary("interrupted")
    sys.exit(128 + number)

do = options["do"]
if do in ("wait", "stubborn"):
    signal.signal(signal.SIGTERM, interrupted if do == "wait" else signal.SIG_IGN)
    summary("running")
    time.sleep(300)
if do == "meet":
    summary("running")
    end = time.monotonic() + 100
    while not (out.parent / options["other"] / "summary.json").exists() and time.monotonic() < end:
        time.sleep(0.01)
    if time.monotonic() >= end:
        sys.exit("alone")
if do == "fail":
    summary("failed: no")
    sys.exit("note\\nThis cannot be done.")
if do == "change" and resume:
    sys.exit("The model has changed: start it anew without --resume.")
summary("finished")
'''


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Making(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.root = Path(place.name)
        (self.root / "tamis").write_text(program)
        (self.root / "tamis").chmod(0o755)
        self.out = io.StringIO()
        for patch in (mock.patch.object(run_folder, "root", self.root), contextlib.redirect_stdout(self.out),
                      mock.patch.object(run_folder, "at_a_time", lambda: 2)):
            patch.__enter__()
            self.addCleanup(patch.__exit__, None, None, None)

    def jobs(self, **does):
        return jobs_of("m", self.root, [Run(name, {"do": do}) for name, do in does.items()])

    def log(self):
        return (self.root / "log").read_text().splitlines()

    def status(self, name):
        return json.loads((self.root / name / "summary.json").read_text())["status"]

    def leave(self, name, status, **parameters):
        (self.root / name).mkdir()
        (self.root / name / "summary.json").write_text(json.dumps({"status": status, "parameters": parameters}))

    def test_runs_are_made_side_by_side_on_one_thread_each(self):
        wanted = [Run("a", {"do": "meet", "other": "b"}), Run("b", {"do": "meet", "other": "a", "threads": "2"})]
        self.assertEqual(make_runs(jobs_of("m", self.root, wanted)), {})
        log = self.log()
        self.assertEqual(log[0], "build m")  # once
        self.assertIn(f"run m --quiet --out {self.root}/a --threads 1 --do meet --other b", log)
        self.assertIn(f"run m --quiet --out {self.root}/b --threads 2 --do meet --other a", log)
        self.assertEqual(len(log), 3)
        make_runs(jobs_of("m", self.root, wanted))  # they are there
        self.assertEqual(len(self.log()), 3)

    def test_no_processor_waits_while_runs_do(self):
        waited, wait = [], run_folder.wait_for_one
        with mock.patch("run_folder.at_a_time", lambda: 2), \
                mock.patch("run_folder.wait_for_one", lambda running: (waited.append(len(running)), wait(running))):
            make_runs(self.jobs(a="end", b="end", c="end", d="end", e="end"))
        ended = waited.index(1) if 1 in waited else len(waited)
        self.assertEqual(set(waited[:ended]), {2})
        self.assertLessEqual(set(waited[ended:]), {1})

    def test_a_run_that_several_figures_need_is_made_once(self):
        self.assertEqual(len(jobs_of("m", self.root, [Run("a", {"do": "x"}), Run("a", {"do": "x"})])), 1)

    def test_runs_are_made_where_descriptors_of_processes_are_forbidden(self):
        with mock.patch.object(os, "pidfd_open", side_effect=PermissionError):
            self.assertEqual(make_runs(self.jobs(a="end", b="end", c="end")), {})
        self.assertEqual({self.status(name) for name in "abc"}, {"finished"})

    def test_a_failure_is_told_and_does_not_stop_the_others(self):
        ended = []
        failed = make_runs(self.jobs(bad="fail", a="end", b="end", c="end"),
                           lambda job, failure: ended.append((job.run.name, failure)))
        self.assertEqual(failed, {"m/bad": "exit code 1: This cannot be done."})
        self.assertEqual(dict(ended), {"bad": failed["m/bad"], "a": None, "b": None, "c": None})
        self.assertIn("m/bad failed, exit code 1: This cannot be done.\n", self.out.getvalue())
        self.assertIn("3 of 4 runs done", self.out.getvalue())
        with self.assertRaises(SystemExit) as end:
            run_folder.Runs("m", self.root, [Run("bad", {"do": "fail"}), Run("a", {"do": "end"})])
        self.assertRegex(end.exception.code, r"these runs failed.*\n  m/bad: exit code 1: This cannot be done\.$")

    def test_what_is_to_fail_may_fail(self):
        job = Job("m", Run("bad", {"do": "fail"}, (), True), self.root / "bad")
        self.assertEqual(make_runs([job]), {})
        self.assertTrue(job.there)
        self.assertFalse(Job("m", Run("bad", {"do": "fail"}), self.root / "bad").there)

    def test_an_absurd_result_is_not_there(self):
        self.leave("a", "finished", do="end")
        job, = self.jobs(a="end")
        self.assertTrue(job.there)
        path = self.root / "a" / "summary.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), "verdict": {"believable": "no"}}))
        self.assertFalse(job.there)
        self.assertTrue(Job("m", Run("a", {"do": "end"}, (), True), self.root / "a").there)

        self.assertTrue(Job("m", Run("a", {"do": "end"}, may_be_absurd=True), self.root / "a").there)

    def test_unfinished_runs_go_on(self):
        self.leave("a", "interrupted", do="end")
        self.leave("b", "running", do="other")  # of other options
        self.assertEqual(make_runs(self.jobs(a="end", b="end", c="end")), {})
        resumed = [line.split("/")[-1].split()[0] for line in self.log() if "--resume" in line]
        self.assertEqual(resumed, ["a"])
        self.assertEqual({self.status(name) for name in "abc"}, {"finished"})

    def test_runs_that_cannot_go_on_begin_anew(self):
        self.leave("a", "interrupted", do="change")
        self.assertEqual(make_runs(self.jobs(a="change")), {})
        self.assertEqual(["--resume" in line for line in self.log()[1:]], [True, False])
        self.assertEqual(self.status("a"), "finished")

    def test_again_begins_anew(self):
        self.leave("a", "interrupted", do="end")
        make_runs([job._replace(again=True) for job in self.jobs(a="end")])
        self.assertNotIn("--resume", self.log()[1])

    def signal_when_running(self, names, number, times):
        def send():
            while not all((self.root / name / "summary.json").exists() for name in names):
                time.sleep(0.01)
            for _ in range(times):
                os.kill(os.getpid(), number)
                time.sleep(0.3)

        thread = threading.Thread(target=send)
        thread.start()
        self.addCleanup(thread.join)

    def test_a_signal_stops_the_runs_and_says_how_to_go_on(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            before = signal.getsignal(number)
            for name in ("a", "b"):
                (self.root / name / "summary.json").unlink(missing_ok=True)
            self.signal_when_running("ab", number, 1)
            with self.assertRaises(SystemExit) as end:
                make_runs(self.jobs(a="wait", b="wait", c="end"))
            self.assertEqual(end.exception.code, 128 + number)
            self.assertEqual([self.status(name) for name in "ab"], ["interrupted"] * 2)
            self.assertFalse((self.root / "c").exists())
            self.assertIn("stopped with 0 of 3 runs done; the same command goes on", self.out.getvalue())
            self.assertEqual(signal.getsignal(number), before)

    def test_a_second_signal_kills(self):
        self.signal_when_running("a", signal.SIGINT, 2)
        begin = time.monotonic()
        with self.assertRaises(SystemExit):
            make_runs(self.jobs(a="stubborn"))
        self.assertLess(time.monotonic() - begin, 55)  # not after a minute of patience
        self.assertEqual(self.status("a"), "running")  # which the next start goes on with

    def test_no_run_is_left_alone_by_an_error(self):
        def ended(job, failure):
            raise ValueError

        with self.assertRaises(ValueError):
            make_runs([*self.jobs(a="wait"), *jobs_of("m", self.root, [Run("b", {"do": "meet", "other": "a"})])], ended)
        self.assertEqual(self.status("a"), "interrupted")


class Progress(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)
        self.clock = mock.patch.object(run_folder.time, "monotonic", lambda: self.now).__enter__()
        self.addCleanup(mock.patch.stopall)
        self.now = 1000.0

    def job(self, model, name, seconds=None):
        folder = self.folder / model / name
        if seconds is not None:
            folder.mkdir(parents=True)
            (folder / "summary.json").write_text(json.dumps(
                {"status": "finished", "parameters": {}, "seconds": {"total": seconds}}))
        return Job(model, Run(name, {}), folder)

    def process(self, job, seconds):
        return mock.Mock(job=job, seconds=seconds, failure=lambda: None)

    def progress(self, jobs):
        return run_folder.Progress(jobs, [job for job in jobs if not job.there])

    def test_time_left_is_that_of_like_runs(self):
        """Two of model a took 10 and 30 s; one is open, one has run for 5 s; of model b none has ended."""
        jobs = [self.job("a", "1", 10), self.job("a", "2", 30), self.job("a", "3"), self.job("a", "4"),
                self.job("b", "1")]
        progress = self.progress(jobs)
        running = [self.process(progress.waiting.pop(0), 5)]
        self.now += 7
        with mock.patch.object(run_folder, "at_a_time", lambda: 2):
            self.assertEqual(progress.left(running), (15 + 20 + 20) / 2)
            self.assertEqual(progress.text(running),
                             "2 of 5 runs done, 7 s elapsed, roughly 28 s left; running a/3")
            running.append(self.process(progress.waiting.pop(), 80))  # of b; longer than the others
            self.assertEqual(progress.left(running), (15 + 20) / 2)
            progress.waiting = jobs[-1:] * 2
            self.assertEqual(progress.left(running), (15 + 80 + 80) / 2)
            progress.waiting.clear()
            self.assertEqual(progress.left(running), 15)  # one run has one processor

    def test_only_processors_that_may_be_used_count(self):
        with mock.patch.object(os, "sched_getaffinity", lambda _: {3, 5, 7}):
            self.assertEqual(run_folder.at_a_time(), 3)

    def test_no_guess_without_a_finished_run(self):
        progress = self.progress([self.job("a", "1")])
        self.assertEqual(progress.text([]), "0 of 1 runs done, 0 s elapsed, time left unknown")

    def test_one_line_on_a_terminal_and_lines_elsewhere(self):
        jobs = [self.job("a", "1"), self.job("a", "2")]
        for out, said in ((Terminal(), "\r\033[K0 of 2 runs done, 0 s elapsed, time left unknown; running a/1"),
                          (io.StringIO(), "a/1 took 4 s; 1 of 2 runs done, 0 s elapsed, roughly 4 s left\n")):
            progress = self.progress(jobs)
            running = [self.process(progress.waiting.pop(0), 4)]
            with contextlib.redirect_stdout(out), mock.patch.object(run_folder, "at_a_time", lambda: 1), \
                    mock.patch.object(run_folder.shutil, "get_terminal_size", lambda: os.terminal_size((80, 24))):
                progress.show(running)
                progress.end(running.pop(), running)
            self.assertEqual(out.getvalue(), said)

    def test_a_line_fits_the_terminal(self):
        progress = self.progress([self.job("a", "1" * 100)])
        out = Terminal()
        with contextlib.redirect_stdout(out), \
                mock.patch.object(run_folder.shutil, "get_terminal_size", lambda: os.terminal_size((40, 24))):
            progress.show([self.process(progress.waiting[0], 0)])
        self.assertEqual(len(out.getvalue()), len("\r\033[K") + 39)

    def test_durations(self):
        self.assertEqual([run_folder.duration(s) for s in (0.4, 99, 150, 5900, 11100)],
                         ["0 s", "99 s", "2 min", "98 min", "3 h 05 min"])


if __name__ == "__main__":
    unittest.main()
