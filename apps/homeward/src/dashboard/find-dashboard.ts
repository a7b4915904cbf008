import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'

/** Where the source of the pages is. */
const pagesFolder = resolve(import.meta.dirname, '../../../pages')

/** Where built pages are: a folder for each version. */
export const builtFolder = join(pagesFolder, 'dist')

/** What the built pages are made of: of files, these; of folders, everything. */
const sources = [
  'src',
  'index.html',
  'vite.config.ts',
  'build.ts',
  '../homeward/src/dashboard/find-dashboard.ts',
  'package.json',
  '../../packages/contract/src',
  '../../packages/kit/src',
  '../../docs/README.md',
  '../../docs/channels',
  '../../docs/getting-started',
  '../../docs/guides',
  '../../docs/reference',
  '../../package-lock.json',
].map((path) => resolve(pagesFolder, path))

/**
 * Where the pages that belong to the sources of now are, or will be once they are built: each version has a folder of its
 * own, named by what it is made of. A folder of that name is complete.
 */
export async function findDashboard(): Promise<string> {
  const hash = createHash('sha256')
  for (const path of (await Promise.all(sources.map(filesOf))).flat()) {
    const content = await readFile(path)
    hash.update(`${relative(pagesFolder, path).replaceAll(sep, '/')}\0${content.length}\0`).update(content)
  }
  return join(builtFolder, hash.digest('hex').slice(0, 16))
}

/** Whether a folder that {@link findDashboard} gave is there. */
export async function isBuilt(dashboard: string): Promise<boolean> {
  return (await readdir(dashboard).catch(() => [])).length > 0
}

/** Every file in a folder except tests, sorted; of a file, itself. */
export async function filesOf(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => undefined)
  if (entries === undefined) return [path]
  const files = entries.filter((entry) => entry.isFile() && !/\.test(-d)?\.tsx?$/.test(entry.name))
  return files.map((entry) => join(entry.parentPath, entry.name)).toSorted()
}
