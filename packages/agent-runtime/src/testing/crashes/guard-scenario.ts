import type { JsonObject } from '@homeward/contract/agent-platform'
import type { GuardContext, GuardDecision, Guards } from '../../ports/guard.ts'
import type { SimulatedProcess } from './simulated-process.ts'
import type { CrashScenario } from './scenario.ts'

const card = '1234-5678'
const clean = (text: string) => text.replaceAll(card, '[card]')
const cleanArgs = (args: JsonObject) => JSON.parse(clean(JSON.stringify(args))) as JsonObject // as it was before

/** Guards that ask a service outside: each question is a way out of the process. */
function createGuards(cross: SimulatedProcess['cross']): Guards {
  const ask = async <Value>(kind: string, decide: () => GuardDecision<Value>, { signal }: GuardContext) => {
    signal.throwIfAborted()
    return cross(`guard.${kind}`, async () => decide())
  }
  return {
    timeoutMs: 60_000,
    input: ({ text }, context) => ask('input', () => ({ replace: clean(text) }), context),
    toolCall: ({ tool, args }, context) =>
      ask(
        'toolCall',
        () => (tool === 'drop' ? { refuse: 'never dropped' } : { replace: cleanArgs(args) }),
        context,
      ),
    toolResult: ({ result = null }, context) =>
      ask('toolResult', () => ({ replace: { result: ['checked', result] } }), context),
    output: ({ text }, context) => ask('output', () => ({ replace: { text: clean(text) } }), context),
  }
}

/** A task whose every part is checked: what the guards took out is nowhere, and a call that was made stays made. */
export const guardScenario: CrashScenario = {
  name: 'a run with guards',
  tools: [
    { id: 'look', repeat: 'safe' },
    { id: 'send', repeat: 'once' },
    { id: 'drop', repeat: 'once' },
  ],
  models: {
    guarded: [
      {
        text: `I charge ${card}.`,
        toolCalls: [
          { name: 'send', id: 'a', args: { number: card } },
          { name: 'look', id: 'b', args: { at: 'it' } },
          { name: 'drop', id: 'c', args: { all: true } },
        ],
      },
      { toolCalls: [{ name: 'send', id: 'd', args: { to: 2 } }] },
      { text: ['Charged 1234', '-5678.'] },
    ],
  },
  guards: createGuards,
  async prepare(runtime) {
    await runtime.agents.create({ id: 'guarded', model: 'crash/guarded', limits: { max_runtime: 60 } })
  },
  begin: () => ({
    async work(runtime) {
      await runtime.run({
        agent_id: 'guarded',
        task: `Charge ${card}`,
        conversation_id: 'c',
        idempotency_key: 'the-same-request',
      })
    },
    async problems(runtime) {
      const { runs } = await runtime.runs.list()
      const said = await runtime.conversations.get('c').catch(() => undefined)
      const events = await Promise.all(runs.map(({ id }) => Array.fromAsync(runtime.runs.events(id, 0))))
      return JSON.stringify([runs, said, events]).includes(card)
        ? ['what a guard took out was stored or shown']
        : []
    },
  }),
}
