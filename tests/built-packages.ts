import { copyFileSync, existsSync, globSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { build } from 'esbuild'
import { libraryPackages, workspaceFolder, type WorkspacePackage } from '../scripts/workspace-packages.ts'

/** The libraries as modules that Node loads at once, in a folder of their own. */
export interface BuiltPackages extends AsyncDisposable {
  /** A program in this folder, or in a folder of it, imports the libraries as an installed app does. */
  readonly folder: string
}

/**
 * Bundles the libraries as their build does, without types: some hundred small modules of TypeScript take a process longer
 * to load than most programs of the tests run. Everything else is that of the workspace.
 */
export async function buildPackages(): Promise<BuiltPackages> {
  const folder = await mkdtemp(join(tmpdir(), 'homeward-built-'))
  const modules = join(folder, 'node_modules')
  await mkdir(join(modules, '@homeward'), { recursive: true })
  const installed = await readdir(join(workspaceFolder, 'node_modules'))
  const others = installed.filter((name) => name !== '@homeward')
  const links = others.map((name) =>
    symlink(join(workspaceFolder, 'node_modules', name), join(modules, name)),
  )
  await Promise.all([...links, ...libraryPackages().map((one) => bundle(one, modules))])
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}

async function bundle({ name, folder, entries, imports }: WorkspacePackage, modules: string): Promise<void> {
  const target = join(modules, name)
  await mkdir(target)
  copyFileSync(join(folder, 'package.json'), join(target, 'package.json'))
  const own = join(folder, 'node_modules')
  if (existsSync(own)) await symlink(own, join(target, 'node_modules'))
  const external = imports.filter((each) => each !== 'kysely') // 255 modules, which no app imports itself
  const workers = globSync('src/**/*-worker.ts', { cwd: folder })
  await build({
    absWorkingDir: folder,
    entryPoints: Object.fromEntries([
      ...entries.map(({ source, output }) => [output.slice('dist/'.length, -'.js'.length), source]),
      ...workers.map((source) => [basename(source, '.ts'), source]),
    ]),
    outdir: join(target, 'dist'),
    external: external.flatMap((each) => [each, `${each}/*`]),
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2023',
    platform: 'node',
    logLevel: 'error',
  })
}
