import { describe, expect, it } from 'vitest'
import { decisiveEdges } from './graph-layout.ts'
import { layoutGraph, nodeSizes } from './graph-layout.ts'
import { nodesBefore } from './node-list.tsx'
import { changeDraft, newDraft } from './graph-draft.ts'

const edge = (source: string, target: string, label = '') => ({ source, target, label })

describe('layoutGraph', () => {
  it('places each node behind those before it, and none upon another', () => {
    const ids = ['a', 'b', 'c', 'd']
    const edges = [edge('a', 'b'), edge('a', 'c'), edge('b', 'd', 'contains “x”'), edge('c', 'd')]
    for (const direction of ['right', 'down'] as const) {
      const places = layoutGraph({ ids, edges, direction })
      const along = (id: string) => (direction === 'right' ? places.get(id)?.x : places.get(id)?.y) ?? NaN
      expect(along('a')).toBeLessThan(along('b'))
      expect(along('c')).toBeLessThan(along('d'))
      const b = places.get('b')
      const c = places.get('c')
      const across = direction === 'right' ? (b?.y ?? 0) - (c?.y ?? 0) : (b?.x ?? 0) - (c?.x ?? 0)
      const size = direction === 'right' ? nodeSizes.right.height : nodeSizes.down.width
      expect(Math.abs(across)).toBeGreaterThanOrEqual(size)
    }
  })

  it('bears what a graph that is being edited may have: cycles, loops, edges to nowhere', () => {
    const edges = [edge('a', 'b'), edge('b', 'a'), edge('a', 'a'), edge('a', 'gone')]
    const places = layoutGraph({ ids: ['a', 'b'], edges, direction: 'right' })
    expect([...places.values()].every(({ x, y }) => Number.isFinite(x) && Number.isFinite(y))).toBe(true)
  })

  it('lays out the largest graphs by the edges that decide about the layers: all would take many seconds', () => {
    const ids = Array.from({ length: 200 }, (_, index) => `n${index}`)
    const edges = ids.flatMap((to, index) =>
      ids.slice(Math.max(0, index - 10), index).map((from) => edge(from, to)),
    )
    expect(decisiveEdges(ids, edges)).toHaveLength(199)
    const places = layoutGraph({ ids, edges, direction: 'right' })
    // Each node stands behind all of those before it.
    const x = (id: string) => places.get(id)?.x ?? NaN
    expect(edges.every(({ source, target }) => x(source) < x(target))).toBe(true)
  })
})

describe('nodesBefore', () => {
  it('A10: names all nodes before one, also further up, and bears a cycle', () => {
    let draft = newDraft('a')
    for (let count = 0; count < 3; count += 1) draft = changeDraft(draft, { type: 'add-node', agent: 'a' })
    const [one = '', two = '', three = ''] = draft.nodes.map(({ key }) => key)
    for (const [from, to] of [
      [one, two],
      [two, three],
      [three, one],
    ] as const) {
      draft = changeDraft(draft, { type: 'add-edge', from, to })
    }
    expect(nodesBefore(draft, three)).toEqual(['step-1', 'step-2'])
  })
})
