import path from 'node:path'
import { decodeCodePage } from './code-page.ts'
import type { InstalledApp } from './installed-app.ts'
import type { RunCommand } from './run-command.ts'

const uninstallKeys = [
  String.raw`HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion\Uninstall`,
  String.raw`HKLM\SOFTWARE\WOW6432Node\Microsoft\Windows\CurrentVersion\Uninstall`,
  String.raw`HKCU\SOFTWARE\Microsoft\Windows\CurrentVersion\Uninstall`,
]

const codePageKey = String.raw`HKLM\SYSTEM\CurrentControlSet\Control\Nls\CodePage`

/** What a Windows machine is asked with. */
interface WindowsPlaces {
  readonly systemRoot: string
  /** Environment variables that paths of the registry name. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * Asks `reg` for the uninstall keys and `tasklist` for the processes.
 *
 * Both print in the code page of the console: letters outside it arrive replaced.
 */
export async function listWindowsApps(
  { systemRoot, env }: WindowsPlaces,
  run: RunCommand,
  signal: AbortSignal,
): Promise<InstalledApp[]> {
  const program = (name: string): string => path.win32.join(systemRoot, 'System32', name)
  const reg = program('reg.exe')
  const said = await run(reg, ['query', codePageKey, '/v', 'OEMCP'], signal).catch(() => '')
  const codePage = Number(/OEMCP\s+REG_SZ\s+(\d+)/.exec(said)?.[1])
  const decode = (bytes: Uint8Array): string => decodeCodePage(bytes, codePage)
  const [tasks, ...keys] = await Promise.all([
    run(program('tasklist.exe'), ['/fo', 'csv', '/nh'], signal, decode).catch(() => ''),
    // A machine without 32-bit programs, or a user without own ones, lacks the key: `reg` then fails.
    ...uninstallKeys.map((key) => run(reg, ['query', key, '/s'], signal, decode).catch(() => '')),
  ])
  signal.throwIfAborted()
  if (keys.every((text) => text === ''))
    throw new Error(
      'Listing applications failed: reg.exe could not read any uninstall key. Check that the user may read the registry.',
    )
  return parseUninstallKeys(keys.join('\r\n'), parseTaskList(tasks), env)
}

/**
 * Reads what `reg query <key> /s` prints. Parts of the system and updates of other applications are left out.
 *
 * An application runs when an image runs that is named as its icon, its folder or its key: many have a picture as icon.
 */
export function parseUninstallKeys(
  text: string,
  images: ReadonlySet<string>,
  env: WindowsPlaces['env'] = {},
): InstalledApp[] {
  const apps = new Map<string, InstalledApp>()
  for (const { key, values } of readKeys(text, env)) {
    const name = values.get('displayname')
    const isPart = Number(values.get('systemcomponent') ?? 0) === 1 || values.has('parentkeyname')
    if (name === undefined || name === '' || isPart) continue
    const icon = toIconFile(values.get('displayicon') ?? '')
    const location = unquote(values.get('installlocation') ?? '')
    const names = [path.win32.basename(location), key].filter(Boolean).map((known) => `${known}.exe`)
    const running = [path.win32.basename(icon), ...names].some(
      (image) => /.\.exe$/i.test(image) && images.has(image.toLowerCase()),
    )
    const app = { name, path: location || icon, running }
    // The same key shows up in both views of the registry.
    apps.set(`${name}\0${app.path}`, app)
  }
  return [...apps.values()]
}

/** A key of the registry by its last name, with its values. */
interface RegistryKey {
  readonly key: string
  readonly values: Map<string, string>
}

// Keys stand at the line's start; values are indented: name, type and text with four spaces between.
function readKeys(text: string, env: WindowsPlaces['env']): RegistryKey[] {
  const keys: RegistryKey[] = []
  const variables = new Map(Object.entries(env).map(([name, value]) => [name.toLowerCase(), value]))
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('HKEY_')) keys.push({ key: path.win32.basename(line), values: new Map() })
    const [, name, type, given = ''] = /^ {4}(.+?) {4}(REG_[A-Z_]+)(?: {4}(.*))?$/.exec(line) ?? []
    const value =
      type === 'REG_EXPAND_SZ'
        ? given.replaceAll(
            /%([^%]+)%/g,
            (found, variable: string) => variables.get(variable.toLowerCase()) ?? found,
          )
        : given
    if (name !== undefined) keys.at(-1)?.values.set(name.toLowerCase(), value.trim())
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
