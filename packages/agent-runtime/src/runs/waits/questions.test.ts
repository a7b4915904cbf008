import { describe, expect, it, onTestFinished, vi } from 'vitest'
import * as z from 'zod'
import { createTestStore } from '../../testing/create-test-store.ts'
import type { Tool, ToolContext } from '../../ports/tool.ts'
import { Unanswered } from '../../ports/unanswered.ts'
import { defineTool } from '../../tools/define-tool.ts'
import { askUserTool } from '../../tools/built-in/ask-user-tool.ts'
import { agentOf, createKit, toolOf } from '../testing/run-kit.ts'

const call = (name: string, args: object = {}, id = 'c1') => ({ toolCalls: [{ id, name, args }] })
const done = { text: 'Done.' }

/** Answers what waits, and gives the run once it has stopped again. */
async function answer(kit: ReturnType<typeof createKit>, runId: string, ...given: readonly unknown[]) {
  for (const data of given) {
    const [wait] = (await kit.runs.waits({ runId })).waits
    await kit.runs.answerWait(
      runId,
      wait?.id ?? '',
      data === undefined ? { decline: true } : { data: data as never },
    )
    await vi.waitFor(async () => {
      const run = await kit.runs.get(runId)
      const open = run.waits.filter(({ status }) => status === 'open')
      expect(
        run.finished_at !== undefined ||
          (run.status === 'waiting' && open.every(({ id }) => id !== wait?.id)),
      ).toBe(true)
    })
  }
  return kit.runs.get(runId)
}

describe('ask_user', () => {
  const ask = (args: object) => call('ask_user', { message: 'Which?', ...args })

  it.each([
    ['a text', {}, { type: 'string' }, 5, 'blue'],
    ['an option', { options: ['red', 'blue'] }, undefined, 'green', 'blue'],
    ['options', { options: ['red', 'blue'], multiple: true }, undefined, ['red', 'red'], ['blue', 'red']],
    ['a form', { schema: { type: 'object', required: ['n'] } }, undefined, {}, { n: 1 }],
    ['null', { schema: { type: 'null' } }, undefined, 'x', null],
  ])('waits for %s, and gives it to the model', async (_, args, _schema, wrong, right) => {
    const kit = createKit({ tools: [askUserTool], steps: [ask(args), done] })
    const result = await kit.run()
    expect(result).toMatchObject({
      success: true,
      stop_reason: 'waiting',
      waits: [{ kind: 'question', message: 'Which?' }],
    })
    expect(result.approvals).toBeUndefined()
    const [wait] = result.waits ?? []
    const refused = kit.runs.answerWait(result.run_id, wait?.id ?? '', { data: wrong })
    await expect(refused).rejects.toMatchObject({ code: 'validation_error' })
    const run = await answer(kit, result.run_id, right)
    expect(run).toMatchObject({
      status: 'completed',
      result: { steps: [{ tool: 'ask_user', result: right }], tool_calls: 1 },
    })
    await kit.runs.close()
  })

  it('says that the person declined, and that nobody answered in time', async () => {
    const agents = [agentOf({ wait_timeout: 1 })]
    const kit = createKit({ tools: [askUserTool], agents, steps: [ask({}), ask({}), done] })
    const { run_id } = await kit.run()
    const [wait] = (await kit.runs.waits()).waits
    await kit.runs.answerWait(run_id, wait?.id ?? '', { decline: true, reason: 'Busy' })
    const ended = async () => expect((await kit.runs.get(run_id)).status).toBe('completed')
    await vi.waitFor(ended, { timeout: 10_000 })
    const run = await kit.runs.get(run_id)
    expect(run.waits.map(({ status }) => status)).toEqual(['declined', 'expired'])
    expect(run.result).toMatchObject({
      output: 'Done.',
      steps: [
        { result: expect.stringMatching(/declined to answer: Busy/) },
        { result: expect.stringMatching(/in time/) },
      ],
    })
    await kit.runs.close()
  })

  it.each([
    ['an invalid schema', { schema: { type: 'nothing' } }, /not a valid JSON Schema/],
    ['options and a schema', { schema: {}, options: ['a'] }, /exclude each other/],
  ])('tells the model what is wrong with %s', async (_, args, problem) => {
    const kit = createKit({ tools: [askUserTool], steps: [ask(args), done] })
    const result = await kit.run()
    expect(result).toMatchObject({ stop_reason: 'done', steps: [{ error: expect.stringMatching(problem) }] })
    await kit.runs.close()
  })
})

describe('context.ask', () => {
  const sent = vi.fn((_what: unknown) => 'sent')
  const once = (execute: (context: ToolContext) => Promise<unknown>): Tool => ({
    ...toolOf('send', () => undefined, { effects: 'external', idempotent: false }),
    execute: async (_, context) => (await execute(context)) as never,
  })

  it('runs again from its start, with the answers in the order of its questions; the effect comes once', async () => {
    sent.mockClear()
    const starts = vi.fn()
    const tool = once(async ({ ask, idempotencyKey }) => {
      starts(idempotencyKey)
      const first = await ask({ message: 'First?' })
      const second = await ask({ message: 'Second?', schema: { type: 'integer' } })
      return sent([first, second])
    })
    const kit = createKit({ tools: [tool], steps: [call('send'), done] })
    const { run_id } = await kit.run()
    const run = await answer(kit, run_id, 'a', 2)
    expect(run).toMatchObject({
      status: 'completed',
      result: { tool_calls: 1, steps: [{ tool: 'send', result: 'sent' }] },
    })
    expect(sent.mock.calls).toEqual([[['a', 2]]])
    expect(new Set(starts.mock.calls.map(([key]) => key as string)).size).toBe(1)
    expect(starts).toHaveBeenCalledTimes(3)
    const names = (await kit.events(run_id)).map(({ event }) => event.event)
    expect(names.filter((name) => name === 'tool_start' || name.startsWith('wait'))).toEqual([
      'tool_start',
      'wait',
      'wait_settled',
      'wait',
      'wait_settled',
    ])
    await kit.runs.close()
  })

  it('finds answers by their keys, in whatever order the questions come', async () => {
    let turns = 0
    const tool = once(async ({ ask }) => {
      turns += 1
      const names = turns === 1 ? ['a', 'b'] : ['b', 'a']
      const said: unknown[] = []
      for (const key of names) said.push(await ask({ message: `${key}?`, key }))
      return said
    })
    const kit = createKit({ tools: [tool], steps: [call('send'), done] })
    const { run_id } = await kit.run()
    // the second start asks for b first
    const run = await answer(kit, run_id, 'A', 'B')
    expect(run.result).toMatchObject({ steps: [{ result: ['B', 'A'] }] })
    await kit.runs.close()
  })

  it('takes a Standard Schema, and gives what it makes of the answer', async () => {
    const tool = defineTool({
      id: 'book',
      description: 'Books.',
      inputSchema: z.object({}),
      effects: 'read',
      returnsUntrustedContent: false,
      async execute(_, { ask }) {
        const { day } = await ask({
          message: 'When?',
          schema: z.object({ day: z.string().transform((text) => new Date(text)) }),
        })
        return day.getUTCFullYear()
      },
    })
    const kit = createKit({ tools: [tool], steps: [call('book'), done] })
    const { run_id, waits } = await kit.run()
    expect(waits?.[0]?.schema).toMatchObject({ type: 'object', required: ['day'] })
    const run = await answer(kit, run_id, { day: '2026-05-01' })
    expect(run.result).toMatchObject({ steps: [{ result: 2026 }] })
    await kit.runs.close()
  })

  it('waits although the tool catches what stops it, beside calls that go on', async () => {
    const tool = once(async ({ ask }) => {
      try {
        return await ask({ message: 'Sure?' })
      } catch (error) {
        return error instanceof Unanswered ? error.reason : 'caught'
      }
    })
    const look = toolOf('look', () => 'seen')
    const both = { toolCalls: [...call('send').toolCalls, { id: 'c2', name: 'look', args: {} }] }
    const kit = createKit({ tools: [tool, look], steps: [both, done] })
    const { run_id, steps } = await kit.run()
    expect(steps).toMatchObject([{ tool: 'look', result: 'seen' }])
    expect((await answer(kit, run_id, undefined)).result).toMatchObject({
      steps: [{}, { tool: 'send', result: 'declined' }],
    })
    await kit.runs.close()
  })

  it('is asked behind an approval, which is not asked for again', async () => {
    const tool = once(async ({ ask }) => sent(await ask({ message: 'How many?', schema: z.int() })))
    const agents = [agentOf({ approval_tools: ['send'] })]
    const kit = createKit({ agents, tools: [tool], steps: [call('send'), done] })
    const { run_id, stop_reason } = await kit.run()
    expect(stop_reason).toBe('approval')
    const run = await answer(kit, run_id, { decision: 'approve' }, 3)
    expect(run.waits.map(({ kind, status }) => [kind, status])).toEqual([
      ['approval', 'answered'],
      ['question', 'answered'],
    ])
    expect(run.result).toMatchObject({ steps: [{ tool: 'send', result: 'sent' }] })
    await kit.runs.close()
  })

  it('survives the end of its process while it waits, and once more behind the answer', async () => {
    sent.mockClear()
    const store = { ...createTestStore(), isDurable: true }
    const tool = once(async ({ ask }) => sent(await ask({ message: 'What?' })))
    const first = createKit({ store, tools: [tool], steps: [call('send')] })
    const { run_id } = await first.run()
    await first.runs.close()
    const second = createKit({ store, tools: [tool], steps: [done] })
    expect((await answer(second, run_id, 'it')).result).toMatchObject({ success: true, output: 'Done.' })
    expect(sent.mock.calls).toEqual([['it']])
    await second.runs.close()
  })

  it('asks again when its process is killed while another call of the turn is at work', async () => {
    sent.mockClear()
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const store = { ...createTestStore(), isDurable: true }
    const never = () => new Promise<never>(() => {})
    let hasAsked = false
    const tool = once(async ({ ask }) => {
      hasAsked = true
      return sent(await ask({ message: 'What?' }))
    })
    const both = { toolCalls: [...call('send').toolCalls, { id: 'c2', name: 'look', args: {} }] }
    const killed = createKit({
      store: { ...store, renewRuns: never },
      now: () => Date.UTC(2026, 0, 1),
      tools: [tool, toolOf('look', never)],
      steps: [both],
    })
    const { runId } = await killed.runs.start({ agent_id: 'helper', task: 'Send it' })
    await vi.waitFor(async () => {
      expect(hasAsked).toBe(true)
      const effects = await store.listEffects(runId)
      expect(effects.map(({ callId, isParked }) => [callId, isParked])).toContainEqual(['c1', true])
    })
    const next = createKit({
      store,
      now: () => Date.UTC(2026, 0, 1) + 60_000,
      tools: [tool, toolOf('look', () => 'seen')],
      steps: [done],
    })
    await next.runs.recover()
    await vi.waitFor(async () => expect((await next.runs.get(runId)).status).toBe('waiting'))
    const { status, result } = await answer(next, runId, 'it')
    expect([status, result?.output]).toEqual(['completed', 'Done.'])
    expect(sent.mock.calls).toEqual([['it']])
    await next.runs.close()
  })
})
