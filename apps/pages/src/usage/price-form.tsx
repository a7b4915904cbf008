import type { ModelPriceView, Price } from '@homeward/contract/agent-platform'
import { useState } from 'react'
import { toFieldErrors } from '../api/field-errors.ts'
import { usePlatformMutation, usePlatformQuery } from '../api/platform.ts'
import { Button } from '../components/buttons/button.tsx'
import { DialogActions } from '../components/dialogs/dialog-actions.tsx'
import { NumberField } from '../components/fields/number-field.tsx'
import { SubmitForm } from '../components/fields/submit-form.tsx'
import { SuggestField } from '../components/fields/suggest-field.tsx'
import { TextField } from '../components/fields/text-field.tsx'
import { ErrorState } from '../components/states/error-state.tsx'
import { showToast } from '../components/states/toasts.tsx'

/** What a {@link PriceForm} takes. */
interface PriceFormProps {
  /** The price that the form begins with. */
  readonly saved: ModelPriceView | undefined
  /** The model of a new price. */
  readonly model: string
  readonly onSaved: () => void
  /** Whether the model can be chosen: not where its price is changed. */
  readonly canChooseModel: boolean
}

const amounts = {
  input: 'Input',
  output: 'Output',
  cached: 'Cached input',
  cacheWrite: 'Cache writes',
} as const
const wireNames = {
  input: 'inputPerMillion',
  output: 'outputPerMillion',
  cached: 'cachedInputPerMillion',
  cacheWrite: 'cacheWritePerMillion',
} as const
const required: readonly string[] = ['input', 'output']

/** Gives a model a price of its own. */
export function PriceForm({ saved, model, onSaved, canChooseModel }: PriceFormProps) {
  const [draft, setDraft] = useState(() => toDraft(saved, model))
  const [attempts, setAttempts] = useState(0)
  const change = (changed: Partial<PriceDraft>) => setDraft((before) => ({ ...before, ...changed }))
  const models = usePlatformQuery('listModels', {}, { enabled: canChooseModel }).data?.models ?? []
  const save = usePlatformMutation('savePrice', {
    invalidates: pricesChanged,
    onSuccess() {
      showToast({ title: `Price of ${draft.model} saved` })
      onSaved()
    },
  })
  const { fields, rest } = toFieldErrors(save.error, ['model', ...Object.values(wireNames)])

  // The button is never disabled for a number: it is taken over when its field is left, which may be by this press.
  function send(): void {
    const price = toPrice(draft)
    if (price && draft.model.trim() !== '')
      save.mutate({ params: { model: draft.model.trim() }, body: price })
    else setAttempts((before) => before + 1)
  }
  const missing = (name: keyof typeof amounts) =>
    attempts > 0 && required.includes(name) && Number.isNaN(draft[name]) ? 'Enter a price, or 0.' : undefined

  return (
    <SubmitForm error={save.error ?? attempts} onSubmit={send}>
      {canChooseModel ? (
        <SuggestField
          label="Model"
          isRequired
          value={draft.model}
          onChange={(written) => change({ model: written })}
          suggestions={models.slice(0, 1000).map(({ id }) => id)}
          placeholder="openai/gpt-5.4"
          errorMessage={fields['model']}
        />
      ) : (
        <TextField label="Model" isReadOnly value={draft.model} errorMessage={fields['model']} />
      )}
      <p className="muted small">US dollars per million tokens.</p>
      <div className="field-grid">
        {(Object.keys(amounts) as (keyof typeof amounts)[]).map((name) => (
          <NumberField
            key={name}
            label={amounts[name]}
            isRequired={required.includes(name)}
            minValue={0}
            maxValue={1_000_000}
            formatOptions={{ maximumFractionDigits: 6 }}
            value={draft[name]}
            onChange={(value) => change({ [name]: value })}
            errorMessage={fields[wireNames[name]] ?? missing(name)}
            {...(!required.includes(name) && { placeholder: 'as input' })}
          />
        ))}
      </div>
      {rest && <ErrorState error={rest} isInline />}
      <DialogActions>
        <Button type="submit" variant="primary" isPending={save.isPending}>
          Save price
        </Button>
      </DialogActions>
    </SubmitForm>
  )
}

/** A price as it is being written. A number that was not written is `NaN`. */
interface PriceDraft {
  readonly model: string
  readonly input: number
  readonly output: number
  readonly cached: number
  readonly cacheWrite: number
}

/** Begins a form: for a price that is there, or for a model that has none. */
function toDraft(price: ModelPriceView | undefined, model = ''): PriceDraft {
  return {
    model: price?.model ?? model,
    input: price?.inputPerMillion ?? Number.NaN,
    output: price?.outputPerMillion ?? Number.NaN,
    cached: price?.cachedInputPerMillion ?? Number.NaN,
    cacheWrite: price?.cacheWritePerMillion ?? Number.NaN,
  }
}

/** What is sent; undefined while a number that is needed is missing. */
function toPrice({ input, output, cached, cacheWrite }: PriceDraft): Price | undefined {
  if (Number.isNaN(input) || Number.isNaN(output)) return undefined
  return {
    inputPerMillion: input,
    outputPerMillion: output,
    ...(!Number.isNaN(cached) && { cachedInputPerMillion: cached }),
    ...(!Number.isNaN(cacheWrite) && { cacheWritePerMillion: cacheWrite }),
  }
}

/** What is read again once a price is another one. */
export const pricesChanged = ['listPrices', 'getUsage', 'listAudit'] as const
