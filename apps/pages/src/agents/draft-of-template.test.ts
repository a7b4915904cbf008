import { expect, it } from 'vitest'
import { emptyDraft } from './agent-draft.ts'
import { draftOfTemplate } from './new-agent-page.tsx'

it('begins with a template, and keeps the model and the id that are written', () => {
  const written = { ...emptyDraft, id: 'mine', model: 'test/echo', name: 'Old' }
  const draft = draftOfTemplate(
    { name: 'Finder', personality: 'You find files.', skills: ['device-search'], limits: { max_turns: 5 } },
    written,
  )
  expect(draft).toEqual({
    ...emptyDraft,
    id: 'mine',
    model: 'test/echo',
    name: 'Finder',
    personality: 'You find files.',
    skills: ['device-search'],
    max_turns: 5,
  })
  expect(draftOfTemplate({}, draft)).toEqual({ ...emptyDraft, id: 'mine', model: 'test/echo' })
})
