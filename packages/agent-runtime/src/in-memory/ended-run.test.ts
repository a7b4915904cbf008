import type { RunEvent, RunResult, RunStep } from '@homeward/contract/agent-platform'
import { expect, it } from 'vitest'
import type { ModelMessage, ToolResult } from '../ports/message.ts'
import { decodeMessages } from './encoded-messages.ts'
import { batchesOf, onlyResult, resultOf, toEnded } from './ended-run.ts'

const args = { key: 'the key' }
const found: ToolResult = { id: 'call-1', name: 'look_up', result: { value: 'the value' } }
const failed: ToolResult = { id: 'call-2', name: 'look_up', error: 'it failed' }
const nothing: ToolResult = { id: 'call-1', name: 'wait' }

const callOf = (id: string, name: string) => ({ type: 'tool_call', id, name, args }) as const
const messages: readonly ModelMessage[] = [
  { role: 'assistant', parts: [callOf('call-1', 'look_up'), callOf('call-2', 'look_up')] },
  { role: 'tool', results: [found, failed] },
  { role: 'assistant', parts: [callOf('call-1', 'wait')] },
  { role: 'tool', results: [nothing] },
]
const steps: RunStep[] = [
  { tool: 'look_up', args, result: found.result ?? null },
  { tool: 'look_up', args, error: 'it failed' },
  { tool: 'wait', args, result: null },
]

function resultWith(changes: Partial<RunResult> = {}): RunResult {
  return {
    success: true,
    output: 'Done',
    turns: 3,
    tool_calls: 3,
    steps,
    usage: { input_tokens: 1, output_tokens: 1 },
    model: 'test/echo',
    run_id: 'r1',
    conversation_id: 'c1',
    stop_reason: 'done',
    ...changes,
  }
}

const started = (data: ReturnType<typeof callOf>): RunEvent => ({
  event: 'tool_start',
  data: { id: data.id, name: data.name, args: data.args },
})

function eventsWith(result: RunResult, results: readonly ToolResult[]): readonly RunEvent[] {
  return [
    // as the model asked, then the other way round, then calls that no message tells of
    started(callOf('call-1', 'look_up')),
    started(callOf('call-2', 'look_up')),
    started(callOf('call-1', 'wait')),
    started(callOf('call-1', 'look_up')),
    started({ ...callOf('call-1', 'look_up'), args: { key: '[secret]' } }),
    started(callOf('call-3', 'look_up')),
    started(callOf('call-2', 'wait')),
    ...results.map((data): RunEvent => ({
      event: 'tool_call',
      data: data as typeof data & { result: null },
    })),
    { event: 'usage', data: { input_tokens: 12, output_tokens: 3 } },
    { event: 'usage', data: { input_tokens: 12, output_tokens: 3, cached_input_tokens: 0 } },
    { event: 'assistant', data: { delta: 'Done' } },
    { event: 'done', data: { finalContent: 'Done', turnCount: 3, ...result } },
  ]
}

it.each([
  ['the very objects of its messages', resultWith(), [found, failed, nothing]],
  ['them in the order in which calls ended', resultWith(), [failed, found, nothing]],
  ['copies of them', resultWith({ steps: structuredClone(steps) }), structuredClone([found, failed])],
  ['other arguments', resultWith({ steps: [{ tool: 'look_up', args: { key: '[secret]' } }] }), [found]],
  ['fewer steps', resultWith({ steps: steps.slice(0, 1) }), [nothing]],
  ['an error', resultWith({ success: false, error: 'It failed', code: 'run_error' }), []],
])('gives back what a run has left that tells %s', (_, result, results) => {
  const events = eventsWith(result, results)
  const batches = [
    { firstSeq: 1, lastSeq: 1, events: events.slice(0, 1) },
    { firstSeq: 2, lastSeq: events.length, events: events.slice(1) },
  ]
  const ended = toEnded(batches, messages, result)
  expect(decodeMessages(ended.messages)).toEqual(messages)
  expect(resultOf(ended)).toEqual(result)
  expect(batchesOf(ended)).toEqual(batches)
  expect(resultOf(onlyResult(ended))).toEqual(result)
  expect(batchesOf(onlyResult(ended))).toEqual([])
})

it('keeps once what events and result repeat', () => {
  const large = { ...found, result: 'x'.repeat(10_000) }
  const call = { ...callOf('call-1', 'look_up'), args: { key: 'y'.repeat(10_000) } }
  const told: readonly ModelMessage[] = [
    { role: 'assistant', parts: [call] },
    { role: 'tool', results: [large] },
  ]
  const result = resultWith({ steps: [{ tool: 'look_up', args: call.args, result: large.result }] })
  const events = [started(call), ...eventsWith(result, [large])]
  const ended = toEnded([{ firstSeq: 1, lastSeq: events.length, events }], told, result)
  expect(ended.messages.length + ended.rest.length).toBeLessThan(22_000)
})

it('takes a run apart once, however often it is old', () => {
  const bare = onlyResult(toEnded([], messages, resultWith()))
  expect(onlyResult(bare)).toBe(bare)
})
