import type { SettingsView } from '@homeward/contract/agent-platform'
import { usePlatformQuery } from '../api/platform.ts'
import { Card } from '../components/layout/card.tsx'
import { PageHeader } from '../components/layout/page-header.tsx'
import { Notice } from '../components/states/notice.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { ModelProvidersCard } from './model-providers-card.tsx'
import './model-providers.css'
import { SettingsForm } from './settings-form.tsx'
import { ProviderStatus, useProviderState } from './provider-status.tsx'

const builtIn = [
  { id: 'openai', name: 'OpenAI', keys: ['openai_api_key', 'openai_api'] },
  { id: 'anthropic', name: 'Anthropic', keys: ['anthropic_api_key'] },
  { id: 'google', name: 'Google', keys: ['google_api_key'] },
  { id: 'openrouter', name: 'OpenRouter', keys: ['openrouter_api_key'] },
] as const
type BuiltIn = (typeof builtIn)[number]

/** Where models come from: the providers with a key, and own servers, each with whether it answers. */
export function ModelsPage() {
  const query = usePlatformQuery('getSettings')
  return (
    <>
      <PageHeader
        title="Models"
        description="Providers of models. One is enough. Without any, agents can use only the built-in test models."
      />
      <QueryView query={query}>
        {(settings) => (
          <div className="stack" id="models">
            <div className="provider-cards">
              {builtIn.map((provider) => (
                <ProviderCard key={provider.id} provider={provider} settings={settings} />
              ))}
            </div>
            <ModelProvidersCard />
            <Card title="More about models">
              <SettingsForm settings={settings} keys={['context_window_tokens', 'transcription_model']} />
            </Card>
          </div>
        )}
      </QueryView>
    </>
  )
}

interface ProviderCardProps {
  readonly provider: BuiltIn
  readonly settings: SettingsView
}

function ProviderCard({ provider: { id, name, keys }, settings }: ProviderCardProps) {
  const isSet = settings[`${id}_configured`] === true
  const { models, problem } = useProviderState(id)
  return (
    <Card title={name} actions={<ProviderStatus isSet={isSet} models={models} problem={problem} />}>
      {isSet && problem !== undefined && <Notice tone="bad">{problem}</Notice>}
      <SettingsForm settings={settings} keys={keys} />
    </Card>
  )
}
