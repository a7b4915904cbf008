import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRuntime, type Tool } from '@homeward/agent-runtime'
import { createMockResponsesProvider } from '@homeward/agent-runtime/testing'
import { estimateTokens } from '../../packages/agent-runtime/src/conversations/estimate-tokens.ts'
import type { Measurement } from '../measurement.ts'

const text = (description: string) => ({ type: 'string', description })
const properties = {
  owner: text('Account that owns the repository. Case does not matter.'),
  repository: text('Name of the repository, without the extension .git.'),
  title: text('Title, in one line.'),
  body: text('Text in Markdown.'),
  labels: { type: 'array', items: { type: 'string' }, description: 'Names of labels.' },
}

const toTool = (number: number): Tool => ({
  id: `service_action_${number}`,
  description: `Carries out the action ${number} of the service in a repository, and returns what has changed.`,
  inputSchema: { type: 'object', properties, required: ['owner', 'repository'] },
  effects: 'read',
  idempotent: true,
  returnsUntrustedContent: false,
  execute: async () => 'ok',
})

const leastPercent = 90

/** The tokens of a prompt that holds all tools of an agent, and of one that holds them deferred. */
export async function measureDeferredTools(count: number): Promise<readonly Measurement[]> {
  const tools = Array.from({ length: count }, (_, number) => toTool(number))
  const standIn = createMockResponsesProvider({})
  const home = await mkdtemp(join(tmpdir(), 'homeward-bench-'))
  try {
    const environment = { OPENAI_API_KEY: 'k' }
    await using runtime = createRuntime({ home, environment, fetch: standIn.fetch, tools })
    const model = 'openai/gpt-6-sol'
    // tools that an agent names stay in its prompt
    await runtime.agents.create({ id: 'named', model, tools: tools.map(({ id }) => id) })
    await runtime.agents.create({ id: 'deferring', model })
    for (const agent of ['named', 'deferring']) await runtime.run({ agent_id: agent, task: 'Look.' })
  } finally {
    await rm(home, { recursive: true, force: true })
  }
  const [all = 0, deferred = 0] = standIn.requests.map(({ body }) => estimateTokens(JSON.stringify(body)))
  const saved = Math.round((1 - deferred / all) * 1000) / 10
  return [
    { name: `prompt with ${count} tools, all in the prompt`, value: all, unit: 'tokens' },
    { name: `prompt with ${count} tools, deferred`, value: deferred, unit: 'tokens' },
    {
      name: `tokens saved with ${count} tools`,
      value: saved,
      unit: '%',
      target: { atLeast: leastPercent },
      passed: saved >= leastPercent,
    },
  ]
}
