import type { BrokenSkill, Skill } from '@homeward/contract/agent-platform'
import { usePlatformQuery } from '../api/platform.ts'
import { ErrorState } from '../components/states/error-state.tsx'
import { Notice } from '../components/states/notice.tsx'
import { SelectField } from '../components/fields/select-field.tsx'
import { NumberField } from '../components/fields/number-field.tsx'
import { CheckboxField } from '../components/fields/checkbox-field.tsx'
import { TokenField } from '../components/fields/token-field.tsx'
import { type AgentSectionProps, AgentTopic } from './agent-topic.tsx'
import { ArrowUp, Plus, Trash2 } from 'lucide-react'
import { useRef } from 'react'
import { Link } from 'react-aria-components'
import { Button } from '../components/buttons/button.tsx'
import { IconButton } from '../components/buttons/icon-button.tsx'
import { keepFocus } from '../components/dialogs/focus-afterwards.ts'
import { FieldGroup } from '../components/fields/field-group.tsx'
import { SuggestField } from '../components/fields/suggest-field.tsx'
import { TextArea } from '../components/fields/text-area.tsx'
import { type ApprovalRuleDraft, maxApprovalRules } from './agent-draft.ts'
import './approval-rules.css'

const offers = [
  { value: 'all', label: 'All tools of its skills, and the built-in tools' },
  { value: 'some', label: 'Only the tools listed here' },
] as const

const isBroken = (skill: Skill | BrokenSkill): skill is BrokenSkill => 'error' in skill

const fields = [
  'skills',
  'tools',
  'approval',
  'hosted_tools',
  'mcp_servers',
  'collections',
  'ask_user',
  'code',
  'search_documents',
  'wait',
  'while',
]

/** How the agent works: whom it asks, and whether it writes programs. */
const PersonGroup = ({ draft, onChange, errors }: Omit<AgentSectionProps, 'isFolded'>) => (
  <>
    <CheckboxField
      label="Questions to the user, for whose answer the run waits"
      isSelected={draft.ask_user}
      onChange={(ask_user) => onChange({ ask_user })}
      errorMessage={errors.ask_user}
    />
    <CheckboxField
      label="Programs that call tools, which the model writes"
      isSelected={draft.code}
      onChange={(code) => onChange({ code })}
      errorMessage={errors.code}
    />
    <CheckboxField
      label="Messages in chats go to the active run, instead of the next run"
      isSelected={draft.while_running === 'steer'}
      onChange={(isOn) => onChange({ while_running: isOn ? 'steer' : 'queue' })}
      errorMessage={errors.while_running}
    />
  </>
)

/** What the agent can do. */
export function ToolsSection({ draft, onChange, errors, isFolded, summaries }: AgentSectionProps) {
  const topic = { errors, isFolded, summary: summaries?.tools }
  const query = usePlatformQuery('listSkills')
  const all = query.data?.skills ?? []
  const usable = all.filter((skill): skill is Skill => !isBroken(skill))
  const chosen = usable.filter(({ id, name }) => draft.skills.includes(id) || draft.skills.includes(name))
  const toolIds = [...chosen.flatMap(({ tools }) => tools), ...builtInTools]
  const known = new Set(usable.flatMap(({ id, name }) => [id, name]))
  const unknown = query.data ? draft.skills.filter((name) => !known.has(name)) : []
  return (
    <AgentTopic title="Skills and tools" fields={fields} {...topic}>
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
      <PersonGroup draft={draft} onChange={onChange} errors={errors} />
      <NumberField
        label="Timeout of other waits in seconds"
        value={draft.wait_timeout}
        onChange={(wait_timeout) => onChange({ wait_timeout })}
        minValue={1}
        maxValue={31_536_000}
        description="Time until an unanswered question or another wait expires."
        errorMessage={errors.wait_timeout}
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
      <CollectionsField draft={draft} onChange={onChange} errors={errors} />
    </AgentTopic>
  )
}

/** With more of them people look for one by its letters. */
const mostBoxes = 20

/** The documents that the agent searches: a box for each collection, also for one that is chosen and gone. */
function CollectionsField({ draft, onChange, errors }: Omit<AgentSectionProps, 'isFolded'>) {
  const query = usePlatformQuery('listCollections')
  if (query.error) return <ErrorState error={query.error} onRetry={() => void query.refetch()} isInline />
  const all = query.data?.collections
  if (!all) return null
  if (all.length > mostBoxes)
    return (
      <TokenField
        label="Documents to search"
        values={draft.collections}
        onChange={(collections) => onChange({ collections })}
        suggestions={all.map(({ id }) => id)}
        errorMessage={errors.collections}
        description="Ids of collections."
      />
    )
  const gone = draft.collections.filter((id) => !all.some((each) => each.id === id))
  const offered = [
    ...all.map(({ id, name = id }) => ({ id, label: name })),
    ...gone.map((id) => ({ id, label: `${id} (deleted)` })),
  ]
  return (
    <fieldset className="stack" data-gap="small">
      <legend>Documents to search</legend>
      {offered.map(({ id, label }) => (
        <CheckboxField
          key={id}
          label={<span className="foreign">{label}</span>}
          isSelected={draft.collections.includes(id)}
          onChange={(isOn) =>
            onChange({
              collections: isOn
                ? [...draft.collections, id]
                : draft.collections.filter((each) => each !== id),
            })
          }
        />
      ))}
      {errors.collections !== undefined && <p className="field-error">{errors.collections}</p>}
      <p className="field-description">
        {offered.length === 0 ? 'No collections yet. ' : ''}
        <Link href="/collections">{offered.length === 0 ? 'Create one' : 'All collections'}</Link>
      </p>
    </fieldset>
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
  'ask_user',
  'search_documents',
  'run_code',
] as const

const decisions = [
  { value: 'ask', label: 'Ask a person' },
  { value: 'allow', label: 'Allow' },
  { value: 'deny', label: 'Deny' },
] as const

interface ApprovalRulesGroupProps extends AgentSectionProps {
  /** Names of tools that the agent has. */
  readonly toolIds: readonly string[]
}

/** Rules about calls of single tools, in the order in which they are tried. */
function ApprovalRulesGroup({ draft, onChange, errors, toolIds }: ApprovalRulesGroupProps) {
  const list = useRef<HTMLDivElement>(null)
  const rules = draft.approvals
  const save = (approvals: readonly ApprovalRuleDraft[]) => onChange({ approvals })

  function moveUp(index: number): void {
    save(rules.with(index - 1, rules[index]!).with(index, rules[index - 1]!)) // the button of the first rule is disabled
    // The focus follows the rule: the next press must not move it back.
    list.current?.children[index - 1]?.querySelector('input')?.focus()
  }

  return (
    <FieldGroup
      title="Approval rules"
      isUsed={rules.length > 0}
      hasProblem={Object.keys(errors).some((name) => /^approvals\b/.test(name))}
    >
      <div className="stack">
        <p className="field-description">
          The first rule that matches a call decides, before the list of tools that need your approval. Calls
          that act outside still ask once a run has read what strangers wrote, even if a rule allows them.
        </p>
        {errors.approvals !== undefined && <p className="field-error">{errors.approvals}</p>}
        <div ref={list} className="stack">
          {rules.map((rule, index) => (
            <RuleFields
              key={index}
              rule={rule}
              position={index}
              errors={errors}
              toolIds={toolIds}
              onChange={(change) => save(rules.with(index, { ...rule, ...change }))}
              onMoveUp={() => moveUp(index)}
              onRemove={() => {
                save(rules.toSpliced(index, 1))
                keepFocus()
              }}
            />
          ))}
        </div>
        <div className="row">
          <Button
            icon={<Plus aria-hidden />}
            isDisabled={rules.length >= maxApprovalRules}
            onPress={() => save([...rules, { tool: '', decision: 'ask', when: '' }])}
          >
            Add rule
          </Button>
        </div>
      </div>
    </FieldGroup>
  )
}

interface RuleFieldsProps {
  readonly rule: ApprovalRuleDraft
  /** 0 for the first. */
  readonly position: number
  readonly errors: AgentSectionProps['errors']
  readonly toolIds: readonly string[]
  readonly onChange: (change: Partial<ApprovalRuleDraft>) => void
  readonly onMoveUp: () => void
  readonly onRemove: () => void
}

function RuleFields({ rule, position, errors, toolIds, onChange, onMoveUp, onRemove }: RuleFieldsProps) {
  const problemOf = (field: string) => errors[`approvals[${position}].${field}`]
  return (
    <fieldset className="approval-rule">
      <legend>Rule {position + 1}</legend>
      <div className="field-grid">
        <SuggestField
          label="Tool"
          value={rule.tool}
          onChange={(tool) => onChange({ tool })}
          suggestions={toolIds}
          errorMessage={problemOf('tool')}
        />
        <SelectField
          label="Decision"
          options={decisions}
          value={rule.decision}
          onChange={(decision) => onChange({ decision })}
          errorMessage={problemOf('decision')}
        />
      </div>
      <TextArea
        label="Condition (JSON Schema of the arguments)"
        isCode
        rows={2}
        value={rule.when}
        onChange={(when) => onChange({ when })}
        placeholder='{"properties": {"amount": {"maximum": 20}}}'
        description="The rule applies to calls whose arguments match. Leave empty for all calls."
        errorMessage={problemOf('when')}
      />
      <div className="row" data-justify="end">
        <IconButton
          label={`Move rule ${position + 1} up`}
          icon={<ArrowUp aria-hidden />}
          isDisabled={position === 0}
          onPress={onMoveUp}
        />
        <IconButton label={`Remove rule ${position + 1}`} icon={<Trash2 aria-hidden />} onPress={onRemove} />
      </div>
    </fieldset>
  )
}
