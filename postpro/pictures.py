"""Pictures of any run, without ParaView and without a display: bodies, walls and grains, of a few of its frames."""
import sys
from pathlib import Path

from frames import fail
from model_program import Arguments
from run_scene import RunScene, find_frames, look_arguments
from vtk_scene import Window, need_display


def main():
    parser = Arguments(prog="tamis pictures", description=__doc__)
    parser.add_argument("run", metavar="RUN", help="folder of a run, or the name of a model whose run is in out")
    parser.add_argument("--times", type=float, nargs="+", metavar="S",
                        help="the nearest frames are drawn, in s (default: the first, middle and last one)")
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder of the pictures (default: that of the run)")
    look_arguments(parser)
    arguments = parser.parse_args()
    folder = find_frames(arguments.run)
    scene = RunScene(folder, arguments)
    need_display("tamis pictures")
    every = list(scene.frames)
    times = [min(every, key=lambda t: abs(t - wanted)) for wanted in arguments.times] if arguments.times else \
        [every[0], every[len(every) // 2], every[-1]]
    out = arguments.out or folder
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        fail(f"cannot make the folder {out}: {error.strerror}.")
    window = Window(scene.size)
    for t in dict.fromkeys(times):
        path = out / f"{scene.model}_{t:.6g}s.png"
        window.save(scene.renderer(t), path)
        print(f"{path}: t = {t:g} s")
    window.close()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
