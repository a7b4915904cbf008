import { ErrorState } from '../../components/states/error-state.tsx'
import { FormBar } from '../../components/fields/form-bar.tsx'
import { LeaveGuard } from '../../components/dialogs/leave-guard.tsx'
import { Notice } from '../../components/states/notice.tsx'
import { SubmitForm } from '../../components/fields/submit-form.tsx'
import { Button } from '../../components/buttons/button.tsx'
import { IdentitySection } from './identity-section.tsx'
import { LimitsSection } from './limits-section.tsx'
import { ModelSection } from './model-section.tsx'
import { ScheduleSection } from './schedule-section.tsx'
import { ToolsSection } from './tools-section.tsx'
import { changedBySomebodyElse } from '../../components/fields/changed-elsewhere.ts'
import { type AgentForm as AgentFormState, toAgentErrors } from './use-agent-form.ts'

/** What an {@link AgentForm} takes. */
export interface AgentFormProps {
  readonly form: AgentFormState
  readonly isNew: boolean
  readonly isPending: boolean
  /** Why the server refused what was sent last. */
  readonly error: Error | null
  readonly onSave: () => void
}

/** Everything that people choose about an agent. */
export function AgentForm({ form, isNew, isPending, error, onSave }: AgentFormProps) {
  const { fields: refused, rest } = toAgentErrors(error)
  const fields = { ...form.clashes, ...refused }
  const hasClash = Object.keys(form.clashes).length > 0
  const section = { draft: form.draft, onChange: form.change, errors: fields }
  return (
    <SubmitForm onSubmit={onSave} error={error ?? Object.keys(form.clashes).join(' ')}>
      {form.wasKept && (
        <Notice actions={<Button onPress={form.reset}>Discard them</Button>}>
          These are changes that you had not saved.
        </Notice>
      )}
      <IdentitySection {...section} isNew={isNew} />
      <ModelSection {...section} />
      <ToolsSection {...section} />
      <LimitsSection {...section} />
      <ScheduleSection {...section} />
      {rest && <ErrorState error={rest} isInline />}
      <FormBar
        isDirty={form.isDirty}
        isPending={isPending}
        saveLabel={isNew ? 'Create agent' : 'Save'}
        onReset={form.reset}
      >
        {Object.keys(fields).length > 0 ? (
          <span className="field-error">{hasClash ? changedBySomebodyElse : 'See what is wrong above.'}</span>
        ) : undefined}
      </FormBar>
      <LeaveGuard isDirty={form.isDirty && !isPending} isKept onLeave={form.reset} />
    </SubmitForm>
  )
}
