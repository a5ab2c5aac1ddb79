"""A movie of a run, without ParaView and without a display: its frames from one point of view, as mp4."""
import contextlib
import subprocess
import sys
import tempfile
from pathlib import Path

from frames import fail
from model_program import Arguments
from run_scene import RunScene, find_frames, look_arguments
from vtk_scene import Window, need_display
from whole_file import end_on_signals, replacing


def encoder(path, size, rate, said):
    """ffmpeg, which waits for pictures. Every player takes what it makes of them."""
    command = ["ffmpeg", "-y", "-loglevel", "error", "-f", "rawvideo", "-pixel_format", "rgb24", "-video_size",
               f"{size[0]}x{size[1]}", "-framerate", str(rate), "-i", "-", "-c:v", "libx264", "-pix_fmt", "yuv420p",
               "-crf", "21", "-movflags", "+faststart", "-f", "mp4", str(path)]
    try:
        return subprocess.Popen(command, stdin=subprocess.PIPE, stderr=said)
    except OSError as error:
        fail(f"cannot start ffmpeg: {error.strerror}; have it installed.")


def encode(path, window, scene, rate):
    """What ffmpeg says if it fails, in lines."""
    with tempfile.TemporaryFile("w+") as said, encoder(path, scene.size, rate, said) as film:
        try:
            for k, t in enumerate(scene.frames, 1):
                film.stdin.write(window.pixels(scene.renderer(t)).tobytes())
                if sys.stderr.isatty():
                    print(f"\r\033[Kframe {k} of {len(scene.frames)}", end="", file=sys.stderr, flush=True)
            film.stdin.close()
        except BrokenPipeError:  # it has ended, and says why
            with contextlib.suppress(BrokenPipeError):
                film.stdin.close()
        except BaseException:
            film.kill()
            raise
        status = film.wait()
        said.seek(0)
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr)
        return (said.read().strip().splitlines() or ["it did not say why"]) if status else []


def main():
    parser = Arguments(prog="tamis movie", description=__doc__)
    parser.add_argument("run", metavar="RUN", help="folder of a run, or the name of a model whose run is in out")
    parser.add_argument("-o", "--out", type=Path, metavar="FILE", help="the movie (default: MODEL.mp4 in the folder)")
    parser.add_argument("--rate", type=float, default=25, metavar="N", help="frames a second (default: %(default)g)")
    look_arguments(parser)
    arguments = parser.parse_args()
    if not 0.1 <= arguments.rate <= 240:
        fail(f"--rate {arguments.rate:g} is no number of frames a second: take 0.1 to 240.")
    folder = find_frames(arguments.run)
    scene = RunScene(folder, arguments)
    need_display("tamis movie")
    out = arguments.out or folder / f"{scene.model}.mp4"
    end_on_signals()
    window = Window(scene.size)
    with replacing(out) as new:
        out.parent.mkdir(parents=True, exist_ok=True)
        new.touch()
        words = encode(new, window, scene, arguments.rate)
        if words:
            fail(f"ffmpeg could not make {out}: {words[-1].rstrip('.')}.")
    window.close()
    print(f"{out}: {len(scene.frames)} frames, {len(scene.frames) / arguments.rate:.3g} s, "
          f"{out.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
