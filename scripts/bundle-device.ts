import { build } from 'esbuild'
import { join } from 'node:path'
import { workspaceFolder } from './workspace-packages.ts'

/**
 * Writes the device agent and its commands into one CommonJS file that needs Node only: the main script of the executable, and what
 * `homeward device install` copies to a place that npm does not empty.
 */
export async function bundleDevice(outfile: string): Promise<void> {
  await build({
    entryPoints: [join(workspaceFolder, 'apps/homeward/src/cli/device/executable.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    // The main script of an executable cannot be an ES module in Node 24.
    format: 'cjs',
    target: 'node22',
    conditions: ['@homeward/source'],
    // An optional peer: without it, system facts are those that Node knows.
    external: ['systeminformation'],
    // `import.meta` is empty here: what asks for it finds nothing, and takes the file that runs.
    logOverride: { 'empty-import-meta': 'silent' },
    legalComments: 'eof',
    minifySyntax: true,
    minifyWhitespace: true,
  })
}
