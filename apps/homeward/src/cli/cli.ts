import type { Readable, Writable } from 'node:stream'

/** A stream that may be a terminal. */
export type TerminalStream<Stream> = Stream & {
  readonly isTTY?: boolean
  /** Width in characters. */
  readonly columns?: number
}

/** What the commands see of the process. Tests pass their own. */
export interface Cli {
  readonly environment: NodeJS.ProcessEnv
  readonly stdin: TerminalStream<Readable>
  /** Results only. */
  readonly stdout: TerminalStream<Writable>
  /** Progress, warnings and errors. */
  readonly stderr: TerminalStream<Writable>
  /** Ends the command. Called for Ctrl-C and SIGTERM by commands that ask for {@link Cli.onInterrupt}. */
  onInterrupt(): AbortSignal
}

/** The process itself. */
export function processCli(): Cli {
  return {
    environment: process.env,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    onInterrupt() {
      const interrupt = new AbortController()
      const end = () => interrupt.abort(new Error('Interrupted.'))
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end)
      return interrupt.signal
    },
  }
}
