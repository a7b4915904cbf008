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
  lib: ['es2023'],
  types: ['node'],
  noEmit: true,
}

/** What the entries are compiled with: the compilers that docs/README.md names, and no more types than it asks for. */
const compilations = [
  { compiler: 'typescript', lib: ['es2023', 'dom', 'dom.iterable'], isIn: () => true },
  // the types of MSW need a newer one, and those of the DOM
  { compiler: 'typescript-oldest', lib: ['es2023'], isIn: (entry: string) => !entry.endsWith('/msw') },
]
const oldest = 'typescript-oldest@npm:typescript@5.7'

/**
 * Installs the archives in an empty project outside the workspace, with every optional peer, and compiles and loads each
 * entry there.
 *
 * @returns the exit code of what failed first, or 0.
 */
export async function tryAsStranger(packed: readonly PackedPackage[], folder: string): Promise<number> {
  await mkdir(folder, { recursive: true })
  const entries = packed.flatMap((one) => one.entries.map(({ specifier }) => specifier))
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  for (const { compiler, lib, isIn } of compilations) {
    await writeFile(join(folder, `${compiler}.ts`), programOf(entries.filter(isIn)))
    const project = { compilerOptions: { ...compilerOptions, lib }, files: [`${compiler}.ts`] }
    await writeFile(join(folder, `${compiler}.json`), JSON.stringify(project))
  }
  const tarballs = packed.map(({ tarball }) => tarball)
  const more = [...(await withVersions(['typescript', '@types/node', '@types/pg'])), oldest]
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
    ...compilations.map(({ compiler }) => compile(compiler)),
    ['node', 'typescript.ts'],
  ]
  for (const [command, ...args] of steps) {
    const code = await runStep(command, args, folder)
    if (code !== 0) return code
  }
  return 0
}

/** A program that imports every entry. */
const programOf = (entries: readonly string[]) =>
  entries.map((entry, at) => `import * as entry${at} from '${entry}'\nvoid entry${at}\n`).join('')

const compile = (compiler: string) =>
  ['node', `node_modules/${compiler}/bin/tsc`, '-p', `${compiler}.json`] as const

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
