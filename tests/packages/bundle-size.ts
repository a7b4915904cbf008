import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { workspaceFolder, libraryPackages } from '../../scripts/workspace-packages.ts'

/**
 * Bytes of an entry with everything that it loads, minified and gzipped, as a browser or a worker gets it.
 *
 * @param names What a program takes of the entry. @default everything
 */
export async function gzippedBytes(specifier: string, names?: readonly string[]): Promise<number> {
  const owner = libraryPackages().find(({ entries }) =>
    entries.some((entry) => entry.specifier === specifier),
  )
  const entry = owner?.entries.find((each) => each.specifier === specifier)
  if (!owner || !entry) throw new Error(`Could not measure ${specifier}: no package exports it.`)
  const { outputFiles } = await build({
    stdin: {
      contents: `export ${names ? `{ ${names.join(', ')} }` : '*'} from './${entry.source}'`,
      resolveDir: owner.folder,
    },
    absWorkingDir: workspaceFolder,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2023',
    platform: 'browser',
    conditions: ['@homeward/source', 'worker', 'browser'],
    write: false,
    logLevel: 'silent',
  })
  return outputFiles.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).byteLength, 0)
}
