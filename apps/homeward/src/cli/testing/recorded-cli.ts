import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Cli } from '../cli.ts'
import { runCli } from '../run-cli.ts'
import { commands as everyCommand, type CliCommand } from '../commands.ts'

/** How a command line ended, and what it printed. */
interface RecordedRun {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/** What a recorded run is given. */
export interface RecordedOptions {
  readonly environment?: NodeJS.ProcessEnv
  readonly commands?: readonly CliCommand[]
  /** @default no terminal */
  readonly isTTY?: boolean
  /** What stands on stdin. @default nothing */
  readonly stdin?: string
  /** Stands for Ctrl-C. */
  readonly interrupt?: AbortSignal
}

/** Runs one command line in this process, and records what it prints. */
export async function recordCli(
  args: readonly string[],
  { environment = {}, commands = everyCommand, isTTY = false, stdin = '', interrupt }: RecordedOptions = {},
): Promise<RecordedRun> {
  const stdout = new PassThrough()
  const stderr = new PassThrough()
  const cli: Cli = {
    environment,
    stdin: new PassThrough().end(stdin),
    stdout: Object.assign(stdout, { isTTY }),
    stderr: Object.assign(stderr, { isTTY }),
    onInterrupt: () => interrupt ?? new AbortController().signal,
  }
  const exitCode = await runCli(args, cli, commands)
  stdout.end()
  stderr.end()
  return { exitCode, stdout: await text(stdout), stderr: await text(stderr) }
}
