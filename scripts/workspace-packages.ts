import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** One way into a package, as its `exports` map states it. */
export interface PackageEntry {
  /** What an importer writes: `@homeward/contract/client`. */
  readonly specifier: string
  /** Its source, from the package's folder: `src/client/index.ts`. */
  readonly source: string
  /** What the build makes of it, from the package's folder: `dist/client/index.js`. */
  readonly output: string
}

/** A package of the workspace. */
export interface WorkspacePackage {
  readonly name: string
  /** Its folder, absolute. */
  readonly folder: string
  readonly entries: readonly PackageEntry[]
  /** Programs that it installs, from the package's folder: `dist/cli/main.js`, built from `src/cli/main.ts`. */
  readonly programs: readonly string[]
  /** Whether its build includes the pages of `apps/pages`. */
  readonly hasPages: boolean
  /** Whether npm may not publish it. */
  readonly isPrivate: boolean
  /** What it may import: names of dependencies and peers. */
  readonly imports: readonly string[]
  /** Peers that a consumer may leave out. */
  readonly optionalPeers: readonly string[]
}

interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  readonly bin?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

/** The workspace's top folder. */
export const workspaceFolder = dirname(dirname(fileURLToPath(import.meta.url)))

/** Reads the package in a folder. */
export function readPackage(folder: string): WorkspacePackage {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
  const { name, dependencies = {}, peerDependencies = {}, peerDependenciesMeta: peers = {} } = manifest
  return {
    name,
    folder,
    isPrivate: manifest.private === true,
    entries: Object.entries(manifest.exports ?? {}).flatMap(([path, target]): PackageEntry[] => {
      if (typeof target === 'string') return [] // a file that is exported as it is: package.json
      const { '@homeward/source': source, default: output } = target
      if (source === undefined || output === undefined) {
        throw new Error(
          `Could not read the exports of ${name}: ${path} needs "@homeward/source" and "default".`,
        )
      }
      return [{ specifier: name + path.slice(1), source: source.slice(2), output: output.slice(2) }]
    }),
    programs: Object.values(manifest.bin ?? {}),
    hasPages: '@homeward/pages' in (manifest.devDependencies ?? {}),
    imports: [...Object.keys(dependencies), ...Object.keys(peerDependencies)],
    optionalPeers: Object.keys(peers).filter((peer) => peers[peer]?.optional),
  }
}

/** Every package under `packages/` and `apps/`, each one after those that it imports. */
export function workspacePackages(): WorkspacePackage[] {
  const parents = ['packages', 'apps'].map((name) => join(workspaceFolder, name))
  const waiting = parents.flatMap((parent) =>
    readdirSync(parent).map((name) => readPackage(join(parent, name))),
  )
  const names = new Set(waiting.map(({ name }) => name))
  const ordered: WorkspacePackage[] = []
  while (waiting.length > 0) {
    const next = waiting.findIndex(({ imports }) => {
      return imports.every((name) => !names.has(name) || ordered.some((built) => built.name === name))
    })
    if (next === -1) {
      throw new Error(
        `Could not order the packages: ${waiting.map(({ name }) => name).join(', ')} import each other.`,
      )
    }
    ordered.push(...waiting.splice(next, 1))
  }
  return ordered
}

/** The packages that others import: published ones with entries. `homeward` and `homeward-conformance` are run and have none. */
export function libraryPackages(): WorkspacePackage[] {
  return publishedPackages().filter(({ entries }) => entries.length > 0)
}

/** The packages that are built, checked and published: those that are not private, in the order of {@link workspacePackages}. */
export function publishedPackages(): WorkspacePackage[] {
  return workspacePackages().filter(({ isPrivate }) => !isPrivate)
}
