import * as contract from '@homeward/contract/agent-platform'
import { agentPlatformExamples } from '@homeward/contract/examples'
import * as z from 'zod/mini'
import { journalEvents } from './journal-events.ts'
import { streamEvents } from './stream-events.ts'
import { code, exampleNote, generatedNote, page, table } from './markdown.ts'
import { openAiSections } from './openai-sections.ts'
import { createOperationSections, type DocumentedInterface } from './operation-sections.ts'
import { fieldRows, type JsonSchema } from './schema-text.ts'

const { Agent, Approval, Conversation, FoundMemory, InstalledSkill, Json } = contract
const { BrokenSkill, JournalEvent, Message, ModelSettings, Run, RunLimits, RunRequest, RunResult, RunStep } =
  contract
const { Budget, ContextLimits, Graph, GraphNode, GraphEdge, GraphRunRequest, GraphRunResult, NodeResult } =
  contract
const { Task, TaskRequest, TaskFailure, ScheduleState } = contract
const { ChannelStatus, ChannelMessage, Skill, SkillDetails, Usage } = contract

const shapes = {
  Agent,
  RunLimits,
  ModelSettings,
  ContextLimits,
  RunRequest,
  RunResult,
  RunStep,
  Usage,
  Run,
  Task,
  TaskRequest,
  TaskFailure,
  Graph,
  GraphNode,
  GraphEdge,
  GraphRunRequest,
  GraphRunResult,
  NodeResult,
  ScheduleState,
  ChannelStatus,
  ChannelMessage,
  Budget,
  Approval,
  Conversation,
  Message,
  FoundMemory,
  Skill,
  SkillDetails,
  BrokenSkill,
  InstalledSkill,
  JournalEvent,
}

/** Rows of the table by what they are about; each has a file of its own. */
const groups = [
  'agent',
  'run',
  'task',
  'graph',
  'schedule',
  'channel',
  'conversation',
  'memory',
  'skill',
  'platform',
]

const shown: DocumentedInterface = {
  title: 'Agent platform',
  operations: contract.agentPlatformOperations,
  examples: agentPlatformExamples,
  errors: contract.platformErrors,
  shapes: { ...shapes, Json },
  sources: [
    ...groups.map((group) => `${group}-operations`),
    'agent',
    'budget',
    'channel',
    'conversation',
    'file',
    'graph',
    'journal-event',
    'memory',
    'model-settings',
    'run',
    'schedule',
    'skill',
    'source',
    'stream',
    'task',
    'usage',
  ].map((name) => `packages/contract/src/agent-platform/${name}.ts`),
  tables: groups.map((group) => `${group}Operations`),
  mixins: {
    Agent: ['optionalFields'],
    AgentInput: ['optionalFields'],
    AgentPatch: ['optionalFields'],
    Graph: ['shape', 'optionalFields'],
    GraphInput: ['shape', 'optionalFields'],
    GraphPatch: ['shape', 'optionalFields'],
    SkillDetails: ['Skill'],
  },
  inputs: [
    'RunRequest',
    'RunLimits',
    'ModelSettings',
    'ContextLimits',
    'TaskRequest',
    'GraphRunRequest',
    'GraphNode',
    'GraphEdge',
    'Budget',
  ],
  bodies: { updateSettings: 'any of the [settings](#settings); `null` and the empty text clear one.' },
}

/** The page of the agent platform's operations, streams, journal and settings, from the contract. */
export function agentPlatformPage(): string {
  const { index, operations, shapes: sections } = createOperationSections(shown)
  return page(
    generatedNote,
    '# Agent platform',
    'The HTTP interface, from [its table](../../packages/contract/src/agent-platform/operations.ts); ' +
      '`createAgentPlatformDocument()` gives the same as OpenAPI 3.1. Decisions (`A4`) are in ' +
      '[Decisions](../decisions/README.md), error bodies in [Errors](errors.md#agent-platform-over-http), sizes in ' +
      '[Operations](../guides/operations.md#agents), the files of a skill in [Skills](skills.md).',
    'Bodies are JSON in UTF-8 unless stated. Unknown fields are ignored, in both directions; an unknown setting is an error. ' +
      'Times are ISO 8601 in UTC. Where a field may be absent, `null` counts as absent. `next_cursor` is there when there is ' +
      'more: it is the `cursor` of the next page. Without `limit` a page has 100 rows. ' +
      'An id that people choose, of an agent or a skill, has 1 to 64 letters, digits, `_`, `-` and `.`, the first of them a ' +
      'letter or digit.',
    'Who may call is up to the host: see [Access](../getting-started/agent-builder.md#who-may-call). `GET` also answers `HEAD`.',
    exampleNote,
    index,
    '## Operations',
    ...operations,
    ...openAiSections(),
    ...streamSections(),
    ...journalSections(),
    ...settingSections(),
    '## Shapes',
    ...sections.filter((section) => !section.startsWith('### Json\n')),
  )
}

/** JSON Schema of a value that the contract describes; shapes inside it are links. */
function toSchema(schema: z.core.$ZodType): JsonSchema {
  const names = z.registry<{ id: string }>()
  for (const [id, shape] of Object.entries({ ...shapes, Json })) {
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

function streamSections(): string[] {
  const { done, ...others } = contract.runEvents
  const shared = new Set(Object.keys(RunResult.shape))
  const own = Object.entries(toSchema(done).properties ?? {}).filter(([name]) => !shared.has(name))
  const names = Object.keys(contract.runEvents) as contract.RunEventName[]
  return [
    '## Stream',
    '`text/event-stream`, from [`streamAgentRun`](#streamagentrun), [`streamGraphRun`](#streamgraphrun) and [`streamRunEvents`](#streamrunevents). Each event has ' +
      '`event`, `data` (JSON on one line) and `id: <run_id>:<seq>`; `seq` grows by one, but when the server ends amid a run: it skips ' +
      'numbers once the run goes on, and what was last told before the gap, such as half an answer, is told again behind it. Whoever sees a gap reads ' +
      '[`streamRunEvents`](#streamrunevents) from the start, which has everything once. ' +
      'Silence is filled with `: keepalive` every 15 s, or what the host set. Exactly one `done` or `error` ends a run.',
    'A caller that goes away stops nothing: [`cancelRun`](#cancelrun) does. To come back, send the last `id` as ' +
      '`Last-Event-ID` to one of these operations; this works after a restart of the server too. For a run that is not there any more ' +
      'the answer is 404: nothing is started anew. ' +
      'Behind the last event of a run that is over it is 204, which lets an `EventSource` stop: it opens every stream that ended anew.',
    'With `?format=ui` the same run speaks the UI message stream of the AI SDK, and `useChat` posts to ' +
      '`/api/agents/run/stream?format=ui` as it is, with `agent_id` in its body. Files of its messages come along as `data:` URLs; one at another address is 400 and is not fetched. ' +
      '`regenerate()` answers the newest question anew: the conversation keeps it once, and the answer before is not read any more. ' +
      'The stream ends with `finish` (`tool-calls`) where the run of an agent waits for approvals. A chat then posts its decisions in the answer, and the stream ' +
      'goes on behind the calls that were asked about; deciding needs what `decideApproval` needs.',
    ...names.flatMap((name) => {
      // shapes have some of these names too
      const head = [`### ${name} event`, streamEvents[name]]
      if (name !== 'done') return [...head, fields(toSchema(others[name]))]
      const properties = Object.fromEntries(own)
      return [
        ...head,
        fields({ properties, required: Object.keys(properties) }),
        'And every field of [RunResult](#runresult).',
      ]
    }),
  ]
}

function journalSections(): string[] {
  const written = Object.entries(journalEvents).map(([type, [when, names]]) => [
    code(type),
    when,
    names.split(', ').map(code).join(', '),
  ])
  return [
    '## Journal',
    'One numbered list of what happened; [`listLogs`](#listlogs) reads it, and `runtime.events` tells the same to the host. ' +
      'Secrets are taken out before a row is written. With `since`, events behind that number come oldest first; without ' +
      'it, the newest in the order they happened. The WebSocket `/api/events` shows the same as it happens: see ' +
      '[Events](../guides/events.md#websocket).',
    table(['`type`', 'When', '`data`'], written),
  ]
}

function settingSections(): string[] {
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
    'Keys of `config.json` in the data home (mode 0600) and of [`updateSettings`](#updatesettings). The environment wins over ' +
      'the file, under the name shown or, for channels, the other name in capitals. URLs are http or https; ' +
      '`*_webhook_verify` is `on` or `off`, `openai_api` is `responses` or `chat`, `context_window_tokens` a whole number, `web_fetch_hosts` host names separated by commas; every value is text on one line.',
    table(['Key', 'Other name', 'Environment', '`GET` shows'], rows),
    '[`getSettings`](#getsettings) shows besides: `<provider>_configured` for `openai`, `anthropic`, `google` and `openrouter`, ' +
      '`<channel>_configured`, and `store_configured`. Base URLs of providers come from the environment only, with the ' +
      'version path: `OPENAI_BASE_URL`, `ANTHROPIC_BASE_URL`, `GOOGLE_BASE_URL`, `OPENROUTER_BASE_URL`.',
    '`<channel>_default_agent_id` names the agent that answers. A channel without its credentials is off; see its ' +
      '[status](#getchannelstatus).',
  ]
}
