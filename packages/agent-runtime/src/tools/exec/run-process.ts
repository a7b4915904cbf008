import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { createBoundedOutput } from './bounded-output.ts'
import type { BoundedOutput } from './bounded-output.ts'
import { endProcesses, longestEndMs, signalGroup, signalProcess } from './end-processes.ts'
import { createProcessFamily } from './process-table.ts'
import type { ProcessFamily } from './process-table.ts'

const sampleMs = 200
const defaultGraceMs = 1000

/** A program that is to run. */
export interface ProcessRequest {
  /** argv. No shell reads it. */
  readonly command: readonly string[]
  /** Processes of a sandbox above the program's own. @default 0 */
  readonly wrappers?: number
  readonly cwd: string
  /** Folder that nobody else works in: what is left running there was left by the program. */
  readonly ownFolder?: string
  /** The whole environment. */
  readonly environment: Readonly<Record<string, string>>
  /** Text for its standard input, which is closed behind it. */
  readonly input?: string
  readonly timeoutMs: number
  /** Largest output that is kept of each stream. */
  readonly maxOutputBytes: number
  /** Time between SIGTERM and SIGKILL, in milliseconds. @default 1000 */
  readonly graceMs?: number
  /** Ends it, and all that it started. */
  readonly signal?: AbortSignal
}

/** How a program ended. */
export interface ProcessOutcome {
  /** null when a signal ended it. */
  readonly exitCode: number | null
  readonly stdout: BoundedOutput
  readonly stderr: BoundedOutput
  readonly timedOut: boolean
}

/**
 * Runs a program in a process group of its own and comes back when nothing of it runs any more: whatever it started
 * and left behind is ended too, be it in the background, in a session of its own or deaf to SIGTERM.
 *
 * @throws the signal's reason when it aborted; the system's error when the program cannot be started.
 */
export async function runProcess(request: ProcessRequest): Promise<ProcessOutcome> {
  const { command, cwd, environment, maxOutputBytes, signal } = request
  signal?.throwIfAborted()
  const [program = '', ...args] = command
  const child = spawn(program, args, {
    cwd,
    env: environment,
    detached: process.platform !== 'win32',
    windowsHide: true,
    shell: false,
    stdio: [request.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
  const exited = exitOf(child)
  const stdout = createBoundedOutput(maxOutputBytes)
  const stderr = createBoundedOutput(maxOutputBytes)
  child.stdout?.on('data', (chunk: Uint8Array) => stdout.add(chunk))
  child.stderr?.on('data', (chunk: Uint8Array) => stderr.add(chunk))
  const drained = Promise.all([ended(child.stdout), ended(child.stderr)])
  // a program that does not read its input closes the pipe: its own affair
  child.stdin?.on('error', () => {})
  child.stdin?.end(request.input)
  if (child.pid === undefined) throw (await exited).error ?? new Error('the program did not start')

  const family = createProcessFamily(child.pid, request.ownFolder)
  const isFenced = (request.wrappers ?? 0) > 0
  const { stopped, exitCode } = await superviseUntil(exited, child, family, request)
  await endProcesses(child.pid, family, isFenced)
  await drainBriefly(child, drained)
  signal?.throwIfAborted()
  // a sandbox gives 128 and the signal's number for a program that a signal ended
  const isSignal = isFenced && stopped !== undefined && exitCode !== null && exitCode > 128
  return { exitCode: isSignal ? null : exitCode, stdout, stderr, timedOut: stopped === 'timeout' }
}

interface Supervised {
  readonly stopped: 'timeout' | 'abort' | undefined
  readonly exitCode: number | null
}

/** Waits for the program, and makes it end when its time is over or the call was given up. */
async function superviseUntil(
  exited: Promise<Exit>,
  child: ChildProcess,
  family: ProcessFamily,
  { wrappers = 0, timeoutMs, graceMs = defaultGraceMs, signal }: ProcessRequest,
): Promise<Supervised> {
  const pid = child.pid ?? 0
  const { promise: unending, resolve: giveUp } = Promise.withResolvers<Exit>()
  let reason: Supervised['stopped']
  let kill: NodeJS.Timeout | undefined
  const stop = (why: 'timeout' | 'abort'): void => {
    if (reason !== undefined) return
    reason = why
    kill = setTimeout(() => {
      signalGroup(pid, 'SIGKILL')
      kill = setTimeout(() => giveUp({ exitCode: null }), longestEndMs)
    }, graceMs)
    void terminate(pid, wrappers, family)
  }
  const abort = (): void => stop('abort')
  const deadline = setTimeout(() => stop('timeout'), timeoutMs)
  const sampling = wrappers > 0 ? undefined : setInterval(() => void family.update(), sampleMs)
  signal?.addEventListener('abort', abort)
  if (signal?.aborted === true) abort()
  try {
    const { exitCode } = await Promise.race([exited, unending])
    return { stopped: reason, exitCode }
  } finally {
    clearTimeout(deadline)
    clearTimeout(kill)
    clearInterval(sampling)
    signal?.removeEventListener('abort', abort)
  }
}

/** Asks to end: a sandbox's own processes are spared, since they would take the program's grace with them. */
async function terminate(pid: number, wrappers: number, family: ProcessFamily): Promise<void> {
  if (wrappers === 0) return void signalGroup(pid, 'SIGTERM')
  const living = await family.living()
  const spared = new Set([pid])
  for (let level = 1; level < wrappers; level += 1) {
    const below = living.filter((row) => spared.has(row.parent))
    for (const row of below) spared.add(row.pid)
  }
  const inside = living.filter((row) => !spared.has(row.pid))
  if (inside.length === 0) return void signalGroup(pid, 'SIGKILL')
  for (const row of inside) signalProcess(row.pid, 'SIGTERM')
}

interface Exit {
  readonly exitCode: number | null
  readonly error?: Error
}

async function exitOf(child: ChildProcess): Promise<Exit> {
  return await new Promise((resolve) => {
    child.once('error', (error) => resolve({ exitCode: null, error }))
    child.once('exit', (exitCode) => resolve({ exitCode }))
  })
}

/** Where no descriptor is left for a pipe, Node gives a child without streams, whatever its types say. */
async function ended(stream: NodeJS.ReadableStream | null | undefined): Promise<void> {
  if (!stream) return
  await new Promise<void>((resolve) => {
    stream.once('close', resolve)
    stream.on('error', () => resolve())
  })
}

/** Reads what is still in the pipes; whoever keeps them open from elsewhere is not waited for. */
async function drainBriefly(child: ChildProcess, drained: Promise<unknown>): Promise<void> {
  const give = setTimeout(() => {
    child.stdout?.destroy()
    child.stderr?.destroy()
  }, 1000)
  await drained
  clearTimeout(give)
}
