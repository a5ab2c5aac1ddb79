"""A headless Chromium for tests of pages, by the WebDriver protocol of Debian's chromium-driver."""
import base64
import json
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

switches = ["--headless=new", "--no-sandbox", "--disable-gpu", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
            "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
            "--disable-sync", "--disable-default-apps", "--hide-scrollbars"]
element_key = "element-6066-11e4-a52e-4f735466cecf"  # of the protocol


def present():
    return bool(shutil.which("chromium") and shutil.which("chromedriver"))


class Browser:
    """With width and height in pixels of the page; `with Browser() as b: b.open(path)`."""

    def __init__(self, width=1280, height=900):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                       text=True)
        ready = re.compile(r"successfully on port (\d+)")
        port = next(match[1] for line in self.driver.stdout if (match := ready.search(line)))
        self.address = f"http://127.0.0.1:{port}/session"
        more = [f"--user-data-dir={self.profile.name}", f"--window-size={width},{height}"]
        session = self.call("", {"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": {"binary": shutil.which("chromium"), "args": [*switches, *more]},
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}}})
        self.address += f"/{session['sessionId']}"
        self.narrow(width, height)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        try:
            self.call("", method="DELETE")
        finally:
            self.driver.terminate()
            self.driver.wait()
            self.profile.cleanup()

    def call(self, path, content=None, method=None):
        data = json.dumps(content).encode() if content is not None else None
        request = urllib.request.Request(self.address + path, data, {"Content-Type": "application/json"},
                                         method=method or ("POST" if data else "GET"))
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(json.load(error)["value"]["message"]) from None

    def command(self, name, **parameters):
        return self.call("/goog/cdp/execute", {"cmd": name, "params": parameters})

    def narrow(self, width, height=800):
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                     mobile=width < 600)

    def dark(self, wanted):
        self.command("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if wanted else "light"}])

    def open(self, path):
        """Waits until the page has filled its figures."""
        self.call("/url", {"url": path.resolve().as_uri()})
        self.wait("document.documentElement.dataset.ready === 'yes'")

    def run(self, script, *arguments):
        return self.call("/execute/sync", {"script": script, "args": list(arguments)})

    def value(self, expression):
        return self.run(f"return {expression};")

    def wait(self, expression, seconds=60):
        """Until the expression is true."""
        script = ("const [end, done] = [Date.now() + 1000 * arguments[0], arguments[1]];"
                  f"(function look() {{ if ({expression}) done(true); else if (Date.now() > end) done(false);"
                  "else setTimeout(look, 20); })();")
        self.call("/timeouts", {"script": 1000 * (seconds + 5)})
        if not self.call("/execute/async", {"script": script, "args": [seconds]}):
            sys.exit(f"after {seconds} s it is not yet so that {expression}; {self.log('browser')}")

    def find(self, selector):
        return self.call("/element", {"using": "css selector", "value": selector})[element_key]

    def click(self, selector):
        self.call(f"/element/{self.find(selector)}/click", {})

    def press(self, *keys):
        """To what has the focus."""
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.call("/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def log(self, kind):
        return self.call("/se/log", {"type": kind})

    def complaints(self):
        """What the page said on its console that is an error or a warning, since the last time."""
        return [entry["message"] for entry in self.log("browser") if entry["level"] in ("SEVERE", "WARNING")]

    def requests(self):
        """Addresses that were asked for since the last time, other than the file itself."""
        messages = [json.loads(entry["message"])["message"] for entry in self.log("performance")]
        found = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
        return [address for address in found if not address.startswith(("file:", "data:", "blob:", "chrome:"))]

    def picture(self, path, whole=True):
        """A screenshot as PNG, of the whole page or of what is seen."""
        shot = self.command("Page.captureScreenshot", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(shot["data"]))
