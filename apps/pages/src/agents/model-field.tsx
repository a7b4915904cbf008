import { Link } from 'react-aria-components'
import { usePlatformQuery } from '../api/platform.ts'
import { SuggestField } from '../components/fields/suggest-field.tsx'
import { Notice } from '../components/states/notice.tsx'
import type { AgentSectionProps } from './agent-section.ts'
import { builtInModels, providerOf, suggestModels } from './model-names.ts'

/** The models that can be chosen: those that the providers list, and those in use. */
export function useModelSuggestions(): readonly string[] {
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
