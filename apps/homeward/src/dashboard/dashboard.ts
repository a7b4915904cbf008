import { join } from 'node:path'
import { packageFolder, repositoryFolder } from '../program/package-folder.ts'
import { buildInChild } from './build-in-child.ts'
import { readDashboardFiles, type DashboardFiles } from './dashboard-files.ts'
import { findDashboard, isBuilt } from './find-dashboard.ts'

/** Where the pages are in the published package, which holds them built. */
const publishedPages = join(packageFolder, 'dist/pages')

/** What both servers show at `/`. */
export type DashboardState =
  | { readonly kind: 'building' }
  | { readonly kind: 'ready'; readonly files: DashboardFiles }
  | { readonly kind: 'failed'; readonly reason: string }

/** The dashboard of both servers. */
export interface Dashboard {
  state(): DashboardState
  /** Resolves once it is there, or has failed. */
  readonly settled: Promise<void>
  /** Ends a build that is under way. */
  close(): Promise<void>
}

/**
 * Opens the dashboard: reads its files. In the repository it builds them first when they are not there or their sources
 * have changed. That happens in a process of its own, so that the servers answer meanwhile.
 *
 * @param log told once when it has to be built, and once how that ended.
 */
export function openDashboard(log: (line: string) => void): Dashboard {
  let state: DashboardState = { kind: 'building' }
  const over = new AbortController()

  async function open(): Promise<void> {
    try {
      const folder = repositoryFolder === undefined ? publishedPages : await findDashboard()
      if (!(await isBuilt(folder))) await build()
      state = { kind: 'ready', files: await readDashboardFiles(folder) }
    } catch (error) {
      if (over.signal.aborted) return
      const reason = error instanceof Error ? error.message : String(error)
      state = { kind: 'failed', reason }
      log(`${reason}\nThe APIs work without it. DASHBOARD=off leaves it out.`)
    }
  }

  async function build(): Promise<void> {
    if (repositoryFolder === undefined)
      throw new Error(`Reading the pages failed: ${publishedPages} is missing. Install the package again.`)
    const startedAt = Date.now()
    log('it is built once, which takes some seconds; the APIs answer meanwhile.')
    await buildInChild(over.signal)
    log(`ready after ${((Date.now() - startedAt) / 1000).toFixed(1)} s.`)
  }

  const settled = open()
  return {
    state: () => state,
    settled,
    async close() {
      over.abort()
      await settled
    },
  }
}
