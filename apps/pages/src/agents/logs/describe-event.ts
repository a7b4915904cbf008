import type { Json, JournalEvent } from '@homeward/contract/agent-platform'

/** What an event is about comes first, and ids that nobody knows by heart come last. */
const leading =
  'agent_id graph_id skill_id channel tool status error code message task change model reason schedule'.split(
    ' ',
  )
const trailing = ['task_id', 'conversation_id', 'call_id', 'parent_run_id', 'message_id', 'approval_id']
const maxLength = 300
const maxValue = 120

/** An event in one line: `agent demo · status completed · turns 2`. */
export function describeEvent({ data }: JournalEvent): string {
  const placed = [...leading, ...trailing]
  const others = Object.keys(data).filter((name) => !placed.includes(name))
  let text = ''
  for (const name of [...leading, ...others, ...trailing]) {
    const value = data[name]
    if (value === undefined || value === null) continue
    text += `${text && ' · '}${name.replace(/_id$/, '').replaceAll('_', ' ')} ${toText(value)}`
    if (text.length > maxLength) break
  }
  return text.slice(0, maxLength)
}

function toText(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > maxValue ? `${text.slice(0, maxValue)}…` : text
}
