import type { Skill } from '@homeward/contract/agent-platform'
import { expect, it } from 'vitest'
import { canBeNamed, offerStateOf, stateOf } from './skill-badge.tsx'

const skill: Skill = {
  id: 'weather',
  name: 'Weather',
  description: 'd',
  version: '1.0.0',
  tools: ['now'],
  required_env: [],
  missing_env: [],
  configured: true,
}
const entry = { slug: 'weather', name: 'Weather', description: 'd', url: '/weather.md' }

it('tells a skill that works from one that lacks something and one that is off', () => {
  expect(stateOf(skill)).toBe('works')
  expect(stateOf({ ...skill, configured: false })).toBe('needs_setup')
  expect(stateOf({ ...skill, disabled_tools: [{ id: 'now', reason: 'no address' }] })).toBe('needs_setup')
  expect(stateOf({ id: 'weather', error: 'no name' })).toBe('off')
})

it('tells what the store has against what is installed', () => {
  expect(offerStateOf(entry, [])).toBe('new')
  expect(offerStateOf({ ...entry, version: '1.0.0' }, [skill])).toBe('installed')
  expect(offerStateOf(entry, [skill])).toBe('installed')
  expect(offerStateOf({ ...entry, version: '1.1.0' }, [skill])).toBe('other_version')
  expect(offerStateOf(entry, [{ id: 'weather', error: 'no name' }])).toBe('other_version')
})

it('leads to no page of a folder that the interface cannot name', () => {
  expect(['weather', 'a.b_c-1'].map(canBeNamed)).toEqual([true, true])
  expect(['odd name', '..', '', 'x'.repeat(65)].map(canBeNamed)).toEqual([false, false, false, false])
})
