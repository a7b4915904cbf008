import path from 'node:path'
import type { InstalledApp } from './installed-app.ts'
import type { RunCommand } from './run-command.ts'

const uninstallKeys = [
  String.raw`HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion\Uninstall`,
  String.raw`HKLM\SOFTWARE\WOW6432Node\Microsoft\Windows\CurrentVersion\Uninstall`,
  String.raw`HKCU\SOFTWARE\Microsoft\Windows\CurrentVersion\Uninstall`,
]

/**
 * Asks `reg` for the uninstall keys and `tasklist` for the processes.
 *
 * Both print in the console's code page: letters outside it arrive replaced.
 */
export async function listWindowsApps(
  systemRoot: string,
  run: RunCommand,
  signal: AbortSignal,
): Promise<InstalledApp[]> {
  const program = (name: string): string => path.win32.join(systemRoot, 'System32', name)
  const [tasks, ...keys] = await Promise.all([
    run(program('tasklist.exe'), ['/fo', 'csv', '/nh'], signal).catch(() => ''),
    // A machine without 32-bit programs, or a user without own ones, lacks the key: `reg` then fails.
    ...uninstallKeys.map((key) => run(program('reg.exe'), ['query', key, '/s'], signal).catch(() => '')),
  ])
  signal.throwIfAborted()
  if (keys.every((text) => text === ''))
    throw new Error('Listing applications failed: reg.exe read none of the uninstall keys.')
  return parseUninstallKeys(keys.join('\r\n'), parseTaskList(tasks))
}

/** Reads what `reg query <key> /s` prints. Parts of the system and updates of other applications are left out. */
export function parseUninstallKeys(text: string, images: ReadonlySet<string>): InstalledApp[] {
  const apps = new Map<string, InstalledApp>()
  for (const values of readKeys(text)) {
    const name = values.get('displayname')
    const isPart = Number(values.get('systemcomponent') ?? 0) === 1 || values.has('parentkeyname')
    if (name === undefined || name === '' || isPart) continue
    const icon = toIconFile(values.get('displayicon') ?? '')
    const location = unquote(values.get('installlocation') ?? '')
    const image = path.win32.basename(icon).toLowerCase()
    const app = { name, path: location || icon, running: image.endsWith('.exe') && images.has(image) }
    // The same key shows up in both views of the registry.
    apps.set(`${name}\0${app.path}`, app)
  }
  return [...apps.values()]
}

// Keys stand at the line's start; values are indented: name, type and text with four spaces between.
function readKeys(text: string): Map<string, string>[] {
  const keys: Map<string, string>[] = []
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('HKEY_')) keys.push(new Map())
    const value = /^ {4}(.+?) {4}REG_[A-Z_]+(?: {4}(.*))?$/.exec(line)
    if (value?.[1] !== undefined) keys.at(-1)?.set(value[1].toLowerCase(), (value[2] ?? '').trim())
  }
  return keys
}

const unquote = (value: string): string => value.replace(/^"(.*)"$/, '$1')

// An icon is a file and, often, the number of a picture in it.
const toIconFile = (icon: string): string => unquote(icon.replace(/,\s*-?\d+$/, ''))

/** Reads what `tasklist /fo csv` prints, header or not, in any language: the lower-case names of programs. */
export function parseTaskList(text: string): Set<string> {
  const images = new Set<string>()
  for (const line of text.split(/\r?\n/)) {
    const row = /^"((?:[^"]|"")*)","(\d+)"/.exec(line)
    if (row?.[1] !== undefined) images.add(row[1].replaceAll('""', '"').toLowerCase())
  }
  return images
}
