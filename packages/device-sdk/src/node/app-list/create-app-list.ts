import type { FoundApp } from '@homeward/contract/device-cloud'
import os from 'node:os'
import type { SearchProvider } from '../../ports/search-provider.ts'
import { createNameMatcher } from '../file-search/name-matcher.ts'
import type { InstalledApp } from './installed-app.ts'
import { listLinuxApps } from './list-linux-apps.ts'
import { listMacApps } from './list-mac-apps.ts'
import { listWindowsApps } from './list-windows-apps.ts'
import { type RunCommand, runCommand } from './run-command.ts'

/** Options of {@link createAppList}. Each has a default. */
export interface AppListOptions {
  /** @default process.platform */
  readonly platform?: NodeJS.Platform
  /** Environment variables that name folders. @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Home folder of the user. @default os.homedir() */
  readonly home?: string
  /** Folder of the process file system on Linux. @default '/proc' */
  readonly procFolder?: string
  /** Runs a system program, without a shell. @default a minute and 64 MiB at most */
  readonly run?: RunCommand
}

/**
 * Lists installed applications and whether they run: the provider for the scope `apps`.
 *
 * The search text is a part of the name in any case, or a glob; `*` lists all. Linux: `.desktop` files, those of Flatpak and
 * Snap too; macOS: `system_profiler`; Windows: the uninstall keys of the registry. On other systems it rejects, which
 * becomes the error of this scope.
 *
 * @example
 * createDeviceAgent({ providers: { apps: createAppList() } })
 */
export function createAppList(options: AppListOptions = {}): SearchProvider<readonly FoundApp[]> {
  return async ({ query, maxRows, signal }) => {
    signal.throwIfAborted()
    const matches = createNameMatcher(query)
    const isWanted = ({ name, otherNames = [] }: InstalledApp): boolean =>
      [name, ...otherNames].some((candidate) => matches(candidate, () => candidate))
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
