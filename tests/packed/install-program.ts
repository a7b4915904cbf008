import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { buildPackage } from '../../scripts/packs/build-package.ts'
import { packAll, type PackedPackage } from '../../scripts/packs/pack-all.ts'
import { publishedPackages } from '../../scripts/workspace-packages.ts'

/** A program of the workspace, installed in an empty folder. */
export interface InstalledProgram extends AsyncDisposable {
  readonly folder: string
  readonly packed: PackedPackage
  /** Target of its link in `node_modules/.bin`. */
  readonly program: string
}

/**
 * Builds and packs a program, and installs the archive as npm does, without a network. Postgres is left out: its
 * packages are optional, and the only ones that are not part of the build.
 */
export async function installProgram(name: 'homeward' | 'homeward-conformance'): Promise<InstalledProgram> {
  const own = publishedPackages().filter((one) => one.name === name)
  const [source] = own
  if (source === undefined || (await buildPackage(source)) !== 0) throw new Error(`Building ${name} failed.`)
  const folder = await mkdtemp(join(tmpdir(), 'homeward-packed-'))
  const archives = join(folder, 'archives')
  await mkdir(archives)
  const [packed] = await packAll(archives, own)
  if (packed === undefined) throw new Error(`Packing ${name} failed.`)
  await writeFile(join(folder, 'package.json'), '{"private": true}')
  const cache = join(folder, '.cache')
  const args = ['install', '--offline', '--cache', cache, '--omit=optional', '--no-audit', '--no-fund']
  await promisify(execFile)('npm', [...args, packed.tarball], { cwd: folder })
  return {
    folder,
    packed,
    program: join(folder, 'node_modules', name, ...packed.programs.slice(0, 1)),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}
