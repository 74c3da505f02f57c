/** The texts of the package `godwit-desktop`. */

/** What opens a placeholder: it has a type of its own, by its ending. */
const OPEN_ENTRY = `[Desktop Entry]
Type=Application
Name=Godwit: fetch and open
Comment=Fetches the file that a placeholder stands for, and opens it
Exec=/usr/bin/godwit open %f
Icon=godwit
Terminal=false
NoDisplay=true
MimeType=application/x-godwit-placeholder;
`;

const PLACEHOLDER_TYPE = `<?xml version="1.0" encoding="UTF-8"?>
<mime-info xmlns="http://www.freedesktop.org/standards/shared-mime-info">
  <mime-type type="application/x-godwit-placeholder">
    <comment>file that is on the Godwit server</comment>
    <sub-class-of type="text/plain"/>
    <generic-icon name="godwit"/>
    <glob pattern="*.godwit"/>
  </mime-type>
</mime-info>
`;

const MENU_ENTRY = `[Desktop Entry]
Type=Application
Name=Godwit
GenericName=Synced folder
Comment=A synced folder for laptops that roam
Exec=/usr/bin/godwit-desktop
Icon=godwit
Terminal=false
Categories=Network;FileTransfer;
Keywords=sync;folder;backup;
`;

/** Off: who wants it switches it on in the settings of the window, which writes a file of this name for that user. */
const AUTOSTART_ENTRY = `[Desktop Entry]
Type=Application
Name=Godwit
Comment=The icon in the panel, at login
Exec=/usr/bin/godwit-desktop --hidden
Icon=godwit
Terminal=false
Hidden=true
`;

/**
 * What the menu starts: the tray where there is an Electron, else the window in a browser. A menu has no terminal, so what is wrong is
 * said by a notification, and by a page.
 */
export const LAUNCHER = `#!/bin/sh
said=
try() {
  said=$("$@" 2>&1)
}
if [ -x /usr/lib/godwit/electron/electron ] || command -v electron >/dev/null; then
  try godwit tray "$@" && exit 0
fi
# At the start of a session nothing opens by itself.
if [ "$1" = --hidden ]; then
  exit 0
fi
# On a new device it shows the first steps, and stays for as long.
try godwit ui && exit 0
# Its daemon may be stopped.
try godwit up && try godwit ui && exit 0
if command -v notify-send >/dev/null; then
  notify-send --icon=godwit -- Godwit "$said"
fi
printf '%s\\n' "$said" >&2
exec xdg-open /usr/share/godwit-desktop/not-running.html
`;

const NOT_RUNNING_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Godwit does not start</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 40em; margin: 3em auto; padding: 0 1em; color-scheme: light dark }
  code { background: #8883; padding: .2em .4em; border-radius: .3em }
</style>
<h1>Godwit does not start</h1>
<p>Your files are safe. What is wrong, and what to do about it, says this command in a terminal:</p>
<p><code>godwit doctor</code></p>
</html>
`;

const METAINFO = `<?xml version="1.0" encoding="UTF-8"?>
<component type="desktop-application">
  <id>net.godwit.tray</id>
  <metadata_license>CC0-1.0</metadata_license>
  <project_license>Apache-2.0</project_license>
  <name>Godwit</name>
  <summary>A synced folder for laptops that roam</summary>
  <description>
    <p>A folder that stays the same on all laptops of a person, through a server of their own.</p>
  </description>
  <launchable type="desktop-id">godwit.desktop</launchable>
  <content_rating type="oars-1.1"/>
</component>
`;

/** The manual page of `godwit-desktop`. */
export const PAGE = (date, version) => `.TH GODWIT\\-DESKTOP 1 ${date} "Godwit ${version}" "Godwit"
.SH NAME
godwit\\-desktop \\- open the window of Godwit
.SH SYNOPSIS
\\fBgodwit\\-desktop\\fR [\\fB\\-\\-hidden\\fR]
.SH DESCRIPTION
Shows the icon in the panel and the window, as \\fBgodwit tray\\fR does, where there is an Electron. Without one it
opens the window in a browser, as \\fBgodwit ui\\fR does. The menu of the desktop starts it.
.TP
\\fB\\-\\-hidden\\fR
The icon alone, for the start of a session.
.SH SEE ALSO
godwit\\-tray(1), godwit\\-ui(1)
`;

export const README = `Godwit's window for Debian
==========================

The entry in the menu shows an icon in the panel and a window. That takes an
Electron: one that came with this package, or one on the path. Without it the
window opens in the browser.

The icon starts at login where "Start when I log in" is on in the settings of
the window. /etc/xdg/autostart/godwit-tray.desktop has it off for all users.
`;

/** Text files of the package, by their paths. */
export const FILES = {
  'etc/xdg/autostart/godwit-tray.desktop': AUTOSTART_ENTRY,
  'usr/share/applications/godwit.desktop': MENU_ENTRY,
  'usr/share/applications/godwit-open.desktop': OPEN_ENTRY,
  'usr/share/godwit-desktop/not-running.html': NOT_RUNNING_PAGE,
  'usr/share/metainfo/net.godwit.tray.metainfo.xml': METAINFO,
  'usr/share/mime/packages/godwit.xml': PLACEHOLDER_TYPE,
};

export const CONFFILES = ['/etc/xdg/autostart/godwit-tray.desktop'];
