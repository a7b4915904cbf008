import { realpathSync } from 'node:fs'
import { dirname, sep } from 'node:path'
import type { Plugin } from 'vitest/config'
import { defineConfig } from 'vitest/config'
import { chosenPart } from './parts.ts'

// Stryker works in a copy of the repository and links its node_modules, whose links of our own packages lead out again, to
// files that were not changed.
const copy = process.cwd()
const original = dirname(realpathSync('node_modules'))

const ownPackages: Plugin = {
  name: 'own-packages',
  enforce: 'pre',
  async resolveId(source, importer, options) {
    if (!source.startsWith('@homeward/')) return null
    const found = await this.resolve(source, importer, { ...options, skipSelf: true })
    if (!found?.id.startsWith(original + sep) || found.id.startsWith(copy + sep)) return found
    return { ...found, id: copy + found.id.slice(original.length) }
  },
}

const { tests } = chosenPart()
const conditions = ['@homeward/source']

export default defineConfig({
  plugins: [ownPackages],
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: tests.filter((path) => !path.startsWith('!')),
    exclude: tests.filter((path) => path.startsWith('!')).map((path) => path.slice(1)),
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    // A change that makes a test wait for ever is found by the limit of Stryker, which is shorter where that is fair.
    testTimeout: 20_000,
    hookTimeout: 20_000,
    expect: { poll: { timeout: 10_000 } },
  },
})
