import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import xterm from '@xterm/headless'
import { expect } from 'vitest'
import { workspaceFolder } from '../../scripts/workspace-packages.ts'

/** A terminal in which `homeward` runs, and a person who reads and types. */
interface TestTerminal extends AsyncDisposable {
  /** What can be seen, and what was scrolled away above it. */
  text(): string
  /** Everything that the program wrote, with its escape sequences. */
  written(): string
  /** What terminals hide: the title that a program has set. */
  title(): string
  type(keys: string): void
  resize(columns: number, rows: number): void
  /** Waits until the terminal shows something. */
  shows(expected: string | RegExp): Promise<void>
  /** Waits for the end of the program. @returns its exit code */
  ended(): Promise<number | null>
}

export interface TestTerminalOptions {
  readonly columns?: number
  readonly rows?: number
  readonly environment?: Readonly<Record<string, string>>
}

export const keys = {
  enter: '\r',
  altEnter: '\u001b\r',
  up: '\u001b[A',
  ctrlC: '\u0003',
  ctrlD: '\u0004',
} as const

/** Runs `homeward` with arguments on a pseudo terminal, and shows it by a real terminal emulator. */
export function openTerminal(args: readonly string[], options: TestTerminalOptions = {}): TestTerminal {
  const { columns = 80, rows = 24, environment = {} } = options
  const emulator = new xterm.Terminal({ cols: columns, rows, scrollback: 2000, allowProposedApi: true })
  const program = join(workspaceFolder, 'apps/homeward/src/cli/main.ts')
  const command = [process.execPath, '--conditions=@homeward/source', program, ...args]
  const pty = join(import.meta.dirname, 'pseudo-terminal.py')
  const child = spawn('python3', [pty, String(columns), String(rows), ...command], {
    env: { PATH: process.env['PATH'], TERM: 'xterm-256color', ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exit = once(child, 'exit')
  let written = ''
  let title = ''
  emulator.onTitleChange((next) => (title = next))
  // the emulator answers questions, such as which keys it supports
  emulator.onData((answer) => child.stdin.write(answer))
  child.stdout.on('data', (bytes: Buffer) => {
    written += bytes.toString()
    emulator.write(bytes)
  })
  child.stdin.on('error', () => undefined)

  function text(): string {
    const { active } = emulator.buffer
    const lines = Array.from({ length: active.length }, (_, y) => active.getLine(y)?.translateToString(true))
    return lines.join('\n').trimEnd()
  }

  return {
    text,
    written: () => written,
    title: () => title,
    type: (typed) => void child.stdin.write(typed),
    resize(nextColumns, nextRows) {
      emulator.resize(nextColumns, nextRows)
      child.stdin.write(`\0${nextColumns} ${nextRows}`)
    },
    async shows(expected) {
      await expect.poll(text, { timeout: 60_000 }).toMatch(expected)
    },
    async ended() {
      await exit
      return child.exitCode
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL')
        await exit
      }
    },
  }
}
