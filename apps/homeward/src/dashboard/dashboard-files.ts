import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'

/** One file of the built dashboard. */
export interface DashboardFile {
  readonly content: Buffer<ArrayBuffer>
  /** The same compressed by gzip. */
  readonly gzipped: Buffer<ArrayBuffer>
  readonly contentType: string
  readonly etag: string
}

/** Path in a URL, such as `/assets/devices-1a2b3c.js` → file. */
export type DashboardFiles = ReadonlyMap<string, DashboardFile>

/** What the build makes; anything else is a file that nobody expects. */
const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
}

/**
 * Reads the whole dashboard, about three megabytes: no path of a request ever reaches the file system, and a new build does
 * not pull the files from under an open page.
 *
 * @throws {Error} if a file has an unknown type.
 */
export async function readDashboardFiles(folder: string): Promise<DashboardFiles> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.gz'))
    .map((entry) => join(entry.parentPath, entry.name))
  const files = await Promise.all(
    paths.map(
      async (path) => [`/${relative(folder, path).replaceAll(sep, '/')}`, await readOne(path)] as const,
    ),
  )
  return new Map(files)
}

async function readOne(path: string): Promise<DashboardFile> {
  const contentType = contentTypes[extname(path)]
  if (contentType === undefined)
    throw new Error(`Reading the dashboard failed: ${path} has an unknown file type.`)
  const [content, gzipped] = await Promise.all([readFile(path), readFile(`${path}.gz`)])
  const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 27)}"`
  return { content, gzipped, contentType, etag }
}
