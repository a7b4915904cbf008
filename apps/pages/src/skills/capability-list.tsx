import type { SkillCapabilities } from '@homeward/contract/agent-platform'
import { Facts } from '../components/layout/facts.tsx'
import './skills.css'

/** What a {@link CapabilityList} takes. */
interface CapabilityListProps {
  readonly capabilities: SkillCapabilities
  /** What of it is new against the installed version. */
  readonly added?: SkillCapabilities
  /** What the installed version has, and it has not. */
  readonly removed?: SkillCapabilities
}

const kinds = [
  ['tools', 'Tools'],
  ['hosts', 'Network access'],
  ['commands', 'Runs'],
  ['env', 'Credentials and variables'],
] as const

/** What a skill asks for; against another version with what is new and what is gone. */
export function CapabilityList(props: CapabilityListProps) {
  const asked = kinds
    .map(([kind, label]) => [label, compareCapabilities(props, kind)] as const)
    .filter(([, changes]) => changes.length > 0)
  if (asked.length === 0)
    return <p className="muted">Instructions only: no tools, hosts, programs or credentials.</p>
  return <Facts facts={asked.map(([label, changes]) => [label, <Changes key={label} changes={changes} />])} />
}

const marks = { added: 'new: ', removed: 'gone: ', kept: '' }

function Changes({ changes }: { readonly changes: readonly CapabilityChange[] }) {
  return (
    <ul className="capability-change">
      {changes.map(({ value, change }) => (
        <li key={value} data-change={change}>
          {/* A colour alone says nothing to many. */}
          {marks[change]}
          {value}
        </li>
      ))}
    </ul>
  )
}

/** One thing that a skill asks for. */
interface CapabilityChange {
  readonly value: string
  readonly change: 'added' | 'removed' | 'kept'
}

interface Compared {
  readonly capabilities: SkillCapabilities
  readonly added?: SkillCapabilities
  readonly removed?: SkillCapabilities
}

/** Everything of one kind: what is new first, what is gone last. */
export function compareCapabilities(
  { capabilities, added, removed }: Compared,
  kind: keyof SkillCapabilities,
): CapabilityChange[] {
  const isNew = new Set(added?.[kind])
  const kept = capabilities[kind].filter((value) => !isNew.has(value))
  return [
    ...capabilities[kind]
      .filter((value) => isNew.has(value))
      .map((value) => ({ value, change: 'added' as const })),
    ...kept.map((value) => ({ value, change: 'kept' as const })),
    ...(removed?.[kind] ?? []).map((value) => ({ value, change: 'removed' as const })),
  ]
}

/** Whether an update asks for anything that its installed version does not. */
export function asksForMore(added: SkillCapabilities): boolean {
  return Object.values(added).some((values) => values.length > 0)
}
