import type {
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
} from '@ai-sdk/provider'
import { estimateTokens } from '../../packages/agent-runtime/src/conversations/estimate-tokens.ts'
import { fitCall } from '../../packages/agent-runtime/src/models/fit/fit-call.ts'
import { wireRules } from '../../packages/agent-runtime/src/models/fit/wire-rules.ts'
import { createPromptFit } from '../../packages/agent-runtime/src/runs/window/fit-prompt.ts'
import { createPromptTokens } from '../../packages/agent-runtime/src/runs/window/prompt-tokens.ts'
import { median } from '../median.ts'
import type { Measurement } from '../measurement.ts'

const protocols = ['openai-responses', 'openai-chat', 'anthropic', 'google'] as const
const maxMs = 5

/** Fitting a prompt to its provider, as it is done before each model call. The first call of a process is left out. */
export function measurePrompts(messages: number, rounds: number): readonly Measurement[] {
  const prompt = makePrompt(messages)
  const times = protocols.map((protocol) => {
    const rules = wireRules(protocol, protocol)
    const taken: number[] = []
    for (let round = 0; round <= rounds; round += 1) {
      const startedAt = performance.now()
      fitCall({ prompt, tools }, rules)
      if (round > 0) taken.push(performance.now() - startedAt)
    }
    return median(taken)
  })
  const slowest = Math.max(...times)
  return [
    {
      name: `fitting a prompt of ${messages.toLocaleString('en')} messages`,
      value: Math.round(slowest * 100) / 100,
      unit: 'ms',
      target: { atMost: maxMs },
      passed: slowest <= maxMs,
      details: Object.fromEntries(protocols.map((protocol, at) => [protocol, times[at] ?? 0])),
    },
    measureWindow(messages, rounds),
  ]
}

/**
 * Fitting a prompt to a context window before each turn of a run. Messages were counted when they came: a turn adds two, and
 * those are counted here too.
 */
function measureWindow(messages: number, rounds: number): Measurement {
  const taken: number[] = []
  let first = 0
  for (let round = 0; round <= rounds; round += 1) {
    const tokens = createPromptTokens(estimateTokens)
    const window = { tokens: 128_000, limitsOutput: false }
    const fit = createPromptFit({ tokens, model: 'bench/model', window, hasFiles: true })
    const prompt = makeSteps(messages)
    const begunAt = performance.now()
    fit(prompt.slice(0, -2), 1, tools)
    first = performance.now() - begunAt
    const startedAt = performance.now()
    fit(prompt, 1, tools)
    if (round > 0) taken.push(performance.now() - startedAt)
  }
  const value = median(taken)
  return {
    name: `fitting ${messages.toLocaleString('en')} messages to a context window`,
    value: Math.round(value * 100) / 100,
    unit: 'ms',
    target: { atMost: maxMs },
    passed: value <= maxMs,
    details: { 'after a restart': first },
  }
}

/** A task and its steps, of which each brought a result of 2,000 characters. */
function makeSteps(messages: number): LanguageModelV4Message[] {
  const prompt: LanguageModelV4Message[] = [
    { role: 'system', content: 'You help.' },
    { role: 'user', content: [{ type: 'text', text: 'Go.' }] },
  ]
  for (let at = 0; prompt.length < messages; at += 1) {
    const call = { toolCallId: `call_${at}`, toolName: 'look' }
    const output = { type: 'text', value: `${at} `.repeat(2000 / `${at} `.length) } as const
    prompt.push(
      { role: 'assistant', content: [{ type: 'tool-call', ...call, input: { at } }] },
      { role: 'tool', content: [{ type: 'tool-result', ...call, output }] },
    )
  }
  return prompt
}

/** Names that are mapped there and back, which costs most. */
const tools: LanguageModelV4FunctionTool[] = Array.from({ length: 20 }, (_, at) => ({
  type: 'function',
  name: `tool_${at}`,
  inputSchema: { type: 'object', properties: { 'StartTime<': { type: 'string' }, size: { type: 'number' } } },
}))

/** Questions, calls under ids that repeat, and results, in turn. */
function makePrompt(messages: number): LanguageModelV4Prompt {
  const prompt: LanguageModelV4Prompt = [{ role: 'system', content: 'You help.' }]
  for (let at = 0; prompt.length < messages; at += 1) {
    const call = { toolCallId: `functions.look:${at % 7}`, toolName: `tool_${at % 20}` }
    const input = { 'StartTime<': String(at), size: at }
    prompt.push(
      { role: 'user', content: [{ type: 'text', text: `Question ${at}` }] },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Look.', providerOptions: { anthropic: { signature: 's' } } },
          { type: 'text', text: '\n' },
          { type: 'tool-call', ...call, input },
        ],
      },
      { role: 'tool', content: [{ type: 'tool-result', ...call, output: { type: 'json', value: { at } } }] },
    )
  }
  return prompt.slice(0, messages)
}
