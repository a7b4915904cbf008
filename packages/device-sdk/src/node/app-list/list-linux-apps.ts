import { access, constants, readdir, readFile, readlink } from 'node:fs/promises'
import path from 'node:path'
import { type DesktopEntry, parseDesktopEntry } from './desktop-entry.ts'
import type { InstalledApp } from './installed-app.ts'
import { toProcessNames, toProgram } from './linux-program.ts'

/** Where a Linux machine keeps what is looked for. */
export interface LinuxPlaces {
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Folder of the process file system. */
  readonly procFolder: string
}

/** Reads `.desktop` files (XDG folders, Flatpak, Snap) and the process table. */
export async function listLinuxApps(places: LinuxPlaces, signal: AbortSignal): Promise<InstalledApp[]> {
  const running = await readProcessNames(places.procFolder, signal)
  const entries = new Map<string, { file: string; entry: DesktopEntry }>()
  for (const folder of applicationFolders(places)) {
    for (const file of await listDesktopFiles(folder)) {
      signal.throwIfAborted()
      // The spec's id: the path below the folder, with dashes. The first folder that has it wins, also to hide it.
      const id = path.relative(folder, file).replaceAll(path.sep, '-')
      if (entries.has(id)) continue
      const entry = await readFile(file, 'utf8').then(parseDesktopEntry, () => undefined)
      if (entry) entries.set(id, { file, entry })
    }
  }
  const shown = [...entries.values()].filter(({ entry }) => !entry.hidden)
  return await Promise.all(shown.map(({ file, entry }) => toApp(file, entry, { running, places })))
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

const maxDepth = 4

async function listDesktopFiles(folder: string, depth = 0): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const files: string[] = []
  for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    const file = path.join(folder, entry.name)
    if (entry.isDirectory() && depth < maxDepth) files.push(...(await listDesktopFiles(file, depth + 1)))
    // Exported entries of sandboxes are links; reading a pipe of that name would never end.
    else if (entry.name.endsWith('.desktop') && (entry.isFile() || entry.isSymbolicLink())) files.push(file)
  }
  return files
}

interface Surroundings {
  readonly running: ReadonlySet<string>
  readonly places: LinuxPlaces
}

async function toApp(
  file: string,
  entry: DesktopEntry,
  { running, places }: Surroundings,
): Promise<InstalledApp> {
  const program = toProgram(entry.command)
  const name = program === undefined ? '' : path.basename(program.file)
  const found =
    program && !program.indirect ? await findProgram(program.file, places.env.PATH ?? '') : undefined
  const { otherNames } = entry
  return { name: entry.name, otherNames, path: found ?? file, running: running.has(name) }
}

async function findProgram(program: string, searchPath: string): Promise<string | undefined> {
  const folders = program.includes('/')
    ? ['']
    : searchPath.split(':').filter((folder) => path.isAbsolute(folder))
  for (const folder of folders) {
    const candidate = path.join(folder, program)
    const runs = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (runs && path.isAbsolute(candidate)) return candidate
  }
  return undefined
}

async function readProcessNames(procFolder: string, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const names = new Set<string>()
  for (const pid of await readdir(procFolder).catch(() => [])) {
    if (!/^\d+$/.test(pid)) continue
    signal.throwIfAborted()
    const [commandLine, executable] = await Promise.all([
      readFile(path.join(procFolder, pid, 'cmdline'), 'utf8').catch(() => ''),
      // Only readable for the user's own processes.
      readlink(path.join(procFolder, pid, 'exe')).catch(() => undefined),
    ])
    for (const name of toProcessNames(commandLine, executable)) names.add(name)
  }
  return names
}
