#!/usr/bin/env python3
"""The rooms of src/: no include against their order, libraries of others behind their doors, no cycle between files, a
README in each, no option of the command line in what a library says, no ten lines in two places.

The order is that of CMakeLists.txt (tamis_room): a room may include itself, src/base, and what it is linked with.
"""
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
src = root / "src"
rooms = {"base": set()}
for line in (root / "CMakeLists.txt").read_text().splitlines():
    if match := re.match(r" *tamis_room\(([\w ]+)\)", line):
        name, *known = match[1].split()
        allowed = {name, "base"}
        for room in known:
            if room not in rooms:
                sys.exit(f"CMakeLists.txt: room '{name}' knows '{room}', which comes later")
            allowed |= {room} | rooms[room]
        rooms[name] = rooms.get(name, set()) | allowed
rooms["base"] = {"base"}

faults = []
folders = {path.name for path in src.iterdir() if path.is_dir()}
faults += [f"src/{name} is not a room of CMakeLists.txt" for name in sorted(folders - rooms.keys())]
faults += [f"src/{name} has no README.md" for name in sorted(folders) if not (src / name / "README.md").exists()]

includes = {}
for path in sorted(src.glob("*/*")):
    if path.suffix not in (".hpp", ".cpp", ".cu", ".cuh"):
        continue
    name = str(path.relative_to(src))
    includes[name] = re.findall(r'^#include [<"]tamis/([^>"]+)[>"]', path.read_text(), re.M)
    for other in includes[name]:
        if not (src / other).exists():
            faults.append(f"{name} includes {other}, which does not exist")
        elif other.split("/")[0] not in rooms.get(name.split("/")[0], set()):
            faults.append(f"{name} includes {other}: room '{name.split('/')[0]}' may not know '{other.split('/')[0]}'")

# Libraries of others enter by few files, or by one room.
doors = {
    r"Bullet|LinearMath": r"collision/bullet_adapter\.",
    r"klu\.h": r"model/sparse_lu\.cpp",
    r"vtk": r"io/vtk_writer\.cpp",
    r"hdf5\.h|H5": r"io/hdf5_image\.cpp",
    r"CLI/": r"app/(options|contact_main)\.cpp",
    r"Simbody|SimTK": r"simbody/",
    r"pugixml": r"fmi/fmu_description\.cpp",
    r"zip\.h": r"fmi/(fmu|export)_archive\.cpp",
    r"nlohmann/": r"app/",
    r"cuda": r"contact/cuda_launch\.cuh",
}
for name in includes:
    for header in re.findall(r"^#include <([^>]+)>", (src / name).read_text(), re.M):
        for library, door in doors.items():
            if re.match(library, header) and not re.match(door, name):
                faults.append(f"{name} includes <{header}>, which enters by {door} alone")


def long_lines(limit=120):
    """Lines of text beyond the limit, but for rows of tables in Markdown, addresses and drawings."""
    try:
        listed = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):  # sources without git: nobody edits them
        return
    for name in filter(None, listed.stdout.split("\0")):
        path = root / name
        if path.suffix == ".svg" or not path.is_file():
            continue
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:  # no text
            continue
        for number, line in enumerate(lines, 1):
            row = path.suffix == ".md" and line.startswith("|")
            if len(line) > limit and not row and not re.search(r"https?://\S{60}", line):
                yield f"{name}:{number}: {len(line)} characters, more than {limit}"


faults += long_lines()

# Cycles between files, a header and its source taken as one.
unit = lambda name: re.sub(r"\.\w+$", "", name)
graph = {}
for name, others in includes.items():
    graph.setdefault(unit(name), set()).update(unit(other) for other in others if unit(other) != unit(name))
state = {}


def visit(node, path):
    state[node] = "open"
    for other in sorted(graph.get(node, ())):
        if state.get(other) == "open":
            faults.append("cycle: " + " -> ".join(path[path.index(other):] + [other]))
        elif other not in state:
            visit(other, path + [other])
    state[node] = "done"


for node in sorted(graph):
    if node not in state:
        visit(node, [node])

# Libraries have no command line: src/app adds the names of options to their errors.
token = re.compile(r'//[^\n]*|/\*.*?\*/|\'(?:[^\'\\\n]|\\\'|\\[^\'\n]+)\'' # comments and characters
                   r'|R"\w*\((?P<raw>.*?)\)\w*"|"(?P<text>(?:[^"\\\n]|\\.)*)"', re.S)
for name in includes:
    if name.startswith("app/"):
        continue
    text = (src / name).read_text()
    for match in token.finditer(text):
        if option := re.search(r"(?:^| )(--[a-z][a-z-]*)", match["raw"] or match["text"] or ""):
            line = text.count("\n", 0, match.start()) + 1
            faults.append(f"{name}:{line} says {option[1]}: name options in src/app only")

# No two places share ten lines, comments and includes aside.
places = {}
for name in includes:
    lines = [(number, line.strip()) for number, line in enumerate((src / name).read_text().splitlines(), 1)]
    lines = [(number, line) for number, line in lines if line and not line.startswith(("//", "#include"))]
    for k in range(len(lines) - 9):
        here = f"{name}:{lines[k][0]}"
        there = places.setdefault(tuple(line for _, line in lines[k:k + 10]), here)
        if there != here:
            faults.append(f"{here} has ten lines of {there}")

for fault in faults:
    print(fault)
print(f"{len(includes)} files in {len(folders)} rooms, {len(faults)} faults")
sys.exit(bool(faults))
