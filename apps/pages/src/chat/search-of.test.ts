import type { TraceStep } from '@homeward/contract/agent-platform'
import { expect, it } from 'vitest'
import { searchOf } from './tool-call-view.tsx'

const call: TraceStep = {
  index: 0,
  id: 't1.0',
  type: 'tool',
  name: 'devices_search',
  status: 'completed',
  attempts: [],
}

it('finds the search that a tool call started or read, and no other', () => {
  expect(searchOf({ ...call, output: { queries: [{ queryId: 'q1', deviceId: 'd' }] } })).toBe('q1')
  expect(searchOf({ ...call, input: { queryId: 'q2' }, output: 'No result' })).toBe('q2')
  expect(searchOf({ ...call, output: { rows: [1, null, 'queryId'] } })).toBeUndefined()
  expect(searchOf({ ...call, type: 'model', output: { queryId: 'q1' } })).toBeUndefined()
})
