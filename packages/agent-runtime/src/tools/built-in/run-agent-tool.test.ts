import { expect, it } from 'vitest'
import { createRuntime } from '../../runtime/create-runtime.ts'
import { createScriptedModel } from '../../testing/scripted-model.ts'

it(
  'A12, A18: what an agent that was asked says and does stays in its own conversation; who asked keeps the answer alone',
  { timeout: 60_000 },
  async () => {
    const chief = createScriptedModel([
      { toolCalls: [{ name: 'run_agent', args: { agent_id: 'clerk', task: 'Look at the clock' } }] },
      { text: 'It is late.' },
      { text: 'I asked the clerk.' },
    ])
    const clerk = createScriptedModel([
      { text: 'Half a thought', toolCalls: [{ name: 'time', args: {} }] },
      { text: 'Midnight' },
    ])
    await using runtime = createRuntime({
      environment: {},
      models: { mine: (id) => (id === 'chief' ? chief : clerk) },
    })
    await runtime.agents.create({ id: 'chief', model: 'mine/chief' })
    await runtime.agents.create({ id: 'clerk', model: 'mine/clerk' })
    const { conversation_id, steps } = await runtime.run({ agent_id: 'chief', task: 'How late is it?' })
    expect(steps).toMatchObject([{ tool: 'run_agent', result: { output: 'Midnight' } }])
    await runtime.run({ agent_id: 'chief', task: 'Who told you?', conversation_id })

    const later = JSON.stringify(chief.calls[2]?.prompt)
    expect(later).toContain('Midnight')
    expect(later).not.toContain('Half a thought')
    expect(JSON.stringify(clerk.calls[0]?.prompt)).not.toContain('How late is it?')
    const { messages } = await runtime.conversations.get(conversation_id)
    expect(messages.filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual([
      'How late is it?',
      'Who told you?',
    ])
    expect(JSON.stringify(messages)).not.toContain('Half a thought')
    const { conversations } = await runtime.conversations.list({ agentId: 'clerk' })
    expect(conversations.map(({ id }) => id)).not.toContain(conversation_id)
  },
)
