import type { ModelProviderView } from '@homeward/contract/agent-platform'
import { Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { usePlatformMutation, usePlatformQuery } from '../api/platform.ts'
import { untilGone } from '../api/until-gone.ts'
import { ActionMenu } from '../components/buttons/action-menu.tsx'
import { ModelChoice } from '../components/agents/model-choice.tsx'
import { Card } from '../components/layout/card.tsx'
import { Disclosure } from '../components/layout/disclosure.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { showToast } from '../components/states/toasts.tsx'
import { ModelProviderForm } from './model-provider-form.tsx'
import { apiNames } from './model-provider-form.tsx'
import './model-providers.css'
import { ProviderStatus, useProviderState } from './provider-status.tsx'

/** Model providers besides the built-in ones: servers on this machine, and services that speak a known API. */
export function ModelProvidersCard() {
  const query = usePlatformQuery('listModelProviders')
  const [edited, setEdited] = useState<ModelProviderView>()
  /** The form begins again after each save. */
  const [round, setRound] = useState(0)
  const [isOpen, setIsOpen] = useState(false)

  function close(): void {
    setEdited(undefined)
    setRound((before) => before + 1)
    setIsOpen(false)
  }

  return (
    <Card title="Own model providers">
      <p className="muted">
        Ollama, vLLM, LM Studio, or any other server with a supported API. Agents use its models as
        provider/model. The API key is optional.
      </p>
      <QueryView query={query}>
        {({ providers }) => (
          <ul className="stack provider-list" data-gap="small" aria-label="Own model providers">
            {providers
              .filter((provider) => !provider.built_in)
              .map((provider) => (
                <ProviderItem
                  key={provider.name}
                  provider={provider}
                  onEdit={() => {
                    setEdited(provider)
                    setRound((before) => before + 1)
                    setIsOpen(true)
                  }}
                />
              ))}
          </ul>
        )}
      </QueryView>
      <DemoModel />
      <Disclosure
        title={edited ? `Change ${edited.name}` : 'Add a provider'}
        isExpanded={isOpen}
        onExpandedChange={(isExpanded) => (isExpanded ? setIsOpen(true) : close())}
      >
        <ModelProviderForm key={round} saved={edited} onSaved={close} />
      </Disclosure>
    </Card>
  )
}

interface ProviderItemProps {
  readonly provider: ModelProviderView
  readonly onEdit: () => void
}

function ProviderItem({ provider, onEdit }: ProviderItemProps) {
  const { name, api, base_url: baseUrl, has_api_key: hasKey } = provider
  const { models, problem } = useProviderState(name)
  return (
    <li className="row" data-justify="between">
      <span className="foreign">
        <strong>{name}</strong> <span className="muted small">{baseUrl}</span>
        <br />
        <span className="muted small">
          {apiNames[api]}, {hasKey ? 'with a key' : 'without a key'}
        </span>
        {problem !== undefined && <span className="field-error">{problem}</span>}
      </span>
      <span className="row">
        <ProviderStatus isSet models={models} problem={problem} />
        <ProviderMenu name={name} onEdit={onEdit} />
      </span>
    </li>
  )
}

interface ProviderMenuProps {
  readonly name: string
  readonly onEdit: () => void
}

function ProviderMenu({ name, onEdit }: ProviderMenuProps) {
  const remove = usePlatformMutation('deleteModelProvider', {
    invalidates: ['listModelProviders', 'listModels'],
  })
  return (
    <ActionMenu
      label={`Actions of ${name}`}
      actions={[
        { label: 'Change', icon: <Pencil aria-hidden />, onAction: onEdit },
        {
          label: 'Delete provider',
          icon: <Trash2 aria-hidden />,
          confirm: {
            title: `Delete ${name}?`,
            text: (
              <p>
                Agents that use its models cannot run until you choose another model. Its API key is deleted.
              </p>
            ),
            onConfirm: async () => {
              await untilGone(remove.mutateAsync({ params: { name } }))
              showToast({ title: `${name} deleted` })
            },
          },
        },
      ]}
    />
  )
}

/** The model of the agent to begin with, as long as it is a test model and there are others. */
function DemoModel() {
  const demo = usePlatformQuery('listAgents').data?.agents.find(({ id }) => id === 'demo')
  const models = usePlatformQuery('listModels').data?.models
  const hasReal = models?.some(({ id }) => !id.startsWith('test/')) === true
  if (!demo?.model.startsWith('test/') || !hasReal) return null
  return <ModelChoice agent={demo} label={`${demo.name ?? demo.id} uses`} />
}
