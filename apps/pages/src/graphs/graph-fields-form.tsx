import { Card } from '../components/layout/card.tsx'
import { FieldGroup } from '../components/fields/field-group.tsx'
import { NumberField } from '../components/fields/number-field.tsx'
import { SelectField } from '../components/fields/select-field.tsx'
import { TextArea } from '../components/fields/text-area.tsx'
import { TextField } from '../components/fields/text-field.tsx'
import type { DraftProblem } from './draft-problems.ts'
import type { DraftFields } from './graph-draft.ts'
import { GraphScheduleForm } from './graph-schedule-form.tsx'

/** What a {@link GraphFieldsForm} takes. */
interface GraphFieldsFormProps {
  readonly fields: DraftFields
  readonly problems: readonly DraftProblem[]
  /** Whether the id can still be chosen. */
  readonly isNew: boolean
  readonly onChange: (change: Partial<DraftFields>) => void
}

const periods = [
  { value: 'run', label: 'Each run' },
  { value: 'day', label: 'All runs of a day' },
  { value: 'month', label: 'All runs of a month' },
] as const

const scheduleFields = ['schedule', 'timezone', 'schedule_input', 'catch_up', 'overlap']

/** What a graph has besides nodes and edges. */
export function GraphFieldsForm({ fields, problems, isNew, onChange }: GraphFieldsFormProps) {
  const whole = problems.filter(({ key }) => key === undefined)
  const messageAt = (field: string) => whole.find((problem) => problem.field === field)?.message
  const orNone = (value: number) => (Number.isNaN(value) ? undefined : value)
  return (
    <Card title="Settings">
      {isNew && (
        <TextField
          label="Id"
          value={fields.id}
          onChange={(id) => onChange({ id })}
          description="Letters, digits, “-”, “_” and “.”. Leave empty for a generated id."
          errorMessage={messageAt('id')}
        />
      )}
      <TextField
        label="Name"
        value={fields.name}
        onChange={(name) => onChange({ name })}
        errorMessage={messageAt('name')}
      />
      <TextArea
        label="Description"
        rows={2}
        value={fields.description}
        onChange={(description) => onChange({ description })}
        errorMessage={messageAt('description')}
      />
      <FieldGroup
        title="Schedule"
        isUsed={fields.schedule !== ''}
        hasProblem={scheduleFields.some((field) => messageAt(field) !== undefined)}
      >
        <GraphScheduleForm fields={fields} messageAt={messageAt} onChange={onChange} />
      </FieldGroup>
      <FieldGroup
        title="Budget"
        isUsed={fields.maxTokens !== undefined || fields.maxUsd !== undefined}
        hasProblem={messageAt('budget') !== undefined}
      >
        <div className="stack" data-gap="small">
          <NumberField
            label="Token budget"
            minValue={1}
            value={fields.maxTokens ?? NaN}
            onChange={(value) => onChange({ maxTokens: orNone(value) })}
            errorMessage={messageAt('budget')}
          />
          <NumberField
            label="Budget in US dollars"
            minValue={0.0001}
            formatOptions={{ maximumFractionDigits: 4 }}
            value={fields.maxUsd ?? NaN}
            onChange={(value) => onChange({ maxUsd: orNone(value) })}
          />
          <SelectField
            label="Budget applies to"
            options={periods}
            value={fields.period === '' ? 'run' : fields.period}
            onChange={(period) => onChange({ period })}
          />
        </div>
      </FieldGroup>
    </Card>
  )
}
