import { usePlatformQuery } from '../api/platform.ts'
import { NumberField } from '../components/fields/number-field.tsx'
import { SuggestField } from '../components/fields/suggest-field.tsx'
import { TokenField } from '../components/fields/token-field.tsx'
import type { AgentSectionProps } from './agent-section.ts'
import { ModelSettingsGroup } from './model-settings-group.tsx'
import { AgentTopic } from './agent-topic.tsx'
import { useModelSuggestions } from './model-field.tsx'
import { nameOf, providers, toFallbacks } from './model-names.ts'
import { FieldGroup } from '../components/fields/field-group.tsx'
import { TextArea } from '../components/fields/text-area.tsx'

const fields = ['provider', 'fallback_models', 'context', 'model_settings', 'output_schema']

/** How the model is asked, and which others may answer. */
export function ModelSection({ draft, onChange, errors, isFolded }: AgentSectionProps) {
  const known = usePlatformQuery('listModelProviders')
  const suggestions = useModelSuggestions()
  return (
    <AgentTopic title="Model options" fields={fields} errors={errors} isFolded={isFolded}>
      <SuggestField
        label="Provider"
        value={draft.provider}
        onChange={(provider) => onChange({ provider })}
        suggestions={[...new Set([...(known.data?.providers ?? []).map(({ name }) => name), ...providers])]}
        errorMessage={errors.provider}
        description="Needed only if the model does not start with its provider."
      />
      <TokenField
        label="Fallback models"
        values={draft.fallback_models.map(nameOf)}
        onChange={(names) => onChange({ fallback_models: toFallbacks(names, draft.fallback_models) })}
        suggestions={suggestions}
        errorMessage={errors.fallback_models}
        description="Used in this order if the model fails before its first word. At most five."
      />
      <div className="field-grid">
        <NumberField
          label="Context window in tokens"
          value={draft.window_tokens}
          onChange={(window_tokens) => onChange({ window_tokens })}
          minValue={256}
          maxValue={100_000_000}
          placeholder="known for the model"
          description="Prompts are shortened to this size. Set a value for models on your own machine."
          errorMessage={errors['context.window_tokens'] ?? errors['context']}
        />
        <NumberField
          label="Earlier messages in tokens"
          value={draft.history_tokens}
          onChange={(history_tokens) => onChange({ history_tokens })}
          minValue={0}
          maxValue={100_000_000}
          placeholder="32,000"
          description="At most half of the free window is used. Older messages are replaced by a summary."
          errorMessage={errors['context.history_tokens']}
        />
      </div>
      <div>
        <ModelSettingsGroup draft={draft} onChange={onChange} errors={errors} />
        <OutputSchemaGroup draft={draft} onChange={onChange} errors={errors} />
      </div>
    </AgentTopic>
  )
}

/** The form of the agent's output: folded, because most agents write text. */
function OutputSchemaGroup({ draft, onChange, errors }: AgentSectionProps) {
  return (
    <FieldGroup
      title="Structured output"
      isUsed={draft.output_schema !== ''}
      hasProblem={errors.output_schema !== undefined}
    >
      <TextArea
        label="Output schema (JSON Schema)"
        isCode
        rows={6}
        value={draft.output_schema}
        onChange={(output_schema) => onChange({ output_schema })}
        placeholder='{"type": "object", "properties": {"city": {"type": "string"}}}'
        description="The output of each run is JSON that matches this schema. Leave it empty for plain text."
        errorMessage={errors.output_schema}
      />
    </FieldGroup>
  )
}
