import * as contract from '@homeward/contract/agent-platform'
import * as z from 'zod/mini'
import { journalEvents } from './journal-events.ts'
import { code, table } from './markdown.ts'
import { fieldRows, type JsonSchema } from './schema-text.ts'
import { streamEvents } from './stream-events.ts'

/** Shapes that sections link to, by name. */
type Shapes = Readonly<Record<string, z.core.$ZodType>>

/** JSON Schema of a value that the contract describes; shapes inside it are links. */
function toSchema(schema: z.core.$ZodType, shapes: Shapes): JsonSchema {
  const names = z.registry<{ id: string }>()
  for (const [id, shape] of Object.entries(shapes)) {
    if (shape !== schema) names.add(shape, { id })
  }
  // draft 2020-12, of which zod's types and ours are two descriptions
  return z.toJSONSchema(schema, { io: 'output', metadata: names }) as JsonSchema
}

function fields(schema: JsonSchema): string {
  const rows = fieldRows(schema).map(({ name, type, required }) => [
    code(name),
    type,
    required ? 'always' : '',
  ])
  return table(['Field', 'Type', 'Present'], rows)
}

/** The events of the stream of a run. */
export function streamSections(shapes: Shapes): string[] {
  const { done, ...others } = contract.runEvents
  const shared = new Set(Object.keys(contract.RunResult.shape))
  const own = Object.entries(toSchema(done, shapes).properties ?? {}).filter(([name]) => !shared.has(name))
  const names = Object.keys(contract.runEvents) as contract.RunEventName[]
  return [
    '## Stream',
    'The operations [`streamAgentRun`](#streamagentrun), [`streamGraphRun`](#streamgraphrun) and ' +
      '[`streamRunEvents`](#streamrunevents) return `text/event-stream`. Each event has `event`, `data` (JSON on one line) and ' +
      '`id: <run_id>:<seq>`. `: keepalive` is sent after every 15 s of silence, or after the time that your app set. Exactly one ' +
      '`done` or `error` ends a run.',
    '`seq` grows by one with each event. The exception is a server that stops during the run: after the run has resumed, the ' +
      'stream skips some numbers, and repeats the last events before the gap, such as half an answer. If you see a gap, ' +
      'read [`streamRunEvents`](#streamrunevents) from the start: it has every event once.',
    'If a caller disconnects, the run continues. To stop it, call [`cancelRun`](#cancelrun). To read on, send the last `id` as ' +
      '`Last-Event-ID` to one of these operations, also after a restart of the server. If the run no longer exists, the response ' +
      'is 404, and no new run starts. If the run has ended and there are no further events, the response is 204. It stops an ' +
      '`EventSource`, which otherwise reconnects forever.',
    'With `?format=ui`, the same run is sent as the UI message stream of the AI SDK. `useChat` can post to ' +
      '`/api/agents/run/stream?format=ui` without changes, with `agent_id` in its body. Files of its messages must be `data:` URLs: a ' +
      'file at any other address is rejected with 400 and not fetched. `regenerate()` answers the newest question again. The ' +
      'conversation stores that question once, and models no longer read the previous answer.',
    'If the run of an agent waits for approvals, the stream ends with `finish` (`tool-calls`). The chat then posts its decisions ' +
      'in the answer, and the stream continues after these calls. The caller needs the scope of `decideApproval`.',
    ...names.flatMap((name) => {
      // shapes have some of these names too
      const head = [`### ${name} event`, streamEvents[name]]
      if (name !== 'done') return [...head, fields(toSchema(others[name], shapes))]
      const properties = Object.fromEntries(own)
      return [
        ...head,
        fields({ properties, required: Object.keys(properties) }),
        'And every field of [RunResult](#runresult).',
      ]
    }),
  ]
}

/** The events of the journal. */
export function journalSections(): string[] {
  const written = Object.entries(journalEvents).map(([type, [when, names]]) => [
    code(type),
    when,
    names.split(', ').map(code).join(', '),
  ])
  return [
    '## Journal',
    'The journal is a numbered list of events. [`listLogs`](#listlogs) reads it, and `runtime.events` emits the same events in your ' +
      'app. Secrets are removed before a row is written. With `since`, you get the events after that number, oldest first. ' +
      'Without it, you get the newest events, in the order in which they happened. The WebSocket `/api/events` sends events as ' +
      'they happen: see [Events](../guides/events.md#websocket).',
    table(['`type`', 'When', '`data`'], written),
  ]
}

/** The settings of the server. */
export function settingSections(): string[] {
  const platforms = Object.entries(contract.channelPlatforms)
  const rows = (Object.keys(contract.settingRows) as contract.SettingKey[]).map((key) => {
    const { secret } = contract.settingRows[key]
    const channel = platforms.find(([id]) => key.startsWith(`${id}_`))
    const rest = channel ? key.slice(channel[0].length + 1) : ''
    const other = channel ? (rest.startsWith(`${channel[1]}_`) ? rest : `${channel[1]}_${rest}`) : ''
    const shownAs = secret ? code(`has_${key}`) : 'its value'
    return [code(key), other && code(other), code(key.toUpperCase()), shownAs]
  })
  return [
    '## Settings',
    'These are the keys of `config.json` in the data home (mode 0600) and of [`updateSettings`](#updatesettings). An environment ' +
      'variable overrides the file. Its name is in the table. For channels, the other name in capitals works too. Every value is a ' +
      'string of one line:',
    '- URLs start with http or https.\n- `*_webhook_verify` and `telemetry_content` are `on` or `off`.\n- `openai_api` is `responses` or `chat`.\n' +
      '- `context_window_tokens` is an integer.\n- `web_fetch_hosts` is a list of host names, separated by commas.',
    table(['Key', 'Other name', 'Environment', '`GET` shows'], rows),
    '[`getSettings`](#getsettings) also returns `<provider>_configured` for `openai`, `anthropic`, `google` and `openrouter`, ' +
      '`<channel>_configured` and `store_configured`. Set the base URLs of providers in the environment only, with the ' +
      'version path: `OPENAI_BASE_URL`, `ANTHROPIC_BASE_URL`, `GOOGLE_BASE_URL`, `OPENROUTER_BASE_URL`.',
    '`<channel>_default_agent_id` names the agent that answers. A channel without its credentials is disabled: see its ' +
      '[status](#getchannelstatus).',
  ]
}
