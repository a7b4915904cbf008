import { styleText } from 'node:util'
import type { Cli } from './cli.ts'

type Style = Parameters<typeof styleText>[0]

/** Where a command prints. Results go to stdout, everything else to stderr. */
export interface Output {
  /** Whether results are printed as JSON. */
  readonly isJson: boolean
  /** Prints a result: one line of JSON with `--json`, otherwise the text. */
  result(value: unknown, toText: () => string): void
  /** Prints one line of progress on stderr; nothing with `--json`. */
  progress(line: string): void
  /** Prints one line on stderr, also with `--json`. */
  warn(line: string): void
  /** Colors text of stdout. Plain without a terminal, with NO_COLOR and with `--json`. */
  style(style: Style, text: string): string
}

/** Opens the output of one command. */
export function openOutput(cli: Cli, { json = false }: { readonly json?: boolean } = {}): Output {
  const hasColor = !json && hasColors(cli)
  return {
    isJson: json,
    result: (value, toText) => void cli.stdout.write(`${json ? JSON.stringify(value) : toText()}\n`),
    progress: (line) => void (json || cli.stderr.write(`${line}\n`)),
    warn: (line) => void cli.stderr.write(`${line}\n`),
    style: (style, text) => (hasColor ? styleText(style, text, { validateStream: false }) : text),
  }
}

/** Whether stdout takes colors: a terminal, unless NO_COLOR is set or the terminal is called "dumb". */
export function hasColors({ stdout, environment }: Cli): boolean {
  const { NO_COLOR: noColor = '', TERM: terminal } = environment
  return stdout.isTTY === true && noColor === '' && terminal !== 'dumb'
}
