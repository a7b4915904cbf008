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

/**
 * A command whose Python looks for no `usercustomize.py` and no packages in `~/.local`, with `-s`: HOME is the workspace, and
 * what an agent wrote there would run with the skill's credentials.
 */
export function withoutUserSite(command: readonly string[]): string[] {
  const at = command.findIndex((element) => !/^-|=/.test(element) && toProgramName(element) !== 'env')
  const isPython = /^(?:python|pypy)[\d.]*$/.test(toProgramName(command[at] ?? ''))
  return isPython ? command.toSpliced(at + 1, 0, '-s') : [...command]
}

/** `bash` for `/bin/bash`, and for `Bash.exe`. */
export function toProgramName(element: string): string {
  return basename(element)
    .toLowerCase()
    .replace(/\.exe$/, '')
}
