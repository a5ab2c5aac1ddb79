"""The scripts of web/ with the libraries that they use, as one text: made once by esbuild from what npm fetches, and
kept in build/report by a hash of all that it is made of."""
import fcntl
import hashlib
import shutil
import subprocess
from pathlib import Path

from frames import fail

web = Path(__file__).resolve().parent / "web"
kept = Path(__file__).resolve().parents[2] / "build" / "report"


def run(command, sentence):
    try:
        done = subprocess.run(command, cwd=kept, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    except OSError:
        fail(f"there is no {Path(command[0]).name}; have nodejs and npm installed.")
    if done.returncode:
        (kept / "npm.log").write_text(done.stdout + done.stderr)
        fail(f"{sentence} ({kept / 'npm.log'} has more).")


def bundle():
    sources = sorted(path for path in web.iterdir() if path.suffix in (".js", ".json"))
    known = hashlib.sha256(b"".join(path.name.encode() + path.read_bytes() for path in sources)).hexdigest()[:16]
    made = kept / f"page-{known}.js"
    if not made.is_file():
        try:
            kept.mkdir(parents=True, exist_ok=True)
            with (kept / "lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)  # another report may be making it
                if not made.is_file():
                    make(sources, made)
        except OSError as error:
            fail(f"cannot write {error.filename or kept}: {error.strerror}.")
    return made.read_text()


def make(sources, made):
    for path in sources:
        shutil.copy(path, kept)
    if changed():
        run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--fetch-retries=1"],
            "the libraries of the page could not be fetched: npm cannot reach its registry")
        shutil.copy(web / "package-lock.json", kept / "fetched.json")
    part = made.with_suffix(".part")
    run([str(kept / "node_modules" / ".bin" / "esbuild"), "page.js", "--bundle", "--minify", "--format=iife",
         "--target=es2021", "--charset=utf8", "--legal-comments=eof", "--loader:.css=text", f"--outfile={part}"],
        "the scripts of the page could not be put together")
    part.replace(made)


def changed():
    """Whether other libraries are wanted than those that were fetched."""
    try:
        return (kept / "fetched.json").read_bytes() != (web / "package-lock.json").read_bytes()
    except OSError:
        return True
