import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import type { TestProject } from 'vitest/node'
import { workspaceFolder } from '../../scripts/workspace-packages.ts'
import { makeOnDemand } from '../on-demand.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Port that answers every connection with the folder of the built programs. */
    builtPort: number
  }
}

const app = join(workspaceFolder, 'apps/homeward')
/** Within the package, where the programs find its skills and what they leave to npm. */
const parent = join(app, 'node_modules/.cache/homeward-tests')
const keptMs = 24 * 3_600_000

/** Builds the programs once, when the first test file starts one of them. */
export default async function setup(project: TestProject): Promise<() => void> {
  const { port, close } = await makeOnDemand(() => buildPrograms().catch((error) => `failed: ${error}`))
  project.provide('builtPort', port)
  return close
}

/**
 * Bundles the server as its package does: some thousand modules of TypeScript take a process twice the time to load, and tests
 * start some hundreds of them.
 *
 * @returns the folder, named by what it holds: a run beside this one, or the next one, has the same or another.
 */
async function buildPrograms(): Promise<string> {
  const [{ build }, { threads }, { commonJsNames, neverBundled, requireBanner }] = await Promise.all([
    import('esbuild'),
    import('../../apps/homeward/tsup.config.ts'),
    import('../../scripts/program-build.ts'),
  ])
  const { outputFiles } = await build({
    absWorkingDir: app,
    entryPoints: {
      main: 'src/main.ts',
      ...Object.fromEntries(
        threads.map((source) => [`chunks/${basename(source, '.ts')}`, join(workspaceFolder, source)]),
      ),
    },
    outdir: parent,
    write: false,
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'node22',
    platform: 'node',
    conditions: ['@homeward/source'],
    chunkNames: 'chunks/[name]-[hash]',
    external: neverBundled.flatMap((name) => [name, `${name}/*`]),
    plugins: [commonJsNames],
    banner: { js: requireBanner },
    legalComments: 'none',
    logLevel: 'error',
  })
  const hash = createHash('sha256')
  for (const { path, contents } of outputFiles) hash.update(path).update(contents)
  const folder = join(parent, hash.digest('hex'))
  await mkdir(parent, { recursive: true })
  await removeOld(folder)
  if (existsSync(folder)) return folder
  const written = await mkdtemp(join(parent, 'new-'))
  for (const { path, contents } of outputFiles) {
    const target = join(written, relative(parent, path))
    await mkdir(dirname(target), { recursive: true })
    await writeFile(target, contents)
  }
  // whoever was faster has written the same
  await rename(written, folder).catch(() => rm(written, { recursive: true, force: true }))
  return folder
}

async function removeOld(current: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const folder = join(parent, name)
    if (folder === current || Date.now() - (await stat(folder)).mtimeMs < keptMs) continue
    await rm(folder, { recursive: true, force: true })
  }
}
