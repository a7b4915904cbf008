import type { SkillCapabilities } from '@homeward/contract/agent-platform'
import { Facts } from '../components/layout/facts.tsx'
import { type CapabilityChange, compareCapabilities } from './compare-capabilities.ts'
import './skills.css'

/** What a {@link CapabilityList} takes. */
export interface CapabilityListProps {
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
