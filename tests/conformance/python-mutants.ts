/** A change to the Python example, and the case that must fail because of it. */
export interface Mutant {
  readonly caughtBy: string
  /** Text of the example; it stands there once. */
  readonly from: string
  readonly to: string
}

const mutant = (caughtBy: string, from: string, to: string): Mutant => ({ caughtBy, from, to })

/** What careless authors do, a line each. */
export const pythonMutants: readonly Mutant[] = [
  mutant('heartbeat-at-start', 'polls = (beat, ', 'polls = ('),
  mutant('heartbeat-form', '{"metadata": FACTS}', '{"metadata": {}}'),
  mutant('heartbeat-interval', 'Job(work, INTERVAL) for', 'Job(work, INTERVAL / 10) for'),
  mutant('poll-interval', 'Job(work, INTERVAL) for', 'Job(work, INTERVAL / 10) for'),
  mutant('polls-both-lists', 'poll_searches, poll_uploads)', 'poll_searches)'),
  mutant('key-in-header', 'Request(CLOUD + path,', 'Request(f"{CLOUD}{path}?key={KEY}",'),
  mutant('key-not-written', 'the cloud refused it with {error}', 'the cloud refused {KEY}'),
  mutant('refused-key', 'raise Unauthorized() from None', 'raise Again("401") from None'),
  mutant('search-reported', '{"files": rows[:MAX_ROWS]}', '{"rows": rows[:MAX_ROWS]}'),
  mutant('found-file-fields', 'timezone.utc).isoformat()', 'timezone.utc).timestamp()'),
  mutant('letter-case', '.casefold() not in name.casefold()', ' not in name'),
  mutant(
    'nothing-found',
    'if missing else None\n',
    'if missing else None if results.get("files") else "none"\n',
  ),
  mutant(
    'unknown-scope',
    'error = f"not provided: {\', \'.join(missing)}" if missing else None',
    'error = None',
  ),
  mutant('several-searches', 'if request["id"] not in known:', 'if not known:'),
  mutant(
    'search-again',
    'if request["id"] not in known:\n            known[request["id"]] = True',
    'if request[text] not in known:\n            known[request[text]] = True',
  ),
  mutant('unknown-fields', 'return is_object(body, "requests") and', 'return list(body) == ["requests"] and'),
  mutant(
    'failed-acknowledged',
    'is_object(body, "success") and body.get("queryId")',
    'body["success"] and body.get("queryId")',
  ),
  mutant('upload-file', '{line}"requestId"', '{line}"id"'),
  mutant('upload-binary', 'boundary = secrets.token_hex(16)', 'boundary = "boundary"'),
  mutant('upload-empty', 'and facts.st_size <= MAX_UPLOAD:', 'and 0 < facts.st_size <= MAX_UPLOAD:'),
  mutant('upload-once', 'request_id=request["id"])', 'request_id=request["id"], every=INTERVAL)'),
  mutant('upload-missing', 'return send_error(request["id"], str(error))', 'return None'),
  mutant('upload-outside', 'if ROOT not in path.parents:', 'if False:'),
  mutant('hostile-sibling', 'if ROOT not in path.parents:', 'if not str(path).startswith(str(ROOT)):'),
  mutant(
    'hostile-link-to-file',
    '(ROOT / file_path).resolve()',
    'pathlib.Path(os.path.abspath(ROOT / file_path))',
  ),
  mutant('hostile-dots', '(ROOT / file_path).resolve()', 'ROOT / file_path'),
  mutant('hostile-pipe', ' | getattr(os, "O_NONBLOCK", 0)', ''),
  mutant(
    'hostile-zero-byte',
    'except (ValueError, OSError, RuntimeError):',
    'except (OSError, RuntimeError):',
  ),
  mutant('search-stays-inside', 'os.walk(ROOT, ', 'os.walk(ROOT, followlinks=True, '),
  mutant('unread-folder', ', onerror=unread.append', ''),
  mutant('report-408', '(408, 425, 429)', '(425, 429)'),
  mutant('report-429', '(408, 425, 429)', '(408, 425)'),
  mutant(
    'report-500',
    'raise Again(f"status {error.code}", seconds_of(error.headers["Retry-After"])) from None',
    'raise Refused(error.code) from None',
  ),
  mutant('report-502', 'made[0])', 'made[0] if len(made) == 1 else made[0].replace(b"files", b"others"))'),
  mutant(
    'report-html',
    '(OSError, http.client.HTTPException, ValueError)',
    '(OSError, http.client.HTTPException)',
  ),
  mutant('report-other-json', 'if not is_right(body):', 'if False:'),
  mutant('report-cut', 'raise Again(type(error).__name__) from None', 'return {"requests": []}, {}'),
  mutant(
    'report-reset',
    '(OSError, http.client.HTTPException, ValueError)',
    '(http.client.HTTPException, ValueError)',
  ),
  mutant('report-refused-404', 'raise Refused(error.code) from None', 'raise Again("refused") from None'),
  mutant(
    'upload-canceled',
    'lambda answer: is_object(answer, "success")',
    'lambda answer: answer["success"]',
  ),
  mutant('answers-in-pieces', 'response.read(MAX_ANSWER)', 'response.read1(MAX_ANSWER)'),
  mutant('retry-after-seconds', 'seconds_of(error.headers["Retry-After"])', '0'),
  mutant(
    'retry-after-date',
    'int(value) if value.strip().isdigit() else email',
    'int(value) if True else email',
  ),
  mutant('outage-503', 'INTERVAL / 6 * 2 ** (failures - 1)', 'INTERVAL / 6'),
  mutant('outage-html', 'job.failures += 1', 'job.failures = 1'),
  mutant('cloud-away', 'raise Again(type(error).__name__) from None', 'sys.exit("no connection")'),
  mutant('redirect-searches-307', 'return None  # the key', 'return super().redirect_request(*_)  # the key'),
  mutant('report-rate', 'time.sleep(0.1)', 'time.sleep(0)'),
  mutant('upload-rate', 'time.sleep(0.2)', 'time.sleep(0)'),
  mutant(
    'clock-behind',
    'if request["id"] not in known:',
    'if request["id"] not in known and request["createdAt"][:13] == datetime.datetime.utcnow().isoformat()[:13]:',
  ),
  mutant('malformed-rows', 'if not is_object(request, "id", text) or not all', 'if not all'),
  mutant(
    'odd-queries',
    'if query.strip().casefold() not in name.casefold():',
    'if not __import__("re").search(query, name):',
  ),
  mutant('empty-scope', '    results = {}\n', '    results = None\n'),
  mutant('late-list', 'timeout=60 + wait', 'timeout=0.7 + wait'),
  mutant('missing-root', 'missing.append("files, the shared folder is not there")', 'pass'),
  mutant('many-rows', 'rows[:MAX_ROWS]}', 'rows}'),
  mutant('name-not-utf8', 'clean = path.encode("utf-8", "replace").decode()', 'clean = path'),
  mutant('odd-name', 'quoted = name.replace', 'quoted = name or name.replace'),
  mutant('large-file', '100 * 2**20', '10 * 2**20'),
  mutant('chunks-whole', 'if offered and size > offered and', 'if False and'),
  mutant('chunks-small-file', 'if offered and size > offered and', 'if offered and'),
  mutant('chunks-known', 'if index not in answer["received"]:', 'if True:'),
  mutant('chunks-lost-by-cloud', 'if error.args[0] != 409:', 'if True:'),
  mutant('work-search', 'jobs[:] = [job for job in jobs if job.work not in polls]', 'poll_searches()'),
  mutant('work-upload', ' + take_uploads(answer["uploads"], headers)', ''),
  mutant('work-wait', '{"Content-Type": "application/json"}, wait)', '{"Content-Type": "application/json"})'),
  mutant(
    'work-once',
    'return max(pause_of(job.failures), error.seconds)',
    'return None if job.request_id else INTERVAL',
  ),
  mutant(
    'work-lost',
    '    except Again:\n        if',
    '    except Again:\n        known["lost"] = time.sleep(3600)\n        if',
  ),
  mutant('chunks-refused', '    except Refused:\n        pass\n', '    except Refused:\n        raise\n'),
]
