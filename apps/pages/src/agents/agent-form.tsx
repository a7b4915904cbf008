import { useMemo, useState } from 'react'
import { ErrorState } from '../components/states/error-state.tsx'
import { FormBar } from '../components/fields/form-bar.tsx'
import { LeaveGuard } from '../components/dialogs/leave-guard.tsx'
import { Notice } from '../components/states/notice.tsx'
import { SubmitForm } from '../components/fields/submit-form.tsx'
import { Button } from '../components/buttons/button.tsx'
import { LimitsSection } from './limits-section.tsx'
import { ModelSection } from './model-section.tsx'
import { ScheduleSection } from './schedule-section.tsx'
import { UsersSection } from './users-section.tsx'
import { ToolsSection } from './tools-section.tsx'
import { changedBySomebodyElse } from '../components/fields/use-clashes.ts'
import { type AgentForm as AgentFormState, toAgentErrors } from './use-agent-form.ts'
import type { AgentDraft } from './agent-draft.ts'
import { ruleProblems } from './agent-draft.ts'
import { jsonTextProblem } from './model-settings-draft.ts'
import { Card } from '../components/layout/card.tsx'
import { TextArea } from '../components/fields/text-area.tsx'
import { TextField } from '../components/fields/text-field.tsx'
import type { AgentSectionProps } from './agent-topic.tsx'
import { ModelField } from './model-section.tsx'
import { AgentTopic } from './agent-topic.tsx'
import { topicSummaries } from './topic-summaries.ts'

/** What an {@link AgentForm} takes. */
interface AgentFormProps {
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

  const [isAllShown, setIsAllShown] = useState(false)
  const summaries = isNew ? {} : topicSummaries(form.draft)
  const section = {
    draft: form.draft,
    onChange: form.change,
    errors: fields,
    isFolded: !isAllShown,
    summaries,
  }
  return (
    <SubmitForm onSubmit={save} error={refusal} {...(id !== undefined && { id })}>
      {form.wasKept && (
        <Notice actions={<Button onPress={form.reset}>Discard them</Button>}>
          These are changes that you had not saved.
        </Notice>
      )}
      <BasicsSection {...section} isNew={isNew} />
      {!isNew && (
        <div className="row" data-justify="between">
          <h2>Settings</h2>
          <Button variant="quiet" onPress={() => setIsAllShown(!isAllShown)}>
            {isAllShown ? 'Fold settings' : 'Show all settings'}
          </Button>
        </div>
      )}
      <ToolsSection {...section} />
      <ModelSection {...section} />
      <LimitsSection {...section} />
      <UsersSection {...section} />
      <ScheduleSection {...section} />
      {isNew && <IdentitySection {...section} />}
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

/** Why a form cannot be sent, by the name of the field in the interface: texts that are not JSON, and rules without a tool. */
export function draftProblems({
  provider_options,
  output_schema,
  approvals,
}: AgentDraft): Readonly<Record<string, string>> {
  const options = jsonTextProblem(provider_options)
  const schema = jsonTextProblem(output_schema)
  return {
    ...(options !== undefined && { 'model_settings.provider_options': options }),
    ...(schema !== undefined && { output_schema: schema }),
    ...ruleProblems(approvals),
  }
}

/** Why a model cannot be asked, as far as its name tells; an empty one is the server's to refuse. */
export function modelProblem({
  model,
  provider,
}: Pick<AgentDraft, 'model' | 'provider'>): Readonly<Record<string, string>> {
  const name = model.trim()
  if (name === '' || provider.trim() !== '' || /^[^/]+\/./.test(name)) return {}
  return {
    model: `"${name}" names no provider or no model. Write it as "provider/model-id", such as "openai/gpt-5".`,
  }
}

/** What every agent needs: a name, a model and what it is told. */
function BasicsSection({ draft, onChange, errors, isNew }: AgentSectionProps & { readonly isNew: boolean }) {
  return (
    <Card title="Agent">
      <TextField
        label="Name"
        value={draft.name}
        onChange={(name) => onChange({ name })}
        errorMessage={errors.name}
        maxLength={200}
      />
      <ModelField draft={draft} onChange={onChange} errors={errors} />
      <TextArea
        label="Instructions"
        value={draft.personality}
        onChange={(personality) => onChange({ personality })}
        errorMessage={errors.personality}
        rows={6}
        placeholder="You answer in a few sentences …"
        description="Instructions that the model reads first in every run."
        maxLength={100_000}
      />
      {!isNew && <DescriptionField draft={draft} onChange={onChange} errors={errors} />}
    </Card>
  )
}

const fields = ['id', 'description']

/** How people and programs know a new agent. */
function IdentitySection({ draft, onChange, errors, isFolded }: AgentSectionProps) {
  return (
    <AgentTopic title="Id and description" fields={fields} errors={errors} isFolded={isFolded}>
      <TextField
        label="Id"
        value={draft.id}
        onChange={(id) => onChange({ id })}
        errorMessage={errors.id}
        placeholder="chosen by the server"
        description="Programs use this id. You cannot change it later."
        maxLength={64}
      />
      <DescriptionField draft={draft} onChange={onChange} errors={errors} />
    </AgentTopic>
  )
}

const DescriptionField = ({ draft, onChange, errors }: AgentSectionProps) => (
  <TextField
    label="Description"
    value={draft.description}
    onChange={(description) => onChange({ description })}
    errorMessage={errors.description}
    description="Shown to people, and to other agents that can call this agent."
    maxLength={2000}
  />
)
