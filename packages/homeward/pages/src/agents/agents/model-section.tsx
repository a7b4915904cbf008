import { Card } from '../../components/layout/card.tsx'
import { Link } from 'react-aria-components'
import { usePlatformQuery } from '../../api/platform.ts'
import { Notice } from '../../components/states/notice.tsx'
import { NumberField } from '../../components/fields/number-field.tsx'
import { SuggestField } from '../../components/fields/suggest-field.tsx'
import { TokenField } from '../../components/fields/token-field.tsx'
import type { AgentSectionProps } from './agent-section.ts'
import { ModelSettingsGroup } from './model-settings-group.tsx'
import { OutputSchemaGroup } from './output-schema-group.tsx'
import { builtInModels, nameOf, providerOf, providers, suggestModels, toFallbacks } from './model-names.ts'

/** Which model answers. */
export function ModelSection({ draft, onChange, errors }: AgentSectionProps) {
  const agents = usePlatformQuery('listAgents')
  const settings = usePlatformQuery('getSettings')
  const models = usePlatformQuery('listModels')
  const known = usePlatformQuery('listModelProviders')
  const suggestions = suggestModels(agents.data?.agents ?? [], settings.data ?? {}, models.data?.models)
  const provider = providerOf(draft)
  const problem = models.data?.problems.find((each) => each.provider === provider)
  const isUnset = provider !== undefined && settings.data?.[`${provider}_configured`] === false
  return (
    <Card title="Model">
      <div className="field-grid">
        <SuggestField
          label="Model"
          isRequired
          value={draft.model}
          onChange={(model) => onChange({ model })}
          suggestions={suggestions}
          errorMessage={errors.model}
          placeholder="provider/model"
          description={`Its provider, a slash and its name. ${builtInModels[0]} needs no key: it repeats what it is told.`}
        />
        <SuggestField
          label="Provider"
          value={draft.provider}
          onChange={(provider) => onChange({ provider })}
          suggestions={[...new Set([...(known.data?.providers ?? []).map(({ name }) => name), ...providers])]}
          errorMessage={errors.provider}
          description="Only where the model's name does not begin with it."
        />
      </div>
      {isUnset && (
        <Notice tone="warn">
          There is no key for {provider} yet. <Link href="/settings#models">Set one in the settings</Link>.
        </Notice>
      )}
      {problem && <Notice tone="warn">{problem.message}</Notice>}
      <TokenField
        label="Fallback models"
        values={draft.fallback_models.map(nameOf)}
        onChange={(names) => onChange({ fallback_models: toFallbacks(names, draft.fallback_models) })}
        suggestions={suggestions}
        errorMessage={errors.fallback_models}
        description="Tried in this order when the model fails before its first word; five at most."
      />
      <div className="field-grid">
        <NumberField
          label="Context window in tokens"
          value={draft.window_tokens}
          onChange={(window_tokens) => onChange({ window_tokens })}
          minValue={256}
          maxValue={100_000_000}
          placeholder="as known of the model"
          description="Prompts are shortened to fit. Set it for models on your own machine."
          errorMessage={errors['context.window_tokens'] ?? errors['context']}
        />
        <NumberField
          label="Earlier messages in tokens"
          value={draft.history_tokens}
          onChange={(history_tokens) => onChange({ history_tokens })}
          minValue={0}
          maxValue={100_000_000}
          placeholder="32,000"
          description="At most half of the free window is used. A summary stands for older messages."
          errorMessage={errors['context.history_tokens']}
        />
      </div>
      <div>
        <ModelSettingsGroup draft={draft} onChange={onChange} errors={errors} />
        <OutputSchemaGroup draft={draft} onChange={onChange} errors={errors} />
      </div>
    </Card>
  )
}
