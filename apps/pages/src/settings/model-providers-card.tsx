import type { ModelProviderView } from '@homeward/contract/agent-platform'
import { Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { usePlatformMutation, usePlatformQuery } from '../api/platform.ts'
import { untilGone } from '../api/until-gone.ts'
import { IconButton } from '../components/buttons/icon-button.tsx'
import { ConfirmDialog } from '../components/dialogs/confirm-dialog.tsx'
import { Card } from '../components/layout/card.tsx'
import { Disclosure } from '../components/layout/disclosure.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { showToast } from '../components/states/toasts.tsx'
import { ModelProviderForm } from './model-provider-form.tsx'
import { apiNames } from './model-provider-form.tsx'
import './model-providers.css'

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
  return (
    <li className="row" data-justify="between">
      <span className="foreign">
        <strong>{name}</strong> <span className="muted small">{baseUrl}</span>
        <br />
        <span className="muted small">
          {apiNames[api]}, {hasKey ? 'with a key' : 'without a key'}
        </span>
      </span>
      <span className="row">
        <IconButton label={`Change ${name}`} icon={<Pencil aria-hidden />} onPress={onEdit} />
        <DeleteProvider name={name} />
      </span>
    </li>
  )
}

function DeleteProvider({ name }: { readonly name: string }) {
  const remove = usePlatformMutation('deleteModelProvider', {
    invalidates: ['listModelProviders', 'listModels'],
  })
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      confirmLabel="Delete provider"
      trigger={<IconButton label={`Delete ${name}`} icon={<Trash2 aria-hidden />} />}
      onConfirm={async () => {
        await untilGone(remove.mutateAsync({ params: { name } }))
        showToast({ title: `${name} deleted` })
      }}
    >
      <p>Agents that use its models cannot run until you choose another model. Its API key is deleted.</p>
    </ConfirmDialog>
  )
}
