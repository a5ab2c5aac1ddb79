"""All figures of the papers on particle dampers and co-simulation: Biondani et al. (2022), Zhang et al. (2020), Zhang
et al. (2022). The runs of all models that are missing are made, as many at a time as there are processors, on one
thread each, and a model is drawn once its runs are there. A study that was stopped goes on where it was, and so do its
runs; dampers.json lists what is drawn."""
import importlib
import json
import subprocess
import sys
from pathlib import Path

from model_program import Arguments

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


class Part:
    """A model of the study: the runs that its script asks for, and its figures."""

    def __init__(self, model, folder, quick):
        self.model, self.folder, self.quick = model, folder / model, quick
        self.script = importlib.import_module(model)
        from run_folder import jobs_of
        chosen = self.script.arguments(["--out", str(self.folder), *(["--quick"] if quick else [])])
        self.jobs = jobs_of(model, self.folder, self.script.wanted(chosen))
        self.open = sum(not job.there for job in self.jobs)
        self.failed = False  # one of its runs

    @property
    def drawable(self):
        return not self.failed or getattr(self.script, "draws_what_is_there", False)


def draw(part):
    """The exit code of `tamis plot`, which finds all runs; what it says is in the files, but for mistakes."""
    command = [root / "tamis", "plot", part.model, "--out", part.folder, *(["--quick"] if part.quick else []),
               *(["--only-existing"] if part.failed else [])]
    try:
        return subprocess.run(command, stdout=subprocess.DEVNULL).returncode
    except OSError as error:
        fail(f"cannot start {root / 'tamis'}: {error.strerror}.")


class Done:
    """Which models have their figures, in a file that is whole at any time."""

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

    def note(self, model, status):
        self.entries[model] = {"status": status}
        new = self.path.with_suffix(".new")
        try:
            new.write_text(json.dumps(self.entries, indent=2) + "\n")
            new.replace(self.path)
        except OSError as error:
            fail(f"cannot write {self.path}: {error.strerror}.")

    def status(self, part):
        status = self.entries.get(part.model, {}).get("status", "open")
        return "open" if status == "done" and part.open else status

    def list(self, study):
        for part in study.values():
            runs = f"{len(part.jobs) - part.open} of {len(part.jobs)} runs"
            print(f"{part.model:18} {self.status(part):7} {runs:17} {parts[part.model]}")


def carry_out(study, done, again):
    """What the runs said that failed, by name, and the models without all figures."""
    from run_folder import make_runs, say
    without = []

    def figures(part):
        status = draw(part) if part.drawable else 1
        if status == 130 or status < 0:  # stopped
            return
        if status or part.failed:
            without.append(part.model)
        done.note(part.model, "failed" if status or part.failed else "done")
        say(f"{part.model}: " + ("no figures" if status else
                                 f"figures in {part.folder}" + (", of the runs that are there" * part.failed)))

    def ended(job, failure):
        part = study[job.model]
        part.open -= not failure
        part.failed = part.failed or bool(failure)
        part.left -= 1
        if part.left == 0:
            figures(part)

    for part in study.values():
        part.left = part.open
        if part.open == 0 and (again or done.status(part) != "done"):
            figures(part)
    return make_runs([job for part in study.values() for job in part.jobs], ended), without


def main():
    parser = Arguments(prog="tamis study dampers", description=__doc__)
    parser.add_argument("models", nargs="*", metavar="MODEL", help="only these (default: all)")
    parser.add_argument("--quick", action="store_true",
                        help="for a try-out, in minutes: the same figures of each model from fewer balls, points and "
                             "seconds (`tamis plot MODEL --help` says which), not the published numbers")
    parser.add_argument("--out", type=Path, metavar="DIR",
                        help="folder of figures and runs (default: out/dampers, with --quick out/dampers_quick)")
    parser.add_argument("--again", action="store_true", help="draw again what is done, from the runs that are there")
    parser.add_argument("--list", action="store_true", help="say what is done, and do nothing")
    arguments = parser.parse_args()
    for model in arguments.models:
        if model not in parts:
            fail(f"there is no model '{model}' in this study; there are: {' '.join(parts)}.")
    folder = arguments.out or Path("out/dampers_quick" if arguments.quick else "out/dampers")
    done = Done(folder)
    study = {model: Part(model, folder, arguments.quick) for model in parts if model in (arguments.models or parts)}
    if arguments.list:
        done.list(study)
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        fail(f"cannot make the folder {folder}: {error.strerror}.")
    failed, without = carry_out(study, done, arguments.again)
    done.list(study)
    for name, sentence in failed.items():
        print(f"dampers: {name} failed, {sentence}", file=sys.stderr)
    if failed or without:
        count = sum(len(part.jobs) for part in study.values())
        fail(f"{len(failed)} of {count} runs failed, and figures are missing of: {', '.join(without)}. The same "
             "command tries them again.")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        print("dampers: stopped; the same command goes on there.", file=sys.stderr)
        sys.exit(130)
