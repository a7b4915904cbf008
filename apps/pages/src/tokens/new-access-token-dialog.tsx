import { type ReactElement, useState } from 'react'
import { usePlatformMutation, usePlatformQuery } from '../api/platform.ts'
import { TokenField } from '../components/fields/token-field.tsx'
import { TokenDialog } from './token-dialog.tsx'
import { TokenForm } from './token-form.tsx'
import { scopeTexts } from './scope-texts.ts'

/** Creates an access token: asks for its name, scopes and agents, then shows its secret, once. */
export function NewAccessTokenDialog({ trigger }: { readonly trigger: ReactElement }) {
  return (
    <TokenDialog
      title="Create an access token"
      trigger={trigger}
      label="Access token"
      warning="Anyone who has the token can do what its scopes allow."
    >
      {(close, onCreated) => <NewAccessTokenForm close={close} onCreated={onCreated} />}
    </TokenDialog>
  )
}

interface NewAccessTokenFormProps {
  readonly close: () => void
  readonly onCreated: (secret: string) => void
}

function NewAccessTokenForm({ close, onCreated }: NewAccessTokenFormProps) {
  const [agents, setAgents] = useState<readonly string[]>([])
  const known = usePlatformQuery('listAgents')
  const create = usePlatformMutation('createToken', {
    invalidates: ['listTokens', 'listAudit'],
    onSuccess: ({ secret }) => onCreated(secret),
  })
  return (
    <TokenForm
      legend="Scopes"
      rights={scopeTexts}
      initial={['read']}
      missing="Choose at least one scope."
      error={create.error}
      isPending={create.isPending}
      onCancel={close}
      onSubmit={({ name, rights, expiresAt }) =>
        create.mutate({
          body: {
            name,
            scopes: [...rights],
            ...(agents.length > 0 && !rights.includes('admin') && { agents: [...agents] }),
            ...(expiresAt !== undefined && { expires_at: expiresAt }),
          },
        })
      }
    >
      {(scopes) =>
        !scopes.includes('admin') && (
          <TokenField
            label="Agents"
            values={agents}
            onChange={setAgents}
            suggestions={known.data?.agents.map(({ id }) => id) ?? []}
            description="Agents that the token can use. Leave empty for all agents."
          />
        )
      }
    </TokenForm>
  )
}
