// oxlint-disable unicorn/require-post-message-target-origin -- threads have none
import { Worker } from 'node:worker_threads'

/** What a thread is asked for: a folder whose time is another one than `seenMs`, or the sizes and times of files. */
type Request =
  | { readonly folder: string; readonly seenMs: number | null }
  | { readonly files: readonly (string | Uint8Array)[] }

/** What a folder holds, in lists of the same length. */
export interface FolderEntries {
  readonly names: readonly string[]
  /** Names as bytes, by their place, where they are not valid UTF-8. */
  readonly raw: ReadonlyMap<number, Uint8Array>
  /** 1 for a folder, 0 for a file. */
  readonly isFolder: Uint8Array
  readonly sizes: Float64Array
  readonly modifiedMs: Float64Array
}

/** A folder that was looked at. */
interface SeenFolder {
  readonly mtimeMs: number
  /** Undefined if its time is the one that is known. */
  readonly entries: FolderEntries | undefined
}

type Reply =
  | { readonly isReading: true }
  | { readonly error: { readonly code: string | undefined; readonly message: string } }
  | { readonly mtimeMs: number; readonly entries?: Omit<FolderEntries, 'names'> & { readonly names: string } }
  | { readonly sizes: Float64Array; readonly modifiedMs: Float64Array }

/** Reads folders in threads of their own. They end when there is nothing to read for a while. */
interface FolderReader {
  /** Lists a folder with the sizes and times of its files, unless its time is `seenMs`. */
  list(folder: string, seenMs: number | null, progress: () => void): Promise<SeenFolder>
  /** Sizes and times of files; 0 for those that are gone. */
  facts(
    files: readonly (string | Uint8Array)[],
    progress: () => void,
  ): Promise<{ readonly sizes: Float64Array; readonly modifiedMs: Float64Array }>
}

/**
 * The program of a thread. It is given to it as text, so it uses nothing from outside itself.
 *
 * Node's asynchronous calls cost ten times as much as the calls of the system that they wait for, which a million files
 * make felt.
 */
function readInThread(): void {
  const { parentPort } = process.getBuiltinModule('node:worker_threads')
  const { lstatSync, readdirSync } = process.getBuiltinModule('node:fs')
  const { sep } = process.getBuiltinModule('node:path')
  const filesATurn = 4096
  const options = { throwIfNoEntry: false } as const

  const toPath = (folder: string) => (folder.endsWith(sep) ? folder : folder + sep)
  function readFacts(at: string | Uint8Array, index: number, sizes: Float64Array, times: Float64Array): void {
    if (index % filesATurn === filesATurn - 1) parentPort?.postMessage({ isReading: true })
    try {
      const facts = lstatSync(at instanceof Uint8Array ? Buffer.from(at) : at, options)
      sizes[index] = facts?.size ?? 0
      times[index] = Math.floor(facts?.mtimeMs ?? 0)
    } catch {
      // it may not be looked at: its name is still found
    }
  }

  function list(folder: string, seenMs: number | null) {
    // read before the list: what changes meanwhile changes the time again
    const { mtimeMs } = lstatSync(folder)
    if (mtimeMs === seenMs) return { mtimeMs }
    const known = readdirSync(folder, { withFileTypes: true }).filter(
      (each) => each.isFile() || each.isDirectory(),
    )
    const names = known.map(({ name }) => name)
    const isOdd = (name: string) => name.includes('\uFFFD')
    const raw = new Map<number, Uint8Array>()
    if (names.some(isOdd)) {
      const plain = names.map((name, index) => ({ name, index })).filter(({ name }) => isOdd(name))
      const odd = readdirSync(folder, { withFileTypes: true, encoding: 'buffer' }).filter(
        (each) => (each.isFile() || each.isDirectory()) && isOdd(each.name.toString()),
      )
      for (const [at, { index }] of plain.entries()) {
        const bytes = odd[at]?.name
        if (bytes) {
          raw.set(index, new Uint8Array(bytes))
          names[index] = bytes.toString()
        }
      }
    }
    const isFolder = Uint8Array.from(known, (each) => (each.isDirectory() ? 1 : 0))
    const sizes = new Float64Array(names.length)
    const modifiedMs = new Float64Array(names.length)
    const start = toPath(folder)
    for (const [index, name] of names.entries()) {
      if (isFolder[index] === 1) continue
      const bytes = raw.get(index)
      readFacts(bytes ? Buffer.concat([Buffer.from(start), bytes]) : start + name, index, sizes, modifiedMs)
    }
    // one text is copied to the other thread much faster than many
    return { mtimeMs, entries: { names: names.join('\0'), raw, isFolder, sizes, modifiedMs } }
  }

  function facts(files: readonly (string | Uint8Array)[]) {
    const sizes = new Float64Array(files.length)
    const modifiedMs = new Float64Array(files.length)
    for (const [index, file] of files.entries()) readFacts(file, index, sizes, modifiedMs)
    return { sizes, modifiedMs }
  }

  parentPort?.on('message', (request: Request) => {
    try {
      parentPort.postMessage('files' in request ? facts(request.files) : list(request.folder, request.seenMs))
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
      parentPort.postMessage({
        error: { code, message: error instanceof Error ? error.message : String(error) },
      })
    }
  })
}

/** Memory that a thread may take: a folder with a million files has its names in it. */
const resourceLimits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 8 }

/** How long a thread waits for more to do, in milliseconds. */
const idleMs = 5000

/** A thread is taken until its call returns, so the caller bounds how many there are. */
function createFolderReader(): FolderReader {
  const idle: Worker[] = []
  let resting: NodeJS.Timeout | undefined

  /** Gives the memory of idle threads back. A thread that hangs in a call of a silent disk is not idle. */
  function rest(): void {
    for (const worker of idle.splice(0)) void worker.terminate()
  }

  function start(): Worker {
    const worker = new Worker(`(${readInThread.toString()})()`, {
      eval: true,
      execArgv: [],
      env: {},
      resourceLimits,
    })
    // whoever waits for it learns of its end, and nobody else has to
    worker.on('error', () => {}).unref()
    return worker
  }

  function ask(request: Request, progress: () => void): Promise<Exclude<Reply, { isReading: true }>> {
    const worker = idle.pop() ?? start()
    worker.ref()
    return new Promise((resolve, reject) => {
      const end = (isUsable: boolean) => {
        worker.off('message', take).off('error', fail).off('exit', fail)
        worker.unref()
        if (!isUsable) return
        idle.push(worker)
        clearTimeout(resting)
        resting = setTimeout(rest, idleMs).unref()
      }
      const fail = (reason: unknown) => {
        end(false)
        reject(reason instanceof Error ? reason : new Error('the thread has ended'))
      }
      const take = (reply: Reply) => {
        if ('isReading' in reply) return progress()
        end(true)
        if ('error' in reply)
          reject(Object.assign(new Error(reply.error.message), { code: reply.error.code }))
        else resolve(reply)
      }
      worker.on('message', take).on('error', fail).on('exit', fail)
      worker.postMessage(request)
    })
  }

  return {
    async list(folder, seenMs, progress) {
      const reply = await ask({ folder, seenMs }, progress)
      if (!('mtimeMs' in reply)) throw new Error('the thread sent an unexpected response')
      const { mtimeMs, entries } = reply
      if (entries === undefined) return { mtimeMs, entries }
      const names = entries.names === '' ? [] : entries.names.split('\0')
      return { mtimeMs, entries: { ...entries, names } }
    },
    async facts(files, progress) {
      const reply = await ask({ files }, progress)
      if (!('sizes' in reply)) throw new Error('the thread sent an unexpected response')
      return reply
    },
  }
}

/** The threads belong to the whole process, as the disk does. */
export const folderReader: FolderReader = createFolderReader()
