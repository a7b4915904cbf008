import type { Graph, Json } from '@homeward/contract/agent-platform'
import { expectTypeOf, it } from 'vitest'
import * as z from 'zod'
import { createRuntime, defineAgent, defineGraph } from '../index.ts'

const clerk = defineAgent({ id: 'clerk', model: 'test/echo' })

it('knows the ids of the nodes', () => {
  const graph = defineGraph({
    id: 'g',
    nodes: [
      { id: 'a', run: () => [1] },
      { id: 'b', agent: clerk, map: { over: 'a' } },
    ],
    edges: [{ from: 'a', to: 'b', when: { data: z.array(z.number()) } }],
  })
  expectTypeOf(createRuntime().graphs.put(graph)).resolves.toEqualTypeOf<Graph>()
  defineGraph({ id: 'h', nodes: [{ id: 'inner', graph }] })
  // @ts-expect-error there is no node "c"
  defineGraph({ id: 'g', nodes: [{ id: 'a', agent: 'x' }], edges: [{ from: 'a', to: 'c' }] })
  // @ts-expect-error there is no node "c"
  defineGraph({ id: 'g', nodes: [{ id: 'a', agent: 'x', map: { over: 'c' } }] })
})

it('types what functions get', () => {
  defineGraph({
    id: 'g',
    nodes: [
      {
        id: 'a',
        async run({ text, nodes, item }, { wasInterrupted, idempotencyKey }) {
          expectTypeOf(text).toEqualTypeOf<string>()
          expectTypeOf(nodes).toEqualTypeOf<Readonly<Record<string, Json>>>()
          expectTypeOf(item).toEqualTypeOf<Json | undefined>()
          expectTypeOf(wasInterrupted).toEqualTypeOf<boolean>()
          return idempotencyKey
        },
      },
    ],
  })
  // @ts-expect-error an agent or a function
  defineGraph({ id: 'g', nodes: [{ id: 'a', agent: 'x', run: () => 1 }] })
  // @ts-expect-error neither
  defineGraph({ id: 'g', nodes: [{ id: 'a' }] })
})
