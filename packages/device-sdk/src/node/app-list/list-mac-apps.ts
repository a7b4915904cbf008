import * as z from 'zod/mini'
import type { InstalledApp } from './installed-app.ts'
import type { RunCommand } from './run-command.ts'

const SystemProfile = z.object({
  SPApplicationsDataType: z.array(z.object({ _name: z.optional(z.string()), path: z.optional(z.string()) })),
})

/** Asks `system_profiler` for the applications and `ps` for the processes. */
export async function listMacApps(run: RunCommand, signal: AbortSignal): Promise<InstalledApp[]> {
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
