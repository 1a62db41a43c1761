"""Runs one function on python: `runner.py <file of the code> <http or event>`. Of the standard library alone.

Its rules: docs/reference/functions.md#the-runner
"""

import asyncio
import concurrent.futures
import importlib.util
import inspect
import json
import os
import signal
import socket
import sys
import threading
import time
import traceback
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, unquote, urlsplit

BODY_MAX = 10 * 1024 * 1024
ANSWER_SECONDS = 120
STOP_SECONDS = 25
AT_ONCE = 100
LINGER_SECONDS = 2
LINGER_BYTES = 64 * 1024 * 1024
HEALTH_PATH = "/.svc/health"


class Refusal(Exception):
    """Ends a request with a status and a sentence that its caller may see."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Request:
    """What `handler` gets. Names of headers are in lower case."""

    method: str
    path: str
    query: dict
    headers: dict
    body: bytes

    @property
    def text(self):
        return self.body.decode("utf-8", "replace")

    def json(self):
        return json.loads(self.body)


def load(file, mode):
    spec = importlib.util.spec_from_file_location("function", file)
    module = importlib.util.module_from_spec(spec)
    sys.modules["function"] = module
    spec.loader.exec_module(module)
    handler = getattr(module, "handler", None)
    app = getattr(module, "app", None)
    if mode == "event":
        if not callable(handler):
            raise RuntimeError("the code has no handler: define handler(event)")
        return handler, False
    if callable(handler):
        return handler, False
    if callable(app):
        return app, True
    raise RuntimeError("the code has no handler: define handler(request), or an ASGI application named app")


loop = asyncio.new_event_loop()


def run(coroutine):
    future = asyncio.run_coroutine_threadsafe(coroutine, loop)
    try:
        return future.result(ANSWER_SECONDS)
    except concurrent.futures.TimeoutError:
        if future.done():
            raise
        future.cancel()
        raise Refusal(504, f"no answer within {ANSWER_SECONDS} seconds") from None


def call(handler, argument):
    result = handler(argument)
    return run(_awaited(result)) if inspect.isawaitable(result) else result


async def _awaited(awaitable):
    return await awaitable


def answer_of(result):
    """Status, headers and body of what `handler` returned."""
    status, headers = 200, {}
    if isinstance(result, tuple):
        result, status, *rest = result
        headers = dict(rest[0]) if rest else {}
    if result is None:
        return (204 if status == 200 else status), headers, b""
    kind = "text/plain; charset=utf-8"
    if isinstance(result, (dict, list)):
        kind, result = "application/json", json.dumps(result)
    elif isinstance(result, bytes):
        kind = "application/octet-stream"
    elif not isinstance(result, str):
        raise TypeError(f"the handler returned {type(result).__name__}: return text, bytes, a dict, a list or None")
    if not any(name.lower() == "content-type" for name in headers):
        headers["content-type"] = kind
    return status, headers, result if isinstance(result, bytes) else result.encode()


def event_of(request):
    """A CloudEvent in either of the two forms that its HTTP binding has."""
    if request.method != "POST":
        raise Refusal(405, "an event is sent with POST")
    kind = request.headers.get("content-type", "")
    if kind.startswith("application/cloudevents+json"):
        event = parsed(request)
    else:
        event = {name[3:]: value for name, value in request.headers.items() if name.startswith("ce-")}
        if kind:
            event["datacontenttype"] = kind
        event["data"] = parsed(request) if "json" in kind else request.text
    for needed in ("specversion", "id", "source", "type"):
        if not isinstance(event, dict) or not isinstance(event.get(needed), str):
            raise Refusal(400, f"this is no CloudEvent: it has no {needed}")
    return event


def parsed(request):
    try:
        return request.json()
    except ValueError:
        raise Refusal(400, "the body is not JSON") from None


async def ask_asgi(app, request, target, raw_headers, start, write):
    """One request of an ASGI application; `start` and `write` send what it answers."""
    sent_body = False

    async def receive():
        nonlocal sent_body
        if sent_body:
            await asyncio.sleep(ANSWER_SECONDS)
            return {"type": "http.disconnect"}
        sent_body = True
        return {"type": "http.request", "body": request.body, "more_body": False}

    async def send(message):
        if message["type"] == "http.response.start":
            start(message["status"], [(n.decode("latin-1"), v.decode("latin-1")) for n, v in message.get("headers", [])])
        elif message["type"] == "http.response.body":
            await loop.run_in_executor(None, write, message.get("body", b""))

    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": "http",
        "path": unquote(request.path),
        "raw_path": request.path.encode("latin-1"),
        "query_string": urlsplit(target).query.encode("latin-1"),
        "root_path": "",
        "headers": [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in raw_headers],
        "client": None,
        "server": None,
    }
    await app(scope, receive, send)


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1024
    address_family = socket.AF_INET6 if socket.has_dualstack_ipv6() else socket.AF_INET
    stopping = False
    busy = 0
    changed = threading.Condition()
    places = threading.BoundedSemaphore(AT_ONCE)

    def server_bind(self):
        if self.address_family == socket.AF_INET6:
            self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        super().server_bind()


def make_handler(function, is_asgi, mode):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = ANSWER_SECONDS

        def handle_one(self):
            self.started = False
            self.chunked = False
            if self.path == HEALTH_PATH:
                self.reply(503 if self.server.stopping else 200, {}, b"")
                return
            with self.server.changed:
                self.server.busy += 1
            try:
                with self.server.places:
                    self.answer()
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True
            except Refusal as refusal:
                if refusal.status == 504:
                    traceback.print_exc()
                self.refuse(refusal.status, str(refusal))
            except Exception:
                # The caller of a function is not its author: the stack goes to the log alone.
                traceback.print_exc()
                self.refuse(500, "the function failed")
            finally:
                with self.server.changed:
                    self.server.busy -= 1
                    self.server.changed.notify_all()

        do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = handle_one

        def answer(self):
            try:
                parts = urlsplit(self.path)
            except ValueError:
                raise Refusal(400, "the address of the request cannot be read") from None
            headers = {name.lower(): value for name, value in self.headers.items()}
            query = dict(parse_qsl(parts.query, keep_blank_values=True))
            request = Request(self.command, parts.path, query, headers, self.read_body())
            if mode == "event":
                call(function, event_of(request))
                self.reply(204, {}, b"")
            elif is_asgi:
                run(ask_asgi(function, request, self.path, self.headers.items(), self.start, self.write))
                if not self.started:
                    raise RuntimeError("the application answered nothing")
                if self.chunked:
                    self.wfile.write(b"0\r\n\r\n")
            else:
                self.reply(*answer_of(call(function, request)))

        def read_body(self):
            if "chunked" in self.headers.get("transfer-encoding", "").lower():
                return self.read_chunks()
            length = self.headers.get("content-length", "0")
            if not length.isdigit():
                raise Refusal(400, "the length of the body cannot be read")
            self.bound(int(length))
            return self.rfile.read(int(length))

        def read_chunks(self):
            body = b""
            while True:
                line = self.rfile.readline(64).split(b";")[0].strip()
                try:
                    size = int(line, 16)
                except ValueError:
                    raise Refusal(400, "the chunks of the body cannot be read") from None
                if size < 0:
                    raise Refusal(400, "the chunks of the body cannot be read")
                self.bound(len(body) + size)
                body += self.rfile.read(size)
                ending = self.rfile.readline(64)
                if size == 0:
                    while ending.strip():
                        ending = self.rfile.readline(8192)
                    return body

        def bound(self, size):
            if size > BODY_MAX:
                raise Refusal(413, f"a request may have at most {BODY_MAX} bytes")

        def start(self, status, headers):
            self.started = True
            self.send_response_only(status)
            names = {name.lower() for name, _ in headers}
            hop = {"connection", "transfer-encoding"}
            for name, value in headers:
                if name.lower() not in hop:
                    self.send_header(name, value)
            self.chunked = "content-length" not in names and self.command != "HEAD" and status not in (204, 304)
            if self.chunked:
                self.send_header("transfer-encoding", "chunked")
            self.end_headers()

        def write(self, data):
            if data and self.command != "HEAD":
                self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data) if self.chunked else data)

        def reply(self, status, headers, body):
            length = {} if status == 204 else {"content-length": str(len(body))}
            self.start(status, [*headers.items(), *length.items()] if "content-length" not in headers else headers.items())
            self.chunked = False
            self.write(body)

        def refuse(self, status, message):
            self.close_connection = True
            if not self.started:
                body = f"{message}\n".encode()
                self.reply(status, {"content-type": "text/plain", "content-length": str(len(body))}, body)
            if status == 413:
                self.forget_rest()

        def forget_rest(self):
            """A client that still sends would not see the answer."""
            try:
                self.connection.shutdown(socket.SHUT_WR)
                self.connection.settimeout(LINGER_SECONDS)
                left = LINGER_BYTES
                while left > 0 and (data := self.rfile.read1(65536)):
                    left -= len(data)
            except OSError:
                pass

        def log_message(self, *_args):
            pass

    return Handler


def stop(server):
    """Readiness goes first, and what is being answered is answered."""
    server.stopping = True
    server.shutdown()
    server.socket.close()
    ends = time.monotonic() + STOP_SECONDS
    with server.changed:
        while server.busy > 0 and time.monotonic() < ends:
            server.changed.wait(ends - time.monotonic())
    sys.stdout.flush()
    os._exit(0)


def main():
    file, mode = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "http"
    sys.dont_write_bytecode = True
    threading.Thread(target=loop.run_forever, daemon=True).start()
    try:
        function, is_asgi = load(file, mode)
    except BaseException:
        traceback.print_exc()
        sys.exit(1)
    port = int(os.environ.get("PORT", "8080"))
    server = Server(("::" if Server.address_family == socket.AF_INET6 else "", port), make_handler(function, is_asgi, mode))
    signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=stop, args=(server,)).start())
    print(f"the function listens on {server.server_address[1]}", flush=True)
    server.serve_forever()
    signal.pause()


main()
