import { createHash } from 'node:crypto'
import type { Operation, OperationTable, ReplyOf } from '@homeward/contract'
import type { OperationExample } from '@homeward/contract/examples'

/** What comes back: what the contract says, or the text of anything that is not JSON. */
type Recorded<O extends Operation> = O['reply'] extends string ? string : ReplyOf<O>

/** What a request has besides its path template. */
interface RecordedCall<O extends Operation = Operation> {
  readonly params?: Readonly<Record<string, string>>
  /** A list stands for a parameter that is repeated. */
  readonly query?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: unknown
  readonly form?: FormData
  readonly bytes?: string
  /** How `bytes` are sent, where the operation takes another form than plain bytes. */
  readonly encode?: (text: string) => BodyInit
  /** Headers that the example shows. `Content-Type` is added. */
  readonly headers?: Readonly<Record<string, string>>
  /** A stream is read until its text matches, and shown up to there. @default until it ends */
  readonly until?: RegExp
  /** Called once a stream has begun. @default nothing happens */
  readonly whenOpen?: () => Promise<void>
  /** Shortens or steadies what is stored. The caller of {@link Recorder.record} gets everything. @default all of it */
  readonly show?: (body: Recorded<O>) => unknown
}

/** Sends requests of a table of operations and remembers what came back. */
export interface Recorder<Table extends OperationTable> {
  /** Sends a request, and stores it with its response as the example of its operation. Gives the body of the response. */
  record<Id extends keyof Table & string>(
    id: Id,
    call?: RecordedCall<Table[Id]>,
  ): Promise<Recorded<Table[Id]>>
  /** Sends a request that no example is made of. */
  send<Id extends keyof Table & string>(id: Id, call?: RecordedCall<Table[Id]>): Promise<Recorded<Table[Id]>>
  /** Stands in the examples for a value that differs from one recording to the next. */
  replace(actual: string, shown: string): void
  /** The examples in the order of the table. */
  examples(): Record<string, OperationExample>
}

/** What a body of bytes says of itself. */
function bytesHeadersOf({ bytes }: Operation): Record<string, string> {
  if (typeof bytes !== 'object') return { 'Content-Type': 'application/octet-stream' }
  return { 'Content-Type': bytes.type, 'Content-Encoding': bytes.encoding }
}

/** Response headers that belong to an example. */
const shownHeaders = ['Content-Type', 'Content-Disposition', 'Location', 'Upload-Chunk-Bytes']

/**
 * Makes the recorder of an interface.
 *
 * @param respond - handler of the interface
 * @param tick - called before each request that becomes an example: time passes
 */
export function createRecorder<Table extends OperationTable>(
  operations: Table,
  respond: (request: Request) => Promise<Response>,
  tick: () => void,
): Recorder<Table> {
  const recorded = new Map<string, OperationExample>()
  const replaced: [string, string][] = []

  async function exchange<Id extends keyof Table & string>(
    id: Id,
    call: RecordedCall<Table[Id]>,
  ): Promise<{ readonly example: OperationExample; readonly body: Recorded<Table[Id]> }> {
    const operation = operations[id] as Operation // of the caller's keys
    const path = pathOf(operation, call)
    const isJson = call.body !== undefined
    const headers = {
      ...call.headers,
      ...(isJson && { 'Content-Type': 'application/json' }),
      ...(call.bytes !== undefined && bytesHeadersOf(operation)),
    }
    const sent = isJson
      ? JSON.stringify(call.body)
      : (call.form ?? (call.encode ? call.encode(call.bytes ?? '') : call.bytes))
    const gone = new AbortController()
    const request = new Request(`http://127.0.0.1:3000${path}`, {
      method: operation.method,
      headers,
      signal: gone.signal,
      ...(sent !== undefined && { body: sent }),
    })
    const response = await respond(request)
    const text = call.until ? await readUntil(response, call.until, call.whenOpen) : await response.text()
    gone.abort()
    if (!response.ok) throw new Error(`Recording ${id} failed: status ${response.status}, ${text}`)
    const type = response.headers.get('content-type') ?? ''
    // the handler checks its replies
    const body = (type.startsWith('application/json') ? JSON.parse(text) : text) as Recorded<Table[Id]>
    const given = shownHeaders.flatMap((name) => {
      const value = response.headers.get(name)
      return value === null || value.startsWith('application/json') ? [] : [[name, value] as const]
    })
    const shownBody = call.form ? partsOf(call.form) : (call.body ?? call.bytes)
    const shownRequest = call.form ? { ...headers, 'Content-Type': 'multipart/form-data' } : headers
    return {
      body,
      example: {
        request: {
          path,
          ...(Object.keys(shownRequest).length > 0 && { headers: shownRequest }),
          ...(shownBody !== undefined && { body: shownBody }),
        },
        response: {
          status: response.status,
          ...(given.length > 0 && { headers: Object.fromEntries(given) }),
          body: call.show ? call.show(body) : body,
        },
      },
    }
  }

  return {
    async record(id, call = {}) {
      tick()
      const { example, body } = await exchange(id, call)
      recorded.set(id, example)
      return body
    },
    async send(id, call = {}) {
      return (await exchange(id, call)).body
    },
    replace: (actual, shown) => void replaced.push([actual, shown]),
    examples() {
      const missing = Object.keys(operations).filter((id) => !recorded.has(id))
      if (missing.length > 0)
        throw new Error(`Recording examples failed: there is none of ${missing.join(', ')}.`)
      const inOrder = Object.keys(operations).map((id) => [id, recorded.get(id)])
      const text = replaced.reduce(
        (all, [actual, shown]) => all.replaceAll(JSON.stringify(actual).slice(1, -1), shown),
        JSON.stringify(Object.fromEntries(inOrder)),
      )
      return JSON.parse(renameIds(text)) as Record<string, OperationExample>
    },
  }
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g

/** Ids by the order in which they appear: what works in the background takes some in between. */
function renameIds(text: string): string {
  const createId = createRecordedIds()
  const names = new Map<string, string>()
  return text.replaceAll(uuid, (id) => {
    const name = names.get(id) ?? createId()
    names.set(id, name)
    return name
  })
}

function pathOf(
  { path }: Operation,
  { params = {}, query = {} }: Pick<RecordedCall, 'params' | 'query'>,
): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const pairs = Object.entries(query).flatMap(([name, value]) => {
    return [value].flat().map((each) => [name, each])
  })
  return pairs.length === 0 ? filled : `${filled}?${new URLSearchParams(pairs)}`
}

function partsOf(form: FormData): Record<string, string> {
  return Object.fromEntries(
    [...form].map(([name, value]) => [name, typeof value === 'string' ? value : `<bytes of ${value.name}>`]),
  )
}

async function readUntil(
  response: Response,
  wanted: RegExp,
  whenOpen?: () => Promise<void>,
): Promise<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  let acting: Promise<void> | undefined
  let match = wanted.exec(text)
  while (reader && !match) {
    const { done, value = '' } = await reader.read()
    if (done) throw new Error(`Recording a stream failed: it ended before ${String(wanted)}: ${text}`)
    acting ??= whenOpen?.()
    text += value
    match = wanted.exec(text)
  }
  await acting
  await reader?.cancel()
  return match ? text.slice(0, match.index + match[0].length) : text
}

/** The lines of a Prometheus text that are about some of its metrics. */
export function linesOf(text: string, wanted: RegExp): string {
  return `${text
    .split('\n')
    .filter((line) => wanted.test(line))
    .join('\n')}\n`
}

/** The first of a list that cannot be empty. */
export function firstOf<Item>(list: readonly Item[] | undefined): Item {
  const [first] = list ?? []
  if (first === undefined) throw new Error('Recording examples failed: a list is empty.')
  return first
}

/** A clock that only recordings move. */
export function createRecordedClock(): { now(): number; advance(seconds: number): void } {
  let nowMs = Date.parse('2026-11-02T08:30:00.000Z')
  return { now: () => nowMs, advance: (seconds) => void (nowMs += seconds * 1000) }
}

/** Ids that look like others and are the same each time. */
export function createRecordedIds(): () => string {
  let made = 0
  return () => {
    const hex = createHash('sha256')
      .update(`id ${(made += 1)}`)
      .digest('hex')
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
  }
}

/** Bytes that look random and are the same each time. */
export function createRecordedBytes(): (size: number) => Uint8Array {
  let made = 0
  return (size) => {
    const hashes = Array.from({ length: Math.ceil(size / 32) }, () => {
      return createHash('sha256')
        .update(`bytes ${(made += 1)}`)
        .digest()
    })
    return new Uint8Array(Buffer.concat(hashes).subarray(0, size))
  }
}
