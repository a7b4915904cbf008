import { expect, it } from 'vitest'
import { needsInput } from './graph-page.tsx'

const edges = [{ from: 'a', to: 'b' }]

it('says whether a graph reads the input of its run', () => {
  expect(needsInput({ nodes: [{ id: 'a', agent: 'x' }], edges: [] })).toBe(true)
  expect(needsInput({ nodes: [{ id: 'a', agent: 'x', input: 'Read the news' }], edges: [] })).toBe(false)
  expect(needsInput({ nodes: [{ id: 'a', agent: 'x', input: 'Facts about {{input}}' }], edges: [] })).toBe(
    true,
  )
  expect(needsInput({ nodes: [{ id: 'a', function: 'g/a' }], edges: [] })).toBe(false)
  const later = { id: 'b', agent: 'x' }
  expect(needsInput({ nodes: [{ id: 'a', function: 'g/a' }, later], edges })).toBe(false)
  expect(needsInput({ nodes: [{ id: 'a', function: 'g/a', map: { over: 'input' } }], edges: [] })).toBe(true)
})
