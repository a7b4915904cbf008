import { FieldGroup } from '../components/fields/field-group.tsx'
import { NumberField } from '../components/fields/number-field.tsx'
import { SelectField } from '../components/fields/select-field.tsx'
import { TextArea } from '../components/fields/text-area.tsx'
import type { AgentSectionProps } from './agent-section.ts'
import { emptyModelSettings, modelSettingNames } from './model-settings-draft.ts'

const efforts = [
  { value: 'default', label: "The model's default" },
  { value: 'none', label: 'None' },
  { value: 'minimal', label: 'Minimal' },
  { value: 'low', label: 'Low' },
  { value: 'medium', label: 'Medium' },
  { value: 'high', label: 'High' },
  { value: 'xhigh', label: 'Highest' },
] as const

/** As precise as the number is: a number field rounds to what it shows. */
const precise = { maximumFractionDigits: 15 }
const ungrouped = { useGrouping: false }

/** How the model is called: folded, because most agents need none of it. */
export function ModelSettingsGroup({ draft, onChange, errors }: AgentSectionProps) {
  const problemOf = (name: string) => errors[`model_settings.${name}`]
  return (
    <FieldGroup
      title="Model settings"
      isUsed={modelSettingNames.some((name) => !Object.is(draft[name], emptyModelSettings[name]))}
      hasProblem={Object.keys(errors).some((name) => name.startsWith('model_settings'))}
    >
      <div className="stack">
        <p className="field-description">
          Leave a field empty to use the provider's default. Not every model supports every setting.
        </p>
        <SamplingFields draft={draft} onChange={onChange} errors={errors} />
        <TextArea
          label="Stop texts"
          isCode
          rows={2}
          value={draft.stop}
          onChange={(stop) => onChange({ stop })}
          description="The model stops before it writes one of these texts. One per line, at most 16. Write \n for a line break."
          errorMessage={problemOf('stop')}
        />
        <TextArea
          label="Provider options (JSON)"
          isCode
          rows={4}
          value={draft.provider_options}
          onChange={(provider_options) => onChange({ provider_options })}
          placeholder='{"openai": {"serviceTier": "flex"}}'
          description="Options of the provider's AI SDK package, by provider name. They override the settings above. Do not write keys or headers here."
          errorMessage={problemOf('provider_options')}
        />
      </div>
    </FieldGroup>
  )
}

function SamplingFields({ draft, onChange, errors }: AgentSectionProps) {
  return (
    <div className="field-grid">
      <SelectField
        label="Reasoning effort"
        options={efforts}
        value={draft.reasoning}
        onChange={(reasoning) => onChange({ reasoning })}
        description="How much the model thinks before it responds."
        errorMessage={errors['model_settings.reasoning'] ?? errors['model_settings']}
      />
      <NumberField
        label="Randomness (temperature)"
        value={draft.temperature}
        onChange={(temperature) => onChange({ temperature })}
        minValue={0}
        maxValue={2}
        formatOptions={precise}
        description="From 0 (most predictable) to 2. Many reasoning models reject it."
        errorMessage={errors['model_settings.temperature']}
      />
      <NumberField
        label="Share of likely words (top_p)"
        value={draft.top_p}
        onChange={(top_p) => onChange({ top_p })}
        minValue={0}
        maxValue={1}
        formatOptions={precise}
        description="From 0 to 1. Set this or the temperature, not both."
        errorMessage={errors['model_settings.top_p']}
      />
      <NumberField
        label="Number of likely words (top_k)"
        value={draft.top_k}
        onChange={(top_k) => onChange({ top_k })}
        minValue={1}
        maxValue={1_000_000}
        description="The model chooses each word among this many."
        errorMessage={errors['model_settings.top_k']}
      />
      <NumberField
        label="Seed"
        value={draft.seed}
        onChange={(seed) => onChange({ seed })}
        formatOptions={ungrouped}
        description="An integer. With the same seed, some models repeat their output."
        errorMessage={errors['model_settings.seed']}
      />
    </div>
  )
}
