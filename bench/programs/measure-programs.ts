import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRuntime, type Tool } from '@homeward/agent-runtime'
import { createScriptedModel, type ScriptedModel, type ScriptedStep } from '@homeward/agent-runtime/testing'
import { estimateTokens } from '../../packages/agent-runtime/src/conversations/estimate-tokens.ts'
import type { Measurement } from '../measurement.ts'

const priceOf: Tool = {
  id: 'price_of',
  description: 'Tells the price of an article.',
  inputSchema: { type: 'object', properties: { article: { type: 'integer' } }, required: ['article'] },
  effects: 'read',
  idempotent: true,
  returnsUntrustedContent: false,
  execute: async ({ article }) => ({ article: article ?? 0, price: 100 + Number(article), currency: 'EUR' }),
}

const largestShare = 0.1

/** Calls a tool for each of so many articles, in turns and in a program, and compares the tokens of all prompts. */
export async function measurePrograms(count: number): Promise<readonly Measurement[]> {
  const articles = Array.from({ length: count }, (_, article) => article)
  const turns = articles.map((article): ScriptedStep => ({
    toolCalls: [{ name: 'price_of', args: { article } }],
  }))
  const code = `let sum = 0
for (let article = 0; article < ${count}; article += 1) sum += (await tools.price_of({ article })).price
sum`
  const inTurns = createScriptedModel([...turns, { text: 'Added up.' }])
  const inProgram = createScriptedModel([
    { toolCalls: [{ name: 'run_code', args: { code } }] },
    { text: 'Added up.' },
  ])
  const home = await mkdtemp(join(tmpdir(), 'homeward-bench-'))
  let programMs = 0
  try {
    const models = { turns: () => inTurns, program: () => inProgram }
    await using runtime = createRuntime({
      home,
      environment: {},
      tools: [priceOf],
      models,
      compaction: false,
    })
    const limits = { max_turns: count + 10 }
    await runtime.agents.create({ id: 'turns', model: 'turns/any', limits })
    await runtime.agents.create({ id: 'program', model: 'program/any', limits, code: true })
    await runtime.run({ agent_id: 'turns', task: 'Add up all prices.' })
    const begunAt = performance.now()
    const { tool_calls: calls } = await runtime.run({ agent_id: 'program', task: 'Add up all prices.' })
    programMs = performance.now() - begunAt
    if (calls !== count + 1) throw new Error(`The program made ${calls - 1} calls instead of ${count}`)
  } finally {
    await rm(home, { recursive: true, force: true })
  }
  const [before, after] = [tokensOf(inTurns), tokensOf(inProgram)]
  const share = Math.round((after / before) * 10_000) / 10_000
  return [
    { name: `${count} calls in turns, all prompts`, value: before, unit: 'tokens' },
    { name: `${count} calls in one program, all prompts`, value: after, unit: 'tokens' },
    {
      name: 'share of the tokens',
      value: share,
      unit: '',
      target: { atMost: largestShare },
      passed: share <= largestShare,
    },
    { name: `run with a program of ${count} calls`, value: Math.round(programMs), unit: 'ms' },
  ]
}

const tokensOf = ({ calls }: ScriptedModel): number =>
  calls.reduce((sum, { prompt, tools }) => sum + estimateTokens(JSON.stringify([prompt, tools])), 0)
