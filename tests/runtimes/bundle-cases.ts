import { basename, join, resolve } from 'node:path'
import { build } from 'esbuild'

/** Bundles an entry, by its path from this folder, with the packages' sources, to one file that needs no `node_modules`. */
export async function bundleCases(entry: string, folder: string): Promise<string> {
  const outfile = join(folder, basename(entry).replace(/\.ts$/, '.mjs'))
  await build({
    entryPoints: [resolve(import.meta.dirname, entry)],
    outfile,
    bundle: true,
    format: 'esm',
    target: 'es2023',
    platform: 'neutral',
    // what any runtime has, and nothing that Node has built in
    conditions: ['@homeward/source', 'workerd', 'worker', 'browser'],
    mainFields: ['module', 'main'],
    supported: { using: false },
  })
  return outfile
}
