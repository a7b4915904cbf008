import { ArrowUp, Plus, Trash2 } from 'lucide-react'
import { useRef } from 'react'
import { Button } from '../components/buttons/button.tsx'
import { IconButton } from '../components/buttons/icon-button.tsx'
import { keepFocus } from '../components/dialogs/focus-afterwards.ts'
import { FieldGroup } from '../components/fields/field-group.tsx'
import { SelectField } from '../components/fields/select-field.tsx'
import { SuggestField } from '../components/fields/suggest-field.tsx'
import { TextArea } from '../components/fields/text-area.tsx'
import type { AgentSectionProps } from './agent-section.ts'
import { type ApprovalRuleDraft, maxApprovalRules } from './approval-rules-draft.ts'
import './approval-rules.css'

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
export function ApprovalRulesGroup({ draft, onChange, errors, toolIds }: ApprovalRulesGroupProps) {
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
