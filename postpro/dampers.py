"""All figures of the papers on particle dampers and co-simulation, one model after the other: Biondani et al. (2022),
Zhang et al. (2020), Zhang et al. (2022). Each model makes those of its runs that are missing and draws its figures, so
that a study that was stopped goes on where it was; dampers.json lists what is done."""
import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

root = Path(__file__).resolve().parent.parent
# Model, and what of the papers it draws.
parts = {
    "shaken_cylinder": "Biondani 2022, Tables 2 and 3, Figs 4, 5",
    "shear_test": "Biondani 2022, Table 4, Fig. 6",
    "stiffness_sizing": "Biondani 2022, Table 5, Figs 2, 7, 8",
    "damping_map": "Biondani 2022, Figs 9, 10",
    "beam_damper": "Biondani 2022, Table 1, Figs 11, 12",
    "stability": "Zhang 2020, Figs 6-10; Zhang 2022, Figs 5-7",
    "two_masses": "Zhang 2020, Table 1, Fig. 11; Zhang 2022, Table 1, Figs 8, 9",
    "double_pendulum": "Zhang 2022, Fig. 11",
    "particle_damper": "Zhang 2020, Table 2, Figs 13, 14",
    "cantilever": "Zhang 2020, Fig. 17; Zhang 2022, Fig. 14",
    "cantilever_damper": "Zhang 2020, Table 3, Figs 17-24",
    "crank_damper": "Zhang 2022, Tables 2 and 3, Figs 14-19",
}


def fail(sentence):
    sys.exit(f"dampers: {sentence}")


def script(model):
    return root / "postpro" / f"{model}.py"


def has_quick(model):
    text = script(model).read_text()
    return "quick=" in text or '"--quick"' in text


class Done:
    """What is done, in a file that is whole at any time."""

    def __init__(self, folder):
        self.path = folder / "dampers.json"
        self.entries = {}
        if self.path.is_file():
            try:
                self.entries = json.loads(self.path.read_text())
                for entry in self.entries.values():
                    entry["status"]
            except (OSError, ValueError, KeyError, TypeError, AttributeError):
                fail(f"{self.path} cannot be read: remove it, the runs that are there will be used.")

    def note(self, model, status, seconds):
        before = self.entries.get(model, {}).get("seconds", 0)
        self.entries[model] = {"status": status, "seconds": round(before + seconds, 1)}
        new = self.path.with_suffix(".new")
        try:
            new.write_text(json.dumps(self.entries, indent=2) + "\n")
            new.replace(self.path)
        except OSError as error:
            fail(f"cannot write {self.path}: {error.strerror}.")

    def status(self, model):
        return self.entries.get(model, {}).get("status", "open")

    def list(self, chosen):
        for model in chosen:
            seconds = self.entries.get(model, {}).get("seconds")
            took = "" if seconds is None else f"{seconds:8.0f} s"
            print(f"{model:20} {self.status(model):9} {took:10} {parts[model]}")


def make(model, folder, quick):
    """The exit code of `tamis plot`."""
    command = [root / "tamis", "plot", model, "--out", folder / model, *(["--quick"] if quick else [])]
    try:
        return subprocess.run(command).returncode
    except OSError as error:
        fail(f"cannot start {root / 'tamis'}: {error.strerror}.")


def main():
    parser = argparse.ArgumentParser(prog="tamis study dampers", description=__doc__)
    parser.add_argument("models", nargs="*", metavar="MODEL", help="only these (default: all)")
    parser.add_argument("--quick", action="store_true",
                        help="for a try-out: the small variant of each model that has one, in minutes")
    parser.add_argument("--out", type=Path, metavar="DIR",
                        help="folder of figures and runs (default: out/dampers, with --quick out/dampers_quick)")
    parser.add_argument("--again", action="store_true", help="draw again what is done, from the runs that are there")
    parser.add_argument("--list", action="store_true", help="say what is done, and do nothing")
    arguments = parser.parse_args()
    for model in arguments.models:
        if model not in parts:
            fail(f"there is no model '{model}' in this study; there are: {' '.join(parts)}.")
    folder = arguments.out or Path("out/dampers_quick" if arguments.quick else "out/dampers")
    chosen = [m for m in arguments.models or parts if script(m).is_file() and (has_quick(m) or not arguments.quick)]
    done = Done(folder)
    if arguments.list:
        done.list(chosen)
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        fail(f"cannot make the folder {folder}: {error.strerror}.")
    failed = []
    for number, model in enumerate(chosen, 1):
        if done.status(model) == "done" and not arguments.again:
            print(f"[{number}/{len(chosen)}] {model} is done", flush=True)
            continue
        print(f"[{number}/{len(chosen)}] {model}: {parts[model]}", flush=True)
        start = time.monotonic()
        try:
            status = make(model, folder, arguments.quick)
        except KeyboardInterrupt:
            done.note(model, "stopped", time.monotonic() - start)
            print(f"dampers: stopped in {model}; the same command goes on there.", file=sys.stderr)
            sys.exit(130)
        done.note(model, "failed" if status else "done", time.monotonic() - start)
        if status > 128 or status < 0:  # a signal meant for all
            sys.exit(status if status > 0 else 128 - status)
        if status:
            failed.append(model)
    done.list(chosen)
    if failed:
        fail(f"no figures of {', '.join(failed)}, for the reasons above; the same command tries them again.")


if __name__ == "__main__":
    main()
