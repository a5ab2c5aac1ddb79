"""Reports in a headless Chromium: they load without a complaint or a request, play, are worked by keyboard, and fit a
narrow screen. Skipped without chromium and chromedriver, or without the bundle of libraries and a way to make it."""
import contextlib
import io
import sys
import tempfile
import time
import unittest
from pathlib import Path

try:
    import numpy as np
    from PIL import Image
except ImportError as reason:
    print(f"skipped: {reason}; tamis pictures installs it")
    sys.exit(77)
import browser

if not browser.present():
    print("skipped: there is no chromium with chromedriver; tamis test installs them")
    sys.exit(77)
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "postpro"))
import run_files
import run_report
from report.bundle import bundle

try:
    bundle()
except SystemExit as reason:
    print(f"skipped: {reason}")
    sys.exit(77)

left, right, down, shift = "\ue012", "\ue014", "\ue015", "\ue008"  # keys of the protocol
player = "document.querySelector('figure.player')"
frame = f"Number({player}.dataset.frame)"


class InBrowser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.place.cleanup)
        folder = Path(cls.place.name)
        runs = [run_files.write_run(folder / name / "run", frames=20) for name in ("a", "b")]
        cls.page, cls.both = folder / "one.html", folder / "both.html"
        with contextlib.redirect_stdout(io.StringIO()):
            run_report.write([str(runs[0])], cls.page, 6)
            run_report.write([str(run) for run in runs], cls.both, 6)
        cls.browser = cls.enterClassContext(browser.Browser())

    def open(self, page, width=1280):
        self.browser.narrow(width)
        self.browser.log("performance")
        self.browser.open(page)
        self.addCleanup(self.check)

    def check(self):
        # Reading back what software has drawn is slow, and Chromium says so.
        said = [text for text in self.browser.complaints() if "GPU stall due to ReadPixels" not in text]
        self.assertEqual(said, [])
        self.assertEqual(self.browser.requests(), [])

    def focus(self, selector):
        self.browser.run("document.querySelector(arguments[0]).focus();", selector)

    def colours(self):
        """How many colours the canvas of the player shows."""
        return self.browser.run(
            "const from = document.querySelector('figure.player canvas'), to = document.createElement('canvas');"
            "[to.width, to.height] = [200, 120]; const pen = to.getContext('2d');"
            f"const range = {player}.querySelector('input[type=range]');"
            "range.dispatchEvent(new Event('input'));"
            "return new Promise(done => requestAnimationFrame(() => {"  # behind that of the player, in the same frame
            "  pen.drawImage(from, 0, 0, 200, 120); const found = new Set();"
            "  const bytes = pen.getImageData(0, 0, 200, 120).data;"
            "  for (let k = 0; k < bytes.length; k += 4) found.add(bytes.slice(k, k + 3).join());"
            "  done(found.size); }));")

    def test_play_moves_on_and_stops_at_the_end(self):
        self.open(self.page)
        self.assertEqual(self.browser.value(frame), 0)
        self.browser.click("figure.player .play")
        self.browser.wait(f"{frame} > 2")
        self.browser.wait(f"{frame} === 19")
        self.browser.wait("document.querySelector('.play').textContent === 'play'")
        self.assertIn("frame 20 of 20", self.browser.value("document.querySelector('.time').textContent"))

    def test_pause_holds_the_frame(self):
        self.open(self.page)
        self.browser.run(f"const rate = {player}.querySelector('select');"  # so slow that the end is far
                         "rate.value = 0; rate.dispatchEvent(new Event('change'));")
        self.browser.click("figure.player .play")
        self.browser.wait(f"{frame} > 2")
        self.browser.click("figure.player .play")
        held = self.browser.value(frame)
        time.sleep(0.2)
        self.assertEqual(self.browser.value(frame), held)

    def test_keys_play_and_step(self):
        self.open(self.page)
        self.focus("figure.player canvas")
        self.browser.press(right, right, right, left)
        self.assertEqual(self.browser.value(frame), 2)
        self.browser.press(" ")
        self.browser.wait(f"{frame} > 4")
        self.browser.press(" ")
        self.assertEqual(self.browser.value("document.querySelector('.play').textContent"), "play")

    def test_grains_and_bodies_are_drawn(self):
        self.open(self.page)
        self.assertGreater(self.colours(), 20)
        self.browser.run(f"for (const k of [1, 3]) {{ const choice = {player}.querySelectorAll('select')[k];"
                         "choice.value = 2; choice.dispatchEvent(new Event('change')); }"
                         f"for (const box of {player}.querySelectorAll('input[type=checkbox]'))"
                         "  if (box.checked) box.click();")
        self.assertEqual(self.colours(), 1)

    def test_dragging_turns_the_scene(self):
        self.open(self.page)
        drawn = self.browser.value(f"Number({player}.dataset.drawn)")
        self.focus("figure.player canvas")
        self.browser.call("/actions", {"actions": [{"type": "key", "id": "k", "actions": [
            {"type": "keyDown", "value": shift}, {"type": "keyDown", "value": right}, {"type": "keyUp", "value": right},
            {"type": "keyUp", "value": shift}]}]})
        self.browser.wait(f"{player}.dataset.drawn > {drawn}")
        self.assertEqual(self.browser.value(frame), 0)

    def test_legend_hides_a_curve_by_keyboard(self):
        self.open(self.page)
        name = "figure.plot .u-series:nth-child(2) th"
        self.focus(name)
        self.assertEqual(self.browser.value(f"document.querySelector('{name}').getAttribute('aria-pressed')"), "true")
        self.browser.press(" ")
        self.assertEqual(self.browser.value(f"document.querySelector('{name}').getAttribute('aria-pressed')"), "false")

    def ranges(self):
        """Of x in the plots over time."""
        texts = self.browser.value("[...document.querySelectorAll('figure.plot')].map(f => f.dataset.range)")
        return [[float(x) for x in text.split()] for text in texts]

    def test_dragging_enlarges_all_plots_over_time(self):
        self.open(self.page)
        self.assertEqual(self.ranges()[0], [0, 0.5])
        over = self.browser.find("figure.plot .u-over")
        mouse = [{"type": "pointerMove", "duration": 0, "origin": {browser.element_key: over}, "x": x, "y": 0}
                 for x in (-100, 0, 100)]
        self.browser.run("arguments[0].scrollIntoView({block: 'center'});", {browser.element_key: over})
        self.browser.call("/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [
            mouse[0], {"type": "pointerDown", "button": 0}, *mouse[1:], {"type": "pointerUp", "button": 0}]}]})
        self.browser.wait("document.querySelector('figure.plot').dataset.range !== '0 0.5'")
        first, second = self.ranges()[:2]
        self.assertTrue(0.1 < first[0] < 0.25 < first[1] < 0.4, first)
        self.assertEqual(first, second)
        self.focus("figure.plot .canvas")
        self.browser.press("0")
        self.browser.wait("document.querySelector('figure.plot').dataset.range === '0 0.5'")
        self.assertEqual(self.ranges()[1], [0, 0.5])

    def test_keys_enlarge_all_plots_over_time(self):
        self.open(self.page)
        self.focus("figure.plot .canvas")
        self.browser.press("+", right)
        self.browser.wait("document.querySelector('figure.plot').dataset.range === '0.1875 0.4375'")
        self.assertEqual(self.ranges(), [[0.1875, 0.4375]] * len(self.ranges()))
        self.browser.press("0")
        self.browser.wait("document.querySelector('figure.plot').dataset.range === '0 0.5'")
        self.assertEqual(self.ranges(), [[0, 0.5]] * len(self.ranges()))

    def test_without_webgl_a_sentence_takes_the_place_of_the_button(self):
        self.open(self.both)
        self.browser.run("HTMLCanvasElement.prototype.getContext = () => null;")
        self.browser.click("figure.player button")
        self.browser.wait(f"{player}.textContent.includes('This figure cannot be shown here')")
        said = " ".join(self.browser.complaints())
        self.assertNotIn("Uncaught", said)

    def looked_at(self, width, dark=False):
        """The pixels of the player in a picture of the page, rows of red, green, blue."""
        self.browser.dark(dark)
        self.addCleanup(self.browser.dark, False)
        self.open(self.page, width)
        self.browser.run(f"{player}.querySelector('canvas').scrollIntoView();")
        place = self.browser.value("(r => [r.x, r.y + scrollY, r.width, r.height])("
                                   f"{player}.querySelector('canvas').getBoundingClientRect())")
        path = Path(self.place.name) / "page.png"
        self.browser.picture(path)
        image = np.asarray(Image.open(path).convert("RGB")).astype(int)
        x, y, w, h = (round(v) for v in place)
        return image, image[y + 2:y + h - 2, x + 2:x + w - 2]

    def test_pictures_show_grains_body_and_curves_on_light_and_dark_pages(self):
        for width in (1280, 375):
            for dark in (False, True):
                page, scene = self.looked_at(width, dark)
                self.assertEqual(page.shape[1], width)
                paper = [22, 25, 29] if dark else [255, 255, 255]
                self.assertGreater(np.mean(np.all(page == paper, axis=2)), 0.3)  # the page is of its colour
                self.assertGreater(np.mean(np.all(scene == 255, axis=2)), 0.3)  # and the scene light on both
                red, green, blue = scene.transpose(2, 0, 1)
                self.assertGreater(np.sum((red > 150) & (blue < 90) & (green > 60)), 20)  # the arm, orange
                # The fastest grains, which are darkest: those of the last colour stand out from what is behind them.
                self.assertGreater(np.sum((red < 100) & (blue > red + 20)), 20)
                curves = np.all(np.abs(page - [0, 0x72, 0xb2]) < 12, axis=2)  # the first colour
                self.assertGreater(np.sum(curves), 100)

    def test_axes_become_logarithmic(self):
        self.open(self.page)
        self.browser.click("figure.plot .tools label:nth-child(1) input")
        self.assertAlmostEqual(self.ranges()[0][1], -0.30103, places=3)  # the logarithm of 0.5
        self.browser.click("figure.plot .tools label:nth-child(2) input")
        self.browser.click("figure.plot .tools label:nth-child(1) input")
        self.assertEqual(self.ranges()[0], [0, 0.5])

    def test_pages_fit_a_narrow_screen(self):
        for page in (self.page, self.both):
            self.open(page, 375)
            self.browser.run("document.querySelectorAll('details').forEach(d => { d.open = true; });")
            self.assertLessEqual(self.browser.value("document.documentElement.scrollWidth"), 375)

    def test_frames_of_several_runs_wait_until_they_are_asked_for(self):
        self.open(self.both)
        self.assertEqual(self.browser.value("document.querySelectorAll('figure.player canvas').length"), 0)
        self.browser.click("figure.player button")
        self.browser.wait(f"{frame} === 0")

    def test_everything_that_is_worked_has_a_name(self):
        self.open(self.page)
        nameless = self.browser.value(
            "[...document.querySelectorAll('button, input, select, canvas[tabindex], [role=img]')].filter(e =>"
            " !(e.getAttribute('aria-label') || e.textContent || e.closest('label')?.textContent)).length")
        self.assertEqual(nameless, 0)


if __name__ == "__main__":
    unittest.main()
