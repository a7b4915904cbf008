import { join } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { libraryPackages } from '../../scripts/workspace-packages.ts'

/** Entries that are of no use without a peer, so that whoever bundles them has it. */
const needPeer = [
  '@homeward/kit/cron',
  '@homeward/kit/postgres',
  '@homeward/kit/sql',
  '@homeward/kit/sqlite',
  '@homeward/kit/sqlite/node',
  '@homeward/contract/openapi',
  '@homeward/contract/msw',
  '@homeward/cloud-core/postgres',
  '@homeward/agent-runtime/postgres',
  '@homeward/agent-runtime/queue/graphile',
]

const packages = libraryPackages()
const peers = [...new Set(packages.flatMap(({ optionalPeers }) => optionalPeers))]

/** What a bundler refuses, to which the optional peers are not installed, but for those that come with the package. */
async function refusals(contents: string, installed: readonly string[] = []): Promise<string[]> {
  const missing = peers.filter((peer) => !installed.includes(peer))
  const { errors } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['@homeward/source'],
    alias: Object.fromEntries(missing.map((peer) => [peer, './is-not-installed'])),
    write: false,
    outdir: 'nowhere',
    logLevel: 'silent',
  }).catch((error: unknown) => error as { readonly errors: readonly { readonly text: string }[] })
  return errors.map(({ text }) => text)
}

describe('bundled without the optional peers', () => {
  it('notices a peer that is imported outside of a `try`', async () => {
    expect(await refusals("await import('jose')")).toEqual([expect.stringContaining('is-not-installed')])
  })

  for (const { folder, entries, imports, optionalPeers } of packages) {
    const installed = imports.filter((name) => !optionalPeers.includes(name))
    const free = entries.filter(({ specifier }) => !needPeer.includes(specifier))
    it.each(free)('$specifier', async ({ source }) => {
      expect(await refusals(`import ${JSON.stringify(join(folder, source))}`, installed)).toEqual([])
    })
  }
})
