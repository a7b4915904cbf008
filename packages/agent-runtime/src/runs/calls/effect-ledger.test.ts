import { createHash } from 'node:crypto'
import type { Json } from '@homeward/contract/agent-platform'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { effectUncertain, toCanonicalJson, toIntent } from './effect-ledger.ts'
import { isIdempotent, type Tool } from '../../ports/tool.ts'
import { toolOf } from '../testing/run-kit.ts'

/** The same value with the keys of its objects in another order. */
function turned(value: Json): Json {
  if (Array.isArray(value)) return value.map(turned)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).toReversed()
  return Object.fromEntries(entries.map(([key, inner]) => [key, turned(inner ?? null)]))
}

it('A8: arguments have one text, whatever the order of their keys, and it says the same', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), (given) => {
      const value = given as Json // what it makes
      const text = toCanonicalJson(value)
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      expect(toCanonicalJson(turned(value))).toBe(text)
    }),
    { numRuns: 50 },
  )
  const args = { b: [1, { d: null, c: 'x"' }], a: {}, e: [] }
  expect(toCanonicalJson(args)).toBe('{"a":{},"b":[1,{"c":"x\\"","d":null}],"e":[]}')
})

it('A8: the ledger says which call it was, and holds no argument', () => {
  const args = { to: 'ann' }
  const tool = toolOf('send', () => 1, { idempotent: false })
  const intent = toIntent({
    checked: { call: { type: 'tool_call', id: 'c1', name: 'send', args }, tool, args },
    key: 'k',
    isRepeat: false,
  })
  const argsHash = createHash('sha256').update('{"to":"ann"}').digest('hex')
  expect(intent).toEqual({ key: 'k', callId: 'c1', tool: 'send', argsHash, repeat: 'once' })
})

it('A8: by default, only calls that read are repeated', () => {
  const effects: Tool['effects'][] = ['read', 'write', 'external']
  expect(effects.map((each) => isIdempotent({ effects: each }))).toEqual([true, false, false])
})

it('A8: names the tools of which nobody knows whether they were done', () => {
  const error = effectUncertain(['send', 'pay'])
  expect(error).toMatchObject({ code: 'effect_uncertain', details: { tools: ['send', 'pay'] } })
  expect(error.message).toContain('while "send", "pay" was running')
})
