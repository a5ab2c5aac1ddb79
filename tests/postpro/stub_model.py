#!/usr/bin/python3
"""A program that answers like one of a model, for tests: y = 2 + 3 x + x^2 - n, so fast that it takes no time. The
option `do` makes it fail, come to an absurd result, be killed once, or wait for a signal; `log` is a file that gets a
line for each start."""
import json
import math
import os
import signal
import sys
import time
from pathlib import Path

defaults = {"x": 1.0, "n": 1, "do": "end", "shout": False, "method": "moreau-jean", "force": "explicit", "h": 0.01,
            "t-end": 1.0, "record-every": 1, "frames": 200, "threads": 0, "out": "out/stub", "quiet": False,
            "resume": False, "log": "", "coupling": "monolithic"}


def refuse(sentence):
    print(f"stub: {sentence}", file=sys.stderr)
    sys.exit(2)


def read(words):
    options = dict(defaults)
    while words:
        name, equals, value = words.pop(0)[2:].partition("=")
        if name not in options:
            refuse(f"There is no option '--{name}'. --help lists all.")
        if isinstance(defaults[name], bool):
            options[name] = True
            continue
        value = value if equals else words.pop(0)
        options[name] = type(defaults[name])(value)
    if options["x"] > 100:
        refuse(f"--x is {options['x']}: give 100 or less.")
    return options


def describe(options):
    return {"model": "stub", "parameters": options, "study": False, "results": {"y": "m"}, "compared": ["a"],
            "columns": [{"name": "a", "unit": "", **({"exact": "b"} if options["do"] == "exact" else {})},
                        {"name": "b", "unit": ""}]}


def methods(options):
    def way(name, reason="", **more):
        return {"name": name, "options": {"method": name, **more}, "reason": reason, "h": options["h"]}
    return {**describe(options), "h": options["h"], "t_end": options["t-end"], "record_every": options["record-every"],
            "grains": False, "ways": [way("moreau-jean"), way("moreau-jean-midpoint", force="midpoint"),
                                      way("absolute"), way("smooth", "It knows no contacts."),
                                      way("loose", coupling="loose")]}


def summary(out, options, status, **more):
    out.mkdir(parents=True, exist_ok=True)
    new = out / f"summary.json.{os.getpid()}"
    new.write_text(json.dumps({"status": status, "parameters": options, **more}))
    new.replace(out / "summary.json")  # whole at any time


def solve(options):
    """a' = -a, of order one (moreau-jean) or two; b is the solution."""
    h, rows, a = options["h"], [], 1.0
    order = 1 if options["method"] == "moreau-jean" and options["force"] == "explicit" else 2
    for k in range(round(options["t-end"] / h) + 1):
        if k % options["record-every"] == 0:
            rows.append((k * h, a, math.exp(-k * h)))
        a *= 1 - h if order == 1 else 1 - h + h * h / 2
    return rows


def run(options):
    out = Path(options["out"])
    if options["log"]:
        with open(options["log"], "a") as log:
            log.write(f"{out.name}{' resume' if options['resume'] else ''}\n")
    do, again = options["do"], (out / "summary.json").exists()
    if do == "fail" or (do == "fail-second" and options["n"] == 2):
        summary(out, options, "failed: no")
        print("stub: This cannot be done.", file=sys.stderr)
        sys.exit(1)
    if do in ("wait", "killed") and not again:
        def interrupted(number, _):
            summary(out, options, "interrupted")
            sys.exit(128 + number)
        signal.signal(signal.SIGTERM, interrupted)
        summary(out, options, "running")
        if do == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(100)
    y = 2 + 3 * options["x"] + options["x"]**2 - options["n"]
    rows = solve(options)
    out.mkdir(parents=True, exist_ok=True)
    (out / "histories.csv").write_text("t,a,b\n" + "".join(",".join(map(repr, row)) + "\n" for row in rows))
    last = rows[-1][1]
    finding = {"severity": "good", "sentence": ""}
    summary(out, options, "finished", t=options["t-end"], results={"y": y, "none": None},
            columns={"t": {"last": 1.0}, "a": {"unit": "", "last": last, "mean": 0.5, "rms": 0.6, "min": 0, "max": 1}},
            seconds={"total": 0.5, "output": 0.1}, energy={"start_J": 1.0, "end_J": 0.5},
            verdict={"believable": "no" if do == "absurd" else "yes",
                     "findings": [{"name": "energy", "value": 0.01, **finding}]})
    if do == "absurd":
        sys.exit(3)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    asked = [a for a in arguments if a in ("--describe", "--methods")]
    chosen = read([a for a in arguments if a not in asked])
    if asked:
        print(json.dumps(describe(chosen) if asked[0] == "--describe" else methods(chosen)))
    else:
        run(chosen)
