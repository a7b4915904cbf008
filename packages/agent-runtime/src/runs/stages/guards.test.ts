import { describe, expect, it } from 'vitest'
import type { Guards } from '../../ports/guard.ts'
import { agentOf, createKit, firstOf, namesOf, toolOf, type KitOptions } from '../testing/run-kit.ts'

const noCards = (text: string) => text.replaceAll(/\d{4}-\d{4}/g, '[card]')

function createGuardedKit(guards: Guards, options: KitOptions = {}) {
  return createKit({ steps: [{ text: 'Done.' }], ...options, guards })
}

/** All that a model has read. */
const readBy = ({ model }: ReturnType<typeof createKit>) =>
  JSON.stringify(model.calls.map(({ prompt }) => prompt))

async function historyOf({ store }: ReturnType<typeof createKit>, conversationId: string) {
  const conversation = await store.findConversation(conversationId)
  const { rows } = await store.listMessages(conversationId, { limit: 50 })
  return JSON.stringify({ title: conversation?.title, messages: rows.map(({ message }) => message) })
}

describe('input guards', () => {
  it('replace what the model reads, the conversation stores and the API shows', async () => {
    const kit = createGuardedKit({ input: ({ text }) => ({ replace: noCards(text) }) })
    const { success, run_id: runId, conversation_id: id } = await kit.run('Charge 1234-5678')
    expect(success).toBe(true)
    expect(readBy(kit)).toContain('Charge [card]')
    expect(readBy(kit)).not.toContain('1234')
    expect(await historyOf(kit, id)).toContain('Charge [card]')
    expect(await historyOf(kit, id)).not.toContain('1234')
    expect((await kit.runs.find(runId))?.task).toBe('Charge [card]')
    expect(JSON.stringify(await kit.store.listEvents({ since: 0, limit: 100 }))).not.toContain('1234')
  })

  it('fail the run before any model call, and leave no trace in the conversation', async () => {
    const kit = createGuardedKit({ input: () => ({ refuse: 'no politics' }) })
    const result = await kit.run('Who should win?', { conversation_id: 'c' })
    expect(result).toMatchObject({ success: false, code: 'guard_refused', stop_reason: 'error', output: '' })
    expect(result.error).toContain('refused the input: no politics')
    expect(kit.model.calls).toHaveLength(0)
    expect(await kit.store.findConversation('c')).toBeUndefined()
    expect(namesOf(await kit.events(result.run_id))).toEqual(['start', 'error'])
  })

  it('check each user message and the instructions that a request brings along', async () => {
    const seen: string[] = []
    const kit = createGuardedKit({
      input({ text, kind }) {
        seen.push(`${kind}: ${text}`)
        return text.includes('bad') ? { refuse: 'bad' } : { replace: noCards(text) }
      },
    })
    const messages = [
      { role: 'user', content: 'My card is 1234-5678' },
      { role: 'assistant', content: 'Thank you.' },
      { role: 'user', content: 'Something bad' },
      { role: 'assistant', content: 'No.' },
    ] as const
    const request = { agent_id: 'helper', task: 'Go on', store: false, messages: [...messages] }
    const { result } = await kit.runs.start(request, { instructions: 'Pay with 1111-2222' })
    expect((await result).success).toBe(true)
    expect(seen).toEqual([
      'task: Go on',
      'instructions: Pay with 1111-2222',
      'message: My card is 1234-5678',
      'message: Something bad',
    ])
    expect(readBy(kit)).toContain('removed by a check')
    expect(readBy(kit)).not.toMatch(/1234|1111|Something bad/)
  })

  it('are asked in order, each about what the one before it left', async () => {
    const kit = createGuardedKit({
      input: [
        ({ text }) => ({ replace: `${text} one` }),
        ({ text }) => ({ replace: `${text} two` }),
        () => 'allow',
      ],
    })
    await kit.run('Say')
    expect(readBy(kit)).toContain('Say one two')
  })

  it('let a replaced question be regenerated with the text that its caller knows', async () => {
    const kit = createGuardedKit(
      { input: ({ text }) => ({ replace: noCards(text) }) },
      { steps: [{ text: 'One.' }, { text: 'Two.' }] },
    )
    const fields = { conversation_id: 'c' }
    await kit.run('Charge 1234-5678', fields)
    expect((await kit.run('Charge 1234-5678', { ...fields, regenerate: true })).output).toBe('Two.')
    expect(await historyOf(kit, 'c')).not.toContain('1234')
  })
})

describe('guards that do not decide', () => {
  it.each<[string, Guards['input'], RegExp]>([
    ['throws', () => Promise.reject(new Error('inner detail')), /threw an error/],
    ['returns nothing', (() => undefined) as never, /must return "allow"/],
    ['returns true', (() => true) as never, /must return "allow"/],
    ['never returns', () => new Promise<never>(() => {}), /did not decide within 5 ms/],
    ['replaces with nothing', () => ({ replace: ' ' }), /must be a non-empty string/],
  ])('let nothing pass when one %s', async (_, input, reason) => {
    const kit = createGuardedKit(input ? { input, timeoutMs: 5 } : {})
    const result = await kit.run()
    expect(result).toMatchObject({ success: false, code: 'guard_failed' })
    expect(result.error).toMatch(reason)
    expect(result.error).not.toContain('inner detail')
    expect(kit.model.calls).toHaveLength(0)
    expect(kit.warnings).toContain('A guard failed')
  })

  it('stop at once when their run is cancelled', async () => {
    const asked = Promise.withResolvers<AbortSignal>()
    const kit = createGuardedKit({
      input: (_, { signal }) => {
        asked.resolve(signal)
        return new Promise(() => {})
      },
    })
    const { runId, result } = await kit.runs.start({ agent_id: 'helper', task: 'Wait' })
    const signal = await asked.promise
    await kit.runs.cancel(runId)
    expect((await result).stop_reason).toBe('cancelled')
    expect(signal.aborted).toBe(true)
  })
})

describe('tool call guards', () => {
  const calls = { toolCalls: [{ id: 'a', name: 'send', args: { to: 'x@evil.org', text: 'Hi' } }] }
  const parameters = { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] }

  function createSendKit(toolCall: Guards['toolCall'], agent = {}) {
    const sent: unknown[] = []
    const send = toolOf('send', (args) => void sent.push(args), {
      effects: 'external',
      idempotent: false,
      inputSchema: parameters,
    })
    const guards = toolCall ? { toolCall } : {}
    const kit = createGuardedKit(guards, {
      steps: [calls, { text: 'Done.' }],
      tools: [send],
      agents: [agentOf(agent)],
    })
    return { kit, sent }
  }

  it('refuse a call: the tool is not called, and the model reads why', async () => {
    const { kit, sent } = createSendKit(({ args }) =>
      JSON.stringify(args).includes('evil.org') ? { refuse: 'only to example.com' } : 'allow',
    )
    const { success, steps } = await kit.run()
    expect(success).toBe(true)
    expect(sent).toEqual([])
    expect(steps[0]?.error).toContain('only to example.com')
    expect(readBy(kit)).toContain('only to example.com')
  })

  it('replace arguments before a person is asked, and in all that is stored and shown', async () => {
    let asked = 0
    const { kit, sent } = createSendKit(
      ({ args }) => {
        asked += 1
        return { replace: { ...args, to: 'y@example.com' } }
      },
      { approval_tools: ['send'] },
    )
    const { runId, result } = await kit.runs.start({ agent_id: 'helper', task: 'Send', idempotency_key: 'k' })
    const [approval] = (await result).approvals ?? []
    expect(approval?.args).toEqual({ to: 'y@example.com', text: 'Hi' })
    await kit.runs.decideApproval(runId, approval?.id ?? '', { decision: 'approve' })
    await (
      await kit.runs.attach(runId)
    ).result
    expect(sent).toEqual([{ to: 'y@example.com', text: 'Hi' }])
    expect(asked).toBe(1)
    expect(firstOf(await kit.events(runId)).tool_start?.args).toEqual(sent[0])
    expect(await historyOf(kit, (await kit.runs.find(runId))?.conversation_id ?? '')).not.toContain('evil')
  })

  it('check the arguments that a person gives', async () => {
    const { kit, sent } = createSendKit(
      ({ args }) => (args['to'] === 'x@evil.org' ? 'allow' : { refuse: 'unknown receiver' }),
      { approval_tools: ['send'] },
    )
    const { runId, result } = await kit.runs.start({ agent_id: 'helper', task: 'Send' })
    const [approval] = (await result).approvals ?? []
    const edited = { decision: 'approve', args: { to: 'z@evil.org' } } as const
    await kit.runs.decideApproval(runId, approval?.id ?? '', edited)
    const { steps } = await (await kit.runs.attach(runId)).result
    expect(sent).toEqual([])
    expect(steps[0]?.error).toContain('unknown receiver')
  })

  it('make no call whose replaced arguments do not match the tool', async () => {
    const { kit, sent } = createSendKit(() => ({ replace: { to: 1 } }))
    const { steps } = await kit.run()
    expect(sent).toEqual([])
    expect(steps[0]?.error).toMatch(/does not match the parameters of the tool/)
  })
})

describe('tool result guards', () => {
  const calls = { toolCalls: [{ id: 'a', name: 'read', args: { path: '/x' } }] }
  const secretText = 'the card 1234-5678'

  function createReadKit(
    toolResult: Guards['toolResult'],
    call: () => unknown = () => ({ text: secretText }),
  ) {
    return createGuardedKit(toolResult ? { toolResult } : {}, {
      steps: [calls, { text: 'Done.' }],
      tools: [toolOf('read', call, { returnsUntrustedContent: true })],
    })
  }

  it('replace what the model reads, the stream shows and the result lists', async () => {
    const kit = createReadKit(({ result }) => ({ replace: { result: noCards(JSON.stringify(result)) } }))
    const result = await kit.run()
    const all = JSON.stringify([result, await kit.events(result.run_id), readBy(kit)])
    expect(all).toContain('[card]')
    expect(all).not.toContain('1234')
  })

  it('withhold a result, and an error of a tool', async () => {
    for (const call of [
      () => secretText,
      () => {
        throw new Error(secretText)
      },
    ]) {
      const kit = createReadKit(() => ({ refuse: 'personal data' }), call)
      const result = await kit.run()
      expect(result.steps[0]?.error).toContain('withheld: a guard refused it: personal data')
      expect(JSON.stringify([result, await kit.events(result.run_id), readBy(kit)])).not.toContain('1234')
    }
  })

  it('leave the taint of what they replaced', async () => {
    const kit = createReadKit(() => ({ replace: { result: 'nothing' } }))
    const { run_id: runId } = await kit.run()
    expect((await kit.store.findRun(runId))?.progress.tainted).toBe(true)
  })
})
