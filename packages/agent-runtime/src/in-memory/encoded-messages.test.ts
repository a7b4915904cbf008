import type { Json } from '@homeward/contract/agent-platform'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type { AssistantPart, ModelMessage, ToolResult } from '../ports/message.ts'
import { decodeMessages, encodeMessages } from './encoded-messages.ts'

const text = fc.string({ unit: 'grapheme' })
// as it is written: of -0 JSON keeps no sign
const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as Json)
const providerData = fc.constant({ one: { signature: 's' } })
const call: fc.Arbitrary<AssistantPart> = fc.record(
  { type: fc.constant('tool_call' as const), id: text, name: text, args: json, provider_data: providerData },
  { requiredKeys: ['type', 'id', 'name', 'args'] },
)
const said: fc.Arbitrary<AssistantPart> = fc.record({ type: fc.constantFrom('text', 'reasoning'), text })
const result: fc.Arbitrary<ToolResult> = fc.record(
  { id: text, name: text, result: json, error: text },
  { requiredKeys: ['id', 'name'] },
)
// calls and what came of them, as a run leaves them; each may end otherwise
const answered = fc
  .array(fc.record({ made: call, given: result, isOwn: fc.boolean() }))
  .map((all): ModelMessage[] => [
    { role: 'assistant', parts: all.map(({ made }) => made) },
    { role: 'tool', results: all.map(({ made, given, isOwn }) => (isOwn ? givenTo(made, given) : given)) },
  ])
const givenTo = (made: AssistantPart, given: ToolResult): ToolResult =>
  made.type === 'tool_call' ? { id: made.id, name: made.name, result: given.result ?? null } : given
const message: fc.Arbitrary<ModelMessage> = fc.oneof(
  fc.record(
    { role: fc.constant('user' as const), text, untrusted: fc.boolean() },
    { requiredKeys: ['role', 'text'] },
  ),
  fc.record({ role: fc.constant('assistant' as const), parts: fc.array(fc.oneof(call, said)) }),
  fc.record({ role: fc.constant('assistant' as const), parts: fc.array(call) }),
  fc.record({ role: fc.constant('tool' as const), results: fc.array(result) }),
)

it('gives back every message as it was', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(answered, fc.array(message, { maxLength: 2 }))), (turns) => {
      const messages = turns.flat()
      expect(decodeMessages(encodeMessages(messages))).toStrictEqual(structuredClone(messages)) // with ordinary prototypes
    }),
  )
})

it('keeps of a turn what was called and what it gave, without the names of their fields', () => {
  const messages: readonly ModelMessage[] = [
    { role: 'assistant', parts: [{ type: 'tool_call', id: 'a', name: 'find', args: { q: 1 } }] },
    { role: 'tool', results: [{ id: 'a', name: 'find', result: [2] }] },
  ]
  const written = new TextDecoder().decode(encodeMessages(messages))
  expect(written).toBe('[["a","find",{"q":1},[2]]]')
})
