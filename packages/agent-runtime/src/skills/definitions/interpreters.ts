import { basename } from 'node:path'

export const shells: ReadonlySet<string> = new Set([
  'sh',
  'bash',
  'dash',
  'zsh',
  'ksh',
  'fish',
  'cmd',
  'powershell',
  'pwsh',
])

const javascript: ReadonlySet<string> = new Set(['node', 'bun', 'deno', 'tsx', 'ts-node'])
const others: ReadonlySet<string> = new Set(['python', 'ruby', 'perl', 'php', 'lua', 'rscript'])

/** Options that load code, or what loads code: a `.env` may hold NODE_OPTIONS. */
const javascriptOptions: ReadonlySet<string> = new Set([
  '-r',
  '--require',
  '--import',
  '--preload',
  '--loader',
  '--experimental-loader',
  '--env-file',
  '--env-file-if-exists',
  '--experimental-config-file',
  '--import-map',
  '--openssl-config',
  '--snapshot-blob',
])

/** Options of an interpreter that load code besides its script; undefined for a program that has none. */
export function codeOptionsOf(program: string): ReadonlySet<string> | undefined {
  return javascript.has(toProgramName(program)) ? javascriptOptions : undefined
}

/** Whether a program runs the script that is its first argument. */
export function isInterpreter(program: string): boolean {
  const name = toProgramName(program)
  return javascript.has(name) || others.has(name.replace(/[\d.]+$/, '')) || shells.has(name)
}

/** `bash` for `/bin/bash`, and for `Bash.exe`. */
export function toProgramName(element: string): string {
  return basename(element)
    .toLowerCase()
    .replace(/\.exe$/, '')
}
