"""A small browser around WebKitGTK, commanded by lines of JSON on stdin and answering on stdout.

A command is {"id", "do", "tab", …}; its answer {"id", "value"} or {"id", "error"}. It ends when stdin does.
It does what a browser has to decide itself: new tabs, downloads, addresses of other programs. Taps and keys
are no commands: they come from outside, as events of the X server.
"""

import json
import os
import sys
import threading

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("GdkX11", "3.0")
gi.require_version("WebKit2", "4.1")
from gi.repository import GdkX11, GLib, Gdk, Gtk, WebKit2  # noqa: E402, F401

WIDTH_PX, HEIGHT_PX = 1000, 1000
WEB_SCHEMES = ("http", "https", "about")
DOWNLOADS = sys.argv[1]


class Tab:
    """A tab with its profile; `others` are the tabs that were opened from it."""

    def __init__(self, view, x=0):
        self.view, self.others, self.waiting, self.asked = view, [], None, []
        view.connect("decide-policy", self.decide)
        view.connect("create", lambda view, action: self.open_other(action.get_request()))
        view.connect("load-changed", self.on_load)
        view.connect("load-failed", lambda *_: self.loaded(False))
        self.window = Gtk.Window()
        self.window.set_default_size(WIDTH_PX, HEIGHT_PX)
        self.window.move(x, 0)
        self.window.add(view)
        self.window.show_all()
        view.grab_focus()

    def on_load(self, _view, event):
        if event == WebKit2.LoadEvent.COMMITTED:
            # The page that was asked is gone and never answers.
            for answer in self.asked:
                answer(None, "the page was replaced")
            self.asked = []
        if event == WebKit2.LoadEvent.FINISHED:
            self.loaded(True)

    def loaded(self, is_whole):
        if self.waiting is not None:
            answer, self.waiting = self.waiting, None
            answer(is_whole)
        return True  # No page about an error in place of ours.

    def decide(self, _view, decision, kind):
        if kind == WebKit2.PolicyDecisionType.RESPONSE:
            headers = decision.get_response().get_http_headers()
            disposition = headers.get_one("Content-Disposition") if headers else None
            if (disposition or "").startswith("attachment") or not decision.is_mime_type_supported():
                decision.download()
                return True
            return False
        action = decision.get_navigation_action()
        request = action.get_request()
        if request.get_uri().split(":")[0] not in WEB_SCHEMES:
            decision.ignore()  # Another program's, such as the one for mail.
            return True
        is_new = action.get_mouse_button() == 2 or action.get_modifiers() & Gdk.ModifierType.CONTROL_MASK
        if action.get_navigation_type() == WebKit2.NavigationType.LINK_CLICKED and is_new:
            decision.ignore()
            self.open_other(request)
            return True
        return False

    def open_other(self, request):
        """A new tab beside the window, so that it covers nothing that is tapped."""
        view = WebKit2.WebView.new_with_related_view(self.view)
        view.set_settings(self.view.get_settings())
        self.others.append(Tab(view, WIDTH_PX))
        view.load_request(request)

    def evaluate(self, script, answer):
        def done(view, result):
            if answer not in self.asked:
                return
            self.asked.remove(answer)
            try:
                answer(json.loads(view.call_async_javascript_function_finish(result).to_string()))
            except Exception as error:
                answer(None, str(error))

        self.asked.append(answer)
        body = f"return JSON.stringify((await ({script})) ?? null)"
        self.view.call_async_javascript_function(body, -1, None, None, None, None, done)

    def close(self):
        for other in self.others:
            other.close()
        self.window.destroy()


def profile():
    # As browsers on WebKit have it: with our Cross-Origin-Opener-Policy the next site needs another process, and
    # without the swap no page of ours could be kept for a return.
    context = WebKit2.WebContext(
        process_swap_on_cross_site_navigation_enabled=True,
        website_data_manager=WebKit2.WebsiteDataManager.new_ephemeral(),
    )
    context.connect("download-started", lambda _, download: download.connect("decide-destination", keep))
    return context


def keep(download, name):
    download.set_allow_overwrite(True)
    download.set_destination(GLib.filename_to_uri(os.path.join(DOWNLOADS, os.path.basename(name))))
    return True


tabs = {}


def run(command, answer):
    do, name = command["do"], command.get("tab")
    if do == "version":
        parts = (WebKit2.get_major_version(), WebKit2.get_minor_version(), WebKit2.get_micro_version())
        answer(".".join(str(part) for part in parts))
    elif do == "open":
        view = WebKit2.WebView.new_with_context(profile())
        view.get_settings().set_enable_page_cache(True)
        view.get_settings().set_enable_javascript(command["scripts"])
        tabs[name] = Tab(view)
        answer(tabs[name].window.get_window().get_xid())
    elif do == "load":
        tabs[name].waiting = answer
        tabs[name].view.load_uri(command["url"])
    elif do == "evaluate":
        tabs[name].evaluate(command["script"], answer)
    elif do == "leave":
        tabs[name].window.destroy()
        answer(None)
    elif do == "close":
        tabs.pop(name).close()
        answer(None)
    else:
        raise ValueError(do)


def on_line(line):
    command = json.loads(line)

    def answer(value, error=None):
        print(json.dumps({"id": command["id"], "value": value, "error": error}), flush=True)

    try:
        run(command, answer)
    except Exception as error:
        answer(None, repr(error))
    return False


def read():
    for line in sys.stdin:
        GLib.idle_add(on_line, line)
    GLib.idle_add(Gtk.main_quit)


threading.Thread(target=read, daemon=True).start()
Gtk.main()
