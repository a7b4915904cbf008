import type { JournalEvent, Json, JsonObject } from '@homeward/contract/agent-platform'
import { formatCount, formatDuration } from '../components/text/to-shown-text.ts'
import { channelNames } from '../settings/setting-texts.ts'
import { formatUsd } from '../usage/format-usage.ts'

const maxLength = 300
const maxValue = 120

/** Reads a field of an event as a text; '' if it is missing. */
type Get = (name: string) => string

/** The sentences, by the type of the event. `who` is the agent, the graph or the channel. */
const sentences: Readonly<Record<string, (who: string, get: Get, data: JsonObject) => readonly string[]>> = {
  'agent.started': (who, get) => [`${who} started${get('task') && `: ${get('task')}`}`],
  'agent.completed': (who, get, data) => [
    outcomeOf(who, get),
    counted(data['tool_calls'], 'tool call'),
    tokensOf(data),
  ],
  'model.completed': (who, get, data) => [
    `${who} called ${get('model')}`,
    tokensOf(data),
    typeof data['cost_usd'] === 'number' ? formatUsd(data['cost_usd']) : '',
    timeOf(data),
  ],
  'graph.started': (who, get) => [`${who} started: ${get('task')}`],
  'graph.completed': (who, get) => [outcomeOf(who, get)],
  'tool.called': (who, get) => [`${who} calls ${get('tool')}`, get('args').replace(/^\{\}$/, '')],
  'tool.completed': (who, get, data) => [
    data['ok'] === false
      ? `${get('tool')} failed for ${who}: ${get('error')}`
      : `${get('tool')} answered ${who}`,
    timeOf(data),
  ],
  'approval.requested': (who, get) => [`${who} asks for approval of ${get('tool')}`],
  'approval.resolved': (who, get) => [`A call of ${who} was ${get('status')}`, by(get('decided_by'))],
  'wait.opened': (who, get) => [`${who} waits for ${waits[get('kind')] ?? get('kind')}`, get('event')],
  'wait.settled': (who, get) => [
    `The wait of ${who} for ${waits[get('kind')] ?? get('kind')} is over: ${get('status')}`,
    by(get('answered_by')),
  ],
  'skill.changed': (_who, get) => [`The skill ${get('skill_id')} was ${get('change')}`],
  'task.created': (who, get) => [`Task for ${who} ${get('retry') === 'true' ? 'queued again' : 'queued'}`],
  'task.started': (who, get) => [`Task of ${who} started`, attemptOf(get)],
  'task.completed': (who, get) => [`Task of ${who} completed`, attemptOf(get)],
  'task.failed': (who, get) => [`Task of ${who} failed: ${get('message')}`, attemptOf(get)],
  'schedule.fired': (who, get) => [`Schedule started a task for ${who}`, get('schedule')],
  'schedule.missed': (who, get) => [`Schedule of ${who} skipped a time: ${get('reason')}`, get('schedule')],
  'channel.message': (who, get) => [`Message from ${get('sender_id')} on ${who}`],
  'channel.reply': (who) => [`Answer sent on ${who}`],
  'channel.failed': (who, get) => [`Answer not sent on ${who}: ${get('message')}`],
  'channel.sender': (who, get) => [`${get('sender_id')} on ${who} is ${get('status')}`],
}

const ends: Readonly<Record<string, string>> = {
  completed: 'finished',
  failed: 'failed',
  cancelled: 'was stopped',
  waiting: 'waits',
}

/** `Writer failed: the model did not answer`. A run that somebody stopped needs no reason. */
function outcomeOf(who: string, get: Get): string {
  const reason = get('status') === 'cancelled' ? '' : get('error')
  return `${who} ${ends[get('status')] ?? get('status')}${reason && `: ${reason}`}`
}

const waits: Readonly<Record<string, string>> = {
  approval: 'an approval',
  question: 'an answer',
  event: 'an event',
  sleep: 'a time',
}

const by = (person: string) => person && `by ${person}`
const attemptOf = (get: Get) => (get('attempt') === '1' ? '' : `attempt ${get('attempt')}`)
const timeOf = ({ duration_ms: ms }: JsonObject) => (typeof ms === 'number' ? formatDuration(ms) : '')

function counted(count: Json | undefined, noun: string): string {
  if (typeof count !== 'number' || count === 0) return ''
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`
}

function tokensOf({ input_tokens: input, output_tokens: output }: JsonObject): string {
  const sum = (typeof input === 'number' ? input : 0) + (typeof output === 'number' ? output : 0)
  return counted(sum, 'token')
}

/** An event as a sentence: `Writer finished · 2 tool calls · 2,056 tokens`. A type that the page does not know as its fields. */
export function describeEvent(event: JournalEvent, nameOf = (agentId: string) => agentId): string {
  const { type, data } = event
  const get: Get = (name) => toText(data[name])
  const channel = get('channel')
  const who =
    (get('agent_id') && nameOf(get('agent_id'))) ||
    get('graph_id') ||
    (Object.hasOwn(channelNames, channel) ? channelNames[channel as keyof typeof channelNames] : channel) || // of the table
    'An agent'
  const parts = Object.hasOwn(sentences, type)
    ? sentences[type]!(who, get, data)
    : Object.keys(data).map((name) => `${name.replaceAll('_', ' ')} ${get(name)}`)
  return parts
    .filter((part) => part !== '')
    .join(' · ')
    .slice(0, maxLength)
}

function toText(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > maxValue ? `${text.slice(0, maxValue)}…` : text
}
