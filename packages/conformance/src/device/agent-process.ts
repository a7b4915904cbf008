import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** An agent that the runner started. */
export interface AgentProcess {
  /** What it has written, at most the last 64 KiB. */
  output(): string
  /** How it ended; undefined while it runs. */
  ended(): string | undefined
  onEnd(listener: () => void): void
  /** Ends it with SIGKILL, with everything that it started. */
  kill(): Promise<void>
}

const maxOutput = 65_536

/** Starts an agent in a process group of its own. */
export function startAgent(
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
): AgentProcess {
  const [program = '', ...args] = command
  const child = spawn(program, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  let ended: string | undefined
  const end = (how: string) => {
    ended ??= how
  }
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-maxOutput)
    })
  }
  child.once('error', (error) => end(`it could not be started: ${error.message}`))
  child.once('exit', (code, signal) => end(signal === null ? `exit code ${code}` : `signal ${signal}`))
  return {
    output: () => output,
    ended: () => ended,
    onEnd(listener) {
      child.once('exit', listener).once('error', listener)
    },
    async kill() {
      if (ended !== undefined && child.pid === undefined) return
      const gone = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
      killGroup(child)
      await gone?.catch(() => {})
    },
  }
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    child.kill('SIGKILL') // no process group, as on Windows, or it is gone already
  }
}
