import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { builtFolder, filesOf, findDashboard, isBuilt } from '../homeward/src/dashboard/find-dashboard.ts'

const folder = import.meta.dirname
const keptMs = 3_600_000

/**
 * Builds the pages, unless those of the sources of now are there. They are built beside their place and then moved, so that
 * a process that was killed leaves nothing half done and two that build at the same time end with the same.
 *
 * @returns the folder that {@link findDashboard} gives.
 */
async function buildDashboard(): Promise<string> {
  const dashboard = await findDashboard()
  if (await isBuilt(dashboard)) return dashboard
  const temporary = join(builtFolder, `.building-${randomUUID()}`)
  try {
    await mkdir(temporary, { recursive: true })
    const { build } = await import('vite')
    const configFile = join(folder, 'vite.config.ts')
    await build({ configFile, logLevel: 'error', build: { outDir: temporary, emptyOutDir: true } })
    await compress(temporary)
    await rename(temporary, dashboard).catch(async (error: unknown) => {
      if (!(await isBuilt(dashboard))) throw error // else another process was faster
    })
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
  await removeOthers(dashboard)
  return dashboard
}

/** Beside each file the same compressed: what both servers send to whoever takes it. */
async function compress(built: string): Promise<void> {
  for (const path of await filesOf(built)) {
    await writeFile(`${path}.gz`, await promisify(gzip)(await readFile(path), { level: 9 }))
  }
}

/** Older versions. What is younger than an hour stays: another process may be building it, or about to read it. */
async function removeOthers(dashboard: string): Promise<void> {
  for (const name of await readdir(builtFolder)) {
    const path = join(builtFolder, name)
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }))
    if (path === dashboard || Date.now() - mtimeMs < keptMs) continue
    await rm(path, { recursive: true, force: true })
  }
}

process.env['NODE_ENV'] = 'production' // Vite takes another value as it is, and React is its development build then
try {
  console.log(await buildDashboard())
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
