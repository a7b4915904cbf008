import type { BrokenSkill, Skill } from '@homeward/contract/agent-platform'
import { usePlatformQuery } from '../api/platform.ts'
import { Notice } from '../components/states/notice.tsx'
import { SelectField } from '../components/fields/select-field.tsx'
import { NumberField } from '../components/fields/number-field.tsx'
import { CheckboxField } from '../components/fields/checkbox-field.tsx'
import { TokenField } from '../components/fields/token-field.tsx'
import type { AgentSectionProps } from './agent-section.ts'
import { AgentTopic } from './agent-topic.tsx'
import { ApprovalRulesGroup } from './approval-rules-group.tsx'

const offers = [
  { value: 'all', label: 'All tools of its skills, and the built-in ones' },
  { value: 'some', label: 'Only the tools listed here' },
] as const

const isBroken = (skill: Skill | BrokenSkill): skill is BrokenSkill => 'error' in skill

const fields = ['skills', 'tools', 'approval', 'hosted_tools', 'mcp_servers']

/** What the agent can do. */
export function ToolsSection({ draft, onChange, errors, isFolded }: AgentSectionProps) {
  const query = usePlatformQuery('listSkills')
  const all = query.data?.skills ?? []
  const usable = all.filter((skill): skill is Skill => !isBroken(skill))
  const chosen = usable.filter(({ id, name }) => draft.skills.includes(id) || draft.skills.includes(name))
  const toolIds = [...chosen.flatMap(({ tools }) => tools), ...builtInTools]
  const known = new Set(usable.flatMap(({ id, name }) => [id, name]))
  const unknown = query.data ? draft.skills.filter((name) => !known.has(name)) : []
  return (
    <AgentTopic title="Skills and tools" fields={fields} errors={errors} isFolded={isFolded}>
      <TokenField
        label="Skills"
        values={draft.skills}
        onChange={(skills) => onChange({ skills })}
        suggestions={usable.map(({ id }) => id)}
        errorMessage={errors.skills}
      />
      {unknown.length > 0 && (
        <Notice tone="warn">
          {unknown.join(', ')}: this skill is not available. See Skills for the reason.
        </Notice>
      )}
      <SelectField
        label="Tools"
        options={offers}
        value={draft.narrows_tools ? 'some' : 'all'}
        onChange={(choice) => onChange({ narrows_tools: choice === 'some' })}
        {...(!draft.narrows_tools && { errorMessage: errors.tools })}
      />
      {draft.narrows_tools && (
        <TokenField
          label="Available tools"
          values={draft.tools}
          onChange={(tools) => onChange({ tools })}
          suggestions={toolIds}
          errorMessage={errors.tools}
          description="Without skills, the agent only answers with text."
        />
      )}
      <TokenField
        label="Tools that need your approval"
        values={draft.approval_tools}
        onChange={(approval_tools) => onChange({ approval_tools })}
        suggestions={toolIds}
        errorMessage={errors.approval_tools}
        description="The run waits before such a call until you approve it. Tools with external effects always ask once a run has read untrusted content."
      />
      <NumberField
        label="Approval timeout in seconds"
        value={draft.approval_timeout}
        onChange={(approval_timeout) => onChange({ approval_timeout })}
        minValue={1}
        maxValue={31_536_000}
        placeholder="86400"
        description="Then the call is denied."
        errorMessage={errors.approval_timeout}
      />
      <ApprovalRulesGroup draft={draft} onChange={onChange} errors={errors} toolIds={toolIds} />
      <CheckboxField
        label="Web search by the model's provider"
        isSelected={draft.hosted_tools.includes('web_search')}
        onChange={(isOn) => onChange({ hosted_tools: isOn ? ['web_search'] : [] })}
        errorMessage={errors.hosted_tools}
        description="Works with OpenAI, Anthropic and Google. With any other provider, runs do not start."
      />
      <TokenField
        label="MCP servers"
        values={draft.mcp_servers}
        onChange={(mcp_servers) => onChange({ mcp_servers })}
        errorMessage={errors.mcp_servers}
        description="Names from the page MCP servers."
      />
    </AgentTopic>
  )
}

/** Tools that every agent has (A18): the interface does not list them. */
export const builtInTools = [
  'time',
  'memory_search',
  'memory_write',
  'list_files',
  'read_file',
  'write_file',
  'run_agent',
  'read_skill',
  'web_fetch',
  'send_message',
] as const
