import { useMemo, useState } from 'react'
import { ErrorState } from '../../components/states/error-state.tsx'
import { FormBar } from '../../components/fields/form-bar.tsx'
import { LeaveGuard } from '../../components/dialogs/leave-guard.tsx'
import { Notice } from '../../components/states/notice.tsx'
import { SubmitForm } from '../../components/fields/submit-form.tsx'
import { Button } from '../../components/buttons/button.tsx'
import { draftProblems, modelProblem } from './draft-problems.ts'
import { BasicsSection } from './basics-section.tsx'
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
  /** @param value that of the button that was pressed; empty for the form's own */
  readonly onSave: (value: string) => void
  /** For buttons that stand outside of the form. */
  readonly id?: string
}

/** Everything that people choose about an agent. */
export function AgentForm({ form, isNew, isPending, error, onSave, id }: AgentFormProps) {
  const { fields: refused, rest } = toAgentErrors(error)
  const problems = draftProblems(form.draft)
  const [stopped, setStopped] = useState(0)
  const unnamed = modelProblem(form.draft)
  // A name is not wrong before it is complete.
  const fields = { ...form.clashes, ...refused, ...problems, ...(stopped > 0 && unnamed) }
  const clashes = Object.keys(form.clashes).join(' ')
  // A new one each time that saving did not work: the first field that is wrong gets the focus.
  const refusal = useMemo(
    () => (error !== null || clashes !== '' || stopped > 0 ? { error, clashes, stopped } : undefined),
    [error, clashes, stopped],
  )

  function save(value: string): void {
    if (Object.keys({ ...problems, ...unnamed }).length === 0) onSave(value)
    else setStopped((count) => count + 1)
  }

  const section = { draft: form.draft, onChange: form.change, errors: fields, isFolded: isNew }
  return (
    <SubmitForm onSubmit={save} error={refusal} {...(id !== undefined && { id })}>
      {form.wasKept && (
        <Notice actions={<Button onPress={form.reset}>Discard them</Button>}>
          These are changes that you had not saved.
        </Notice>
      )}
      <BasicsSection {...section} />
      <ToolsSection {...section} />
      <ModelSection {...section} />
      <LimitsSection {...section} />
      <ScheduleSection {...section} />
      <IdentitySection {...section} isNew={isNew} />
      {rest && <ErrorState error={rest} isInline />}
      <FormBar
        isDirty={form.isDirty}
        isPending={isPending}
        saveLabel={isNew ? 'Create agent' : 'Save'}
        onReset={form.reset}
      >
        {Object.keys(fields).length > 0 ? (
          <span className="field-error">
            {clashes !== '' ? changedBySomebodyElse : 'Correct the fields marked above.'}
          </span>
        ) : undefined}
      </FormBar>
      <LeaveGuard isDirty={form.isDirty && !isPending} isKept onLeave={form.reset} />
    </SubmitForm>
  )
}
