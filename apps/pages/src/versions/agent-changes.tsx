import type { Json } from '@homeward/contract/agent-platform'
import { diffTexts } from './text-diff.ts'
import './versions.css'

/** A field of an agent before and after a change. Absent: not set. */
interface ShownChange {
  readonly field: string
  readonly before?: Json | undefined
  readonly after?: Json | undefined
}

/** Labels of the fields, as in the form of an agent. */
const labels: Readonly<Record<string, string>> = {
  personality: 'Instructions',
  approval_tools: 'Tools that need your approval',
  approvals: 'Approval rules',
  approval_timeout: 'Approval timeout in seconds',
  wait_timeout: 'Timeout of other waits in seconds',
  ask_user: 'Questions to the user',
  code: 'Programs that call tools',
  collections: 'Documents to search',
  mcp_servers: 'MCP servers',
  hosted_tools: 'Web search by the provider',
  fallback_models: 'Fallback models',
  model_settings: 'Model options',
  output_schema: 'Form of the answer (JSON Schema)',
  schedule_enabled: 'Schedule is on',
  schedule_input: 'Task of the schedule',
  report_to: 'Chats that get reports',
  user_budget: 'Budget of each user',
  while_running: 'Messages while a run works',
  catch_up: 'Missed times of the schedule',
  overlap: 'Times while a run works',
}

/** `max_turns` → "Max turns"; what the form calls it, where it does. */
export function labelOfField(field: string): string {
  const words = field.replaceAll('_', ' ')
  return labels[field] ?? words.charAt(0).toUpperCase() + words.slice(1)
}

/** A value of a field as people read it; undefined where nothing is set. */
export function describeValue(value: Json | undefined): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value !== 'object') return String(value)
  if (Array.isArray(value))
    return value.length === 0 ? undefined : value.map((each) => describeValue(each) ?? '–').join(', ')
  const lines = Object.entries(value).map(
    ([name, each]) => `${labelOfField(name)}: ${describeValue(each) ?? '–'}`,
  )
  return lines.length === 0 ? undefined : lines.join('\n')
}

/** Changes of an agent, field by field. */
export function AgentChanges({ changes }: { readonly changes: readonly ShownChange[] }) {
  return (
    <dl className="agent-changes">
      {changes.map(({ field, before, after }) => (
        <div key={field}>
          <dt>{labelOfField(field)}</dt>
          <dd>
            <ValueChange before={describeValue(before)} after={describeValue(after)} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

interface ValueChangeProps {
  readonly before: string | undefined
  readonly after: string | undefined
}

function ValueChange({ before, after }: ValueChangeProps) {
  if (before === undefined) return <TextDiff before="" after={after ?? 'not set'} isNew />
  if (after === undefined) return <TextDiff before={before} after="" />
  return <TextDiff before={before} after={after} />
}

interface TextDiffProps {
  readonly before: string
  readonly after: string
  /** Whether there was nothing before: then nothing is marked. @default false */
  readonly isNew?: boolean
}

/** A text with the words that were removed and added. */
export function TextDiff({ before, after, isNew = false }: TextDiffProps) {
  if (isNew)
    return (
      <p className="text-diff foreign" dir="auto">
        {after}
      </p>
    )
  return (
    <p className="text-diff foreign" dir="auto">
      {diffTexts(before, after).map(({ kind, text }, index) => {
        // Pieces of one text never change places.
        if (kind === 'removed') return <del key={index}>{text}</del>
        if (kind === 'added') return <ins key={index}>{text}</ins>
        return <span key={index}>{text.length > longestSame ? shorten(text) : text}</span>
      })}
    </p>
  )
}

const longestSame = 400

/** The edges of a long text that did not change. */
const shorten = (text: string) => `${text.slice(0, longestSame / 2)} … ${text.slice(-longestSame / 2)}`
