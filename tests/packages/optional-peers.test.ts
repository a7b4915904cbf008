import { join } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { workspacePackages } from '../../scripts/workspace-packages.ts'

/** Entries that are of no use without a peer, so that whoever bundles them has it, and the one that makes use of one of them. */
const needPeer = [
  '@homeward/contract/openapi',
  '@homeward/contract/msw',
  '@homeward/cloud-core/postgres',
  '@homeward/agent-runtime/postgres',
  '@homeward/agent-runtime/queue/graphile',
  '@homeward/agent-runtime/server',
]

const packages = workspacePackages()
const peers = [...new Set(packages.flatMap(({ optionalPeers }) => optionalPeers))]
const missing = Object.fromEntries(peers.map((peer) => [peer, './is-not-installed']))

/** What a bundler, to which a peer is not installed, refuses. */
async function refusals(contents: string): Promise<string[]> {
  const { errors } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['@homeward/source'],
    alias: missing,
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

  for (const { folder, entries } of packages) {
    const free = entries.filter(({ specifier }) => !needPeer.includes(specifier))
    it.each(free)('$specifier', async ({ source }) => {
      expect(await refusals(`import ${JSON.stringify(join(folder, source))}`)).toEqual([])
    })
  }
})
