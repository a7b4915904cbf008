import { expect, it } from 'vitest'
import type { Tool } from '../../ports/tool.ts'
import { isUntrusted } from './make-calls.ts'

const tool = (more: Partial<Tool>): Tool => ({
  id: 'read',
  description: 'Reads.',
  inputSchema: { type: 'object' },
  effects: 'read',
  idempotent: true,
  returnsUntrustedContent: true,
  execute: async () => null,
  ...more,
})

it('A20: a result is untrusted when its tool is, unless the tool knows of this one that it is not', () => {
  const knowing = tool({ returnsUntrustedContent: (result) => result !== 'mine' })
  expect(isUntrusted(tool({ returnsUntrustedContent: false }), { result: 'x' })).toBe(false)
  expect(isUntrusted(tool({}), { result: 'x' })).toBe(true)
  expect(isUntrusted(knowing, { result: 'x' })).toBe(true)
  expect(isUntrusted(knowing, { result: 'mine' })).toBe(false)
  expect(isUntrusted(knowing, {}), 'a failure').toBe(true)
})
