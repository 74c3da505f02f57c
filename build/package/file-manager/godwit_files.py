"""Godwit in Nautilus and Nemo: a sign on each file of a synced folder, and in Nautilus the menu.

Loaded by nautilus-python or nemo-python. It starts nothing and keeps nothing: it asks the daemon over its socket, as the
command line does (docs/reference/control-api.md), and waits a moment for an answer at most, since the file manager waits with it.
What the menu does is in file-action, which Nemo's and Dolphin's menus call as well.
"""

import http.client
import json
import os
import socket
import subprocess
import time
from urllib.parse import unquote, urlsplit

ACTION = "/usr/lib/godwit-desktop/file-action"

# The file manager stands still meanwhile.
ANSWER_S = 0.3
# A daemon that does not answer is left alone for so long.
SILENT_S = 10
# What is known of the daemons is asked anew after so long.
KNOWN_S = 2
# An entry of ours is short.
MOST_BYTES = 16384
SUFFIX = ".godwit"

EMBLEMS = {
    "conflict": "emblem-important",
    "waiting": "emblem-synchronizing",
    "online": "emblem-downloads",
    "synced": "emblem-default",
}

# By the name of the action: what the menu says, and whether it is for one file alone.
ACTIONS = (
    ("state", "State", True),
    ("versions", "Show versions", True),
    ("restore", "Bring back a version…", True),
    ("keep", "Keep on this laptop", False),
    ("free", "Free up space", False),
    ("resolution", "Copy how to resolve its conflict", True),
)


class SocketConnection(http.client.HTTPConnection):
    """HTTP over the socket of a daemon."""

    def __init__(self, path):
        super().__init__("localhost", timeout=ANSWER_S)
        self._path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(ANSWER_S)
        self.sock.connect(self._path)


def state_folder(env=None):
    """Where daemons say that they run, as shared/control/state-folder.ts has it."""
    env = os.environ if env is None else env
    given = env.get("XDG_STATE_HOME", "")
    state = given if os.path.isabs(given) else os.path.join(os.path.expanduser("~"), ".local", "state")
    return os.path.join(state, "godwit")


def read_json(path):
    """None for what is missing, damaged, too long, or of another user."""
    try:
        with open(path, "rb") as file:
            if os.fstat(file.fileno()).st_uid != os.getuid():
                return None
            text = file.read(MOST_BYTES + 1)
        value = json.loads(text) if len(text) <= MOST_BYTES else None
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None


class Daemon:
    """A daemon of this user, and what is known of it."""

    def __init__(self, folder, volume, control):
        self.folder = folder
        self._volume = volume
        self._control = control
        self._silent_until = 0.0
        self._known_until = 0.0
        self._conflicts = frozenset()

    def sign_of(self, path):
        """What is to be seen on a file; None for the folder itself, and while nobody tells."""
        names = os.path.relpath(path, self.folder).split(os.sep)
        if names[0] in (".", "..", ".godwit"):
            return None
        name = names[-1]
        is_placeholder = name.endswith(SUFFIX) and name != SUFFIX
        if is_placeholder:
            names[-1] = name[: -len(SUFFIX)]
        if "/" + "/".join(names) in self._conflict_paths():
            return "conflict"
        if is_placeholder:
            return "online"
        queue = self._ask("POST", "/v1/command/queue-at", {"volume": self._volume, "path": names})
        if queue is None:
            return None
        waits = queue.get("moving") is not None or queue.get("kept") is not None
        return "waiting" if waits else "synced"

    def _conflict_paths(self):
        now = time.monotonic()
        if now >= self._known_until:
            status = self._ask("GET", "/v1/status", None)
            self._known_until = now + KNOWN_S
            if status is not None:
                conflicts = status.get("conflicts", [])
                self._conflicts = frozenset(
                    "/" + str(each.get(side, "")).lstrip("/") for each in conflicts for side in ("path", "copy")
                )
        return self._conflicts

    def _ask(self, method, path, body):
        if time.monotonic() < self._silent_until:
            return None
        control = read_json(self._control)
        if control is None:
            return None
        connection = SocketConnection(str(control.get("socket", "")))
        try:
            text = None if body is None else json.dumps(body)
            connection.request(method, path, text, {"content-type": "application/json"})
            told = json.loads(connection.getresponse().read())
            return told.get("result") if told.get("ok") is True else None
        except (OSError, http.client.HTTPException, ValueError, AttributeError):
            self._silent_until = time.monotonic() + SILENT_S
            return None
        finally:
            connection.close()


class Daemons:
    """Those that run, by the folder that each of them keeps in sync."""

    def __init__(self):
        self._until = 0.0
        self._known = {}

    def of(self, path):
        """The one in whose folder the path is; None: it is in none."""
        now = time.monotonic()
        if now >= self._until:
            self._until = now + KNOWN_S
            self._look()
        at = os.path.dirname(path)
        while True:
            if at in self._known:
                return self._known[at]
            above = os.path.dirname(at)
            if above == at:
                return None
            at = above

    def _look(self):
        running = os.path.join(state_folder(), "running")
        try:
            entries = sorted(os.listdir(running))
        except OSError:
            entries = []
        found = {}
        for entry in entries:
            told = read_json(os.path.join(running, entry)) if entry.endswith(".json") else None
            data = (told or {}).get("data")
            config = read_json(os.path.join(data, "config.json")) if isinstance(data, str) else None
            folder = (config or {}).get("folder")
            if not isinstance(folder, str):
                continue
            place = os.path.realpath(os.path.join(data, folder))
            volume = (config or {}).get("volume", "home")
            found[place] = self._known.get(place) or Daemon(place, volume, os.path.join(data, "control.json"))
        self._known = found


def path_of(uri):
    """The place of a file on this machine, without links above it; None: it is elsewhere."""
    try:
        parts = urlsplit(uri)
        if parts.scheme != "file":
            return None
        path = unquote(parts.path, errors="surrogateescape")
        if "\0" in path:
            return None
        return os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
    except ValueError:
        # An address of another kind, which Python takes for a wrong one.
        return None


def run(action, uris):
    """The names of files are arguments of their own, and no shell reads them."""
    subprocess.Popen([ACTION, action, *uris], stdin=subprocess.DEVNULL, start_new_session=True)


DAEMONS = Daemons()


def sign_of_uri(uri):
    path = path_of(uri)
    daemon = None if path is None else DAEMONS.of(path)
    return None if daemon is None else daemon.sign_of(path)


def actions_for(uris):
    """The rows of the menu; none where a file is in no synced folder."""
    paths = [path_of(uri) for uri in uris]
    if not paths or any(path is None or DAEMONS.of(path) is None for path in paths):
        return []
    return [(name, label) for name, label, is_single in ACTIONS if len(uris) == 1 or not is_single]


try:
    # Each file manager loads its own copy: both libraries may be installed.
    if os.sep + "nemo-python" + os.sep in os.path.abspath(__file__):
        from gi.repository import GObject
        from gi.repository import Nemo as Manager

        HAS_MENU = False
    else:
        from gi.repository import GObject
        from gi.repository import Nautilus as Manager

        HAS_MENU = True
except ImportError:
    Manager = None

if Manager is not None:

    class GodwitSigns(GObject.GObject, Manager.InfoProvider):
        """Puts a sign on a file when it is shown."""

        def update_file_info(self, file):
            sign = sign_of_uri(file.get_uri())
            if sign is not None:
                file.add_emblem(EMBLEMS[sign])

    if HAS_MENU:

        class GodwitMenu(GObject.GObject, Manager.MenuProvider):
            """The menu of the other mouse button; Nemo's is made of its action files."""

            # Before Nautilus 43 a window stands before the files.
            def get_file_items(self, *args):
                uris = [file.get_uri() for file in args[-1]]
                rows = actions_for(uris)
                if not rows:
                    return []
                top = Manager.MenuItem(name="Godwit::Menu", label="Godwit", icon="godwit")
                below = Manager.Menu()
                top.set_submenu(below)
                for action, label in rows:
                    item = Manager.MenuItem(name="Godwit::" + action, label=label)
                    item.connect("activate", lambda _item, action=action: run(action, uris))
                    below.append_item(item)
                return [top]

            def get_background_items(self, *args):
                return []
