import { spawn } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { resolve } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

const buildProgram = resolve(import.meta.dirname, '../../../pages/build.ts')

/** Enough of what a build says to know why it failed. */
const maxOutputLength = 4000
/** A build takes seconds; one that hangs must not say "in a moment" forever. */
const timeoutMs = 300_000

/** What a build needs of the environment: no key is among it. */
const passedOn = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'USERPROFILE', 'LANG']

/**
 * Runs a build in a process of its own, which lets the servers go first: that of the dashboard, unless another is named.
 *
 * @throws {Error} with what the build said, when it failed, or when the signal aborts.
 */
export async function buildInChild(
  signal: AbortSignal,
  program = buildProgram,
  args: readonly string[] = [],
): Promise<void> {
  const environment = Object.fromEntries(passedOn.map((name) => [name, process.env[name]]))
  const child = spawn(process.execPath, ['--conditions=@homeward/source', program, ...args], {
    env: { ...environment, NODE_ENV: 'production', NO_COLOR: '1' },
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: timeoutMs,
    signal,
  })
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-maxOutputLength)
  })
  if (child.pid !== undefined) lowerPriority(child.pid)
  const [code, endedBy] = await new Promise<[number | null, string | null]>((done, fail) => {
    child.once('error', fail)
    child.once('close', (...ended) => done(ended))
  })
  if (code === 0) return
  const why = stripVTControlCharacters(output).trim()
  const end = endedBy === null ? `exit code ${code}` : endedBy
  throw new Error(
    `Building ${args.length === 0 ? 'the dashboard' : 'the device agent'} failed (${end})${why === '' ? '.' : `:\n${why}`}`,
  )
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // It has ended already, or the system does not allow it: then it runs as it is.
  }
}
