import { expect, it } from 'vitest'
import type { Statement } from '@homeward/kit/sql'
import type { ListArgs, ListShape } from './list-ranges.ts'
import { rememberLists, toListShape } from './list-ranges.ts'

it('builds the statement of each shape and status once', () => {
  const built: string[] = []
  const listOf = rememberLists(
    (shape: ListShape, status: 'pending' | 'failed' | undefined): Statement<ListArgs, unknown> => {
      const name = `${JSON.stringify(shape)} ${status}`
      built.push(name)
      return { kind: 'read', sql: name, bind: () => [] }
    },
  )
  const places = [undefined, 'd1'].flatMap((deviceId) =>
    [undefined, 's1'].flatMap((id) => [undefined, 'g1'].map((groupId) => ({ id, deviceId, groupId }))),
  )
  const asked = places.flatMap((place) =>
    [false, true].flatMap((after) =>
      ([undefined, 'pending', 'failed'] as const).map(
        (status) => [toListShape(place, after), status] as const,
      ),
    ),
  )
  const ask = () => asked.map(([shape, status]) => listOf(shape, status).sql)
  const first = ask()
  expect(new Set(first).size).toBe(48)
  expect(ask()).toEqual(first)
  expect(built).toEqual(first)
})
