import { expect, it } from 'vitest'
import type { AgentSettings } from './agent-options.ts'
import { buildAgent } from './testing/start-agent.ts'

it.each<Partial<AgentSettings>>([
  { intervalMs: 0 },
  { intervalMs: Number.NaN },
  { searchDeadlineMs: -1 },
  { searchConcurrency: 0 },
  { uploadConcurrency: Number.POSITIVE_INFINITY },
  { waitSeconds: -1 },
  { waitSeconds: Number.NaN },
])('refuses %o, and names it', (settings) => {
  const [name] = Object.keys(settings)
  expect(() => buildAgent({}, settings)).toThrow(
    expect.objectContaining({
      code: 'INVALID_OPTION',
      message: expect.stringMatching(`^Creating the device agent failed: "${name}" must be a number .*\\.$`),
    }),
  )
})

it('takes no waiting at all for an answer', () => {
  expect(() => buildAgent({}, { waitSeconds: 0 })).not.toThrow()
})

it.each<[problem: string, providers: unknown]>([
  ['"providers" must be an object', undefined],
  ['"providers" must be an object', null],
  ['"providers.stats" must be a function', { files: undefined, stats: {} }],
  ['"providers.stats" must be a function', { stats: null }],
  ['"providers.stats" must be a function', { stats: Promise.resolve() }],
])('says that %s', (problem, providers) => {
  expect(() => buildAgent({}, { providers: providers as never })).toThrow(
    expect.objectContaining({
      code: 'INVALID_OPTION',
      message: `Creating the device agent failed: ${problem}.`,
    }),
  )
})
