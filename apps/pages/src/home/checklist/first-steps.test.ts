import type { ModelList, Run, ScheduleState, UsageSum } from '@homeward/contract/agent-platform'
import type { Device, SavedSearch } from '@homeward/contract/device-cloud'
import { expect, it } from 'vitest'
import { firstModel } from '../../settings/demo-model.ts'
import { doneSteps, type FirstStepFacts, keyProviders } from './use-first-steps.ts'

const models = (...ids: string[]): ModelList => ({
  models: ids.map((id) => ({ id, provider: id.slice(0, id.indexOf('/')) })),
  problems: [],
})
const runOf = (model: string) => ({ result: { model } }) as Run
const device = (lastSeenAt: string | null) => ({ lastSeenAt }) as Device
const nothing: FirstStepFacts = {
  hasProvider: undefined,
  models: undefined,
  completed: undefined,
  devices: undefined,
  schedules: undefined,
  savedSearches: undefined,
}

it('a step is done once it has really happened', () => {
  const begun = doneSteps({
    hasProvider: true,
    models: models('test/echo'),
    completed: [runOf('test/tools')],
    devices: [device('2026-11-26T00:00:00.000Z'), device(null)],
    schedules: [{ enabled: false } as ScheduleState],
    savedSearches: [{} as SavedSearch],
  })
  expect(begun).toEqual({ model: false, hello: false, device: false, automation: false })
  const done = doneSteps({
    hasProvider: true,
    models: models('openai/gpt'),
    completed: [runOf('openai/gpt')],
    devices: [device('2026-11-26T00:00:00.000Z'), device('2026-11-26T00:00:00.000Z')],
    schedules: [{ enabled: true } as ScheduleState],
    savedSearches: undefined,
  })
  expect(done).toEqual({ model: true, hello: true, device: true, automation: true })
})

it('a model that replied is connected, whatever its provider lists', () => {
  expect(doneSteps({ ...nothing, completed: [runOf('local/llama')] })).toMatchObject({
    model: true,
    hello: true,
  })
  expect(doneSteps({ ...nothing, hasProvider: true })).toMatchObject({ model: false })
})

it('many later runs and a deleted schedule undo no step', () => {
  const usage = [{ model: 'local/llama', output_tokens: 3 } as UsageSum]
  const later = { ...nothing, completed: [runOf('test/echo')], usage, scheduled: [runOf('test/echo')] }
  expect(doneSteps(later)).toMatchObject({ hello: true, automation: true })
})

it('begins with the usual model of a provider, or with one that it lists', () => {
  const [openai] = keyProviders
  expect(firstModel(openai, models('openai/a', openai.model))).toBe(openai.model)
  expect(firstModel(openai, models('google/x', 'openai/a'))).toBe('openai/a')
  expect(firstModel(openai, models('google/x'))).toBeUndefined()
})

it('a saved search with a schedule is something automated', () => {
  const savedSearches = [{ schedule: '0 9 * * *' } as SavedSearch]
  expect(doneSteps({ ...nothing, savedSearches })).toMatchObject({ automation: true })
})
