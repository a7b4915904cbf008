import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runStep } from '../run-step.ts'
import { workspaceFolder } from '../workspace-packages.ts'
import type { PackedPackage } from './pack-all.ts'

const compilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  // also the types of everything that comes along
  skipLibCheck: false,
  module: 'nodenext',
  target: 'es2023',
  lib: ['es2024', 'esnext.disposable', 'dom', 'dom.iterable'],
  types: ['node'],
  noEmit: true,
}

/**
 * Installs the archives in an empty project outside the workspace, with every optional peer, and compiles and loads each
 * entry there.
 *
 * @returns the exit code of what failed first, or 0.
 */
export async function tryAsStranger(packed: readonly PackedPackage[], folder: string): Promise<number> {
  await mkdir(folder, { recursive: true })
  const entries = packed.flatMap((one) => one.entries.map(({ specifier }) => specifier))
  const program = entries
    .map((entry, at) => `import * as entry${at} from '${entry}'\nvoid entry${at}\n`)
    .join('')
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['program.ts'] }))
  await writeFile(join(folder, 'program.ts'), program)
  const tarballs = packed.map(({ tarball }) => tarball)
  const more = await withVersions(['typescript', '@types/node', '@types/pg'])
  const install = [
    'install',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    ...tarballs,
    ...more,
    ...peersOf(packed),
  ]
  const steps: readonly (readonly [string, ...string[]])[] = [
    ['npm', ...install],
    ['node', 'node_modules/typescript/bin/tsc', '-p', '.'],
    ['node', 'program.ts'],
  ]
  for (const [command, ...args] of steps) {
    const code = await runStep(command, args, folder)
    if (code !== 0) return code
  }
  return 0
}

/** The optional peers, so that entries that need one can be loaded; npm installs the required ones by itself. */
function peersOf(packed: readonly PackedPackage[]): string[] {
  return [...new Set(packed.flatMap(({ optionalPeers }) => optionalPeers))]
}

/** Tools in the versions that the workspace uses. */
async function withVersions(names: readonly string[]): Promise<string[]> {
  const lock = JSON.parse(await readFile(join(workspaceFolder, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, { readonly version?: string }>>
  }
  return names.map((name) => {
    const version = lock.packages[`node_modules/${name}`]?.version
    return version === undefined ? name : `${name}@${version}`
  })
}
