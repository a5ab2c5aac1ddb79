"""A still of every model: makes small runs, draws a frame of each, and writes docs/gallery.md. A study has no frames:
its still is one of its figures."""
import io
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from frames import fail
from model_program import Arguments
from PIL import Image
from report.run import description, root
from run_folder import Job, Run, make_runs
from run_scene import RunScene
from vtk_scene import Window, need_display
from whole_file import write_whole

width = 640  # pixels
largest = 60_000  # bytes of a picture


lead = ("A still of every model, each of a small run: `./tamis pictures --gallery` makes the runs and draws this page. "
        "`./tamis report` shows more of a run, see [report.md](report.md).")


class Still(NamedTuple):
    model: str
    words: str  # of what is seen, behind the description of the model
    options: dict = {}
    flags: tuple = ()
    at: float = 1  # part of the run
    colour: str = "speed"
    chains: bool = False
    cut: float = 0
    glass: bool = False
    figure: str = ""  # of a study: the file that its plot draws

    @property
    def command(self):
        if self.figure:
            return " ".join(["./tamis plot", self.model, *(f"--{flag}" for flag in self.flags)])
        return " ".join(["./tamis run", self.model, *(f"--{flag}" for flag in self.flags),
                         *(f"--{name} {value}" for name, value in self.options.items())])

    @property
    def picture(self):
        return f"{self.model}_still.png"

    def job(self, folder):
        return Job(self.model, Run(self.model, self.options, self.flags), folder / self.model)


class Look(NamedTuple):
    """What RunScene asks of the command line."""
    colour: str
    chains: bool
    cut: float
    glass: bool
    width: int = width


stills = [
    Still("pendulum", "The bob is about to hit the wall.", at=0.1),
    Still("slider_crank", "Nearly half a turn of the crank.", at=0.3),
    Still("double_pendulum", "It can be cut in two at the joint.", {"t-end": 2}, at=0.2),
    Still("two_masses", "Both are drawn as blocks.", {"t-end": 0.1}, at=0.5),
    Still("cantilever", "", {"frames": 50, "t-end": 0.1}, at=0.5),
    Still("box_of_grains", "", {"shape": "stones", "grains": 200, "h": 5e-4, "t-end": 0.4}, at=0.5),
    Still("pendulum_in_grains", "", {"grains": 400, "t-end": 0.35}, at=0.8),
    Still("hopper", "", {"grains": 400, "hole": 0.04, "silo": 0.06, "t-end": 0.4}, at=0.6),
    Still("drum", "", {"grains": 400, "t-end": 0.5}),
    Still("column_collapse", "", {"grains": 400, "t-end": 0.2}, at=0.8),
    Still("tamping", "The tines squeeze; the front half of the bed is left out.", {"grains": 500}, ("quick",), at=0.8,
          cut=0.5),
    Still("particle_damper", "", {"particles": 100, "t-end": 0.3}),
    Still("shaken_cylinder", "", {"h": 1e-4, "t-end": 0.06}, at=0.8),
    Still("shear_test", "The boxes are drawn as glass.",
          {"particles": 60, "width": 0.014, "lift": 0.05, "pace": 0.1}, glass=True),
    Still("beam_damper", "", {"balls": 40, "elements": 1, "settle": 0.02, "t-end": 0.04}),
    Still("cantilever_damper", "", {"t-end": 0.02}),
    Still("crank_damper", "", {"spheres": 40, "elements": 2, "t-end": 0.02}),
    Still("damping_map", "", {"balls": 100, "frequency": 50, "intensity": 6, "cycles": 4, "judged": 2}),
    Still("lim_oscillator", "", figure="energy.png"),
    Still("stability", "", flags=("quick",), figure="z20_fig6.png"),
    Still("stiffness_sizing", "", flags=("quick",), figure="fig2.png"),
]


def png(image):
    """With as many colours as the size of a file allows."""
    for colours in (256, 128, 64, 32, 16):
        data = io.BytesIO()
        image.quantize(colours, dither=Image.Dither.NONE).save(data, "PNG", optimize=True)
        if data.tell() <= largest:
            break
    return data.getvalue()


def figure(still, folder):
    out = folder / still.model
    command = ["/usr/bin/python3", root / "postpro" / f"{still.model}.py", "--out", out]
    done = subprocess.run(command + [f"--{flag}" for flag in still.flags], stdout=subprocess.DEVNULL)
    if done.returncode:
        fail(f"the figures of {still.model} could not be drawn, for the reason above.")
    image = Image.open(out / still.figure).convert("RGB")
    return image.resize((width, round(width * image.height / image.width)), Image.Resampling.LANCZOS)


def frame(still, folder, windows):
    scene = RunScene(folder / still.model, Look(still.colour, still.chains, still.cut, still.glass))
    times = list(scene.frames)
    window = windows.setdefault(scene.size, Window(scene.size))
    return Image.fromarray(window.pixels(scene.renderer(times[round(still.at * (len(times) - 1))])))


def page(chosen):
    parts = ["# Gallery", "", *wrap(lead), ""]
    for still in chosen:
        text = f"{description(still.model)}. {still.words}".strip()
        short = re.split(r" ?[:(]", description(still.model))[0]
        parts += [f"## {still.model}", "", f"![{short}](gallery/{still.picture})", "", *wrap(text), "",
                  f"    {still.command}", ""]
    return "\n".join(parts)


def wrap(text, most=120):
    """Lines of text whose code stays together."""
    lines = [""]
    for word in re.findall(r"`[^`]*`\S*|\S+", text):
        if len(lines[-1]) + 1 + len(word) > most:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def main():
    parser = Arguments(prog="tamis pictures --gallery", description=__doc__)
    parser.add_argument("models", nargs="*", metavar="MODEL", help="those to be drawn again (default: all)")
    parser.add_argument("--runs", type=Path, default=Path("out/gallery"), metavar="DIR",
                        help="folder of the runs (default: %(default)s)")
    parser.add_argument("--out", type=Path, default=root / "docs", metavar="DIR",
                        help="folder of gallery.md and gallery/ (default: docs)")
    arguments = parser.parse_args()
    names = [still.model for still in stills]
    for model in arguments.models:
        if model not in names:
            fail(f"there is no still of {model}; there are: {', '.join(names)}.")
    need_display("tamis pictures --gallery")
    chosen = [still for still in stills if still.model in (arguments.models or names)]
    failed = make_runs([still.job(arguments.runs) for still in chosen if not still.figure])
    if failed:
        fail("\n".join(["these runs failed:", *(f"  {name}: {sentence}" for name, sentence in failed.items())]))
    windows = {}
    try:
        (arguments.out / "gallery").mkdir(parents=True, exist_ok=True)
        for still in chosen:
            image = figure(still, arguments.runs) if still.figure else frame(still, arguments.runs, windows)
            path = arguments.out / "gallery" / still.picture
            write_whole(path, png(image))
            print(f"{path}: {path.stat().st_size / 1000:.0f} kB", flush=True)
        write_whole(arguments.out / "gallery.md", page(stills))
    except OSError as error:
        fail(f"cannot write {error.filename}: {error.strerror}.")
    print(arguments.out / "gallery.md")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
