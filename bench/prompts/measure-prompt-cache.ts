import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRuntime, type Tool } from '@homeward/agent-runtime'
import {
  createMockAnthropicProvider,
  createPrefixCache,
  createMockResponsesProvider,
  type MockProviderOptions,
} from '@homeward/agent-runtime/testing'
import type { Measurement } from '../measurement.ts'

const providers = {
  'anthropic/claude-sonnet-5': ['marks', createMockAnthropicProvider],
  'openai/gpt-6-sol': ['prefixes', createMockResponsesProvider],
} as const

const leastPercent = 90

const look: Tool = {
  id: 'look',
  description: 'Looks.',
  inputSchema: { type: 'object', properties: { turn: { type: 'number' } } },
  effects: 'read',
  idempotent: true,
  returnsUntrustedContent: false,
  execute: async ({ turn = null }) => ({ turn, found: 'Nothing of interest. '.repeat(40) }),
}

/** How much of the input a provider reads from its cache in one run, by stand-ins that compute what they would cache. */
export async function measurePromptCache(turns: number): Promise<readonly Measurement[]> {
  const measurements: Measurement[] = []
  for (const [model, [kind, create]] of Object.entries(providers)) {
    const cache = createPrefixCache(kind)
    const answer: MockProviderOptions['answer'] = (_, number) =>
      number < turns ? { calls: [{ name: 'look', args: { turn: number } }] } : { text: 'Done.' }
    const standIn = create({ answer, usage: cache.usage })
    await runOnce(model, standIn.fetch, turns)
    const percent = Math.round(cache.share() * 1000) / 10
    measurements.push({
      name: `input read from the cache in ${turns} tool turns, ${model}`,
      value: percent,
      unit: '%',
      target: { atLeast: leastPercent },
      passed: percent >= leastPercent,
    })
  }
  return measurements
}

async function runOnce(model: string, fetch: typeof globalThis.fetch, turns: number): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'homeward-bench-'))
  try {
    const environment = { ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k' }
    await using runtime = createRuntime({ home, environment, fetch, tools: [look] })
    const personality = 'You look at things. '.repeat(300)
    await runtime.agents.create({ id: 'bench', model, personality, limits: { max_turns: turns + 1 } })
    const { stop_reason: stop, error } = await runtime.run({ agent_id: 'bench', task: 'Look.' })
    if (stop !== 'done') throw new Error(`Measuring the prompt cache failed: ${stop}. ${error}`)
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}
