"""The program of a model, as `tamis` has built it, and what it tells of the model when it is asked."""
import argparse
import json
import os
import subprocess
import sys

from frames import fail


class Arguments(argparse.ArgumentParser):
    """Of a command; what is wrong with them is told in a sentence."""

    def error(self, message):
        fail_with(2, f"{message[0].upper()}{message[1:]} (see {self.prog} --help).")


class Words(Arguments):
    """Arguments of a command about a model: those that are not its own are options of the model."""

    def __init__(self, command, description, epilog):
        super().__init__(prog=f"tamis {command}", usage=f"tamis {command} MODEL [options] [options of the model]",
                         description=description, epilog=epilog, allow_abbrev=False)

    def parse(self, words):
        return self.parse_known_args(words)


def fail_with(code, sentence):
    print(f"tamis: {sentence}", file=sys.stderr)
    sys.exit(code)


class Model:
    """`words` start its program; `options` are the model's own, as they were given."""

    def __init__(self, words, options):
        self.words, self.given = tuple(words), list(options)

    def ask(self, question, options=()):
        """What the program answers; if it refuses, its sentence ends this one, too."""
        try:
            done = subprocess.run([*self.words, *self.given, *options, question], capture_output=True, text=True,
                                  errors="replace", stdin=subprocess.DEVNULL)
            if done.returncode == 0:
                return json.loads(done.stdout)
        except OSError as error:
            fail(f"cannot start {self.words[0]}: {error.strerror}.")
        except ValueError:
            fail(f"the program {self.words[0]} does not answer {question}: build it again.")
        print(done.stderr, end="", file=sys.stderr)
        sys.exit(done.returncode if 0 < done.returncode < 128 else 1)

    def own_options(self, parameters):
        """The options that were given, by name, as the program has understood them."""
        names = [word[2:].split("=")[0] for word in self.given if word.startswith("--")]
        return {name: parameters[name] for name in names if name in parameters}


def started():
    """The words of the program that `tamis` has built for this command."""
    words = os.environ.get("TAMIS_PROGRAM", "").splitlines()
    if not words:
        fail("start this by ./tamis, which builds the model.")
    return words


def words_of(options):
    """As a command line has them; a flag is one that is true."""
    words = []
    for name, value in options.items():
        words += [f"--{name}"] if value is True else [] if value is False else [f"--{name}", str(value)]
    return words
