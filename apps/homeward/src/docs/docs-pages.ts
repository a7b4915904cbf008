import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { packageFolder, repositoryFolder } from '../program/package-folder.ts'

/** Text of the documentation by page: `guides/undo.md`. */
export type DocsPages = ReadonlyMap<string, string>

/** Where an installed package has the documentation. */
export const docsArchive = 'dist/docs.json.gz'

/** Decisions, measurements and walks are for those who change Homeward itself. */
const shown = '{README.md,{getting-started,guides,channels,reference}/**/*.md}'
const left = ['reference/api/**', 'reference/failure-modes.md', 'reference/mutation-testing.md']

/** Reads the pages of a repository, without the spaces that align its tables. */
export function readDocsFolder(folder: string): DocsPages {
  const paths = globSync(shown, { cwd: folder, exclude: left }).toSorted()
  return new Map(paths.map((path) => [path, compact(readFileSync(join(folder, path), 'utf8'))]))
}

/** Packs pages into the file that the package has. */
export const packDocs = (pages: DocsPages): Uint8Array => gzipSync(JSON.stringify([...pages]), { level: 9 })

/** Returns the documentation: of the package, or of the repository if the program runs from its source. */
export function loadDocs(): DocsPages {
  if (repositoryFolder !== undefined) return readDocsFolder(join(repositoryFolder, 'docs'))
  const packed = readFileSync(join(packageFolder, docsArchive))
  return new Map(JSON.parse(gunzipSync(packed).toString()) as [string, string][]) // `packDocs` wrote it
}

function compact(text: string): string {
  return text
    .replaceAll(/^<!--[^]*?-->\n+/gm, '')
    .split('\n')
    .map((line) => (line.startsWith('|') ? line.replaceAll(/ {2,}/g, ' ').replaceAll(/-{4,}/g, '---') : line))
    .join('\n')
}
