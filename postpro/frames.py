"""The frames of a run, as its lists of files for ParaView name them."""
import sys
import xml.etree.ElementTree as xml
from pathlib import Path


def fail(sentence):
    """One sentence, and no traceback, for what the user can put right."""
    sys.exit(f"{Path(sys.argv[0]).stem}: {sentence}")


def read_list(path, frames):
    try:
        for entry in xml.parse(path).iter("DataSet"):
            parts = frames.setdefault(float(entry.get("timestep")), {})
            parts[entry.get("name")] = path.parent / entry.get("file")
    except (OSError, xml.ParseError, TypeError, ValueError) as error:
        fail(f"{path} is not the list of frames of a run: {error}.")


def read_frames(folder, model):
    """{time: {"bodies": file, "grains": file, "points": file, ...}} of the run."""
    path = folder / f"{model}.pvd"
    if not path.is_file():
        fail(f"there is no {path}; make a run with frames first.")
    frames = {}
    read_list(path, frames)
    if not frames:
        fail(f"{path} lists no frames yet.")
    points = folder / f"{model}_points.pvd"
    if points.is_file():
        read_list(points, frames)
    return dict(sorted(frames.items()))
