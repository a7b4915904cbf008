import type { RuntimeStore } from '../../store/ports/runtime-store.ts'
import { runsOf } from './final-state.ts'
import type { Effect } from './crash-fixtures.ts'

/** What a store knew of tool calls when a process was killed. */
export interface CrashLedger {
  /** Calls whose outcome was kept: they are never made again. */
  readonly done: ReadonlySet<string>
  /** Tools that were announced, may not be made twice, and of whose end nothing is known. */
  readonly uncertain: readonly string[]
  /** Messages of which a part was being sent: nobody can tell whether it arrived. */
  readonly sending: readonly string[]
}

/** One name for a call, however often it is made. */
export const callName = ({ tool, args }: Pick<Effect, 'tool' | 'args'>): string => `${tool} ${args}`

/** Reads what is known of all tool calls. Those of tools that `verifies` names are not uncertain. */
export async function readLedger(store: RuntimeStore, verifies: ReadonlySet<string>): Promise<CrashLedger> {
  const done = new Set<string>()
  const uncertain: string[] = []
  for (const run of await runsOf(store)) {
    const messages = await store.listRunMessages(run.id)
    const calls = new Map<string, string>()
    for (const message of messages) {
      if (message.role !== 'assistant') continue
      for (const part of message.parts) {
        if (part.type === 'tool_call') {
          calls.set(part.id, callName({ tool: part.name, args: JSON.stringify(part.args) }))
        }
      }
    }
    for (const message of messages) {
      if (message.role !== 'tool') continue
      for (const { id, error, inner = [] } of message.results) {
        if (error === undefined) done.add(calls.get(id) ?? id)
        for (const { name, args } of inner) done.add(callName({ tool: name, args: JSON.stringify(args) }))
      }
    }
    for (const { callId, tool, repeat, isParked, outcome, inner } of await store.listEffects(run.id)) {
      const name = inner ? callName({ tool, args: JSON.stringify(inner.args) }) : calls.get(callId)
      if (outcome) done.add(name ?? callId)
      else if (repeat === 'once' && !isParked && run.status === 'running' && !verifies.has(tool))
        uncertain.push(tool)
    }
  }
  const { rows: messages } = await store.listChannelMessages({}, { limit: 100 })
  const sending = messages.filter(({ parts }) => parts.some(({ state }) => state === 'sending'))
  return { done, uncertain, sending: sending.map(({ text }) => text) }
}
