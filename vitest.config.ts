import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

// the source of the other packages, not their builds: tests need no build
const conditions = ['@homeward/source']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // Many files wait for real processes and leases: a second worker works meanwhile, also on two cores.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    include: ['packages/*/src/**/*.test.ts', 'examples/**/*.test.ts', 'tests/**/*.test.ts'],
    // starts nothing until a test asks for a Postgres server
    globalSetup: ['tests/postgres/on-demand.ts'],
    typecheck: { enabled: true, include: ['packages/*/src/**/*.test-d.ts'] },
    restoreMocks: true,
    // concurrent cases start processes; two at a time keep a machine with two cores usable
    maxConcurrency: 2,
  },
})
