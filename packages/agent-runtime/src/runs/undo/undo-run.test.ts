import type { JsonObject } from '@homeward/contract/agent-platform'
import { expect, it, vi } from 'vitest'
import type { Tool } from '../../ports/tool.ts'
import { agentOf, createGate, createKit, toolOf, type KitOptions } from '../testing/run-kit.ts'

const call = (name: string, args: JsonObject = {}, id = name) => ({ id, name, args })

/** Runs over tools that change something, and what was undone of it, in order. */
function open(options: KitOptions & { readonly undo?: NonNullable<Tool['undo']> } = {}) {
  const { undo = async () => 'gone', tools = [], ...more } = options
  const undone: unknown[] = []
  const act = (id: string, fields: Partial<Tool> = {}) =>
    toolOf(id, ({ n = 0 }) => ({ made: n }), {
      effects: 'external',
      idempotent: false,
      async undo(args, result, context) {
        undone.push([id, args['n'] ?? 0, result, context.idempotencyKey])
        return undo(args, result, context)
      },
      ...fields,
    })
  const plain = toolOf('mail', () => 'sent', { effects: 'external', idempotent: false })
  const read = toolOf('look', () => 'seen', { undo: async () => undone.push('look') })
  const all = [act('order'), act('pay'), plain, read, ...(Array.isArray(tools) ? tools : [])]
  const kit = createKit({ ...more, tools: all })
  const finish = async (id: string) => (await kit.runs.attach(id)).result
  return { ...kit, undone, act, finish }
}

const threeTurns = [
  { toolCalls: [call('look'), call('order', { n: 1 }), call('order', { n: 2 }, 'second')] },
  { toolCalls: [call('mail')] },
  { toolCalls: [call('pay', { n: 3 })] },
  { text: 'Done.' },
]

it('takes calls back one by one, newest first, with their keys, and names what has no undo', async () => {
  const kit = open({ steps: threeTurns })
  const { run_id: id } = await kit.run()
  const first = await kit.runs.undo(id)
  expect(first.steps.map(({ tool, status }) => [tool, status])).toEqual([
    ['pay', 'pending'],
    ['mail', 'cannot_undo'],
    ['order', 'pending'],
    ['order', 'pending'],
  ])
  await kit.finish(first.id)
  expect(kit.undone).toEqual([
    ['pay', 3, { made: 3 }, `${id}:3:0`],
    ['order', 2, { made: 2 }, `${id}:1:2`],
    ['order', 1, { made: 1 }, `${id}:1:1`],
  ])
  const { steps } = await kit.runs.findUndo(id)
  expect(steps.map(({ status }) => status)).toEqual(['undone', 'cannot_undo', 'undone', 'undone'])
  expect(steps[1]).toMatchObject({ tool: 'mail', reason: 'The tool has no undo.' })
  const trace = await kit.runs.steps(id)
  expect(steps.map(({ step }) => trace[step]?.input)).toEqual([{ n: 3 }, {}, { n: 2 }, { n: 1 }])
  // asked again, nothing is undone twice
  expect(await kit.runs.undo(id)).toEqual({ id: first.id, steps })
  expect(kit.undone).toHaveLength(3)
  expect(await kit.runs.get(first.id)).toMatchObject({ source: 'undo', status: 'completed' })
  expect(kit.model.calls).toHaveLength(4) // no model is asked
})

it('shows neither people nor models the key that an undo needs', async () => {
  const kit = open({ steps: threeTurns })
  const { run_id: id, ...result } = await kit.run()
  const shown = JSON.stringify([await kit.events(id), await kit.runs.steps(id), result, kit.model.calls])
  expect(shown).not.toContain(`${id}:1:1`)
})

it('A20: asks for the same approvals as the calls, and a denial stops no other step', async () => {
  const agents = [agentOf({ approval_tools: ['order'] })]
  const kit = open({ agents, steps: threeTurns })
  const waiting = await kit.run()
  const decide = async (runId: string, decision: 'approve' | 'deny') => {
    const { approvals } = await kit.runs.get(runId)
    for (const { id, status } of approvals)
      if (status === 'pending') await kit.runs.decideApproval(runId, id, { decision })
    return kit.finish(runId)
  }
  const { run_id: id } = await decide(waiting.run_id, 'approve')
  const undo = await kit.runs.undo(id)
  await kit.finish(undo.id)
  const statuses = async () => (await kit.runs.findUndo(id)).steps.map(({ status }) => status)
  expect(await statuses()).toEqual(['undone', 'cannot_undo', 'waiting', 'pending'])
  expect((await kit.runs.get(undo.id)).approvals).toMatchObject([{ tool: 'undo:order', args: { n: 2 } }])
  await decide(undo.id, 'deny')
  expect(await statuses()).toEqual(['undone', 'cannot_undo', 'failed', 'waiting'])
  await decide(undo.id, 'approve')
  const { steps } = await kit.runs.findUndo(id)
  expect(steps[2]).toEqual(expect.objectContaining({ reason: 'A person denied this call.' }))
  expect(await statuses()).toEqual(['undone', 'cannot_undo', 'failed', 'undone'])
  expect(kit.undone.map((one) => (one as unknown[])[1])).toEqual([3, 1])
})

it('A20: asks only about calls that the run made after it had read what a stranger may have written', async () => {
  const fetch = toolOf('fetch', () => 'page', { returnsUntrustedContent: true })
  const kit = open({
    tools: [fetch],
    steps: [
      { toolCalls: [call('order', { n: 1 })] },
      { toolCalls: [call('fetch')] },
      { toolCalls: [call('pay', { n: 2 })] },
      { text: 'Done.' },
    ],
  })
  const { run_id: id, approvals } = await kit.run()
  await kit.runs.decideApproval(id, approvals?.[0]?.id ?? '', { decision: 'approve' })
  await kit.finish(id)
  const undo = await kit.runs.undo(id)
  await kit.finish(undo.id)
  const open1 = await kit.runs.get(undo.id)
  expect(open1.approvals).toMatchObject([{ tool: 'undo:pay', status: 'pending' }])
  await kit.runs.decideApproval(undo.id, open1.approvals[0]?.id ?? '', { decision: 'approve' })
  expect((await kit.finish(undo.id)).approvals).toBeUndefined()
  expect(kit.undone).toHaveLength(2)
})

it('leaves out calls that were not made, and says why an undo failed', async () => {
  const agents = [agentOf({ approvals: [{ tool: 'pay', decision: 'ask' }] })]
  const broken = toolOf('broken', () => Promise.reject(new Error('down')), { effects: 'external' })
  const kit = open({
    agents,
    tools: [broken],
    undo: () => Promise.reject(new Error('too late')),
    steps: [
      { toolCalls: [call('pay', { n: 1 }, 'denied'), call('pay', { n: 2 }, 'answered'), call('broken')] },
      { toolCalls: [call('order', { n: 3 })] },
      { text: 'Done.' },
    ],
  })
  const { run_id: id, approvals = [] } = await kit.run()
  await kit.runs.decideApproval(id, approvals[0]?.id ?? '', { decision: 'deny' })
  await kit.runs.decideApproval(id, approvals[1]?.id ?? '', { decision: 'respond', text: 'I paid it.' })
  await kit.finish(id)
  const undo = await kit.runs.undo(id)
  await kit.finish(undo.id)
  expect((await kit.runs.findUndo(id)).steps).toMatchObject([
    { tool: 'order', status: 'failed', reason: 'too late' },
    { tool: 'broken', status: 'cannot_undo', reason: 'The call has no result: down' },
  ])
})

it('undoes only the calls that a rerun made itself', async () => {
  const kit = open({
    steps: [
      { toolCalls: [call('order', { n: 1 })] },
      { text: 'One.' },
      { toolCalls: [call('pay', { n: 2 })] },
      { text: 'Two.' },
    ],
  })
  const { run_id: id } = await kit.run()
  const again = await kit.runs.rerun(id, { from_step: 2 })
  await again.result
  expect((await kit.runs.undo(again.runId)).steps.map(({ tool }) => tool)).toEqual(['pay'])
})

it('rejects runs that work or wait, undone undos, and messages to an undo', async () => {
  const gate = createGate()
  const slow = toolOf('slow', gate.wait)
  const kit = open({
    tools: [slow],
    steps: [{ toolCalls: [call('slow')] }, { toolCalls: [call('order')] }, { text: 'Done.' }],
  })
  const code = (work: Promise<unknown>) => work.then(String, (error: { code: string }) => error.code)
  const { runId, result } = await kit.runs.start({ agent_id: 'helper', task: 'x' })
  expect(await code(kit.runs.undo(runId))).toBe('conflict')
  gate.open()
  await result
  expect(await code(kit.runs.findUndo(runId))).toBe('not_found')
  const both = await Promise.all([kit.runs.undo(runId), kit.runs.undo(runId)])
  expect(new Set(both.map(({ id }) => id)).size).toBe(1)
  const [{ id }] = both
  await kit.finish(id)
  expect(kit.undone).toHaveLength(1)
  const rejected = [
    kit.runs.undo('none'),
    kit.runs.undo(id),
    kit.runs.rerun(id),
    kit.runs.message(id, { text: 'x' }),
  ]
  expect(await Promise.all(rejected.map(code))).toEqual([
    'not_found',
    'validation_error',
    'validation_error',
    'conflict',
  ])
})

it('stops when it is canceled: the steps that are left fail', async () => {
  const undo = vi.fn(() => new Promise<never>(() => {}))
  const kit = open({ undo, steps: threeTurns })
  const { run_id: id } = await kit.run()
  const { id: undoId } = await kit.runs.undo(id)
  await vi.waitFor(() => expect(undo).toHaveBeenCalled())
  await kit.runs.cancel(undoId)
  const { steps } = await kit.runs.findUndo(id)
  expect(steps.map(({ status }) => status)).toEqual(['failed', 'cannot_undo', 'failed', 'failed'])
})
