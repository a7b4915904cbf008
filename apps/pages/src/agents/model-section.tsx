import { usePlatformQuery } from '../api/platform.ts'
import { NumberField } from '../components/fields/number-field.tsx'
import { SuggestField } from '../components/fields/suggest-field.tsx'
import { TokenField } from '../components/fields/token-field.tsx'
import { type AgentSectionProps, AgentTopic } from './agent-topic.tsx'
import { FieldGroup } from '../components/fields/field-group.tsx'
import { TextArea } from '../components/fields/text-area.tsx'
import { Link } from 'react-aria-components'
import { Notice } from '../components/states/notice.tsx'
import type { Agent, FallbackModel, ModelList } from '@homeward/contract/agent-platform'
import type { AgentDraft } from './agent-draft.ts'
import { SelectField } from '../components/fields/select-field.tsx'
import { emptyModelSettings, modelSettingNames } from './model-settings-draft.ts'

const fields = ['provider', 'fallback_models', 'context', 'model_settings', 'output_schema']

/** How the model is asked, and which others may answer. */
export function ModelSection({ draft, onChange, errors, isFolded, summaries }: AgentSectionProps) {
  const topic = { errors, isFolded, summary: summaries?.model }
  const known = usePlatformQuery('listModelProviders')
  const suggestions = useModelSuggestions()
  return (
    <AgentTopic title="Model options" fields={fields} {...topic}>
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

/** The models that can be chosen: those that the providers list, and those in use. */
function useModelSuggestions(): readonly string[] {
  const agents = usePlatformQuery('listAgents')
  const models = usePlatformQuery('listModels')
  return suggestModels(agents.data?.agents ?? [], models.data?.models)
}

/** Which model answers, and what keeps it from doing so. */
export function ModelField({ draft, onChange, errors }: AgentSectionProps) {
  const settings = usePlatformQuery('getSettings')
  const models = usePlatformQuery('listModels')
  const provider = providerOf(draft)
  const problem = models.data?.problems.find((each) => each.provider === provider)
  const isUnset = provider !== undefined && settings.data?.[`${provider}_configured`] === false
  return (
    <>
      <SuggestField
        label="Model"
        isRequired
        value={draft.model}
        onChange={(model) => onChange({ model })}
        suggestions={useModelSuggestions()}
        errorMessage={errors.model}
        placeholder="provider/model"
        description={`Provider, slash, model id. ${builtInModels[0]} needs no key: it repeats your message.`}
      />
      {isUnset && (
        <Notice tone="warn">
          The API key of {provider} is missing. <Link href="/settings#models">Enter it in the settings</Link>.
        </Notice>
      )}
      {problem && <Notice tone="warn">{problem.message}</Notice>}
    </>
  )
}

/** Models that need no key. */
const builtInModels = ['test/echo', 'test/tools'] as const

/** Providers that every platform knows; a host can add its own. */
const providers = ['openai', 'anthropic', 'google', 'openrouter', 'test'] as const

/** Which provider the model of a form belongs to; undefined while that cannot be told. */
function providerOf({ model, provider }: Pick<AgentDraft, 'model' | 'provider'>): string | undefined {
  if (provider !== '') return provider
  const slash = model.indexOf('/')
  return slash > 0 ? model.slice(0, slash) : undefined
}

/** The name of a fallback model. */
const nameOf = (fallback: FallbackModel) => (typeof fallback === 'string' ? fallback : fallback.model)

/** Fallback models of these names; those that were there before keep their settings. */
function toFallbacks(names: readonly string[], before: readonly FallbackModel[]): FallbackModel[] {
  return names.map((name) => before.find((known) => nameOf(known) === name) ?? name)
}

/** A list of more is slow to show. Other names can be written. */
const mostSuggested = 1000

/** Names to choose from: those that the providers list, the built-in ones, and those in use that can run. */
function suggestModels(agents: readonly Agent[], listed: readonly ListedModel[] = []): string[] {
  const used = agents.flatMap(({ model, fallback_models = [] }) => [model, ...fallback_models.map(nameOf)])
  const named = used.filter((name) => /^[^/]+\/./.test(name))
  return [...new Set([...named, ...builtInModels, ...listed.map(({ id }) => id)])]
    .slice(0, mostSuggested)
    .toSorted()
}

type ListedModel = ModelList['models'][number]

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
function ModelSettingsGroup({ draft, onChange, errors }: AgentSectionProps) {
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
