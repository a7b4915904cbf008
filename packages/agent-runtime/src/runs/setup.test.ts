import { describe, expect, it } from 'vitest'
import { createTestStore } from '../testing/create-test-store.ts'
import { createScriptedModel } from '../testing/scripted-model.ts'
import { agentOf, createKit, modelsOf, toolOf } from './testing/run-kit.ts'
import { withSetup } from './setup.ts'

const look = { toolCalls: [{ name: 'look' }] }
const last = { text: 'Done.' }
const tool = toolOf('look', () => 1, { needsApproval: () => true })
const settings = { temperature: 0.5 }

describe('what the app chooses for a run', () => {
  it('D28: is the same in the process that resumes it, whatever that one would choose', async () => {
    const store = createTestStore()
    const chosen = createScriptedModel([look])
    const first = createKit({
      store,
      models: modelsOf({ 'scripted/gold': chosen }),
      tools: [tool],
      choices: {
        modelFor: ({ metadata }) => (metadata['plan'] === 'gold' ? 'scripted/gold' : undefined),
        codeOf: () => ({ tools: [], instructions: () => 'Written by the first.' }),
      },
    })
    const { run_id: runId, approvals = [] } = await first.run('x', { metadata: { plan: 'gold' } })
    await first.runs.close()
    const resumed = createScriptedModel([last])
    const second = createKit({
      store,
      models: modelsOf({ 'scripted/gold': resumed }),
      tools: [tool],
      choices: { modelFor: () => 'scripted/none', codeOf: () => undefined },
    })
    await second.runs.decideApproval(runId, approvals[0]?.id ?? '', { decision: 'approve' })
    await second.events(runId)
    expect((await second.runs.find(runId))?.result).toMatchObject({ success: true, model: 'scripted/gold' })
    // the same beginning of the prompt, so that a provider's cache still has it
    expect(resumed.calls[0]?.prompt[0]).toEqual(chosen.calls[0]?.prompt[0])
    expect(JSON.stringify(resumed.calls[0]?.prompt[0])).toContain('Written by the first.')
  })

  it('takes the place of the skills of the agent', async () => {
    const asked: (readonly string[])[] = []
    const kit = createKit({
      agents: [agentOf({ skills: ['web'] })],
      tools: ({ skills }) => (asked.push(skills), []),
      steps: [last, last],
      choices: { skillsFor: ({ userId }) => (userId === 'ann' ? ['mail'] : undefined) },
    })
    await kit.run('x', { user_id: 'ann' })
    await kit.run('x', { user_id: 'bob' })
    expect(asked).toEqual([['mail'], ['web']])
  })

  it('leaves settings of a model to the models of its provider', () => {
    const agent = agentOf({ model: 'mine/m', model_settings: settings })
    expect(withSetup(agent, { model: 'mine/n' })).toMatchObject({ model: 'mine/n', model_settings: settings })
    expect(withSetup(agent, { model: 'other/m' })).not.toHaveProperty('model_settings')
    const bare = agentOf({ model: 'm', provider: 'other', model_settings: settings })
    expect(withSetup(bare, { model: 'other/meta/m' })).toEqual({
      ...agentOf({ model: 'other/meta/m', model_settings: settings }),
    })
  })

  it.each<[string, object]>([
    ['"modelFor" must return "provider/model-id"', { modelFor: () => 'gpt' }],
    ['"skillsFor" must return a list of names', { skillsFor: () => 'mail' }],
    ['modelFor threw an error', { modelFor: () => Promise.reject(new Error('offline')) }],
  ])('keeps the run from starting if it cannot be used: %s', async (problem, choices) => {
    const kit = createKit({ choices })
    await expect(kit.run()).rejects.toMatchObject({
      code: 'run_error',
      message: expect.stringContaining(`Starting a run failed: ${problem}`),
    })
  })
})
