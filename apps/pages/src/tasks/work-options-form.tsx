import { FieldGroup } from '../components/fields/field-group.tsx'
import { NumberField } from '../components/fields/number-field.tsx'
import { SelectField } from '../components/fields/select-field.tsx'
import { TextArea } from '../components/fields/text-area.tsx'
import { TextField } from '../components/fields/text-field.tsx'
import { noWorkOptions, parseMetadata, workFieldNames, type WorkOptions } from './task-draft.ts'

/** What a {@link WorkOptionsForm} takes. */
interface WorkOptionsFormProps {
  readonly options: WorkOptions
  readonly onChange: (options: WorkOptions) => void
  /** What the server found wrong, by the name of the field in the interface. */
  readonly errors?: Readonly<Record<string, string>>
}

const periods = [
  { value: 'run', label: 'This run' },
  { value: 'day', label: 'All runs of a day' },
  { value: 'month', label: 'All runs of a month' },
] as const

const orNone = (value: number) => (Number.isNaN(value) ? undefined : value)

/** Whom the work is for, what it may cost, and how it is recognised: folded, since most work needs none of it. */
export function WorkOptionsForm({ options, onChange, errors = {} }: WorkOptionsFormProps) {
  const set = (change: Partial<WorkOptions>) => onChange({ ...options, ...change })
  return (
    <FieldGroup
      title="More options"
      isUsed={options !== noWorkOptions}
      hasProblem={workFieldNames.some((name) => Object.hasOwn(errors, name))}
    >
      <div className="stack" data-gap="small">
        <TextField
          label="User id"
          value={options.userId}
          onChange={(userId) => set({ userId })}
          description="The agents use the memories of this user."
          errorMessage={errors.user_id}
          maxLength={200}
        />
        <TextField
          label="Idempotency key"
          value={options.idempotencyKey}
          onChange={(idempotencyKey) => set({ idempotencyKey })}
          description="Requests with the same key start the work only once."
          errorMessage={errors.idempotency_key}
          maxLength={200}
        />
        <NumberField
          label="Token budget"
          minValue={1}
          value={options.maxTokens ?? NaN}
          onChange={(value) => set({ maxTokens: orNone(value) })}
          errorMessage={errors['budget.max_tokens'] ?? errors.budget}
        />
        <NumberField
          label="Budget in US dollars"
          minValue={0.0001}
          formatOptions={{ maximumFractionDigits: 4 }}
          value={options.maxUsd ?? NaN}
          onChange={(value) => set({ maxUsd: orNone(value) })}
          errorMessage={errors['budget.max_usd']}
        />
        <SelectField
          label="Budget applies to"
          options={periods}
          value={options.period}
          onChange={(period) => set({ period })}
        />
        <TextArea
          label="Metadata"
          isCode
          rows={3}
          value={options.metadata}
          onChange={(metadata) => set({ metadata })}
          placeholder="{}"
          errorMessage={metadataProblem(options.metadata) ?? errors.metadata}
        />
      </div>
    </FieldGroup>
  )
}

function metadataProblem(text: string): string | undefined {
  if (text.trim() === '') return undefined
  try {
    parseMetadata(text)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
