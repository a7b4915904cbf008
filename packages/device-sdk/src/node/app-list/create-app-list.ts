import { createNameMatcher, type FoundApp } from '@homeward/contract/device-cloud'
import os from 'node:os'
import type { SearchProvider } from '../../ports/search-provider.ts'
import type { InstalledApp } from './installed-app.ts'
import { listLinuxApps } from './list-linux-apps.ts'
import { listWindowsApps } from './list-windows-apps.ts'
import { type RunCommand, runCommand } from './run-command.ts'
import * as z from 'zod/mini'

/** Options of {@link createAppList}. All are optional. */
export interface AppListOptions {
  /** Operating system. @default process.platform */
  readonly platform?: NodeJS.Platform
  /** Environment variables that name folders. @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Home folder of the user. @default os.homedir() */
  readonly home?: string
  /** Folder of the process file system on Linux. @default '/proc' */
  readonly procFolder?: string
  /** Runs a system program without a shell. @default limits of one minute and 64 MiB */
  readonly run?: RunCommand
}

/**
 * Creates the provider for the scope `apps`: lists installed applications and whether they run.
 *
 * The search text is a part of the name in any case, or a glob; `*` lists all. Linux: `.desktop` files, including
 * Flatpak and Snap. macOS: `system_profiler`. Windows: uninstall keys of the registry. On other systems, the scope
 * gets an error.
 *
 * @example
 * createDeviceAgent({ providers: { apps: createAppList() } })
 */
export function createAppList(options: AppListOptions = {}): SearchProvider<readonly FoundApp[]> {
  return async ({ query, maxRows, signal }) => {
    signal.throwIfAborted()
    const { matches } = createNameMatcher(query, { isWindows: process.platform === 'win32' })
    const isWanted = ({ name, path, otherNames = [] }: InstalledApp): boolean =>
      [name, ...otherNames].some((candidate) =>
        matches({ name: candidate, path: () => candidate, fullPath: () => path }),
      )
    const { apps, truncated } = await listApps(options, signal)
    const wanted = apps.filter(isWanted)
    const sorted = wanted.toSorted(
      (one, other) => compareText(one.name, other.name) || compareText(one.path, other.path),
    )
    const found = sorted.slice(0, maxRows).map(({ name, path, running }) => ({ name, path, running }))
    return { found, truncated: truncated || wanted.length > found.length }
  }
}

async function listApps(
  options: AppListOptions,
  signal: AbortSignal,
): Promise<{ readonly apps: readonly InstalledApp[]; readonly truncated: boolean }> {
  const { platform = process.platform, env = process.env, run = runCommand } = options
  const { home = os.homedir(), procFolder = '/proc' } = options
  if (platform === 'linux') return await listLinuxApps({ home, env, procFolder }, signal)
  if (platform === 'darwin') return { apps: await listMacApps(run, signal), truncated: false }
  if (platform === 'win32') {
    const systemRoot = env.SystemRoot ?? String.raw`C:\Windows`
    return { apps: await listWindowsApps({ systemRoot, env }, run, signal), truncated: false }
  }
  throw new Error(
    `Listing applications failed: the platform "${platform}" is not supported. Omit this scope, or pass your own provider.`,
  )
}

const compareText = (one: string, other: string): number => Number(one > other) - Number(one < other)

const SystemProfile = z.object({
  SPApplicationsDataType: z.array(z.object({ _name: z.optional(z.string()), path: z.optional(z.string()) })),
})

/** Asks `system_profiler` for the applications and `ps` for the processes. */
async function listMacApps(run: RunCommand, signal: AbortSignal): Promise<InstalledApp[]> {
  const [profile, processes] = await Promise.all([
    run('/usr/sbin/system_profiler', ['SPApplicationsDataType', '-json'], signal),
    run('/bin/ps', ['-axo', 'comm='], signal).catch(() => ''),
  ])
  return parseSystemProfile(profile, parseProcessPaths(processes))
}

/**
 * Reads what `system_profiler SPApplicationsDataType -json` prints. Applications without a name or path are left out.
 *
 * @throws {Error} when it is not that.
 */
export function parseSystemProfile(json: string, processPaths: readonly string[]): InstalledApp[] {
  const { SPApplicationsDataType: rows } = SystemProfile.parse(JSON.parse(json))
  const runningBundles = new Set(processPaths.map(toPlace).flatMap(bundlesOf))
  const runs = (path: string): boolean => {
    const place = toPlace(path)
    return runningBundles.has(place) || runningBundles.has(place.slice(place.lastIndexOf('/') + 1))
  }
  return rows.flatMap(({ _name: name, path }) => (name && path ? [{ name, path, running: runs(path) }] : []))
}

/** Reads what `ps -axo comm=` prints on macOS: the full path of each program, which may hold spaces. */
export function parseProcessPaths(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('/'))
}

/** One form for the paths of one file: through the data volume, through a cryptex, with composed or decomposed letters. */
function toPlace(path: string): string {
  return path
    .normalize('NFC')
    .replace(/^\/System\/Volumes\/(?:Data(?=\/)|Preboot(?=\/Cryptexes\/))/, (found) =>
      found.endsWith('Preboot') ? '/System' : '',
    )
}

const translocated = /^(?:\/private)?\/var\/folders\/.+\/AppTranslocation\/[^/]+\/d\//

/**
 * The bundles that a program lies in. A helper inside a bundle counts for the application around it; iOS applications have
 * no `Contents`. macOS runs what was downloaded from a place that is made for one start: its bundle is known by its name.
 */
function bundlesOf(processPath: string): string[] {
  const local = processPath.replace(translocated, '')
  return [...local.matchAll(/\.app(?=\/)/g)].map((found) => local.slice(0, found.index + 4))
}
