"""A device agent for the standard library of Python 3.8 or newer. README.md says how to run it."""
import base64, datetime, email.utils, hashlib, http.client, json, os, pathlib, platform, random, secrets, stat, sys, time
import urllib.error, urllib.request

CLOUD = os.environ["CLOUD_URL"].rstrip("/")
KEY = os.environ["DEVICE_API_KEY"]
ROOT = pathlib.Path(os.environ["DEVICE_ROOT"]).resolve()  # nothing outside this folder is found or uploaded
INTERVAL = int(os.environ.get("DEVICE_INTERVAL_MS", "30000")) / 1000  # seconds between requests that are not held
FACTS = {"os": platform.system(), "version": platform.release(), "hardware": platform.machine(), "scopes": [{"name": "files"}]}
MAX_ROWS, MAX_REPORT, MAX_UPLOAD, MAX_ANSWER = 1000, 4 * 2**20, 100 * 2**20, 16 * 2**20


class Refused(Exception):
    """The cloud will never take this request."""


class Unauthorized(Exception):
    """The cloud does not accept the key."""


class Again(Exception):
    """The same request may succeed later."""

    def __init__(self, reason, seconds=0):
        super().__init__(reason)
        self.seconds = seconds


class NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None  # the key must not travel to another address


opener = urllib.request.build_opener(NoRedirects)


def seconds_of(value):
    """Retry-After, which is a number of seconds or a date; at most 15 minutes."""
    try:
        wait = int(value) if value.strip().isdigit() else email.utils.parsedate_to_datetime(value).timestamp() - time.time()
    except (ValueError, TypeError, AttributeError):
        return 0
    return max(0, min(900, wait))


def call(method, path, is_right, data=None, headers=None, wait=0):
    """One request, which the cloud may hold for `wait` seconds. Gives the answer and its headers if `is_right` accepts it."""
    headers = {"Authorization": f"Bearer {KEY}", **(headers or {}), **({"Prefer": f"wait={wait}"} if wait else {})}
    request = urllib.request.Request(CLOUD + path, data, headers, method=method)
    try:
        with opener.open(request, timeout=60 + wait) as response:
            body = json.loads(response.read(MAX_ANSWER).decode("utf-8"))
            if not is_right(body):
                raise Again("not the documented answer")
            return body, response.headers
    except urllib.error.HTTPError as error:
        if error.code == 401:
            raise Unauthorized() from None
        if 400 <= error.code < 500 and error.code not in (408, 425, 429):
            raise Refused(error.code) from None
        raise Again(f"status {error.code}", seconds_of(error.headers["Retry-After"])) from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise Again(type(error).__name__) from None


def is_object(body, *names):
    return isinstance(body, dict) and all(name in body for name in names)


def send_json(method, path, value, is_right):
    return call(method, path, is_right, json.dumps(value).encode(), {"Content-Type": "application/json"})[0]


# searches


def found_files(query, unread):
    """Regular files below the root whose names hold the words; follows no links. Notes folders that cannot be read."""
    for folder, _, names in os.walk(ROOT, onerror=unread.append):
        for name in names:
            if query.strip().casefold() not in name.casefold():
                continue
            path = os.path.join(folder, name)
            try:
                facts = os.lstat(path)
            except OSError:
                continue
            if stat.S_ISREG(facts.st_mode):
                clean = path.encode("utf-8", "replace").decode()  # names may hold bytes that are not UTF-8
                modified = datetime.datetime.fromtimestamp(facts.st_mtime, datetime.timezone.utc).isoformat()
                yield {"path": clean, "name": os.path.basename(clean), "size": facts.st_size, "modified": modified}


def report_of(search):
    """The report of a search, as bytes: every attempt sends the same ones."""
    missing = [scope for scope in search["scope"] if scope != "files"]
    results = {}
    if "files" in search["scope"]:
        errors = []
        rows = [row for row, _ in zip(found_files(search["query"], errors), range(MAX_ROWS + 1))]
        results = {"files": rows[:MAX_ROWS]}
        if not os.path.isdir(ROOT):
            missing.append("files, the shared folder is not there")
        elif errors:  # an empty answer would say that nothing is there
            results["unread"] = [{"scope": "files", "reason": "denied", "count": len(errors)}]
        if len(rows) > MAX_ROWS:
            results["truncated"] = {"files": True}
    error = f"not provided: {', '.join(missing)}" if missing else None
    while True:
        report = json.dumps({"queryId": search["id"], "results": results, "error": error}).encode()
        if len(report) <= MAX_REPORT:
            return report
        rows = results["files"]
        results = {**results, "files": rows[: len(rows) // 2], "truncated": {"files": True}}


def send_report(search_id, report):
    is_right = lambda body: is_object(body, "success") and body.get("queryId") == search_id
    time.sleep(0.1)  # at most 10 reports a second
    call("POST", "/api/devices/search", is_right, report, {"Content-Type": "application/json"})


# uploads


def open_file(file_path):
    """Opens a regular file inside the root; raises OSError with words for the user."""
    try:
        path = (ROOT / file_path).resolve()  # follows links, so that what is compared is what is opened
    except (ValueError, OSError, RuntimeError):
        raise OSError("the path is not valid") from None
    if ROOT not in path.parents:
        raise OSError("policy_denied: the file lies outside of the shared folder")
    try:
        file = os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)), "rb")
    except OSError as error:
        raise OSError(f"the file cannot be opened: {error.strerror}") from None
    facts = os.fstat(file.fileno())
    if stat.S_ISREG(facts.st_mode) and facts.st_size <= MAX_UPLOAD:
        return file, facts.st_size, path.name
    file.close()
    raise OSError("this is not a regular file" if not stat.S_ISREG(facts.st_mode) else "policy_denied: the file is too large")


def read_exactly(file, size):
    """The next `size` bytes in blocks. A file that is shorter now breaks the attempt off."""
    while size > 0:
        block = file.read(min(size, 65536))
        if not block:
            raise OSError("the file changed")
        size -= len(block)
        yield block


def send_form(request_id, part_head, size, blocks):
    boundary = secrets.token_hex(16)
    line = f"--{boundary}\r\nContent-Disposition: form-data; name="
    head = f'{line}"requestId"\r\n\r\n{request_id}\r\n{line}{part_head}\r\n\r\n'.encode("utf-8", "replace")
    tail = f"\r\n--{boundary}--\r\n".encode()

    def body():
        yield head
        yield from blocks
        yield tail

    headers = {"Content-Type": f"multipart/form-data; boundary={boundary}", "Content-Length": str(len(head) + size + len(tail))}
    time.sleep(0.2)  # at most 5 files a second
    call("POST", "/api/devices/files/upload", lambda answer: is_object(answer, "success"), body(), headers)


def send_error(request_id, error):
    text = error.encode("utf-8", "replace")[:1000]
    send_form(request_id, '"error"', len(text), [text])


def send_chunks(request_id, file, size, name, offered):
    """Sends a file in chunks, only those that the cloud does not have. Gives False where it takes a form only."""
    chunk_bytes = min(max(offered, 65536, -(-size // 1000)), 64 * 2**20)
    pieces = range(-(-size // chunk_bytes))
    read = lambda index: (file.seek(index * chunk_bytes), file.read(min(chunk_bytes, size - index * chunk_bytes)))[1]
    digests = [base64.b64encode(hashlib.sha256(read(index)).digest()).decode() for index in pieces]
    plan = {"fileName": name.encode("utf-8", "replace").decode(), "size": size, "chunkBytes": chunk_bytes, "digests": digests}
    path = f"/api/devices/files/uploads/{request_id}"
    try:
        for _ in range(3):
            answer = send_json("PUT", path, plan, lambda body: is_object(body, "received", "settled"))
            for index in pieces if not answer["settled"] else []:
                if index not in answer["received"]:
                    headers = {"Content-Type": "application/octet-stream", "Content-Digest": f"sha-256=:{digests[index]}:"}
                    time.sleep(0.05)  # at most 20 chunks a second
                    call("PUT", f"{path}/chunks/{index}", lambda body: is_object(body, "success"), read(index), headers)
            try:
                call("POST", f"{path}/complete", lambda body: is_object(body, "success"), b"")
                return True
            except Refused as error:
                if error.args[0] != 409:  # chunks are missing after all
                    raise
    except Refused:
        pass
    return False


def upload(request, offered):
    try:
        file, size, name = open_file(request["filePath"])
    except OSError as error:
        return send_error(request["id"], str(error))
    with file:
        if offered and size > offered and send_chunks(request["id"], file, size, name, offered):
            return
        file.seek(0)
        quoted = name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
        head = f'"file"; filename="{quoted}"\r\nContent-Type: application/octet-stream'
        try:
            send_form(request["id"], head, size, read_exactly(file, size))
        except Refused as error:
            if error.args[0] != 413:
                raise
            send_error(request["id"], "the file is larger than the cloud accepts")


# what is done when


class Job:
    """Something to do, once or again and again, with pauses of its own after failures."""

    def __init__(self, work, every=None, request_id=None):
        self.work, self.every, self.request_id, self.due, self.failures = work, every, request_id, time.monotonic(), 0


jobs, known = [], {}
hold = 270  # seconds for which the cloud may hold the request for all work


def take(kind, requests, work_of):
    """Adds a job for each listed request that is new; gives how many. A request of another form is left alone."""
    before = len(jobs)
    for request in requests[:100]:
        text = {"searches": "query", "uploads": "filePath"}[kind]
        if not is_object(request, "id", text) or not all(isinstance(request[name], str) for name in ("id", text)):
            continue
        scope = request.get("scope")
        if kind == "searches" and not (isinstance(scope, list) and all(isinstance(each, str) for each in scope)):
            continue
        if request["id"] not in known:
            known[request["id"]] = True
            jobs.append(Job(work_of(request), request_id=request["id"]))
    while len(known) > 10000:
        del known[next(iter(known))]
    return len(jobs) - before


def take_searches(requests):
    def work_of(search):
        made = []

        def work():
            made.append(made[0] if made else report_of(search))
            send_report(search["id"], made[0])

        return work

    return take("searches", requests, work_of)


def take_uploads(requests, headers):
    offer = headers["Upload-Chunk-Bytes"] or ""
    return take("uploads", requests, lambda request: lambda: upload(request, int(offer) if offer.isdigit() else 0))


def has_work(body):
    return is_object(body, "searches", "uploads") and all(isinstance(body[name], list) for name in ("searches", "uploads"))


def ask_for_work():
    """Asks for everything that waits, and is the heartbeat. Gives the seconds until it comes again."""
    global hold
    others = [job for job in jobs if job.request_id]  # to be sent again later
    wait = min([hold, *(int(job.due - time.monotonic()) for job in others)])
    if wait < 1 and others:
        return max(0.1, min(job.due for job in others) - time.monotonic())
    asked, body = time.monotonic(), json.dumps({"metadata": FACTS, "working": [job.request_id for job in others]}).encode()
    try:
        answer, headers = call("POST", "/api/devices/work", has_work, body, {"Content-Type": "application/json"}, wait)
    except Refused as error:
        if error.args[0] not in (404, 405):
            raise
        if not any(job.work in polls for job in jobs):  # an older cloud: it has heartbeats and two lists
            jobs.extend(Job(work, INTERVAL) for work in polls)
        return 3600  # it may be updated meanwhile
    except Again:
        if time.monotonic() - asked > 50:
            hold = 50  # something on the way ends quiet connections
        raise
    jobs[:] = [job for job in jobs if job.work not in polls]
    taken = take_searches(answer["searches"]) + take_uploads(answer["uploads"], headers)
    return 0 if taken or time.monotonic() - asked >= wait / 2 else INTERVAL


# what an older cloud needs instead


def has_requests(body):
    return is_object(body, "requests") and isinstance(body["requests"], list)


def beat():
    send_json("POST", "/api/devices/heartbeat", {"metadata": FACTS}, lambda body: is_object(body, "success", "status"))


def poll_searches():
    take_searches(call("GET", "/api/devices/search/pending", has_requests)[0]["requests"])


def poll_uploads():
    body, headers = call("GET", "/api/devices/files/upload-requests/pending", has_requests)
    take_uploads(body["requests"], headers)


polls = (beat, poll_searches, poll_uploads)


def pause_of(failures):
    """Grows from a sixth of the interval to four intervals, and is random, so that a fleet does not return at once."""
    return min(INTERVAL / 6 * 2 ** (failures - 1), INTERVAL * 4) * (1 + random.random() / 2)


def run(job):
    """Runs a job; gives the seconds until it comes again, or None if it is done."""
    try:
        seconds = job.work()
        job.failures = 0
        return job.every if seconds is None else seconds
    except Refused as error:
        print(f"{job.work.__name__}: the cloud refused it with {error}", flush=True)
    except Again as error:
        job.failures += 1
        print(f"{job.work.__name__}: {error}", flush=True)
        return max(pause_of(job.failures), error.seconds)
    return job.every


def main():
    refusals = 0
    jobs.append(Job(ask_for_work, INTERVAL))
    while True:
        job = min(jobs, key=lambda each: each.due)
        time.sleep(max(0, job.due - time.monotonic()))
        try:
            seconds = run(job)
            refusals = 0
        except Unauthorized:  # somebody deleted the device or changed its key: be quiet, and work again if the key does
            seconds = min(1800, 300 * 2**refusals)
            refusals += 1
            print(f"the cloud does not accept the key; the next attempt is in {seconds} s", flush=True)
            time.sleep(seconds)
        if seconds is None:
            jobs.remove(job)
        else:
            job.due = time.monotonic() + seconds


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(0)
