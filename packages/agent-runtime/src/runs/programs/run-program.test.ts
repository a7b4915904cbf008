import { describe, expect, it, vi } from 'vitest'
import type { Agent, Json } from '@homeward/contract/agent-platform'
import { createTestStore } from '../../testing/create-test-store.ts'
import type { Tool } from '../../ports/tool.ts'
import { createRunCodeTool } from '../../tools/code/run-code-tool.ts'
import { agentOf, createKit, toolOf, type KitOptions } from '../testing/run-kit.ts'

// a thread takes longer to start than all of these programs: `program-thread.test.ts` has some
vi.mock('../../tools/code/program-thread.ts', async () => {
  const { createProgramVm } = await import('../../tools/code/program-vm.ts')
  return { startProgramThread: () => ({ ...createProgramVm(1000), end() {} }) }
})

interface ProgramOptions extends Omit<KitOptions, 'tools' | 'agents'> {
  readonly tools?: readonly Tool[]
  readonly agent?: Partial<Agent>
}

/** Runs whose model writes one program, and then says `Done.` */
function kitOf(code: string, { tools = [], agent = {}, ...others }: ProgramOptions = {}) {
  const step = { toolCalls: [{ id: 'p', name: 'run_code', args: { code } }] }
  return createKit({
    steps: [step, { text: 'Done.' }],
    tools: [...tools, createRunCodeTool(tools)],
    agents: [agentOf({ code: true, ...agent })],
    ...others,
  })
}

async function resultOf(code: string, options?: ProgramOptions): Promise<Json | undefined> {
  const { steps } = await kitOf(code, options).run()
  const last = steps.at(-1)
  return last?.error ?? last?.result
}

/** A tool that notes its calls. It may be called once. */
function noteTool(id = 'note', fields: Partial<Tool> = {}) {
  const seen: Json[] = []
  const tool = toolOf(id, (args) => (seen.push(args), { got: args }), {
    effects: 'write',
    idempotent: false,
    ...fields,
  })
  return { tool, seen }
}

const add = toolOf('add', ({ a, b }) => Number(a) + Number(b))

describe('a program', () => {
  it('gives the value of its last expression, of a return, and its log', async () => {
    expect(await resultOf('console.log("two", { a: 1 }); 1 + 1')).toEqual({ value: 2, log: 'two {"a":1}\n' })
    expect(await resultOf('return { list: [1, "a"] }')).toEqual({ value: { list: [1, 'a'] } })
    expect(await resultOf('const x = 1')).toEqual({})
  })

  it('calls tools with their arguments and gets values', async () => {
    const code = 'const sums = await Promise.all([1, 2, 3].map((a) => tools.add({ a, b: 10 }))); sums'
    expect(await resultOf(code, { tools: [add] })).toEqual({ value: [11, 12, 13] })
    const text = toolOf('say-hi', () => 'hi')
    expect(await resultOf('await tools["say-hi"]()', { tools: [text] })).toEqual({ value: 'hi' })
  })

  it('shows its calls as steps of their own, and nothing of them to the model', async () => {
    const kit = kitOf('await tools.add({ a: 1, b: 2 }); await tools.add({ a: 3, b: 4 })', { tools: [add] })
    const result = await kit.run()
    expect(result.tool_calls).toBe(3)
    expect(result.steps.map(({ tool }) => tool)).toEqual(['add', 'add', 'run_code'])
    const steps = await kit.runs.steps(result.run_id)
    const [program] = steps.filter(({ name }) => name === 'run_code')
    expect(steps.filter(({ parent }) => parent === program?.id)).toMatchObject([
      { name: 'add', input: { a: 1, b: 2 }, output: 3, status: 'completed' },
      { name: 'add', input: { a: 3, b: 4 }, output: 7, status: 'completed' },
    ])
    expect(JSON.stringify(kit.model.calls[1]?.prompt)).not.toContain('"a":3')
    const starts = (await kit.events(result.run_id)).filter(({ event }) => event.event === 'tool_start')
    expect(starts).toHaveLength(3)
  })

  it('rejects with the message of a tool, of wrong arguments and of a rule', async () => {
    const tools = [
      toolOf('fail', () => {
        throw new Error('No such city')
      }),
      toolOf('strict', () => 1, {
        inputSchema: { type: 'object', required: ['city'], properties: { city: { type: 'string' } } },
      }),
      toolOf('denied', () => 1),
    ]
    const agent = { approvals: [{ tool: 'denied', decision: 'deny' as const }] }
    const code = `const said = []
      for (const name of ['fail', 'strict', 'denied'])
        await tools[name]({}).catch((error) => said.push(error.message))
      said`
    expect(await resultOf(code, { tools, agent })).toEqual({
      value: [
        'No such city',
        expect.stringContaining('city'),
        expect.stringContaining('a rule of this agent denies this call'),
      ],
    })
  })

  it('has no function for itself, for unknown tools, and nothing of the host', async () => {
    const code = `[typeof tools.run_code, typeof tools.nope, typeof process, typeof fetch, typeof require, typeof setTimeout,
      (() => { try { return typeof this.constructor.constructor('return process')() } catch (error) { return error.name } })()]`
    const none = 'undefined'
    expect(await resultOf(code, { tools: [add] })).toEqual({
      value: [none, none, none, none, none, none, 'ReferenceError'],
    })
  })

  it('fails with what went wrong, its line and its log', async () => {
    expect(await resultOf('console.log("so far")\nnope()')).toBe(
      'ReferenceError: nope is not defined (line 2)\nIts log:\nso far\n',
    )
    expect(await resultOf('x =')).toContain('SyntaxError')
  })

  it('fails at once when it waits for something that never comes', async () => {
    expect(await resultOf('await new Promise(() => {})')).toContain('that nothing can settle')
  })

  it('waits for calls that it does not await, and logs their failures', async () => {
    const { tool, seen } = noteTool()
    const fail = toolOf('fail', () => {
      throw new Error('No luck')
    })
    const code = 'tools.note({ n: 1 }).then(() => tools.note({ n: 2 })); tools.fail({}); "ended"'
    expect(await resultOf(code, { tools: [tool, fail] })).toEqual({
      value: 'ended',
      log: 'Not handled: No luck\n',
    })
    expect(seen).toEqual([{ n: 1 }, { n: 2 }])
  })

  it('taints the run with what its calls bring in, before its next call', async () => {
    const read = toolOf('read', () => 'a page', { returnsUntrustedContent: true })
    const { tool, seen } = noteTool('send', { effects: 'external' })
    const kit = kitOf('await tools.send({ text: await tools.read({}) })', { tools: [read, tool] })
    const { stop_reason: reason, approvals } = await kit.run()
    expect(reason).toBe('approval')
    expect(approvals).toMatchObject([{ tool: 'send', args: { text: 'a page' } }])
    expect(seen).toEqual([])
  })
})

describe('a program whose calls wait', () => {
  const twice = `const first = await tools.note({ n: 1 })
    const at = Date.now(), chance = Math.random()
    const answers = await Promise.allSettled([tools.send({ to: 'Ann' }), tools.send({ to: 'Bob' }), tools.note({ n: 2 })])
    ;({ first, moved: Date.now() >= at, chance, answers: answers.map(({ value, reason }) => value ?? reason.message) })`

  async function decided(decisions: readonly object[]) {
    const note = noteTool()
    const send = noteTool('send')
    const kit = kitOf(twice, { tools: [note.tool, send.tool], agent: { approval_tools: ['send'] } })
    const { run_id: id, stop_reason: reason, approvals = [] } = await kit.run()
    expect(reason).toBe('approval')
    const asked = { notes: [...note.seen], sent: [...send.seen] }
    for (const [index, { id: approval }] of approvals.entries())
      await kit.runs.decideApproval(id, approval, decisions[index] as { decision: 'approve' })
    const ended = await vi.waitFor(async () => {
      const run = await kit.runs.find(id)
      expect(run?.status).toBe('completed')
      return run
    })
    return { kit, asked, note, send, approvals, ended }
  }

  it('asks for all of them together, and repeats nothing when it is run again', async () => {
    const { asked, note, send, ended, approvals, kit } = await decided([
      { decision: 'approve' },
      { decision: 'deny', reason: 'Not him' },
    ])
    expect(approvals.map(({ args }) => args)).toEqual([{ to: 'Ann' }, { to: 'Bob' }])
    expect(asked).toEqual({ notes: [{ n: 1 }, { n: 2 }], sent: [] })
    expect(note.seen).toEqual([{ n: 1 }, { n: 2 }])
    expect(send.seen).toEqual([{ to: 'Ann' }])
    const result =
      ended && 'result' in ended && ended.result && 'steps' in ended.result ? ended.result : undefined
    expect(result?.steps.at(-1)?.result).toMatchObject({
      value: {
        first: { got: { n: 1 } },
        moved: true,
        answers: [{ got: { to: 'Ann' } }, expect.stringContaining('Not him'), { got: { n: 2 } }],
      },
    })
    expect(result?.tool_calls).toBe(5)
    const events = await kit.events(ended?.id ?? '')
    const begun = events.flatMap(({ event }) => (event.event === 'tool_start' ? event.data.id : []))
    expect(begun.toSorted()).toEqual([...new Set(begun)].toSorted())
    expect(begun).toHaveLength(5)
  })

  it('makes a call with the arguments of a person, and takes an answer in place of a result', async () => {
    const { send, ended } = await decided([
      { decision: 'approve', args: { to: 'Anna' } },
      { decision: 'respond', text: 'I told him' },
    ])
    expect(send.seen).toEqual([{ to: 'Anna' }])
    const result =
      ended && 'result' in ended && ended.result && 'steps' in ended.result ? ended.result : undefined
    expect(result?.steps.at(-1)?.result).toMatchObject({
      value: { answers: [{ got: { to: 'Anna' } }, 'I told him', { got: { n: 2 } }] },
    })
  })

  it('asks a question, and continues with the answer', async () => {
    const question = toolOf('question', async (_, { ask }) => ask({ message: 'Which size?' }))
    const { tool, seen } = noteTool()
    const code = 'await tools.note({ n: 1 }); await tools.note({ size: await tools.question({}) })'
    const kit = kitOf(code, { tools: [question, tool] })
    const { run_id: id, stop_reason: reason } = await kit.run()
    expect(reason).toBe('waiting')
    const [wait] = (await kit.runs.waits({ runId: id })).waits
    await kit.runs.answerWait(id, wait?.id ?? '', { data: 'XL' })
    await vi.waitFor(async () => expect((await kit.runs.find(id))?.status).toBe('completed'))
    expect(seen).toEqual([{ n: 1 }, { size: 'XL' }])
  })

  it('shows what was done when it is canceled while it waits', async () => {
    const note = noteTool()
    const send = noteTool('send')
    const kit = kitOf(twice, { tools: [note.tool, send.tool], agent: { approval_tools: ['send'] } })
    const { run_id: id } = await kit.run()
    const waiting = await kit.runs.steps(id)
    expect(waiting.filter(({ parent }) => parent).map(({ status }) => status)).toEqual([
      'completed',
      'waiting',
      'waiting',
      'completed',
    ])
    await kit.runs.cancel(id)
    const steps = await kit.runs.steps(id)
    expect(steps.filter(({ parent }) => parent)).toMatchObject([{ input: { n: 1 } }, { input: { n: 2 } }])
  })
})

describe('limits', () => {
  it('ends a program that makes too many calls, after those that it made', async () => {
    const { tool, seen } = noteTool('note', { idempotent: true })
    expect(await resultOf('for (let n = 0; n < 1001; n += 1) tools.note({})', { tools: [tool] })).toContain(
      'more than 1000 calls',
    )
    expect(seen).toHaveLength(1000)
  })

  it('runs one program of a turn after the other', async () => {
    const order: Json[] = []
    const slow = toolOf('slow', async ({ n = '' }) => {
      order.push(['begins', n])
      await Promise.resolve()
      order.push(['ends', n])
    })
    const toolCalls = ['a', 'b'].map((id) => ({
      id,
      name: 'run_code',
      args: { code: `await tools.slow({ n: "${id}1" }); await tools.slow({ n: "${id}2" })` },
    }))
    const kit = createKit({
      steps: [{ toolCalls }, { text: 'Done.' }],
      tools: [slow, createRunCodeTool([slow])],
      agents: [agentOf({ code: true })],
      store: createTestStore(),
    })
    await kit.run()
    const ids = ['a1', 'a2', 'b1', 'b2']
    expect(order).toEqual(
      ids.flatMap((id) => [
        ['begins', id],
        ['ends', id],
      ]),
    )
  })
})
