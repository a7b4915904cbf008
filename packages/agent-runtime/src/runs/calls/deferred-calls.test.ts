import type { JsonObject } from '@homeward/contract/agent-platform'
import { describe, expect, it, vi } from 'vitest'
import { createTestStore } from '../../testing/create-test-store.ts'
import { deferTools } from '../../tools/deferred/defer-tools.ts'
import type { ScriptedResponse } from '../../testing/scripted-model.ts'
import { agentOf, createKit, firstOf, toolOf, type KitOptions } from '../testing/run-kit.ts'

const pay = vi.fn((_args: JsonObject) => 'paid')
const parameters = { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] }
const bank = [
  toolOf('bank.pay', pay, {
    effects: 'external',
    idempotent: false,
    inputSchema: parameters,
    description: 'Pays an invoice.',
  }),
  ...Array.from({ length: 200 }, (_, n) => toolOf(`bank.report_${n}`, () => n)),
]

/** A call of `call_tool`. */
const call = (args: unknown, id = 'c1') => ({ toolCalls: [{ name: 'call_tool', args, id }] })
const payment = call({ tool: 'bank.pay', arguments: { amount: 5 } })

function createDeferring(steps: readonly ScriptedResponse[], options: KitOptions = {}) {
  pay.mockClear()
  const time = toolOf('time', () => 'noon')
  const { tools, deferred } = deferTools({}, [time, ...bank], [{ tools: bank, from: 'the MCP servers bank' }])
  return createKit({ tools, steps, ...(deferred && { deferred }), ...options })
}

describe('D35: deferred tools', () => {
  it('D35: the prompt holds the same few tools all along, and the model finds the others', async () => {
    const search = { toolCalls: [{ name: 'tool_search', args: { query: 'pay an invoice', limit: 1 } }] }
    const kit = createDeferring([search, payment, { text: 'Paid.' }])
    expect(await kit.run()).toMatchObject({
      output: 'Paid.',
      steps: [
        { tool: 'tool_search', result: { tools: [{ name: 'bank.pay', parameters }] } },
        { tool: 'bank.pay', args: { amount: 5 }, result: 'paid' },
      ],
    })
    const [first, ...others] = kit.model.calls.map(({ tools }) => JSON.stringify(tools))
    expect(kit.model.calls[0]?.tools?.map(({ name }) => name)).toEqual(['time', 'tool_search', 'call_tool'])
    expect(others).toEqual([first, first])
  })

  it('D35: the model reads its calls as it made them; people read the tools that were called', async () => {
    const kit = createDeferring([payment, { text: 'Paid.' }])
    const { run_id } = await kit.run()
    expect(kit.model.calls[1]?.prompt.slice(-2)).toMatchObject([
      { content: [{ toolName: 'call_tool', input: { tool: 'bank.pay', arguments: { amount: 5 } } }] },
      { content: [{ toolName: 'call_tool', output: { value: 'paid' } }] },
    ])
    const { tool_start, tool_call } = firstOf(await kit.events(run_id))
    expect(tool_start).toEqual({ id: 'c1', name: 'bank.pay', args: { amount: 5 } })
    expect(tool_call).toEqual({ id: 'c1', name: 'bank.pay', result: 'paid' })
  })

  it.each([
    ['no arguments', { tool: 'bank.pay' }, "must have required property 'amount'"],
    ['wrong arguments', { tool: 'bank.pay', arguments: { amount: 'x' } }, '/amount must be number'],
    ['no JSON', { tool: 'bank.pay', arguments: 'amount: 5' }, 'not valid JSON'],
    ['no tool', { arguments: {} }, "must have required property 'tool'"],
    ['an unknown tool', { tool: 'bank.steal', arguments: {} }, 'No tool has the name "bank.steal"'],
    ['itself', { tool: 'call_tool', arguments: {} }, 'must name a tool other than call_tool'],
  ])('D35: a call with %s tells the model what is wrong', async (_, args, problem) => {
    const kit = createDeferring([call(args), { text: 'Sorry.' }])
    const { steps } = await kit.run()
    expect(steps[0]?.error).toContain(problem)
    expect(pay).not.toHaveBeenCalled()
  })

  it.each([
    ['the name that providers accept', call({ tool: 'bank_pay', arguments: { amount: 5 } })],
    ['arguments as a text', call({ tool: 'bank.pay', arguments: '{"amount":5}' })],
    ['the tool itself', { toolCalls: [{ name: 'bank_pay', args: { amount: 5 } }] }],
  ])('D35: a model may also write %s', async (_, step) => {
    const kit = createDeferring([step, { text: 'Paid.' }])
    expect(await kit.run()).toMatchObject({ steps: [{ tool: 'bank.pay', result: 'paid' }] })
  })

  it('D35: rules, approvals and the ledger know the real tool, in another process too', async () => {
    const store = createTestStore()
    const agents = [agentOf({ approvals: [{ tool: 'bank.pay', decision: 'ask' }] })]
    const before = createDeferring([payment], { store, agents })
    const { run_id, approvals } = await before.run()
    expect(approvals).toMatchObject([{ tool: 'bank.pay', args: { amount: 5 } }])
    await before.runs.close()

    const after = createDeferring([{ text: 'Paid.' }], { store, agents })
    const decision = { decision: 'approve', args: { amount: 4 } } as const
    await after.runs.decideApproval(run_id, approvals?.[0]?.id ?? '', decision)
    await after.events(run_id)
    expect(pay).toHaveBeenCalledExactlyOnceWith({ amount: 4 }, expect.anything())
    expect((await after.runs.find(run_id))?.result).toMatchObject({ steps: [{ tool: 'bank.pay' }] })
    const input = { tool: 'bank.pay', arguments: { amount: 5 } }
    expect(after.model.calls[0]?.prompt.at(-2)).toMatchObject({ content: [{ toolName: 'call_tool', input }] })
  })

  it('D35: guards see the real tool, and what they leave is called', async () => {
    const guard = vi.fn((_call: object) => ({ replace: { amount: 1 } }))
    const kit = createDeferring([payment, { text: 'Paid.' }], { guards: { toolCall: [guard] } })
    await kit.run()
    expect(guard.mock.calls[0]?.[0]).toMatchObject({ tool: 'bank.pay', args: { amount: 5 } })
    expect(pay).toHaveBeenCalledWith({ amount: 1 }, expect.anything())
  })
})
