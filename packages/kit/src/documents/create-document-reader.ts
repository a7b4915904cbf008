import { fork, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { DocumentFormat, DocumentText, PlainFormat, UnreadDocument } from './document-format.ts'
import type { DocumentBytes, DocumentEnd, DocumentRequest, TextPiece } from './document-worker.ts'

/** Limits of {@link createDocumentReader}. */
export interface DocumentReaderOptions {
  /** Time limit of one document, in milliseconds. @default 10000 */
  readonly maxMs?: number
  /**
   * Memory limit of the child process, in bytes. On systems without `/proc` the limit applies only to its heap.
   *
   * @default 268435456
   */
  readonly maxMemoryBytes?: number
  /** Largest document, in bytes. @default 67108864 */
  readonly maxFileBytes?: number
  /** Maximum number of characters to read from a document. @default 10485760 */
  readonly maxChars?: number
  /** Time without a document after which the child process ends, in milliseconds. @default 5000 */
  readonly idleMs?: number
}

/** Reads the text of documents. */
export interface DocumentReader {
  /** Largest document, in bytes. */
  readonly maxFileBytes: number
  /**
   * Reads the text of a document. Documents are read one after the other; the time limit of each starts with its
   * turn.
   *
   * @throws {unknown} the signal's reason on abort.
   */
  read(format: DocumentFormat | PlainFormat, bytes: Uint8Array, signal?: AbortSignal): Promise<DocumentText>
  /** Ends the child process. A later document starts a new one. */
  close(): void
}

/** Longest that the child process may take to start, in milliseconds. */
const startMs = 30_000

const unread = (reason: UnreadDocument): DocumentText => ({ outcome: 'unread', reason })

/**
 * Creates a reader of documents.
 *
 * PDF needs `unpdf`; DOCX, PPTX, XLSX, ODT, ODS, ODP, RTF and HTML need `officeparser`; mail needs `postal-mime`.
 * Each library is optional: without the library, a format is `unsupported`. Text and Markdown need no library.
 *
 * A child process reads the documents, because a document can be malicious. The process receives only the bytes. It
 * has no environment, must not write files or start programs (Node permissions), and has limits of time and memory. A
 * document that exceeds a limit ends only the child process; the next document gets a new one.
 *
 * @example
 * const documents = createDocumentReader()
 * const read = await documents.read('pdf', await readFile('invoice.pdf'))
 */
export function createDocumentReader(options: DocumentReaderOptions = {}): DocumentReader {
  const { maxMs = 10_000, maxMemoryBytes = 268_435_456, maxFileBytes = 67_108_864 } = options
  const { maxChars = 10_485_760, idleMs = 5000 } = options
  let child: ChildProcess | undefined
  let idle: NodeJS.Timeout | undefined
  let last: Promise<unknown> = Promise.resolve()
  let open = 0

  const end = (): void => {
    child?.kill('SIGKILL')
    child = undefined
  }

  async function ask(
    bytes: Uint8Array,
    request: DocumentRequest,
    signal?: AbortSignal,
  ): Promise<DocumentText> {
    signal?.throwIfAborted()
    const program = findProgram()
    if (program === undefined) return unread('unsupported')
    const isNew = child === undefined
    const started = (child ??= start(program, maxMemoryBytes))
    started.ref()
    started.channel?.ref()
    const limits = { maxMs, maxMemoryBytes, signal }
    const ready = isNew ? await nextMessage(started, { ...limits, maxMs: startMs }) : 'ready'
    const answer =
      ready === 'ready' ? await nextMessage(started, limits, () => sendAll(started, bytes, request)) : ready
    started.unref()
    started.channel?.unref()
    if (typeof answer === 'object') return answer
    end()
    signal?.throwIfAborted()
    return unread(answer === 'ready' ? 'unreadable' : answer)
  }

  return {
    maxFileBytes,
    async read(format, bytes, signal) {
      if (bytes.length > maxFileBytes) return unread('too_large')
      if (bytes.length === 0) return unread('no_text')
      clearTimeout(idle)
      open += 1
      const request = { format, maxChars, maxInflatedBytes: maxFileBytes }
      const asked = last.catch(() => undefined).then(() => ask(bytes, request, signal))
      last = asked
      try {
        return await asked
      } finally {
        open -= 1
        if (open === 0) idle = setTimeout(end, idleMs).unref()
      }
    },
    close() {
      clearTimeout(idle)
      end()
    },
  }
}

/**
 * The program stands beside this module in the source, and beside or above it in the build. A bundle in one file does not have
 * it.
 */
function findProgram(): string | undefined {
  const here = (import.meta as { readonly url?: string }).url
  if (here === undefined) return undefined
  const name = here.endsWith('.ts') ? 'document-worker.ts' : 'document-worker.js'
  return [`./${name}`, `../${name}`]
    .map((path) => fileURLToPath(new URL(path, here)))
    .find((path) => existsSync(path))
}

function start(program: string, maxMemoryBytes: number): ChildProcess {
  const heapMb = Math.max(32, Math.floor((maxMemoryBytes / 1_048_576) * 0.75))
  // Bun and Deno run the program as well, but know none of these options.
  const isNode = !('bun' in process.versions) && !('deno' in process.versions)
  const execArgv = isNode
    ? [`--max-old-space-size=${heapMb}`, '--permission', '--allow-fs-read=*', '--no-warnings']
    : []
  const { SystemRoot } = process.env // Windows starts nothing without it
  const started = fork(program, {
    execArgv,
    env: SystemRoot === undefined ? {} : { SystemRoot },
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  started.on('error', () => {}) // whoever waits for it learns that it has ended
  return started
}

interface Limits {
  readonly maxMs: number
  readonly maxMemoryBytes: number
  readonly signal: AbortSignal | undefined
}

/** How often the memory of the child process is looked at, in milliseconds. */
const lookMs = 50

/** Bytes of a message. */
const pieceBytes = 524_288

/** Sends a document piece by piece: a message of many megabytes would hold up this process. */
async function sendAll(child: ChildProcess, bytes: Uint8Array, request: DocumentRequest): Promise<void> {
  const send = (message: DocumentBytes | DocumentRequest) =>
    new Promise<void>((resolve, reject) => {
      child.send(message, (error) => (error ? reject(error) : resolve()))
    })
  for (let start = 0; start < bytes.length; start += pieceBytes)
    await send({ piece: bytes.subarray(start, start + pieceBytes) })
  await send(request)
}

/** Puts an answer together. */
function createAnswer() {
  const parts: { place: TextPiece['place']; texts: string[] }[] = []
  return {
    add({ text, place }: TextPiece): void {
      if (place) parts.push({ place, texts: [] })
      parts.at(-1)?.texts.push(text)
    },
    end(end: DocumentEnd): DocumentText {
      if (end.outcome === 'unread') return end
      return { ...end, parts: parts.map(({ place, texts }) => ({ text: texts.join(''), ...place })) }
    },
  }
}

/** What the child process answers, or why it sent nothing. The request is sent first. */
function nextMessage(
  child: ChildProcess,
  { maxMs, maxMemoryBytes, signal }: Limits,
  request?: () => Promise<void>,
): Promise<DocumentText | 'ready' | UnreadDocument> {
  return new Promise((resolve) => {
    const settle = (result: DocumentText | 'ready' | UnreadDocument) => {
      clearTimeout(timer)
      clearInterval(look)
      child.off('message', onMessage).off('exit', ended).off('error', ended)
      signal?.removeEventListener('abort', aborted)
      resolve(result)
    }
    const answer = createAnswer()
    const onMessage = (message: TextPiece | DocumentEnd | 'ready') => {
      if (message === 'ready') settle(message)
      else if ('outcome' in message) settle(answer.end(message))
      else answer.add(message)
    }
    // A full heap ends it.
    const ended = () => settle('too_large')
    const aborted = () => settle('timeout')
    const timer = setTimeout(() => settle('timeout'), maxMs)
    const look = setInterval(() => {
      void memoryOf(child.pid).then((bytes) => {
        if (bytes > maxMemoryBytes) settle('too_large')
      })
    }, lookMs)
    child.on('message', onMessage).on('exit', ended).on('error', ended)
    signal?.addEventListener('abort', aborted)
    if (child.exitCode !== null || child.signalCode !== null) return ended()
    void request?.().catch(ended)
  })
}

/** Bytes of memory that a process uses; 0 where nobody tells. */
async function memoryOf(pid: number | undefined): Promise<number> {
  const text = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '')
  return Number(text.split(' ')[1] ?? 0) * 4096
}
