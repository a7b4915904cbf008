import { access, constants, realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import { createTolerantDisk, type TolerantDisk } from '../disk/create-tolerant-disk.ts'
import { readPlainFile } from '../disk/read-plain-file.ts'
import { type DesktopEntry, parseDesktopEntry } from './desktop-entry.ts'
import type { InstalledApp } from './installed-app.ts'
import { isRunning } from './is-running.ts'
import { listDesktopFiles } from './list-desktop-files.ts'
import { readProcesses } from './linux-processes.ts'
import { type LinuxProgram, toProgram } from './linux-program.ts'

/** Where a Linux machine keeps what is looked for. */
export interface LinuxPlaces {
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Folder of the process file system. */
  readonly procFolder: string
}

/** What is installed, and whether some of it is not known because a disk did not respond. */
export interface LinuxApps {
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
