import { describe, expect, it } from 'vitest'
import type { GuardedOutput, Guards } from '../../ports/guard.ts'
import { createGate, createKit, namesOf, toolOf, type KitOptions } from '../testing/run-kit.ts'

const noCards = (text: string) => text.replaceAll(/\d{4}-\d{4}/g, '[card]')
const redacting: Guards['output'] = ({ text }) => ({ replace: { text: noCards(text) } })

function createGuardedKit(output: Guards['output'], options: KitOptions) {
  return createKit({ ...options, guards: output ? { output } : {} })
}

async function everythingOf(kit: ReturnType<typeof createKit>, runId: string, conversationId: string) {
  const { rows } = await kit.store.listMessages(conversationId, { limit: 50 })
  const events = await Array.fromAsync(kit.runs.events(runId, 0, undefined, { reasoning: true }))
  const messages = await kit.store.listRunMessages(runId)
  return JSON.stringify([rows, events, messages, await kit.runs.find(runId)])
}

describe('output guards', () => {
  it('hold the stream back until they have decided, and show what they left', async () => {
    const gate = createGate()
    const seen: GuardedOutput[] = []
    const kit = createGuardedKit(
      async (value) => {
        seen.push(value)
        await gate.wait()
        return { replace: { text: noCards(value.text) } }
      },
      { steps: [{ reasoning: 'It is 1234-5678', text: ['Your card is 12', '34-5678.'] }] },
    )
    const { runId, conversationId, result } = await kit.runs.start({
      agent_id: 'helper',
      task: 'Which card?',
    })
    while (seen.length === 0) await new Promise<void>((resolve) => setImmediate(resolve))
    const stop = new AbortController()
    const before: string[] = []
    const reading = (async () => {
      for await (const { event } of kit.runs.events(runId, 0, stop.signal)) before.push(event.event)
    })()
    while (!before.includes('usage')) await new Promise<void>((resolve) => setImmediate(resolve))
    expect(before).not.toContain('assistant')
    gate.open()
    expect((await result).output).toBe('Your card is [card].')
    await reading
    expect(seen).toEqual([{ text: 'Your card is 1234-5678.', isFinal: true, sources: [], files: [] }])
    const everything = await everythingOf(kit, runId, conversationId)
    expect(everything).toContain('Your card is [card].')
    expect(everything).not.toMatch(/1234|5678/)
  })

  it('show each piece of an answer that they allow', async () => {
    const kit = createGuardedKit(() => 'allow', { steps: [{ text: ['One, ', 'two.'] }] })
    const { run_id: runId, output } = await kit.run()
    expect(output).toBe('One, two.')
    expect(namesOf(await kit.events(runId)).filter((name) => name === 'assistant')).toHaveLength(2)
  })

  it('fail the run, and nothing of the answer is stored, shown or read by a later run', async () => {
    const files = [{ mediaType: 'image/png', data: Uint8Array.of(1, 2, 3) }]
    const kit = createGuardedKit(
      ({ text }) => (text.includes('1234') ? { refuse: 'card numbers' } : 'allow'),
      {
        steps: [{ text: 'It is 1234-5678.', files }, { text: 'Hello.' }],
      },
    )
    const fields = { conversation_id: 'c' }
    const refused = await kit.run('Which card?', fields)
    expect(refused).toMatchObject({ success: false, code: 'guard_refused', output: '' })
    expect(await everythingOf(kit, refused.run_id, 'c')).not.toContain('1234')
    expect(namesOf(await kit.events(refused.run_id))).toEqual(['start', 'usage', 'error'])
    expect(refused.files).toBeUndefined()
    expect((await kit.run('Hi', fields)).output).toBe('Hello.')
    const read = JSON.stringify(kit.model.calls.at(-1)?.prompt)
    expect([read.includes('Which card?'), read.includes('1234')]).toEqual([true, false])
  })

  it('check the text before tool calls, and make none of the calls when it is refused', async () => {
    const made: string[] = []
    const kit = createGuardedKit(({ isFinal }) => (isFinal ? 'allow' : { refuse: 'no' }), {
      steps: [{ text: 'I send 1234.', toolCalls: [{ id: 'a', name: 'send' }] }],
      tools: [toolOf('send', () => made.push('send'))],
    })
    const result = await kit.run()
    expect(result).toMatchObject({ code: 'guard_refused', output: '', tool_calls: 0 })
    expect(made).toEqual([])
  })

  it('keep nothing of an answer that broke off before they saw it', async () => {
    const kit = createGuardedKit(() => 'allow', {
      steps: [{ text: ['It is 1234', '-5678'], error: new Error('cut off') }],
    })
    const { run_id: runId, conversation_id: id, code } = await kit.run()
    expect(code).toBe('model_error')
    expect(await everythingOf(kit, runId, id)).not.toContain('1234')
  })

  it('are asked about the last answer of a run without turns left', async () => {
    const kit = createGuardedKit(redacting, {
      steps: [{ toolCalls: [{ id: 'a', name: 'look' }] }, { text: 'So far 1234-5678.' }],
      tools: [toolOf('look', () => 'x')],
    })
    const result = await kit.run('Look', { limits: { max_turns: 1 } })
    expect(result).toMatchObject({ stop_reason: 'max_turns', output: 'So far [card].' })
  })
})

describe('output guards of structured outputs', () => {
  const schema = { type: 'object', properties: { card: { type: 'string' } }, required: ['card'] }
  const steps = [{ text: '{"card":"1234-5678"}' }]

  it.each<[string, Guards['output']]>([
    ['text', ({ text }) => ({ replace: { text: noCards(text) } })],
    ['data', ({ data }) => ({ replace: { data: { ...(data as object), card: '[card]' } } })],
  ])('get the data, and replace text and data in one by the %s', async (_, output) => {
    const kit = createGuardedKit(output, { steps })
    const result = await kit.run('Which card?', { output_schema: schema })
    expect(result).toMatchObject({ success: true, data: { card: '[card]' }, output: '{"card":"[card]"}' })
  })

  it('let nothing pass that does not match the schema any more', async () => {
    const kit = createGuardedKit(() => ({ replace: { data: { card: 1 } } }), { steps })
    const result = await kit.run('Which card?', { output_schema: schema })
    expect(result).toMatchObject({ success: false, code: 'guard_failed', output: '' })
    expect(result.error).toMatch(/does not match the output schema/)
  })

  it('check an answer that is no valid output yet, too', async () => {
    const seen: boolean[] = []
    const kit = createGuardedKit(
      ({ data }) => {
        seen.push(data !== undefined)
        return 'allow'
      },
      { steps: [{ text: 'It is 1.' }, ...steps] },
    )
    expect((await kit.run('Which card?', { output_schema: schema })).success).toBe(true)
    expect(seen).toEqual([false, true])
  })
})
