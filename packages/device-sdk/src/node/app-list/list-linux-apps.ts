import { access, constants, realpath, stat, readdir } from 'node:fs/promises'
import path from 'node:path'
import { createTolerantDisk, type TolerantDisk } from '../disk/create-tolerant-disk.ts'
import { readPlainFile } from '../disk/read-plain-file.ts'
import type { InstalledApp } from './installed-app.ts'
import { readProcesses, type LinuxProcess } from './linux-processes.ts'
import { type LinuxProgram, toProgram } from './linux-program.ts'
import type { BigIntStats, Dirent } from 'node:fs'
import { splitCommand } from './split-command.ts'

/** Where a Linux machine keeps what is looked for. */
interface LinuxPlaces {
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Folder of the process file system. */
  readonly procFolder: string
}

/** What is installed, and whether some of it is not known because a disk did not respond. */
interface LinuxApps {
  readonly apps: readonly InstalledApp[]
  readonly truncated: boolean
}

/** An entry of the desktop, and what it starts. */
interface Found {
  readonly file: string
  readonly entry: DesktopEntry
  readonly program: LinuxProgram | undefined
}

/** An entry whose program was looked for. */
interface Installed extends Found {
  readonly found: FoundProgram | undefined
}

/** Names the program that an application starts. All of Snap are links to one program, which tells them apart by name. */
function toStarted({ program, found }: Installed): string {
  const name = path.basename(program?.file ?? '')
  return found === undefined || program?.file.startsWith('/snap/bin/') ? name : found.realFile
}

const maxEntryBytes = 256 * 1024

/** Reads `.desktop` files (XDG folders, Flatpak, Snap) and the process table. */
export async function listLinuxApps(places: LinuxPlaces, signal: AbortSignal): Promise<LinuxApps> {
  const disk = createTolerantDisk(signal)
  const processes = await readProcesses(places.procFolder, disk)
  const shown = (await readEntries(places, disk)).filter(({ entry }) => !entry.hidden)
  const installed: Installed[] = []
  for (const { file, entry, program } of shown) {
    const find = (name: string) => findProgram(name, places, disk)
    if (entry.tryExec !== undefined && (await find(entry.tryExec)) === undefined) continue
    const found = program && !program.indirect ? await find(program.file) : undefined
    installed.push({ file, entry, program, found })
  }
  const starts = Map.groupBy(installed, toStarted)
  const apps = installed.map((app): InstalledApp => {
    const { file, entry, program, found } = app
    const isShared = (starts.get(toStarted(app))?.length ?? 0) > 1
    const known = program && { ...program, realFile: found?.realFile, isShared }
    return {
      name: entry.name,
      otherNames: entry.otherNames,
      path: found?.file ?? file,
      running: known !== undefined && isRunning(known, processes, places.home),
    }
  })
  return { apps, truncated: disk.isPartial() }
}

async function readEntries(places: LinuxPlaces, disk: TolerantDisk): Promise<Found[]> {
  const entries = new Map<string, Found>()
  for (const folder of applicationFolders(places)) {
    for (const file of await listDesktopFiles(folder, disk)) {
      // The spec's id: the path below the folder, with dashes. The first folder that has it wins, also to hide it.
      const id = path.relative(folder, file).replaceAll(path.sep, '-')
      if (entries.has(id)) continue
      const content = await disk.try(file, () => readPlainFile(file, maxEntryBytes))
      const entry = content && parseDesktopEntry(content.toString())
      if (entry) entries.set(id, { file, entry, program: toProgram(entry.command) })
    }
  }
  return [...entries.values()]
}

/** Folders with `.desktop` files, the most important first. */
export function applicationFolders({ home, env }: Pick<LinuxPlaces, 'home' | 'env'>): string[] {
  const own = env.XDG_DATA_HOME || path.join(home, '.local/share')
  const shared = (env.XDG_DATA_DIRS || '/usr/local/share:/usr/share').split(':')
  const flatpak = [path.join(own, 'flatpak/exports/share'), '/var/lib/flatpak/exports/share']
  const parents = [own, ...shared, ...flatpak].filter((folder) => path.isAbsolute(folder))
  const folders = parents.map((folder) => path.join(folder, 'applications'))
  return [...new Set([...folders, '/var/lib/snapd/desktop/applications'])]
}

/** Looked in after `PATH`, which is short for an agent that runs as a service. */
const usualFolders = ['/usr/local/bin', '/usr/bin', '/bin', '/usr/local/games', '/usr/games', '/snap/bin']

interface FoundProgram {
  readonly file: string
  readonly realFile: string
}

async function findProgram(
  program: string,
  { env, home }: LinuxPlaces,
  disk: TolerantDisk,
): Promise<FoundProgram | undefined> {
  const listed = [...(env.PATH ?? '').split(':'), path.join(home, '.local/bin'), ...usualFolders]
  const folders = program.includes('/')
    ? ['']
    : [...new Set(listed)].filter((folder) => path.isAbsolute(folder))
  for (const folder of folders) {
    const file = path.join(folder, program)
    if (!path.isAbsolute(file)) continue
    const realFile = await disk.try(file, () => toRunnable(file))
    if (realFile !== undefined) return { file, realFile }
  }
  return undefined
}

/** The file after all links. @throws {Error} if it cannot be run. */
async function toRunnable(file: string): Promise<string | undefined> {
  await access(file, constants.X_OK)
  // A folder may be entered by the same permission.
  return (await stat(file)).isFile() ? await realpath(file) : undefined
}

const maxDepth = 4
/** A link may lead to a folder with anything in it. */
const maxFolders = 1000
const maxFiles = 10_000

/**
 * Lists the `.desktop` files in and below a folder, sorted by path. Links to files and folders are followed, because
 * sandboxes export links, and some people link whole folders; each folder is entered once.
 */
async function listDesktopFiles(folder: string, disk: TolerantDisk): Promise<string[]> {
  const files: string[] = []
  const entered = new Set<string>()

  async function enter(current: string, depth: number): Promise<void> {
    const known = await disk.try(current, () => stat(current, { bigint: true }))
    const id = known && `${known.dev}:${known.ino}`
    if (id === undefined || entered.has(id) || entered.size >= maxFolders) return
    entered.add(id)
    const entries = await disk.try(current, () => readdir(current, { withFileTypes: true }))
    const sorted = (entries ?? []).toSorted((one, other) => (one.name < other.name ? -1 : 1))
    for (const entry of sorted) {
      const file = path.join(current, entry.name)
      const kind: Dirent | BigIntStats | undefined = entry.isSymbolicLink()
        ? await disk.try(file, () => stat(file, { bigint: true }))
        : entry
      if (kind?.isDirectory() && depth < maxDepth) await enter(file, depth + 1)
      if (kind?.isFile() && entry.name.endsWith('.desktop') && files.length < maxFiles) files.push(file)
    }
  }

  await enter(folder, 0)
  return files
}

/** An application's program as it is on the disk. */
interface KnownProgram extends LinuxProgram {
  /** Its file after all links, where it was found. */
  readonly realFile: string | undefined
  /** Whether other applications start the same program with other arguments. */
  readonly isShared: boolean
}

/** Whether one of the processes is this application. False also when nobody can tell. */
function isRunning(program: KnownProgram, processes: readonly LinuxProcess[], home: string): boolean {
  // An address is for another program to open: a launcher that runs is not the game that it can start.
  if (program.args.some((arg) => /^[a-z][\w+.-]*:\/\//i.test(arg))) return false
  // Arguments that are no options choose what is run; options do where several applications share one program.
  const wanted = program.args.filter(
    (arg) => program.isShared || !arg.startsWith('-') || /^--app(?:-id)?=/.test(arg),
  )
  return processes.some(
    (process) => isOf(process, program, home) && wanted.every((arg) => process.args.includes(arg)),
  )
}

function isOf({ names, file }: LinuxProcess, program: KnownProgram, home: string): boolean {
  if (names.includes(path.basename(program.file))) return true
  const snap = /^\/snap\/bin\/([^/.]+)/.exec(program.file)?.[1]
  if (snap !== undefined) return file.startsWith(`/snap/${snap}/`)
  const own = program.realFile === undefined ? undefined : toOwnFolder(program.realFile, home)
  if (own === undefined) return false
  return own.isWhole ? file.startsWith(`${own.folder}/`) : path.dirname(file) === own.folder
}

/** Folders that many programs share. */
const shared =
  /^(?:bin|sbin|games|libexec|lib\d*|\.local|share|local|opt|usr|applications|downloads|desktop|[^/]+-linux-gnu\w*)$/i

/**
 * The folder that belongs to a program alone, such as `/opt/google/chrome`: what runs from there is the program, whatever
 * its name. With a folder `bin` of its own it is the one above, with all that lies below it.
 */
function toOwnFolder(realFile: string, home: string): { folder: string; isWhole: boolean } | undefined {
  const direct = path.dirname(realFile)
  const isWhole = path.basename(direct) === 'bin'
  const folder = isWhole ? path.dirname(direct) : direct
  const parts = folder.split('/').filter(Boolean)
  const isHome = folder === home || (parts[0] === 'home' && parts.length < 3)
  const isPrivate = parts.length >= 2 && !shared.test(parts.at(-1) ?? '') && !isHome
  return isPrivate ? { folder, isWhole } : undefined
}

/** What a `.desktop` file says, by the Desktop Entry Specification 1.5. */
interface DesktopEntry {
  readonly name: string
  /** The names in other languages. */
  readonly otherNames: readonly string[]
  /** The command line, split into arguments, field codes such as `%U` left out. */
  readonly command: readonly string[]
  /** A program without which the application is not installed. */
  readonly tryExec?: string
  /** Deleted by the user, or not meant for menus: it hides an entry of the same id in a later folder. */
  readonly hidden: boolean
}

/** Reads the text of a `.desktop` file; `undefined` when it does not describe an application. */
export function parseDesktopEntry(text: string): DesktopEntry | undefined {
  const values = readMainGroup(text)
  const hidden = values.get('Hidden') === 'true' || values.get('NoDisplay') === 'true'
  const name = unescapeValue(values.get('Name') ?? '')
  if (!hidden && (values.get('Type') !== 'Application' || name === '')) return undefined
  const otherNames = [...values]
    .filter(([key]) => key.startsWith('Name['))
    .map(([, value]) => unescapeValue(value))
  const tryExec = unescapeValue(values.get('TryExec') ?? '')
  const command = splitExec(unescapeValue(values.get('Exec') ?? ''))
  return { name, otherNames, command, hidden, ...(tryExec === '' ? {} : { tryExec }) }
}

// Other groups, such as `[Desktop Action new-window]`, have names of their own.
function readMainGroup(text: string): Map<string, string> {
  const values = new Map<string, string>()
  let inMainGroup = false
  for (const line of text.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    if (line.startsWith('[')) inMainGroup = line.trim() === '[Desktop Entry]'
    const at = line.indexOf('=')
    if (!inMainGroup || line.startsWith('#') || at <= 0) continue
    const key = line.slice(0, at).trim()
    if (!values.has(key)) values.set(key, line.slice(at + 1).trim())
  }
  return values
}

const escapes: Readonly<Record<string, string>> = { s: ' ', n: '\n', t: '\t', r: '\r', '\\': '\\' }

function unescapeValue(value: string): string {
  return value.replaceAll(/\\([sntr\\])/g, (_, letter: string) => escapes[letter] ?? letter)
}

function splitExec(exec: string): string[] {
  return splitCommand(exec)
    .filter((word) => !/^%[a-zA-Z]$/.test(word))
    .map((word) => word.replaceAll('%%', '%'))
}
