import { expect, it } from 'vitest'
import { toolOf } from '../../runs/testing/run-kit.ts'
import { toSignatures } from './tool-signatures.ts'

const signatureOf = (inputSchema: Record<string, unknown>, id = 'tool') =>
  toSignatures([toolOf(id, () => 1, { inputSchema })])

it('writes the arguments of a tool as TypeScript has them', () => {
  const properties = {
    city: { type: 'string' },
    unit: { enum: ['c', 'f'] },
    days: { type: ['integer', 'null'] },
    'with-dash': { type: 'array', items: { type: 'object', properties: { id: { type: 'number' } } } },
    other: { anyOf: [{ type: 'boolean' }, { const: 5 }] },
    any: {},
  }
  expect(signatureOf({ type: 'object', properties, required: ['city'] }, 'get-weather')).toBe(
    'tools["get-weather"]({ city: string; unit?: "c" | "f"; days?: number | null; "with-dash"?: { id?: number }[]; ' +
      'other?: boolean | 5; any?: unknown })',
  )
  expect(signatureOf({ type: 'object', properties: {} })).toBe('tools.tool()')
  expect(signatureOf({ type: 'object' })).toBe('tools.tool(object)')
})

it('stays short for large schemas and for many tools', () => {
  const choices = Array.from({ length: 50 }, (_, index) => `choice-${index}`)
  expect(signatureOf({ type: 'object', properties: { one: { enum: choices } } })).toBe(
    'tools.tool({ one?: string })',
  )
  const properties = Object.fromEntries(choices.map((name) => [name, { type: 'string' }]))
  expect(signatureOf({ type: 'object', properties })).toBe('tools.tool(object)')
  const tools = Array.from({ length: 1000 }, (_, index) =>
    toolOf(`tool_${index}`, () => 1, {
      inputSchema: { type: 'object', properties: { a: { type: 'string' } } },
    }),
  )
  const text = toSignatures(tools)
  expect(text.split('\n')).toHaveLength(1000)
  expect(text).toContain('tools.tool_999()')
  expect(text.length).toBeLessThan(30_000)
})
