import { AgentPatch, RunRequest } from '@homeward/contract/agent-platform'
import { expect, it } from 'vitest'
import * as z from 'zod/mini'
import { parseInput } from './parse-input.ts'

const run = { agent_id: 'a', task: 'x' }
const parse = (given: unknown) => parseInput(RunRequest, given as RunRequest, 'Running an agent')

it.each<[given: unknown, problem: string]>([
  [undefined, 'the input is missing, expected object'],
  ['x', 'the input: Invalid input: expected object, received string'],
  [{ agent_id: 'a' }, '"task" is missing, expected string'],
  [{ ...run, agent_id: 5 }, '"agent_id": Invalid input: expected string, received number'],
  [
    { ...run, limits: { max_turns: Number.NaN } },
    '"limits.max_turns": Invalid input: expected number, received NaN',
  ],
  [{ ...run, limits: { max_turns: -1 } }, '"limits.max_turns": Too small'],
  [{ ...run, limits: 5 }, '"limits": Invalid input'],
  // it would have run without
  [
    { ...run, limits: { maxTurns: 3 } },
    '"limits.maxTurns" is unknown. Use max_turns, max_tokens, max_runtime',
  ],
  [{ ...run, budget: { maxUsd: 3 } }, '"budget.maxUsd" is unknown. Use max_tokens, max_usd, period'],
])('says of %j what is wrong', (given, problem) => {
  const refused = expect.objectContaining({
    code: 'validation_error',
    message: expect.stringContaining(`Running an agent failed: ${problem}`),
  })
  expect(() => parse(given)).toThrow(refused)
})

it('takes an agent as it was given back, with a change', () => {
  const agent = { id: 'a', model: 'test/echo', created_at: '2026-01-01', limits: { max_turns: 3 } }
  expect(parseInput(AgentPatch, agent, 'Changing an agent')).toEqual({
    id: 'a',
    model: 'test/echo',
    limits: { max_turns: 3 },
  })
})

it('takes limits that are cleared', () => {
  expect(parse({ ...run, limits: null, budget: undefined })).toMatchObject(run)
})

it('names three of the things that are wrong, and no name at length', () => {
  const given = { agent_id: 1, task: 2, user_id: 3, conversation_id: 4 }
  expect(() => parse(given)).toThrow(/"agent_id": [^;]+; "task": [^;]+; [^;]+\.$/)
  expect(() => parse({ ...run, limits: { ['a'.repeat(5000)]: 1 } })).toThrow(
    `"limits.${'a'.repeat(100)}" is unknown`,
  )
})

it('takes nothing where nothing need be given', () => {
  expect(parseInput(z.optional(RunRequest), undefined, 'Running an agent')).toBeUndefined()
})
