import { isBuiltin } from 'node:module'
import { beforeAll, describe, expect, it } from 'vitest'
import { type PackageEntry, workspacePackages } from '../../scripts/workspace-packages.ts'
import { type LoadGraph, loadGraph, packageNameOf, sourceFolder } from './load-graph.ts'

/** The arrows between packages: what each may import. No package may import `homeward`. */
const arrows: Readonly<Record<string, readonly string[]>> = {
  '@homeward/kit': [],
  '@homeward/contract': ['@homeward/kit'],
  '@homeward/device-sdk': ['@homeward/contract', '@homeward/kit'],
  '@homeward/cloud-core': ['@homeward/contract', '@homeward/kit'],
  '@homeward/skill-store-client': ['@homeward/contract', '@homeward/kit'],
  '@homeward/agent-runtime': ['@homeward/contract', '@homeward/kit', '@homeward/skill-store-client'],
  homeward: [
    '@homeward/agent-runtime',
    '@homeward/cloud-core',
    '@homeward/contract',
    '@homeward/device-sdk',
    '@homeward/kit',
    '@homeward/skill-store-client',
  ],
}

/** Programs of the package that is run, not imported. */
const programs: readonly PackageEntry[] = ['src/main.ts', 'src/device/main.ts'].map((source) => ({
  specifier: `homeward/${source}`,
  source,
  output: '',
}))

/** The only entries that may load what Node has built in; every other one also runs where Node is not. */
const needNode = [
  '@homeward/kit/node',
  '@homeward/kit/sqlite',
  '@homeward/kit/postgres',
  '@homeward/device-sdk/node',
  '@homeward/cloud-core/sqlite',
  '@homeward/cloud-core/postgres',
  '@homeward/cloud-core/blobs/fs',
  '@homeward/skill-store-client',
  '@homeward/agent-runtime',
  '@homeward/agent-runtime/server',
  '@homeward/agent-runtime/sqlite',
  '@homeward/agent-runtime/postgres',
  ...programs.map(({ specifier }) => specifier),
]

const packages = workspacePackages()

it('knows the arrows of every package', () => {
  expect(packages.map(({ name }) => name).toSorted()).toEqual(Object.keys(arrows).toSorted())
})

describe.each(packages)('$name', (owner) => {
  it('declares no package of the workspace but those that it may import', () => {
    const own = owner.imports.filter((name) => name in arrows)
    expect(arrows[owner.name]).toEqual(expect.arrayContaining(own))
  })

  describe.each(owner.name === 'homeward' ? programs : owner.entries)('$specifier', (entry) => {
    let graph: LoadGraph
    beforeAll(async () => {
      graph = await loadGraph(owner, entry)
    })

    it('loads no file outside its own package', () => {
      expect(graph.files.filter((file) => !file.startsWith(sourceFolder(owner)))).toEqual([])
    })

    it('imports only what its package declares', () => {
      const undeclared = graph.imports.filter(({ specifier }) => {
        return !isBuiltin(specifier) && !owner.imports.includes(packageNameOf(specifier))
      })
      expect(undeclared).toEqual([])
    })

    if (!needNode.includes(entry.specifier)) {
      it('loads nothing that Node has built in', () => {
        expect(graph.imports.filter(({ specifier }) => isBuiltin(specifier))).toEqual([])
      })
    }
  })
})
