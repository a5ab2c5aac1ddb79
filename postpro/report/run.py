"""A run's folder as a report reads it: whatever is there, however the run ended. `problems` says what is not."""
import csv
import json
import re
from pathlib import Path

import numpy as np
from frames import fail

root = Path(__file__).resolve().parents[2]
solver_columns = ["contacts", "sweeps", "residual_max", "residual_rms", "violation", "wrench_change", "penetration",
                  "momentum_error", "coordination", "solid_fraction", "kinetic_energy", "potential_energy"]


class Run:
    def __init__(self, folder):
        self.folder, self.name, self.problems = Path(folder), Path(folder).name, []
        if not self.folder.is_dir():
            fail(f"there is no folder {self.folder}.")
        self.summary = self.read_summary()
        self.model = self.summary.get("model") or next(
            (p.stem for p in sorted(self.folder.glob("*.pvd")) if not p.stem.endswith("_points")), "")
        self.columns = self.read_columns(self.folder / "histories.csv")
        if not self.summary and not self.columns and not self.model:
            fail(f"{self.folder} holds nothing of a run: no summary.json, no histories.csv and no frames.")

    def read_summary(self):
        path = self.folder / "summary.json"
        try:
            summary = json.loads(path.read_text(errors="replace"))
            if isinstance(summary, dict):
                return summary
        except FileNotFoundError:
            if (self.folder.parent / "analysis.json").is_file():  # a mode, which is no run
                return {}
            self.problems.append("There is no summary.json: the run was not started by tamis, or its files were moved.")
        except (OSError, ValueError):
            self.problems.append("summary.json cannot be read.")
        return {}

    def read_columns(self, path):
        """{name: values} of whole lines; what is no number is nan."""
        try:
            text = path.read_text(errors="replace")
        except OSError:
            return {}
        header, _, rows = text[:text.rfind("\n") + 1].partition("\n")  # a last line without end is being written
        names = next(csv.reader([header]), [])
        if not rows:
            return {name: np.empty(0) for name in names}
        try:
            table = np.loadtxt(rows.splitlines(), delimiter=",", ndmin=2)
        except ValueError:
            lines = [[as_number(cell) for cell in line] for line in csv.reader(rows.splitlines())]
            table = np.array([line for line in lines if len(line) == len(names)]).reshape(-1, len(names))
            self.problems.append(f"Some cells or lines of {path.name} are no numbers; they are left out.")
        if table.shape[1] != len(names):
            self.problems.append(f"The lines of {path.name} have other columns than its first one.")
            return {}
        return dict(zip(names, table.T))

    @property
    def status(self):
        return self.summary.get("status", "unknown")

    def get(self, *keys):
        """A value of the summary, or None."""
        value = self.summary
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        return value

    @property
    def records(self):
        """Names of the columns that the model records, without those of the solver."""
        return [name for name in self.columns if name != "t" and not (self.has_grains and name in solver_columns)]

    @property
    def has_grains(self):
        return "sweeps" in self.columns and "residual_rms" in self.columns

    def unit(self, name):
        return self.get("columns", name, "unit") or ""

    def label(self, name):
        unit = self.unit(name)
        return f"{name} [{unit}]" if unit else name

    def tables(self):
        """CSV files of a study: {name: (head, lines)}."""
        found = {}
        for path in sorted(self.folder.glob("*.csv")):
            if path.name not in ("histories.csv", "impacts.csv"):
                try:
                    head, *lines = list(csv.reader(path.read_text(errors="replace").splitlines()))
                    found[path.name] = head, [line for line in lines if len(line) == len(head)]
                except (OSError, ValueError, csv.Error):
                    self.problems.append(f"{path.name} cannot be read.")
        return found


def as_number(cell):
    try:
        return float(cell)
    except ValueError:
        return np.nan


def source(model):
    """The text of a model of Tamis as it is now, or nothing."""
    path = root / "models" / f"{model}.cpp"
    try:
        return path.read_text()
    except OSError:
        return ""


def description(model):
    """The line of `tamis list`."""
    match = re.search(rf'^TAMIS_MODEL\(\s*{re.escape(model)}\s*,\s*((?:"(?:[^"\\]|\\.)*"\s*)+)\)', source(model), re.M)
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', match[1])) if match else ""
