import { Agent, AgentInput, AgentPatch } from '@homeward/contract/agent-platform'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import {
  clashingFields,
  type AgentDraft,
  emptyDraft,
  isSameDraft,
  rebase,
  toChangedPatch,
  toDraft,
  toInput,
  toPatch,
} from './agent-draft.ts'
import { draftProblems } from './agent-form.tsx'

const full: Agent = {
  id: 'a',
  version: 1,
  name: 'A',
  description: 'd',
  model: 'test/echo',
  provider: 'test',
  fallback_models: ['test/tools', { model: 'test/echo', model_settings: { seed: 1 } }],
  prompt_cache: '1h',
  model_settings: {
    temperature: 0.25,
    top_p: 0.123456,
    top_k: 40,
    seed: -7,
    stop: ['END', '\n\n'],
    reasoning: 'low',
    provider_options: { openai: { serviceTier: 'flex', logitBias: null } },
  },
  output_schema: { type: 'object', properties: { city: { type: 'string' } } },
  approvals: [
    { tool: 'home_switch', when: { properties: { on: { const: false } } }, decision: 'allow' },
    { tool: 'home_switch', decision: 'ask' },
  ],
  personality: 'p',
  skills: ['weather'],
  tools: [],
  approval_tools: ['home_switch'],
  approval_timeout: 3600,
  wait_timeout: 7200,
  ask_user: true,
  code: true,
  while_running: 'steer',
  hosted_tools: ['web_search'],
  mcp_servers: ['files'],
  collections: ['handbook'],
  limits: { max_turns: 3, max_tokens: 100, max_runtime: 0.5 },
  context: { window_tokens: 8192, history_tokens: 0 },
  budget: { max_tokens: 1000, max_usd: 2, period: 'day', ask_at: 0.8 },
  user_budget: { max_tokens: 500, ask_at: 0.5, period: 'month' },
  users: ['ann@example.com'],
  workspace: 'agent',
  schedule: '0 9 * * *',
  schedule_input: 'Good morning',
  schedule_enabled: false,
  timezone: 'Europe/Berlin',
  catch_up: 'latest',
  overlap: 'skip',
  report_to: [{ channel: 'channel_a', conversation_id: '42' }],
  created_at: 't',
  updated_at: 't',
}

/** Fields that people do not choose. */
const notInForm = ['version', 'created_at', 'updated_at']

describe('the form of an agent', () => {
  it('has every field that people choose', () => {
    const chosen = new Set(Object.keys(Agent.shape).filter((key) => !notInForm.includes(key)))
    expect(new Set(Object.keys(full).filter((key) => chosen.has(key)))).toEqual(chosen)
    const sent = new Set([...Object.keys(toPatch(toDraft(full))), 'id'])
    expect(sent).toEqual(chosen)
  })

  it('gives an agent back as it was', () => {
    const { id: _id, version: _version, created_at: _created, updated_at: _updated, ...fields } = full
    expect(z.parse(AgentPatch, toPatch(toDraft(full)))).toEqual(fields)
    const same: AgentDraft = toDraft(full)
    expect(isSameDraft(same, toDraft({ ...full }))).toBe(true)
    expect(isSameDraft(same, { ...same, max_turns: 4 })).toBe(false)
  })

  it('clears what was emptied', () => {
    const patch = toPatch({ ...emptyDraft, model: 'test/echo' })
    expect(z.parse(AgentPatch, patch)).toMatchObject({
      name: null,
      provider: null,
      tools: null,
      approval_tools: null,
      budget: null,
      model_settings: null,
      output_schema: null,
      approvals: null,
      schedule: null,
      timezone: null,
    })
    expect(patch.limits).toEqual({ max_turns: null, max_tokens: null, max_runtime: null })
  })

  it('sends what differs alone', () => {
    const saved = toDraft(full)
    expect(toChangedPatch(saved, saved)).toEqual({})
    expect(toChangedPatch({ ...saved, name: '', max_turns: 9 }, saved)).toEqual({
      name: '',
      limits: { max_turns: 9, max_tokens: 100, max_runtime: 0.5 },
    })
  })

  it('keeps what is written when somebody else changes the agent, and follows in the rest', () => {
    const saved = toDraft(full)
    const now = { ...saved, personality: 'New.', max_turns: 7 }
    const mine = rebase({ ...saved, name: 'Mine', max_turns: 9 }, saved, now)
    expect(mine).toEqual({ ...now, name: 'Mine', max_turns: 9 })
    expect(rebase(saved, saved, now)).toEqual(now)
    expect(toChangedPatch(mine, now)).not.toHaveProperty('personality')
    expect(rebase({ ...emptyDraft, id: 'mine' }, emptyDraft, emptyDraft).id).toBe('mine')
    expect(rebase({ ...emptyDraft, id: 'mine' }, emptyDraft, now).id).toBe(now.id)
  })

  it('knows what somebody else has changed to something else meanwhile', () => {
    const saved = toDraft(full)
    const mine = { ...saved, name: 'Mine', description: 'Same', max_turns: 9 }
    const now = { ...saved, name: 'Theirs', description: 'Same', personality: 'New.' }
    expect(clashingFields(mine, saved, now)).toEqual(['name'])
    expect(clashingFields(saved, saved, now)).toEqual([])
  })

  it('creates with what was chosen, and leaves the id to the platform', () => {
    const input = toInput({ ...emptyDraft, model: 'test/echo', max_turns: 2 })
    expect(input).not.toHaveProperty('id')
    expect(input.limits).toEqual({ max_turns: 2 })
    expect(z.safeParse(AgentInput, input).success).toBe(true)
    expect(toInput({ ...emptyDraft, id: 'mine', model: 'm' }).id).toBe('mine')
  })
})

it('clears one model setting and keeps the others', () => {
  const saved = toDraft(full)
  const { model_settings: changed } = toChangedPatch({ ...saved, seed: Number.NaN }, saved)
  expect(changed).toEqual({ ...full.model_settings, seed: null })
})

it('names the texts that are not JSON objects, and rules without a tool', () => {
  const rules = [
    { tool: 'pay', decision: 'deny', when: '' },
    { tool: ' ', decision: 'ask', when: '[]' },
  ] as const
  const draft = { ...toDraft(full), output_schema: '{', provider_options: '7', approvals: rules }
  expect(draftProblems(toDraft(full))).toEqual({})
  expect(draftProblems(draft)).toEqual({
    'model_settings.provider_options': expect.stringContaining('not a JSON object'),
    output_schema: expect.stringContaining('not valid JSON'),
    'approvals[1].tool': expect.stringContaining('Name the tool'),
    'approvals[1].when': expect.stringContaining('not a JSON object'),
  })
  expect(() => toPatch(draft)).toThrow('not a JSON object')
})

it('shows chats that get the results as one text each, and saves them as they were', () => {
  const targets = [
    { channel: 'channel_a', conversation_id: 'channel_a:42' },
    { channel: 'test', conversation_id: 'of ann:1' },
  ]
  const draft = toDraft({ ...full, report_to: targets })
  expect(draft.report_to).toEqual(['channel_a:42', 'test:of ann:1'])
  expect(toPatch(draft).report_to).toEqual([{ channel: 'channel_a', conversation_id: '42' }, targets[1]])
  expect(toPatch({ ...draft, report_to: [] }).report_to).toBeNull()
})

it('says who may use the agent on the pages', () => {
  const of = (users: AgentDraft['users']) => toPatch({ ...toDraft(full), users }).users
  expect(toDraft({ ...full, users: 'everyone' }).users).toEqual({ who: 'everyone', listed: [] })
  expect(of({ who: 'everyone', listed: ['ann'] })).toBe('everyone')
  expect(of({ who: 'listed', listed: ['ann'] })).toEqual(['ann'])
  for (const who of ['nobody', 'listed'] as const) expect(of({ who, listed: [] })).toBeNull()
})
