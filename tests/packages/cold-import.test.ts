import { describe, expect, it } from 'vitest'
import { libraryPackages } from '../../scripts/workspace-packages.ts'
import { loadGraph, packageNameOf } from './load-graph.ts'

/**
 * What importing an entry loads besides files of its own package. A host pays for it at each start, whether or not it
 * ever runs an agent: schemas, SQL, YAML and model libraries come with the first call that needs them.
 */
const atImport = {
  '@homeward/agent-runtime': ['@homeward/kit'],
  '@homeward/agent-runtime/server': [
    '@homeward/contract/agent-platform',
    '@homeward/contract/handler',
    '@homeward/kit',
    'multipasta',
    'node:async_hooks',
    'node:crypto',
  ],
  '@homeward/agent-runtime/testing': [
    '@homeward/kit',
    '@homeward/kit/sql',
    '@homeward/kit/sqlite',
    '@homeward/kit/sqlite/node',
    '@homeward/kit/testing',
    'kysely',
    'node:crypto',
    'node:timers',
    'node:util',
  ],
  '@homeward/kit': ['eventemitter3'],
  '@homeward/kit/testing': [],
}

/** Libraries that take longer to load than everything else together. */
const heavy =
  /^(?:zod|zod\/v4|ajv|ajv-formats|kysely|yaml|ai|@ai-sdk\/.+|@modelcontextprotocol\/.+|node:sqlite)$/

const packages = libraryPackages()

async function graphOf(specifier: string) {
  const owner = packages.find(({ entries }) => entries.some((entry) => entry.specifier === specifier))
  const entry = owner?.entries.find((each) => each.specifier === specifier)
  if (!owner || !entry) throw new Error(`Could not follow ${specifier}: no package exports it.`)
  return loadGraph(owner, entry)
}

describe('a cold import', () => {
  it.each(Object.entries(atImport))('of %s loads %j and nothing else', async (specifier, expected) => {
    expect((await graphOf(specifier)).atImport).toEqual(expected)
  })

  it.each(['@homeward/contract/agent-platform', '@homeward/contract/handler'])(
    'of %s, which the server needs, loads none of the heavy libraries',
    async (specifier) => {
      expect((await graphOf(specifier)).atImport.filter((name) => heavy.test(name))).toEqual([])
    },
  )

  it('is not the same as what is loaded in the end', async () => {
    const { atImport: first, imports } = await graphOf('@homeward/agent-runtime')
    const all = new Set(imports.map(({ specifier }) => specifier))
    expect([...all]).toContain('@homeward/kit/sqlite/node')
    expect([...all].map(packageNameOf)).toEqual(expect.arrayContaining(['kysely', 'ajv']))
    expect(first.filter((name) => heavy.test(name))).toEqual([])
  })
})
