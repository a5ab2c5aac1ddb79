"""Files that are whole whatever ends the program: they are written beside their place and put there in the end."""
import contextlib
import os
import signal
import sys

from frames import fail


@contextlib.contextmanager
def replacing(path):
    """A path to be written, whose file takes the place of the old one if nothing goes wrong."""
    new = path.with_name(f".{path.stem}.{os.getpid()}{path.suffix}")
    try:
        yield new
        new.replace(path)
    except OSError as error:
        ours = error.filename is None or str(error.filename) in (str(new), str(path.parent))
        fail(f"cannot {'write' if ours else 'read'} {path if ours else error.filename}: {error.strerror}.")
    finally:
        with contextlib.suppress(OSError):
            new.unlink(missing_ok=True)


def write_whole(path, content):
    """At any time the file is the old one or the new one."""
    with replacing(path) as new:
        new.write_bytes(content) if isinstance(content, bytes) else new.write_text(content)


def end_on_signals():
    """By an exception, so that nothing half done is left."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # as nohup leaves it
            signal.signal(number, lambda number, _: sys.exit(128 + number))
