"""A movie of a run, without ParaView and without a display: its frames from one point of view, as mp4."""
import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from frames import fail
from run_report import find
from run_scene import RunScene, look_arguments
from vtk_scene import Window, need_display


def encoder(path, size, rate, said):
    """ffmpeg, which waits for pictures. Every player takes what it makes of them."""
    command = ["ffmpeg", "-y", "-loglevel", "error", "-f", "rawvideo", "-pixel_format", "rgb24", "-video_size",
               f"{size[0]}x{size[1]}", "-framerate", str(rate), "-i", "-", "-c:v", "libx264", "-pix_fmt", "yuv420p",
               "-crf", "21", "-movflags", "+faststart", "-f", "mp4", str(path)]
    try:
        return subprocess.Popen(command, stdin=subprocess.PIPE, stderr=said)
    except OSError as error:
        fail(f"cannot start ffmpeg: {error.strerror}; have it installed.")


def main():
    parser = argparse.ArgumentParser(prog="tamis movie", description=__doc__)
    parser.add_argument("run", metavar="RUN", help="folder of a run, or the name of a model whose run is in out")
    parser.add_argument("-o", "--out", type=Path, metavar="FILE", help="the movie (default: MODEL.mp4 in the folder)")
    parser.add_argument("--rate", type=float, default=25, metavar="N", help="frames a second (default: %(default)g)")
    look_arguments(parser)
    arguments = parser.parse_args()
    if not 0.1 <= arguments.rate <= 240:
        fail(f"--rate {arguments.rate:g} is no number of frames a second: take 0.1 to 240.")
    folder = find(arguments.run)
    scene = RunScene(folder, arguments)
    need_display("tamis movie")
    out = arguments.out or folder / f"{scene.model}.mp4"
    part = out.with_name(out.name + ".part")  # a movie is whole or absent
    window = Window(scene.size)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        part.touch()
    except OSError as error:
        fail(f"cannot write {out}: {error.strerror}.")
    try:
        with tempfile.TemporaryFile("w+") as said:
            film = encoder(part, scene.size, arguments.rate, said)
            for k, t in enumerate(scene.frames, 1):
                try:
                    film.stdin.write(window.pixels(scene.renderer(t)).tobytes())
                except BrokenPipeError:
                    break
                if sys.stderr.isatty():
                    print(f"\r\033[Kframe {k} of {len(scene.frames)}", end="", file=sys.stderr, flush=True)
            film.stdin.close()
            status = film.wait()
            said.seek(0)
            words = said.read().strip().splitlines()
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr)
        if status:
            fail(f"ffmpeg could not make {out}: {(words or ['it did not say why'])[-1]}.")
        part.replace(out)
    finally:
        part.unlink(missing_ok=True)
    window.close()
    print(f"{out}: {len(scene.frames)} frames, {len(scene.frames) / arguments.rate:.3g} s, "
          f"{out.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
