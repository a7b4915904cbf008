import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

const folder = import.meta.dirname
const outputFolder = join(folder, 'dist')
const keptMs = 3_600_000

/** What the built pages are made of: of files, these; of folders, everything. */
const sources = [
  'src',
  'devices.html',
  'agents.html',
  'vite.config.ts',
  'build.ts',
  'package.json',
  '../../packages/contract/src',
  '../../docs/channels',
  '../../package-lock.json',
].map((path) => resolve(folder, path))

/**
 * Where the pages that belong to the sources of now are, or will be once they are built: each version has a folder of its
 * own, named by what it is made of. A folder of that name is complete.
 */
export async function findDashboard(): Promise<string> {
  const hash = createHash('sha256')
  for (const path of (await Promise.all(sources.map(filesOf))).flat()) {
    const content = await readFile(path)
    hash.update(`${relative(folder, path).replaceAll(sep, '/')}\0${content.length}\0`).update(content)
  }
  return join(outputFolder, hash.digest('hex').slice(0, 16))
}

/** Whether a folder that {@link findDashboard} gave is there. */
export async function isBuilt(dashboard: string): Promise<boolean> {
  return (await readdir(dashboard).catch(() => [])).length > 0
}

/**
 * Builds the pages, unless those of the sources of now are there. They are built beside their place and then moved, so that
 * a process that was killed leaves nothing half done and two that build at the same time end with the same.
 *
 * @returns the folder that {@link findDashboard} gives.
 */
export async function buildDashboard(): Promise<string> {
  const dashboard = await findDashboard()
  if (await isBuilt(dashboard)) return dashboard
  const temporary = join(outputFolder, `.building-${randomUUID()}`)
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

async function filesOf(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => undefined)
  if (entries === undefined) return [path]
  const files = entries.filter((entry) => entry.isFile() && !/\.test(-d)?\.tsx?$/.test(entry.name))
  return files.map((entry) => join(entry.parentPath, entry.name)).toSorted()
}

/** Beside each file the same compressed: what both servers send to whoever takes it. */
async function compress(built: string): Promise<void> {
  for (const path of await filesOf(built)) {
    await writeFile(`${path}.gz`, await promisify(gzip)(await readFile(path), { level: 9 }))
  }
}

/** Older versions. What is younger than an hour stays: another process may be building it, or about to read it. */
async function removeOthers(dashboard: string): Promise<void> {
  for (const name of await readdir(outputFolder)) {
    const path = join(outputFolder, name)
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }))
    if (path === dashboard || Date.now() - mtimeMs < keptMs) continue
    await rm(path, { recursive: true, force: true })
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    console.log(await buildDashboard())
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}
