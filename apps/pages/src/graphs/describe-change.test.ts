import { expect, it } from 'vitest'
import { describeChange } from './graph-editor.tsx'
import { changeDraft, newDraft } from './graph-draft.ts'

it('tells which nodes and edges a change has added or taken away, and nothing of the others', () => {
  const first = newDraft('demo')
  const second = changeDraft(first, { type: 'add-node', agent: 'demo' })
  const [one = '', two = ''] = second.nodes.map(({ key }) => key)
  const joined = changeDraft(second, { type: 'add-edge', from: one, to: two })
  expect(describeChange(first, second)).toBe('Added: step-2.')
  expect(describeChange(second, joined)).toBe('Added: the edge from step-1 to step-2.')
  const removed = changeDraft(joined, { type: 'remove', keys: [two] })
  expect(describeChange(joined, removed)).toBe('Removed: step-2, the edge from step-1 to step-2.')
  const renamed = changeDraft(second, { type: 'change-node', key: one, change: { id: '' } })
  expect(describeChange(second, renamed)).toBe('')
  expect(describeChange(renamed, changeDraft(renamed, { type: 'remove', keys: [one] }))).toBe(
    'Removed: a node without a name.',
  )
})
